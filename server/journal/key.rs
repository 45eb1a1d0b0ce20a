//! The key that hashes the blocks of a log: that of this machine and person, or none.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use crate::base::random::{self, RandomnessError};
use crate::base::{hash, ids};

/// The key's file in the person's state folder.
const FILE: &str = "log.key";
const LENGTH: usize = 32;
/// Digits of a key's name.
const NAME: usize = 16;

/// The key that hashes the blocks of a log.
#[derive(Clone, PartialEq, Eq)]
pub enum LogKey {
    /// No key: anyone who can write the log can make its hashes.
    None,
    /// The key of this machine and person, and its name.
    Ours([u8; LENGTH], String),
    /// A key that is not on this machine: its hashes cannot be checked.
    Elsewhere,
}

/// The reason why there is no key for logs.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The key's file does not open.
    #[error("{} does not open: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The system does not return metadata of the key's file.
    #[error("{} {source}", path.display())]
    Metadata {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The key's path is not a regular file of this person.
    #[error("{} is not a file of yours", .0.display())]
    NotOurs(PathBuf),
    /// Others may read the key's file, and the mode cannot be changed.
    #[error("{} is open to others: {source}", path.display())]
    OpenToOthers {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file holds no key.
    #[error("{} is no key; remove it, and a new one is made", .0.display())]
    NoKey(PathBuf),
    /// The system gives no random bytes.
    #[error(transparent)]
    Random(#[from] RandomnessError),
    /// The key's file cannot be made.
    #[error("no key can be made in {}: {source}", folder.display())]
    Make {
        /// The state folder.
        folder: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Another process removed the new key.
    #[error("the key in {} was removed again", .0.display())]
    Removed(PathBuf),
    /// The state folder lies in the workspace, whose files may have come with the code.
    #[error("the state folder {} lies in the workspace", .0.display())]
    InWorkspace(PathBuf),
    /// The state folder cannot be made.
    #[error("{}: {source}", folder.display())]
    StateFolder {
        /// The state folder.
        folder: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl fmt::Debug for LogKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Ours(_, name) => f.debug_tuple("Ours").field(name).finish(),
            Self::Elsewhere => f.write_str("Elsewhere"),
        }
    }
}

impl LogKey {
    /// The key with these bytes.
    pub fn from_bytes(bytes: [u8; LENGTH]) -> Self {
        let mut name = hash::keyed_hash(&bytes, b"the name of a log's key");
        name.truncate(NAME);
        Self::Ours(bytes, name)
    }

    /// The key in the person's state folder `state`; `None` if none was made yet.
    ///
    /// # Errors
    /// The problem with the key's file.
    pub fn read_existing(state: &Path) -> Result<Option<Self>, KeyError> {
        let path = state.join(FILE);
        let flags = rustix::fs::OFlags::NOFOLLOW.union(rustix::fs::OFlags::NONBLOCK).bits();
        let opened = File::options().read(true).custom_flags(flags.cast_signed()).open(&path);
        let mut file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(KeyError::Open { path, source }),
        };
        let stat = match file.metadata() {
            Ok(stat) => stat,
            Err(source) => return Err(KeyError::Metadata { path, source }),
        };
        if !stat.is_file() || stat.uid() != rustix::process::geteuid().as_raw() {
            return Err(KeyError::NotOurs(path));
        }
        if stat.mode() & 0o077 != 0
            && let Err(source) = file.set_permissions(std::fs::Permissions::from_mode(0o600))
        {
            return Err(KeyError::OpenToOthers { path, source });
        }
        let mut bytes = [0; LENGTH];
        if stat.len() != LENGTH as u64 || file.read_exact(&mut bytes).is_err() {
            return Err(KeyError::NoKey(path));
        }
        Ok(Some(Self::from_bytes(bytes)))
    }

    /// Reads the key, or makes it if it is missing; the first process to do so wins.
    ///
    /// # Errors
    /// As [`LogKey::read_existing`], and the errors of making a key.
    pub fn read_or_make(state: &Path) -> Result<Self, KeyError> {
        if let Some(key) = Self::read_existing(state)? {
            return Ok(key);
        }
        let fresh = random::random_bytes()?;
        let other = state.join(format!(".{FILE}.{}", ids::unique_word()));
        let made = (|| {
            let mut file = File::options().write(true).create_new(true).mode(0o600).open(&other)?;
            file.write_all(&fresh)?;
            file.sync_all()?;
            // Unlike a rename this does not replace the key of a process that was quicker.
            match std::fs::hard_link(&other, state.join(FILE)) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
                _ => File::open(state)?.sync_all(),
            }
        })();
        let _ = std::fs::remove_file(&other);
        made.map_err(|source| KeyError::Make { folder: state.to_owned(), source })?;
        Self::read_existing(state)?.ok_or_else(|| KeyError::Removed(state.to_owned()))
    }

    /// The key's name, which a log's first event holds.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Ours(_, name) => Some(name),
            Self::None | Self::Elsewhere => None,
        }
    }

    /// The hash of bytes under it, 64 digits.
    pub fn hash_bytes(&self, bytes: &[u8]) -> String {
        match self {
            Self::Ours(key, _) => hash::keyed_hash(key, bytes),
            Self::None | Self::Elsewhere => hash::full_hash(bytes),
        }
    }

    /// Returns whether `hash` is the hash of `bytes`; true for a key that is not on this machine.
    pub fn is_hash_of(&self, bytes: &[u8], hash: &str) -> bool {
        matches!(self, Self::Elsewhere) || self.hash_bytes(bytes) == hash
    }
}
