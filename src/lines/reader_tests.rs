use super::super::dribble::Dribble;
use super::super::{Filter, Pattern};
use super::*;
use proptest::prelude::*;

fn reader(text: &[u8], step: usize, options: Options) -> Reader {
    let source = Dribble {
        text: text.to_vec(),
        at: 0,
        step,
        pipe: false,
        interrupts: step.is_multiple_of(2),
        interrupted: false,
    };
    Reader::new(Box::new(source), options)
}

#[derive(Debug, PartialEq, Clone)]
struct Got {
    bytes: Vec<u8>,
    offset: u64,
    number: u64,
    next: u64,
    complete: bool,
}

fn all(reader: &mut Reader) -> Result<Vec<Got>, LinesError> {
    let mut lines = Vec::new();
    loop {
        match reader.advance() {
            Ok(Step::Line) => {
                let line = reader.line();
                let bytes = reader.bytes().to_vec();
                lines.push(Got {
                    bytes,
                    offset: line.offset,
                    number: line.number,
                    next: line.next,
                    complete: line.complete,
                });
            }
            Ok(Step::End) => return Ok(lines),
            Ok(Step::Pending) => {}
            Err(err) if err.is_interrupt() => {}
            Err(err) => return Err(err),
        }
    }
}

/// The whole-file twin: no chunks, no state.
fn reference(text: &[u8], newline: Newline, keep: bool) -> Vec<Got> {
    let (mut lines, mut at) = (Vec::new(), 0);
    while at < text.len() {
        let end = text[at..].iter().position(|b| *b == b'\n' || (newline == Newline::Any && *b == b'\r'));
        let (content, next, complete) = match end.map(|end| at + end) {
            None => (text.len(), text.len(), false),
            Some(end) if text[end] == b'\r' => (end, end + 1 + usize::from(text.get(end + 1) == Some(&b'\n')), true),
            Some(end) => {
                let cr = newline == Newline::Lf && end > at && text[end - 1] == b'\r';
                (end - usize::from(cr), end + 1, true)
            }
        };
        lines.push(Got {
            bytes: text[at..if keep { next } else { content }].to_vec(),
            offset: at as u64,
            number: lines.len() as u64,
            next: if complete { next } else { at } as u64,
            complete,
        });
        at = next;
    }
    lines
}

fn texts() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![3 => Just(b'\n'), 3 => Just(b'\r'), 1 => Just(0), 6 => Just(b'a'), 2 => Just(b'b'), 1 => any::<u8>()];
    prop::collection::vec(byte, 0..200).prop_map(|mut text| {
        // A first byte that could begin a mark is another test's matter.
        if text.first().is_some_and(|byte| !byte.is_ascii() || [0, 0x1f, 0x28].contains(byte)) {
            text[0] = b'a';
        }
        text
    })
}

