//! A workspace folder: its session and the parts that work on it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::LogDocument;
use super::attached_commands::AttachedCommands;
use super::command_tokens::CommandTokens;
use super::error::SessionLogError;
use super::native::{AnnouncedCommands, LetThrough};
use super::notify_files;
use super::sweep;
use super::toolbox::{Toolbox, ToolboxNotifier};
use super::trail::DiscoveryTrail;
use crate::base::{CallId, WorkspacePath};
use crate::execution::{CommandExecutor, WhyRequest, line_whys};
use crate::pipeline::CallPipeline;
use crate::proposals::ProposalQueue;
use crate::protocol::{Fault, LineWhys, Origin, PathAccess, Proposal, ProposalsParams, WorkspaceStatus};
use crate::sandbox::SandboxLauncher;
use crate::session::{CallScope, SessionOptions, WorkspaceSession};
use crate::tools;
use crate::workspace::WorkspaceError;

/// A workspace folder with everything that serves it.
pub struct ServedFolder {
    session: Arc<WorkspaceSession>,
    toolbox: Arc<Toolbox>,
    queue: Arc<ProposalQueue>,
    pipeline: Arc<CallPipeline>,
    executor: Arc<CommandExecutor>,
    trail: DiscoveryTrail,
    attached_commands: AttachedCommands,
    command_tokens: CommandTokens,
    announced_commands: AnnouncedCommands,
    let_through_calls: LetThrough,
}

impl ServedFolder {
    /// Opens the folder at an absolute path.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such folder.
    pub fn open(
        path: &str,
        options: SessionOptions,
        launcher: SandboxLauncher,
        news: Arc<ToolboxNotifier>,
        environment: Option<String>,
    ) -> Result<Self, WorkspaceError> {
        let short_lived = options.shared_log;
        let session = Arc::new(WorkspaceSession::open(path, options)?);
        let queue = Arc::new(ProposalQueue::open(session.clone()));
        let executor = Arc::new(CommandExecutor::new(launcher));
        let activities = tools::activities(&queue, &executor);
        let toolbox = Toolbox::open(session.clone(), activities, executor.clone(), news, environment);
        // The command line is gone before anything changes.
        if !short_lived {
            toolbox.watch_files();
            toolbox.settle_soon();
            toolbox.keep_similarity();
            notify_files::start_notifier(&session);
            session.keep_current();
            queue.disk().follow_disk();
            sweep::start_sweep(&session, &queue);
        }
        let pipeline =
            Arc::new(CallPipeline::new(session.clone(), toolbox.registry().clone(), queue.clone()));
        Ok(Self {
            session,
            toolbox,
            queue,
            pipeline,
            executor,
            trail: DiscoveryTrail::default(),
            attached_commands: AttachedCommands::default(),
            command_tokens: CommandTokens::default(),
            announced_commands: AnnouncedCommands::default(),
            let_through_calls: LetThrough::default(),
        })
    }

    /// Its absolute path.
    pub fn root(&self) -> &str {
        self.session.workspace().root()
    }

    /// Its state.
    pub fn session(&self) -> &Arc<WorkspaceSession> {
        &self.session
    }

    /// Its proposals.
    pub fn queue(&self) -> &Arc<ProposalQueue> {
        &self.queue
    }

    /// The executor of its commands.
    pub(super) fn executor(&self) -> &Arc<CommandExecutor> {
        &self.executor
    }

    /// The pipeline of its calls.
    pub fn pipeline(&self) -> &Arc<CallPipeline> {
        &self.pipeline
    }

    /// The commands that agents' hooks announced.
    pub(super) fn announced_commands(&self) -> &AnnouncedCommands {
        &self.announced_commands
    }

    /// The calls of agents' own tools that were let through.
    pub(super) fn let_through_calls(&self) -> &LetThrough {
        &self.let_through_calls
    }

    /// The commands that run at their callers'.
    pub fn attached_commands(&self) -> &AttachedCommands {
        &self.attached_commands
    }

    /// The tokens of commands that were let into the sandbox.
    pub fn command_tokens(&self) -> &CommandTokens {
        &self.command_tokens
    }

    /// Cancels a call, or ends the command that it left in the background; returns whether either of them ran.
    pub fn cancel_call(&self, call: &CallId) -> bool {
        let left = self.executor.background_commands().get(call).filter(|process| process.is_running());
        left.iter().for_each(|process| process.kill());
        self.pipeline.cancel_call(call) || left.is_some()
    }

    /// Its tools, and where they come from.
    pub fn toolbox(&self) -> &Arc<Toolbox> {
        &self.toolbox
    }

