use super::*;
use std::path::Path;

struct Site {
    temp: tempfile::TempDir,
}

impl Site {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join("d")).unwrap();
        for name in ["a%20b.txt", "d/x.pdf", "line\nend", "page.html"] {
            std::fs::write(temp.path().join(name), "12345").unwrap();
        }
        Self { temp }
    }

    fn path(&self) -> &Path {
        self.temp.path()
    }

    fn accel(&self, backend: Backend) -> Accel {
        Accel::new(Root::new(self.path()).unwrap(), Location::new(DEFAULT_LOCATION.as_bytes()).unwrap(), backend, None)
    }

    fn headers(&self, backend: Backend, options: Options<'_>) -> Vec<(&'static str, String)> {
        let ready = self.accel(backend).prepare(&options, Purpose::Describe, SystemTime::now()).unwrap();
        ready.headers().iter().map(|(name, value)| (*name, String::from_utf8(value.clone()).unwrap())).collect()
    }
}

fn file(name: &str) -> Options<'_> {
    Options { file: name.as_bytes(), ..Options::default() }
}

#[test]
fn nginx_gets_one_redirect_and_only_headers_that_it_keeps_ax_18_ax_19() {
    let site = Site::new();
    assert_eq!(
        site.headers(Backend::Nginx, file("a%20b.txt")),
        [
            ("X-Accel-Redirect", "/protected/a%2520b.txt".to_owned()),
            ("Content-Type", "text/plain".to_owned()),
            ("Content-Disposition", "attachment; filename=\"a_20b.txt\"; filename*=UTF-8''a%2520b.txt".to_owned()),
        ]
    );
}

#[test]
fn nginx_gets_its_options_as_headers_ax_45() {
    let options = Options {
        name: Some(b"R.pdf"),
        disposition: Disposition::Inline,
        media_type: Some(b"application/pdf"),
        limit_rate: Some(200),
        buffering: Some(false),
        expires: Some(0),
        charset: Some(b"utf-8"),
        ..file("d/../d/x.pdf")
    };
    assert_eq!(
        Site::new().headers(Backend::Nginx, options),
        [
            ("X-Accel-Redirect", "/protected/d/x.pdf".to_owned()),
            ("Content-Type", "application/pdf".to_owned()),
            ("Content-Disposition", "inline; filename=\"R.pdf\"".to_owned()),
            ("X-Accel-Limit-Rate", "200".to_owned()),
            ("X-Accel-Buffering", "no".to_owned()),
            ("X-Accel-Expires", "0".to_owned()),
            ("X-Accel-Charset", "utf-8".to_owned()),
        ]
    );
}

#[test]
fn x_sendfile_gets_the_disk_path_and_nosniff_and_refuses_control_bytes() {
    let site = Site::new();
    let headers = site.headers(Backend::XSendfile, file("d/x.pdf"));
    assert_eq!(headers[0], ("X-Sendfile", format!("{}/d/x.pdf", site.path().display())));
    assert!(headers.contains(&("X-Content-Type-Options", "nosniff".to_owned())));
    assert!(!headers.iter().any(|(name, _)| name.starts_with("X-Accel") || *name == "Content-Length"));
    let result = site.accel(Backend::XSendfile).prepare(&file("line\nend"), Purpose::Send, SystemTime::now());
    assert!(matches!(result, Err(AccelError::NotServable { refusal: Refusal::Unnameable(_), .. })));
    assert_eq!(site.headers(Backend::Nginx, file("line\nend"))[0].1, "/protected/line%0Aend");
}

#[test]
fn the_fallback_describes_the_whole_file_and_names_no_internal_header_ax_14() {
    let headers = Site::new().headers(Backend::Php, file("d/x.pdf"));
    assert!(headers.contains(&("Content-Length", "5".to_owned())));
    assert!(!headers.iter().any(|(name, _)| name.starts_with("X-Accel") || *name == "X-Sendfile"));
}

#[test]
fn a_bad_option_is_found_before_the_file_is_looked_for() {
    let site = Site::new();
    let options = Options { limit_rate: Some(-1), ..file("missing") };
    let result = site.accel(Backend::Nginx).prepare(&options, Purpose::Send, SystemTime::now());
    assert!(matches!(result, Err(AccelError::Argument { name: "limitRate", .. })));
}

#[test]
fn no_header_ever_holds_a_byte_outside_printable_ascii() {
    let site = Site::new();
    for backend in [Backend::Nginx, Backend::XSendfile, Backend::Php] {
        let options = Options { name: Some(b"\r\nX: \xff\0\x7f"), ..file("d/x.pdf") };
        for (name, value) in site.headers(backend, options) {
            assert!(value.bytes().all(|byte| matches!(byte, b' '..=b'~')), "{name}: {value:?}");
        }
    }
}
