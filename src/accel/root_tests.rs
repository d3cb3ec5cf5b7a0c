use super::*;
use proptest::prelude::*;
use std::cell::RefCell;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// `<tmp>/root` with a file and a directory, `<tmp>/outside/secret.txt` and `<tmp>/root2/x` beside it.
struct Tree {
    temp: tempfile::TempDir,
    root: RefCell<Root>,
    /// Nobody changes the tree, so both ways of looking must agree.
    quiet: bool,
}

impl Tree {
    fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        for dir in ["root/dir/sub", "outside", "root2"] {
            fs::create_dir_all(temp.path().join(dir)).unwrap();
        }
        for file in ["root/plain.txt", "root/dir/sub/deep.txt", "outside/secret.txt", "root2/x"] {
            fs::write(temp.path().join(file), file).unwrap();
        }
        let root = RefCell::new(Root::new(&temp.path().join("root")).unwrap());
        Self { temp, root, quiet: true }
    }

    fn link(&self, target: impl AsRef<Path>, name: &str) {
        symlink(target, self.temp.path().join(name)).unwrap();
    }

    /// Resolved path and content.
    fn get(&self, file: impl AsRef<[u8]>) -> Result<(String, String), Refusal> {
        let checked = self.root.borrow_mut().find(file.as_ref(), Access::Check);
        match self.root.borrow_mut().find(file.as_ref(), Access::Read) {
            Ok(found) => {
                if self.quiet {
                    let checked = checked.unwrap();
                    assert_eq!((&checked.relative, checked.len), (&found.relative, found.len));
                }
                let mut text = String::new();
                let mut file = fs::File::from(found.fd.unwrap());
                file.read_to_string(&mut text).unwrap();
                assert_eq!(found.len, text.len() as u64);
                Ok((String::from_utf8(found.relative).unwrap(), text))
            }
            Err(AccelError::NotServable { refusal, .. }) => {
                if self.quiet {
                    let Err(AccelError::NotServable { refusal: checked, .. }) = checked else { panic!("{refusal}") };
                    assert_eq!(checked.to_string(), refusal.to_string());
                }
                Err(refusal)
            }
            Err(other) => panic!("{other}"),
        }
    }

    fn sends(&self, file: &str, relative: &str) {
        assert_eq!(self.get(file).unwrap(), (relative.to_owned(), format!("root/{relative}")), "{file}");
    }

    fn outside(&self, file: &str) {
        assert!(matches!(self.get(file), Err(Refusal::Outside)), "{file}: {:?}", self.get(file));
    }
}

#[test]
fn a_file_inside_opens_whatever_way_it_is_named() {
    let tree = Tree::new();
    tree.sends("plain.txt", "plain.txt");
    for name in ["dir/sub/deep.txt", "./dir//sub/./deep.txt", "dir/../dir/sub/deep.txt", "../root/dir/sub/deep.txt"] {
        tree.sends(name, "dir/sub/deep.txt");
    }
}

#[test]
fn what_leaves_the_root_is_refused_ax_10() {
    let tree = Tree::new();
    let absolute = tree.temp.path().join("root/plain.txt");
    for name in ["../outside/secret.txt", "dir/../../outside/secret.txt", "./././../root2/x", "/etc/passwd", "//x"] {
        tree.outside(name);
    }
    tree.outside(absolute.to_str().unwrap());
    for name in
        ["%2e%2e/x", "..\\x", "..%2f", "..", "../", "", ".", "dir/..", "plain.txt/", "plain.txt/.", "\0", "a\0b"]
    {
        assert!(tree.get(name).is_err(), "{name:?}");
    }
}

#[test]
fn a_sibling_whose_name_starts_alike_is_outside() {
    let tree = Tree::new();
    tree.outside("../root2/x");
    tree.link(tree.temp.path().join("root2"), "root/alike");
    tree.outside("alike/x");
}

#[test]
fn links_that_stay_inside_are_followed_and_their_target_is_named() {
    let tree = Tree::new();
    tree.link("plain.txt", "root/relative");
    tree.link(tree.temp.path().join("root/dir"), "root/absolute");
    tree.link("../outside/../root/dir/sub", "root/out-and-in");
    tree.link("relative", "root/chain");
    tree.sends("relative", "plain.txt");
    tree.sends("chain", "plain.txt");
    tree.sends("absolute/sub/deep.txt", "dir/sub/deep.txt");
    tree.sends("out-and-in/deep.txt", "dir/sub/deep.txt");
}

