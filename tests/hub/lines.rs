//! Which call each line comes from, through the whole engine: random histories, whose lines are known by their text.

use std::collections::HashMap;

use serde_json::json;
use wherefore::protocol::{Act, DecideParams, LineBy, LineWhys};
use wherefore::requests::why::WhyParams;
use wherefore::requests::{Decide, Undo, Why};

use crate::support::{Bench, numbers};

/// The default number of steps of one history (`WHEREFORE_STEPS`).
const STEPS: usize = 40;

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.parse().ok()
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit as u64).unwrap()
    }
}

async fn why(bench: &Bench, path: &str) -> LineWhys {
    bench.ask::<Why>(WhyParams { path: path.to_owned(), ..WhyParams::default() }).await.unwrap()
}

/// Each line with who wrote it, and for which call.
async fn known(bench: &Bench, path: &str) -> Vec<(LineBy, Option<String>)> {
    let whys = why(bench, path).await;
    let call = |at: Option<u32>| at.map(|at| whys.calls[at as usize].call.to_string());
    let groups = whys.groups.iter();
    groups.flat_map(|group| (group.start..=group.end).map(|_| (group.by, call(group.call)))).collect()
}

#[tokio::test]
async fn lines_of_an_agent_a_person_and_both_are_told_apart() {
    let bench = Bench::new(&[("a.txt", &numbers(20, &[]))]);
    bench.open("a.txt");
    let content = numbers(20, &[(3, "a line of the agent"), (12, "another line of the agent")]);
    let asked = json!({ "path": "a.txt", "content": content, "why": "Name the third number in words" });
    let (call, proposal) = bench.propose("fs.write", asked).await;
    let texts = [("h1".into(), "a line of the agent, and mine\n".to_owned())].into();
    let hunks = vec!["h1".into()];
    let params =
        DecideParams { proposal: Some(proposal.id.clone()), hunks, texts, ..DecideParams::all(Act::Accept) };
    bench.ask::<Decide>(params).await.unwrap();
    bench.decide(&proposal.id, &["h2"], Act::Accept, Some("The second one is right")).await.unwrap();
    let id = call.await.unwrap().call_id.to_string();
    bench.type_in("a.txt", &format!("typed by hand\n{}", bench.buffer("a.txt")));
    let lines = known(&bench, "a.txt").await;
    assert_eq!(lines.len(), 21);
    assert_eq!(lines[0], (LineBy::Human, None));
    assert_eq!(lines[3], (LineBy::Mixed, Some(id.clone())));
    assert_eq!(lines[12], (LineBy::Agent, Some(id.clone())));
    assert!(lines.iter().filter(|(by, _)| *by == LineBy::Unknown).count() == 18, "{lines:?}");
    let whys = why(&bench, "a.txt").await;
    let second = whys.calls.iter().find(|call| call.hunk.as_deref() == Some("h2")).unwrap();
    assert_eq!(second.why.as_deref(), Some("Name the third number in words"));
    assert_eq!(
        (second.decision.as_deref(), second.decided_by.as_deref()),
        (Some("accepted"), Some("person"))
    );
    assert_eq!(second.reason.as_deref(), Some("The second one is right"));
    assert_eq!(second.agent.as_deref(), Some("tester/1"));
    let undone = bench.ask::<Undo>(undo(&id)).await.unwrap();
    assert!(known(&bench, "a.txt").await.iter().skip(1).all(|line| *line == (LineBy::Unknown, None)));
    bench.ask::<Undo>(undo(&undone.undo_id)).await.unwrap();
    assert_eq!(known(&bench, "a.txt").await, lines, "an undo of the undo gives each line back");
}

/// The call that writes a file, once all of it is accepted.
async fn accepted(bench: &Bench, asked: serde_json::Value) -> String {
    let (call, proposal) = bench.propose("fs.write", asked).await;
    bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    call.await.unwrap().call_id.to_string()
}

