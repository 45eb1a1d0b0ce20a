//! The person's own rules of an agent hold behind the hook as they hold without it.
//!
//! `own_rules/AGENT.json` holds what each agent said without the guard: rules, and the verdict on each command. For Claude
//! Code all other commands were allowed (`Bash`), Gemini CLI ran with `--approval-mode yolo`, Copilot CLI with
//! `--allow-all-tools`. So the verdicts are those of the rules alone. With `WHEREFORE_BLESS=1` the tests of the agents write
//! the files again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use wherefore::hooks::agent_rules::{
    AgentRuleVerdict, ClaudeRules, CodexRules, CopilotRules, GeminiRules, OpencodeRules, PolicyTier,
};

use crate::guarded::guard;
use crate::model::{Model, Move};
use crate::place::Place;
use crate::programs;
use crate::recipes::{self, OwnTools};

/// Rules of an agent, and what they say of commands: `run`, `ask` or `deny`.
#[derive(Debug, Deserialize, Serialize)]
struct RuleCase {
    rules: Value,
    commands: BTreeMap<String, String>,
}

/// Commands that are run by the real agents each time. The others are checked against our judgement alone.
const SAMPLE: [&str; 5] = ["make x", "ls && make x", "git log -1", "node -v", "ls -la"];

fn file(agent: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents/own_rules").join(format!("{agent}.json"))
}

fn cases(agent: &str) -> Vec<RuleCase> {
    serde_json::from_slice(&std::fs::read(file(agent)).unwrap()).unwrap()
}

fn verdict(word: &str) -> AgentRuleVerdict {
    match word {
        "run" => AgentRuleVerdict::Silent,
        "ask" => AgentRuleVerdict::Ask,
        _ => AgentRuleVerdict::Deny,
    }
}

/// Each command of an agent's file gets the agent's verdict of our judgement.
fn judged(agent: &str, judge: impl Fn(&Value, &str) -> AgentRuleVerdict) {
    let mut rows = 0;
    for RuleCase { rules, commands } in cases(agent) {
        for (command, word) in commands {
            assert_eq!(judge(&rules, &command), verdict(&word), "{agent}: {rules}: {command}");
            rows += 1;
        }
    }
    assert!(rows >= 20, "{rows}");
}

#[test]
fn gemini_and_our_judgement_say_the_same() {
    judged("gemini", |rules, command| {
        let mut judged = GeminiRules::default();
        judged.add_settings(&rules["settings"]);
        judged.add_file(PolicyTier::User, rules["policy"].as_str().unwrap_or_default());
        judged.judge_shell_call(json!({ "command": command, "description": "d" }).as_object().unwrap())
    });
}

#[test]
fn claude_and_our_judgement_say_the_same() {
    judged("claude", |rules, command| {
        let mut judged = ClaudeRules::default();
        judged.add_settings(rules);
        judged.judge_command(command)
    });
}

#[test]
fn copilot_and_our_judgement_say_the_same() {
    judged("copilot", |rules, command| {
        let arguments =
            rules["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned());
        CopilotRules::of_arguments(&arguments.collect::<Vec<_>>()).judge_command(command)
    });
}

#[test]
fn codex_and_our_judgement_say_the_same() {
    judged("codex", |rules, command| {
        let mut judged = CodexRules::default();
        judged.add_file(rules["file"].as_str().unwrap());
        judged.judge_command(command)
    });
}

#[test]
fn opencode_and_our_judgement_say_the_same() {
    judged("opencode", |rules, command| {
        OpencodeRules::of_permission(&rules["permission"]).judge_command(command)
    });
}

/// The message for an agent's model about a command that its rules refuse or ask about.
fn word_of(result: &str, output: &str) -> &'static str {
    let is_there = |words: &[&str]| words.iter().any(|word| result.contains(word) || output.contains(word));
    match () {
        () if is_there(&[
            "requires user confirmation",
            "haven't granted it",
            "permission requested: bash",
            "own rules ask",
            "approval required by policy",
        ]) =>
        {
            "ask"
        }
        () if is_there(&[
            "has been denied",
            "denied by policy",
            "own rules refuse",
            "specified a rule which prevents",
            "due to the following rules",
            "policy forbids",
            "rejected: ",
        ]) =>
        {
            "deny"
        }
        () => "run",
    }
}