fn newlines() -> impl Strategy<Value = Newline> {
    prop_oneof![Just(Newline::Lf), Just(Newline::Any)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_chunk_size_gives_what_the_whole_file_gives(
        text in texts(), chunk in 1usize..65, step in 1usize..65, newline in newlines(), keep_newline: bool,
    ) {
        let mut reader = reader(&text, step, Options { chunk, newline, keep_newline, ..Options::default() });
        let expected = reference(&text, newline, keep_newline);
        prop_assert_eq!(all(&mut reader).unwrap(), expected.clone());
        prop_assert_eq!(reader.position(), text.len() as u64);
        reader.rewind().unwrap();
        prop_assert_eq!(all(&mut reader).unwrap(), expected);
    }

    #[test]
    fn ranges_give_each_line_once(
        text in texts(), chunk in 1usize..65, newline in newlines(), mut cuts in prop::collection::vec(0usize..201, 0..6), pipe: bool,
    ) {
        cuts.extend([0, text.len()]);
        cuts.iter_mut().for_each(|cut| *cut = (*cut).min(text.len()));
        cuts.sort_unstable();
        let mut joined = Vec::new();
        for pair in cuts.windows(2) {
            let (offset, length) = (pair[0] as u64, Some((pair[1] - pair[0]) as u64));
            let options = Options { chunk, newline, offset, length, ..Options::default() };
            let source = Dribble { text: text.clone(), at: 0, step: 7, pipe, interrupts: false, interrupted: false };
            joined.extend(all(&mut Reader::new(Box::new(source), options)).unwrap());
        }
        let expected = reference(&text, newline, false);
        prop_assert_eq!(joined.len(), expected.len());
        for (got, expected) in joined.iter().zip(&expected) {
            prop_assert_eq!((&got.bytes, got.offset, got.complete), (&expected.bytes, expected.offset, expected.complete));
        }
    }

    #[test]
    fn resuming_at_next_loses_nothing(text in texts(), newline in newlines(), chunk in 1usize..65) {
        for line in reference(&text, newline, false) {
            let options = Options { chunk, newline, offset: line.next, ..Options::default() };
            let rest: Vec<_> = all(&mut reader(&text, 64, options)).unwrap().into_iter().map(|got| got.offset).collect();
            let all = reference(&text, newline, false);
            let expected: Vec<_> = all.iter().map(|got| got.offset).filter(|offset| *offset >= line.next).collect();
            prop_assert_eq!(rest, expected);
        }
    }

    #[test]
    fn long_lines_do_not_depend_on_the_chunk(
        text in texts(), chunk in 1usize..65, step in 1usize..65, max_line in 1usize..12, newline in newlines(),
    ) {
        let whole = reference(&text, newline, false);
        let options = |on_long| Options { chunk, newline, max_line, on_long, ..Options::default() };

        let mut cut = reader(&text, step, options(LongLine::Truncate));
        let got = all(&mut cut).unwrap();
        prop_assert_eq!(got.len(), whole.len());
        for (got, whole) in got.iter().zip(&whole) {
            prop_assert_eq!(&got.bytes[..], &whole.bytes[..whole.bytes.len().min(max_line)]);
            prop_assert_eq!((got.offset, got.next, got.complete), (whole.offset, whole.next, whole.complete));
        }

        let got = all(&mut reader(&text, step, options(LongLine::Skip))).unwrap();
        let expected: Vec<_> = whole.iter().filter(|line| line.bytes.len() <= max_line).cloned().collect();
        prop_assert_eq!(got, expected);

        // Each too long line raises once, and the reader goes on behind it.
        let mut raising = reader(&text, step, options(LongLine::Raise));
        let mut met = Vec::new();
        loop {
            match raising.advance() {
                Ok(Step::Line) => met.push((raising.line().offset, false)),
                Ok(Step::End) => break,
                Ok(Step::Pending) => {}
                Err(LinesError::TooLong { offset, line, .. }) => {
                    prop_assert_eq!(whole[line as usize].offset, offset);
                    met.push((offset, true));
                }
                Err(err) if err.is_interrupt() => {}
                Err(err) => panic!("{err}"),
            }
        }
        let expected: Vec<_> = whole.iter().map(|line| (line.offset, line.bytes.len() > max_line)).collect();
        prop_assert_eq!(met, expected);
    }

    #[test]
    fn the_buffer_keeps_its_bound(text in texts(), chunk in 1usize..65, max_line in 1usize..40) {
        let mut reader = reader(&text, 64, Options { chunk, max_line, on_long: LongLine::Truncate, ..Options::default() });
        while !matches!(reader.advance(), Ok(Step::End)) {
            prop_assert!(reader.memory() <= 2 * chunk + max_line + 4096 + 130);
        }
    }

    #[test]
    fn counting_and_tail_agree_with_reading(text in texts(), newline in newlines(), count in 0usize..12) {
        use std::io::Write;
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&text).unwrap();
        let path = std::ffi::CString::new(file.path().to_str().unwrap()).unwrap();
        let open = || super::super::FileSource::open(&path).unwrap();
        let whole = reference(&text, newline, false);
        let counted = super::super::count_lines::<LinesError>(&mut open(), newline, || Ok(())).unwrap();
        prop_assert_eq!(counted, whole.len() as u64);
        let mut dribble = Dribble { text: text.clone(), at: 0, step: 1, pipe: true, interrupts: true, interrupted: false };
        prop_assert_eq!(super::super::count_lines::<LinesError>(&mut dribble, newline, || Ok(())).unwrap(), counted);
        let last = super::super::tail::<LinesError>(open(), count, newline, || Ok(())).unwrap();
        let expected: Vec<_> = whole[whole.len().saturating_sub(count)..].iter().map(|line| line.bytes.clone()).collect();
        prop_assert_eq!(Vec::from(last), expected);
        for parts in 1..5 {
            let ranges: Vec<_> = super::super::split_ranges(&open(), parts).unwrap().collect();
            prop_assert_eq!(ranges.iter().map(|range| range.1).sum::<u64>(), text.len() as u64);
            prop_assert!(ranges.windows(2).all(|pair| pair[0].0 + pair[0].1 == pair[1].0));
            prop_assert!(ranges.len() as u64 <= parts);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))] // patterns are compiled anew for each

    #[test]
    fn a_filter_gives_what_looking_at_each_line_gives(
        text in texts(), chunk in 1usize..65, newline in newlines(), skip_empty: bool, max_line in 5usize..300,
        which in 0usize..PATTERNS.len() + NEEDLES.len(),
    ) {
        let filter = || if let Some(needles) = NEEDLES.get(which) {
            Filter::new(Some(needles), None)
        } else {
            Filter::new(None, Some(Pattern::new(PATTERNS[which - NEEDLES.len()].as_bytes()).unwrap()))
        };
        let on_long = LongLine::Skip;
        let options = Options { chunk, newline, skip_empty, max_line, on_long, filter: filter(), ..Options::default() };
        let got = all(&mut reader(&text, 64, options)).unwrap();
        let mut judge = filter().unwrap();
        let expected: Vec<_> = reference(&text, newline, false)
            .into_iter()
            .filter(|line| line.bytes.len() <= max_line && judge.passes(&line.bytes) && !(skip_empty && line.bytes.is_empty()))
            .collect();
        prop_assert_eq!(got, expected);
    }
}

