//! `[...]`: bracket classes.

use super::{PatternError, Translator};

impl Translator<'_> {
    /// `[...]`: a bracket, `&&`, `--` and `~~` inside are plain characters for PCRE and set operations for the engine;
    /// white space counts even in the extended form.
    pub fn class(&mut self) -> Result<(), PatternError> {
        let opened = self.at;
        if self.peek(1) == Some(b':')
            && memchr::memchr(b']', self.rest()).is_some_and(|end| self.rest()[end - 1] == b':')
        {
            return self.refuse("has a POSIX class outside of a class: write [[:alpha:]]");
        }
        self.out.push('[');
        self.at += 1;
        if self.peek(0) == Some(b'^') {
            self.out.push('^');
            self.at += 1;
        }
        let mut first = true;
        let mut before = Item::Other;
        loop {
            let at = self.at;
            self.places.push((self.out.len(), at));
            let item = match self.peek(0) {
                None => return Err(PatternError::at(opened, "has a class without ]")),
                Some(b']') if !first => break,
                Some(b'-') => self.dash(before)?,
                _ => self.class_item()?,
            };
            first = false;
            before = match (before, item) {
                (Item::Dash, Item::Character) => Item::Other,
                (Item::Dash, _) => return Err(PatternError::at(at, "has a range that does not end in a character")),
                (_, item) => item,
            };
        }
        self.out.push(']');
        self.at += 1;
        self.repeatable = true;
        Ok(())
    }

    fn class_item(&mut self) -> Result<Item, PatternError> {
        match (self.peek(0), self.peek(1)) {
            (Some(b'\\'), Some(letter)) => {
                self.escape(true)?;
                Ok(if b"dDwWsShpP".contains(&letter) { Item::Set } else { Item::Character })
            }
            (Some(b'\\'), None) => self.refuse("ends with a backslash"),
            (Some(b'['), Some(b':' | b'.' | b'=')) => self.posix_class().map(|()| Item::Set),
            _ => {
                self.literal();
                Ok(Item::Character)
            }
        }
    }

    /// A range's dash; or a literal one at either end of the class, or behind a range.
    fn dash(&mut self, before: Item) -> Result<Item, PatternError> {
        let last = self.peek(1) == Some(b']');
        let item = match before {
            Item::Character if !last => Item::Dash,
            Item::Set if !last => return self.refuse("has a range that does not start with a character"),
            _ => Item::Character,
        };
        self.out.push_str(if item == Item::Dash { "-" } else { "\\-" });
        self.at += 1;
        Ok(item)
    }

    fn posix_class(&mut self) -> Result<(), PatternError> {
        let Some(end) = memchr::memmem::find(self.rest(), b":]") else { return self.refuse("has [: without :]") };
        let name = self.rest()[..end + 2].to_vec();
        let class = name[2..end].strip_prefix(b"^").unwrap_or(&name[2..end]);
        if self.flags.utf8 || !POSIX_CLASSES.iter().any(|known| known.as_bytes() == class) {
            return self.refuse("has a POSIX class that this engine can't do");
        }
        self.out.push_str(&String::from_utf8_lossy(&name));
        self.at += name.len();
        Ok(())
    }
}

/// The names that both know, for ASCII.
const POSIX_CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word",
    "xdigit",
];

/// What stands in a class.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Item {
    /// One character, which a range can start with.
    Character,
    /// A dash between a range's ends.
    Dash,
    /// Many characters: \d, [:alpha:].
    Set,
    /// Nothing, or the end of a range.
    Other,
}
