//! Which names ignore files leave out: the same that ripgrep leaves out, asked one name at a time.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{AtFlags, CWD, FileType, OFlags, statat};

use super::stamp::Stamp;
use crate::base::OURS;

/// Ignore files that are no one else's, weakest first.
const CUSTOM: [&str; 2] = [".rgignore", ".whereforeignore"];
/// What an ignore file holds at most, in bytes; a longer one does not count.
const LONGEST: u64 = 4 << 20;

/// Whether what a name stands for decides about other names.
pub(super) fn is_rule(name: &str) -> bool {
    matches!(name, ".ignore" | ".gitignore" | ".git" | ".jj") || CUSTOM.contains(&name)
}

/// All such names.
pub(super) const NAMES: [&str; 6] = [".ignore", ".gitignore", ".git", ".jj", CUSTOM[0], CUSTOM[1]];

/// A file that rules were read from, and what it was.
pub(super) type Source = (PathBuf, Option<Stamp>);

/// The rules of one folder, and through its parent all that count in it. Folders without rules share their parent's.
#[derive(Debug)]
pub(super) struct Rules {
    parent: Option<Arc<Rules>>,
    custom: Gitignore,
    ignore: Gitignore,
    git: Gitignore,
    exclude: Gitignore,
    /// The person's own, in the topmost node.
    global: Gitignore,
    /// Whether a repository begins here: rules of git from above do not count beneath.
    repository: bool,
    /// Whether one begins here or above: outside, no rules of git count.
    in_repository: bool,
    sources: Vec<Source>,
}

impl Rules {
    /// The topmost rules: what the person's own file of git names, which is relative to `root`.
    pub(super) fn top(root: &Path, global: Option<&Path>) -> Arc<Self> {
        let mut sources = Vec::new();
        let global =
            global.map_or_else(Gitignore::empty, |path| read(root, &[path.to_owned()], &mut sources));
        let empty = Gitignore::empty;
        Arc::new(Self {
            parent: None,
            custom: empty(),
            ignore: empty(),
            git: empty(),
            exclude: empty(),
            global,
            repository: false,
            in_repository: false,
            sources,
        })
    }

    /// The rules in a folder in which these of the [`NAMES`] are.
    pub(super) fn beneath(parent: &Arc<Self>, folder: &Path, names: &[String]) -> Arc<Self> {
        if names.is_empty() {
            return parent.clone();
        }
        let has = |name: &str| names.iter().any(|found| found == name);
        let mut sources = Vec::new();
        let mut load = |wanted: &[&str]| {
            let paths: Vec<_> =
                wanted.iter().filter(|name| has(name)).map(|name| folder.join(name)).collect();
            read(folder, &paths, &mut sources)
        };
        let (custom, ignore, git) = (load(&CUSTOM), load(&[".ignore"]), load(&[".gitignore"]));
        let exclude = has(".git").then(|| info(folder)).flatten().map(|info| info.join("exclude"));
        let exclude = exclude.map_or_else(Gitignore::empty, |path| read(folder, &[path], &mut sources));
        let repository = [".git", ".jj"].iter().any(|name| has(name) && folder.join(name).exists());
        Arc::new(Self {
            parent: Some(parent.clone()),
            custom,
            ignore,
            git,
            exclude,
            global: Gitignore::empty(),
            repository,
            in_repository: repository || parent.in_repository,
            sources,
        })
    }

    /// Whether what stands at this absolute path is listed, by its name and the rules above it. `shown` are the hidden
    /// names that are listed where no rule says otherwise.
    pub(super) fn lists(&self, path: &Path, name: &str, is_folder: bool, shown: &[String]) -> bool {
        if matches!(name, ".git" | OURS) {
            return false;
        }
        match self.verdict(path, is_folder) {
            Some(listed) => listed,
            None => !name.starts_with('.') || shown.iter().any(|one| one == name),
        }
    }

    /// What the rules say of a path, if anything. Each kind of file is asked from the nearest folder upwards; what the
    /// first kind says counts.
    fn verdict(&self, path: &Path, is_folder: bool) -> Option<bool> {
        let says = |rules: &Gitignore| match rules.matched(path, is_folder) {
            ignore::Match::None => None,
            ignore::Match::Ignore(_) => Some(false),
            ignore::Match::Whitelist(_) => Some(true),
        };
        let (mut custom, mut ignore, mut git, mut exclude, mut global) = (None, None, None, None, None);
        let mut inside = self.in_repository;
        let mut node = Some(self);
        while let Some(rules) = node {
            custom = custom.or_else(|| says(&rules.custom));
            ignore = ignore.or_else(|| says(&rules.ignore));
            if inside {
                git = git.or_else(|| says(&rules.git));
                exclude = exclude.or_else(|| says(&rules.exclude));
            }
            if self.in_repository {
                global = global.or_else(|| says(&rules.global));
            }
            inside &= !rules.repository;
            node = rules.parent.as_deref();
        }
        custom.or(ignore).or(git).or(exclude).or(global)
    }

    /// Whether a file that these very rules were read from is another by now; those above are not asked.
    pub(super) fn stale(&self) -> bool {
        self.sources.iter().any(|(path, was)| probe(path) != *was)
    }

    /// Whether both were read from the same files in the same state.
    pub(super) fn same_sources(&self, other: &Self) -> bool {
        (self.repository, &self.sources) == (other.repository, &other.sources)
    }
}

/// The folder that holds a repository's own excludes.
pub(super) fn info(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.is_dir() {
        return Some(git.join("info"));
    }
    // A worktree: a line that names its folder, in which a line names the repository's.
    let line = |path: &Path| text(path).and_then(|text| text.lines().next().map(str::to_owned));
    let own = folder.join(line(&git)?.strip_prefix("gitdir: ")?);
    let common = line(&own.join("commondir"))?;
    Some(own.join(common).join("info"))
}

/// What stands at a path now. A folder counts as itself, whatever happens in it.
pub(super) fn probe(path: &Path) -> Option<Stamp> {
    let stat = statat(CWD, path, AtFlags::empty()).ok()?;
    let stamp = Stamp::of(&stat);
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Some(stamp),
        _ => Some(Stamp { inode: stamp.inode, ..Stamp::default() }),
    }
}

/// The patterns of those files together; a line that is no pattern does not count.
fn read(folder: &Path, paths: &[PathBuf], sources: &mut Vec<Source>) -> Gitignore {
    if paths.is_empty() {
        return Gitignore::empty();
    }
    let mut builder = GitignoreBuilder::new(folder);
    for path in paths {
        sources.push((path.clone(), probe(path)));
        let text = text(path).unwrap_or_default();
        for line in text.trim_start_matches('\u{feff}').lines() {
            let _ = builder.add_line(None, line);
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// The text of a file up to where it is no UTF-8. Nothing but a regular file is read: a pipe would be waited for.
fn text(path: &Path) -> Option<String> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).ok()?;
    let file = File::options().read(true).custom_flags(flags).open(path).ok()?;
    let about = file.metadata().ok()?;
    if !about.is_file() || about.len() > LONGEST {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes).ok()?;
    let good = match std::str::from_utf8(&bytes) {
        Ok(text) => text,
        Err(error) => {
            let good = std::str::from_utf8(bytes.get(..error.valid_up_to())?).ok()?;
            good.rsplit_once('\n').map_or("", |(lines, _)| lines)
        }
    };
    Some(good.to_owned())
}
