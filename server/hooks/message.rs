//! The message that an agent's hook gets.

use std::path::PathBuf;

use serde_json::{Map, Value};
use thiserror::Error;

use super::act::NativeCall;
use super::input::{LONGEST, read_json};
use super::tools::{self, NativeCallError};
use crate::agents::HookAgent;

/// When a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookMoment {
    /// Before a tool runs.
    Before,
    /// After it ran, or failed.
    After,
    /// Before the model gets the person's prompt.
    Prompt,
    /// When a session begins or is resumed.
    Start,
    /// At another moment, which is ignored.
    Other,
}

/// The message of an agent's hook about a call.
#[derive(Clone, Debug, PartialEq)]
pub struct HookMessage {
    /// The agent that sent it.
    pub agent: HookAgent,
    /// The moment of the call.
    pub moment: HookMoment,
    /// The moment in the agent's own word.
    pub event: String,
    /// The agent's tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// True if the arguments came as a bare string, which is then under `input`.
    pub is_bare: bool,
    /// The agent's id of the call.
    pub call: Option<String>,
    /// The agent's session.
    pub session: Option<String>,
    /// The folder that the agent works in.
    pub cwd: Option<PathBuf>,
    /// The turn that the call belongs to, where the message names it.
    pub turn: Option<String>,
    /// The mode of the agent's permissions, in its own word.
    pub mode: Option<String>,
    /// The file that the conversation is written to.
    pub transcript: Option<PathBuf>,
    /// The shell that the agent starts for each command with variables of its hook; none where the message is not our plugin's.
    pub shell: Option<String>,
    /// The agent's permissions, as its settings are merged; none where the message is not our plugin's.
    pub permission: Option<Value>,
    /// The model's text before the call, if the message has it.
    pub model_words: Option<String>,
}

/// The reason why a message cannot be read.
#[derive(Debug, Error)]
pub enum MessageError {
    /// It is too long.
    #[error("the message has more than {0} bytes")]
    Long(usize),
    /// It is no text.
    #[error("the message is not UTF-8")]
    Encoding,
    /// It is no JSON, or only a part of it.
    #[error("the message is not JSON: {0}")]
    Json(#[source] serde_json::Error),
    /// It is no object.
    #[error("the message is not a JSON object")]
    Shape,
    /// A member has the wrong type.
    #[error("the message's `{0}` is not {1}")]
    Member(&'static str, &'static str),
    /// It has two members that mean the same.
    #[error("the message has both `{0}` and `{1}`")]
    Twice(&'static str, &'static str),
    /// No agent is known to send such a message.
    #[error("the message is of no known agent")]
    Sender,
    /// A tool is about to run, and it does not say which.
    #[error("the message names no tool")]
    Toolless,
}

impl HookMoment {
    /// The moment of a message that cannot be read, by the words in it. Every message of an agent that is about to act names
    /// that moment, so that nothing else in it makes it another one.
    pub fn of_unreadable(bytes: &[u8], event: Option<&str>) -> Self {
        if let Some(event) = event {
            return parse_moment(event);
        }
        let text = String::from_utf8_lossy(bytes);
        let named = |words: &[&str]| words.iter().any(|word| text.contains(word));
        match () {
            () if named(&["PreToolUse", "BeforeTool"]) => Self::Before,
            () if named(&["PostToolUse", "AfterTool"]) => Self::After,
            () if named(&["UserPromptSubmit", "BeforeAgent"]) => Self::Prompt,
            () if named(&["SessionStart"]) => Self::Start,
            () => Self::Before,
        }
    }
}

impl HookMessage {
    /// Bytes of a message at most.
    pub const LONGEST: usize = LONGEST;