#[test]
fn links_that_leave_are_refused_and_loops_are_missing() {
    let tree = Tree::new();
    tree.link(tree.temp.path().join("outside/secret.txt"), "root/file");
    tree.link("../outside", "root/dir/out");
    tree.link("loop", "root/loop");
    tree.outside("file");
    assert!(tree.get("dir/out/secret.txt").is_err());
    tree.link("../../outside", "root/dir/real");
    tree.outside("dir/real/secret.txt");
    assert!(matches!(tree.get("loop"), Err(Refusal::Missing(_))));
}

#[test]
fn a_root_behind_a_link_works_and_follows_a_switched_release() {
    let tree = Tree::new();
    for release in ["one", "two"] {
        fs::create_dir(tree.temp.path().join(release)).unwrap();
        fs::write(tree.temp.path().join(release).join("v"), release).unwrap();
    }
    tree.link(tree.temp.path().join("one"), "current");
    let current = tree.temp.path().join("current");
    let mut root = Root::new(&current).unwrap();
    assert_eq!(root.path(), current);
    let read = |root: &mut Root| {
        let found = root.find(b"v", Access::Read).unwrap();
        io::read_to_string(fs::File::from(found.fd.unwrap())).unwrap()
    };
    assert_eq!(read(&mut root), "one");
    // A link inside the root may name the root by its link.
    symlink(current.join("v"), current.join("alias")).unwrap();
    assert_eq!(root.find(b"alias", Access::Check).unwrap().relative, b"v");
    fs::remove_file(&current).unwrap();
    tree.link(tree.temp.path().join("two"), "current");
    root.opened = root.opened.checked_sub(FRESH).unwrap();
    assert_eq!(read(&mut root), "two");
}

#[test]
fn directories_fifos_sockets_devices_and_missing_files_are_told_apart_ax_37() {
    let tree = Tree::new();
    nix::unistd::mkfifo(&tree.temp.path().join("root/fifo"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    let _socket = UnixListener::bind(tree.temp.path().join("root/socket")).unwrap();
    tree.link("/dev/zero", "root/zero");
    let start = Instant::now();
    assert!(matches!(tree.get("dir"), Err(Refusal::Directory)));
    assert!(matches!(tree.get("dir/"), Err(Refusal::Directory)));
    assert!(matches!(tree.get("fifo"), Err(Refusal::Special)));
    assert!(matches!(tree.get("socket"), Err(Refusal::Special)));
    tree.outside("zero");
    assert!(matches!(tree.get("none"), Err(Refusal::Missing(_))));
    assert!(matches!(tree.get("plain.txt/x"), Err(Refusal::Missing(_))));
    assert!(matches!(tree.get("x".repeat(300)), Err(Refusal::Missing(_))));
    assert!(matches!(tree.get("d/".repeat(3000)), Err(Refusal::Missing(_))));
    assert!(start.elapsed() < Duration::from_secs(20), "something blocked");
    let mut dev = Root::new(Path::new("/dev")).unwrap();
    assert!(matches!(dev.find(b"null", Access::Read), Err(AccelError::NotServable { refusal: Refusal::Special, .. })));
}

/// Root may read everything, so the test is worth something only for other users; the process test covers those.
#[test]
fn an_unreadable_file_is_403_for_whoever_may_not_read_it() {
    let tree = Tree::new();
    let path = tree.temp.path().join("root/plain.txt");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o0)).unwrap();
    if nix::unistd::geteuid().is_root() {
        assert!(tree.get("plain.txt").is_ok());
    } else {
        assert_eq!(tree.get("plain.txt").unwrap_err().status(), 403);
    }
}

#[test]
fn walking_component_by_component_opens_the_same_and_follows_no_link() {
    let tree = Tree::new();
    tree.link("dir", "root/link");
    let root = open_root(tree.root.borrow().path()).unwrap();
    const FLAGS: i32 = libc::O_PATH | libc::O_DIRECTORY;
    let inode = |fd: io::Result<OwnedFd>| fd::fstat(fd.unwrap().as_fd()).unwrap().st_ino;
    assert_eq!(inode(walk(root.as_fd(), b"dir/sub", FLAGS)), inode(open_directory(root.as_fd(), b"dir/sub")));
    for path in [b"link/sub".as_slice(), b"link"] {
        let walked = walk(root.as_fd(), path, FLAGS).unwrap_err();
        assert!(matches!(Opened::from(walked), Opened::Moved));
        let at_once = open_directory(root.as_fd(), path).unwrap_err();
        assert!(matches!(Opened::from(at_once), Opened::Moved));
    }
}

