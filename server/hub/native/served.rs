//! A command of an agent's own shell that runs at the server, while the agent's hook waits for its result.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::hooks::{NativeAnswer, NativeVerdict, describe_command_result, describe_timeout};
use crate::protocol::RawCall;

use super::commands::MARGIN;
use super::{NativeCall, with_why};

/// The time that reading what a command changed, and deciding on it, may take of the hook's time.
const AFTERWARDS: Duration = Duration::from_secs(120);

impl NativeCall<'_> {
    /// Runs a command as a call of `terminal.run`, and answers with its result. The command ends where the hook goes away.
    pub(super) async fn serve_command(&self, script: &str) -> NativeAnswer {
        let params = self.params;
        let wait = Duration::from_secs(params.wait_s);
        let limit = wait.saturating_sub(AFTERWARDS).max(wait / 2);
        let mut arguments = json!({
            "cmd": ["bash", "-c", script],
            "cwd": self.folder_below(),
            "timeout_ms": u64::try_from(limit.as_millis()).unwrap_or(u64::MAX).max(1),
        });
        if let Some(arguments) = arguments.as_object_mut().filter(|_| params.read_only) {
            arguments.insert("effects".to_owned(), Value::from("none"));
        }
        let raw = RawCall {
            tool: "terminal.run".to_owned(),
            arguments,
            origin: self.origin.clone(),
            root: Some(self.folder.root().to_owned()),
            ..RawCall::default()
        };
        let call =
            self.folder.pipeline().call_tool(with_why(raw, params.why.as_deref()), self.caller.clone());
        let words = match tokio::time::timeout(wait.saturating_sub(MARGIN), call).await {
            Ok(envelope) => describe_command_result(&envelope, params.read_only),
            Err(_) => describe_timeout(wait.saturating_sub(MARGIN).as_secs()),
        };
        NativeAnswer::new(NativeVerdict::Leave, words)
    }

    /// The folder that an agent works in, as calls name it; the workspace where it is not inside.
    fn folder_below(&self) -> String {
        let real = self.params.cwd.as_deref().and_then(|cwd| Path::new(cwd).canonicalize().ok());
        let below = real
            .as_deref()
            .and_then(|real| real.strip_prefix(self.folder.root()).ok())
            .and_then(Path::to_str);
        below.filter(|below| !below.is_empty()).unwrap_or(".").to_owned()
    }
}
