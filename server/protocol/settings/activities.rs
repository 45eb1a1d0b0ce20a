//! `[activities.ENVIRONMENT]`: what runs tools in an environment, in place of what their definitions say.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Characters of the longest environment name.
const LONGEST: usize = 32;

/// The activity of a tool in an environment: one of `command`, `mcp_server`, `activity`, `answer` and `latent`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ActivitySettings {
    /// A program and its arguments, with `{{name}}` in place of an argument of the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// A server of `[mcp_servers]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mcp_server: Option<String>,
    /// That server's own name of the tool; by default the last part of the tool's name here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote_tool: Option<String>,
    /// The built-in tool whose code runs it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub activity: Option<String>,
    /// The answer to every call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Value>,
    /// No code: the model fills the output.
    #[serde(skip_serializing_if = "is_false")]
    pub latent: bool,
    /// True if the project set it, and not the person.
    #[serde(skip)]
    pub of_project: bool,
    /// The problem of the written form.
    #[serde(skip)]
    pub wrong: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct WrittenActivity {
    command: Option<Vec<String>>,
    mcp_server: Option<String>,
    remote_tool: Option<String>,
    activity: Option<String>,
    answer: Option<Value>,
    latent: bool,
}

/// A slip in one activity costs no other setting: the tool is refused where it would have run.
impl<'de> Deserialize<'de> for ActivitySettings {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = serde_json::from_value(Value::deserialize(deserializer)?);
        let WrittenActivity { command, mcp_server, remote_tool, activity, answer, latent } = match written {
            Ok(written) => written,
            Err(error) => return Ok(Self { wrong: Some(error.to_string()), ..Self::default() }),
        };
        Ok(Self { command, mcp_server, remote_tool, activity, answer, latent, ..Self::default() })
    }
}

impl ActivitySettings {
    /// Checks that exactly one of its kinds is set, and set right.
    ///
    /// # Errors
    /// A sentence about the problem.
    pub fn check(&self) -> Result<(), String> {
        if let Some(wrong) = &self.wrong {
            let dotted = if wrong.starts_with("unknown field") {
                "; a tool's name with a dot in it stands in quotes"
            } else {
                ""
            };
            return Err(format!("{wrong}{dotted}"));
        }
        let named = [
            ("command", self.command.is_some()),
            ("mcp_server", self.mcp_server.is_some()),
            ("activity", self.activity.is_some()),
            ("answer", self.answer.is_some()),
            ("latent", self.latent),
        ];
        let named: Vec<&str> =
            named.iter().filter(|(_, is_named)| *is_named).map(|(name, _)| *name).collect();
        match named.as_slice() {
            [] => {
                Err("it names nothing: say `command`, `mcp_server`, `activity`, `answer` or `latent = true`"
                    .to_owned())
            }
            [_] if self.remote_tool.is_some() && self.mcp_server.is_none() => {
                Err("`remote_tool` is a tool of an `mcp_server`: name that too".to_owned())
            }
            [_] => Ok(()),
            many => Err(format!("{} exclude each other: one of them runs the tool", many.join(" and "))),
        }
    }
}

/// Returns whether a name is valid for an environment: letters, digits, `_` and `-`, a letter first.
pub fn is_environment_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.len() <= LONGEST
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_runs_a_tool_in_an_environment() {
        let said = |text: &str| toml::from_str::<ActivitySettings>(text).unwrap().check().err();
        for right in [
            "command = [\"a\"]",
            "mcp_server = \"mail\"\nremote_tool = \"send\"",
            "activity = \"fs.append\"",
            "latent = true",
        ] {
            assert_eq!(said(right), None, "{right}");
        }
        assert_eq!(said("answer = { sent = true }"), None);
        assert_eq!(said("answer = 0"), None);
        for (wrong, says) in [
            ("", "it names nothing"),
            ("latent = false", "it names nothing"),
            ("answer = 1\nlatent = true", "answer and latent exclude each other"),
            ("activity = \"a\"\nremote_tool = \"b\"", "`remote_tool` is a tool of an `mcp_server`"),
            ("send = { latent = true }", "stands in quotes"),
            ("command = 3", "invalid type"),
        ] {
            let said = said(wrong).unwrap_or_default();
            assert!(said.contains(says), "{wrong}: {said}");
        }
    }

    #[test]
    fn names_of_environments_are_plain() {
        assert!(["dev", "Staging-2", "a_b"].iter().all(|name| is_environment_name(name)));
        assert!(!["", "2nd", "a b", "../x", &"a".repeat(33)].iter().any(|name| is_environment_name(name)));
    }
}
