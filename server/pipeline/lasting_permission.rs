//! The permissions that a person gives for always where the rules ask: entries of their settings, and consents to tools of
//! the project.

use std::sync::Arc;

use crate::registry::{ActivityConsent, CheckedCall};
use crate::rules::{Allowable, LastingPermission, RuleQuestion};
use crate::workspace::config::allow_always;

const COMMAND: &str = "Always allow this command";
const HOST: &str = "Always allow this host";
const TOOL: &str = "Always allow this tool";

/// The answer that gives a permission for always.
pub(super) fn word_for_always(permission: &LastingPermission) -> &'static str {
    match permission {
        LastingPermission::Setting(Allowable::Command(_)) => COMMAND,
        LastingPermission::Setting(Allowable::Host(_)) => HOST,
        LastingPermission::ProjectTool => TOOL,
    }
}

/// Returns the consent to its tool that the person can give, where the question is about that; it is bound to what the tool
/// runs now.
pub(super) fn offered_consent(ask: &RuleQuestion<CheckedCall>) -> Option<Arc<dyn ActivityConsent>> {
    let activity = ask.subject().activity().filter(|_| ask.always == Some(LastingPermission::ProjectTool));
    activity.and_then(|activity| activity.consent())
}

/// Keeps a permission that the person gave for always: in their settings, or as their consent to a tool of the project.
pub(super) fn keep_permission(
    call: &CheckedCall,
    permission: &LastingPermission,
    consent: Option<&dyn ActivityConsent>,
) -> Result<(), String> {
    match (permission, consent) {
        (LastingPermission::Setting(act), _) => {
            allow_always(act, call.why().as_str()).map(drop).map_err(|error| error.to_string())
        }
        (LastingPermission::ProjectTool, Some(consent)) => {
            consent.keep_consent().map_err(|fault| fault.message)
        }
        (LastingPermission::ProjectTool, None) => Err("nothing keeps a consent to this tool".to_owned()),
    }
}
