//! Runs git, which reads a repository in a sandbox without the repository's own settings.
//!
//! Invariants: git gets wherefore's settings alone, so that no program runs that a repository names; it writes nothing and
//! reaches no network; of a file that the rules close, no content is asked for.
//!
//! # Invariants
//!
//! - No program that a repository names is run by a tool that reads it, and no file that a rule closes is in its
//!   answer.
//!   Test: `nothing_that_a_repository_names_is_run`, `only_what_says_how_files_are_stored_is_kept`,
//!   `no_file_that_a_rule_closes_is_in_a_diff_or_a_log`

mod blame;
mod change;
mod config;
mod contents;
mod diff;
mod error;
mod index;
mod linked;
mod log;
mod notes;
mod repository;
mod status;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use wherefore_fetch::HostList;

pub(crate) use blame::GitBlame;
pub(super) use config::{named_worktree as working_tree, personal_settings};
pub(crate) use diff::{DiffRequest, DiffSides, DiffedFile};
pub(crate) use error::GitError;
pub(super) use index::IndexPart;
pub(super) use linked::{LinkedPlaces, places};
pub(crate) use log::{CommitRange, LogRequest, LoggedCommit};
pub(crate) use notes::LineNotes;
pub(super) use repository::settings_of;
pub(crate) use status::StatusEntry;

use super::closures::Closures;
use super::error::ExecutionError;
use super::layer::CommandLayer;
use super::{CommandExecutor, CommandRequest, plan, run};
use crate::base::{WorkspacePath, run_blocking};
use crate::protocol::PathAccess;
use crate::sandbox::{RunningCommand, SandboxLevel, WriteEffects};
use crate::session::CallScope;
use crate::workspace::WorkspaceFiles;
use linked::LinkedMirror;

/// The time that one run of git may take.
const LIMIT: Duration = Duration::from_secs(25);
/// Bytes of git's own words in an error.
const WORDS: usize = 400;
/// Variables that git is given.
const VARIABLES: [(&str, &str); 12] = [
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_CONFIG_GLOBAL", "/dev/null"),
    ("GIT_ATTR_NOSYSTEM", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_ALLOW_PROTOCOL", ""),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "false"),
    ("GIT_ASKPASS", "false"),
    ("GIT_SSH_COMMAND", "false"),
    ("LC_ALL", "C"),
];
/// Settings that hold before any other, should git read others after all.
const SETTINGS: [(&str, &str); 10] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("core.attributesFile", "/dev/null"),
    ("core.pager", "cat"),
    ("core.quotePath", "false"),
    ("core.sshCommand", "false"),
    ("safe.bareRepository", "explicit"),
    ("log.showSignature", "false"),
    ("submodule.recurse", "false"),
    ("maintenance.auto", "false"),
];

/// Reads the repository at the root of a workspace, on behalf of one call.
#[derive(Debug)]
pub(crate) struct GitReader<'c> {
    executor: &'c CommandExecutor,
    scope: &'c CallScope,
    closures: Closures,
    /// The folder that git takes for the repository's own.
    repository: PathBuf,
    /// The folders outside of the workspace that it leads to.
    outside: Vec<PathBuf>,
    folder: CommandLayer,
    /// The path of the workspace in the repository's working tree.
    below: WorkspacePath,
}

/// The output of git.
#[derive(Debug)]
struct GitOutput {
    bytes: Vec<u8>,
    /// True where it wrote more.
    is_cut: bool,
}

impl<'c> GitReader<'c> {
    /// Finds the repository, for a call that is about `paths`. It may also be outside of the workspace, where it states
    /// itself that the workspace is a working tree of its own.
    ///
    /// # Errors
    /// Fails where there is none, it is another working tree's, or the rules close it.
    pub(crate) fn open(
        executor: &'c CommandExecutor,
        scope: &'c CallScope,
        paths: &[WorkspacePath],
    ) -> Result<Self, GitError> {
        Self::open_with(executor, scope, paths, in_workspace)
    }