/// Ends the other thread, also when an assertion ends this one.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn an_attacker_who_swaps_a_directory_for_a_link_never_gets_outside() {
    let tree = Tree { quiet: false, ..Tree::new() };
    let base = tree.temp.path().to_owned();
    fs::write(base.join("root/dir/secret.txt"), "root/dir/secret.txt").unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (dir, away) = (base.join("root/dir"), base.join("away"));
            while !stop.load(Ordering::Relaxed) {
                fs::rename(&dir, &away).unwrap();
                symlink("../outside", &dir).unwrap();
                std::thread::yield_now();
                fs::remove_file(&dir).unwrap();
                fs::rename(&away, &dir).unwrap();
            }
        });
        let _stop = Stop(&stop);
        let (mut sent, mut refused, start) = (0, 0, Instant::now());
        // On a busy machine the other thread may not run for a while; what is judged is what was seen, not how fast.
        while sent + refused < 20_000 || ((sent == 0 || refused == 0) && start.elapsed() < Duration::from_secs(60)) {
            match tree.get("dir/secret.txt") {
                Ok((_, text)) => {
                    assert_eq!(text, "root/dir/secret.txt");
                    sent += 1;
                }
                Err(_) => refused += 1,
            }
        }
        assert!(sent > 0 && refused > 0, "the race was not run: {sent} {refused}");
    });
}

#[test]
fn a_root_must_be_an_absolute_existing_directory() {
    let tree = Tree::new();
    for path in ["", "relative", "./x", "/tmp/a\nb"] {
        assert!(matches!(Root::new(Path::new(path)), Err(AccelError::Argument { name: "root", .. })), "{path}");
    }
    for path in ["none", "root/plain.txt"] {
        assert!(matches!(Root::new(&tree.temp.path().join(path)), Err(AccelError::Io { .. })), "{path}");
    }
    let messy = Root::new(&tree.temp.path().join("root/.//dir/../")).unwrap();
    assert_eq!(messy.path(), fs::canonicalize(tree.root.borrow().path()).unwrap());
    let slashes = Root::new(&tree.temp.path().join("root//./dir/")).unwrap();
    assert_eq!(slashes.path(), tree.temp.path().join("root/dir"));
}

/// Every name of any bytes that a file can have is found under exactly that name.
#[test]
fn any_file_name_is_found_as_it_is() {
    let tree = Tree::new();
    proptest!(ProptestConfig::with_cases(200), |(name in prop::collection::vec(1u8..=255, 1..60))| {
        let name: Vec<u8> = name.into_iter().map(|byte| if byte == b'/' { b'%' } else { byte }).collect();
        prop_assume!(name != b"." && name != b"..");
        let path = tree.root.borrow().path().join(OsStr::from_bytes(&name));
        prop_assume!(!path.exists());
        fs::write(&path, &name).unwrap();
        let found = tree.root.borrow_mut().find(&name, Access::Read).unwrap();
        prop_assert_eq!(&found.relative, &name);
        let mut text = Vec::new();
        fs::File::from(found.fd.unwrap()).read_to_end(&mut text).unwrap();
        prop_assert_eq!(text, name);
    });
}

/// Whatever path is asked for, what comes out lies inside.
#[test]
fn no_path_made_of_hostile_parts_leads_out() {
    let tree = Tree::new();
    tree.link("../../outside", "root/dir/out");
    tree.link("..", "root/up");
    tree.link("/", "root/top");
    let parts = ["..", ".", "", "dir", "sub", "up", "top", "out", "secret.txt", "outside", "plain.txt", "root", "tmp"];
    proptest!(ProptestConfig::with_cases(2000), |(picks in prop::collection::vec(0..parts.len(), 1..9))| {
        let path = picks.iter().map(|&pick| parts[pick]).collect::<Vec<_>>().join("/");
        if let Ok((relative, text)) = tree.get(&path) {
            prop_assert_eq!(text, format!("root/{}", relative));
        }
    });
}
