//! Patterns as preg_match takes them, for an engine that is linear in time.
//!
//! [`translate`] turns PCRE's syntax into the engine's, refusing what the two read differently, so that an accepted
//! pattern means the same in both. From the translated pattern come two engines: one for a line alone, exact, and one for
//! many lines at once that can only name a line too many: `^` and `$` hold at each line's borders (also before a CR LF),
//! and no part of it can match a newline.

mod translate;

use regex_automata::meta::{Cache, Config, Regex};
use regex_automata::{Input, MatchKind};
use regex_syntax::hir::{Class, ClassBytesRange, ClassUnicodeRange, Hir, HirKind, Look};

pub use translate::PatternError;
use translate::{Translated, translate};

/// Largest automaton, in bytes, that a pattern may need.
const SIZE_LIMIT: usize = 10 * 1024 * 1024;

/// A compiled pattern.
pub struct Pattern {
    line: Engine,
    lines: Engine,
    utf8: bool,
}

struct Engine {
    regex: Regex,
    cache: Cache,
}

impl std::fmt::Debug for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pattern").finish_non_exhaustive()
    }
}

impl Pattern {
    /// Compiles a pattern written as for preg_match: delimiters, then the flags i, s, x, u.
    ///
    /// # Errors
    /// [`PatternError`] names what is not understood and where.
    pub fn new(pattern: &[u8]) -> Result<Self, PatternError> {
        let translated = translate(pattern)?;
        let hir = parse(&translated)?;
        let lines = Engine::new(&within_lines(&hir))?;
        Ok(Self { line: Engine::new(&hir)?, lines, utf8: translated.flags.utf8 })
    }

    /// Does this line, given without its newline, match?
    pub fn matches(&mut self, line: &[u8]) -> bool {
        // preg_match refuses a subject that is no UTF-8 under the flag u.
        self.line.ends_at(line).is_some() && (!self.utf8 || std::str::from_utf8(line).is_ok())
    }

    /// A position in or at the end of the first of these lines that may match.
    pub(super) fn find_line(&mut self, lines: &[u8]) -> Option<usize> {
        self.lines.ends_at(lines)
    }
}

impl Engine {
    fn new(hir: &Hir) -> Result<Self, PatternError> {
        let config = Config::new()
            .match_kind(MatchKind::LeftmostFirst)
            .utf8_empty(false)
            .nfa_size_limit(Some(SIZE_LIMIT))
            .which_captures(regex_automata::nfa::thompson::WhichCaptures::Implicit);
        let regex = Regex::builder().configure(config).build_from_hir(hir).map_err(|err| {
            PatternError::whole(err.size_limit().map_or_else(|| err.to_string(), |_| "is too large".into()))
        })?;
        let cache = regex.create_cache();
        Ok(Self { regex, cache })
    }

    /// Where the first match is known to end at the earliest.
    fn ends_at(&mut self, bytes: &[u8]) -> Option<usize> {
        let input = Input::new(bytes).earliest(true);
        self.regex.search_half_with(&mut self.cache, &input).map(|half| half.offset())
    }
}

fn parse(translated: &Translated) -> Result<Hir, PatternError> {
    let flags = translated.flags;
    regex_syntax::ParserBuilder::new()
        .utf8(false)
        .unicode(flags.utf8)
        .case_insensitive(flags.caseless)
        .dot_matches_new_line(flags.dot_all)
        .ignore_whitespace(flags.extended)
        .build()
        .parse(&translated.text)
        .map_err(|err| reason(&err, translated))
}

/// The parser's own words, without its drawing of the pattern.
fn reason(err: &regex_syntax::Error, translated: &Translated) -> PatternError {
    match err {
        regex_syntax::Error::Parse(err) => translated.error(err.span().start.offset, err.kind()),
        regex_syntax::Error::Translate(err) => translated.error(err.span().start.offset, err.kind()),
        other => PatternError::whole(format!("is no valid pattern: {other}")),
    }
}

/// The same pattern for a run of lines: a newline is never part of a match, and the borders are those of any line.
fn within_lines(hir: &Hir) -> Hir {
    let each = |parts: &[Hir]| parts.iter().map(within_lines).collect::<Vec<_>>();
    match hir.kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) => {
            if literal.0.contains(&b'\n') {
                Hir::fail()
            } else {
                Hir::literal(literal.0.clone())
            }
        }
        HirKind::Class(Class::Unicode(class)) => {
            let mut class = class.clone();
            class.difference(&regex_syntax::hir::ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(class)) => {
            let mut class = class.clone();
            class.difference(&regex_syntax::hir::ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Look(Look::Start | Look::StartLF | Look::StartCRLF) => Hir::look(Look::StartLF),
        // Before LF, and before the CR of a CR LF; also before a lone CR, which the line alone then refuses.
        HirKind::Look(Look::End | Look::EndLF | Look::EndCRLF) => Hir::look(Look::EndCRLF),
        HirKind::Look(look) => Hir::look(*look),
        HirKind::Repetition(repetition) => Hir::repetition(repetition.with(within_lines(&repetition.sub))),
        HirKind::Capture(capture) => within_lines(&capture.sub),
        HirKind::Concat(parts) => Hir::concat(each(parts)),
        HirKind::Alternation(parts) => Hir::alternation(each(parts)),
    }
}

#[cfg(test)]
mod tests;
