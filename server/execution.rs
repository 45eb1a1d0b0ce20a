//! Commands, run confined: what one may touch is planned from the rules, its output is captured, and what it changed in the
//! workspace is read back as a draft.
//!
//! Invariants: a command of an agent never writes to the workspace itself, but to a layer over it; the rules judge each
//! change that is taken from there; where no sandbox can be built, nothing runs.

mod artifacts;
mod attached;
mod bounds;
mod builds;
mod capture;
mod carrier;
mod changes;
mod closures;
mod error;
mod exported;
mod git;
mod ignored;
mod layer;
mod limit_word;
mod line_whys;
mod live;
mod passed;
mod plan;
mod processes;
mod python;
mod run;
mod script;
mod scrollback;
mod server;
mod terminal_text;
mod tracked;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) use artifacts::Artifact;
pub(crate) use attached::{AttachedOutcome, AttachedRequest};
pub(crate) use bounds::CommandBounds;
pub(crate) use capture::readable;
pub(crate) use carrier::Carrier;
pub(crate) use error::ExecutionError;
pub(crate) use exported::git_diff;
pub(crate) use git::{
    CommitRange, DiffRequest, DiffSides, DiffedFile, GitReader, LineNotes, LogRequest, LoggedCommit,
    StatusEntry,
};
pub(crate) use ignored::IgnoredPaths;
pub(crate) use limit_word::LimitWord;
pub(crate) use line_whys::{WhyRequest, line_whys};
pub(crate) use processes::{Process, ProcessState, Processes};
pub(crate) use python::{PythonError, PythonOutcome, PythonRequest};
pub(crate) use run::RunOutcome;
pub(crate) use script::{ScriptOutcome, ScriptRequest, ScriptRuntime};
pub(crate) use scrollback::OutputPart;
pub(crate) use server::{ServerCommand, StartedServer};

use crate::base::hidden::short;
use crate::base::{WorkspacePath, blocking};
use crate::protocol::CommandEffects;
use crate::registry::{Call, Draft};
use crate::sandbox::{Effects, Launcher, Level, Plan, Planted, Running, SandboxError};
use crate::session::{FedCommand, Scope};
use crate::workspace::{FileKind, Files};
use closures::{ClosureFinder, Closures};
use layer::Layer;
use live::LiveCommand;
use run::Watched;
use scrollback::Scrollback;
use tracked::TrackedFiles;
use wherefore_fetch::HostList;

/// What is said where a command's changes could not be kept apart.
const WRITTEN: &str =
    "what the command changed was written at once; it is not in the log and cannot be undone";

/// Characters of a command that editors are shown.
const SHOWN: usize = 400;

/// A command that a call runs.
#[derive(Clone, Debug)]
pub(crate) struct CommandRequest {
    /// The program and its arguments.
    pub(crate) argv: Vec<String>,
    /// The folder that it starts in.
    pub(crate) cwd: WorkspacePath,
    /// Variables that it is given beside those of every command.
    pub(crate) env: BTreeMap<String, String>,
    /// What it reads from its standard input.
    pub(crate) input: Option<Vec<u8>>,
    /// The hosts that it reaches, through a proxy of ours.
    pub(crate) hosts: HostList,
    /// How long it may run.
    pub(crate) limit: Duration,
}

/// What a command brought about.
#[derive(Debug)]
pub(crate) struct CommandOutcome {
    /// What it wrote, and how it ended.
    pub(crate) run: RunOutcome,
    /// What it changed.
    pub(crate) draft: Draft,
    /// Changes that were not taken, a sentence each.
    pub(crate) left_out: Vec<String>,
}

/// Runs the commands of one workspace.
#[derive(Debug)]
pub(crate) struct Executor {
    launcher: Launcher,
    closures: ClosureFinder,
    tracked: TrackedFiles,
    processes: Processes,
}

impl Executor {
    /// One whose sandboxes are built by `launcher`.
    pub(crate) fn new(launcher: Launcher) -> Self {
        Self {
            launcher,
            closures: ClosureFinder::default(),
            tracked: TrackedFiles::default(),
            processes: Processes::default(),
        }
    }

