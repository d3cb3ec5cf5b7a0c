use super::*;
use proptest::prelude::*;

const MTIME: u64 = 1_700_000_000;
const LATER: u64 = MTIME + 1000;
const TAG: &str = "\"6553f100-3e8\"";

fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

fn date(seconds: u64) -> String {
    httpdate::fmt_http_date(at(seconds))
}

fn file() -> Validators {
    Validators::new(MTIME.cast_signed(), 1000, at(LATER))
}

/// `GET`, then fields as `name: value`.
fn judge(method: &str, fields: &[(&str, &str)]) -> Verdict {
    let mut request = Request { method: method.as_bytes(), ..Request::default() };
    for (name, value) in fields {
        let field = match *name {
            "range" => &mut request.range,
            "if-range" => &mut request.if_range,
            "if-match" => &mut request.if_match,
            "if-none-match" => &mut request.if_none_match,
            "if-modified-since" => &mut request.if_modified_since,
            "if-unmodified-since" => &mut request.if_unmodified_since,
            other => panic!("{other}"),
        };
        *field = Some(value.as_bytes());
    }
    file().judge(&request)
}

const SEND: Verdict = Verdict::Send { range: false };
const PART: Verdict = Verdict::Send { range: true };

#[test]
fn the_tag_is_nginx_s_and_the_date_is_never_in_the_future_ax_32() {
    assert_eq!(file().etag(), TAG);
    assert_eq!(file().last_modified().unwrap(), "Tue, 14 Nov 2023 22:13:20 GMT");
    let future = Validators::new(i64::MAX, 5, at(LATER));
    assert_eq!(future.last_modified().unwrap(), date(LATER));
    assert_eq!(future.etag(), "\"7fffffffffffffff-5\"");
    let old = Validators::new(-1, 0, at(LATER));
    assert_eq!((old.last_modified(), old.etag()), (None, "\"ffffffffffffffff-0\""));
    let clock_before_1970 = Validators::new(5, 5, UNIX_EPOCH - Duration::from_secs(9));
    assert_eq!(clock_before_1970.last_modified().unwrap(), date(0));
    assert_eq!(Validators::new(i64::MAX, 5, at(1 << 40)).last_modified(), None, "HTTP ends with the year 9999");
}

#[test]
fn if_range_compares_strongly_ax_29() {
    let with = |value: &str| judge("GET", &[("range", "bytes=0-1"), ("if-range", value)]);
    for value in [TAG, &format!(" {TAG} "), &date(MTIME)] {
        assert_eq!(with(value), PART, "{value}");
    }
    for value in ["\"other\"", &format!("W/{TAG}"), &date(MTIME - 1), &date(MTIME + 1), "garbage", "", "*"] {
        assert_eq!(with(value), SEND, "{value}");
    }
}

#[test]
fn a_date_that_may_still_stand_for_two_versions_is_not_strong_ax_29() {
    let date = date(MTIME);
    let request =
        Request { method: b"GET", range: Some(b"bytes=0-1"), if_range: Some(date.as_bytes()), ..Request::default() };
    let judge = |now| Validators::new(MTIME.cast_signed(), 1000, at(now)).judge(&request);
    assert_eq!(judge(MTIME), SEND);
    assert_eq!(judge(MTIME + 1), PART);
    assert_eq!(Validators::new(-1, 1000, at(LATER)).judge(&request), SEND);
}

#[test]
fn tags_are_compared_weakly_for_none_match_and_strongly_for_match_ax_30() {
    let weak = format!("W/{TAG}");
    let list = format!("\"a,b\", W/\"x\" ,{TAG}");
    for (value, none_match, if_match) in [
        (TAG, Verdict::NotModified, SEND),
        (&weak, Verdict::NotModified, Verdict::Failed),
        (&list, Verdict::NotModified, SEND),
        ("*", Verdict::NotModified, SEND),
        ("\"other\"", SEND, Verdict::Failed),
        ("", SEND, Verdict::Failed),
        ("6553f100-3e8", SEND, Verdict::Failed),
        ("\"unclosed", SEND, Verdict::Failed),
    ] {
        assert_eq!(judge("GET", &[("if-none-match", value)]), none_match, "If-None-Match: {value}");
        assert_eq!(judge("GET", &[("if-match", value)]), if_match, "If-Match: {value}");
    }
}

#[test]
fn dates_of_all_three_forms_count_and_garbage_does_not_ax_30() {
    for same in [&date(MTIME), "Tuesday, 14-Nov-23 22:13:20 GMT", "Tue Nov 14 22:13:20 2023"] {
        assert_eq!(judge("GET", &[("if-modified-since", same)]), Verdict::NotModified, "{same}");
        assert_eq!(judge("GET", &[("if-unmodified-since", same)]), SEND, "{same}");
    }
    for (name, older, newer) in
        [("if-modified-since", SEND, Verdict::NotModified), ("if-unmodified-since", Verdict::Failed, SEND)]
    {
        assert_eq!(judge("GET", &[(name, &date(MTIME - 1))]), older);
        assert_eq!(judge("GET", &[(name, &date(MTIME + 1))]), newer);
        assert_eq!(judge("GET", &[(name, "yesterday")]), SEND);
    }
}

#[test]
fn the_order_is_that_of_the_standard_ax_30() {
    let (old, new) = (date(MTIME - 9), date(MTIME + 9));
    // If-Match decides alone, If-Unmodified-Since is not looked at.
    assert_eq!(judge("GET", &[("if-match", TAG), ("if-unmodified-since", &old)]), SEND);
    assert_eq!(judge("GET", &[("if-match", "\"x\""), ("if-none-match", TAG)]), Verdict::Failed);
    // If-None-Match decides alone, If-Modified-Since is not looked at.
    assert_eq!(judge("GET", &[("if-none-match", "\"x\""), ("if-modified-since", &new)]), SEND);
    // 304 comes before any look at the range.
    assert_eq!(judge("GET", &[("if-none-match", TAG), ("range", "bytes=5000-")]), Verdict::NotModified);
    assert_eq!(judge("GET", &[("if-unmodified-since", &old), ("if-none-match", TAG)]), Verdict::Failed);
}

#[test]
fn ranges_are_for_get_and_304_for_get_and_head_ax_31() {
    for (method, ranged, matched, since) in [
        ("GET", PART, Verdict::NotModified, Verdict::NotModified),
        ("HEAD", SEND, Verdict::NotModified, Verdict::NotModified),
        ("POST", SEND, Verdict::Failed, SEND),
        ("OPTIONS", SEND, Verdict::Failed, SEND),
        ("get", SEND, Verdict::Failed, SEND),
    ] {
        assert_eq!(judge(method, &[("range", "bytes=0-1")]), ranged, "{method}");
        assert_eq!(judge(method, &[("if-none-match", TAG)]), matched, "{method}");
        assert_eq!(judge(method, &[("if-modified-since", &date(MTIME))]), since, "{method}");
    }
}

proptest! {
    #[test]
    fn no_field_of_any_bytes_breaks_it(fields in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 6), mtime in any::<i64>(), now in any::<u32>()) {
        let validators = Validators::new(mtime, 7, at(now.into()));
        let request = Request {
            method: b"GET",
            range: Some(&fields[0]),
            if_range: Some(&fields[1]),
            if_match: Some(&fields[2]),
            if_none_match: Some(&fields[3]),
            if_modified_since: Some(&fields[4]),
            if_unmodified_since: Some(&fields[5]),
        };
        let _ = validators.judge(&request);
        let _ = validators.last_modified();
    }
}
