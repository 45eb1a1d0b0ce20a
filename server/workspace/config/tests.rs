//! Settings of the person and of projects together: a project only tightens.

use super::*;
use crate::protocol::{Policy, Verbosity};

fn of_project(text: &str) -> SettingsLayer {
    let mut problems = Vec::new();
    let party = settings_layer::read_layer(PROJECT, Ok(Some(text.as_bytes().to_vec())), &mut problems);
    assert_eq!(problems, [""; 0]);
    party
}

#[test]
fn a_project_only_tightens() {
    let person: Settings = toml::from_str("[review]\npolicy = \"hold\"").unwrap();
    let project = of_project(
        "[review]\npolicy = \"auto\"\n[[review.rules]]\npath = \"a/**\"\npolicy = \"auto\"\n[[review.rules]]\npath = \"b/**\"\npolicy = \"deny\"\n[why]\nstrict = true\n[rules]\nallow = [\".env\"]\n[limits]\noutput_bytes = 10",
    );
    let mut problems = Vec::new();
    let settings = tighten_settings(person, &project, &mut problems);
    assert_eq!(settings.review.policy, Policy::Hold);
    assert_eq!(settings.review.rules.len(), 1);
    assert!(settings.why.strict);
    assert_eq!(settings.limits.output_bytes, 10);
    assert_eq!(problems.len(), 3, "{problems:?}");

    // Asking is a policy that the project states too, though it is the default.
    let person: Settings = toml::from_str("[review]\npolicy = \"auto\"").unwrap();
    let settings = tighten_settings(person.clone(), &of_project("[review]\npolicy = \"ask\""), &mut problems);
    assert_eq!(settings.review.policy, Policy::Ask);
    let mut problems = Vec::new();
    let settings = tighten_settings(person, &of_project("[review]\nwait_s = 3"), &mut problems);
    assert_eq!((settings.review.policy, settings.review.wait_s), (Policy::Auto, None));
    assert!(problems.len() == 1 && problems[0].contains("review.wait_s"), "{problems:?}");
}

#[test]
fn what_the_template_of_a_project_offers_counts() {
    let template = include_str!("../../cli/init/config.toml");
    let is_setting = |line: &str| {
        line.starts_with('[') || line.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '))
    };
    let offered = template.lines().map(|line| match line.strip_prefix("# ") {
        Some(setting) if is_setting(setting) => {
            setting.replace("\"standard\"", "\"verbose\"").replace("false", "true")
        }
        _ => line.to_owned(),
    });
    let text = offered.collect::<Vec<_>>().join("\n");
    assert!(text.contains("\nheld = 1000\n"), "{text}");
    let mut problems = Vec::new();
    let settings = tighten_settings(Settings::default(), &of_project(&text), &mut problems);
    assert_eq!(problems, [""; 0]);
    assert!(settings.why.strict && settings.log.verbosity == Verbosity::Verbose);
    for other in ["wait_s", "durability", "running", "[notify]", "[discovery]", "[storage]"] {
        assert!(!text.contains(other), "{other} is for the person to set");
    }
}

#[test]
fn the_model_is_the_persons_alone() {
    let read = |text: &str| toml::from_str::<Settings>(text).unwrap();
    let mut problems = Vec::new();
    let project = of_project("[model]\nname = \"openai/m\"\nurl = \"https://elsewhere/v1\"");
    assert_eq!(tighten_settings(Settings::default(), &project, &mut problems).model, None);
    assert!(problems.len() == 1 && problems[0].contains("[model]"), "{problems:?}");
    let person = read("[model]\nname = \"ollama/mine\"");
    let settings = tighten_settings(person.clone(), &project, &mut Vec::new());
    assert!(settings.model.is_some() && settings.model == person.model);
}

#[test]
fn telemetry_is_the_persons_alone_and_sound() {
    let read = |text: &str| toml::from_str::<Settings>(text).unwrap();
    let mut problems = Vec::new();
    let project = of_project("[telemetry]\nendpoint = \"https://elsewhere\"");
    assert_eq!(tighten_settings(Settings::default(), &project, &mut problems).telemetry, None);
    assert!(problems.len() == 1 && problems[0].contains("[telemetry]"), "{problems:?}");
    let person = read("[telemetry]\nendpoint = \"http://127.0.0.1:4318\"");
    assert_eq!(tighten_settings(person.clone(), &project, &mut problems).telemetry, person.telemetry);
    let mut plain = read("[telemetry]\nendpoint = \"http://collector.example:4318\"");
    problems.clear();
    drop_wrong(&mut plain, &mut problems);
    assert_eq!(plain.telemetry, None);
    assert!(problems[0].starts_with("telemetry: ") && problems[0].contains("plain http"), "{problems:?}");
}

#[test]
fn embeddings_are_the_persons_alone_and_sound() {
    let read = |text: &str| toml::from_str::<Settings>(text).unwrap();
    let project = of_project("[embeddings]\nurl = \"https://elsewhere/v1\"\nmodel = \"m\"");
    let mut problems = Vec::new();
    assert_eq!(tighten_settings(Settings::default(), &project, &mut problems).embeddings, None);
    assert!(problems.len() == 1 && problems[0].contains("[embeddings]"), "{problems:?}");
    let person = read("[embeddings]\nurl = \"http://127.0.0.1:1/v1\"\nmodel = \"mine\"");
    let settings = tighten_settings(person.clone(), &project, &mut problems);
    assert_eq!(settings.embeddings, person.embeddings);

    let mut plain = read("[embeddings]\nurl = \"http://models.example/v1\"\nmodel = \"m\"");
    let mut problems = Vec::new();
    drop_wrong(&mut plain, &mut problems);
    assert_eq!(plain.embeddings, None);
    assert!(problems[0].starts_with("embeddings: ") && problems[0].contains("plain http"), "{problems:?}");
}

#[test]
fn a_project_adds_servers_that_are_known_as_its_own() {
    let read = |text: &str| toml::from_str::<Settings>(text).unwrap();
    let person = read("[mcp_servers.a]\ncommand = \"mine\"");
    let project = of_project("[mcp_servers.a]\ncommand = \"theirs\"\n[mcp_servers.b]\ncommand = \"theirs\"");
    let mut problems = Vec::new();
    let servers = tighten_settings(person, &project, &mut problems).mcp_servers;
    let seen: Vec<_> = servers
        .iter()
        .map(|(name, server)| (name.as_str(), server.command.as_deref(), server.of_project))
        .collect();
    assert_eq!(seen, [("a", Some("mine"), false), ("b", Some("theirs"), true)]);
    assert_eq!(problems.len(), 1, "{problems:?}");
}