    /// Reads a message. If no agent is named, the message identifies it; if it names no moment, `event` does. A message
    /// with neither, but with a tool, is about a tool that is about to run.
    ///
    /// # Errors
    /// The problem with it. Unknown members are no problem.
    pub fn read(
        agent: Option<HookAgent>,
        event: Option<&str>,
        bytes: impl AsRef<[u8]>,
    ) -> Result<Self, MessageError> {
        let message = read_json(bytes.as_ref())?;
        if !message.is_object() {
            return Err(MessageError::Shape);
        }
        let agent = match (agent, HookAgent::sender_of(&message)) {
            (Some(named), Some(sender)) if sender.borrows_hooks_of(named) => sender,
            (named, sender) => named.or(sender).ok_or(MessageError::Sender)?,
        };
        let text = |names: &[&str]| {
            let found = names.iter().find_map(|name| message.get(*name)?.as_str());
            found.filter(|text| !text.is_empty()).map(str::to_owned)
        };
        for name in ["hook_event_name", "tool_name", "toolName", "cwd"] {
            if message.get(name).is_some_and(|value| !value.is_string() && !value.is_null()) {
                return Err(MessageError::Member(name, "a text"));
            }
        }
        for (name, other) in [("tool_name", "toolName"), ("tool_input", "toolArgs")] {
            if message.get(name).is_some() && message.get(other).is_some() {
                return Err(MessageError::Twice(name, other));
            }
        }
        let tool = text(&["tool_name", "toolName"]).unwrap_or_default();
        let named = text(&["hook_event_name"]).or(event.map(str::to_owned));
        let moment = match &named {
            Some(event) => parse_moment(event),
            None if !tool.is_empty() => HookMoment::Before,
            None => HookMoment::Other,
        };
        if moment == HookMoment::Before && tool.is_empty() {
            return Err(MessageError::Toolless);
        }
        let given = ["tool_input", "toolArgs"].iter().find_map(|name| message.get(*name));
        let (arguments, is_bare) = parse_arguments(given);
        Ok(Self {
            agent,
            moment,
            event: named.unwrap_or_default(),
            tool,
            arguments,
            is_bare,
            call: text(&["tool_use_id", "tool_call_id", "toolCallId"]),
            session: text(&["session_id", "sessionId"]),
            cwd: text(&["cwd"]).map(PathBuf::from),
            turn: text(&["turn_id"]),
            mode: text(&["permission_mode"]),
            transcript: text(&["transcript_path"]).map(PathBuf::from),
            shell: text(&["shell"]).filter(|_| agent.message.is_of_plugin),
            permission: message.get("permission").filter(|_| agent.message.is_of_plugin).cloned(),
            model_words: text(&["said_before"]),
        })
    }

    /// The action of the call.
    ///
    /// # Errors
    /// The reason why it cannot be determined.
    pub fn tool_call(&self) -> Result<NativeCall, NativeCallError> {
        tools::read_call(self.agent, &self.tool, &self.arguments)
    }

