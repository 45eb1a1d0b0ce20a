//! Starts sandboxes: the side of the server.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rustix::pipe::{PipeFlags, pipe_with};

use crate::bubblewrap;
use crate::error::SandboxError;
use crate::hard_links::LinkedFiles;
use crate::helper::{HelperPool, SandboxHelper};
use crate::linux;
use crate::overlay::OverlayLayers;
use crate::plan::{NetworkAccess, SandboxPlan, StandardStreams, WriteEffects};
use crate::private_folder::PrivateFolder;
use crate::probe;
use crate::resolve;
use crate::running_command::{CommandStreams, RunCleanup, RunningCommand};
use crate::session_network::SessionNetwork;
use crate::spec::{ConfinementWay, SandboxSpec};
use crate::survey::FolderSurvey;
use crate::survey_cache::SurveyCache;
use crate::tier::{CommandTier, MachineTier, SandboxLevel};

/// The hidden subcommand whose code is [`enter_sandbox`](crate::enter_sandbox).
pub const SUBCOMMAND: &str = "__sandbox";

/// The longest time for which a first try is waited for. A mount that hangs holds nobody up who wants to end it.
const LONGEST_BUILD: Duration = Duration::from_secs(5);

/// Starts commands in sandboxes. A sandbox is built by a program whose first argument is [`SUBCOMMAND`] and that calls
/// [`enter_sandbox`](crate::enter_sandbox) then.
#[derive(Clone, Debug)]
pub struct SandboxLauncher {
    helpers: Arc<HelperPool>,
    tier: Arc<OnceLock<MachineTier>>,
    /// The results of scanning the folders of earlier commands.
    recall: Arc<SurveyCache>,
}

/// Both ends of the streams of one command.
struct StreamEnds {
    theirs: [OwnedFd; 3],
    ours: CommandStreams,
}

impl SandboxLauncher {
    /// Creates a launcher for which this program builds the sandboxes itself.
    #[must_use]
    pub fn own() -> Self {
        let name = std::env::args_os().next().unwrap_or_else(|| "wherefore".into());
        Self::from_helpers(HelperPool::new("/proc/self/exe".into(), name, false))
    }

    /// Creates a launcher for which another program builds the sandboxes.
    #[must_use]
    pub fn with_program(program: impl Into<PathBuf>) -> Self {
        let program = program.into();
        let name = program.clone().into_os_string();
        Self::from_helpers(HelperPool::new(program, name, false))
    }

    fn from_helpers(helpers: HelperPool) -> Self {
        Self { helpers: Arc::new(helpers), tier: Arc::default(), recall: Arc::default() }
    }

    /// Returns this launcher, changed to keep a process ready from its first command on, so that the next one starts
    /// sooner.
    #[must_use]
    pub fn with_ready_helper(self) -> Self {
        Self { helpers: Arc::new(self.helpers.with_ready_helper(true)), ..self }
    }

    /// Returns this launcher, changed to assume that the machine offers `level`. If it does not, a run fails.
    #[must_use]
    pub fn assume_level(self, level: SandboxLevel) -> Self {
        let tier = MachineTier { level, landlock: linux::landlock_version(), reasons: Vec::new() };
        Self { tier: Arc::new(OnceLock::from(tier)), ..self }
    }

    /// Returns the tier of this machine. The first call runs a real command in each tier until one works.
    pub fn probe(&self) -> &MachineTier {
        self.tier.get_or_init(|| probe::probe_tier(self))
    }

    /// Starts the process of a command at the caller's terminal ([`StandardStreams::Inherited`]): it makes its
    /// namespaces while the plan is made. Where it cannot be started, or does not fit the plan, the command gets one later.
    pub fn prepare_at_terminal(&self) {
        self.helpers.prepare_at_terminal();
    }

