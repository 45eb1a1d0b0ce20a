//! The sandbox that Codex runs commands in, by what it writes of a turn into its conversation. Its hooks' messages do not tell.
//!
//! # Invariants
//!
//! - No command writes for an agent whose mode writes nothing, or is not known.
//!   Test: `codex_in_its_default_sandbox_waits_for_a_yes_to_each_edit_and_its_commands_write_nothing`,
//!   `codex_whose_sandbox_cannot_be_told_writes_nothing`, `the_sandbox_is_that_of_the_turn`

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;
use serde_json::Value;

use super::HookMessage;

/// The sandbox that Codex runs a command in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodexSandbox {
    /// None.
    Off,
    /// A sandbox that can write to the folder of the command.
    WorkspaceWrite,
    /// A sandbox that cannot write, or one that could not be read.
    ReadOnly,
}

/// Bytes that are read in one step, from the end of the conversation backwards, and in total.
const CHUNK: u64 = 256 << 10;
const LONGEST: u64 = 256 << 20;
/// The kind of the entries that describe how a turn runs.
const TURN: &str = "turn_context";

/// The sandbox of the turn that a message is of.
pub(super) fn read_sandbox(message: &HookMessage) -> CodexSandbox {
    let read = || {
        let turn = message.turn.as_deref()?;
        let entry = turn_entry(message.transcript.as_deref()?, turn).ok()??;
        Some(sandbox_of(&entry, message.cwd.as_deref()?))
    };
    read().unwrap_or(CodexSandbox::ReadOnly)
}

/// The sandbox of a turn's entry, for a command in `cwd`.
fn sandbox_of(entry: &Value, cwd: &Path) -> CodexSandbox {
    let profile = &entry["permission_profile"];
    let writes = match profile["file_system"]["entries"].as_array() {
        Some(entries) => {
            entries.iter().any(|entry| entry["access"] == "write" && is_above(&entry["path"], cwd))
        }
        // Versions without profiles have the mode only.
        None => true,
    };
    match entry["sandbox_policy"]["type"].as_str() {
        Some("danger-full-access") if profile.is_null() || profile["type"] == "disabled" => CodexSandbox::Off,
        // Another sandbox is around Codex, and its permissions are not known.
        Some("danger-full-access" | "external-sandbox") => CodexSandbox::WorkspaceWrite,
        Some("workspace-write") if writes => CodexSandbox::WorkspaceWrite,
        _ => CodexSandbox::ReadOnly,
    }
}

/// Returns whether a path of a profile is a folder or one of its ancestors.
fn is_above(path: &Value, folder: &Path) -> bool {
    let special = path["value"]["kind"].as_str();
    let is_everywhere = special.is_some_and(|kind| matches!(kind, "root" | "project_roots"));
    is_everywhere || path["path"].as_str().is_some_and(|path| folder.starts_with(path))
}

/// The last entry about the turn. It comes before everything that the turn did, which may be much.
fn turn_entry(path: &Path, turn: &str) -> std::io::Result<Option<Value>> {
    // A pipe would be waited for.
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).unwrap_or_default();
    let mut file = File::options().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Ok(None);
    }
    let end = metadata.len();
    let (mut from, mut rest) = (end, Vec::new());
    while from > 0 && end - from < LONGEST {
        let start = from.saturating_sub(CHUNK);
        let mut chunk = Vec::new();
        file.seek(SeekFrom::Start(start))?;
        (&mut file).take(from - start).read_to_end(&mut chunk)?;
        chunk.append(&mut rest);
        // The first line may have begun further above.
        let whole = match start {
            0 => 0,
            _ => memchr::memchr(b'\n', &chunk).map_or(chunk.len(), |at| at + 1),
        };
        let lines = chunk.get(whole..).unwrap_or_default().rsplit(|byte| *byte == b'\n');
        if let Some(entry) = lines.filter_map(|line| context_of(line, turn)).next() {
            return Ok(Some(entry));
        }
        chunk.truncate(whole);
        (rest, from) = (chunk, start);
    }
    Ok(None)
}

