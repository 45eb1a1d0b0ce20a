//! Starts sandboxes: the side of the server.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use rustix::pipe::{PipeFlags, pipe_with};
use tempfile::TempDir;

use crate::bubblewrap;
use crate::error::SandboxError;
use crate::helper::{Helper, Helpers};
use crate::linked::Linked;
use crate::linux;
use crate::overlay::Overlay;
use crate::plan::{Effects, Network, Plan, Streams};
use crate::probe;
use crate::recall::Recall;
use crate::resolve;
use crate::running::{Afterwards, Running, Started};
use crate::spec::{Spec, Way};
use crate::survey::Survey;
use crate::tier::{CommandTier, Level, Tier};

/// The hidden subcommand whose code is [`enter`](crate::enter).
pub const SUBCOMMAND: &str = "__sandbox";

/// Starts commands in sandboxes. A sandbox is built by a program whose first argument is [`SUBCOMMAND`] and that calls
/// [`enter`](crate::enter) then.
#[derive(Clone, Debug)]
pub struct Launcher {
    helpers: Arc<Helpers>,
    tier: Arc<OnceLock<Tier>>,
    /// What was seen in the folders of the commands before.
    recall: Arc<Recall>,
}

/// Both ends of the streams of one command.
struct Ends {
    theirs: [OwnedFd; 3],
    ours: Started,
}

impl Launcher {
    /// This program builds its sandboxes itself.
    #[must_use]
    pub fn own() -> Self {
        let name = std::env::args_os().next().unwrap_or_else(|| "wherefore".into());
        Self::with(Helpers::new("/proc/self/exe".into(), name, false))
    }

    /// Another program builds the sandboxes.
    #[must_use]
    pub fn of(program: impl Into<PathBuf>) -> Self {
        let program = program.into();
        let name = program.clone().into_os_string();
        Self::with(Helpers::new(program, name, false))
    }

    fn with(helpers: Helpers) -> Self {
        Self { helpers: Arc::new(helpers), tier: Arc::default(), recall: Arc::default() }
    }

    /// The same launcher, which keeps a process ready from its first command on, so that the next one starts sooner.
    #[must_use]
    pub fn ready(self) -> Self {
        Self { helpers: Arc::new(self.helpers.keeping(true)), ..self }
    }

    /// The same launcher, which takes it as known that the machine offers `level`. Where it does not, a run fails.
    #[must_use]
    pub fn taking(self, level: Level) -> Self {
        let tier = Tier { level, landlock: linux::landlock_version(), reasons: Vec::new() };
        Self { tier: Arc::new(OnceLock::from(tier)), ..self }
    }

    /// What this machine offers. The first call runs a real command in each tier until one works.
    pub fn probe(&self) -> &Tier {
        self.tier.get_or_init(|| probe::tier(self))
    }

    /// Starts the command of `plan` in the best tier there is. What keeps a sandbox from being built after that,
    /// [`Running::wait`] tells.
    pub fn spawn(&self, plan: &Plan) -> Result<Running, SandboxError> {
        let tier = self.probe();
        let overlaid = plan.effects != Effects::WriteThrough;
        let lowest = if overlaid || plan.network != Network::Off { Level::Namespaces } else { plan.lowest };
        let is_enough = tier.level.is_enough_for(lowest) && !(overlaid && tier.level == Level::Bubblewrap);
        if !is_enough {
            return Err(SandboxError::Unavailable { wanted: lowest, offered: tier.clone() });
        }
        self.spawn_in(tier.level, plan)
    }

