//! The place where a command runs, and the zones of the paths that it names. Paths are compared by their text,
//! without access to files.

/// The folders that a command's words are read by. All are absolute and hold no `.` or `..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandPlace {
    /// The workspace.
    pub root: String,
    /// The person's home folder.
    pub home: String,
    /// The folder that the command starts in.
    pub cwd: String,
}

/// The relation of a path to the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathZone {
    /// Below the workspace.
    Inside,
    /// The workspace itself.
    Workspace,
    /// Everything in the workspace, by a pattern.
    AllOfWorkspace,
    /// Temporary: private to a confined command.
    Temporary,
    /// A device that holds no data, such as `/dev/null`, or a descriptor.
    Stream,
    /// A device.
    Device,
    /// A folder that a machine or a person cannot do without: `/`, `/etc`, `/usr/lib`, the home folder, a folder above
    /// the workspace.
    Vital,
    /// In the folder of caches of the home folder: a confined command has its own.
    Cache,
    /// Another place outside of the workspace.
    Outside,
    /// Not known before the command runs.
    Unknown,
}

/// The character in a text for a part that is not known before the command runs.
pub(crate) const HOLE: char = '\u{fffc}';

/// Folders that hold the system.
const SYSTEM: [&str; 14] = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/libx32", "/proc", "/sbin", "/sys", "/usr",
    "/System", "/Library",
];

/// Devices and descriptors that anybody may write to.
const STREAMS: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/stdin",
    "/dev/stdout",
    "/dev/stderr",
    "/dev/tty",
    "/dev/ptmx",
];

impl CommandPlace {
    /// A workspace in which commands start at the root.
    pub fn new(root: &str, home: &str) -> Self {
        let root = normalize_path(root);
        Self { cwd: root.clone(), home: normalize_path(home), root }
    }

    /// The same, for commands that start in another folder.
    pub fn starting_in(&self, cwd: &str) -> Self {
        Self { cwd: normalize_path(&join_path(&self.root, cwd)), ..self.clone() }
    }

    /// Returns the zone of an absolute path. The path may hold wildcards.
    pub(crate) fn zone_of(&self, path: &str) -> PathZone {
        if path.starts_with(HOLE) || !path.starts_with('/') {
            return PathZone::Unknown;
        }
        let stem = without_wildcards(path);
        if stem == self.root {
            return if stem == path { PathZone::Workspace } else { PathZone::AllOfWorkspace };
        }
        if is_below(stem, &self.root) {
            return PathZone::Inside;
        }
        // A home folder or a workspace may lie among temporary files: they are none.
        if is_below(&self.home, stem) || is_below(&self.root, stem) {
            return PathZone::Vital;
        }
        if is_stream(path) {
            return PathZone::Stream;
        }
        if is_below(path, &self.home) && !["/", "/tmp", "/var/tmp", "/dev/shm"].contains(&self.home.as_str())
        {
            let caches = format!("{}/.cache", self.home);
            let is_cache = is_below(path, &caches) && stem != caches;
            return if is_cache { PathZone::Cache } else { PathZone::Outside };
        }
        if is_below(path, "/dev") && !is_below(path, "/dev/shm") && path != "/dev" {
            return PathZone::Device;
        }
        let below = |folder: &&str| is_below(path, folder) && stem != *folder;
        if ["/tmp", "/var/tmp", "/dev/shm"].iter().any(below) || is_all_of_tmp(path) {
            return PathZone::Temporary;
        }
        match is_vital(stem) {
            true => PathZone::Vital,
            false => PathZone::Outside,
        }
    }
}

fn is_vital(stem: &str) -> bool {
    let depth = stem.matches('/').count();
    stem == "/" || depth == 1 || SYSTEM.iter().any(|folder| is_below(stem, folder))
}

/// The folder of temporary files, of which a confined command has its own.
pub(crate) const TMP: &str = "/tmp";

/// Returns whether a pattern matches everything in `/tmp`, but not the folder above it, as `.*` may.
fn is_all_of_tmp(path: &str) -> bool {
    let names = path.strip_prefix(TMP).and_then(|rest| rest.strip_prefix('/'));
    names.is_some_and(|names| {
        !names.contains(HOLE) && names.split('/').all(|name| name.starts_with(['*', '?']))
    })
}

fn is_stream(path: &str) -> bool {
    STREAMS.contains(&path)
        || ["/dev/fd/", "/proc/self/fd/", "/dev/pts/"].iter().any(|folder| path.starts_with(folder))
}

/// Returns whether a path is `folder` or below it.
pub(crate) fn is_below(path: &str, folder: &str) -> bool {
    folder == "/" || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Removes the last parts of a path that match any name, such as `*`.
fn without_wildcards(path: &str) -> &str {
    let mut stem = path;
    while let Some((folder, name)) = stem.rsplit_once('/') {
        let matches_all = !name.is_empty() && name.chars().any(|c| c == '*' || c == '?' || c == HOLE);
        if !matches_all || name.chars().any(|c| !matches!(c, '*' | '?' | '.' | '!' | '[' | ']') && c != HOLE)
        {
            break;
        }
        stem = if folder.is_empty() { "/" } else { folder };
        if stem == "/" {
            break;
        }
    }
    stem
}

/// A path seen from a folder.
pub(crate) fn join_path(cwd: &str, path: &str) -> String {
    match path.starts_with('/') || path.starts_with(HOLE) {
        true => path.to_owned(),
        false => format!("{cwd}/{path}"),
    }
}

/// A path without `.`, `..` and doubled slashes, as it is spelt.
pub(crate) fn normalize_path(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match path.starts_with('/') {
        true => format!("/{joined}"),
        false => joined,
    }
}