    /// The arguments with another script in the place of the command's. An agent that shows the description of a long command
    /// gets the command as that.
    pub fn with_script(&self, script: &str) -> Value {
        let mut changed = tools::with_script(&self.arguments, script);
        let shown = self.arguments.get("command").filter(|_| self.agent.shell.shows_description);
        if let (Some(command), Some(changed)) = (shown, changed.as_object_mut()) {
            changed.insert("description".to_owned(), command.clone());
        }
        changed
    }
}

fn parse_moment(event: &str) -> HookMoment {
    match event.to_ascii_lowercase().as_str() {
        "pretooluse" | "beforetool" => HookMoment::Before,
        "posttooluse" | "posttoolusefailure" | "aftertool" => HookMoment::After,
        "userpromptsubmit" | "beforeagent" => HookMoment::Prompt,
        "sessionstart" => HookMoment::Start,
        _ => HookMoment::Other,
    }
}

/// The arguments, and whether they came as a bare string. A string that holds an object is taken as that object.
fn parse_arguments(given: Option<&Value>) -> (Map<String, Value>, bool) {
    match given {
        Some(Value::Object(map)) => (map.clone(), false),
        Some(Value::String(text)) => match read_json(text.as_bytes()) {
            Ok(Value::Object(map)) => (map, false),
            _ => (Map::from_iter([("input".to_owned(), Value::String(text.clone()))]), true),
        },
        _ => (Map::new(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::super::NativeAct;
    use super::*;
    use crate::agents::hook_agent;

    fn act(message: &HookMessage) -> NativeAct {
        message.tool_call().unwrap().act
    }

    #[test]
    fn a_message_is_read_in_each_form() {
        let claude = HookMessage::read(
            None,
            None,
            r#"{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_use_id":"t1","session_id":"s","cwd":"/w",
                "transcript_path":"/t","tool_input":{"file_path":"/w/a","old_string":"x","new_string":"y"},"new":1}"#,
        )
        .unwrap();
        assert_eq!((claude.agent, claude.moment), (hook_agent("claude"), HookMoment::Before));
        assert!(act(&claude).is_edit());
        let copilot = HookMessage::read(
            None,
            Some("postToolUse"),
            r#"{"toolName":"apply_patch","toolArgs":"*** Begin Patch"}"#,
        )
        .unwrap();
        assert_eq!((copilot.agent, copilot.moment), (hook_agent("copilot"), HookMoment::After));
        assert!(copilot.is_bare && act(&copilot).is_edit());
        let string =
            HookMessage::read(None, None, r#"{"toolName":"view","toolArgs":"{\"path\":\"a\"}"}"#).unwrap();
        assert_eq!(act(&string), NativeAct::Read { paths: vec!["a".into()] });
    }

    #[test]
    fn copilot_is_known_where_it_runs_a_hook_of_claude_code() {
        let message = r#"{"hook_event_name":"PreToolUse","session_id":"s","timestamp":"now","tool_name":"Edit",
            "tool_input":{"path":"a","old_str":"x","new_str":"y"}}"#;
        let read = HookMessage::read(Some(hook_agent("claude")), None, message).unwrap();
        assert_eq!(read.agent, hook_agent("copilot"));
        assert!(act(&read).is_edit());
    }

    #[test]
    fn half_a_message_is_an_error_and_an_unknown_one_is_none() {
        assert!(HookMessage::read(None, None, r#"{"tool_name":"Ed"#).is_err());
        assert!(HookMessage::read(None, None, "[]").is_err());
        let unknown = HookMessage::read(None, None, r#"{"tool_name":"Frobnicate","tool_input":7}"#).unwrap();
        assert_eq!((act(&unknown), unknown.moment), (NativeAct::Other, HookMoment::Before));
        let turn = HookMessage::read(None, None, r#"{"hook_event_name":"Stop","tool_input":7}"#).unwrap();
        assert_eq!(turn.moment, HookMoment::Other);
    }

    #[test]
    fn a_message_that_says_a_thing_twice_or_not_at_all_is_an_error() {
        for message in [
            r#"{"hook_event_name":"PreToolUse","tool_input":{}}"#,
            r#"{"hook_event_name":["PreToolUse"],"tool_name":"Bash"}"#,
            r#"{"tool_name":"Bash","toolName":"view"}"#,
            r#"{"tool_name":"Bash","tool_input":{},"toolArgs":{}}"#,
            r#"{"tool_name":"Bash","cwd":7}"#,
        ] {
            assert!(HookMessage::read(None, None, message).is_err(), "{message}");
        }
    }

    #[test]
    fn no_text_in_a_message_makes_a_call_that_is_about_to_run_another_moment() {
        let moment = |text: &str| HookMoment::of_unreadable(text.as_bytes(), None);
        assert_eq!(
            moment(r#"{"hook_event_name":"PreToolUse","x":"UserPromptSubmit AfterTool"#),
            HookMoment::Before
        );
        assert_eq!(moment("BeforeTool"), HookMoment::Before);
        assert_eq!(moment(r#"{"hook_event_name":"UserPromptSubmit","prompt":"x"#), HookMoment::Prompt);
        assert_eq!(moment(r#"{"hook_event_name":"PostToolUse"#), HookMoment::After);
        assert_eq!(moment("no message"), HookMoment::Before);
        assert_eq!(HookMoment::of_unreadable(b"PreToolUse", Some("postToolUse")), HookMoment::After);
    }
}