/// The agent with the rules of a case in its settings, and its arguments.
fn with_rules(tools: &OwnTools, place: &Place, model: &Model, rules: &Value, unguarded: bool) {
    (tools.configure)(place, model);
    let home = place.beside("home");
    let settings = |name: &str, change: &dyn Fn(&mut Value)| {
        let path = home.join(name);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|_| "{}".to_owned());
        let mut settings: Value = serde_json::from_str(&text).unwrap();
        change(&mut settings);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, settings.to_string()).unwrap();
    };
    match tools.name {
        "claude" => settings(".claude/settings.json", &|settings| {
            *settings = rules.clone();
            if unguarded {
                let allow = settings["permissions"]["allow"].as_array().cloned().unwrap_or_default();
                settings["permissions"]["allow"] = allow.into_iter().chain([json!("Bash")]).collect();
            }
        }),
        "gemini" => {
            settings(".gemini/settings.json", &|settings| {
                if !rules["settings"]["tools"].is_null() {
                    settings["tools"] = rules["settings"]["tools"].clone();
                }
            });
            if let Some(policy) = rules["policy"].as_str() {
                std::fs::write(place.beside("home/.gemini/policies").join("own.toml"), policy).unwrap();
            }
        }
        "opencode" => settings(".config/opencode/opencode.json", &|settings| {
            settings["permission"] = rules["permission"].clone();
        }),
        "codex" => {
            let rules = rules["file"].as_str().unwrap();
            std::fs::write(place.beside("home/.codex/rules").join("default.rules"), rules).unwrap();
        }
        _ => {}
    }
}

/// The agent's verdict on each command: one run each, since a question may end it.
fn said(
    tools: &OwnTools,
    program: &Path,
    rules: &Value,
    commands: &[String],
    unguarded: bool,
) -> BTreeMap<String, String> {
    let mut said = BTreeMap::new();
    for command in commands {
        let place = Place::new(&[("list.txt", "one\n")]);
        place.make_repository();
        let (shell, script) = (tools.shell, command.clone());
        let mut is_first = true;
        let model = Model::start(move |_| match std::mem::take(&mut is_first) {
            true => shell(&script),
            false => Move::Say("done"),
        });
        with_rules(tools, &place, &model, rules, unguarded);
        if !unguarded {
            guard(&place, program, tools.name, &[]);
        }
        let words: Vec<_> =
            rules["args"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let agent = tools.start_with(program, &place, &model, &words);
        let output = agent.ends();
        let result = model.turns().last().map(|turn| turn.last().to_owned()).unwrap_or_default();
        said.insert(command.clone(), word_of(&result, &output).to_owned());
    }
    said
}

/// Records an agent's file again, from its verdicts without the guard.
fn record(tools: &OwnTools, program: &Path) {
    let record = |RuleCase { rules, commands }: RuleCase| {
        let commands: Vec<String> = commands.into_keys().collect();
        let commands = said(tools, program, &rules, &commands, true);
        RuleCase { rules, commands }
    };
    let cases: Vec<RuleCase> = cases(tools.name).into_iter().map(record).collect();
    std::fs::write(file(tools.name), serde_json::to_string_pretty(&cases).unwrap() + "\n").unwrap();
}

/// The sample of an agent's commands gets the same verdict behind the hook.
fn hold(tools: &OwnTools) {
    let Some(program) = programs::find(tools.name) else { return };
    if std::env::var_os("WHEREFORE_BLESS").is_some() {
        return record(tools, &program);
    }
    for RuleCase { rules, commands } in cases(tools.name) {
        let sample: Vec<String> = SAMPLE.iter().map(|command| (*command).to_owned()).collect();
        let sample: Vec<String> =
            sample.into_iter().filter(|command| commands.contains_key(command)).collect();
        let said = said(tools, &program, &rules, &sample, false);
        for (command, word) in said {
            assert_eq!(word, commands[&command], "{}: {rules}: {command}", tools.name);
        }
    }
}

#[test]
fn claudes_rules_hold() {
    hold(&recipes::CLAUDE);
}

#[test]
fn opencodes_rules_hold() {
    hold(&recipes::OPENCODE);
}

#[test]
fn geminis_rules_hold() {
    hold(&recipes::GEMINI);
}

#[test]
fn copilots_rules_hold() {
    hold(&recipes::COPILOT);
}

#[test]
fn codex_rules_hold() {
    hold(&recipes::CODEX);
}
