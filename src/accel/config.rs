//! The lines a server's configuration needs, quoted by its own rules.

use super::encode::Location;
use super::error::AccelError;
use super::options::Backend;
use super::root::Root;
use std::os::unix::ffi::OsStrExt;

/// Whose configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Server {
    /// nginx 1.5.9 or later.
    Nginx,
    /// Apache 2.4 with mod_xsendfile.
    Apache,
    /// lighttpd 1.4.
    Lighttpd,
    /// None: PHP sends the bytes.
    Php,
}

impl Server {
    /// The server that is meant when nothing else is said.
    #[must_use]
    pub fn of(backend: Backend) -> Self {
        match backend {
            Backend::Nginx => Self::Nginx,
            Backend::XSendfile => Self::Apache,
            Backend::Php => Self::Php,
        }
    }

    /// Recognises an X-Sendfile server by what it calls itself (SERVER_SOFTWARE, which it sets and no client can).
    #[must_use]
    pub fn running(software: &[u8]) -> Option<Self> {
        if software.starts_with(b"Apache") {
            Some(Self::Apache)
        } else if software.starts_with(b"lighttpd") {
            Some(Self::Lighttpd)
        } else {
            None
        }
    }

    /// Reads a server's name for a backend.
    ///
    /// # Errors
    /// `AccelError::Argument` for a name that is unknown or belongs to another backend.
    pub fn named(name: &[u8], backend: Backend) -> Result<Self, AccelError> {
        match (name, backend) {
            (b"nginx", Backend::Nginx) => Ok(Self::Nginx),
            (b"apache", Backend::XSendfile) => Ok(Self::Apache),
            (b"lighttpd", Backend::XSendfile) => Ok(Self::Lighttpd),
            (b"php", Backend::Php) => Ok(Self::Php),
            _ => Err(AccelError::argument(
                "server",
                match backend {
                    Backend::Nginx => "must be \"nginx\" with SendfileBackend::Nginx",
                    Backend::XSendfile => "must be \"apache\" or \"lighttpd\" with SendfileBackend::XSendfile",
                    Backend::Php => "must be \"php\" with SendfileBackend::Php",
                },
            )),
        }
    }

    /// The text to paste.
    ///
    /// # Errors
    /// `AccelError::Unwritable` when the root's path holds what this server's configuration can't quote.
    pub fn config(self, root: &Root, location: &Location) -> Result<Vec<u8>, AccelError> {
        let path = root.path().as_os_str().as_bytes();
        let unwritable = |what| AccelError::Unwritable { root: root.path().to_owned(), what };
        let folder = if path == b"/" { path.to_vec() } else { [path, b"/"].concat() };
        let has_dollar = path.contains(&b'$');
        match self {
            Self::Nginx if has_dollar => Err(unwritable("nginx can't quote a dollar sign")),
            Self::Apache if has_dollar => Err(unwritable("Apache replaces variables in it")),
            Self::Nginx => Ok(nginx(location.as_bytes(), &folder)),
            Self::Apache => Ok(apache(path)),
            Self::Lighttpd => Ok(lighttpd(&folder)),
            Self::Php => Ok(b"; php.ini: nothing to set up in the web server, PHP sends the bytes itself\n\
                rustio.accel_backend = php\n"
                .to_vec()),
        }
    }
}

/// Inside double quotes, with backslashes before quotes and backslashes: what nginx and Apache read.
fn quote(text: &[u8]) -> Vec<u8> {
    quote_with(text, b"\"\\")
}

