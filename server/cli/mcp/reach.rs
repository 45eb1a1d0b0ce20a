//! Finds the server of a folder, or starts one.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::{FlockOperation, flock};
use serde_json::Value;

use super::error::ServeError;
use crate::cli::backend::RootArgs;
use crate::protocol::{Fault, Policy};
use crate::socket::{Greeting, RunningServer, enter, runtime_folder, servers};

/// How often a server that ends just now is looked for anew.
const TRIES: usize = 5;

/// The folder meant, and how to get to its server.
#[derive(Clone, Debug)]
pub(super) struct Reach {
    root: String,
    policy: Option<Policy>,
}

impl Reach {
    /// The way to the server of `root`, or of the folder that this process is in.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such folder.
    pub(super) fn new(root: Option<&Path>, policy: Option<Policy>) -> Result<Self, Fault> {
        let root_args = RootArgs { root: root.map(Path::to_owned) };
        if root.is_some() {
            return Ok(Self { root: root_args.find()?, policy });
        }
        let here = std::env::current_dir().ok().and_then(|here| std::fs::canonicalize(here).ok());
        let served = servers().into_iter().flat_map(|server| server.roots);
        let around = |root: &String| here.as_ref().is_some_and(|here| here.starts_with(root));
        match served.filter(around).max_by_key(String::len) {
            Some(root) => Ok(Self { root, policy }),
            None => Ok(Self { root: root_args.find()?, policy }),
        }
    }

    /// A connection to the server; it is started where there is none.
    ///
    /// # Errors
    /// What keeps a server from starting.
    pub(super) fn connect(&self, greeting: &Greeting) -> Result<UnixStream, ServeError> {
        let greeting = Greeting { root: Some(self.root.clone()), policy: self.policy, ..greeting.clone() };
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
        }
        Err(ServeError::Unreachable { root: self.root.clone(), source: last })
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
        command.args(["serve", "--root", &self.root]).current_dir("/");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        // What interrupts the agent's terminal is not meant for the server of all agents.
        let mut child = command.process_group(0).spawn().map_err(ServeError::Start)?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line).map_err(ServeError::Start)?;
        }
        // It may end before this process does, and is no zombie then.
        std::thread::spawn(move || child.wait());
        let said: Value = serde_json::from_str(&line).unwrap_or_default();
        match said.get("error") {
            Some(error) => Err(ServeError::said("no server could be started: ", error)),
            None => self.find().ok_or_else(|| ServeError::EndedAtStart { root: self.root.clone() }),
        }
    }
}