const NEEDLES: &[&[&[u8]]] = &[&[b"ab"], &[b""], &[b"a\r"], &[b"a\n"], &[b"bb", b"\0", b"a\nb"], &[b"aba", b"ab\r"]];
const PATTERNS: &[&str] = &[
    "/a[^x]b/",
    r"/\s+$/",
    r"/\A/",
    "/^$/",
    "/a$/",
    "/^a/",
    "/a|b$/",
    r"/\r$/",
    r"/[^a]$/",
    "/(?:a|b){3}/",
    r"/\ba\b/",
    r"/a\nb/",
    "/a.b/s",
    "/B/i",
    r"/^\S*$/",
    r"/\Bb\z/",
    "/a*/",
    r"/\x00/",
    "/ a b /x",
    r"/\W\w/",
    "/.+/u",
    r"/^\w+\s?$/u",
];

#[test]
fn a_pipe_reads_once() {
    let source = Dribble { text: b"a\nb".to_vec(), at: 0, step: 1, pipe: true, interrupts: false, interrupted: false };
    let mut reader = Reader::new(Box::new(source), Options::default());
    reader.rewind().unwrap(); // nothing was read yet
    assert_eq!(all(&mut reader).unwrap().len(), 2);
    let Err(LinesError::Io { source, .. }) = reader.rewind() else { panic!("rewound a pipe") };
    assert_eq!(source.raw_os_error(), Some(libc::ESPIPE));
}

#[test]
fn a_byte_order_mark_belongs_to_the_first_line() {
    let text = b"\xef\xbb\xbfid\nx\xef\xbb\xbf\n";
    for chunk in 1..8 {
        let lines = all(&mut reader(text, 1, Options { chunk, ..Options::default() })).unwrap();
        assert_eq!((lines[0].bytes.as_slice(), lines[0].offset, lines[0].next), (&b"id"[..], 0, 6));
        assert_eq!(lines[1].bytes, b"x\xef\xbb\xbf");
        let kept = Options { chunk, strip_bom: false, ..Options::default() };
        assert_eq!(all(&mut reader(text, 1, kept)).unwrap()[0].bytes, b"\xef\xbb\xbfid");
        assert_eq!(all(&mut reader(b"\xef\xbb\xbf", 1, Options { chunk, ..Options::default() })).unwrap(), []);
    }
}

#[test]
fn memory_is_given_back_when_lines_are_short_again() {
    let mut text = vec![b'x'; 8 << 20];
    text.push(b'\n');
    text.extend(b"short\n".repeat(100_000));
    let mut reader = reader(&text, usize::MAX, Options::default());
    while !matches!(reader.advance(), Ok(Step::End)) {}
    assert!(reader.memory() <= 2 * 65536 + 4096, "{}", reader.memory());
}
