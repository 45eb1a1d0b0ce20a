//! The server that carries out requests of the command line: a running server of the folder, or this process.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueHint};

use super::limits;
use super::rule_questions::{self, TerminalCaller};
use crate::base::{OWN_DIR, person};
use crate::hub::{Hub, HubOptions};
use crate::ports::{Caller, NoEditor};
use crate::protocol::{Code, Door, Fault};
use crate::requests::{Asker, Decide, Request, Signature, Undo};
use crate::sandbox::SandboxLauncher;
use crate::socket::{LinkError, RuleAsker, ServerLink, StartOrder, running_servers};

/// The number of servers of a folder that may end during one request, one after the other.
pub(super) const NEXT_SERVERS: usize = 5;

/// The workspace that a subcommand works on.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct RootArgs {
    /// The workspace's folder [default: the nearest folder here or above that an editor has open, or that holds
    /// .wherefore or .git; else the current folder]
    #[arg(long, value_name = "DIR", global = true, value_hint = ValueHint::DirPath)]
    pub root: Option<PathBuf>,
}

impl RootArgs {
    /// The absolute path of the chosen workspace, with symlinks resolved.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such folder.
    pub(super) fn find(&self) -> Result<String, Fault> {
        match &self.root {
            Some(root) => resolve_folder(root),
            None => {
                let here = std::env::current_dir().map_err(|error| Fault::internal(error.to_string()))?;
                Self::find_from(&here)
            }
        }
    }

    /// The workspace that `here` lies in: the nearest folder here or above that is served or holds .wherefore or .git, else
    /// `here` itself.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such folder.
    pub(super) fn find_from(here: &Path) -> Result<String, Fault> {
        let open: Vec<String> = running_servers().into_iter().flat_map(|server| server.roots).collect();
        let marked = |folder: &&Path| {
            folder.join(OWN_DIR).is_dir()
                || folder.join(".git").exists()
                || open.iter().any(|root| Path::new(root) == *folder)
        };
        resolve_folder(here.ancestors().find(marked).unwrap_or(here))
    }
}

/// The absolute path of a folder, with symlinks resolved.
fn resolve_folder(folder: &Path) -> Result<String, Fault> {
    let real = std::fs::canonicalize(folder)
        .map_err(|error| Fault::new(Code::NotFound, format!("{}: {error}", folder.display())))?;
    if !real.is_dir() {
        return Err(Fault::new(Code::NotFound, format!("{} is not a folder", folder.display())));
    }
    real.to_str()
        .map(str::to_owned)
        .ok_or_else(|| Fault::new(Code::Unsupported, format!("{} is not a UTF-8 path", folder.display())))
}

/// The server or the process that carries a request out.
#[derive(Debug)]
pub(super) enum RequestTarget {
    /// A running server of this folder: it knows the editor's unsaved text.
    Server(ServerLink, String),
    /// This process, with a runtime of its own.
    Here(Option<tokio::runtime::Runtime>, Hub),
}

impl Drop for RequestTarget {
    /// Ends the runtime without waiting for a call that hangs in a system call.
    fn drop(&mut self) {
        if let Self::Here(runtime, _) = self {
            runtime.take().into_iter().for_each(tokio::runtime::Runtime::shutdown_background);
        }
    }
}

impl RequestTarget {
    /// The running server of `root`, else this process.
    ///
    /// # Errors
    /// The reason why the folder cannot be opened.
    pub(super) fn open(root: &str) -> Result<Self, Fault> {
        limits::room_for_files()?;
        let asks: Option<RuleAsker> = rule_questions::can_ask().then_some(rule_questions::ask_at_terminal);
        if let Some(link) = ServerLink::find_asking(root, asks)? {
            return Ok(Self::Server(link, root.to_owned()));
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Fault::internal(error.to_string()))?;
        let hub = Hub::new(HubOptions {
            editor: Arc::new(NoEditor),
            shared_log: true,
            state: person::state_dir(),
            launcher: SandboxLauncher::own(),
            environment: person::environment(),
        });
        hub.add_root(root)?;
        Ok(Self::Here(Some(runtime), hub))
    }

    /// Makes a request. If the server ends before it takes the request, or during a read-only request, the next server
    /// of the folder gets it, as when an editor quits.
    ///
    /// # Errors
    /// The error of the request.
    pub(super) fn ask<R: Request>(&mut self, params: R::Params) -> Result<R::Answer, Fault> {
        let _order = self.lock_or_find_server::<R>();
        for _ in 0..NEXT_SERVERS {
            let Self::Server(link, root) = self else { break };
            match link.ask::<R>(&params) {
                Err(LinkError::Left) => *self = Self::open(&root.clone())?,
                Err(LinkError::Gone(_)) if R::READS => *self = Self::open(&root.clone())?,
                answer => return Ok(answer?),
            }
        }
        let Self::Here(Some(runtime), hub) = self else {
            return Err(Fault::internal(
                "the servers of this folder ended one after the other during the request",
            ));
        };
        runtime.block_on(async {
            if R::needs_servers(hub, &params) {
                hub.settle_servers().await;
            }
            let person = rule_questions::can_ask().then(|| Arc::new(TerminalCaller) as Arc<dyn Caller>);
            let asker = Asker { caller: person, ..Asker::from_door(Door::Cli) };
            R::answer_request(hub, params, asker).await
        })
    }

    /// Checks for a server that started meanwhile before this process decides on pending changes: if there is one, it
    /// gets the request. Otherwise the returned lock keeps a new server from reading the folder before the decision is
    /// made.
    fn lock_or_find_server<R: Request>(&mut self) -> Option<StartOrder> {
        let Self::Here(_, hub) = self else { return None };
        let root =
            hub.roots().into_iter().next().filter(|_| [Decide::METHOD, Undo::METHOD].contains(&R::METHOD))?;
        let order = StartOrder::for_decision();
        let Ok(Some(link)) = ServerLink::find(&root) else { return Some(order) };
        *self = Self::Server(link, root);
        None
    }
}
