//! Commands, run confined: what one may touch is planned from the rules, its output is captured, and what it changed in the
//! workspace is read back as a draft.
//!
//! Invariants: a command of an agent never writes to the workspace itself, but to a layer over it, or else what it may
//! change is kept beforehand; the rules judge each change that is taken from there; where no sandbox can be built, nothing runs.
//!
//! # Invariants
//!
//! - No command that failed is reported as a call that went well, by a notice, a message or the log.
//!   Test: `a_command_that_fails_is_told_as_failed_by_every_way`,
//!   `any_editor_that_shows_every_call_shows_a_command_that_failed`
//! - No command of an agent writes to the workspace but through a proposal, or to a path that git ignores and does
//!   not track, in a repository, by a pattern that the person knows, unless the person's settings say so, or its
//!   changes cannot be kept in a layer: then they are reviewed afterwards. None reads a path that the rules close.
//!   Test: `what_a_command_changes_is_decided_hunk_by_hunk`,
//!   `a_build_is_applied_and_what_git_ignores_is_written_directly`,
//!   `what_git_tracks_is_reviewed_whatever_pattern_matches_it`, `an_index_of_any_form_is_asked`,
//!   `only_git_and_only_patterns_that_were_looked_at_decide`, `nothing_is_written_directly_where_no_repository_is`,
//!   `a_direct_write_breaks_a_hard_link`, `a_build_is_what_the_projects_own_files_define`,
//!   `what_a_command_changes_in_place_is_reviewed_and_taken_back`, `what_the_rules_close_is_closed_to_commands`
//! - No command outlives its limit, its cancelled call or its server, however it starts others.
//!   Test: `a_limit_ends_a_command_with_all_that_it_started`

mod apart_layer;
mod artifacts;
mod attached;
mod bounds;
mod builds;
mod capture;
mod change_order;
mod changes;
mod closures;
mod command_closures;
mod command_layers;
mod connections;
mod direct;
mod error;
mod forwarded_port;
mod git;
mod git_diff;
mod guard;
mod ignored_paths;
mod in_place;
mod index_copy;
mod index_file;
mod inner;
mod kept_apart;
mod kept_layers;
mod layer;
mod layer_covers;
mod layer_files;
mod limit_word;
mod line_whys;
mod live_output;
mod pass_ignored;
mod person_git;
mod person_tools;
mod plan;
mod planted_files;
mod processes;
mod python;
mod repository_layer;
mod run;
mod run_later;
mod sandbox_limits;
mod script;
mod scrollback;
mod session_caches;
mod session_servers;
mod silent;
mod started_server;
mod temporary;
mod terminal_text;
mod tracked_files;
mod unlooked;
mod vetted_files;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

pub(crate) use artifacts::Artifact;
pub(crate) use attached::{AttachedOutcome, AttachedRequest};
pub(crate) use bounds::CommandBounds;
pub(crate) use builds::CommandKind;
pub(crate) use capture::plain_text;
pub(crate) use connections::ConnectionCarrier;
pub(crate) use error::ExecutionError;
pub(crate) use git::{
    CommitRange, DiffRequest, DiffSides, DiffedFile, GitReader, LineNotes, LogRequest, LoggedCommit,
    StatusEntry,
};
pub(crate) use git_diff::git_diff;
pub(crate) use ignored_paths::IgnoredPaths;
pub(crate) use in_place::{BrokenOffCommand, InPlaceRuns};
pub(crate) use kept_apart::TakeOverOutcome;
pub(crate) use layer::sweep_layers;
pub(crate) use limit_word::{GivenBounds, LONGER_BY_DEFINITION, LimitWord};
pub(crate) use line_whys::{WhyRequest, line_whys};
pub(crate) use planted_files::planted_files;
pub(crate) use processes::{BackgroundCommand, BackgroundCommands, ProcessState};
pub(crate) use python::{PythonError, PythonOutcome, PythonRequest};
pub(crate) use repository_layer::{RepositoryDecision, TakenRepository};
pub(crate) use run::RunOutcome;
pub(crate) use script::{JavaScriptRequest, ScriptOutcome, ScriptRuntime};
pub(crate) use scrollback::OutputPart;
pub(crate) use session_servers::ReachedPort;
pub(crate) use started_server::{ServerCommand, StartedServer};

