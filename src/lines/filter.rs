//! Which lines are given. A filter has two halves that must agree: `find` runs over many lines at once, at the speed of
//! a search in memory, and may name a line too many but never one too few; `passes` decides for one line alone.

use aho_corasick::AhoCorasick;
use memchr::memmem::Finder;

use super::Pattern;

/// Conditions on a line's content, its newline not included; all must hold.
#[derive(Debug)]
pub struct Filter {
    needles: Option<Needles>,
    pattern: Option<Pattern>,
}

#[derive(Debug)]
enum Needles {
    One(Box<Finder<'static>>),
    Many(Box<AhoCorasick>),
}

impl Needles {
    fn find(&self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::One(finder) => finder.find(bytes),
            Self::Many(automaton) => automaton.find(bytes).map(|hit| hit.start()),
        }
    }
}

impl Filter {
    /// A line passes if it contains one of `contains` (if given) and matches `pattern` (if given). `None` if nothing is
    /// asked, or if the automaton for very many needles does not fit into memory.
    #[must_use]
    pub fn new(contains: Option<&[&[u8]]>, pattern: Option<Pattern>) -> Option<Self> {
        let needles = match contains {
            None => None,
            Some([needle]) => Some(Needles::One(Box::new(Finder::new(needle).into_owned()))),
            Some(needles) => Some(Needles::Many(Box::new(AhoCorasick::new(needles).ok()?))),
        };
        (needles.is_some() || pattern.is_some()).then_some(Self { needles, pattern })
    }

    /// Does this line pass?
    pub fn passes(&mut self, line: &[u8]) -> bool {
        self.needles.as_ref().is_none_or(|needles| needles.find(line).is_some())
            && self.pattern.as_mut().is_none_or(|pattern| pattern.matches(line))
    }

    /// A position in or at the end of the first line of `lines` that may pass; no line before it does.
    pub(super) fn find(&mut self, lines: &[u8]) -> Option<usize> {
        match (&self.needles, &mut self.pattern) {
            (Some(needles), _) => needles.find(lines),
            (None, Some(pattern)) => pattern.find_line(lines),
            (None, None) => Some(0),
        }
    }
}
