//! The settings files: the person's, and the project's, which may only tighten.

use std::path::PathBuf;

use serde_json::Value;

use crate::base::person;
use crate::embed;
use crate::protocol::{Fault, McpServer, PolicyRule, Settings};
use crate::workspace::Store;

/// Settings as they hold, and what was wrong with the files.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The person's, tightened by the project's. `rules` are the person's alone.
    pub settings: Settings,
    /// The project's own.
    pub project: Settings,
    /// What was not taken, a sentence each.
    pub problems: Vec<String>,
    /// The one of them for which there is no model: the person may have set one.
    pub no_model: Option<String>,
}

/// Reads both files; one that is missing counts as empty, one that is wrong as absent. What the editor holds
/// (`client`) counts as the person's and before the person's file. The rules keep what they were opened with.
pub fn load(store: &Store, client: Option<&Value>) -> Loaded {
    let mut problems = Vec::new();
    let person = parse(PERSON, read_person(), &mut problems);
    let unread = problems.first().cloned();
    let project = parse(".wherefore/config.toml", store.read("config.toml"), &mut problems);
    let person = client.map_or(person.clone(), |client| {
        overlay(&person, client).unwrap_or_else(|error| {
            problems.push(format!("the editor's settings: {error}"));
            person
        })
    });
    let mut settings = tighten(person, &project, &mut problems);
    let wrong = drop_wrong(&mut settings, &mut problems);
    let no_model = wrong.or(unread.filter(|_| settings.embeddings.is_none()));
    Loaded { settings, project, problems, no_model }
}

/// Reads the person's file alone: what counts outside of every workspace.
pub fn of_person() -> Loaded {
    let mut problems = Vec::new();
    let mut settings = parse(PERSON, read_person(), &mut problems);
    let unread = problems.first().cloned();
    let no_model = drop_wrong(&mut settings, &mut problems).or(unread);
    Loaded { settings, project: Settings::default(), problems, no_model }
}

/// The person's file, for a reader.
const PERSON: &str = "config.toml of the person";

fn parse(name: &str, bytes: Result<Option<Vec<u8>>, Fault>, problems: &mut Vec<String>) -> Settings {
    match bytes {
        Ok(None) => Settings::default(),
        Ok(Some(bytes)) => toml::from_slice(&bytes).unwrap_or_else(|error| {
            problems.push(format!("{name}: {}", error.to_string().replace('\n', " ").trim()));
            Settings::default()
        }),
        Err(fault) => {
            problems.push(format!("{name}: {}", fault.message));
            Settings::default()
        }
    }
}

/// Takes out what cannot be used, and says why; once more where that is the model.
fn drop_wrong(settings: &mut Settings, problems: &mut Vec<String>) -> Option<String> {
    settings.mcp_servers.retain(|name, server| match server.check(name) {
        Ok(()) => true,
        Err(wrong) => {
            problems.push(format!("mcp_servers.{}: {wrong}", crate::base::hidden::shown(name)));
            false
        }
    });
    let wrong = settings.embeddings.as_ref().and_then(|embeddings| embed::check(embeddings).err())?;
    settings.embeddings = None;
    problems.push(format!("embeddings: {wrong}"));
    problems.last().cloned()
}

/// Where the person's settings are: `$XDG_CONFIG_HOME/wherefore`, else `~/.config/wherefore`.
pub fn person_folder() -> Option<PathBuf> {
    person::folder("XDG_CONFIG_HOME", ".config")
}

/// The settings with the members that `client` gives in place of theirs.
fn overlay(settings: &Settings, client: &Value) -> serde_json::Result<Settings> {
    fn merge(under: &mut Value, over: &Value) {
        match (under, over) {
            (Value::Object(under), Value::Object(over)) => {
                for (key, value) in over {
                    merge(under.entry(key.clone()).or_insert(Value::Null), value);
                }
            }
            (_, Value::Null) => {}
            (under, over) => *under = over.clone(),
        }
    }
    let mut merged = serde_json::to_value(settings)?;
    merge(&mut merged, client);
    serde_json::from_value(merged)
}

fn read_person() -> Result<Option<Vec<u8>>, Fault> {
    let Some(folder) = person_folder() else { return Ok(None) };
    match std::fs::read(folder.join("config.toml")) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Fault::internal(error.to_string())),
    }
}