use crate::base::hidden::shorten_to_line;
use crate::base::{WorkspacePath, run_blocking};
use crate::protocol::{ChangeKind, CommandEffects, DirectWrites, PathAccess};
use crate::registry::{CallDraft, CheckedCall, PathChange};
use crate::rules::PathRuling;
use crate::sandbox::{
    RunningCommand, SandboxError, SandboxLauncher, SandboxLevel, SandboxPlan, WriteEffects,
};
use crate::session::{CallScope, FedCommand};
use crate::workspace::FileKind;
use closures::Closures;
use command_closures::CommandClosures;
use command_layers::CommandLayers;
use direct::{BackgroundFolders, DirectRequest};
use in_place::InPlaceRun;
use layer::CommandLayer;
use live_output::LiveCommand;
use run::WatchedStreams;
use scrollback::Scrollback;
use session_caches::CacheLayers;
use session_servers::{ServingCommand, SessionServers};
use tracked_files::TrackedFiles;
use wherefore_fetch::HostList;

/// Characters of a command that editors are shown.
const SHOWN_CHARS: usize = 400;

/// A command that a call runs.
#[derive(Clone, Debug)]
pub(crate) struct CommandRequest {
    /// The program and its arguments.
    pub(crate) argv: Vec<String>,
    /// The folder that it starts in.
    pub(crate) cwd: WorkspacePath,
    /// The variables that it gets in addition to those of every command.
    pub(crate) env: BTreeMap<String, String>,
    /// The standard input.
    pub(crate) input: Option<Vec<u8>>,
    /// The hosts that it reaches, through wherefore's proxy.
    pub(crate) hosts: HostList,
    /// The time that it may run.
    pub(crate) limit: Duration,
}

/// The outcome of a command.
#[derive(Debug)]
pub(crate) struct CommandOutcome {
    /// The run: the command's output and its end.
    pub(crate) run: RunOutcome,
    /// The changes, as a draft.
    pub(crate) draft: CallDraft,
    /// Changes that were not taken, a sentence each.
    pub(crate) left_out: Vec<String>,
    /// The changes of ignored paths, which are already written.
    pub(crate) written: Vec<DirectWrites>,
    /// The kind of the command: a build, or any other.
    pub(crate) kind: CommandKind,
}

/// Runs the commands of one workspace.
#[derive(Debug)]
pub(crate) struct CommandExecutor {
    launcher: SandboxLauncher,
    closures: CommandClosures,
    tracked: TrackedFiles,
    processes: BackgroundCommands,
    servers: SessionServers,
    in_place: Arc<InPlaceRuns>,
    /// Held while a decision on the repository is carried out.
    repository: tokio::sync::Mutex<()>,
}

impl CommandExecutor {
    /// Creates an executor whose sandboxes `launcher` builds.
    pub(crate) fn new(launcher: SandboxLauncher) -> Self {
        Self {
            launcher,
            closures: CommandClosures::default(),
            tracked: TrackedFiles::default(),
            processes: BackgroundCommands::default(),
            servers: SessionServers::default(),
            in_place: Arc::default(),
            repository: tokio::sync::Mutex::default(),
        }
    }

    /// The commands in the background.
    pub(crate) fn background_commands(&self) -> &BackgroundCommands {
        &self.processes
    }

    /// The parts of the workspace that commands do not see.
    pub(crate) fn closures(&self) -> &CommandClosures {
        &self.closures
    }

    /// The commands that write in place.
    pub(crate) fn in_place(&self) -> &Arc<InPlaceRuns> {
        &self.in_place
    }

    /// Returns whether a command's changes can be kept apart from the workspace. Where they cannot, a command writes in
    /// place, and the settings say whether the person is asked first.
    pub(crate) fn has_layers(&self) -> bool {
        self.launcher.probe().level == SandboxLevel::Namespaces
    }

