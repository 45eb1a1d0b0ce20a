//! The table of agents holds together, and the pages and the set-up say what it says.

use std::path::Path;

use serde_json::json;

use super::{ALL, AgentProfile, HookAgent, PersonFiles, UsualFolder, hook_agent};

#[test]
fn an_agent_is_known_by_its_message() {
    for (message, id) in [
        (json!({ "toolName": "edit", "toolArgs": "{}" }), "copilot"),
        (json!({ "toolName": "edit", "turn_id": "1", "hook_event_name": "BeforeTool" }), "copilot"),
        (json!({ "hook_event_name": "BeforeTool", "transcript_path": "" }), "gemini"),
        (json!({ "hook_event_name": "BeforeAgent", "transcript_path": "", "turn_id": "1" }), "gemini"),
        (json!({ "hook_event_name": "PreToolUse", "turn_id": "1" }), "codex"),
        (json!({ "hook_event_name": "PreToolUse", "turn_id": "1", "timestamp": "now" }), "codex"),
        (json!({ "hook_event_name": "PreToolUse", "transcript_path": "/t" }), "claude"),
        (json!({ "transcript_path": "/t", "timestamp": "now" }), "qwen"),
        (json!({ "hook_event_name": "PreToolUse", "timestamp": "now" }), "copilot"),
        (json!({ "hook_event_name": "PreToolUse" }), "opencode"),
    ] {
        assert_eq!(HookAgent::sender_of(&message), Some(hook_agent(id)), "{message}");
    }
}

#[test]
fn no_two_agents_have_one_name() {
    let check = |mut names: Vec<&str>| {
        let before = names.clone();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), before.len(), "{before:?}");
    };
    check(ALL.iter().map(|agent| agent.id).collect());
    check(ALL.iter().map(|agent| agent.title).collect());
    check(ALL.iter().flat_map(|agent| agent.setup.programs).copied().collect());
    check(HookAgent::all().map(|agent| agent.log_name).collect());
    check(ALL.iter().filter_map(|agent| agent.acp).map(|acp| acp.name).collect());
    let reserved = ["all", "none", "auto"];
    assert!(ALL.iter().all(|agent| !reserved.contains(&agent.id) && !agent.setup.project_files.is_empty()));
    let lenders: Vec<_> = HookAgent::all().filter_map(|agent| agent.message.borrows_hooks_of).collect();
    assert!(lenders.iter().all(|id| HookAgent::find(id).is_some()), "{lenders:?}");
}

/// The usual path of a file in an agent's own folder, as the page writes it.
fn person_path(agent: &AgentProfile, name: &str) -> String {
    match agent.setup.folder.usual {
        UsualFolder::Home(folder) => format!("~/{folder}/{name}"),
        UsualFolder::Config(folder) => format!("~/.config/{folder}/{name}"),
    }
}

#[test]
fn the_page_names_each_agent_with_its_files_and_its_version() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/agents.md");
    let page = std::fs::read_to_string(page).unwrap();
    let has_row = |first: &str, names: &[String]| {
        let mut rows = page.lines().filter(|line| line.starts_with(&format!("| {first} |")));
        rows.any(|row| names.iter().all(|name| row.contains(&format!("`{name}`"))))
    };
    for agent in ALL {
        let setup = &agent.setup;
        let person = match setup.person_files {
            PersonFiles::InFolder(names) => person_path(agent, names[0]),
            PersonFiles::BesideFolder(name) => format!("~/{name}"),
        };
        let mut files = vec![setup.project_files[0].to_owned(), person];
        if let Some(permits) = &setup.permits {
            files.extend([permits.project_file.to_owned(), person_path(agent, permits.person_file)]);
        }
        assert!(has_row(agent.title, &files), "docs/agents.md has no row of {} with {files:?}", agent.title);
    }
    for agent in HookAgent::all() {
        let (title, setup) = (agent.title(), &agent.setup);
        let files = [setup.project_files[0].to_owned(), person_path(agent.profile, setup.person_file)];
        let tried = format!("{title} {}", agent.tried_version);
        assert!(has_row(&tried, &files), "docs/agents.md has no row of {tried} with {files:?}");
        let start = format!("wherefore init --guard --agents {}", agent.id());
        assert!(
            has_row(title, std::slice::from_ref(&start)),
            "docs/agents.md has no row of {title} with {start}"
        );
    }
}
