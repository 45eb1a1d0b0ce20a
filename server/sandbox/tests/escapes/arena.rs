//! The folders in which one attempt is made, and what they looked like before it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, lchown};
use std::path::{Path, PathBuf};

/// The paths that must not change: everything outside of the workspace, and the protected paths in it.
const GUARDED: [&str; 9] = [
    "outside",
    "home",
    "tools",
    "ws/.git",
    "ws/.wherefore",
    "ws/.env",
    "ws/closed",
    "ws/.vscode",
    "ws/.husky",
];

/// Names that a program of the host would act on when they appear in a workspace.
const ACTED_ON: [&str; 15] = [
    ".git",
    ".wherefore",
    ".envrc",
    ".vscode",
    ".idea",
    ".devcontainer",
    ".husky",
    ".cursor",
    ".claude",
    ".mcp.json",
    ".nvim.lua",
    ".exrc",
    ".gitmodules",
    ".gitconfig",
    "core",
];

/// An attempt's own folder: `ws`, `outside`, `home` and `tools`.
pub(crate) struct Arena {
    pub path: PathBuf,
    /// The text in each secret file. If it is found elsewhere, it was read there.
    pub secret: String,
    pub uid: u32,
}

/// The data of a file that can be read without changing its time of access.
#[derive(PartialEq, Eq, Debug)]
struct Print {
    kind_and_mode: u32,
    owner: (u32, u32),
    size_and_links: (u64, u64),
    changed: (i64, i64),
    content: Vec<u8>,
}

/// The guarded files at one moment.
pub(crate) struct Snapshot(BTreeMap<PathBuf, Print>);

/// A random word of `length` letters and digits.
pub(crate) fn random(prefix: &str) -> String {
    let uuid = fs::read_to_string("/proc/sys/kernel/random/uuid").unwrap();
    format!("{prefix}-{}", uuid.trim().replace('-', ""))
}

impl Arena {
    pub(crate) fn new(path: PathBuf, uid: u32) -> Self {
        let arena = Self { path, secret: random("marker"), uid };
        arena.fill().unwrap();
        arena.give(&arena.path);
        arena
    }

    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.path.join(path)
    }

    /// Writes a file and its folders. [`Arena::give`] makes it the user's.
    pub(crate) fn put(&self, path: &str, text: &str) -> io::Result<PathBuf> {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap())?;
        fs::write(&path, text)?;
        Ok(path)
    }

    fn fill(&self) -> io::Result<()> {
        fs::create_dir_all(&self.path)?;
        let secret = format!("{}\n", self.secret);
        for closed in ["outside/secret", "home/.ssh/id_ed25519", "home/.cargo/credentials.toml"] {
            self.put(closed, &secret)?;
        }
        self.put(&format!("outside/names/{}", self.secret), "")?;
        self.put("outside/target", "as it was\n")?;
        self.put("home/.config/wherefore/settings.toml", "[sandbox]\n")?;
        fs::create_dir_all(self.at("quarantine"))?;
        self.put("tools/tool", "#!/bin/sh\n")?;
        self.put("ws/.env", &secret)?;
        self.put("ws/closed/notes", &secret)?;
        self.put("ws/README.md", "# a workspace\n")?;
        self.put("ws/sub/keep", "kept\n")?;
        self.put("ws/.wherefore/session-log.md", "# the log\n")?;
        self.put("ws/.wherefore/rules.toml", "[rules]\n")?;
        self.put("ws/.vscode/tasks.json", "{}\n")?;
        self.put("ws/.husky/pre-commit", "exit 0\n")?;
        self.repository("ws")
    }

    /// A repository as `git init` makes it, without starting git.
    pub(crate) fn repository(&self, folder: &str) -> io::Result<()> {
        let config = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";
        self.put(&format!("{folder}/.git/config"), config)?;
        self.put(&format!("{folder}/.git/HEAD"), "ref: refs/heads/main\n")?;
        self.put(&format!("{folder}/.git/hooks/README"), "")?;
        self.put(&format!("{folder}/.git/objects/info/README"), "")?;
        self.put(&format!("{folder}/.git/refs/heads/README"), "").map(|_| ())?;
        fs::remove_file(self.at(&format!("{folder}/.git/refs/heads/README")))
    }

    /// Gives a tree to the attempt's user.
    pub(crate) fn give(&self, tree: &Path) {
        if self.uid != 0 {
            walk(tree, &mut |path, meta| {
                // A program that sets the user stays with the user that it sets.
                if meta.mode() & 0o4000 == 0 {
                    lchown(path, Some(self.uid), Some(self.uid)).unwrap_or(());
                }
            });
        }
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        let mut prints = BTreeMap::new();
        for root in GUARDED {
            walk(&self.at(root), &mut |path, meta| {
                prints.insert(path.to_owned(), print(path, meta));
            });
        }
        Snapshot(prints)
    }

    /// Returns the traps in the workspace for programs of the host that were not there before.
    pub(crate) fn planted(&self, before: &[u64]) -> Vec<String> {
        let mut found = Vec::new();
        walk(&self.at("ws"), &mut |path, meta| {
            let what =
                danger(path, meta, self.uid).or_else(|| acted_on(path).then(|| "is acted on".to_owned()));
            if let Some(what) = what.filter(|_| !before.contains(&meta.ino())) {
                found.push(format!("{} {what}", path.strip_prefix(&self.path).unwrap().display()));
            }
        });
        found
    }

    /// Returns the traps that are there already.
    pub(crate) fn known(&self) -> Vec<u64> {
        let mut known = Vec::new();
        walk(&self.at("ws"), &mut |path, meta| {
            if acted_on(path) || danger(path, meta, self.uid).is_some() {
                known.push(meta.ino());
            }
        });
        known
    }

    /// Returns a file of the workspace that holds the secret, other than those that held it before.
    pub(crate) fn holds_secret(&self) -> Option<PathBuf> {
        let mut found = None;
        walk(&self.at("ws"), &mut |path, meta| {
            let closed = path.ends_with(".env") || path.starts_with(self.at("ws/closed"));
            if meta.is_file() && meta.len() < 1 << 20 && !closed && meta.nlink() == 1 {
                let holds = fs::read(path).is_ok_and(|text| contains(&text, self.secret.as_bytes()));
                found = found.take().or_else(|| holds.then(|| path.to_owned()));
            }
        });
        found
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        walk(&self.path, &mut |path, meta| {
            if meta.is_dir() {
                fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap_or(());
            }
        });
        if let Err(error) = fs::remove_dir_all(&self.path) {
            eprintln!("{} is left behind: {error}", self.path.display());
        }
    }
}