    /// The confinement tier of commands on this machine, as each answer names it.
    pub(crate) fn sandbox_tier(&self) -> String {
        self.launcher.probe().of_commands().to_string()
    }

    /// Checks that this machine can confine commands, before the person is asked.
    ///
    /// # Errors
    /// Fails where it cannot, with how to mend that.
    pub(crate) fn ensure_confined(&self) -> Result<(), ExecutionError> {
        match self.launcher.probe() {
            offered if offered.level == SandboxLevel::Nothing => {
                Err(SandboxError::Unavailable { wanted: SandboxLevel::Landlock, offered: offered.clone() }
                    .into())
            }
            _ => Ok(()),
        }
    }

    /// The kind of a command, by which its changes are applied or reviewed. It is asked for before the command runs.
    pub(crate) fn command_kind(&self, scope: &CallScope, request: &CommandRequest) -> CommandKind {
        run_blocking(|| builds::command_kind(scope, request))
    }

    /// Returns whether a command's changes are applied: the person's settings decide, else it is so where it is a build
    /// and all of its changes are new files that git does not track and that make no program run. A caller's own policy
    /// can only have them reviewed.
    pub(crate) async fn applies_changes(
        &self,
        scope: &CallScope,
        kind: CommandKind,
        asked: Option<CommandEffects>,
        draft: &CallDraft,
    ) -> bool {
        match (asked, scope.settings().sandbox.effects) {
            (Some(CommandEffects::Review), _) | (_, Some(CommandEffects::Review)) => false,
            (_, Some(CommandEffects::Apply)) => true,
            (_, None) => kind == CommandKind::Build && self.is_all_new(scope, &draft.changes).await,
        }
    }

    /// Returns whether changes are nothing but new files, of which git tracks none and no rule speaks.
    async fn is_all_new(&self, scope: &CallScope, changes: &[PathChange]) -> bool {
        let rules = scope.files().paths().rules();
        let is_new = |change: &PathChange| {
            let is_made = match change.kind {
                ChangeKind::Create | ChangeKind::Mkdir => true,
                ChangeKind::Binary => change.before.is_none(),
                _ => false,
            };
            let path = &change.path;
            is_made
                && path.name() != ignored_paths::IGNORE_FILE
                && rules.paths().change_warning(path).is_none()
                && rules.paths().check_access(PathAccess::Write, path) == PathRuling::Allow
        };
        if changes.is_empty() || !changes.iter().all(is_new) {
            return false;
        }
        let Ok(reader) = GitReader::open_for_index(self, scope) else { return false };
        let paths: Vec<&WorkspacePath> = changes.iter().map(|change| &change.path).collect();
        match reader.index_part(&paths).await {
            Ok(index) => !paths.iter().any(|path| index.has_path(path)),
            Err(_) => false,
        }
    }