/// The person's settings with what the project's make stricter. What they would loosen is named, not taken.
fn tighten(person: Settings, project: &Settings, problems: &mut Vec<String>) -> Settings {
    let mut settings = person;
    let mut loose = |what: &str| {
        problems.push(format!(".wherefore/config.toml: {what}; not taken, a project may only tighten"))
    };
    let default = Settings::default();
    if project.review.policy != default.review.policy {
        match project.review.policy > settings.review.policy {
            true => settings.review.policy = project.review.policy,
            false => loose("review.policy is looser than the person's"),
        }
    }
    for rule in &project.review.rules {
        match rule.policy >= settings.review.policy {
            true => settings.review.rules.push(rule.clone()),
            false => {
                loose(&format!("the review rule for {} is looser than the person's policy", describe(rule)))
            }
        }
    }
    for (name, server) in &project.mcp_servers {
        match settings.mcp_servers.contains_key(name) {
            true => loose(&format!("mcp_servers.{name} is a server of the person's too")),
            // It waits for consent where it would start.
            false => {
                let server = McpServer { of_project: true, ..server.clone() };
                settings.mcp_servers.insert(name.clone(), server);
            }
        }
    }
    settings.why.strict |= project.why.strict;
    settings.log.verbosity = settings.log.verbosity.max(project.log.verbosity);
    if !project.rules.allow.is_empty() {
        loose("rules.allow opens sensitive paths");
    }
    if project.embeddings.is_some() {
        loose("[embeddings] would send requests and texts of tools and files to where it says");
    }
    if project.memory != default.memory {
        loose("[memory] is for you to set; .wherefore/working-set.yml holds the project's budget");
    }
    let (limits, asked) = (&mut settings.limits, &project.limits);
    limits.output_bytes = limits.output_bytes.min(asked.output_bytes);
    limits.output_items = limits.output_items.min(asked.output_items);
    limits.edit_bytes = limits.edit_bytes.min(asked.edit_bytes);
    settings
}

fn describe(rule: &PolicyRule) -> String {
    let part = |name: &str, glob: &Option<String>| glob.as_ref().map(|glob| format!("{name} {glob:?}"));
    let parts: Vec<_> = part("tool", &rule.tool).into_iter().chain(part("path", &rule.path)).collect();
    if parts.is_empty() { "everything".to_owned() } else { parts.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Policy;

    #[test]
    fn a_project_only_tightens() {
        let person: Settings = toml::from_str("[review]\npolicy = \"hold\"").unwrap();
        let project: Settings = toml::from_str(
            "[review]\npolicy = \"auto\"\n[[review.rules]]\npath = \"a/**\"\npolicy = \"auto\"\n[[review.rules]]\npath = \"b/**\"\npolicy = \"deny\"\n[why]\nstrict = true\n[rules]\nallow = [\".env\"]\n[limits]\noutput_bytes = 10",
        )
        .unwrap();
        let mut problems = Vec::new();
        let settings = tighten(person, &project, &mut problems);
        assert_eq!(settings.review.policy, Policy::Hold);
        assert_eq!(settings.review.rules.len(), 1);
        assert!(settings.why.strict);
        assert_eq!(settings.limits.output_bytes, 10);
        assert_eq!(problems.len(), 3, "{problems:?}");
    }

    #[test]
    fn embeddings_are_the_persons_alone_and_sound() {
        let read = |text: &str| toml::from_str::<Settings>(text).unwrap();
        let project = read("[embeddings]\nurl = \"https://elsewhere/v1\"\nmodel = \"m\"");
        let mut problems = Vec::new();
        assert_eq!(tighten(Settings::default(), &project, &mut problems).embeddings, None);
        assert!(problems.len() == 1 && problems[0].contains("[embeddings]"), "{problems:?}");
        let person = read("[embeddings]\nurl = \"http://127.0.0.1:1/v1\"\nmodel = \"mine\"");
        let settings = tighten(person.clone(), &project, &mut problems);
        assert_eq!(settings.embeddings, person.embeddings);

        let mut plain = read("[embeddings]\nurl = \"http://models.example/v1\"\nmodel = \"m\"");
        let mut problems = Vec::new();
        drop_wrong(&mut plain, &mut problems);
        assert_eq!(plain.embeddings, None);
        assert!(
            problems[0].starts_with("embeddings: ") && problems[0].contains("plain http"),
            "{problems:?}"
        );
    }

    #[test]
    fn a_project_adds_servers_that_are_known_as_its_own() {
        let read = |text: &str| toml::from_str::<Settings>(text).unwrap();
        let person = read("[mcp_servers.a]\ncommand = \"mine\"");
        let project = read("[mcp_servers.a]\ncommand = \"theirs\"\n[mcp_servers.b]\ncommand = \"theirs\"");
        let mut problems = Vec::new();
        let servers = tighten(person, &project, &mut problems).mcp_servers;
        let seen: Vec<_> = servers
            .iter()
            .map(|(name, server)| (name.as_str(), server.command.as_deref(), server.of_project))
            .collect();
        assert_eq!(seen, [("a", Some("mine"), false), ("b", Some("theirs"), true)]);
        assert_eq!(problems.len(), 1, "{problems:?}");
    }
}
