//! Commands and the network, beside paths.

use super::super::touch::Touch;
use super::super::{Effectful, PathTouch, Rules, Verdict};
use crate::base::WorkspacePath;
use crate::protocol::{Access, Effects, Network, RuleSettings};

/// A subject with nothing but effects.
#[derive(Debug)]
struct Act(Effects);

impl Effectful for Act {
    fn effects(&self) -> &Effects {
        &self.0
    }
}

fn rules() -> Rules {
    let user = RuleSettings { ask: vec!["db".to_owned()], ..RuleSettings::default() };
    Rules::new(&user, &RuleSettings::default()).0
}

fn look(access: Access, asked: &str) -> Result<PathTouch, String> {
    let path = WorkspacePath::clean(asked).ok_or_else(|| asked.to_owned())?;
    Ok(PathTouch { access, asked: path.clone(), resolved: path, file: None })
}

fn command(consented: bool) -> Effects {
    let argv = ["cargo", "fmt", "a b"].map(str::to_owned).to_vec();
    Effects { command: Some(argv), network: vec![Network::Any], consented, ..Effects::read("a") }
}

#[test]
fn a_command_and_the_network_are_asked_about() {
    let Verdict::Ask(ask) = rules().judge_call(Act(command(false)), look, None).unwrap() else {
        panic!("not asked");
    };
    assert_eq!(
        ask.question,
        "Allow to run \"cargo\" \"fmt\" \"a b\", reach any host of the network? Rule asked-command (it runs \
         confined, but what it changes may be written at once) asks first."
    );
    let allowed = ask.yes();
    let argv = ["cargo", "fmt", "a b"].map(str::to_owned).to_vec();
    let [Touch::Command { argv: granted, .. }, Touch::Network { reached, .. }, Touch::Path(path)] =
        allowed.grant().touches()
    else {
        panic!("{:?}", allowed.grant());
    };
    assert_eq!((granted, reached, path.asked.as_str()), (&argv, &Network::Any, "a"));
    // The person's yes counts for that command alone.
    let before = allowed.grant();
    let again = rules().judge_call(Act(command(false)), look, Some(before)).unwrap();
    assert!(matches!(again, Verdict::Allow(_)));
    let other = Effects { command: Some(vec!["cargo".to_owned()]), ..Effects::default() };
    let other = rules().judge_call(Act(other), look, Some(before)).unwrap();
    let Verdict::Ask(ask) = other else { panic!("not asked") };
    assert_eq!(ask.question.split('?').next(), Some("Allow to run \"cargo\""));
}

#[test]
fn what_the_person_consented_to_is_not_asked_about() {
    let Verdict::Allow(allowed) = rules().judge_call(Act(command(true)), look, None).unwrap() else {
        panic!("not allowed");
    };
    assert_eq!(allowed.grant().touches().len(), 3);
    // Consent to a command opens no path.
    let closed = Effects { reads: vec![".env".to_owned()], ..command(true) };
    assert!(matches!(rules().judge_call(Act(closed), look, None), Ok(Verdict::Deny(_))));
    let asked = Effects { reads: vec!["db/a".to_owned()], ..command(true) };
    assert!(matches!(rules().judge_call(Act(asked), look, None), Ok(Verdict::Ask(_))));
}

#[test]
fn a_host_is_named_and_a_long_command_is_cut() {
    let host = Effects { network: vec![Network::Host("example.org".to_owned())], ..Effects::default() };
    let Ok(Verdict::Ask(ask)) = rules().judge_call(Act(host), look, None) else { panic!("not asked") };
    assert_eq!(
        ask.question,
        "Allow to reach the host \"example.org\"? Rule asked-network (what is sent leaves this machine) asks first."
    );
    let long = Effects { command: Some(vec!["x".repeat(5000)]), ..Effects::default() };
    let Ok(Verdict::Ask(ask)) = rules().judge_call(Act(long), look, None) else { panic!("not asked") };
    assert!(ask.question.contains(" … and 1002 more bytes? Rule"), "{}", ask.question);
}

#[test]
fn a_question_is_about_the_paths_that_it_asks_for_and_no_earlier_ones() {
    let Ok(Verdict::Ask(ask)) = rules().judge_call(Act(command(false)), look, None) else {
        panic!("not asked")
    };
    assert!(ask.paths.is_none(), "it is about a command, too");
    let more = |path| vec![look(Access::Write, path).unwrap()];
    let Verdict::Ask(ask) = rules().judge_further(ask.yes(), more("db/a")) else { panic!("not asked") };
    let Verdict::Ask(ask) = rules().judge_further(ask.yes(), more("db/b")) else { panic!("not asked") };
    let paths = ask.paths.as_ref().unwrap();
    let reaches = |path: &str| paths.reaches(&WorkspacePath::clean(path).unwrap(), "another rule");
    assert!(reaches("db/b") && !reaches("db/a"), "a yes to db/a was for once");
}

#[test]
fn what_is_judged_further_keeps_what_was_granted() {
    let Ok(Verdict::Ask(ask)) = rules().judge_call(Act(command(false)), look, None) else {
        panic!("not asked")
    };
    let more = look(Access::Write, "db/a").unwrap();
    let Verdict::Ask(ask) = rules().judge_further(ask.yes(), vec![more]) else { panic!("not asked") };
    assert_eq!(ask.question, "Allow to write `db/a`? Rule rules.ask `db` asks first.");
    let allowed = ask.yes();
    assert_eq!(allowed.grant().touches().len(), 4);
    let again = look(Access::Write, "db/a").unwrap();
    assert!(matches!(rules().judge_further(allowed, vec![again]), Verdict::Allow(_)));
}

#[test]
fn a_confined_command_is_asked_about_only_where_a_rule_says_so() {
    let judged = |words: &[&str]| {
        let command = Some(words.iter().map(|word| (*word).to_owned()).collect());
        let effects = Effects { command, confined: true, ..Effects::default() };
        rules().judge_call(Act(effects), look, None).unwrap()
    };
    assert!(matches!(judged(&["cargo", "test"]), Verdict::Allow(_)));
    let Verdict::Ask(ask) = judged(&["bash", "-c", "ls && git push"]) else { panic!("not asked") };
    assert!(ask.question.contains("which runs `ls`, `git push`"), "{}", ask.question);
    assert!(ask.question.contains("Rule publishing ("), "{}", ask.question);
    let Verdict::Deny(refusal) = judged(&["sh", "-c", "rm -rf ~"]) else { panic!("not refused") };
    assert!(refusal.to_string().starts_with("rule destructive ("), "{refusal}");
    assert!(matches!(judged(&["cat", ".env"]), Verdict::Deny(_)));
}
