//! Where a command runs, and where the paths lie that it names. Paths are compared as they are spelt: no file is looked at.

/// The folders that a command's words are read by. All are absolute and hold no `.` or `..`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The workspace.
    pub root: String,
    /// The person's home folder.
    pub home: String,
    /// The folder that the command starts in.
    pub cwd: String,
}

/// What a path is to the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
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
    /// Another place outside of the workspace.
    Outside,
    /// Nobody knows before the command runs.
    Unknown,
}

/// Stands in a text for a part that nobody knows before the command runs.
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

impl Place {
    /// A workspace in which commands start at the root.
    pub fn new(root: &str, home: &str) -> Self {
        let root = normal(root);
        Self { cwd: root.clone(), home: normal(home), root }
    }

    /// The same, for commands that start in another folder.
    pub fn at(&self, cwd: &str) -> Self {
        Self { cwd: normal(&joined(&self.root, cwd)), ..self.clone() }
    }

    /// What an absolute path is to the workspace. The path may hold wildcards.
    pub(crate) fn zone(&self, path: &str) -> Zone {
        if path.starts_with(HOLE) || !path.starts_with('/') {
            return Zone::Unknown;
        }
        let stem = without_wildcards(path);
        if stem == self.root {
            return if stem == path { Zone::Workspace } else { Zone::AllOfWorkspace };
        }
        if is_below(stem, &self.root) {
            return Zone::Inside;
        }
        if is_stream(path) {
            return Zone::Stream;
        }
        if is_below(path, "/dev") && !is_below(path, "/dev/shm") && path != "/dev" {
            return Zone::Device;
        }
        if ["/tmp", "/var/tmp", "/dev/shm"].iter().any(|folder| is_below(path, folder) && stem != *folder) {
            return Zone::Temporary;
        }
        match self.is_vital(stem) {
            true => Zone::Vital,
            false => Zone::Outside,
        }
    }

    fn is_vital(&self, stem: &str) -> bool {
        let depth = stem.matches('/').count();
        stem == "/"
            || depth == 1
            || stem == self.home
            || is_below(&self.home, stem)
            || is_below(&self.root, stem)
            || SYSTEM.iter().any(|folder| is_below(stem, folder))
    }
}

fn is_stream(path: &str) -> bool {
    STREAMS.contains(&path)
        || ["/dev/fd/", "/proc/self/fd/", "/dev/pts/"].iter().any(|folder| path.starts_with(folder))
}

/// Whether a path is `folder` or below it.
pub(crate) fn is_below(path: &str, folder: &str) -> bool {
    folder == "/" || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The path without last parts that match anything.
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
pub(crate) fn joined(cwd: &str, path: &str) -> String {
    match path.starts_with('/') || path.starts_with(HOLE) {
        true => path.to_owned(),
        false => format!("{cwd}/{path}"),
    }
}

/// A path without `.`, `..` and doubled slashes, as it is spelt.
pub(crate) fn normal(path: &str) -> String {
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
