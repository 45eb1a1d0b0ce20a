//! The consents of the person, by content hash: the servers of a project that may start, and the words of tools.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::bound;
use crate::base::{hash, person};
use crate::protocol::{Fault, McpServer};

const FILE: &str = "consents.json";
/// Bytes of the largest file of consents.
const LARGEST: u64 = 32 << 20;

/// A consent to one server in one workspace, or to one tool whose command the project chose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ServerConsent {
    /// The hash of the server's settings, or of the tool's definition.
    pub definition: String,
    /// True where its tools were ever listed: the first listing is consented with the server.
    pub listed: bool,
    /// Each of its tools, by the server's own name, with the hash of its words.
    pub tools: BTreeMap<String, String>,
    /// The files of the project that its command line names, each with what it held and where it led.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub bound: bound::BoundFiles,
    /// True where the person lets it run as they do, with no sandbox.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unconfined: bool,
    /// Each of the project's definitions over it, by name, with the hash of its text.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub definitions: BTreeMap<String, String>,
}

type ConsentRoots = BTreeMap<String, BTreeMap<String, ServerConsent>>;

/// The inode of a file, its size, and the time when it was written.
type ConsentStamp = (u64, u64, i64, i64);

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct StoredConsents {
    /// By workspace, then by server.
    roots: ConsentRoots,
}

/// The consents of the person who runs this.
#[derive(Debug)]
pub(crate) struct Consents {
    path: Option<PathBuf>,
    /// As read last, with what the file was then.
    read: Mutex<Option<(ConsentStamp, Arc<StoredConsents>)>>,
    /// The consents that could not be written, by workspace and server: they hold in this process at least.
    unwritten: Mutex<BTreeMap<(String, String), Option<ServerConsent>>>,
}

/// A consent that could not be kept in its file.
#[derive(Debug, thiserror::Error)]
#[error("the consent cannot be kept in {place}: {cause}")]
pub(crate) struct ConsentError {
    place: String,
    #[source]
    cause: ConsentFileCause,
}

/// The error that keeps the file of consents from being read or written.
#[derive(Debug, thiserror::Error)]
enum ConsentFileCause {
    #[error("there is no state folder")]
    NoFolder,
    #[error("{0}")]
    Locked(String),
    #[error("{0}")]
    System(#[from] io::Error),
    #[error("it is damaged: {0}")]
    Damaged(#[from] serde_json::Error),
}

impl From<ConsentError> for Fault {
    fn from(error: ConsentError) -> Self {
        Self::internal(error.to_string())
            .with_suggestion("set HOME or XDG_STATE_HOME to a folder that you can write")
    }
}

/// Returns the name under which the consent to a tool is kept. No server has such a name: it has a blank in it.
pub(crate) fn tool_key(tool: &str) -> String {
    format!("tool {tool}")
}

/// Returns the tool that a consent of this name is to; nothing where it is to a server.
pub(crate) fn tool_of_key(name: &str) -> Option<&str> {
    name.strip_prefix("tool ")
}

/// Returns the hash of a server's settings: of all that describe it and its treatment. A default value does not count,
/// so that a setting that comes with a later version changes no hash.
pub(crate) fn definition_hash(name: &str, settings: &McpServer) -> String {
    let members = |settings: &McpServer| match serde_json::to_value(settings) {
        Ok(Value::Object(members)) => members,
        _ => Map::new(),
    };
    let default = members(&McpServer::default());
    let mut said = members(settings);
    said.retain(|name, value| {
        !["timeout_ms", "enabled"].contains(&name.as_str()) && default.get(name) != Some(value)
    });
    let said = Value::Object(said);
    hash::short_hash(format!("{name}\n{said}").as_bytes())
}

impl Consents {
    /// Returns the consents in the person's state folder.
    pub(crate) fn in_folder(state: Option<&Path>) -> Self {
        Self::in_file(state.map(|folder| folder.join(FILE)))
    }

    /// Returns the consents in a file; without a file they last as long as this process.
    pub(crate) fn in_file(path: Option<PathBuf>) -> Self {
        Self { path, read: Mutex::default(), unwritten: Mutex::default() }
    }

    /// The consent to a server in a workspace.
    pub(crate) fn get(&self, root: &str, server: &str) -> Option<ServerConsent> {
        let key = (root.to_owned(), server.to_owned());
        if let Some(held) = self.unwritten.lock().get(&key) {
            return held.clone();
        }
        self.read_file().ok()?.roots.get(root)?.get(server).cloned()
    }

    /// The names of the servers and tools in a workspace to which there are consents.
    pub(crate) fn names(&self, root: &str) -> Vec<String> {
        let stored = self.read_file().unwrap_or_default();
        let mut names: BTreeMap<String, bool> =
            stored.roots.get(root).into_iter().flatten().map(|(name, _)| (name.clone(), true)).collect();
        let unwritten = self.unwritten.lock();
        let here = unwritten.iter().filter(|((of, _), _)| of == root);
        names.extend(here.map(|((_, name), held)| (name.clone(), held.is_some())));
        names.into_iter().filter_map(|(name, is_given)| is_given.then_some(name)).collect()
    }

    /// A consent to the same server with the same settings in another workspace: what a person's server showed there
    /// is what it has to show here.
    pub(crate) fn find_elsewhere(&self, server: &str, definition: &str) -> Option<ServerConsent> {
        let stored = self.read_file().ok()?;
        let mut all = stored.roots.values().filter_map(|servers| servers.get(server));
        all.find(|consent| consent.listed && consent.definition == definition).cloned()
    }

    /// Changes the consent to a server in a workspace; none is left where `change` leaves none.
    ///
    /// # Errors
    /// The error that keeps it from being written. It then holds in this process alone.
    pub(crate) fn change_consent(
        &self,
        root: &str,
        server: &str,
        change: impl FnOnce(Option<ServerConsent>) -> Option<ServerConsent>,
    ) -> Result<(), ConsentError> {
        // Held from before the reading to after the writing: another process waits with its own change.
        let lock = self.lock_file();
        let after = change(self.get(root, server));
        let written = lock.and_then(|_lock| self.write_consent(root, server, after.clone()));
        let key = (root.to_owned(), server.to_owned());
        let mut unwritten = self.unwritten.lock();
        match written {
            Ok(()) => {
                unwritten.remove(&key);
                Ok(())
            }
            Err(cause) => {
                unwritten.insert(key, after);
                let place =
                    self.path.as_ref().map_or_else(|| FILE.to_owned(), |path| path.display().to_string());
                Err(ConsentError { place, cause })
            }
        }
    }

    fn lock_file(&self) -> Result<File, ConsentFileCause> {
        let folder = self.path.as_deref().and_then(Path::parent).ok_or(ConsentFileCause::NoFolder)?;
        person::lock_dir(folder).map_err(ConsentFileCause::Locked)
    }

    fn read_file(&self) -> Result<Arc<StoredConsents>, ConsentFileCause> {
        let Some(path) = self.path.as_deref() else { return Ok(Arc::default()) };
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Arc::default()),
            Err(error) => return Err(error.into()),
        };
        // It is replaced, never written into: the same file holds the same.
        let meta = file.metadata()?;
        let stamp = (meta.ino(), meta.size(), meta.mtime_nsec(), meta.mtime());
        let mut read = self.read.lock();
        if let Some((_, stored)) = read.as_ref().filter(|(before, _)| *before == stamp) {
            return Ok(stored.clone());
        }
        let mut text = String::new();
        file.take(LARGEST).read_to_string(&mut text)?;
        let stored: Arc<StoredConsents> = Arc::new(serde_json::from_str(&text)?);
        *read = Some((stamp, stored.clone()));
        Ok(stored)
    }

