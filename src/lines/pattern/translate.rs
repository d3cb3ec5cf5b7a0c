//! PCRE's syntax into the engine's: what both read the same passes through, what they read differently is rewritten
//! where it can be said exactly and refused where it can't. PCRE's side is pcre2pattern(3), the engine's the
//! documentation of the crate regex-syntax.

mod class;
mod delimited;

use std::fmt::Write;

pub use delimited::Flags;
use delimited::undelimit;

/// Why a pattern can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PatternError {
    message: String,
}

impl PatternError {
    pub(super) fn whole(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }

    fn at(position: usize, message: impl Into<String>) -> Self {
        Self { message: format!("{} at offset {position}", message.into()) }
    }
}

/// A pattern in the engine's syntax.
pub struct Translated {
    pub text: String,
    pub flags: Flags,
    /// Where something begins in `text`, and in the pattern.
    places: Vec<(usize, usize)>,
}

impl Translated {
    /// An error of the engine's parser, told about the pattern as it was written.
    pub fn error(&self, offset: usize, message: impl std::fmt::Display) -> PatternError {
        let place = self.places.iter().rev().find(|place| place.0 <= offset);
        PatternError::at(place.map_or(0, |place| place.1), format!("is no valid pattern: {message}"))
    }
}

/// Takes the delimiters off and rewrites what lies between them. Offsets in errors count from the pattern's first byte
/// behind the delimiter, as PHP's own messages do.
pub fn translate(pattern: &[u8]) -> Result<Translated, PatternError> {
    let (body, flags) = undelimit(pattern)?;
    if flags.utf8 && std::str::from_utf8(body).is_err() {
        return Err(PatternError::whole("is not valid UTF-8, which the flag u asks for"));
    }
    let mut translator = Translator {
        body,
        at: 0,
        out: String::with_capacity(2 * body.len()),
        flags,
        repeatable: false,
        caseless: flags.caseless,
        places: Vec::new(),
    };
    translator.run()?;
    Ok(Translated { text: translator.out, flags, places: translator.places })
}

struct Translator<'a> {
    body: &'a [u8],
    at: usize,
    out: String,
    flags: Flags,
    /// The last thing written can be repeated by a quantifier.
    repeatable: bool,
    /// The flag i, or an inline one, may be in force.
    caseless: bool,
    places: Vec<(usize, usize)>,
}

