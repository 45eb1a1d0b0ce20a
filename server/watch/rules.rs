//! The names that ignore files leave out: those that ripgrep leaves out, checked one name at a time.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fs::{AtFlags, CWD, FileType, OFlags, statat};

use super::stamp::StatStamp;
use crate::base::OWN_DIR;

/// Ignore files that are no one else's, weakest first.
const CUSTOM: [&str; 2] = [".rgignore", ".whereforeignore"];
/// The largest size of an ignore file, in bytes; a larger one does not count.
const LONGEST: u64 = 4 << 20;

/// Returns whether the file with a name decides about other names.
pub(super) fn is_rule(name: &str) -> bool {
    matches!(name, ".ignore" | ".gitignore" | ".git" | ".jj") || CUSTOM.contains(&name)
}

/// All such names.
pub(super) const NAMES: [&str; 6] = [".ignore", ".gitignore", ".git", ".jj", CUSTOM[0], CUSTOM[1]];

/// A file that rules were read from, and what it was.
pub(super) type RuleFile = (PathBuf, Option<StatStamp>);

/// The rules of one folder, and through its parent all that count in it. Folders without rules share their parent's.
#[derive(Debug)]
pub(super) struct FolderRules {
    parent: Option<Arc<FolderRules>>,
    custom: Gitignore,
    ignore: Gitignore,
    git: Gitignore,
    exclude: Gitignore,
    /// The person's own, in the topmost node.
    global: Gitignore,
    /// True if a repository begins here: rules of git from above do not apply beneath.
    repository: bool,
    /// True if a repository begins here or above: outside of one, no rules of git apply.
    in_repository: bool,
    sources: Vec<RuleFile>,
}

impl FolderRules {
    /// The topmost rules: what the person's own file of git names, which is relative to `root`.
    pub(super) fn top_rules(root: &Path, global: Option<&Path>) -> Arc<Self> {
        let mut sources = Vec::new();
        let global = global.map_or_else(Gitignore::empty, |path| {
            read_patterns((root, root), &[path.to_owned()], &mut sources)
        });
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

    /// Makes the rules of `folder`, which holds those of [`NAMES`] that `names` lists; reads them at `through`. Without names,
    /// returns those of the parent.
    pub(super) fn rules_beneath(
        parent: &Arc<Self>,
        (folder, through): (&Path, &Path),
        names: &[String],
    ) -> Arc<Self> {
        if names.is_empty() {
            return parent.clone();
        }
        let has = |name: &str| names.iter().any(|found| found == name);
        let mut sources = Vec::new();
        let mut load = |wanted: &[&str]| {
            let paths: Vec<_> =
                wanted.iter().filter(|name| has(name)).map(|name| through.join(name)).collect();
            read_patterns((folder, through), &paths, &mut sources)
        };
        let (custom, ignore, git) = (load(&CUSTOM), load(&[".ignore"]), load(&[".gitignore"]));
        let exclude = has(".git").then(|| info_folder(through)).flatten().map(|info| info.join("exclude"));
        let exclude = exclude
            .map_or_else(Gitignore::empty, |path| read_patterns((folder, through), &[path], &mut sources));
        let repository = [".git", ".jj"].iter().any(|name| has(name) && through.join(name).exists());
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

    /// Returns whether the file at this absolute path is listed, by its name and the rules above it. `shown` are the
    /// hidden names that are listed unless a rule decides otherwise.
    pub(super) fn is_listed(&self, path: &Path, name: &str, is_folder: bool, shown: &[String]) -> bool {
        if matches!(name, ".git" | OWN_DIR) {
            return false;
        }
        match self.verdict_of(path, is_folder) {
            Some(listed) => listed,
            None => !name.starts_with('.') || shown.iter().any(|one| one == name),
        }
    }

    /// Returns the decision of the rules on a path, if there is one. Each kind of file is asked from the nearest
    /// folder upwards; the first kind with a decision counts.
    fn verdict_of(&self, path: &Path, is_folder: bool) -> Option<bool> {
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

    /// Returns whether a file that exactly these rules were read from has changed; those above are not asked.
    pub(super) fn is_stale(&self) -> bool {
        self.sources.iter().any(|(path, was)| probe_stamp(path) != *was)
    }

    /// Returns whether both were read from equal files in equal states.
    pub(super) fn same_sources(&self, other: &Self) -> bool {
        (self.repository, &self.sources) == (other.repository, &other.sources)
    }
}

/// The folder that holds a repository's own excludes.
pub(super) fn info_folder(folder: &Path) -> Option<PathBuf> {
    let git = folder.join(".git");
    if git.is_dir() {
        return Some(git.join("info"));
    }
    // A worktree: a line that names its folder, in which a line names the repository's.
    let line = |path: &Path| read_text(path).and_then(|text| text.lines().next().map(str::to_owned));
    let own = folder.join(line(&git)?.strip_prefix("gitdir: ")?);
    let common = line(&own.join("commondir"))?;
    Some(own.join(common).join("info"))
}

/// Returns the state of the file at a path. A folder keeps its stamp when its contents change.
pub(super) fn probe_stamp(path: &Path) -> Option<StatStamp> {
    let stat = statat(CWD, path, AtFlags::empty()).ok()?;
    let stamp = StatStamp::from_stat(&stat);
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Some(stamp),
        _ => Some(StatStamp { inode: stamp.inode, ..StatStamp::default() }),
    }
}

/// The patterns of those files together; a line that is no pattern does not count. A path beneath `through` is one of
/// `folder`.
fn read_patterns(
    (folder, through): (&Path, &Path),
    paths: &[PathBuf],
    sources: &mut Vec<RuleFile>,
) -> Gitignore {
    if paths.is_empty() {
        return Gitignore::empty();
    }
    let mut builder = GitignoreBuilder::new(folder);
    for path in paths {
        let named = path.strip_prefix(through).map_or_else(|_| path.clone(), |rest| folder.join(rest));
        sources.push((named, probe_stamp(path)));
        let text = read_text(path).unwrap_or_default();
        for line in text.trim_start_matches('\u{feff}').lines() {
            let _ = builder.add_line(None, line);
        }
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// The text of a file up to where it is no UTF-8. Nothing but a regular file is read: a pipe would be waited for.
fn read_text(path: &Path) -> Option<String> {
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