    /// The trail by which agents came to the tools that they call.
    pub fn trail(&self) -> &DiscoveryTrail {
        &self.trail
    }

    /// Its proposals as an agent may see them: none with a file that the rules close or ask about.
    pub fn proposals_unasked(&self, params: &ProposalsParams) -> Vec<Proposal> {
        let files = self.session.files().unasked_files();
        let open = |path: &WorkspacePath| files.paths().check_access(PathAccess::Read, path).is_ok();
        let shown = |proposal: &Proposal| {
            proposal.files.iter().all(|file| open(&file.path) && file.from.as_ref().is_none_or(open))
        };
        let items = self.queue.store().select_items(params);
        items.iter().map(|item| item.proposal()).filter(|proposal| shown(proposal)).cloned().collect()
    }

    /// Returns the status of the folder.
    pub fn workspace_status(&self) -> WorkspaceStatus {
        self.session.count_earlier_calls();
        let (pending_hunks, pending_files) = self.queue.store().waiting_counts();
        let opened = self.session.log().journal_if_open().map(|journal| journal.session().to_owned());
        let environment = self.toolbox.environment_answer();
        let replaced = environment.environments.get(&environment.environment).cloned().unwrap_or_default();
        // The log of an ended session holds its calls.
        let ended = opened.is_none().then(|| self.session.log().last_session()).flatten();
        let tally = match &ended {
            Some(name) => self.session.log().tally_of(name),
            None => self.session.presence().tally(),
        };
        let session = opened.or(ended).unwrap_or_default();
        let mut problems = self.session.problems();
        problems.extend(self.toolbox.problems().iter().map(|problem| {
            format!("{}:{}: {} ({})", problem.path, problem.line, problem.message, problem.rule)
        }));
        problems.extend(self.toolbox.troubles());
        // Of a model that fails for tools too it is said once.
        problems.extend(self.session.search().model_trouble().filter(|trouble| !problems.contains(trouble)));
        problems.extend(self.session.memory().note_files().current_notes().problems());
        WorkspaceStatus {
            root: self.root().to_owned(),
            log: if session.is_empty() { String::new() } else { self.session.log().log_path(&session) },
            session,
            calls: tally.calls,
            ways: tally.ways,
            agents: tally.agents.into_iter().collect(),
            running: self.session.presence().running_calls(),
            latent: tally.latent,
            pending_hunks,
            unreviewed_hunks: self.queue.store().count_unreviewed(),
            pending_files,
            problems,
            servers: self.toolbox.upstreams().server_statuses(),
            watch: self.session.search().watch_status(),
            environment: environment.environment,
            replaced,
            own_environments: self.session.presence().own_environments(),
        }
    }

    /// Ends its servers and its log.
    pub fn close(&self) {
        self.toolbox.similarity().close();
        self.toolbox.upstreams().close();
        // Decisions that the log still refuses are lost: there is no one left to report it to.
        let _ = self.queue.store().log().write_unlogged();
        self.session.close();
    }

    /// Returns the reasons why lines of a file are as they are, for a person.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such file or line, and what keeps the file from being read.
    pub async fn line_whys(
        &self,
        path: &str,
        (start, end): (u32, Option<u32>),
        has_commits: bool,
        text: Option<String>,
    ) -> Result<LineWhys, Fault> {
        let cancel = CancellationToken::default();
        let scope = CallScope::new(self.session.clone(), &Origin::default(), cancel, None);
        let request = WhyRequest { path: scope.parse_path(path)?, start, end, has_commits, text };
        line_whys(&self.executor, &scope, &request).await
    }

    /// Its open log, or that of an earlier session.
    ///
    /// # Errors
    /// NOT_FOUND where there is none.
    pub fn session_log(&self, session: Option<&str>) -> Result<LogDocument, SessionLogError> {
        let session = match session {
            Some(session) => session.to_owned(),
            None => self.session.log().journal()?.session().to_owned(),
        };
        // The reader of a log sees all events so far.
        if let Some(journal) = self.session.log().journal_if_open() {
            journal.write_posted();
        }
        let plain = !session.is_empty() && !session.starts_with('.') && !session.contains('/');
        let stored = format!("sessions/{session}/session-log.md");
        let bytes = if plain { self.session.workspace().store().read_file(&stored)? } else { None };
        let Some(bytes) = bytes else { return Err(SessionLogError::NoSession { session }) };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(LogDocument {
            uri: format!("wherefore://log/{session}"),
            path: self.session.log().log_path(&session),
            text,
        })
    }
}

impl std::fmt::Debug for ServedFolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Folder").field("root", &self.root()).finish_non_exhaustive()
    }
}