    /// Starts the command of `plan` in the best tier there is. An error while the sandbox is built after that is
    /// returned by [`RunningCommand::wait`]. Where the machine was not probed yet, the command itself is the first try, and
    /// the machine is probed only if that fails.
    pub fn spawn(&self, plan: &SandboxPlan) -> Result<RunningCommand, SandboxError> {
        if self.tier.get().is_none() {
            let mut tried = self.spawn_in(SandboxLevel::Namespaces, plan, true)?;
            // In that tier the plan is at fault; else the command was not executed, and may run in a lower one.
            if tried.wait_confined(LONGEST_BUILD)? || self.probe().level == SandboxLevel::Namespaces {
                return Ok(tried);
            }
        }
        self.spawn_offered(plan, self.probe())
    }

    /// Starts the command of `plan` in the tier that this machine offers, if that is enough.
    fn spawn_offered(&self, plan: &SandboxPlan, tier: &MachineTier) -> Result<RunningCommand, SandboxError> {
        let overlaid = plan.effects != WriteEffects::WriteThrough;
        let lowest = if overlaid || plan.network != NetworkAccess::Off {
            SandboxLevel::Namespaces
        } else {
            plan.lowest
        };
        let is_enough =
            tier.level.is_enough_for(lowest) && !(overlaid && tier.level == SandboxLevel::Bubblewrap);
        if !is_enough {
            return Err(SandboxError::Unavailable { wanted: lowest, offered: tier.clone() });
        }
        self.spawn_in(tier.level, plan, false)
    }

    /// Starts the command of `plan` in `level`; `announces` has its walls told of by
    /// [`RunningCommand::wait_confined`].
    pub(crate) fn spawn_in(
        &self,
        level: SandboxLevel,
        plan: &SandboxPlan,
        announces: bool,
    ) -> Result<RunningCommand, SandboxError> {
        let started = Instant::now();
        let folders = resolve::writable_paths(plan)?;
        let linked = LinkedFiles::find_in(plan.hidden_paths());
        let at_once = resolve::written_at_once(plan, &folders);
        let survey = FolderSurvey::survey_folders(&at_once, &linked, &self.recall, &plan.guard);
        let covered = covered_paths(plan, (&folders, &at_once), (&survey, &linked), &self.recall);
        let scratch = match level {
            SandboxLevel::Landlock => Some(PrivateFolder::make().map_err(SandboxError::Start)?),
            _ => None,
        };
        let way = match level {
            SandboxLevel::Landlock | SandboxLevel::Nothing => ConfinementWay::Landlock,
            SandboxLevel::Bubblewrap => ConfinementWay::Inside,
            SandboxLevel::Namespaces => ConfinementWay::Namespaces,
        };
        let spec =
            resolve::build_spec(plan, way, (&survey, &covered), scratch.as_ref().map(PrivateFolder::path))?;
        let spec = SandboxSpec { announces_confinement: announces, ..spec };
        let covers = match way {
            ConfinementWay::Inside => Some(bubblewrap::make_covers(&spec).map_err(SandboxError::Start)?),
            ConfinementWay::Namespaces | ConfinementWay::Landlock => None,
        };
        let ends = stream_ends(plan.streams).map_err(SandboxError::Start)?;
        let network = plan.joined_network().filter(|_| spec.joins_network);
        let helper = match &covers {
            Some(covers) => self.bubblewrap_helper(&spec, covers, &ends),
            None => self.helpers.take_helper(&spec, network.map(Arc::as_ref)),
        };
        let helper = helper.map_err(SandboxError::Start)?;
        let afterwards = RunCleanup {
            before: Some(survey),
            quarantine: plan.quarantine.clone(),
            overlays: spec.overlays.iter().map(OverlayLayers::from_layers).collect(),
            folders: [scratch, covers].into_iter().flatten().collect(),
        };
        let sent_network = network.filter(|_| !helper.is_in_network());
        let sent = helper.control.send_spec(&spec, &ends.theirs, sent_network.map(Arc::as_ref));
        drop(ends.theirs);
        let tier = CommandTier { level, landlock: linux::landlock_version() };
        let running = RunningCommand::new(helper, ends.ours, started, (tier, afterwards)).with_next_helpers(
            self.helpers.keeps_ready_for(&spec).then(|| (Arc::clone(&self.helpers), network.cloned())),
        );
        // A process that could not even read the plan has sent the reason, or is gone; `wait` returns the error.
        match sent {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(SandboxError::Start(error)),
            _ => Ok(running),
        }
    }

