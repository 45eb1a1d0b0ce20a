//! Finds the server of a folder, or starts one.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

use super::error::ServeError;
use crate::base::{OWN_DIR, person};
use crate::cli::backend::RootArgs;
use crate::protocol::{Code, Fault, Policy};
use crate::socket::{ClientGreeting, RunningServer, connect_to, running_servers, runtime_folder};
use crate::workspace::LinkedTree;

/// The number of attempts to find another server when one is just ending.
const TRIES: usize = 10;
/// The pause before such an attempt: when a process is killed, its socket disappears before the lock by which it is found.
const PAUSE: Duration = Duration::from_millis(20);

/// A folder, and the way to its server.
#[derive(Clone, Debug)]
pub(in crate::cli) struct ServerConnector {
    root: String,
    policy: Option<Policy>,
    /// Seconds that a change of the agent waits, and that no call of it may take.
    wait_s: Option<u64>,
    limit_s: Option<u64>,
    /// The environment that the agent's calls run in.
    environment: Option<String>,
    /// Seconds that a server which is started for it stays after its last client.
    linger: Option<u64>,
}

/// Seconds that a server which a hook started waits for the agent's next hook.
const NEXT_HOOK: u64 = 60;

impl ServerConnector {
    /// The way to the server of `root`, or of the folder that this process is in.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such folder.
    pub(in crate::cli) fn new(root: Option<&Path>, policy: Option<Policy>) -> Result<Self, Fault> {
        let root = RootArgs { root: root.map(Path::to_owned) }.find()?;
        Ok(Self { root, policy, wait_s: None, limit_s: None, environment: None, linger: None })
    }

    /// The way to the server of the folder that an agent works in: the nearest that is served or holds .wherefore or .git,
    /// else `folder` itself.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such folder, UNSUPPORTED where it is the home folder or contains it: too much to
    /// serve without an explicit option.
    pub(in crate::cli) fn nearest(folder: &Path, policy: Option<Policy>) -> Result<Self, Fault> {
        let served = served_around(folder);
        let root = match &served {
            Some(served) if is_part_of(folder, served) => served.clone(),
            _ => RootArgs::find_from(folder)?,
        };
        let is_project = [".git", OWN_DIR].iter().any(|mark| Path::new(&root).join(mark).exists());
        let home = person::home_dir().and_then(|home| home.canonicalize().ok());
        let holds_home = root == "/" || home.is_some_and(|home| home.starts_with(&root));
        if holds_home && !is_project && served.is_none_or(|served| served != root) {
            let message =
                format!("{root} holds the home folder, and no .git or .wherefore says that it is a project");
            let suggestion = "start it in the folder of a project, or name the folder with --root";
            return Err(Fault::new(Code::Unsupported, message).with_suggestion(suggestion));
        }
        Ok(Self { root, policy, wait_s: None, limit_s: None, environment: None, linger: None })
    }

    /// Finds the nearest folder like [`Self::nearest`] for a hook of an agent, and lets a started server wait for the
    /// agent's next hook.
    ///
    /// # Errors
    /// As [`Self::nearest`].
    pub(in crate::cli) fn nearest_for_hook(folder: Option<&Path>) -> Result<Self, Fault> {
        let here = match folder {
            Some(folder) => folder.to_owned(),
            None => current_folder()?,
        };
        Ok(Self { linger: Some(NEXT_HOOK), ..Self::nearest(&here, None)? })
    }

    /// Sets the seconds that the agent's changes wait for the person, and the limit of its calls.
    pub(in crate::cli) fn with_limits(self, wait_s: Option<u64>, limit_s: Option<u64>) -> Self {
        Self { wait_s, limit_s, ..self }
    }

    /// Sets the environment in which the agent's calls run, in place of the active one.
    pub(in crate::cli) fn in_environment(self, environment: Option<String>) -> Self {
        Self { environment, ..self }
    }

    /// The folder.
    pub(in crate::cli) fn root(&self) -> &str {
        &self.root
    }

