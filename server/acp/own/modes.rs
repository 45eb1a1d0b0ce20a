//! The modes of a session: each is a policy for the agent's changes.

use serde_json::{Value, json};

use crate::protocol::Policy;

/// A mode: its policy, its id, its name, and its description for the person.
const MODES: [(Policy, &str, &str, &str); 4] = [
    (Policy::Ask, "ask", "Review", "You decide on each hunk before it is written"),
    (
        Policy::Auto,
        "auto",
        "Apply at once",
        "Changes are written at once, where no rule of yours says otherwise; each can be undone",
    ),
    (Policy::Hold, "hold", "Keep for later", "Changes wait for `wherefore review`, and the agent goes on"),
    (Policy::Deny, "deny", "Read only", "The agent changes no file"),
];

/// The modes as the protocol lists them, with the one of a policy as the current one.
pub(super) fn list_modes(current: Policy) -> Value {
    let mode = |(_, id, name, description): &(Policy, &str, &str, &str)| json!({ "id": id, "name": name, "description": description });
    let id = MODES.iter().find(|(policy, ..)| *policy == current).map(|(_, id, ..)| *id);
    json!({ "currentModeId": id, "availableModes": MODES.iter().map(mode).collect::<Vec<_>>() })
}

/// The policy of the mode with that id.
pub(super) fn mode_policy(id: &str) -> Option<Policy> {
    MODES.iter().find(|(_, known, ..)| *known == id).map(|(policy, ..)| *policy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_policy_is_a_mode() {
        for policy in [Policy::Auto, Policy::Ask, Policy::Hold, Policy::Deny] {
            let listed = list_modes(policy);
            assert_eq!(super::mode_policy(listed["currentModeId"].as_str().unwrap()), Some(policy));
            assert_eq!(listed["availableModes"].as_array().unwrap().len(), 4);
        }
        assert_eq!(mode_policy("yolo"), None);
    }
}
