//! `[activities.ENVIRONMENT]`: what runs tools in an environment, in place of what their definitions say.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

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

/// The activities of each environment, by the names of their tools.
pub(super) type ActivityTables = BTreeMap<String, BTreeMap<String, ActivitySettings>>;

/// Reads `[activities]`. A tool's name without quotes makes a table for each of its parts: the parts are joined again.
pub(super) fn read_tables<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ActivityTables, D::Error> {
    let written = BTreeMap::<String, Map<String, Value>>::deserialize(deserializer)?;
    let join = |(environment, tools): (String, Map<String, Value>)| {
        let mut joined = BTreeMap::new();
        tools.into_iter().for_each(|(name, value)| join_names(name, value, &mut joined));
        (environment, joined)
    };
    Ok(written.into_iter().map(join).collect())
}

/// Adds the activity in `value` under `name`, and those of the tables in it that are no keys of an activity, each under
/// `name` with its own name after a dot.
fn join_names(name: String, value: Value, joined: &mut BTreeMap<String, ActivitySettings>) {
    let members = match value {
        Value::Object(members) => members,
        value => return add_activity(name, value, joined),
    };
    let is_key = |key: &str, value: &Value| {
        let is_known = ActivitySettings::KINDS.contains(&key) || key == "remote_tool";
        is_known && (key == "answer" || !value.is_object())
    };
    let is_activity = members.is_empty() || members.iter().any(|(key, value)| is_key(key, value));
    let (keys, tables): (Map<String, Value>, Map<String, Value>) = members
        .into_iter()
        .partition(|(key, value)| is_key(key, value) || (is_activity && !value.is_object()));
    if is_activity {
        add_activity(name.clone(), Value::Object(keys), joined);
    }
    for (part, value) in tables {
        join_names(format!("{name}.{part}"), value, joined);
    }
}

fn add_activity(name: String, value: Value, joined: &mut BTreeMap<String, ActivitySettings>) {
    // It never fails: what is wrong with an activity stands in it.
    let activity = serde_json::from_value(value).unwrap_or_default();
    joined
        .entry(name)
        .and_modify(|twice: &mut ActivitySettings| {
            twice.wrong = Some("it stands there twice, with its name in quotes and without".to_owned());
        })
        .or_insert(activity);
}

impl ActivitySettings {
    /// The keys that say what runs a tool.
    pub const KINDS: [&str; 5] = ["command", "mcp_server", "activity", "answer", "latent"];

    /// Checks that exactly one of its kinds is set, and set right.
    ///
    /// # Errors
    /// A sentence about the problem.
    pub fn check(&self) -> Result<(), String> {
        if let Some(wrong) = &self.wrong {
            return Err(wrong.clone());
        }
        let is_named = [
            self.command.is_some(),
            self.mcp_server.is_some(),
            self.activity.is_some(),
            self.answer.is_some(),
            self.latent,
        ];
        let named = Self::KINDS.into_iter().zip(is_named);
        let named: Vec<&str> = named.filter(|(_, is_named)| *is_named).map(|(name, _)| name).collect();
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
            ("anser = 1", "unknown field `anser`"),
            ("command = 3", "invalid type"),
        ] {
            let said = said(wrong).unwrap_or_default();
            assert!(said.contains(says), "{wrong}: {said}");
        }
    }

    #[derive(Deserialize)]
    struct Tables {
        #[serde(deserialize_with = "read_tables")]
        activities: ActivityTables,
    }

    #[test]
    fn a_name_without_quotes_is_the_dotted_name() {
        let read = |text: &str| {
            let Tables { mut activities } = toml::from_str(text).unwrap();
            activities.remove("test").unwrap()
        };
        let quoted = read("[activities.test]\n\"terminal.run\" = { answer = { stdout = \"\" } }");
        for nested in [
            "[activities.test]\nterminal.run = { answer = { stdout = \"\" } }",
            "[activities.test.terminal]\nrun = { answer = { stdout = \"\" } }",
            "[activities.test.terminal.run]\nanswer = { stdout = \"\" }",
            "[activities]\ntest.terminal.run.answer.stdout = \"\"",
        ] {
            assert_eq!(read(nested), quoted, "{nested}");
            assert_eq!(read(nested)["terminal.run"].check(), Ok(()));
        }
        let deep =
            read("[activities.test]\na.latent = true\na.b.c.latent = true\na.command = { latent = true }");
        assert_eq!(deep.keys().collect::<Vec<_>>(), ["a", "a.b.c", "a.command"]);
        assert!(deep.values().all(|activity| activity.check() == Ok(())), "{deep:?}");
        let wrong = |text: &str| read(text)["a.b"].check().unwrap_err();
        assert!(wrong("[activities.test]\na.b = 3").contains("invalid type"));
        assert!(wrong("[activities.test]\na.b = {}").contains("it names nothing"));
        assert!(
            wrong("[activities.test]\n\"a.b\" = { latent = true }\na.b = { latent = true }")
                .contains("twice")
        );
    }

    #[test]
    fn names_of_environments_are_plain() {
        assert!(["dev", "Staging-2", "a_b"].iter().all(|name| is_environment_name(name)));
        assert!(!["", "2nd", "a b", "../x", &"a".repeat(33)].iter().any(|name| is_environment_name(name)));
    }
}
