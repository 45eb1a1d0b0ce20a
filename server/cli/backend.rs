//! Who carries out what the command line asks: a running server of that folder, or this process.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Args, ValueHint};

use super::limits;
use crate::base::{OURS, person};
use crate::hub::{Hub, HubOptions};
use crate::ports::NoEditor;
use crate::protocol::{Code, Door, Fault};
use crate::requests::{Asker, Decide, Request, Signature, Undo};
use crate::sandbox::Launcher;
use crate::socket::{LinkError, ServerLink, StartOrder, servers};

/// How many servers of a folder may end under one request, one after the other.
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
    /// The absolute path of the workspace meant, with symlinks resolved.
    ///
    /// # Errors
    /// NOT_FOUND where there is no such folder.
    pub(super) fn find(&self) -> Result<String, Fault> {
        match &self.root {
            Some(root) => real(root),
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
        let open: Vec<String> = servers().into_iter().flat_map(|server| server.roots).collect();
        let marked = |folder: &&Path| {
            folder.join(OURS).is_dir()
                || folder.join(".git").exists()
                || open.iter().any(|root| Path::new(root) == *folder)
        };
        real(here.ancestors().find(marked).unwrap_or(here))
    }
}

/// The absolute path of a folder, with symlinks resolved.
fn real(folder: &Path) -> Result<String, Fault> {
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
    /// A call that is stuck in a system call does not hold up the end.
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
    /// What keeps the folder from being opened.
    pub(super) fn open(root: &str) -> Result<Self, Fault> {
        limits::room_for_files()?;
        if let Some(link) = ServerLink::find(root) {
            return Ok(Self::Server(link, root.to_owned()));
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Fault::internal(error.to_string()))?;
        let hub = Hub::new(HubOptions {
            editor: Arc::new(NoEditor),
            shared_log: true,
            state: person::state(),
            launcher: Launcher::own(),
        });
        hub.add_root(root)?;
        Ok(Self::Here(Some(runtime), hub))
    }

    /// Makes a request. Where the server ended before it took it, or under one that only reads, as an editor's does with its
    /// editor, whoever serves the folder then is asked.
    ///
    /// # Errors
    /// What the request says.
    pub(super) fn ask<R: Request>(&mut self, params: R::Params) -> Result<R::Answer, Fault> {
        let _order = self.decides_before_a_server::<R>();
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
                hub.settle().await;
            }
            R::answer(hub, params, Asker::door(Door::Cli)).await
        })
    }

    /// Before this process decides on what waits: a server that came meanwhile is asked in its place, and one that comes
    /// just now reads the folder once the decision is made.
    fn decides_before_a_server<R: Request>(&mut self) -> Option<StartOrder> {
        let Self::Here(_, hub) = self else { return None };
        let root =
            hub.roots().into_iter().next().filter(|_| [Decide::METHOD, Undo::METHOD].contains(&R::METHOD))?;
        let order = StartOrder::deciding();
        let Some(link) = ServerLink::find(&root) else { return Some(order) };
        *self = Self::Server(link, root);
        None
    }
}
