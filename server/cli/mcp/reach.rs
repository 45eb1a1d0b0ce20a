//! Finds the server of a folder, or starts one.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

use super::error::ServeError;
use crate::base::{OURS, person};
use crate::cli::backend::RootArgs;
use crate::protocol::{Code, Fault, Policy};
use crate::socket::{Greeting, RunningServer, enter, runtime_folder, servers};

/// How often a server that ends just now is looked for anew.
const TRIES: usize = 10;
/// How long it is let end before that: of a process that is killed, the socket goes before the lock by which it is found.
const PAUSE: Duration = Duration::from_millis(20);

/// The folder meant, and how to get to its server.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Reach {
    root: String,
    policy: Option<Policy>,
    /// Seconds that a change of the agent waits, and that no call of it may take.
    wait_s: Option<u64>,
    limit_s: Option<u64>,
    /// Seconds that a server which is started for it stays after its last client.
    linger: Option<u64>,
}

/// How long a server that a hook started waits for the agent's next one, in seconds.
const NEXT_HOOK: u64 = 60;

impl Reach {
    /// The way to the server of `root`, or of the folder that this process is in.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such folder.
    pub(in crate::cli) fn new(root: Option<&Path>, policy: Option<Policy>) -> Result<Self, Fault> {
        let root_args = RootArgs { root: root.map(Path::to_owned) };
        if root.is_some() {
            return Ok(Self { root: root_args.find()?, policy, wait_s: None, limit_s: None, linger: None });
        }
        let here = std::env::current_dir().ok();
        let root = match served_around(here.as_deref()) {
            Some(root) => root,
            None => root_args.find()?,
        };
        Ok(Self { root, policy, wait_s: None, limit_s: None, linger: None })
    }

    /// The way to the server of the folder that an agent works in, for its hook: the nearest that is served or holds
    /// .wherefore or .git, else `folder` itself.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such folder, UNSUPPORTED where it is the home folder or holds it: too much to serve for
    /// one call.
    pub(in crate::cli) fn around(folder: Option<&Path>) -> Result<Self, Fault> {
        let here = match folder {
            Some(folder) => folder.to_owned(),
            None => std::env::current_dir().map_err(|error| Fault::internal(error.to_string()))?,
        };
        let linger = Some(NEXT_HOOK);
        if let Some(root) = served_around(Some(&here)) {
            return Ok(Self { root, policy: None, wait_s: None, limit_s: None, linger });
        }
        let root = RootArgs::find_from(&here)?;
        let home = person::home().and_then(|home| home.canonicalize().ok());
        let is_project = [".git", OURS].iter().any(|mark| Path::new(&root).join(mark).exists());
        if !is_project && home.is_some_and(|home| home.starts_with(&root)) {
            let message =
                format!("{root} holds the home folder, and no .git or .wherefore says that it is a project");
            return Err(Fault::new(Code::Unsupported, message));
        }
        Ok(Self { root, policy: None, wait_s: None, limit_s: None, linger })
    }

    /// The same for an agent whose changes wait so many seconds for the person, and whose calls may take no more than others.
    pub(in crate::cli) fn waiting(self, wait_s: Option<u64>, limit_s: Option<u64>) -> Self {
        Self { wait_s, limit_s, ..self }
    }

    /// The folder.
    pub(in crate::cli) fn root(&self) -> &str {
        &self.root
    }

    /// A connection to the server; it is started where there is none.
    ///
    /// # Errors
    /// What keeps a server from starting.
    pub(in crate::cli) fn connect(&self, greeting: &Greeting) -> Result<UnixStream, ServeError> {
        let (root, policy) = (Some(self.root.clone()), self.policy);
        let (wait_s, limit_s) = (self.wait_s, self.limit_s);
        let greeting = Greeting { root, policy, wait_s, limit_s, ..greeting.clone() };
        let mut last = None;
        for _ in 0..TRIES {
            let server = match self.find() {
                Some(server) => server,
                None => self.start()?,
            };
            match enter(&server, greeting.clone()) {
                Ok(stream) => return Ok(stream),
                // It has ended since, or is about to.
                Err(error) => last = Some(error),
            }
            std::thread::sleep(PAUSE);
        }
        Err(ServeError::Unreachable { root: self.root.clone(), source: last })
    }

    /// Whether a server of the folder runs.
    pub(in crate::cli) fn is_served(&self) -> bool {
        self.find().is_some()
    }

    /// The running server: an editor's before one without.
    fn find(&self) -> Option<RunningServer> {
        let fits = |server: &RunningServer| server.roots.contains(&self.root);
        servers().into_iter().filter(fits).min_by_key(|server| server.headless)
    }

    /// Starts a server. Of several agents that come at once one does, and the others find it.
    fn start(&self) -> Result<RunningServer, ServeError> {
        let folder = runtime_folder()?;
        let lock = File::open(&folder).map_err(|source| ServeError::Lock { folder, source })?;
        flock(&lock, FlockOperation::LockExclusive).map_err(|error| ServeError::Start(error.into()))?;
        if let Some(server) = self.find() {
            return Ok(server);
        }
        let program = std::env::current_exe().map_err(ServeError::Start)?;
        let mut command = Command::new(program);
        command.args(["serve", "--detach", "--root", &self.root]).current_dir("/");
        command.args(self.linger.iter().flat_map(|seconds| ["--linger".to_owned(), seconds.to_string()]));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(ServeError::Start)?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line).map_err(ServeError::Start)?;
        }
        child.wait().map_err(ServeError::Start)?;
        let said: Value = serde_json::from_str(&line).unwrap_or_default();
        match said.get("error") {
            Some(error) => Err(ServeError::said("no server could be started: ", error)),
            None => self.find().ok_or_else(|| ServeError::EndedAtStart { root: self.root.clone() }),
        }
    }
}

/// The longest folder around `here` that is served.
fn served_around(here: Option<&Path>) -> Option<String> {
    let here = here?.canonicalize().ok()?;
    let served = servers().into_iter().flat_map(|server| server.roots);
    served.filter(|root| here.starts_with(root)).max_by_key(String::len)
}
