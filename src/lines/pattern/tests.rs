use super::*;

fn matches(pattern: &str, line: &[u8]) -> bool {
    Pattern::new(pattern.as_bytes()).unwrap().matches(line)
}

#[test]
fn what_both_syntaxes_read_differently_means_what_preg_match_means() {
    assert!(matches(r"/\<b\>/", b"<b>")); // word borders for the engine
    assert!(matches("/[a&&b]/", b"&")); // an intersection for the engine
    assert!(matches("/[[a]]/", b"[]")); // a nested class for the engine: here "[" or "a", then "]"
    assert!(matches("/[a b]/x", b" ")); // ignored by the engine
    assert!(matches("/[a-]/", b"-"));
    assert!(matches("/[]a]/", b"]"));
    assert!(matches("/a # comment\n b/x", b"ab"));
    assert!(matches("{a{2}}", b"aa"));
    assert!(matches("#a/b#", b"a/b"));
    assert!(matches(r"/a\/b/", b"a/b"));
    assert!(matches("/\u{e9}+$/", b"\xc3\xa9\xa9")); // without u a byte is repeated, not a character
    assert!(matches(r"/[\xe9]/", b"\xe9"));
    assert!(matches(r"/^\w$/u", "é".as_bytes()));
    assert!(!matches(r"/^\w$/", "é".as_bytes()));
    assert!(!matches("/a/u", b"a\xff")); // preg_match gives false here
    assert!(matches(r"/^\s$/u", "\u{180e}".as_bytes()));
    assert!(matches("/(?i)A(?-i:b)/", b"ab"));
    assert!(matches(r"/a\Z/", b"a"));
    assert!(matches("/(?<name>a)(?P<other>b)/", b"ab"));
    assert!(matches(r"/[\b]/", b"\x08"));
    assert!(matches("/^[a-c--e]$/", b"B")); // a to c, then - to e; a difference for the engine
    assert!(matches("/^[a-c-e]$/", b"-"));
    assert!(matches("/^[--a]$/", b"5"));
    assert!(matches(r"/^[\d-]$/", b"-"));
}

#[test]
fn properties_and_words_are_never_caseless() {
    for pattern in [r"/^\P{Lu}$/iu", r"/^(?i)\P{Lu}$/u", r"/^(?i:\P{Lu})$/u"] {
        assert!(!matches(pattern, b"A"), "{pattern}");
    }
    assert!(!matches(r"/^\p{Lu}$/iu", b"a"));
    assert!(!matches(r"/^(?i)\p{Lu}$/u", b"a"));
    assert!(matches(r"/^\P{Lu}a$/iu", b"xA"));
    assert!(matches(r"/^\W$/iu", "\u{345}".as_bytes()));
    assert!(Pattern::new(r"/[\p{Lu}]/iu".as_bytes()).is_err());
}

#[test]
fn what_the_engine_can_not_do_is_refused_with_its_place() {
    for (pattern, words) in [
        (r"/(a)\1/", "backreference, which this engine can't do at offset 3"),
        ("/a(?=b)/", "lookaround assertion"),
        ("/(?<!b)a/", "lookaround assertion"),
        ("/(?>a)/", "group (?...)"),
        ("/(?R)/", "group (?...)"),
        ("/a++/", "possessive"),
        ("/a{2}+/", "possessive"),
        ("/+a/", "follows nothing"),
        ("/a**/", "follows nothing"),
        ("/a{,3}/", "\\{"),
        (r"/\R/", "\\R"),
        (r"/\bx/u", "flag u"),
        ("/[[:alpha:]]/u", "POSIX"),
        ("/[[:foo:]]/", "POSIX"),
        ("/[:digit:]/", "write [[:alpha:]]"),
        ("/a{65536}/", "over 65535"),
        ("/[a/", "without ]"),
        ("/(a/", "is no valid pattern: unclosed group at offset 0"),
        ("/\u{e9}\\w[z-a]/u", "at offset 5"),
        ("/a", "no ending delimiter '/'"),
        ("abc", "delimiter"),
        ("", "empty"),
        ("/a/m", "flag 'm'"),
        ("/(*UTF8)a/", "verb"),
        (r"/\p{Greek}/u", "general category"),
        (r"/a\", "no ending delimiter"),
        (r"/[\d-z]/", "does not start with a character at offset 3"),
        (r"/[a-\d]/", "does not end in a character at offset 3"),
        ("/[a-[:alpha:]]/", "does not end"),
        (r"/[\p{Lu}]/iu", "flag i"),
    ] {
        let message = Pattern::new(pattern.as_bytes()).unwrap_err().to_string();
        assert!(message.contains(words), "{pattern}: {message}");
    }
    assert!(Pattern::new(b"/\xff/u").is_err());
    assert!(Pattern::new(b"/(((a{1000}){1000}){1000})/").unwrap_err().to_string().contains("too large"));
}
