//! Git, which reads a repository in a sandbox without the repository's own settings.
//!
//! Invariants: git is given settings of ours alone, so that nothing runs that a repository names; it writes nothing and
//! reaches nobody; of a file that the rules close, no content is asked for.

mod blame;
mod change;
mod config;
mod contents;
mod diff;
mod error;
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
pub(crate) use diff::{DiffRequest, DiffSides, DiffedFile};
pub(crate) use log::{CommitRange, LogRequest, LoggedCommit};
pub(crate) use notes::LineNotes;
pub(crate) use status::StatusEntry;

use super::closures::Closures;
use super::error::ExecutionError;
use super::layer::Layer;
use super::{CommandRequest, Executor, plan, run};
use crate::base::{WorkspacePath, blocking};
use crate::protocol::Access;
use crate::sandbox::{Effects, Running};
use crate::session::Scope;
use crate::workspace::Files;
use error::GitError;
use linked::LinkedMirror;

/// How long one run of git may take.
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
    executor: &'c Executor,
    scope: &'c Scope,
    closures: Closures,
    /// What git takes for the repository's own folder.
    repository: PathBuf,
    /// The folders outside of the workspace that it leads to.
    outside: Vec<PathBuf>,
    folder: Layer,
}

/// What git wrote.
#[derive(Debug)]
struct GitOutput {
    bytes: Vec<u8>,
    /// Whether it wrote more.
    is_cut: bool,
}

impl<'c> GitReader<'c> {
    /// Finds the repository, for a call that is about `paths`.
    ///
    /// # Errors
    /// Where there is none, it stands outside of the workspace, or the rules close it.
    pub(crate) fn open(
        executor: &'c Executor,
        scope: &'c Scope,
        paths: &[WorkspacePath],
    ) -> Result<Self, GitError> {
        Self::reading(executor, scope, paths, |files, folder| {
            Ok(LinkedMirror { own: repository::mirror(files, folder)?, outside: Vec::new() })
        })
    }

    /// The same for what is said of the lines of `paths` alone. The repository may also stand outside of the workspace, where
    /// it says itself that the workspace is a working tree of its own.
    ///
    /// # Errors
    /// Where there is none, it is another working tree's, or the rules close it.
    pub(crate) fn open_for_lines(
        executor: &'c Executor,
        scope: &'c Scope,
        paths: &[WorkspacePath],
    ) -> Result<Self, GitError> {
        Self::reading(executor, scope, paths, |files, folder| match repository::mirror(files, folder) {
            Ok(own) => Ok(LinkedMirror { own, outside: Vec::new() }),
            Err(GitError::Outside(_)) => linked::mirror(files, folder),
            Err(error) => Err(error),
        })
    }

    fn reading(
        executor: &'c Executor,
        scope: &'c Scope,
        paths: &[WorkspacePath],
        mirror: impl FnOnce(&Files, &Path) -> Result<LinkedMirror, GitError>,
    ) -> Result<Self, GitError> {
        blocking(|| {
            let folder = Layer::make(scope.files().state())?;
            let LinkedMirror { own: repository, outside } = mirror(scope.files(), folder.path())?;
            let mut closures = executor.closures(scope)?;
            // A yes to a file is none to its folder, through which git has to go.
            let root = Path::new(scope.files().root().real());
            let leads_to = |masked: &Path, path: &WorkspacePath| root.join(path.as_str()).starts_with(masked);
            closures.masked.retain(|masked| !paths.iter().any(|path| leads_to(masked, path)));
            Ok(Self { executor, scope, closures, repository, outside, folder })
        })
    }

