//! The reason of a call in the agent's own words: a member of its arguments, or the model's last sentence before it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use serde_json::Value;

use super::{HookMessage, NativeAct, last_sentence};
use crate::agents::{CallMarks, ConversationFile};
use crate::base::person;

/// Members of the arguments that hold a reason, the most explicit first.
const MEMBERS: [&str; 5] = ["why", "description", "instruction", "justification", "explanation"];
/// Bytes of the end of a conversation that are looked at.
const TAIL: u64 = 256 << 10;
/// The longest time to wait for a call to appear in the conversation, and the interval of the checks.
const WRITTEN: Duration = Duration::from_millis(1500);
const LOOK: Duration = Duration::from_millis(50);

/// The reason of the call, as one sentence; none if the agent gives none. Agents write a conversation a moment after
/// they act, so this waits up to 1.5 s for the call to appear in it.
pub fn call_reason(message: &HookMessage) -> Option<String> {
    let member = MEMBERS.iter().find_map(|name| message.arguments.get(*name)?.as_str());
    member
        .and_then(last_sentence)
        .or_else(|| last_sentence(message.model_words.as_deref()?))
        .or_else(|| words_before_call(message))
}

fn words_before_call(message: &HookMessage) -> Option<String> {
    let path = conversation_file(message)?;
    let (marks, role) = (call_marks(message), message.agent.message.model_role);
    let deadline = Instant::now() + WRITTEN;
    loop {
        let text = file_tail(&path).unwrap_or_default();
        let is_there = marks.is_empty() || marks.iter().any(|mark| text.contains(mark.as_str()));
        if is_there || Instant::now() >= deadline {
            return text
                .lines()
                .rev()
                .find_map(|line| model_words(line, role))
                .as_deref()
                .and_then(last_sentence);
        }
        std::thread::sleep(LOOK);
    }
}

/// The file that the conversation is written to.
fn conversation_file(message: &HookMessage) -> Option<PathBuf> {
    let by_session = || {
        let ConversationFile::BySession { folder, file } = message.agent.message.conversation else {
            return None;
        };
        let session =
            message.session.as_ref().filter(|id| id.chars().all(|c| c.is_alphanumeric() || c == '-'))?;
        Some(person::home_dir()?.join(folder).join(session).join(file))
    };
    message.transcript.clone().or_else(by_session)
}

/// Texts that are in the conversation when the call is.
fn call_marks(message: &HookMessage) -> Vec<String> {
    let marks = message.agent.message.call_marks;
    if marks == CallMarks::None {
        return Vec::new();
    }
    let quoted = |text: &str| Value::from(text).to_string().trim_matches('"').to_owned();
    let words = match message.tool_call().unwrap_or_default().act {
        NativeAct::Replace { edits, .. } => edits.first().map(|edit| quoted(&edit.new)),
        NativeAct::Write { content, .. } => Some(quoted(&content)),
        NativeAct::Patch { patch } => Some(quoted(&patch)),
        NativeAct::Command { script } => Some(quoted(&script)),
        _ => None,
    };
    let words = words.filter(|_| marks == CallMarks::IdOrText);
    message.call.iter().cloned().chain(words).filter(|mark| !mark.is_empty()).collect()
}

/// The end of a file, from the first whole line on.
fn file_tail(path: &Path) -> std::io::Result<String> {
    // A pipe would be waited for.
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).unwrap_or_default();
    let mut file = File::options().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Ok(String::new());
    }
    let from = file.metadata()?.len().saturating_sub(TAIL);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    Ok(match from {
        0 => text,
        _ => text.split_once('\n').map(|(_, rest)| rest.to_owned()).unwrap_or_default(),
    })
}

/// The last text of the model in one entry of a conversation. `role` is the agent's own word for its model.
fn model_words(line: &str, role: Option<&str>) -> Option<String> {
    let entry: Value = serde_json::from_str(line).ok()?;
    if !is_of_model(&entry, role) {
        return None;
    }
    let mut said = Vec::new();
    collect_texts(&entry, &mut said);
    let content = entry.get("data").unwrap_or(&entry).get("content").and_then(Value::as_str);
    said.extend(content);
    said.into_iter().rev().find(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// Returns whether an entry, or its content, is the model's.
fn is_of_model(entry: &Value, role: Option<&str>) -> bool {
    let is = |value: &Value| {
        let word = ["role", "type"].iter().filter_map(|name| value.get(*name)?.as_str());
        word.into_iter().any(|word| matches!(word, "assistant" | "model") || Some(word) == role)
    };
    is(entry) || ["message", "payload", "data"].iter().filter_map(|name| entry.get(*name)).any(is)
}

/// Texts that an entry holds, in order: `{"type": "text" | "output_text", "text": …}`, or an object of a text alone.
fn collect_texts<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
    match value {
        Value::Object(map) => {
            let kind = map.get("type").and_then(Value::as_str);
            let is_text = matches!(kind, Some("text" | "output_text")) || map.len() == 1;
            found.extend(map.get("text").and_then(Value::as_str).filter(|_| is_text));
            map.values().for_each(|value| collect_texts(value, found));
        }
        Value::Array(list) => list.iter().for_each(|value| collect_texts(value, found)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::hook_agent;

    #[test]
    fn a_member_comes_before_what_was_said() {
        let read = |arguments: &str| {
            let text = format!(
                r#"{{"tool_name":"Bash","said_before":"First. Then this.","tool_input":{arguments}}}"#
            );
            call_reason(&HookMessage::read(Some(hook_agent("opencode")), None, &text).unwrap())
        };
        assert_eq!(read(r#"{"command":"ls","description":"List it"}"#).as_deref(), Some("List it"));
        assert_eq!(read(r#"{"command":"ls","description":" "}"#).as_deref(), Some("Then this."));
    }

    #[test]
    fn a_conversation_that_is_a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR)
            .unwrap();
        let text = format!(
            r#"{{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_use_id":"t1","transcript_path":{path:?},"tool_input":{{}}}}"#
        );
        let message = HookMessage::read(Some(hook_agent("claude")), None, &text).unwrap();
        assert_eq!(call_reason(&message), None);
    }

    #[test]
    fn the_last_sentence_of_the_conversation_is_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let lines = [
            r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Old."}]}}"#,
            r#"{"type":"user","message":{"role":"user","content":"no reason"}}"#,
            r#"{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I see. I rename it:"},{"type":"tool_use","id":"t1"}]}}"#,
            "half a li",
        ];
        std::fs::write(&path, lines.join("\n")).unwrap();
        let text = format!(
            r#"{{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_use_id":"t1","transcript_path":{path:?},"tool_input":{{}}}}"#
        );
        let message = HookMessage::read(Some(hook_agent("claude")), None, &text).unwrap();
        assert_eq!(call_reason(&message).as_deref(), Some("I rename it"));
        let nowhere = HookMessage { transcript: Some(folder.path().into()), call: None, ..message };
        assert_eq!(call_reason(&nowhere), None);
    }
}
