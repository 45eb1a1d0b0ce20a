//! Runs git over the objects that commands made, in a sandbox that sees the objects alone: it counts, names and checks them,
//! and makes one pack of those that are new. Their names are computed again from their contents.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::super::error::ExecutionError;
use super::super::git::{GitError, harmless_variables, settings_of};
use super::super::layer::CommandLayer;
use super::super::{CommandExecutor, run};
use super::changes::WorkingRepository;
use super::view::ViewTime;
use crate::base::run_blocking;
use crate::sandbox::{SandboxPlan, StandardStreams};
use crate::session::CallScope;

/// The limit of time for one run of git.
const LIMIT: Duration = Duration::from_secs(60);
/// The most bytes of git's own message in an error.
const WORDS: usize = 400;
/// The name of the pack until it is named by its content.
const PACK: &str = "new";

/// A folder in which git reads objects: with those of the layer, and without.
#[derive(Debug)]
pub(super) struct ObjectStage<'s> {
    executor: &'s CommandExecutor,
    scope: &'s CallScope,
    folder: CommandLayer,
    /// The folders of objects that git reads.
    objects: Vec<PathBuf>,
}

/// The objects that git sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SeenObjects {
    /// The objects of the repository, and those that commands made.
    All,
    /// The objects of the repository, and the checked ones of those that commands made.
    Checked,
    /// The objects of the repository alone.
    Known,
}

impl SeenObjects {
    fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Checked => "checked",
            Self::Known => "known",
        }
    }
}

impl<'s> ObjectStage<'s> {
    /// Makes a stage for the objects of `repository` and of a layer over it.
    ///
    /// # Errors
    /// Fails if the state folder cannot be written, or if the repository's format is not known.
    pub(super) fn make(
        executor: &'s CommandExecutor,
        scope: &'s CallScope,
        repository: &WorkingRepository,
    ) -> Result<Self, GitError> {
        let doing = ExecutionError::while_doing("preparing what git looks at");
        let folder = CommandLayer::make(scope.files().state())?;
        let view = &repository.shared;
        let settings = view.read(Path::new("config"), ViewTime::Before).unwrap_or_default();
        let settings = settings_of(&String::from_utf8_lossy(&settings))?;
        let [lower, upper] = [view.lower(), view.upper()].map(|side| side.join("objects"));
        let is_folder = |path: &PathBuf| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
        for seen in [SeenObjects::All, SeenObjects::Checked, SeenObjects::Known] {
            let objects = if seen == SeenObjects::All { vec![&upper, &lower] } else { vec![&lower] };
            let git = folder.path().join(seen.name());
            for below in ["objects/pack", "objects/info", "refs"] {
                fs::create_dir_all(git.join(below)).map_err(&doing)?;
            }
            let named = objects.into_iter().filter(|path| is_folder(path));
            let alternates: String = named.map(|path| format!("{}\n", path.display())).collect();
            for (name, text) in [
                ("HEAD", "ref: refs/heads/none\n"),
                ("config", &settings),
                ("objects/info/alternates", &alternates),
            ] {
                fs::write(git.join(name), text).map_err(&doing)?;
            }
        }
        let objects = [upper, lower].into_iter().filter(is_folder).collect();
        Ok(Self { executor, scope, folder, objects })
    }

    /// Runs git, and returns its output.
    ///
    /// # Errors
    /// Fails if git cannot be run, fails itself, or writes too much.
    pub(super) async fn run(
        &self,
        seen: SeenObjects,
        arguments: &[&str],
        input: Vec<u8>,
    ) -> Result<Vec<u8>, GitError> {
        let mut plan = SandboxPlan::new(self.folder.path(), ["git"].iter().chain(arguments))
            .with_writable(self.folder.path());
        plan.read_only.extend(self.objects.iter().cloned());
        let git = self.folder.path().join(seen.name());
        plan.env = harmless_variables();
        plan.env.push(("GIT_DIR".into(), git.into_os_string()));
        run_git(self.executor, self.scope, plan, input).await
    }

    /// Returns the kind (`blob`, `tree` …) of the object under each hash; hashes that git does not find are left out.
    ///
    /// # Errors
    /// As [`ObjectStage::run`].
    pub(super) async fn kinds(
        &self,
        seen: SeenObjects,
        hashes: &BTreeSet<String>,
    ) -> Result<HashMap<String, String>, GitError> {
        if hashes.is_empty() {
            return Ok(HashMap::new());
        }
        let asked: String = hashes.iter().map(|hash| format!("{hash}\n")).collect();
        let output = self
            .run(seen, &["cat-file", "--batch-check=%(objectname) %(objecttype)"], asked.into_bytes())
            .await?;
        let text = String::from_utf8_lossy(&output);
        let pair = |line: &str| line.split_once(' ').map(|(hash, kind)| (hash.to_owned(), kind.to_owned()));
        Ok(text.lines().filter_map(pair).filter(|(_, kind)| kind != "missing").collect())
    }