    /// The hashes of the commits that `revisions` name, in their order; nothing for one that names none.
    async fn find(&self, revisions: &[String]) -> Result<Vec<Option<String>>, GitError> {
        if let Some(odd) = revisions.iter().find(|revision| revision.chars().any(char::is_control)) {
            return Err(GitError::Revision(odd.clone()));
        }
        let asked: String = revisions.iter().map(|revision| format!("{revision}^{{commit}}\n")).collect();
        let arguments = ["cat-file", "--batch-check=%(objectname) %(objecttype)"];
        let output = self.run(arguments.map(OsString::from).into(), Some(asked.into_bytes())).await?;
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
    async fn commit(&self, revision: &str) -> Result<String, GitError> {
        let found = self.find(&[revision.to_owned()]).await?.pop().flatten();
        found.ok_or_else(|| GitError::Revision(revision.to_owned()))
    }

    /// Whether the rules close a path of the repository to this call.
    fn is_closed(&self, path: &[u8]) -> bool {
        // A name that is no text is judged by its other characters, and by the folders above it.
        let path = WorkspacePath::clean(&String::from_utf8_lossy(path));
        path.is_none_or(|path| self.scope.files().permit(Access::Read, &path).is_err())
    }

    async fn run(&self, arguments: Vec<OsString>, input: Option<Vec<u8>>) -> Result<GitOutput, GitError> {
        let running = blocking(|| self.start(arguments, input.is_some()))?;
        let run = run::to_its_end(self.scope, running, None, input, run::Watched::Errors).await?;
        if run.report.limit.is_some() {
            return Err(GitError::Limit);
        }
        if run.report.exit_code != Some(0) {
            let words = run.errors.text().text;
            return Err(GitError::Failed(words.trim().chars().take(WORDS).collect()));
        }
        let (bytes, is_cut) = run.output.into_beginning();
        Ok(GitOutput { bytes, is_cut })
    }

    fn start(&self, arguments: Vec<OsString>, has_input: bool) -> Result<Running, ExecutionError> {
        let request = CommandRequest {
            argv: Vec::new(),
            cwd: WorkspacePath::root(),
            env: BTreeMap::new(),
            input: has_input.then(Vec::new),
            hosts: HostList::default(),
            limit: LIMIT,
        };
        let mut plan = plan::plan(self.scope, &request, self.closures.clone(), Effects::WriteThrough);
        plan.argv = ["git", "--no-pager"].map(OsString::from).into_iter().chain(arguments).collect();
        plan.writable.clear();
        plan.protected.clear();
        plan.read_only.push(self.folder.path().to_owned());
        plan.read_only.extend(self.outside.iter().cloned());
        plan.env.retain(|(name, _)| !name.as_bytes().starts_with(b"GIT_"));
        plan.env.extend(self.variables());
        Ok(self.executor.launcher.spawn(&plan)?)
    }

    fn variables(&self) -> Vec<(OsString, OsString)> {
        let pair = |name: &str, value: &OsStr| (OsString::from(name), value.to_owned());
        let mut all: Vec<_> = VARIABLES.iter().map(|(name, value)| pair(name, value.as_ref())).collect();
        all.push(pair("GIT_CONFIG_COUNT", SETTINGS.len().to_string().as_ref()));
        for (at, (name, value)) in SETTINGS.iter().enumerate() {
            all.push(pair(&format!("GIT_CONFIG_KEY_{at}"), name.as_ref()));
            all.push(pair(&format!("GIT_CONFIG_VALUE_{at}"), value.as_ref()));
        }
        all.push(pair("GIT_DIR", self.repository.as_os_str()));
        all.push(pair("GIT_WORK_TREE", self.scope.files().root().real().as_ref()));
        all
    }
}

/// Arguments as git takes them.
fn arguments(texts: &[&str]) -> Vec<OsString> {
    texts.iter().map(OsString::from).collect()
}

/// Whether bytes are a whole hash.
fn is_hash(bytes: &[u8]) -> bool {
    matches!(bytes.len(), 40 | 64) && bytes.iter().all(u8::is_ascii_hexdigit)
}

/// What limits git to `paths`; nothing for the whole tree.
fn only(paths: &[WorkspacePath]) -> Vec<OsString> {
    match paths.iter().any(WorkspacePath::is_root) {
        true => Vec::new(),
        false => paths.iter().map(|path| format!(":(top,literal){}", path.as_str()).into()).collect(),
    }
}

/// What leaves one path out.
fn all_but(path: &[u8]) -> OsString {
    OsString::from_vec([b":(top,exclude,literal)", path].concat())
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