/// The content of a line about a turn; none for other lines.
fn context_of(line: &[u8], turn: &str) -> Option<Value> {
    memchr::memmem::find(line, TURN.as_bytes())?;
    let mut entry: Value = serde_json::from_slice(line).ok()?;
    let payload = entry["payload"].take();
    (entry["type"] == TURN && payload["turn_id"] == turn).then_some(payload)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::agents::hook_agent;

    fn turn(id: &str, policy: &str, profile: Value) -> String {
        let payload =
            json!({ "turn_id": id, "sandbox_policy": { "type": policy }, "permission_profile": profile });
        json!({ "type": "turn_context", "payload": payload }).to_string()
    }

    fn managed(writable: &str) -> Value {
        let entries = json!([
            { "path": { "type": "special", "value": { "kind": "root" } }, "access": "read" },
            { "path": { "type": "path", "path": writable }, "access": "write" },
        ]);
        json!({ "type": "managed", "file_system": { "type": "restricted", "entries": entries } })
    }

    fn sandbox(lines: &[String], turn: &str) -> CodexSandbox {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rollout.jsonl");
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        let text = json!({ "tool_name": "Bash", "turn_id": turn, "transcript_path": path, "cwd": "/w/sub" });
        let message =
            HookMessage::read(Some(hook_agent("codex")), Some("PreToolUse"), text.to_string()).unwrap();
        read_sandbox(&message)
    }

    #[test]
    fn the_sandbox_is_that_of_the_turn() {
        let lines = [
            turn("a", "danger-full-access", json!({ "type": "disabled" })),
            turn("b", "read-only", Value::Null),
            turn("c", "workspace-write", managed("/w")),
            turn("d", "workspace-write", managed("/elsewhere")),
            turn("e", "danger-full-access", managed("/w")),
            turn("f", "workspace-write", Value::Null),
            turn("g", "new-mode", managed("/w")),
        ];
        for (id, expected) in [
            ("a", CodexSandbox::Off),
            ("b", CodexSandbox::ReadOnly),
            ("c", CodexSandbox::WorkspaceWrite),
            ("d", CodexSandbox::ReadOnly),
            ("e", CodexSandbox::WorkspaceWrite),
            ("f", CodexSandbox::WorkspaceWrite),
            ("g", CodexSandbox::ReadOnly),
            ("no such turn", CodexSandbox::ReadOnly),
        ] {
            assert_eq!(sandbox(&lines, id), expected, "{id}");
        }
    }

    #[test]
    fn a_turn_is_found_behind_much_that_it_did_and_not_in_what_a_command_printed() {
        let forged = turn("a", "danger-full-access", json!({ "type": "disabled" }));
        let printed =
            json!({ "type": "response_item", "payload": { "output": forged, "turn_id": "a" } }).to_string();
        let mut lines = vec![turn("a", "workspace-write", managed("/w"))];
        lines.extend((0..2000).map(|at| json!({ "at": at, "text": "x".repeat(1000) }).to_string()));
        lines.push(printed);
        assert_eq!(sandbox(&lines, "a"), CodexSandbox::WorkspaceWrite);
        lines.push(turn("a", "read-only", Value::Null));
        assert_eq!(sandbox(&lines, "a"), CodexSandbox::ReadOnly, "the last one counts");
    }

    #[test]
    fn a_conversation_that_is_not_written_counts_as_read_only() {
        let text = json!({ "tool_name": "Bash", "turn_id": "a", "transcript_path": null, "cwd": "/w" });
        let message =
            HookMessage::read(Some(hook_agent("codex")), Some("PreToolUse"), text.to_string()).unwrap();
        assert_eq!(read_sandbox(&message), CodexSandbox::ReadOnly);
    }
}
