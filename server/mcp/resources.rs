//! The resources of an agent: the session log, the working set, each proposal.

use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use serde_json::json;

use crate::base::hidden::escape_to_line;
use crate::hub::{Hub, HubChange};
use crate::protocol::{Code, Fault, Proposal, ProposalsParams};

/// The current session log.
pub(super) const LOG: &str = "wherefore://log";
/// The files that matter now.
pub(super) const WORKING_SET: &str = "wherefore://working-set";
/// A proposal, its id behind it.
const PROPOSAL: &str = "wherefore://proposal/";

const MARKDOWN: &str = "text/markdown";
const JSON: &str = "application/json";

/// The resources of a folder.
pub(super) fn list_resources(hub: &Hub, root: &str) -> Vec<Resource> {
    let log = Resource::new(LOG, "session-log")
        .with_title("Session log")
        .with_description("Every call with its why, what came of it, and who decided what")
        .with_mime_type(MARKDOWN);
    let set = Resource::new(WORKING_SET, "working-set")
        .with_title("Working set")
        .with_description("The files that matter now, each with the reasons")
        .with_mime_type(JSON);
    let proposals = open_proposals(hub, root, false).into_iter().map(|proposal| {
        let paths: Vec<_> = proposal.files.iter().map(|file| file.path.as_str()).collect();
        Resource::new(format!("{PROPOSAL}{}", proposal.id), proposal.id.to_string())
            .with_title(escape_to_line(&format!("Proposal {} to {}", proposal.id, paths.join(", "))))
            .with_description(escape_to_line(&proposal.why))
            .with_mime_type(JSON)
    });
    [log, set].into_iter().chain(proposals).collect()
}

/// The forms of URIs that are not listed one by one.
pub(super) fn resource_templates() -> Vec<ResourceTemplate> {
    let proposal = ResourceTemplate::new(format!("{PROPOSAL}{{id}}"), "proposal")
        .with_description("A proposed change: its hunks and what was decided on each")
        .with_mime_type(JSON);
    vec![proposal]
}

/// Reads a resource.
///
/// # Errors
/// NOT_FOUND if there is none of that URI.
pub(super) fn read_resource(hub: &Hub, root: &str, uri: &str) -> Result<ReadResourceResult, Fault> {
    let (text, kind) = match uri {
        LOG => (hub.folder_at(Some(root))?.session_log(None)?.text, MARKDOWN),
        WORKING_SET => {
            let set = hub
                .folder_at(Some(root))
                .map(|folder| folder.session().working_files().working_set())
                .unwrap_or_default();
            (json!(set).to_string(), JSON)
        }
        uri => (proposal_text(hub, root, uri)?, JSON),
    };
    Ok(ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(kind)]))
}

/// The proposals of a folder, none with a file that the rules close to an agent.
fn open_proposals(hub: &Hub, root: &str, all: bool) -> Vec<Proposal> {
    let params = ProposalsParams { all, ..ProposalsParams::default() };
    hub.folder_at(Some(root)).map(|folder| folder.proposals_unasked(&params)).unwrap_or_default()
}

fn proposal_text(hub: &Hub, root: &str, uri: &str) -> Result<String, Fault> {
    let found = uri
        .strip_prefix(PROPOSAL)
        .and_then(|id| open_proposals(hub, root, true).into_iter().find(|proposal| proposal.id == id));
    found.map(|proposal| json!(proposal).to_string()).ok_or_else(|| {
        let uri: String = uri.chars().take(200).collect();
        Fault::new(Code::NotFound, format!("there is no resource {uri:?}"))
            .with_suggestion("list the resources: the log, the working set and each open proposal")
    })
}

/// The resource that a change affects; none if it affects none.
pub(super) fn touched_uri(change: &HubChange) -> Option<String> {
    match change {
        HubChange::Log => Some(LOG.to_owned()),
        HubChange::WorkingSet => Some(WORKING_SET.to_owned()),
        HubChange::Proposed(id) | HubChange::Decided(id) => Some(format!("{PROPOSAL}{id}")),
        HubChange::Tools => None,
    }
}
