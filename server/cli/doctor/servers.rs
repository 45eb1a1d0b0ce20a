//! Starts each server of this folder's settings once, and lists its tools.

use std::path::Path;
use std::sync::Arc;

use super::DoctorCheck;
use crate::base::{OWN_DIR, person};
use crate::cli::backend::RootArgs;
use crate::hub::{Hub, HubOptions};
use crate::ports::NoEditor;
use crate::protocol::{Code, Fault};
use crate::sandbox::SandboxLauncher;
use crate::upstream::trial::TriedServer;
use crate::workspace::config;

const NAME: &str = "mcp_servers";

/// One check for each server that the settings of this folder name.
pub(super) fn check_servers() -> Vec<DoctorCheck> {
    let is_named = || -> Result<Option<String>, Fault> {
        let root = RootArgs::default().find()?;
        let own = Path::new(&root).join(OWN_DIR).join("config.toml").exists();
        Ok((own || !config::of_person().settings.mcp_servers.is_empty()).then_some(root))
    };
    match is_named().and_then(|root| root.map_or_else(|| Ok(Vec::new()), |root| try_servers(&root))) {
        Ok(tried) => tried.into_iter().map(check_server).collect(),
        Err(fault) => vec![DoctorCheck::lacking(
            NAME,
            fault.message,
            fault.suggestion.unwrap_or_else(|| "Look at the settings of this folder.".to_owned()),
        )],
    }
}

fn try_servers(root: &str) -> Result<Vec<TriedServer>, Fault> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Fault::internal(error.to_string()))?;
    let hub = Hub::new(HubOptions {
        editor: Arc::new(NoEditor),
        shared_log: true,
        state: person::state_dir(),
        launcher: SandboxLauncher::own(),
        environment: None,
    });
    hub.add_root(root)?;
    let folder = hub.folder_at(None)?;
    let servers = folder.toolbox().upstreams();
    let tried = runtime.block_on(servers.try_servers(None));
    servers.close();
    Ok(tried)
}

fn check_server(tried: TriedServer) -> DoctorCheck {
    let found = tried.outcome();
    match tried.fault {
        Some(fault) if fault.code == Code::NotAuthorized => {
            DoctorCheck::lacking(NAME, found, "`wherefore consent` shows it, and asks you.")
        }
        Some(fault) => {
            let mend = format!("Correct [mcp_servers.{}] in the settings, or the server.", tried.server);
            DoctorCheck::lacking(NAME, found, fault.suggestion.unwrap_or(mend))
        }
        None => {
            let gap = (!tried.problems.is_empty()).then(|| format!("{}.", tried.problems.join("; ")));
            DoctorCheck { gap, ..DoctorCheck::well(NAME, found) }
        }
    }
}