    /// Opens a repository for questions about the index alone. The workspace may also be a folder of the repository's
    /// working tree.
    ///
    /// # Errors
    /// As [`GitReader::open`].
    pub(super) fn open_for_index(
        executor: &'c CommandExecutor,
        scope: &'c CallScope,
    ) -> Result<Self, GitError> {
        Self::open_with(executor, scope, &[], |files, folder| match in_workspace(files, folder) {
            Err(GitError::NoRepository) => linked::mirror_above(files, folder),
            other => other,
        })
    }

    fn open_with(
        executor: &'c CommandExecutor,
        scope: &'c CallScope,
        paths: &[WorkspacePath],
        mirror: impl FnOnce(&WorkspaceFiles, &Path) -> Result<(LinkedMirror, WorkspacePath), GitError>,
    ) -> Result<Self, GitError> {
        run_blocking(|| {
            let folder = CommandLayer::make(scope.files().state())?;
            let (LinkedMirror { own: repository, outside }, below) = mirror(scope.files(), folder.path())?;
            // A closed file is never shown as empty to git, which would take that for a change.
            let mut closures = Closures { shown: Vec::new(), ..executor.closures.find_closures(scope)? };
            // A yes to a file is none to its folder, through which git has to go.
            let root = Path::new(scope.files().paths().root().real_path());
            let leads_to = |masked: &Path, path: &WorkspacePath| root.join(path.as_str()).starts_with(masked);
            closures.masked.retain(|masked| !paths.iter().any(|path| leads_to(masked, path)));
            Ok(Self { executor, scope, closures, repository, outside, folder, below })
        })
    }

    /// The hashes of the commits that `revisions` name, in their order; nothing for one that names none.
    async fn find_commits(&self, revisions: &[String]) -> Result<Vec<Option<String>>, GitError> {
        if let Some(odd) = revisions.iter().find(|revision| revision.chars().any(char::is_control)) {
            return Err(GitError::Revision(odd.clone()));
        }
        let asked: String = revisions.iter().map(|revision| format!("{revision}^{{commit}}\n")).collect();
        let arguments = ["cat-file", "--batch-check=%(objectname) %(objecttype)"];
        let output = self.run_git(arguments.map(OsString::from).into(), Some(asked.into_bytes())).await?;
        let text = String::from_utf8_lossy(&output.bytes).into_owned();
        let hash = |line: &str| {
            let hash = line.strip_suffix(" commit")?;
            is_hash(hash.as_bytes()).then(|| hash.to_owned())
        };
        let mut found: Vec<_> = text.lines().map(hash).collect();
        found.resize(revisions.len(), None);
        Ok(found)
    }

    /// The hash of the commit that a revision names.
    async fn find_commit(&self, revision: &str) -> Result<String, GitError> {
        let found = self.find_commits(&[revision.to_owned()]).await?.pop().flatten();
        found.ok_or_else(|| GitError::Revision(revision.to_owned()))
    }

    /// Returns whether the rules close a path of the repository to this call.
    fn is_closed(&self, path: &[u8]) -> bool {
        // A name that is no text is judged by its other characters, and by the folders above it.
        let path = WorkspacePath::from_relative(&String::from_utf8_lossy(path));
        path.is_none_or(|path| self.scope.files().paths().check_access(PathAccess::Read, &path).is_err())
    }

    async fn run_git(&self, arguments: Vec<OsString>, input: Option<Vec<u8>>) -> Result<GitOutput, GitError> {
        let running = run_blocking(|| self.start_git(arguments, input.is_some()))?;
        let run =
            run::run_to_completion(self.scope, running, None, input, run::WatchedStreams::Errors).await?;
        if run.report.limit.is_some() {
            return Err(GitError::Limit);
        }
        if run.report.exit_code != Some(0) {
            let words = run.errors.captured_text().text;
            return Err(GitError::Failed(words.trim().chars().take(WORDS).collect()));
        }
        let (bytes, is_cut) = run.output.into_beginning();
        Ok(GitOutput { bytes, is_cut })
    }

