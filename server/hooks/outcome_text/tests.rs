//! The texts for commands and changes: each describes what happened, and what to do.

use serde_json::json;

use super::*;
use crate::shell::CommandVerdict;

fn judgement(verdict: CommandVerdict, rule: &str, why: &str) -> Judgement {
    let command = |command: &str, verdict, rule: Option<&str>| JudgedCommand {
        command: command.to_owned(),
        argv: Vec::new(),
        via: Vec::new(),
        within: Vec::new(),
        verdict,
        rule: rule.map(str::to_owned),
        why: None,
    };
    Judgement {
        verdict,
        rule: Some(rule.to_owned()),
        why: Some(why.to_owned()),
        commands: vec![
            command("cd a", CommandVerdict::Allow, None),
            command("rm -rf /", verdict, Some(rule)),
        ],
    }
}

#[test]
fn a_command_is_named_with_what_it_would_do_and_what_to_do_instead() {
    let refused = refused_command_text(&judgement(CommandVerdict::Deny, "destructive", "it destroys files"));
    assert_eq!(
        refused,
        "wherefore: the rules refuse this command (`rm -rf /`: it destroys files; rule destructive). Do not run it in \
         another way; say what you need, and the person can do it"
    );
    let asked = unconfined_question(&judgement(CommandVerdict::Ask, "network", "it reaches the network"));
    assert_eq!(
        asked,
        "wherefore: this command needs the person's yes (`rm -rf /`: it reaches the network; rule network); commands run \
         outside of the sandbox here ([native] confine)"
    );
    // A doubt is about the script and none of its commands.
    let doubt = Judgement {
        commands: Vec::new(),
        ..judgement(CommandVerdict::Ask, "unclear-syntax", "it is unclear")
    };
    assert!(
        unconfined_question(&doubt)
            .starts_with("wherefore: this command needs the person's yes (it is unclear;")
    );
}

#[test]
fn a_change_of_a_command_that_waits_is_said_not_to_be_applied() {
    let envelope: Envelope = serde_json::from_value(json!({
        "call_id": "c-0001", "status": "pending", "result": {
            "status": "pending", "path": "a.txt", "hunks": [{ "id": "h1", "state": "pending", "line": 1 }],
        },
    }))
    .unwrap();
    let words = command_changes_text(&envelope).unwrap();
    assert!(
        words.contains("changed in a.txt (1 hunk) is not applied yet; later commands do not see it"),
        "{words}"
    );
}
