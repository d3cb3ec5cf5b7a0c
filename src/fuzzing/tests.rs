//! The short run: every seed, then a fixed number of inputs made of seeds, the same on each machine.

use std::path::Path;

use super::*;

/// Shows what was tried when a property panics.
struct Tried<'i>(&'static str, &'i [u8]);

impl Drop for Tried<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("property '{}' fails for the input b\"{}\"", self.0, self.1.escape_ascii());
        }
    }
}

/// An xorshift generator.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n.max(1)
    }

    /// A seed with a few changes: a bit, a byte, a part cut out, doubled, or taken from another seed.
    fn change(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut input = seeds[self.below(seeds.len())].clone();
        for _ in 0..1 + self.below(6) {
            let at = self.below(input.len() + 1);
            let end = (at + self.below(12)).min(input.len());
            match self.below(6) {
                0 if at < input.len() => input[at] ^= 1 << self.below(8),
                1 if at < input.len() => input[at] = [0, 1, b'\n', b'\r', b'-', b'.', 127, 255][self.below(8)],
                2 => drop(input.drain(at..end)),
                3 => {
                    let part = input[at..end].to_vec();
                    input.splice(at..at, part);
                }
                4 => {
                    let other = &seeds[self.below(seeds.len())];
                    let from = self.below(other.len());
                    let to = (from + self.below(24)).min(other.len());
                    input.splice(at..end, other[from..to].iter().copied());
                }
                _ => input.insert(at, self.below(256) as u8),
            }
        }
        input
    }
}

fn run(name: &'static str, inputs: usize) {
    let property = PROPERTIES.iter().find(|(known, _)| *known == name).unwrap().1;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(name);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let seeds: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
    assert!(seeds.len() >= 4, "{name} has seeds");
    for seed in seeds.iter().chain([&Vec::new()]) {
        let _tried = Tried(name, seed);
        property(seed);
    }
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..inputs {
        let input = random.change(&seeds);
        let _tried = Tried(name, &input);
        property(&input);
    }
}

#[test]
fn lines_are_what_cutting_the_whole_text_gives() {
    run("lines", 2_000);
}

#[test]
fn a_trailer_reads_as_the_table_says_or_not_at_all() {
    run("segment", 20_000);
}

#[test]
fn names_are_a_map_and_damage_ends_in_an_error() {
    run("names", 10_000);
}

#[test]
fn any_file_name_becomes_one_safe_header() {
    run("disposition", 20_000);
}

#[test]
fn a_range_header_selects_what_wide_arithmetic_selects() {
    run("range", 20_000);
}
