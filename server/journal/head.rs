//! Data on logs that this machine keeps outside of the workspaces: the key, and each log's last durable block.
//!
//! A log is in the workspace, where others may write. The key proves that its blocks come from this machine; the head
//! proves that none were cut off its end. The head is written after the log was synced, so it is never ahead of it.

use std::fs::{DirBuilder, File};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::block::IdNumbers;
use super::file;
use super::key::{KeyError, LogKey};
use crate::base::{hash, person};

/// The folder of all heads in the person's state folder.
const LOGS: &str = "logs";
/// Bytes of a head's file: it is written in one piece, always as long.
const LENGTH: usize = 512;
/// Heads of one workspace; of more the oldest go.
const MOST: usize = 4096;

/// The last durable block of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogHead {
    /// The block's number: how many events the log has.
    pub seq: u64,
    /// The block's hash.
    pub hash: String,
    /// The number of the part it is in, from 1.
    pub part: u64,
    /// The offset where it ends in that part.
    pub end: u64,
    /// The last numbers given out.
    pub numbers: IdNumbers,
}

impl LogHead {
    fn to_line(&self) -> String {
        let numbers: Vec<String> =
            self.numbers.iter().map(|(prefix, number)| format!("{prefix}={number}")).collect();
        format!("1 {} {} {} {} {}", self.seq, self.hash, self.part, self.end, numbers.join(","))
    }

    fn parse(line: &str) -> Option<Self> {
        let mut words = line.splitn(6, ' ');
        words.next().filter(|version| *version == "1")?;
        let number = |words: &mut std::str::SplitN<'_, char>| words.next()?.parse().ok();
        let seq = number(&mut words)?;
        let hash = words.next()?.to_owned();
        let (part, end) = (number(&mut words)?, number(&mut words)?);
        let pairs = words.next()?.split(',').filter_map(|pair| pair.split_once('='));
        let numbers =
            pairs.filter_map(|(prefix, number)| Some((prefix.to_owned(), number.parse().ok()?))).collect();
        Some(Self { seq, hash, part, end, numbers })
    }
}

/// The key and the heads of one workspace's logs.
#[derive(Clone, Debug)]
pub struct LogKeeper {
    key: LogKey,
    /// The folder of the workspace's heads; none if nothing is kept.
    heads: Option<PathBuf>,
    trouble: Option<String>,
}

impl LogKeeper {
    /// Keeps nothing; `trouble` is the reason.
    pub fn none(trouble: Option<String>) -> Self {
        Self { key: LogKey::None, heads: None, trouble }
    }

    /// Opens the key and the heads of the workspace at `root` in the person's state folder, and makes the key if it
    /// is missing. On failure it keeps nothing.
    pub fn open(state: Option<&Path>, root: &str) -> Self {
        let Some(state) = state else {
            return Self::none(Some(
                "there is no state folder: neither XDG_STATE_HOME nor HOME is set".to_owned(),
            ));
        };
        let make = |()| {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(state);
            made.map_err(|source| KeyError::StateFolder { folder: state.to_owned(), source })
        };
        let made = check_outside_workspace(state, root)
            .and_then(make)
            .and_then(|()| check_outside_workspace(state, root));
        match made.and_then(|()| LogKey::read_or_make(state)) {
            Ok(key) => Self { key, heads: Some(heads_folder(state, root)), trouble: None },
            Err(error) => Self::none(Some(error.to_string())),
        }
    }

    /// Opens them for reading: nothing is made.
    pub fn open_existing(state: Option<&Path>, root: &str) -> Self {
        let key = state.map_or(Ok(None), |state| {
            check_outside_workspace(state, root).and_then(|()| LogKey::read_existing(state))
        });
        match (state, key) {
            (Some(state), Ok(Some(key))) => {
                Self { key, heads: Some(heads_folder(state, root)), trouble: None }
            }
            (_, Ok(_)) => Self::none(None),
            (_, Err(error)) => Self::none(Some(error.to_string())),
        }
    }

    /// The reason why logs are not keyed.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// The key of new logs.
    pub fn key(&self) -> &LogKey {
        &self.key
    }

    /// The head that is kept of a session's log.
    pub fn head(&self, session: &str) -> Option<LogHead> {
        let bytes = rustix::fs::open(
            self.head_path(session)?,
            rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::CLOEXEC,
            rustix::fs::Mode::empty(),
        )
        .and_then(|file| file::read_range(&file, 0, LENGTH as u64))
        .ok()?;
        let text = str::from_utf8(&bytes).ok()?;
        let (line, seal) = text.trim_end_matches('\n').trim_end_matches(' ').rsplit_once(' ')?;
        LogHead::parse(line).filter(|_| self.key.is_hash_of(line.as_bytes(), seal))
    }

    /// The file for the head of a session's log; none if no heads are kept.
    pub fn head_file(&self, session: &str) -> Option<HeadFile> {
        let (path, folder) = (self.head_path(session)?, self.heads.as_ref()?);
        DirBuilder::new().recursive(true).mode(0o700).create(folder).ok()?;
        let flags = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
        let new = !path.exists();
        if new {
            remove_oldest_heads(folder);
        }
        let opened = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(flags)
            .open(&path);
        let file = opened.inspect_err(|error| tracing::warn!("{}: {error}", path.display())).ok()?;
        Some(HeadFile { file, folder: folder.clone(), key: self.key.clone(), new: AtomicBool::new(new) })
    }

