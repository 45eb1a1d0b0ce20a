//! One workspace folder: its session and what works on it.

use std::sync::Arc;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::LogPlace;
use super::attached::AttachedCommands;
use super::error::SessionLogError;
use super::native::LetThrough;
use super::sweeping;
use super::telling;
use super::toolbox::{News, Toolbox};
use super::trail::Trail;
use crate::base::{CallId, WorkspacePath};
use crate::catalogue::Problem;
use crate::catalogue::discovery::Directory;
use crate::execution::{Executor, WhyRequest, line_whys};
use crate::pipeline::Pipeline;
use crate::protocol::{
    Access, Fault, LineWhys, Origin, Proposal, ProposalsParams, Surface, ToolSummary, WorkingSetAnswer,
    WorkspaceStatus,
};
use crate::registry::{Registry, Tool};
use crate::review::ProposalQueue;
use crate::sandbox::Launcher;
use crate::session::{Scope, Session, SessionOptions};
use crate::tools;
use crate::workspace::WorkspaceError;

/// A workspace folder with everything that serves it.
pub struct Folder {
    session: Arc<Session>,
    toolbox: Arc<Toolbox>,
    queue: Arc<ProposalQueue>,
    pipeline: Arc<Pipeline>,
    executor: Arc<Executor>,
    trail: Trail,
    attached: AttachedCommands,
    through: LetThrough,
}

impl Folder {
    /// Opens the folder at an absolute path.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such folder.
    pub fn open(
        path: &str,
        options: SessionOptions,
        launcher: Launcher,
        news: Arc<News>,
    ) -> Result<Self, WorkspaceError> {
        let short_lived = options.shared_log;
        let session = Arc::new(Session::open(path, options)?);
        let queue = Arc::new(ProposalQueue::open(session.clone()));
        let executor = Arc::new(Executor::new(launcher));
        let toolbox =
            Toolbox::open(session.clone(), tools::activities(&queue, &executor), executor.clone(), news);
        // The command line is gone before anything changes.
        if !short_lived {
            toolbox.watch();
            toolbox.settle_soon();
            toolbox.keep_near();
            telling::start(&session);
            session.serve();
            queue.follow_disk();
            sweeping::start(&session, &queue);
        }
        let pipeline = Arc::new(Pipeline::new(session.clone(), toolbox.registry().clone(), queue.clone()));
        Ok(Self {
            session,
            toolbox,
            queue,
            pipeline,
            executor,
            trail: Trail::default(),
            attached: AttachedCommands::default(),
            through: LetThrough::default(),
        })
    }

    /// Its absolute path.
    pub fn root(&self) -> &str {
        self.session.workspace().root()
    }

    /// Its state.
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Its proposals.
    pub fn queue(&self) -> &Arc<ProposalQueue> {
        &self.queue
    }

    /// What runs its commands.
    pub(super) fn executor(&self) -> &Executor {
        &self.executor
    }

    /// What its calls go through.
    pub fn pipeline(&self) -> &Arc<Pipeline> {
        &self.pipeline
    }

    /// The calls of agents' own tools that were let through.
    pub(super) fn through(&self) -> &LetThrough {
        &self.through
    }

    /// The commands that run at their callers'.
    pub fn attached(&self) -> &AttachedCommands {
        &self.attached
    }

    /// Tells a call to stop, or ends the command that it left in the background; whether either of them runs.
    pub fn cancel(&self, call: &CallId) -> bool {
        let left = self.executor.processes().get(call).filter(|process| process.runs());
        left.iter().for_each(|process| process.kill());
        self.pipeline.cancel(call) || left.is_some()
    }

    /// Its tools.
    pub fn registry(&self) -> &Arc<Registry> {
        self.toolbox.registry()
    }

    /// Its tools, and where they come from.
    pub fn toolbox(&self) -> &Arc<Toolbox> {
        &self.toolbox
    }

    /// Reads the settings again, with what the editor holds.
    pub fn configure(&self, client: Option<&Value>) {
        self.toolbox.configure(client);
    }

    /// Its tools, for a list.
    pub fn tools(&self) -> Vec<ToolSummary> {
        self.registry().summaries()
    }

    /// Its tools in full, each with whether no code runs it.
    pub fn definitions(&self) -> Vec<(Arc<Tool>, bool)> {
        let registry = self.registry();
        registry.tools().iter().map(|tool| (tool.clone(), registry.activity_of(tool).is_empty())).collect()
    }