    fn write_consent(
        &self,
        root: &str,
        server: &str,
        consent: Option<ServerConsent>,
    ) -> Result<(), ConsentFileCause> {
        let path = self.path.as_deref().ok_or(ConsentFileCause::NoFolder)?;
        // A damaged file is set aside, not written over.
        let stored = self.read_file().or_else(|damaged| {
            let aside = path.with_extension("damaged.json");
            std::fs::rename(path, aside).map(|()| Arc::default()).map_err(|_| damaged)
        })?;
        let mut stored = StoredConsents::clone(&stored);
        let servers = stored.roots.entry(root.to_owned()).or_default();
        match consent {
            Some(consent) => drop(servers.insert(server.to_owned(), consent)),
            None => drop(servers.remove(server)),
        }
        stored.roots.retain(|_, servers| !servers.is_empty());
        let folder = path.parent().ok_or(ConsentFileCause::NoFolder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer_pretty(&mut file, &stored).map_err(io::Error::from)?;
        file.as_file().sync_all()?;
        file.persist(path).map(drop).map_err(|error| error.error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn consent(definition: &str) -> ServerConsent {
        let tools = BTreeMap::from([("echo".to_owned(), "1".to_owned())]);
        ServerConsent { definition: definition.to_owned(), listed: true, tools, ..ServerConsent::default() }
    }

    #[test]
    fn a_consent_is_kept_for_one_workspace_and_server() {
        let folder = tempfile::tempdir().unwrap();
        let path = Some(folder.path().join("state/consents.json"));
        Consents::in_file(path.clone())
            .change_consent("/a", "s", |before| before.or(Some(consent("d"))))
            .unwrap();
        let other = Consents::in_file(path.clone());
        assert_eq!(other.get("/a", "s"), Some(consent("d")));
        assert_eq!((other.get("/b", "s"), other.get("/a", "t")), (None, None));
        assert_eq!(other.find_elsewhere("s", "d"), Some(consent("d")));
        assert_eq!(other.find_elsewhere("s", "e"), None);
        other.change_consent("/a", "s", |_| None).unwrap();
        assert_eq!(Consents::in_file(path).get("/a", "s"), None);
    }

    #[test]
    fn what_is_damaged_grants_nothing_and_is_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("consents.json");
        std::fs::write(&path, "{ \"roots\": 1").unwrap();
        let consents = Consents::in_file(Some(path));
        assert_eq!(consents.get("/a", "s"), None);
        consents.change_consent("/a", "s", |_| Some(consent("d"))).unwrap();
        assert_eq!(consents.get("/a", "s"), Some(consent("d")));
        assert!(folder.path().join("consents.damaged.json").exists());
    }

    #[test]
    fn what_cannot_be_written_holds_here() {
        let consents = Consents::in_file(None);
        assert!(consents.change_consent("/a", "s", |_| Some(consent("d"))).is_err());
        assert_eq!(consents.get("/a", "s"), Some(consent("d")));
    }

    #[test]
    fn changes_of_several_at_once_all_hold() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("consents.json");
        std::thread::scope(|scope| {
            for name in 0..8 {
                let path = path.clone();
                scope.spawn(move || {
                    Consents::in_file(Some(path))
                        .change_consent("/a", &format!("s{name}"), |_| Some(consent("d")))
                        .unwrap();
                });
            }
        });
        let consents = Consents::in_file(Some(path));
        assert!((0..8).all(|name| consents.get("/a", &format!("s{name}")).is_some()));
    }
}