    fn head_path(&self, session: &str) -> Option<PathBuf> {
        let plain =
            !session.is_empty() && !session.starts_with('.') && !session.contains('/') && session.len() < 200;
        self.heads.as_ref().filter(|_| plain).map(|folder| folder.join(session))
    }
}

/// The heads of the workspace at `root`.
fn heads_folder(state: &Path, root: &str) -> PathBuf {
    state.join(LOGS).join(hash::short_hash(resolve_links(Path::new(root)).as_os_str().as_encoded_bytes()))
}

/// Rejects a key in the workspace, which may have come with the code, unless the workspace is the home folder.
fn check_outside_workspace(state: &Path, root: &str) -> Result<(), KeyError> {
    let root = resolve_links(Path::new(root));
    let at_home = person::home_dir().is_some_and(|home| resolve_links(&home).starts_with(&root));
    match resolve_links(state).starts_with(&root) && !at_home {
        true => Err(KeyError::InWorkspace(state.to_owned())),
        false => Ok(()),
    }
}

/// The path with the symlinks of its existing part resolved.
fn resolve_links(path: &Path) -> PathBuf {
    let known = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    known.map_or_else(
        || path.to_owned(),
        |(above, real)| path.strip_prefix(above).map_or(real.clone(), |rest| real.join(rest)),
    )
}

/// Removes the oldest heads if there are too many.
fn remove_oldest_heads(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let time = |entry: std::fs::DirEntry| Some((entry.metadata().ok()?.modified().ok()?, entry.path()));
    let mut all: Vec<_> = entries.filter_map(|entry| time(entry.ok()?)).collect();
    if all.len() >= MOST {
        all.sort();
        for (_, path) in all.iter().take(MOST / 4) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// The file for the head of one log.
#[derive(Debug)]
pub struct HeadFile {
    file: File,
    folder: PathBuf,
    key: LogKey,
    /// True if its name is not on the disk yet.
    new: AtomicBool,
}

impl HeadFile {
    /// Writes the head. It need not be durable: an older head claims less, and nothing false.
    pub fn write_head(&self, head: &LogHead) {
        let line = head.to_line();
        let seal = self.key.hash_bytes(line.as_bytes());
        // The numbers of a log with ids of many kinds may not fit: the older head stays then.
        let text = format!("{line} {seal}");
        if text.len() >= LENGTH {
            return;
        }
        let text = format!("{text:<width$}\n", width = LENGTH - 1);
        let written = std::os::unix::fs::FileExt::write_all_at(&self.file, text.as_bytes(), 0);
        warn_unkept(written);
    }

    /// Brings the first state that was written to the disk: a power cut then leaves that one, or a later one.
    pub fn sync_first_state(&self) {
        if self.new.swap(false, Ordering::Relaxed) {
            warn_unkept(self.file.sync_all().and_then(|()| File::open(&self.folder)?.sync_all()));
        }
    }
}

fn warn_unkept(done: std::io::Result<()>) {
    if let Err(error) = done {
        tracing::warn!("the head of a log is not kept: {error}");
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::{LogHead, LogKeeper};
    use crate::key::LogKey;

    #[test]
    fn a_head_is_read_back_as_it_was_written_and_only_then() {
        let state = TempDir::new().unwrap();
        let keeper = LogKeeper::open(Some(state.path()), "/w");
        let mut head = LogHead { seq: 12, hash: "ab".repeat(32), part: 2, end: 4096, ..LogHead::default() };
        let file = keeper.head_file("s-1").unwrap();
        assert_eq!(keeper.head("s-1"), None);
        for numbers in [vec![], vec![("c".to_owned(), 7), ("p".to_owned(), 3)]] {
            head.numbers = numbers.into_iter().collect();
            head.seq += 1;
            file.write_head(&head);
            assert_eq!(keeper.head("s-1"), Some(head.clone()));
        }
        let path = keeper.head_path("s-1").unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        for altered in [text.replace("1 14", "1 13"), String::new(), "\0".repeat(512), text[..100].to_owned()]
        {
            std::fs::write(&path, altered).unwrap();
            assert_eq!(keeper.head("s-1"), None);
        }
        assert_eq!(keeper.head("../s-1"), None);
    }

    #[test]
    fn the_key_is_made_once_and_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let state = TempDir::new().unwrap();
        let keys: Vec<LogKey> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..8).map(|_| scope.spawn(|| LogKey::read_or_make(state.path()).unwrap())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(keys.windows(2).all(|pair| pair[0] == pair[1]));
        let path = state.path().join("log.key");
        let mode = || std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(), std::fs::read_dir(state.path()).unwrap().count()), (0o600, 1));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        LogKey::read_existing(state.path()).unwrap();
        assert_eq!(mode(), 0o600);
        std::fs::write(&path, "short").unwrap();
        assert!(LogKey::read_or_make(state.path()).is_err());
    }

    #[test]
    fn nothing_is_kept_in_the_workspace() {
        let root = TempDir::new().unwrap();
        let keeper = LogKeeper::open(Some(&root.path().join("state")), root.path().to_str().unwrap());
        assert!(keeper.trouble().unwrap().contains("lies in the workspace"));
        assert_eq!((keeper.key(), keeper.head_file("s-1").is_none()), (&LogKey::None, true));
    }
}