    /// Starts the command of `plan` in `level`.
    pub(crate) fn spawn_in(&self, level: Level, plan: &Plan) -> Result<Running, SandboxError> {
        let started = Instant::now();
        let folders = resolve::writable(plan)?;
        let linked = Linked::of(&plan.masked);
        let at_once = resolve::written_at_once(plan, &folders);
        let survey = Survey::take(&at_once, &linked, &self.recall);
        let covered = covered(plan, (&folders, &at_once), (&survey, &linked), &self.recall);
        let scratch = match level {
            Level::Landlock => Some(tempfile::tempdir().map_err(SandboxError::Start)?),
            _ => None,
        };
        let way = match level {
            Level::Landlock | Level::Nothing => Way::Landlock,
            Level::Bubblewrap => Way::Inside,
            Level::Namespaces => Way::Namespaces,
        };
        let spec = resolve::spec(plan, way, (&survey, &covered), scratch.as_ref().map(TempDir::path))?;
        let afterwards = Afterwards {
            before: Some(survey),
            quarantine: plan.quarantine.clone(),
            overlays: spec.overlays.iter().map(Overlay::of).collect(),
            scratch,
        };
        let ends = ends(plan.streams).map_err(SandboxError::Start)?;
        let helper = self.helper(&spec, &ends).map_err(SandboxError::Start)?;
        let sent = helper.control.send_spec(&spec, &ends.theirs);
        drop(ends.theirs);
        let tier = CommandTier { level, landlock: linux::landlock_version() };
        let running = Running::new(helper, ends.ours, started, (tier, afterwards))
            .preparing(self.helpers.keeps_ready_for(&spec).then(|| Arc::clone(&self.helpers)));
        // A process that could not even take the plan told why, or is gone; `wait` says which.
        match sent {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(SandboxError::Start(error)),
            _ => Ok(running),
        }
    }

    /// The process that builds the sandbox.
    fn helper(&self, spec: &Spec, ends: &Ends) -> io::Result<Helper> {
        if spec.way != Way::Inside {
            return self.helpers.take(spec);
        }
        let [_, _, errors] = &ends.theirs;
        Helper::start(bubblewrap::command(spec, self.helpers.program()).stderr(errors.try_clone()?))
    }
}

/// What is covered beside the paths that the plan masks: their files under further names, and the sockets of the host that
/// the command would reach. On an overlay sockets are files like others, which nobody serves.
fn covered(
    plan: &Plan,
    (writable, at_once): (&[PathBuf], &[PathBuf]),
    (survey, linked): (&Survey, &Linked),
    recall: &Recall,
) -> Vec<PathBuf> {
    let is_in = |path: &Path, folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
    let only_read: Vec<PathBuf> =
        resolve::readable(plan).into_iter().filter(|path| !is_in(path, writable)).collect();
    let read = Survey::take(&only_read, linked, recall);
    let is_overlaid = plan.effects != Effects::WriteThrough;
    let written = if is_overlaid && !linked.is_empty() {
        Survey::take(writable, linked, recall)
    } else {
        Survey::default()
    };
    let reached = |path: &&Path| is_in(path, at_once) || !is_in(path, writable);
    let sockets = survey.sockets().chain(read.sockets()).filter(reached);
    let masked = |path: &&Path| plan.masked.iter().any(|masked| path.starts_with(masked));
    let twins = survey.twins().chain(read.twins()).chain(written.twins()).filter(|path| !masked(path));
    sockets.chain(twins).map(Path::to_owned).collect()
}

fn ends(streams: Streams) -> io::Result<Ends> {
    use rustix::stdio::{stderr, stdin, stdout};
    let Streams::Piped { input } = streams else {
        let theirs = [stdin(), stdout(), stderr()].map(|stream| stream.try_clone_to_owned());
        let [input, output, errors] = theirs;
        return Ok(Ends { theirs: [input?, output?, errors?], ours: Started::default() });
    };
    let (output, their_output) = pipe_with(PipeFlags::CLOEXEC)?;
    let (errors, their_errors) = pipe_with(PipeFlags::CLOEXEC)?;
    let (their_input, input) = if input {
        let (theirs, ours) = pipe_with(PipeFlags::CLOEXEC)?;
        (theirs, Some(ours))
    } else {
        (std::fs::File::open("/dev/null")?.into(), None)
    };
    Ok(Ends {
        theirs: [their_input, their_output, their_errors],
        ours: Started { input, output: Some(output), errors: Some(errors) },
    })
}