    /// Whether agents find its tools instead of being shown all of them.
    pub fn is_discovery(&self) -> bool {
        let discovery = &self.session.workspace().settings().discovery;
        match discovery.surface {
            Surface::Auto => self.registry().tools().len() > discovery.direct_up_to,
            Surface::Direct => false,
            Surface::Discovery => true,
        }
    }

    /// Its tools, to be looked through.
    pub fn directory(&self) -> Arc<Directory> {
        self.toolbox.directory()
    }

    /// How agents came to the tools they call.
    pub fn trail(&self) -> &Trail {
        &self.trail
    }

    /// The files that matter now.
    pub fn working_set(&self) -> WorkingSetAnswer {
        self.session.working_files().set()
    }

    /// Its proposals as an agent may see them: none with a file that the rules close or ask about.
    pub fn proposals_unasked(&self, params: &ProposalsParams) -> Vec<Proposal> {
        let files = self.session.files().unasked();
        let open = |path: &WorkspacePath| files.permit(Access::Read, path).is_ok();
        let shown = |proposal: &Proposal| {
            proposal.files.iter().all(|file| open(&file.path) && file.from.as_ref().is_none_or(open))
        };
        let items = self.queue.select(params);
        items.iter().map(|item| item.proposal()).filter(|proposal| shown(proposal)).cloned().collect()
    }

    /// The definition files that were refused.
    pub fn definition_problems(&self) -> Vec<Problem> {
        self.toolbox.problems()
    }

    /// How it stands.
    pub fn status(&self) -> WorkspaceStatus {
        self.session.count_earlier_calls();
        let (calls, running) = self.session.presence().counts();
        let (pending_hunks, pending_files) = self.queue.waiting();
        let opened = self.session.log().opened().map(|journal| journal.session().to_owned());
        let session = opened.or_else(|| self.last_session()).unwrap_or_default();
        let mut problems = self.session.problems();
        problems.extend(self.definition_problems().iter().map(|problem| {
            format!("{}:{}: {} ({})", problem.path, problem.line, problem.message, problem.rule)
        }));
        problems.extend(self.toolbox.troubles());
        // Of a model that fails for tools too it is said once.
        problems.extend(self.session.search().trouble().filter(|trouble| !problems.contains(trouble)));
        problems.extend(self.session.memory().files().now().problems());
        WorkspaceStatus {
            root: self.root().to_owned(),
            log: if session.is_empty() { String::new() } else { self.log_path(&session) },
            session,
            calls,
            ways: self.session.presence().ways(),
            agents: self.session.presence().agents(),
            running,
            pending_hunks,
            unreviewed_hunks: self.queue.unreviewed(),
            pending_files,
            problems,
            servers: self.toolbox.upstreams().status(),
            watch: self.session.search().status(),
        }
    }

    /// The session that was opened last, by an earlier process: their names begin with the time.
    fn last_session(&self) -> Option<String> {
        self.session.workspace().store().list("sessions").ok()?.into_iter().max()
    }

    fn log_path(&self, session: &str) -> String {
        format!("{}/.wherefore/sessions/{session}/session-log.md", self.root().trim_end_matches('/'))
    }

    /// Ends its servers and its log.
    pub fn close(&self) {
        self.toolbox.similarity().close();
        self.toolbox.upstreams().close();
        // What the log does not take by now is lost: nobody is left to tell.
        let _ = self.queue.write_unlogged();
        self.session.close();
    }

    /// Why lines of a file are as they are, for a person.
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
        let scope = Scope::new(self.session.clone(), &Origin::default(), cancel, None);
        let request = WhyRequest { path: scope.path(path)?, start, end, has_commits, text };
        line_whys(&self.executor, &scope, &request).await
    }

    /// Its open log, or that of an earlier session.
    ///
    /// # Errors
    /// NOT_FOUND where there is none.
    pub fn log(&self, session: Option<&str>) -> Result<LogPlace, SessionLogError> {
        let session = match session {
            Some(session) => session.to_owned(),
            None => self.session.log().journal()?.session().to_owned(),
        };
        // Whoever asks sees all that happened.
        if let Some(journal) = self.session.log().opened() {
            journal.write_posted();
        }
        let plain = !session.is_empty() && !session.starts_with('.') && !session.contains('/');
        let stored = format!("sessions/{session}/session-log.md");
        let bytes = if plain { self.session.workspace().store().read(&stored)? } else { None };
        let Some(bytes) = bytes else { return Err(SessionLogError::NoSession { session }) };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(LogPlace { uri: format!("wherefore://log/{session}"), path: self.log_path(&session), text })
    }
}

impl std::fmt::Debug for Folder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Folder").field("root", &self.root()).finish_non_exhaustive()
    }
}
