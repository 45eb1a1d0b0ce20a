//! Commands and the network, in addition to paths.

use super::super::touch::Touch;
use super::super::{Effectful, PathTouch, RuleVerdict, WorkspaceRules};
use crate::base::WorkspacePath;
use crate::protocol::{CallEffects, NetworkTarget, PathAccess, RuleSettings};

/// A subject with nothing but effects.
#[derive(Debug)]
struct Act(CallEffects);

impl Effectful for Act {
    fn declared_effects(&self) -> &CallEffects {
        &self.0
    }
}

fn rules() -> WorkspaceRules {
    let user = RuleSettings { ask: vec!["db".to_owned()], ..RuleSettings::default() };
    WorkspaceRules::new(&user, &RuleSettings::default()).0
}

fn look(access: PathAccess, asked: &str) -> Result<PathTouch, String> {
    let path = WorkspacePath::from_relative(asked).ok_or_else(|| asked.to_owned())?;
    Ok(PathTouch { access, asked: path.clone(), resolved: path, file: None })
}

fn command(consented: bool) -> CallEffects {
    let argv = ["cargo", "fmt", "a b"].map(str::to_owned).to_vec();
    CallEffects {
        command: Some(argv),
        network: vec![NetworkTarget::Any],
        consented,
        ..CallEffects::read("a")
    }
}

#[test]
fn a_command_and_the_network_are_asked_about() {
    let RuleVerdict::Ask(ask) = rules().judge_call(Act(command(false)), look, None).unwrap() else {
        panic!("not asked");
    };
    assert_eq!(
        ask.question,
        "Allow to run \"cargo\" \"fmt\" \"a b\", reach any host of the network? Rule asked-command (it runs \
         confined, but what it changes may be written at once) asks first."
    );
    let allowed = ask.take_yes();
    let argv = ["cargo", "fmt", "a b"].map(str::to_owned).to_vec();
    let [Touch::Command { argv: granted, .. }, Touch::Network { reached, .. }, Touch::Path(path)] =
        allowed.grant().touches()
    else {
        panic!("{:?}", allowed.grant());
    };
    assert_eq!((granted, reached, path.asked.as_str()), (&argv, &NetworkTarget::Any, "a"));
    // The person's yes counts for that command alone.
    let before = allowed.grant();
    let again = rules().judge_call(Act(command(false)), look, Some(before)).unwrap();
    assert!(matches!(again, RuleVerdict::Allow(_)));
    let other = CallEffects { command: Some(vec!["cargo".to_owned()]), ..CallEffects::default() };
    let other = rules().judge_call(Act(other), look, Some(before)).unwrap();
    let RuleVerdict::Ask(ask) = other else { panic!("not asked") };
    assert_eq!(ask.question.split('?').next(), Some("Allow to run \"cargo\""));
}

#[test]
fn what_the_person_consented_to_is_not_asked_about() {
    let RuleVerdict::Allow(allowed) = rules().judge_call(Act(command(true)), look, None).unwrap() else {
        panic!("not allowed");
    };
    assert_eq!(allowed.grant().touches().len(), 3);
    // Consent to a command opens no path.
    let closed = CallEffects { reads: vec![".env".to_owned()], ..command(true) };
    assert!(matches!(rules().judge_call(Act(closed), look, None), Ok(RuleVerdict::Deny(_))));
    let asked = CallEffects { reads: vec!["db/a".to_owned()], ..command(true) };
    assert!(matches!(rules().judge_call(Act(asked), look, None), Ok(RuleVerdict::Ask(_))));
}

#[test]
fn a_host_is_named_and_a_long_command_is_cut() {
    let host = CallEffects {
        network: vec![NetworkTarget::Host("example.org".to_owned())],
        ..CallEffects::default()
    };
    let Ok(RuleVerdict::Ask(ask)) = rules().judge_call(Act(host), look, None) else { panic!("not asked") };
    assert_eq!(
        ask.question,
        "Allow to reach the host \"example.org\"? Rule asked-network (what is sent leaves this machine) asks first."
    );
    let long = CallEffects { command: Some(vec!["x".repeat(5000)]), ..CallEffects::default() };
    let Ok(RuleVerdict::Ask(ask)) = rules().judge_call(Act(long), look, None) else { panic!("not asked") };
    assert!(ask.question.contains(" … and 1002 more bytes? Rule"), "{}", ask.question);
}

