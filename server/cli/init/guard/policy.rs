//! A policy for the commands that the hook rewrote, for an agent that asks by one (Gemini CLI): they are confined, so the person
//! is not asked again.

use serde_json::json;

use super::forms::HookFile;
use crate::agents::HookAgent;
use crate::cli::hook::ASKED_BY;
use crate::cli::init::agents::PersonMachine;
use crate::cli::init::error::PlanError;
use crate::cli::init::plan::{FilePlan, PlannedAct, read_text};

const HEAD: &str = "# Written by `wherefore init --guard`. `wherefore init --guard --remove` takes it away.";

/// The person's file for the policy; none for another agent. A project's policies come after the person's settings, so that
/// they would not count.
pub(super) fn policy_file(agent: HookAgent, machine: &PersonMachine) -> Option<HookFile> {
    agent.can_ask_by_policy().then(|| agent.person_file(machine, "policies/wherefore.toml")).flatten()
}

/// Puts the policy into its file.
///
/// # Errors
/// The reason why the file cannot be read, with its name.
pub(super) fn put_policy(agent: HookAgent, file: &HookFile, program: &str) -> Result<FilePlan, PlanError> {
    let before = read_text(&file.path, &file.name)?;
    let after = policy_text(agent.log_name, program);
    let act = if before.as_ref() == Some(&after) { PlannedAct::Nothing } else { PlannedAct::Add };
    let purpose = format!("{}: does not ask about a confined command", agent.title());
    let plan = FilePlan::unchanged(agent.title(), file.name.clone(), file.path.clone(), before);
    Ok(FilePlan { next: "reads it from its next start", purpose, act, after: Some(after), ..plan })
}

/// Removes the policy; none if the file is another's.
///
/// # Errors
/// The reason why the file cannot be read, with its name.
pub(super) fn take_policy(agent: HookAgent, file: &HookFile) -> Result<Option<FilePlan>, PlanError> {
    let before = read_text(&file.path, &file.name)?;
    if before.as_ref().is_none_or(|text| text.lines().next() != Some(HEAD)) {
        return Ok(None);
    }
    let purpose = format!("{}: asks about each command", agent.title());
    let plan = FilePlan::unchanged(agent.title(), file.name.clone(), file.path.clone(), before);
    Ok(Some(FilePlan { purpose, act: PlannedAct::Remove, after: None, ..plan }))
}

/// The policy. It covers commands that begin as the hook writes them, with a token: `wherefore sandbox` runs nothing
/// for a token that is not the server's. The rest of the command is judged by the agent's other rules.
fn policy_text(agent: &str, program: &str) -> String {
    let program = shlex::try_quote(program).map_or_else(|_| program.to_owned(), String::from);
    let quoted = json!(program).to_string();
    let program = regex::escape(quoted.trim_matches('"'));
    let rule = |asked: &str, decision: &str| {
        let pattern = format!(
            r#"{program} sandbox '--root=[^'"\\]*' '--agent={agent}' {asked}'--token=[A-Za-z0-9_-]+' "#
        );
        format!(
            "\n[[rule]]\ntoolName = \"run_shell_command\"\ncommandRegex = {}\ndecision = \"{decision}\"\n\
             priority = 999\nmodes = [\"default\", \"autoEdit\", \"yolo\"]\n",
            toml::Value::from(pattern)
        )
    };
    format!(
        "{HEAD}\n# A command that wherefore's hook let into the sandbox is asked about where your own rules want that, and \
         not otherwise.\n{}{}",
        rule("", "allow"),
        rule(&format!("'{ASKED_BY}={agent}' "), "ask_user")
    )
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::policy_text;

    #[test]
    fn the_policy_covers_a_command_line_with_a_token_and_no_other() {
        let policy: toml::Value =
            toml::from_str(&policy_text("gemini-cli", "/opt/my tools/wherefore")).unwrap();
        let rule = &policy["rule"][0];
        assert_eq!(
            (&policy["rule"][1]["decision"], &rule["decision"]),
            (&"ask_user".into(), &"allow".into())
        );
        let pattern =
            Regex::new(&format!("\"command\":\"{}", rule["commandRegex"].as_str().unwrap())).unwrap();
        let is_covered = |command: &str| {
            let arguments = format!("{{\0\"command\":{}\0}}", serde_json::json!(command));
            pattern.is_match(&arguments)
        };
        let words = |root: &str, token: &str| {
            let words = [
                "/opt/my tools/wherefore",
                "sandbox",
                root,
                "--agent=gemini-cli",
                token,
                "--",
                "bash",
                "-c",
                "ls",
            ];
            shlex::try_join(words).unwrap()
        };
        let token = format!("{}_B-1", "--token=a");
        assert!(is_covered(&words("--root=/w", &token)));
        for other in [
            words("--root=/w", "--token="),
            words("--root=/w", "--why=x"),
            words("--root=/w", "--asked-by=gemini-cli"),
            words("--root=/w' x '", "--token=a"),
            format!("ls; {}", words("--root=/w", "--token=a")),
            "ls".to_owned(),
        ] {
            assert!(!is_covered(&other), "{other}");
        }
    }
}
