//! The message that an agent's hook is given.

use std::path::PathBuf;

use serde_json::{Map, Value};
use thiserror::Error;

use super::NativeAct;
use super::agent::NativeAgent;
use super::tools;

/// When a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookMoment {
    /// Before a tool runs.
    Before,
    /// After it ran, or failed.
    After,
    /// Before the model hears what the person wrote.
    Prompt,
    /// At another moment, which is none of ours.
    Other,
}

/// What an agent's hook says of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct HookMessage {
    /// Who asks.
    pub agent: NativeAgent,
    /// When.
    pub moment: HookMoment,
    /// The moment in the agent's own word.
    pub event: String,
    /// The agent's tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// Whether the arguments came as a bare string, which stands under `input` then.
    pub is_bare: bool,
    /// The agent's id of the call.
    pub call: Option<String>,
    /// The agent's session.
    pub session: Option<String>,
    /// The folder that the agent works in.
    pub cwd: Option<PathBuf>,
    /// The file that the conversation is written to.
    pub transcript: Option<PathBuf>,
    /// What the model said before the call, where the message has it.
    pub said: Option<String>,
}

/// Why a message is not understood.
#[derive(Debug, Error)]
pub enum MessageError {
    /// It is no JSON, or only a part of it.
    #[error("the message is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// It is no object.
    #[error("the message is not a JSON object")]
    Shape,
}

impl HookMessage {
    /// Reads a message. Where no agent is named, the message tells; where it names no moment, `event` does.
    ///
    /// # Errors
    /// What is wrong with it. Members that are missing or new are none.
    pub fn read(agent: Option<NativeAgent>, event: Option<&str>, text: &str) -> Result<Self, MessageError> {
        let message: Value = serde_json::from_str(text)?;
        if !message.is_object() {
            return Err(MessageError::Shape);
        }
        let agent = match (agent, NativeAgent::of(&message)) {
            // Copilot runs the hooks that a project has for Claude Code, too.
            (Some(NativeAgent::Claude), NativeAgent::Copilot) => NativeAgent::Copilot,
            (agent, sender) => agent.unwrap_or(sender),
        };
        let text = |names: &[&str]| {
            let found = names.iter().find_map(|name| message.get(*name)?.as_str());
            found.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let event = text(&["hook_event_name"]).or(event.map(str::to_owned)).unwrap_or_default();
        let given = ["tool_input", "toolArgs"].iter().find_map(|name| message.get(*name));
        let (arguments, is_bare) = arguments(given);
        Ok(Self {
            agent,
            moment: moment(&event),
            event,
            tool: text(&["tool_name", "toolName"]).unwrap_or_default(),
            arguments,
            is_bare,
            call: text(&["tool_use_id", "tool_call_id", "toolCallId"]),
            session: text(&["session_id", "sessionId"]),
            cwd: text(&["cwd"]).map(PathBuf::from),
            transcript: text(&["transcript_path"]).map(PathBuf::from),
            said: text(&["said_before"]),
        })
    }

    /// What the call does.
    pub fn act(&self) -> NativeAct {
        tools::act(&self.tool, &self.arguments)
    }

    /// The arguments with another script in the place of the command's.
    pub fn with_script(&self, script: &str) -> Value {
        tools::with_script(&self.arguments, script)
    }
}

fn moment(event: &str) -> HookMoment {
    match event.to_ascii_lowercase().as_str() {
        "pretooluse" | "beforetool" => HookMoment::Before,
        "posttooluse" | "posttoolusefailure" | "aftertool" => HookMoment::After,
        "userpromptsubmit" | "beforeagent" => HookMoment::Prompt,
        _ => HookMoment::Other,
    }
}

/// The arguments, and whether they came as a bare string. One that holds an object is that object.
fn arguments(given: Option<&Value>) -> (Map<String, Value>, bool) {
    match given {
        Some(Value::Object(map)) => (map.clone(), false),
        Some(Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Object(map)) => (map, false),
            _ => (Map::from_iter([("input".to_owned(), Value::String(text.clone()))]), true),
        },
        _ => (Map::new(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_read_in_each_form() {
        let claude = HookMessage::read(
            None,
            None,
            r#"{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_use_id":"t1","session_id":"s","cwd":"/w",
                "transcript_path":"/t","tool_input":{"file_path":"/w/a","old_string":"x","new_string":"y"},"new":1}"#,
        )
        .unwrap();
        assert_eq!((claude.agent, claude.moment), (NativeAgent::Claude, HookMoment::Before));
        assert!(claude.act().edits());
        let copilot = HookMessage::read(
            None,
            Some("postToolUse"),
            r#"{"toolName":"apply_patch","toolArgs":"*** Begin Patch"}"#,
        )
        .unwrap();
        assert_eq!((copilot.agent, copilot.moment), (NativeAgent::Copilot, HookMoment::After));
        assert!(copilot.is_bare && copilot.act().edits());
        let string =
            HookMessage::read(None, None, r#"{"toolName":"view","toolArgs":"{\"path\":\"a\"}"}"#).unwrap();
        assert_eq!(string.act(), NativeAct::Read { paths: vec!["a".into()] });
    }

    #[test]
    fn copilot_is_known_where_it_runs_a_hook_of_claude_code() {
        let message = r#"{"hook_event_name":"PreToolUse","session_id":"s","timestamp":"now","tool_name":"Edit",
            "tool_input":{"path":"a","old_str":"x","new_str":"y"}}"#;
        let read = HookMessage::read(Some(NativeAgent::Claude), None, message).unwrap();
        assert_eq!(read.agent, NativeAgent::Copilot);
        assert!(read.act().edits());
    }

    #[test]
    fn half_a_message_is_an_error_and_an_unknown_one_is_none() {
        assert!(HookMessage::read(None, None, r#"{"tool_name":"Ed"#).is_err());
        assert!(HookMessage::read(None, None, "[]").is_err());
        let unknown = HookMessage::read(None, None, r#"{"tool_name":"Frobnicate","tool_input":7}"#).unwrap();
        assert_eq!((unknown.act(), unknown.moment), (NativeAct::Other, HookMoment::Other));
    }
}
