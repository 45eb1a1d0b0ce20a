//! The name that an agent gives itself, by which its manner is known.

use serde_json::Value;

/// The name and the version that an agent gave in its answer to `initialize`.
pub(super) fn agent_info(initialized: &Value) -> Option<(String, Option<String>)> {
    let info = initialized.get("agentInfo")?;
    let name = info.get("name").and_then(Value::as_str).filter(|name| !name.is_empty())?;
    Some((name.to_owned(), info.get("version").and_then(Value::as_str).map(str::to_owned)))
}