    /// The commands in the background.
    pub(crate) fn processes(&self) -> &Processes {
        &self.processes
    }

    /// Whether a command's changes can be kept apart from the workspace. Where they cannot, a command writes at once, and
    /// the rules ask about each.
    pub(crate) fn has_layers(&self) -> bool {
        self.launcher.probe().level == Level::Namespaces
    }

    /// What confines the commands of this machine, as each answer says it.
    pub(crate) fn tier(&self) -> String {
        self.launcher.probe().of_commands().to_string()
    }

    /// Tells before anybody is asked that this machine confines nothing.
    ///
    /// # Errors
    /// Where it does not, with how to mend that.
    pub(crate) fn ready(&self) -> Result<(), ExecutionError> {
        match self.launcher.probe() {
            offered if offered.level == Level::Nothing => {
                Err(SandboxError::Unavailable { wanted: Level::Landlock, offered: offered.clone() }.into())
            }
            _ => Ok(()),
        }
    }

    /// What becomes of a command's changes: what the person's settings say, else by whether it is a build. A caller's own word
    /// can only have them reviewed.
    pub(crate) fn effects(
        &self,
        scope: &Scope,
        argv: &[String],
        asked: Option<CommandEffects>,
    ) -> CommandEffects {
        let settings = &scope.settings().sandbox;
        let of_kind = || match builds::is_build(argv, &settings.builds) {
            true => CommandEffects::Apply,
            false => CommandEffects::Review,
        };
        match asked {
            Some(CommandEffects::Review) => CommandEffects::Review,
            _ => settings.effects.unwrap_or_else(of_kind),
        }
    }

    /// Runs a command to its end, and reads what it changed.
    ///
    /// # Errors
    /// Where its folder is none, no sandbox can be built, its program is not there, or what it changed cannot be read.
    pub(crate) async fn run(
        &self,
        scope: &Scope,
        call: &Call,
        request: CommandRequest,
    ) -> Result<CommandOutcome, ExecutionError> {
        self.run_within(scope, call, request, &CommandBounds::default()).await
    }

    /// Runs a command to its end within `bounds`, and reads what it changed.
    ///
    /// # Errors
    /// As [`Executor::run`].
    pub(crate) async fn run_within(
        &self,
        scope: &Scope,
        call: &Call,
        request: CommandRequest,
        bounds: &CommandBounds,
    ) -> Result<CommandOutcome, ExecutionError> {
        // Where its changes are not kept apart they are not those of somebody whom we do not know.
        let is_direct = !self.has_layers() && !bounds.is_read_only();
        let _writing = is_direct.then(|| scope.direct_writer());
        let (layer, running, carrier) = blocking(|| self.start(scope, &request, bounds))?;
        let live = self.live(scope, call, request.argv.join(" "), None);
        let run = run::to_its_end(scope, running, Some(live), request.input, Watched::Both).await?;
        let (mut draft, mut left_out) = match run.report.overlays.first() {
            Some(overlay) => blocking(|| changes::read(scope, overlay))?,
            None if bounds.is_read_only() => <(Draft, Vec<String>)>::default(),
            None => (Draft::default(), vec![format!("{}: {WRITTEN}", run.report.tier)]),
        };
        left_out.extend(run.report.planted.iter().filter_map(|planted| moved_away(scope, planted)));
        drop((layer, carrier));
        bounds.hold(&mut draft, &mut left_out);
        Ok(CommandOutcome { run, draft, left_out })
    }

