use super::*;

fn state() -> (tempfile::TempDir, StateDir) {
    let base = tempfile::tempdir().unwrap();
    let state = StateDir::open(Some(base.path())).unwrap();
    (base, state)
}

#[test]
fn an_owned_spool_is_no_orphan_and_a_left_one_is() {
    let (_base, state) = state();
    let log = Path::new("/some/log");
    let mut spool = Spool::open(&state, log, 100).unwrap();
    spool.push(b"one\n").unwrap();
    spool.push(&[b'x'; 20000]).unwrap();
    spool.pop(20000);
    spool.push(b"two\n").unwrap();
    assert!(orphans(&state, log, false).is_empty());
    let nonce = spool.nonce();
    spool.release();
    assert!(orphans(&state, Path::new("/other/log"), false).is_empty());
    let found = orphans(&state, log, false);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].batch(), found[0].records(), found[0].nonce), (b"\none\ntwo\n".to_vec(), 2, nonce));
    settle(&state, nonce);
    assert_eq!(found[0].batch(), b"\n");
    found.into_iter().for_each(Orphan::remove);
    assert!(orphans(&state, log, false).is_empty());
}

#[test]
fn an_idle_one_is_used_again() {
    let (_base, state) = state();
    let log = Path::new("/idle/log");
    let spool = Spool::open(&state, log, 100).unwrap();
    let nonce = spool.nonce();
    spool.release();
    assert_eq!(Spool::open(&state, log, 100).unwrap().nonce(), nonce);
}

#[test]
fn a_part_can_be_dropped() {
    let (_base, state) = state();
    let mut spool = Spool::open(&state, Path::new("/part"), 100).unwrap();
    spool.push(b"one\n").unwrap();
    spool.push(b"two\n").unwrap();
    spool.drop_first(4);
    spool.push(b"three\n").unwrap();
    assert_eq!(spool.map.read(DATA, spool.len), b"two\nthree\n");
}