    fn start_git(&self, arguments: Vec<OsString>, has_input: bool) -> Result<RunningCommand, ExecutionError> {
        let request = CommandRequest {
            argv: Vec::new(),
            cwd: WorkspacePath::root(),
            env: BTreeMap::new(),
            input: has_input.then(Vec::new),
            hosts: HostList::default(),
            limit: LIMIT,
        };
        let mut plan =
            plan::plan_command(self.scope, &request, self.closures.clone(), WriteEffects::WriteThrough);
        plan.masked.append(&mut plan.emptied);
        plan.temporary = None;
        plan.argv = ["git", "--no-pager"].map(OsString::from).into_iter().chain(arguments).collect();
        plan.writable.clear();
        plan.protected.clear();
        // It writes nothing.
        plan.lowest = SandboxLevel::Landlock;
        plan.read_only.push(self.folder.path().to_owned());
        plan.read_only.extend(self.outside.iter().cloned());
        plan.env.retain(|(name, _)| !name.as_bytes().starts_with(b"GIT_"));
        plan.env.extend(self.git_variables());
        Ok(self.executor.launcher.spawn(&plan)?)
    }

    fn git_variables(&self) -> Vec<(OsString, OsString)> {
        let pair = |name: &str, value: &OsStr| (OsString::from(name), value.to_owned());
        let mut all = harmless_variables();
        all.push(pair("GIT_DIR", self.repository.as_os_str()));
        all.push(pair("GIT_WORK_TREE", self.scope.files().paths().root().real_path().as_ref()));
        all
    }
}

/// The variables with which git runs no program that a repository names, and reaches no network.
pub(super) fn harmless_variables() -> Vec<(OsString, OsString)> {
    let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
    let mut all: Vec<_> = VARIABLES.iter().map(|(name, value)| pair(name, value)).collect();
    all.push(pair("GIT_CONFIG_COUNT", &SETTINGS.len().to_string()));
    for (at, (name, value)) in SETTINGS.iter().enumerate() {
        all.push(pair(&format!("GIT_CONFIG_KEY_{at}"), name));
        all.push(pair(&format!("GIT_CONFIG_VALUE_{at}"), value));
    }
    all
}

/// A folder that git takes for the repository's own, of which the workspace is a working tree.
fn in_workspace(files: &WorkspaceFiles, folder: &Path) -> Result<(LinkedMirror, WorkspacePath), GitError> {
    let found = match repository::mirror_repository(files, folder) {
        Ok(own) => LinkedMirror { own, outside: Vec::new() },
        Err(GitError::Outside(place)) => match linked::mirror_linked(files, folder) {
            Err(GitError::NoRepository) => return Err(GitError::Outside(place)),
            found => found?,
        },
        Err(error) => return Err(error),
    };
    Ok((found, WorkspacePath::root()))
}

/// Arguments as git takes them.
fn to_arguments(texts: &[&str]) -> Vec<OsString> {
    texts.iter().map(OsString::from).collect()
}

/// Returns whether bytes are a whole hash.
fn is_hash(bytes: &[u8]) -> bool {
    matches!(bytes.len(), 40 | 64) && bytes.iter().all(u8::is_ascii_hexdigit)
}

/// Returns the arguments that limit git to `paths`; nothing for the whole tree.
fn path_arguments(paths: &[WorkspacePath]) -> Vec<OsString> {
    match paths.iter().any(WorkspacePath::is_root) {
        true => Vec::new(),
        false => paths.iter().map(|path| format!(":(top,literal){}", path.as_str()).into()).collect(),
    }
}

/// Returns the argument that leaves one path out.
fn exclude_argument(path: &[u8]) -> OsString {
    OsString::from_vec([b":(top,exclude,literal)", path].concat())
}

fn lossy_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