fn quote_with(text: &[u8], special: &[u8]) -> Vec<u8> {
    let mut out = vec![b'"'];
    for &byte in text {
        if special.contains(&byte) {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'"');
    out
}

/// `^~` keeps locations by regular expression (`\.php$`) away from the files; both slashes at the end keep
/// `/protected../` from leaving; without links below the root a file swapped for one after the check is not sent.
fn nginx(location: &[u8], folder: &[u8]) -> Vec<u8> {
    [
        b"# In the server block. Only X-Accel-Redirect reaches this location.\nlocation ^~ ",
        quote(location).as_slice(),
        b" {\n    internal;\n    alias ",
        &quote(folder),
        b";\n    disable_symlinks on ",
        &quote(&[b"from=", folder].concat()),
        b";\n    # nginx drops these from PHP's answer.\n    add_header X-Content-Type-Options nosniff always;\n",
        b"    # For files that others upload and browsers show:\n",
        b"    # add_header Content-Security-Policy \"sandbox; default-src 'none'\" always;\n}\n",
    ]
    .concat()
}

fn apache(path: &[u8]) -> Vec<u8> {
    [
        b"# In the server, virtual host or directory; needs mod_xsendfile.\nXSendFile On\nXSendFilePath ".as_slice(),
        &quote(path),
        b"\n# Version 1.0 would decode paths, 0.12 does not.\n",
        b"<IfDirective XSendFileUnescape>\n    XSendFileUnescape Off\n</IfDirective>\n",
    ]
    .concat()
}

/// A backslash is one for lighttpd, except before a quote.
fn lighttpd(folder: &[u8]) -> Vec<u8> {
    [
        b"# In the host of fastcgi.server that runs PHP.\n\"x-sendfile\" => \"enable\",\n\"x-sendfile-docroot\" => ( "
            .as_slice(),
        &quote_with(folder, b"\""),
        b" ),\n",
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(name: &str) -> (tempfile::TempDir, Root, String) {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join(name);
        std::fs::create_dir(&path).unwrap();
        let root = Root::new(&path).unwrap();
        (temp, root, path.to_str().unwrap().to_owned())
    }

    fn text(server: Server, root: &Root, location: &str) -> String {
        String::from_utf8(server.config(root, &Location::new(location.as_bytes()).unwrap()).unwrap()).unwrap()
    }

    #[test]
    fn nginx_has_both_slashes_internal_and_nosniff_ax_16_ax_18() {
        let (_temp, root, path) = root("files");
        let text = text(Server::Nginx, &root, "protected");
        for line in [
            "location ^~ \"/protected/\" {".to_owned(),
            "    internal;".to_owned(),
            format!("    alias \"{path}/\";"),
            format!("    disable_symlinks on \"from={path}/\";"),
            "    add_header X-Content-Type-Options nosniff always;".to_owned(),
        ] {
            assert!(text.lines().any(|has| has == line), "{line}\n{text}");
        }
    }

    #[test]
    fn a_path_is_quoted_and_what_can_t_be_is_refused() {
        let (_temp, root_dir, path) = root("a \"b\\c;#{}'%");
        let quoted = path.replace('\\', "\\\\").replace('"', "\\\"");
        assert!(text(Server::Nginx, &root_dir, "x").contains(&format!("alias \"{quoted}/\";")));
        assert!(text(Server::Apache, &root_dir, "x").contains(&format!("XSendFilePath \"{quoted}\"\n")));
        assert!(text(Server::Lighttpd, &root_dir, "x").contains(&format!("( \"{}/\" )", path.replace('"', "\\\""))));
        let (_temp, dollar, _) = root("a$b");
        let location = Location::new(b"x").unwrap();
        for server in [Server::Nginx, Server::Apache] {
            assert!(matches!(server.config(&dollar, &location), Err(AccelError::Unwritable { .. })));
        }
        assert!(Server::Lighttpd.config(&dollar, &location).is_ok());
    }

    #[test]
    fn a_server_belongs_to_its_backend() {
        for (name, backend, server) in [
            ("nginx", Backend::Nginx, Server::Nginx),
            ("apache", Backend::XSendfile, Server::Apache),
            ("lighttpd", Backend::XSendfile, Server::Lighttpd),
            ("php", Backend::Php, Server::Php),
        ] {
            assert_eq!(Server::named(name.as_bytes(), backend).unwrap(), server);
        }
        assert_eq!(Server::of(Backend::XSendfile), Server::Apache);
        assert_eq!(Server::running(b"Apache/2.4.71 (Debian)"), Some(Server::Apache));
        assert_eq!(Server::running(b"lighttpd/1.4.69"), Some(Server::Lighttpd));
        assert_eq!(Server::running(b"nginx/1.22.1"), None);
        for (name, backend) in [("apache", Backend::Nginx), ("nginx", Backend::Php), ("iis", Backend::XSendfile)] {
            assert!(Server::named(name.as_bytes(), backend).is_err());
        }
    }
}