    /// Runs a command to its end within `bounds`, and reads its changes.
    ///
    /// # Errors
    /// Fails where its folder is none, no sandbox can be built, its program does not exist, or its changes cannot be
    /// read.
    pub(crate) async fn run_within(
        &self,
        scope: &CallScope,
        call: &CheckedCall,
        request: CommandRequest,
        bounds: &CommandBounds,
    ) -> Result<CommandOutcome, ExecutionError> {
        let is_in_place = !self.has_layers() && !bounds.is_read_only() && !bounds.are_partial();
        let kind = self.command_kind(scope, &request);
        let began = SystemTime::now();
        let in_place = match is_in_place {
            true => Some(self.in_place.begin_run(self, scope, call, &request.argv).await?),
            false => None,
        };
        let started = run_blocking(|| self.start_command(scope, &request, bounds, in_place.as_ref()));
        let (layer, layers, running, carrier) = match started {
            Ok(started) => started,
            Err(error) => {
                in_place.into_iter().for_each(InPlaceRun::forget);
                return Err(error);
            }
        };
        let live = self.start_live(scope, call, request.argv.join(" "), None);
        let CommandRequest { argv, input, .. } = request;
        let run = run::run_to_completion(scope, running, Some(live), input, WatchedStreams::Both).await?;
        let mut written = Vec::new();
        let kept = run_blocking(|| layers.take_back(scope, &run.report))?;
        let (mut draft, mut left_out) = match run.report.overlays.first() {
            Some(overlay) => {
                let request = DirectRequest { bounds, kind, began };
                let direct = direct::write_ignored(self, scope, overlay, request).await?;
                let (draft, mut left_out) = run_blocking(|| changes::read_changes(scope, overlay))?;
                written = direct.written;
                left_out.extend(direct.left_out);
                (draft, left_out)
            }
            None => match in_place {
                Some(in_place) => {
                    let failed = (run.report.exit_code != Some(0)).then_some(run.report.tier.level);
                    let outcome = in_place.end(self, scope, failed).await;
                    written = outcome.written;
                    (outcome.draft, outcome.left_out)
                }
                None => <(CallDraft, Vec<String>)>::default(),
            },
        };
        left_out.extend(kept);
        left_out.extend(planted_files(scope, &run.report));
        left_out.extend(sandbox_limits::describe_limits(scope, &argv, &run.report));
        drop((layer, carrier));
        bounds.filter_draft(&mut draft, &mut left_out);
        Ok(CommandOutcome { run, draft, left_out, written, kind })
    }

    /// Starts a command that goes on in the background, until it ends or its limit ends it. It writes to ignored
    /// folders, and to the rest of the workspace where the person's settings apply changes. Returns a sentence for each
    /// ignored folder that it does not write.
    ///
    /// # Errors
    /// As [`CommandExecutor::run_within`].
    pub(crate) async fn start_in_background(
        &self,
        scope: &CallScope,
        call: &CheckedCall,
        request: &CommandRequest,
    ) -> Result<Vec<String>, ExecutionError> {
        expect_folder(scope, &request.cwd)?;
        let closures = self.closures.find_lasting(scope)?;
        let applies = scope.settings().sandbox.effects == Some(CommandEffects::Apply);
        let folders = direct::background_folders(self, scope, closures.ignored.clone()).await;
        let sentences = folders.describe_unwritten(
            Path::new(scope.files().paths().root().real_path()),
            applies,
            self.has_layers(),
        );
        let writing = applies.then(|| scope.direct_writer());
        let (running, carrier, layers) =
            run_blocking(|| self.start_beside(scope, request, closures, folders, applies))?;
        let output = Scrollback::default();
        let live = self.start_live(scope, call, request.argv.join(" "), Some(output.clone()));
        let mut notices = live.new_stream();
        let held = (running, (carrier, layers));
        let process = self.processes.add_command(call, request.argv.clone(), held, (live, output))?;
        let serving = ServingCommand::Background(call.id().clone(), process.clone());
        let tell = move |text: &str| notices.push(format!("[wherefore: {text}]\r\n").as_bytes());
        // It ends with its command.
        drop(self.servers.follow(serving, scope.settings().sandbox.ports, tell));
        if writing.is_some() {
            tokio::spawn(async move {
                process.wait_ended().await;
                drop(writing);
            });
        }
        Ok(sentences)
    }

    /// Starts a command that writes to ignored folders, or to all of the workspace where it `applies_changes`. What it writes where
    /// files have names elsewhere goes to a layer that ends with it.
    fn start_beside(
        &self,
        scope: &CallScope,
        request: &CommandRequest,
        closures: Closures,
        folders: BackgroundFolders,
        applies: bool,
    ) -> Result<(RunningCommand, Option<ConnectionCarrier>, HeldLayers), ExecutionError> {
        let mut plan = plan::plan_command(scope, request, closures, WriteEffects::WriteThrough);
        plan.earlier = kept_apart::earlier_layer(scope);
        let is_layered = !applies && self.has_layers() && !folders.shared.is_empty();
        let layer = is_layered.then(|| CommandLayer::make(scope.files().state())).transpose()?;
        match &layer {
            _ if applies => plan.protected.extend(folders.shared),
            None => plan.writable = folders.direct,
            Some(layer) => {
                plan.effects =
                    WriteEffects::Overlay { folder: layer.path().to_owned(), direct: folders.direct.clone() };
                plan.writable = [folders.direct, folders.shared].concat();
            }
        }
        plan.shared_network = self.servers.make_network(&self.launcher);
        let caches = session_caches::place(&mut plan, scope, true);
        let mut running = self.launcher.spawn(&plan)?;
        let carrier = connections::start_carrier(&mut running, &plan, &request.hosts)?;
        Ok((running, carrier, (layer, caches)))
    }

