//! `/pattern/flags`: what is the pattern, and which flags it has.

use super::PatternError;

/// The flags behind the closing delimiter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    pub caseless: bool,
    pub dot_all: bool,
    pub extended: bool,
    pub utf8: bool,
}

pub fn undelimit(pattern: &[u8]) -> Result<(&[u8], Flags), PatternError> {
    let pattern = pattern.trim_ascii_start();
    let Some((&open, rest)) = pattern.split_first() else {
        return Err(PatternError::whole("must not be empty"));
    };
    if open.is_ascii_alphanumeric() || open == b'\\' || open == 0 {
        return Err(PatternError::whole("must start with a delimiter that is not alphanumeric, backslash, or NUL"));
    }
    let close = match open {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        b'<' => b'>',
        same => same,
    };
    let (mut depth, mut at) = (1, 0);
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 1,
            byte if byte == close => {
                depth -= 1;
                if depth == 0 {
                    return Ok((&rest[..at], flags(&rest[at + 1..])?));
                }
            }
            byte if byte == open => depth += 1,
            _ => {}
        }
        at += 1;
    }
    Err(PatternError::whole(format!("has no ending delimiter '{}'", close.escape_ascii())))
}

fn flags(text: &[u8]) -> Result<Flags, PatternError> {
    let mut flags = Flags::default();
    for flag in text {
        match flag {
            b'i' => flags.caseless = true,
            b's' => flags.dot_all = true,
            b'x' => flags.extended = true,
            b'u' => flags.utf8 = true,
            b'\n' | b'\r' | b' ' => {}
            other => {
                let message = format!("has the flag '{}'; the flags are i, s, x and u", other.escape_ascii());
                return Err(PatternError::whole(message));
            }
        }
    }
    Ok(flags)
}