#[tokio::test]
async fn what_an_editor_tells_is_no_guess() {
    let bench = Bench::new(&[("a.c", "int one;\nint two;\n")]);
    bench.open("a.c");
    let content = "int one;\nvoid f() {\n    g();\n}\nint two;\n";
    let asked = json!({ "path": "a.c", "content": content, "why": "Add the function that the header names" });
    let id = accepted(&bench, asked).await;
    let by = |lines: Vec<(LineBy, Option<String>)>| lines.into_iter().map(|line| line.0).collect::<Vec<_>>();
    use LineBy::{Agent, Human, Mixed, Unknown};
    assert_eq!(by(known(&bench, "a.c").await), [Unknown, Agent, Agent, Agent, Unknown]);
    // A loop in the function: of two equal lines that a comparison cannot tell apart, one is the person's.
    bench.type_at("a.c", (2, 0), (2, 0), "    while (1) {\n");
    bench.type_at("a.c", (3, 8), (3, 8), "");
    bench.type_at("a.c", (3, 8), (3, 8), "\n    }");
    for key in ["/", "/"] {
        bench.type_at("a.c", (1, 10), (1, 10), key);
    }
    let lines = known(&bench, "a.c").await;
    assert_eq!(bench.buffer("a.c").lines().nth(4), Some("    }"));
    assert_eq!(by(lines.clone()), [Unknown, Mixed, Human, Agent, Human, Agent, Unknown]);
    assert_eq!(lines[1].1.as_deref(), Some(&*id));
    bench.save("a.c");
    assert_eq!(known(&bench, "a.c").await, lines, "saved");
    // Taken out and typed again, a line is the person's, though the text is as it was.
    bench.type_at("a.c", (5, 0), (5, 1), "");
    bench.type_at("a.c", (5, 0), (5, 0), "}");
    assert_eq!(by(known(&bench, "a.c").await), [Unknown, Mixed, Human, Agent, Human, Human, Unknown]);
    bench.save("a.c");
    let next = bench.buffer("a.c").replace("g();", "g(1);");
    let asked = json!({ "path": "a.c", "content": next, "why": "Pass the argument that g takes now" });
    accepted(&bench, asked).await;
    assert_eq!(by(known(&bench, "a.c").await), [Unknown, Mixed, Human, Agent, Human, Human, Unknown]);
}

#[tokio::test]
async fn what_git_has_is_known_anew_once_its_index_is_another() {
    let bench = Bench::with(&[("a.txt", "one\n")], false);
    let git = |args: &[&str]| {
        let ran = std::process::Command::new("git").arg("-C").arg(bench.folder.path()).args(args).output();
        assert!(ran.unwrap().status.success(), "{args:?}");
    };
    git(&["init", "-q"]);
    for (args, by) in [
        (&[][..], LineBy::Unknown),
        (&["add", "a.txt"], LineBy::Git),
        (&["rm", "-q", "--cached", "a.txt"], LineBy::Unknown),
        (&["add", "a.txt"], LineBy::Git),
    ] {
        if !args.is_empty() {
            git(args);
        }
        for _ in 0..2 {
            assert_eq!(known(&bench, "a.txt").await, [(by, None)], "{args:?}");
        }
    }
}

#[tokio::test]
async fn of_a_file_that_the_rules_close_nothing_is_said() {
    let bench = Bench::new(&[(".env", "KEY=1\n")]);
    let asked = bench.ask::<Why>(WhyParams { path: ".env".to_owned(), ..WhyParams::default() }).await;
    assert_eq!(asked.unwrap_err().code, wherefore::protocol::Code::PermissionDenied);
}

fn undo(call: &str) -> wherefore::requests::undo::UndoParams {
    wherefore::requests::undo::UndoParams { call: Some(call.to_owned()), root: None }
}

/// A change of some lines in a random place, each with a text of its own.
fn changed(
    lines: &mut Vec<String>,
    random: &mut Random,
    count: &mut usize,
    over: bool,
) -> Vec<(String, Option<String>)> {
    let at = random.below(lines.len());
    *count += 1;
    if over && random.below(2) == 0 {
        let old = lines[at].clone();
        lines[at] = format!("{} and then {count}", old.trim_end_matches('\n')) + "\n";
        return vec![(lines[at].clone(), Some(old))];
    }
    let gone = random.below(3).min(lines.len() - at - 1);
    let new: Vec<String> =
        (0..=random.below(3)).map(|part| format!("{count}.{part} {:x} of line\n", random.0)).collect();
    lines.splice(at..at + gone, new.clone());
    new.into_iter().map(|line| (line, None)).collect()
}