    /// Starts a command that goes on in the background, until it ends or its limit ends it. It writes to folders that git
    /// ignores, and to the rest of the workspace where the person's settings have changes applied.
    ///
    /// # Errors
    /// As [`Executor::run`].
    pub(crate) fn start_in_background(
        &self,
        scope: &Scope,
        call: &Call,
        request: &CommandRequest,
    ) -> Result<(), ExecutionError> {
        expect_folder(scope, &request.cwd)?;
        let closures = self.closures(scope)?;
        let applies = scope.settings().sandbox.effects == Some(CommandEffects::Apply);
        let ignored = closures.ignored.clone();
        let mut plan = plan::plan(scope, request, closures, Effects::WriteThrough);
        if !applies {
            plan.writable = ignored;
        }
        let writing = applies.then(|| scope.direct_writer());
        let mut running = self.launcher.spawn(&plan)?;
        let carrier = carrier::start(&mut running, &plan, &request.hosts)?;
        let output = Scrollback::default();
        let live = self.live(scope, call, request.argv.join(" "), Some(output.clone()));
        let process = self.processes.add(call, request.argv.clone(), (running, carrier), (live, output))?;
        if writing.is_some() {
            tokio::spawn(async move {
                process.ended().await;
                drop(writing);
            });
        }
        Ok(())
    }

    /// Tells the editors of a command that was started; one whose output is `kept` runs in the background.
    fn live(&self, scope: &Scope, call: &Call, command: String, kept: Option<Scrollback>) -> LiveCommand {
        let feed = scope.command_feed(FedCommand {
            call_id: call.id(),
            why: call.why().as_str(),
            command: short(&command, SHOWN),
            tier: self.tier(),
            background: kept.is_some(),
        });
        LiveCommand::start(feed, kept)
    }

    /// The files and folders of a workspace that the rules close to reading, where nobody said yes.
    ///
    /// # Errors
    /// Where the workspace cannot be listed.
    pub(crate) fn closed(&self, files: &Files) -> std::io::Result<Vec<PathBuf>> {
        Ok(self.closures.find(files)?.masked)
    }

    fn closures(&self, scope: &Scope) -> Result<Closures, ExecutionError> {
        self.closures.find(scope.files()).map_err(ExecutionError::doing("listing the workspace"))
    }

    fn start(
        &self,
        scope: &Scope,
        request: &CommandRequest,
        bounds: &CommandBounds,
    ) -> Result<(Layer, Running, Option<Carrier>), ExecutionError> {
        expect_folder(scope, &request.cwd)?;
        let layer = Layer::make(scope.files().state())?;
        let mut closures = self.closures(scope)?;
        bounds
            .narrow(Path::new(scope.files().root().real()), &mut closures)
            .map_err(ExecutionError::doing("listing the workspace"))?;
        let plan = if bounds.is_read_only() {
            let plan = plan::plan(scope, request, closures, Effects::WriteThrough);
            Plan { lowest: Level::Landlock, writable: Vec::new(), ..plan }
        } else if self.has_layers() || bounds.are_partial() {
            let (folder, direct) = (layer.path().to_owned(), closures.ignored.clone());
            let effects = Effects::Overlay { folder, direct: direct.clone() };
            let mut plan = plan::plan(scope, request, closures, effects);
            plan.writable.extend(direct);
            plan
        } else {
            Plan { lowest: Level::Landlock, ..plan::plan(scope, request, closures, Effects::WriteThrough) }
        };
        let mut running = self.launcher.spawn(&plan)?;
        let carrier = carrier::start(&mut running, &plan, &request.hosts)?;
        Ok((layer, running, carrier))
    }
}

/// What is said of something that a command left in a folder that it writes at once.
fn moved_away(scope: &Scope, planted: &Planted) -> Option<String> {
    planted.quarantined.as_ref()?;
    let path = planted.path.strip_prefix(scope.files().root().real()).unwrap_or(&planted.path);
    Some(format!("{}: it could make programs run, and was moved out of the workspace", path.display()))
}

fn expect_folder(scope: &Scope, path: &WorkspacePath) -> Result<(), ExecutionError> {
    let what = match scope.files().stat(path)? {
        Some(stat) if stat.kind == FileKind::Folder => return Ok(()),
        Some(stat) => stat.kind.noun(),
        None => "not there",
    };
    Err(ExecutionError::Start { path: path.as_str().to_owned(), what })
}
