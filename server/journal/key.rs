//! What the blocks of a log are hashed with: the key of this machine and person, or none.

use std::fmt;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

use crate::base::{hash, ids, random};

/// The key's file in the person's state folder.
const FILE: &str = "log.key";
const LENGTH: usize = 32;
/// Digits of a key's name.
const NAME: usize = 16;

/// What the blocks of a log are hashed with.
#[derive(Clone, PartialEq, Eq)]
pub enum Key {
    /// Nothing: whoever can write the log can make its hashes.
    None,
    /// The key of this machine and person, and its name.
    Ours([u8; LENGTH], String),
    /// A key that is not here: nothing can be said of the hashes.
    Elsewhere,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("None"),
            Self::Ours(_, name) => f.debug_tuple("Ours").field(name).finish(),
            Self::Elsewhere => f.write_str("Elsewhere"),
        }
    }
}

impl Key {
    /// The key with these bytes.
    pub fn of(bytes: [u8; LENGTH]) -> Self {
        let mut name = hash::keyed(&bytes, b"the name of a log's key");
        name.truncate(NAME);
        Self::Ours(bytes, name)
    }

    /// The key in the person's state folder `state`; nothing where none was made yet.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence.
    pub fn read(state: &Path) -> Result<Option<Self>, String> {
        let path = state.join(FILE);
        let wrong = |what: &str| format!("{} {what}", path.display());
        let flags = rustix::fs::OFlags::NOFOLLOW.union(rustix::fs::OFlags::NONBLOCK).bits();
        let opened = File::options().read(true).custom_flags(flags.cast_signed()).open(&path);
        let mut file = match opened {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(wrong(&format!("does not open: {error}"))),
        };
        let stat = file.metadata().map_err(|error| wrong(&error.to_string()))?;
        if !stat.is_file() || stat.uid() != rustix::process::geteuid().as_raw() {
            return Err(wrong("is not a file of yours"));
        }
        if stat.mode() & 0o077 != 0 {
            let closed = file.set_permissions(std::fs::Permissions::from_mode(0o600));
            closed.map_err(|error| wrong(&format!("is open to others: {error}")))?;
        }
        let mut bytes = [0; LENGTH];
        if stat.len() != LENGTH as u64 || file.read_exact(&mut bytes).is_err() {
            return Err(wrong("is no key; remove it, and a new one is made"));
        }
        Ok(Some(Self::of(bytes)))
    }

    /// The same, made where it is missing: by one process, whoever is first.
    ///
    /// # Errors
    /// As [`Key::read`].
    pub fn read_or_make(state: &Path) -> Result<Self, String> {
        if let Some(key) = Self::read(state)? {
            return Ok(key);
        }
        let failed = |error: std::io::Error| format!("no key can be made in {}: {error}", state.display());
        let fresh = random::bytes().map_err(|error| error.to_string())?;
        let other = state.join(format!(".{FILE}.{}", ids::unique()));
        let made = (|| {
            let mut file = File::options().write(true).create_new(true).mode(0o600).open(&other)?;
            file.write_all(&fresh)?;
            file.sync_all()?;
            // Unlike a rename this does not replace the key of a process that was quicker.
            match std::fs::hard_link(&other, state.join(FILE)) {
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
                _ => File::open(state)?.sync_all(),
            }
        })();
        let _ = std::fs::remove_file(&other);
        made.map_err(failed)?;
        Self::read(state)?.ok_or_else(|| format!("the key in {} was removed again", state.display()))
    }

    /// The key's name, which a log's first event holds.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Ours(_, name) => Some(name),
            Self::None | Self::Elsewhere => None,
        }
    }

    /// The hash of bytes under it, 64 digits.
    pub fn hash(&self, bytes: &[u8]) -> String {
        match self {
            Self::Ours(key, _) => hash::keyed(key, bytes),
            Self::None | Self::Elsewhere => hash::full(bytes),
        }
    }

    /// Whether `hash` is that of bytes; of a key that is not here nobody can say that it is not.
    pub fn fits(&self, bytes: &[u8], hash: &str) -> bool {
        matches!(self, Self::Elsewhere) || self.hash(bytes) == hash
    }
}