impl<'a> Translator<'a> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.body.get(self.at + ahead).copied()
    }

    fn rest(&self) -> &'a [u8] {
        &self.body[self.at..]
    }

    fn refuse<T>(&self, what: impl Into<String>) -> Result<T, PatternError> {
        Err(PatternError::at(self.at, what))
    }

    fn run(&mut self) -> Result<(), PatternError> {
        while let Some(byte) = self.peek(0) {
            self.places.push((self.out.len(), self.at));
            match byte {
                b'\\' => self.escape(false)?,
                b'[' => self.class()?,
                b'(' => self.group()?,
                b'*' | b'+' | b'?' => self.quantifier(1)?,
                b'{' => self.brace()?,
                b'#' if self.flags.extended => self.comment(),
                byte if self.flags.extended && is_space(byte) => self.at += 1,
                b'|' | b')' | b'^' | b'$' => {
                    self.out.push(char::from(byte));
                    self.at += 1;
                    self.repeatable = byte == b')';
                }
                b'.' => {
                    self.out.push('.');
                    self.at += 1;
                    self.repeatable = true;
                }
                _ => self.literal(),
            }
        }
        Ok(())
    }

    /// One literal character, or one byte without the flag u: there PCRE repeats and folds single bytes.
    fn literal(&mut self) {
        let byte = self.body[self.at];
        if self.flags.utf8 && !byte.is_ascii() {
            let text = std::str::from_utf8(self.rest()).unwrap_or_default();
            if let Some(c) = text.chars().next() {
                self.out.push(c);
                self.at += c.len_utf8();
            }
        } else {
            self.byte(byte);
            self.at += 1;
        }
        self.repeatable = true;
    }

    fn byte(&mut self, byte: u8) {
        if byte.is_ascii_alphanumeric() {
            self.out.push(char::from(byte));
        } else {
            let _ = write!(self.out, "\\x{byte:02X}"); // a String takes everything
        }
    }

    /// In the extended form, white space and comments between things mean nothing; dropped here so that a quantifier is
    /// found next to what it repeats.
    fn comment(&mut self) {
        self.at += memchr::memchr(b'\n', self.rest()).map_or(self.rest().len(), |end| end + 1);
    }

    fn quantifier(&mut self, len: usize) -> Result<(), PatternError> {
        if !self.repeatable {
            return self.refuse("has a quantifier that follows nothing it can repeat");
        }
        for i in 0..len {
            self.out.push(char::from(self.body[self.at + i]));
        }
        self.at += len;
        match self.peek(0) {
            Some(b'?') => {
                self.out.push('?');
                self.at += 1;
            }
            Some(b'+') => return self.refuse("has a possessive quantifier, which this engine can't do"),
            _ => {}
        }
        self.repeatable = false;
        Ok(())
    }

    /// `{2}`, `{2,}` and `{2,5}` repeat; any other brace is a literal for PCRE, in forms that differ by its version.
    fn brace(&mut self) -> Result<(), PatternError> {
        let Some(end) = memchr::memchr(b'}', self.rest()) else { return self.refuse("has a '{' to be written as \\{") };
        let inner = &self.rest()[1..end];
        let mut parts = inner.splitn(2, |byte| *byte == b',');
        let digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
        let too_big = |part: &[u8]| std::str::from_utf8(part).is_ok_and(|n| n.parse::<u64>().is_ok_and(|n| n > 65535));
        if inner.split(|byte| *byte == b',').any(too_big) {
            return self.refuse("has a number of repetitions over 65535");
        }
        let counts =
            parts.next().is_some_and(digits) && parts.next().is_none_or(|part| part.is_empty() || digits(part));
        if counts { self.quantifier(end + 1) } else { self.refuse("has a '{' to be written as \\{") }
    }

    fn group(&mut self) -> Result<(), PatternError> {
        self.repeatable = false;
        if self.rest().starts_with(b"(*") {
            return self.refuse("has a verb (*...), which this engine can't do");
        }
        if !self.rest().starts_with(b"(?") {
            self.out.push('(');
            self.at += 1;
            return Ok(());
        }
        let rest = &self.rest()[2..];
        if rest.starts_with(b"#") {
            let Some(end) = memchr::memchr(b')', self.rest()) else { return self.refuse("has a comment without end") };
            self.at += end + 1;
            return Ok(());
        }
        if rest.starts_with(b"<=") || rest.starts_with(b"<!") || rest.starts_with(b"=") || rest.starts_with(b"!") {
            return self.refuse("has a lookaround assertion, which this engine can't do");
        }
        let name = if rest.starts_with(b"P<") { &rest[2..] } else { rest.strip_prefix(b"<").unwrap_or_default() };
        if let Some(end) = memchr::memchr(b'>', name) {
            if end == 0 || !name[..end].iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
                return self.refuse("has a group name that is no word");
            }
            let name_at = self.body.len() - name.len();
            let _ = write!(self.out, "(?P<{}>", String::from_utf8_lossy(&name[..end]));
            self.at = name_at + end + 1;
            return Ok(());
        }
        self.inline_flags(rest.len())
    }

    /// `(?i)`, `(?s-i:`: only flags that mean the same in both. x would change how the rest is read here.
    fn inline_flags(&mut self, rest: usize) -> Result<(), PatternError> {
        let text = &self.body[self.body.len() - rest..];
        let len = text.iter().take_while(|byte| matches!(byte, b'i' | b's' | b'm' | b'-')).count();
        match text.get(len) {
            Some(end @ (b')' | b':')) if len > 0 || *end == b':' => {
                self.caseless |= text[..len].contains(&b'i');
                let _ = write!(self.out, "(?{}{}", String::from_utf8_lossy(&text[..len]), char::from(*end));
                self.at += 2 + len + 1;
                Ok(())
            }
            _ => self.refuse("has a group (?...) that this engine can't do"),
        }
    }

    /// An escape, inside or outside of a class.
    fn escape(&mut self, in_class: bool) -> Result<(), PatternError> {
        let Some(letter) = self.peek(1) else { return self.refuse("ends with a backslash") };
        let utf8 = self.flags.utf8;
        self.repeatable = true;
        let text = |translator: &mut Self, text: &str| {
            translator.out.push_str(text);
            translator.at += 2;
            Ok(())
        };
        match letter {
            b'd' | b'D' => text(self, if letter == b'd' { "\\d" } else { "\\D" }),
            // PCRE's words and white space under the flag u: letters and numbers; U+180E is white space for it.
            b'w' | b'W' if !utf8 => text(self, if letter == b'w' { "\\w" } else { "\\W" }),
            b'w' if in_class => text(self, "\\p{L}\\p{N}_"),
            b'W' if in_class => text(self, "[^\\p{L}\\p{N}_]"),
            b'w' | b'W' => {
                self.as_written(if letter == b'w' { "[\\p{L}\\p{N}_]" } else { "[^\\p{L}\\p{N}_]" });
                text(self, "")
            }
            b's' => text(self, if utf8 { if in_class { "\\s\\x{180E}" } else { "[\\s\\x{180E}]" } } else { "\\s" }),
            b'S' => text(self, if utf8 { "[^\\s\\x{180E}]" } else { "\\S" }),
            b'h' if !utf8 => text(self, if in_class { "\\t\\x20\\xA0" } else { "[\\t\\x20\\xA0]" }),
            b'n' | b'r' | b't' | b'f' | b'a' => {
                let text_of = ['\\', char::from(letter)].iter().collect::<String>();
                text(self, &text_of)
            }
            b'e' => text(self, "\\x1B"),
            b'x' => self.hex(),
            b'p' | b'P' if utf8 => self.property(in_class),
            b'A' | b'z' | b'Z' if !in_class => {
                self.repeatable = false;
                text(self, if letter == b'A' { "\\A" } else { "\\z" }) // no line has the final newline of \Z
            }
            b'b' if in_class => text(self, "\\x08"),
            b'b' | b'B' if !in_class && !utf8 => {
                self.repeatable = false;
                text(self, if letter == b'b' { "\\b" } else { "\\B" })
            }
            b'b' | b'B' => self.refuse("has \\b under the flag u, where the engines' words differ"),
            b'1'..=b'9' | b'g' | b'k' => self.refuse("has a backreference, which this engine can't do"),
            letter if letter.is_ascii_alphanumeric() => {
                self.refuse(format!("has \\{}, which this engine can't do", char::from(letter)))
            }
            _ => {
                self.at += 1;
                self.literal();
                Ok(())
            }
        }
    }

    /// `\xhh` and `\x{h...}`.
    fn hex(&mut self) -> Result<(), PatternError> {
        let digits = &self.rest()[2..];
        let (number, len) = if digits.first() == Some(&b'{') {
            let Some(end) = memchr::memchr(b'}', digits) else { return self.refuse("has \\x{ without }") };
            (&digits[1..end], end + 1)
        } else {
            (digits.get(..2).unwrap_or_default(), 2)
        };
        let value = std::str::from_utf8(number)
            .ok()
            .filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|text| u32::from_str_radix(text, 16).ok());
        match value {
            Some(value) if self.flags.utf8 && char::from_u32(value).is_some() => {
                let _ = write!(self.out, "\\x{{{value:X}}}");
            }
            Some(value) if !self.flags.utf8 && value <= 0xff => {
                let _ = write!(self.out, "\\x{value:02X}");
            }
            _ => return self.refuse("has \\x without a character of two hexadecimal digits, or out of range"),
        }
        self.at += 2 + len;
        Ok(())
    }

    /// `\pL`, `\p{Lu}`, `\p{^Lu}`: general categories alone; script names differ in what they take in.
    fn property(&mut self, in_class: bool) -> Result<(), PatternError> {
        let letter = char::from(self.body[self.at + 1]);
        let name = &self.rest()[2..];
        let (name, len) = match name.first() {
            Some(b'{') => {
                let Some(end) = memchr::memchr(b'}', name) else { return self.refuse("has \\p{ without }") };
                (&name[1..end], end + 1)
            }
            Some(_) => (&name[..1], 1),
            None => return self.refuse("has \\p without a property"),
        };
        let (negated, name) = match name.strip_prefix(b"^") {
            Some(name) => (true, name),
            None => (false, name),
        };
        let is_category = name.first().is_some_and(|byte| b"CLMNPSZ".contains(byte))
            && name.len() <= 2
            && name.get(1).is_none_or(u8::is_ascii_lowercase);
        if !is_category {
            return self.refuse("has a property other than a general category");
        }
        let letter = if negated == (letter == 'p') { 'P' } else { 'p' };
        let property = format!("\\{letter}{{{}}}", String::from_utf8_lossy(name));
        if !self.caseless {
            self.out.push_str(&property);
        } else if in_class {
            return self.refuse("has a property in a class under the flag i, which the engine would fold");
        } else {
            self.as_written(&property);
        }
        self.at += 2 + len;
        Ok(())
    }

    /// Properties and \w are never caseless for PCRE; the engine folds them.
    fn as_written(&mut self, set: &str) {
        let _ = if self.caseless { write!(self.out, "(?-i:{set})") } else { write!(self.out, "{set}") };
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}