    /// Makes a pack of the objects that `roots` lead to and `known` do not, and checks each object in it.
    ///
    /// # Errors
    /// Fails if an object is missing, or is not as git makes it.
    pub(super) async fn pack(
        &self,
        roots: &BTreeSet<String>,
        known: &BTreeSet<&String>,
    ) -> Result<(), GitError> {
        let wanted = roots.iter().map(|hash| format!("{hash}\n"));
        let known = known.iter().map(|hash| format!("^{hash}\n"));
        let pack = self.folder.join(Path::new(PACK));
        let base = pack.display().to_string();
        let arguments = ["pack-objects", "--revs", "--quiet", "--no-reuse-delta", "--no-reuse-object", &base];
        let output = self
            .run(SeenObjects::All, &arguments, wanted.chain(known).collect::<String>().into_bytes())
            .await?;
        let name = String::from_utf8_lossy(&output).trim().to_owned();
        let made = |end: &str| self.folder.join(Path::new(&format!("{PACK}-{name}.{end}")));
        let (pack, index) = (made("pack"), self.folder.join(Path::new("checked.idx")));
        let [pack_text, index_text] = [&pack, &index].map(|path| path.display().to_string());
        let check = ["index-pack", "--strict", "-o", &index_text, &pack_text];
        self.run(SeenObjects::Checked, &check, Vec::new()).await?;
        let into = self.folder.join(Path::new("checked/objects/pack"));
        let moving = ExecutionError::while_doing("keeping what git made");
        fs::rename(&pack, into.join(format!("pack-{name}.pack"))).map_err(&moving)?;
        fs::rename(&index, into.join(format!("pack-{name}.idx"))).map_err(&moving)?;
        Ok(())
    }

    /// Returns the files of the packs that were made: the packs first, then their indexes.
    pub(super) fn packs(&self) -> Vec<PathBuf> {
        let folder = self.folder.join(Path::new("checked/objects/pack"));
        let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut packs: Vec<PathBuf> = entries.collect();
        packs.sort_by_key(|path| path.extension().is_some_and(|end| end == "idx"));
        packs
    }

    /// Returns the path for a file that git writes here.
    pub(super) fn place(&self, name: &str) -> PathBuf {
        self.folder.join(Path::new(name))
    }

    /// Runs git on the repository itself, to change its references, or to have an index in this folder written by its rules.
    ///
    /// # Errors
    /// As [`ObjectStage::run`].
    pub(super) async fn run_in_place(
        &self,
        repository: &WorkingRepository,
        arguments: &[&str],
        index: Option<&Path>,
        input: Vec<u8>,
    ) -> Result<Vec<u8>, GitError> {
        let shared = repository.shared.lower();
        let mut plan = SandboxPlan::new(self.folder.path(), ["git"].iter().chain(arguments))
            .with_writable(self.folder.path())
            .with_writable(shared);
        // Git renames files over its own there, which fails on a mount.
        plan.open.push(shared.to_owned());
        plan.env = harmless_variables();
        plan.env.push(("GIT_DIR".into(), repository.own.lower().as_os_str().to_owned()));
        // A submodule's settings name a working tree that the sandbox does not show.
        plan.env.push(("GIT_WORK_TREE".into(), self.folder.path().as_os_str().to_owned()));
        plan.env.extend(index.map(|index| (OsString::from("GIT_INDEX_FILE"), index.as_os_str().to_owned())));
        run_git(self.executor, self.scope, plan, input).await
    }
}

async fn run_git(
    executor: &CommandExecutor,
    scope: &CallScope,
    mut plan: SandboxPlan,
    input: Vec<u8>,
) -> Result<Vec<u8>, GitError> {
    plan.streams = StandardStreams::Piped { input: true };
    plan.limits.wall = Some(LIMIT);
    let running = run_blocking(|| executor.launcher.spawn(&plan)).map_err(ExecutionError::from)?;
    let run = run::run_to_completion(scope, running, None, Some(input), run::WatchedStreams::Errors).await?;
    if run.report.limit.is_some() {
        return Err(GitError::Limit);
    }
    if run.report.exit_code != Some(0) {
        let words = run.errors.captured_text().text;
        return Err(GitError::Failed(words.trim().chars().take(WORDS).collect()));
    }
    match run.output.into_beginning() {
        (bytes, false) => Ok(bytes),
        (_, true) => Err(GitError::TooMuch),
    }
}