    /// Starts the process that keeps a network for commands to share.
    ///
    /// # Errors
    /// Fails where this machine offers commands no namespaces.
    pub fn make_network(&self) -> Result<SessionNetwork, SandboxError> {
        let offered = self.probe();
        if offered.level != SandboxLevel::Namespaces {
            let wanted = SandboxLevel::Namespaces;
            return Err(SandboxError::Unavailable { wanted, offered: offered.clone() });
        }
        SessionNetwork::start(&mut self.helpers.keeper_command()).map_err(SandboxError::Start)
    }

    /// The process that builds the sandbox, in namespaces of bwrap's.
    fn bubblewrap_helper(
        &self,
        spec: &SandboxSpec,
        covers: &PrivateFolder,
        ends: &StreamEnds,
    ) -> io::Result<SandboxHelper> {
        let [_, _, errors] = &ends.theirs;
        let mut command = bubblewrap::bwrap_command(spec, covers.path(), self.helpers.program());
        SandboxHelper::start(command.stderr(errors.try_clone()?))
    }
}

/// Returns the paths that are covered in addition to those that the plan hides: further names of hidden files, and
/// the sockets of the host that the command would reach. On an overlay, sockets are files without a listener.
fn covered_paths(
    plan: &SandboxPlan,
    (writable, at_once): (&[PathBuf], &[PathBuf]),
    (survey, linked): (&FolderSurvey, &LinkedFiles),
    recall: &SurveyCache,
) -> Vec<PathBuf> {
    let is_in = |path: &Path, folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
    let only_read: Vec<PathBuf> =
        resolve::readable_paths(plan).into_iter().filter(|path| !is_in(path, writable)).collect();
    let read = FolderSurvey::survey_folders(&only_read, linked, recall, &plan.guard);
    let is_overlaid = plan.effects != WriteEffects::WriteThrough;
    let written = if is_overlaid && !linked.is_empty() {
        FolderSurvey::survey_folders(writable, linked, recall, &plan.guard)
    } else {
        FolderSurvey::default()
    };
    let reached = |path: &&Path| is_in(path, at_once) || !is_in(path, writable);
    let sockets = survey.sockets().chain(read.sockets()).filter(reached);
    let hidden = |path: &&Path| plan.hidden_paths().any(|hidden| path.starts_with(hidden));
    let twins = survey.twins().chain(read.twins()).chain(written.twins()).filter(|path| !hidden(path));
    sockets.chain(twins).map(Path::to_owned).collect()
}

fn stream_ends(streams: StandardStreams) -> io::Result<StreamEnds> {
    use rustix::stdio::{stderr, stdin, stdout};
    let StandardStreams::Piped { input } = streams else {
        let theirs = [stdin(), stdout(), stderr()].map(|stream| stream.try_clone_to_owned());
        let [input, output, errors] = theirs;
        return Ok(StreamEnds { theirs: [input?, output?, errors?], ours: CommandStreams::default() });
    };
    let (output, their_output) = pipe_with(PipeFlags::CLOEXEC)?;
    let (errors, their_errors) = pipe_with(PipeFlags::CLOEXEC)?;
    let (their_input, input) = if input {
        let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
        (theirs, Some(ours))
    } else {
        (std::fs::File::open("/dev/null")?.into(), None)
    };
    Ok(StreamEnds {
        theirs: [their_input, their_output, their_errors],
        ours: CommandStreams { input, output: Some(output), errors: Some(errors) },
    })
}