impl Snapshot {
    /// The first guarded file that is not as it was.
    pub(crate) fn differs(&self, later: &Self) -> Option<String> {
        let gone = self.0.keys().find(|path| !later.0.contains_key(*path));
        let new = later.0.keys().find(|path| !self.0.contains_key(*path));
        let other = self.0.iter().find(|(path, print)| later.0.get(*path).is_some_and(|now| now != *print));
        None.or(gone.map(|path| format!("{} is gone", path.display())))
            .or(new.map(|path| format!("{} is new", path.display())))
            .or(other.map(|(path, _)| format!("{} is changed", path.display())))
    }
}

fn print(path: &Path, meta: &fs::Metadata) -> Print {
    let content = if meta.is_symlink() {
        fs::read_link(path).map(|to| to.into_os_string().into_encoded_bytes()).unwrap_or_default()
    } else if meta.is_file() && meta.len() < 1 << 16 {
        fs::read(path).unwrap_or_default()
    } else {
        Vec::new()
    };
    Print {
        kind_and_mode: meta.mode(),
        owner: (meta.uid(), meta.gid()),
        size_and_links: (meta.size(), meta.nlink()),
        changed: (meta.ctime(), meta.ctime_nsec()),
        content,
    }
}

fn acted_on(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    ACTED_ON.iter().any(|known| name == *known) || name.as_encoded_bytes().starts_with(b"core.")
}

/// Returns the reason why a file is a danger under any name.
fn danger(path: &Path, meta: &fs::Metadata, uid: u32) -> Option<String> {
    let kind = meta.mode() & libc::S_IFMT;
    let special = [libc::S_IFCHR, libc::S_IFBLK, libc::S_IFIFO, libc::S_IFSOCK].contains(&kind);
    let sets = kind == libc::S_IFREG && meta.mode() & 0o6000 != 0;
    let attributes = ["security.capability", "trusted.wherefore"];
    let named = |name: &&&str| crate::sys::attribute(path, name);
    None.or(special.then(|| format!("is special: {:o}", meta.mode())))
        .or(sets.then(|| format!("sets the user or the group: {:o}", meta.mode())))
        .or((meta.uid() != uid).then(|| format!("belongs to {}", meta.uid())))
        .or((meta.len() > 1 << 33).then(|| format!("says it is {} bytes long", meta.len())))
        .or((kind == libc::S_IFREG && crate::sys::immutable(path)).then(|| "is immutable".to_owned()))
        .or(attributes.iter().find(named).map(|name| format!("has {name}")))
}

/// Visits a tree, links not followed.
pub(crate) fn walk(path: &Path, visit: &mut dyn FnMut(&Path, &fs::Metadata)) {
    let Ok(meta) = fs::symlink_metadata(path) else { return };
    visit(path, &meta);
    if meta.is_dir() {
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            walk(&entry.path(), visit);
        }
    }
}

pub(crate) fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}