    /// A connection to the server; the server is started if there is none.
    ///
    /// # Errors
    /// The reason why no server can be started.
    pub(in crate::cli) fn connect(&self, greeting: &ClientGreeting) -> Result<UnixStream, ServeError> {
        let (root, policy) = (Some(self.root.clone()), self.policy);
        let (wait_s, limit_s) = (self.wait_s, self.limit_s);
        let environment = self.environment.clone();
        let greeting = ClientGreeting { root, policy, wait_s, limit_s, environment, ..greeting.clone() };
        let mut last = None;
        for _ in 0..TRIES {
            let server = match self.find_server() {
                Some(server) => server,
                None => self.start_server()?,
            };
            match connect_to(&server, greeting.clone()) {
                Ok(stream) => return Ok(stream),
                // The server has ended meanwhile, or is about to.
                Err(error) => last = Some(error),
            }
            std::thread::sleep(PAUSE);
        }
        Err(ServeError::Unreachable { root: self.root.clone(), source: last })
    }

    /// Returns whether a server of the folder runs.
    pub(in crate::cli) fn is_served(&self) -> bool {
        self.find_server().is_some()
    }

    /// The running server: an editor's before one without.
    fn find_server(&self) -> Option<RunningServer> {
        let fits = |server: &RunningServer| server.roots.contains(&self.root);
        running_servers().into_iter().filter(fits).min_by_key(|server| server.headless)
    }

    /// Starts a server. If several agents do so at once, one of them starts it, and the others find it.
    fn start_server(&self) -> Result<RunningServer, ServeError> {
        let folder = runtime_folder()?;
        let lock = File::open(&folder).map_err(|source| ServeError::Lock { folder, source })?;
        flock(&lock, FlockOperation::LockExclusive).map_err(|error| ServeError::Start(error.into()))?;
        if let Some(server) = self.find_server() {
            return Ok(server);
        }
        let program = std::env::current_exe().map_err(ServeError::Start)?;
        let mut command = Command::new(program);
        command.args(["serve", "--detach", "--root", &self.root]).current_dir("/");
        command.args(self.linger.iter().flat_map(|seconds| ["--linger".to_owned(), seconds.to_string()]));
        // The server is everybody's: only calls of this agent run in the environment that it was started in.
        command.env_remove("WHEREFORE_ENV");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(ServeError::Start)?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line).map_err(ServeError::Start)?;
        }
        child.wait().map_err(ServeError::Start)?;
        let said: Value = serde_json::from_str(&line).unwrap_or_default();
        match said.get("error") {
            Some(error) => Err(ServeError::from_answer("no server could be started: ", error)),
            None => self.find_server().ok_or_else(|| ServeError::EndedAtStart { root: self.root.clone() }),
        }
    }
}

/// The folder that this process is in.
///
/// # Errors
/// The error of the system.
pub(super) fn current_folder() -> Result<PathBuf, Fault> {
    std::env::current_dir().map_err(|error| Fault::internal(error.to_string()))
}

/// The longest served folder around `here`. A linked working tree is a workspace of its own, also below a served one.
fn served_around(here: &Path) -> Option<String> {
    let here = here.canonicalize().ok()?;
    let tree = LinkedTree::tree_around(&here).unwrap_or(Path::new("/"));
    let served = running_servers().into_iter().flat_map(|server| server.roots);
    let is_around = |root: &String| here.starts_with(root) && Path::new(root).starts_with(tree);
    served.filter(is_around).max_by_key(String::len)
}

/// Returns whether `here` is a part of the served folder: no other project is between them. A submodule, whose .git is
/// a file, is a part of the folder around it.
fn is_part_of(here: &Path, served: &str) -> bool {
    let Ok(here) = here.canonicalize() else { return false };
    let is_own = |folder: &Path| folder.join(".git").is_dir() || folder.join(OWN_DIR).is_dir();
    !here.ancestors().take_while(|folder| *folder != Path::new(served)).any(is_own)
}