    /// Notifies the editors of a started command; one whose output is `kept` runs in the background.
    fn start_live(
        &self,
        scope: &CallScope,
        call: &CheckedCall,
        command: String,
        kept: Option<Scrollback>,
    ) -> LiveCommand {
        let feed = scope.command_feed(FedCommand {
            call_id: call.id(),
            why: call.why().as_str(),
            command: shorten_to_line(&command, SHOWN_CHARS),
            tier: self.sandbox_tier(),
            background: kept.is_some(),
        });
        LiveCommand::start_feed(feed, kept)
    }

    /// Returns whether git has a file of the workspace in its index.
    pub(crate) async fn is_tracked(&self, scope: &CallScope, path: &WorkspacePath) -> bool {
        match GitReader::open(self, scope, std::slice::from_ref(path)) {
            Ok(reader) => reader.is_tracked(path).await,
            Err(_) => false,
        }
    }

    fn start_command(
        &self,
        scope: &CallScope,
        request: &CommandRequest,
        bounds: &CommandBounds,
        in_place: Option<&InPlaceRun>,
    ) -> Result<(CommandLayer, CommandLayers, RunningCommand, Option<ConnectionCarrier>), ExecutionError>
    {
        expect_folder(scope, &request.cwd)?;
        let layer = CommandLayer::make(scope.files().state())?;
        let mut closures = match in_place {
            Some(run) => run.closures.clone(),
            None => self.closures.find_closures(scope)?,
        };
        bounds
            .narrow_closures(Path::new(scope.files().paths().root().real_path()), &mut closures)
            .map_err(ExecutionError::while_doing("listing the workspace"))?;
        let (found, mut layers) = (closures.clone(), CommandLayers::default());
        let mut plan = if bounds.is_read_only() {
            let plan = plan::plan_command(scope, request, closures, WriteEffects::WriteThrough);
            SandboxPlan { lowest: SandboxLevel::Landlock, writable: Vec::new(), ..plan }
        } else if let Some(run) = in_place {
            let mut plan = plan::plan_command(scope, request, closures, WriteEffects::WriteThrough);
            run.walls.apply(&mut plan);
            plan
        } else {
            let effects = WriteEffects::Overlay { folder: layer.path().to_owned(), direct: Vec::new() };
            let mut plan = SandboxPlan {
                earlier: kept_apart::earlier_layer(scope),
                ..plan::plan_command(scope, request, closures, effects)
            };
            layers = {
                let index = bounds.are_none().then_some(self.closures.index());
                CommandLayers::place(&mut plan, scope, (&found, index), layer.path())?
            };
            plan
        };
        plan.shared_network = self.servers.network();
        layers.caches = session_caches::place(&mut plan, scope, false);
        let mut running = self.launcher.spawn(&plan)?;
        let carrier = connections::start_carrier(&mut running, &plan, &request.hosts)?;
        Ok((layer, layers, running, carrier))
    }
}

/// The layers of a command in the background.
type HeldLayers = (Option<CommandLayer>, CacheLayers);

fn expect_folder(scope: &CallScope, path: &WorkspacePath) -> Result<(), ExecutionError> {
    let what = match scope.files().stat(path)? {
        Some(stat) if stat.kind == FileKind::Folder => return Ok(()),
        Some(stat) => stat.kind.noun(),
        None => "not there",
    };
    Err(ExecutionError::Start { path: path.as_str().to_owned(), what })
}