/// Types until the buffer holds these lines, with the positions of the edits.
fn tell(bench: &Bench, path: &str, lines: &[String]) {
    let buffer = bench.buffer(path);
    let old: Vec<&str> = buffer.split_inclusive('\n').collect();
    let same = |(one, other): &(&&str, &String)| **one == other.as_str();
    let head = old.iter().zip(lines).take_while(same).count();
    let tail = old[head..].iter().rev().zip(lines[head..].iter().rev()).take_while(same).count();
    let text = lines[head..lines.len() - tail].concat();
    bench.type_at(path, (head, 0), (old.len() - tail, 0), &text);
    assert_eq!(bench.buffer(path), lines.concat());
}

#[tokio::test]
async fn each_line_of_a_random_history_of_the_engine_is_known() {
    let histories = number("WHEREFORE_HISTORIES").unwrap_or(4) as u64;
    let steps = number("WHEREFORE_STEPS").unwrap_or(STEPS);
    let (mut right, mut all) = (0, 0);
    for seed in 0..histories {
        let mut random = Random(seed * 7919 + 13);
        let bench = Bench::new(&[("a.txt", &numbers(40, &[]))]);
        bench.open("a.txt");
        let mut truth: HashMap<String, (LineBy, Option<String>)> = HashMap::new();
        let (mut count, mut calls) = (0, Vec::new());
        for step in 0..steps {
            let mut lines: Vec<String> =
                bench.buffer("a.txt").split_inclusive('\n').map(str::to_owned).collect();
            let of = |truth: &HashMap<_, (LineBy, _)>, old: &Option<String>| {
                old.as_ref().and_then(|old| truth.get(old)).map_or(LineBy::Unknown, |(by, _)| *by)
            };
            match if step == 0 { 0 } else { random.below(10) } {
                0..5 => {
                    let mut new = Vec::new();
                    for _ in 0..=random.below(2) {
                        new.extend(changed(&mut lines, &mut random, &mut count, true));
                    }
                    let (call, proposal) = bench
                        .propose("fs.write", json!({ "path": "a.txt", "content": lines.concat() }))
                        .await;
                    for hunk in proposal.hunks() {
                        // Lines before the first record of a file have no author: the first call is accepted.
                        let is_rejected = random.below(4) == 0 && step > 0;
                        let act = if is_rejected { Act::Reject } else { Act::Accept };
                        bench.decide(&proposal.id, &[&hunk.id], act, None).await.unwrap();
                    }
                    let id = call.await.unwrap().call_id.to_string();
                    for (line, old) in new {
                        let by = match of(&truth, &old) {
                            LineBy::Human | LineBy::Mixed => LineBy::Mixed,
                            _ => LineBy::Agent,
                        };
                        truth.insert(line, (by, Some(id.clone())));
                    }
                    calls.push(id);
                }
                5..8 => {
                    for (line, old) in changed(&mut lines, &mut random, &mut count, true) {
                        let earlier = old.as_ref().and_then(|old| truth.get(old)).cloned();
                        let mark = match earlier {
                            Some((LineBy::Agent | LineBy::Mixed, call)) => (LineBy::Mixed, call),
                            _ => (LineBy::Human, None),
                        };
                        truth.insert(line, mark);
                    }
                    match random.below(4) {
                        0 => bench.type_in("a.txt", &lines.concat()),
                        1 => {
                            bench.save("a.txt");
                            bench.write("a.txt", &lines.concat());
                            bench.type_in("a.txt", &lines.concat());
                            bench.save("a.txt");
                        }
                        _ => tell(&bench, "a.txt", &lines),
                    }
                }
                _ => {
                    let call = calls[random.below(calls.len())].clone();
                    if let Ok(undone) = bench.ask::<Undo>(undo(&call)).await {
                        calls.push(undone.undo_id.to_string());
                    }
                }
            }
            let text = bench.buffer("a.txt");
            let known = known(&bench, "a.txt").await;
            for (line, known) in text.split_inclusive('\n').zip(&known) {
                let truth = truth.get(line).cloned().unwrap_or((LineBy::Unknown, None));
                let personal = matches!(truth.0, LineBy::Human | LineBy::Mixed);
                assert!(
                    !(personal && known.0 == LineBy::Agent),
                    "seed {seed} step {step}: {line:?} is {truth:?}, not {known:?}"
                );
                all += 1;
                right += usize::from(truth == *known);
            }
        }
    }
    assert!(right * 100 >= all * 99, "{right} of {all} lines are right");
}