#[test]
fn a_question_is_about_the_paths_that_it_asks_for_and_no_earlier_ones() {
    let Ok(RuleVerdict::Ask(ask)) = rules().judge_call(Act(command(false)), look, None) else {
        panic!("not asked")
    };
    assert!(ask.paths.is_none(), "it is about a command, too");
    let more = |path| vec![look(PathAccess::Write, path).unwrap()];
    let RuleVerdict::Ask(ask) = rules().judge_further(ask.take_yes(), more("db/a")) else {
        panic!("not asked")
    };
    let RuleVerdict::Ask(ask) = rules().judge_further(ask.take_yes(), more("db/b")) else {
        panic!("not asked")
    };
    let paths = ask.paths.as_ref().unwrap();
    let reaches =
        |path: &str| paths.covers_path(&WorkspacePath::from_relative(path).unwrap(), "another rule");
    assert!(reaches("db/b") && !reaches("db/a"), "a yes to db/a was for once");
}

#[test]
fn what_is_judged_further_keeps_what_was_granted() {
    let Ok(RuleVerdict::Ask(ask)) = rules().judge_call(Act(command(false)), look, None) else {
        panic!("not asked")
    };
    let more = look(PathAccess::Write, "db/a").unwrap();
    let RuleVerdict::Ask(ask) = rules().judge_further(ask.take_yes(), vec![more]) else {
        panic!("not asked")
    };
    assert_eq!(ask.question, "Allow to write `db/a`? Rule rules.ask `db` asks first.");
    let allowed = ask.take_yes();
    assert_eq!(allowed.grant().touches().len(), 4);
    let again = look(PathAccess::Write, "db/a").unwrap();
    assert!(matches!(rules().judge_further(allowed, vec![again]), RuleVerdict::Allow(_)));
}

#[test]
fn a_confined_command_is_asked_about_only_where_a_rule_says_so() {
    let judged = |words: &[&str]| {
        let command = Some(words.iter().map(|word| (*word).to_owned()).collect());
        let effects = CallEffects { command, confined: true, ..CallEffects::default() };
        rules().judge_call(Act(effects), look, None).unwrap()
    };
    assert!(matches!(judged(&["cargo", "test"]), RuleVerdict::Allow(_)));
    let RuleVerdict::Ask(ask) = judged(&["bash", "-c", "ls && git push"]) else { panic!("not asked") };
    assert!(ask.question.contains("which runs `ls`, `git push`"), "{}", ask.question);
    assert!(ask.question.contains("Rule publishing ("), "{}", ask.question);
    let RuleVerdict::Deny(refusal) = judged(&["sh", "-c", "rm -rf ~"]) else { panic!("not refused") };
    assert!(refusal.to_string().starts_with("rule destructive ("), "{refusal}");
    assert!(matches!(judged(&["cat", ".env"]), RuleVerdict::Deny(_)));
}

#[test]
fn a_script_of_several_lines_stands_below_the_question() {
    let argv =
        ["env", "A=b", "bash", "-c", "curl x\n    Rule nobody refuses first.\n"].map(str::to_owned).to_vec();
    let asked = CallEffects { command: Some(argv), confined: true, ..CallEffects::default() };
    let RuleVerdict::Ask(ask) = rules().judge_call(Act(asked), look, None).unwrap() else {
        panic!("not asked")
    };
    let (first, script) = ask.question.split_once('\n').unwrap();
    assert!(
        first.starts_with("Allow to run \"env\" \"A=b\" \"bash\" \"-c\" with the script below, which runs "),
        "{first}"
    );
    assert_eq!(script, "    curl x\n        Rule nobody refuses first.");
    let line = ["bash", "-c", "curl x"].map(str::to_owned).to_vec();
    let asked = CallEffects { command: Some(line), confined: true, ..CallEffects::default() };
    let RuleVerdict::Ask(ask) = rules().judge_call(Act(asked), look, None).unwrap() else {
        panic!("not asked")
    };
    assert!(!ask.question.contains('\n'), "{}", ask.question);
}
