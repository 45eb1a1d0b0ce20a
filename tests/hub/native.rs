//! Agents' own tools: edits become proposals, reads are held to the rules, commands are judged and run at their callers'.

use serde_json::json;
use wherefore::base::WorkspacePath;
use wherefore::hooks::{CommandStep, NativeAct, NativeAnswer, NativeParams, NativeVerdict, Replacement};
use wherefore::hub::ConfinedCommand;
use wherefore::ports::AttachedReport;
use wherefore::protocol::{Act, Door, Origin, ProposalsParams, RawCall, Status};
use wherefore::requests::attach::AttachParams;
use wherefore::requests::attached::AttachedParams;
use wherefore::requests::{Asker, Attach, Attached, Native, Request};
use wherefore::sandbox::SandboxLevel;

use crate::support::Bench;

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

fn origin(tool: &str) -> Origin {
    let named = |text: &str| Some(text.to_owned());
    Origin { agent: named("claude-code"), session: named("s1"), tool: named(tool), ..Origin::default() }
}

fn params(tool: &str, act: NativeAct) -> NativeParams {
    NativeParams { act, origin: origin(tool), wait_s: 20, ..NativeParams::default() }
}

fn replace(path: &str, edits: &[(&str, &str)]) -> NativeAct {
    let edit = |(old, new): &(&str, &str)| Replacement { old: (*old).into(), new: (*new).into(), all: false };
    NativeAct::Replace { path: path.into(), edits: edits.iter().map(edit).collect() }
}

async fn ask(bench: &Bench, params: NativeParams) -> NativeAnswer {
    Native::answer_request(&bench.hub, params, Asker::from_door(Door::Hook)).await.unwrap()
}

/// Asks, and has a person decide on the proposal that comes of it.
async fn decided(bench: &Bench, params: NativeParams, accept: &[&str], reason: &str) -> NativeAnswer {
    let person = async {
        let proposal = loop {
            if let Some(proposal) = bench.proposals().pop() {
                break proposal;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        };
        if !accept.is_empty() {
            bench.decide(&proposal.id, accept, Act::Accept, None).await.unwrap();
        }
        let rest: Vec<&str> =
            proposal.hunks().map(|hunk| hunk.id.as_str()).filter(|hunk| !accept.contains(hunk)).collect();
        if !rest.is_empty() {
            bench.decide(&proposal.id, &rest, Act::Reject, Some(reason)).await.unwrap();
        }
    };
    tokio::join!(ask(bench, params), person).0
}

#[tokio::test]
async fn an_agents_own_edit_is_accepted_in_part_and_its_model_is_told() {
    let bench = Bench::new(&[("a.txt", TEN)]);
    let edits = [("1\n", "one\n"), ("5\n", "five\n"), ("9\n", "nine\n")];
    let edit = NativeParams {
        why: Some("Spell the odd ones out".into()),
        ..params("MultiEdit", replace("a.txt", &edits))
    };
    let answer = decided(&bench, edit, &["h1", "h3"], "5 is a name").await;
    assert_eq!(bench.disk("a.txt"), "one\n2\n3\n4\n5\n6\n7\n8\nnine\n10\n");
    let told = answer.told.unwrap();
    assert_eq!(answer.verdict, NativeVerdict::Leave);
    for part in ["2 of 3 hunks were accepted", "Rejected: hunk h2 at line 5", "5 is a name", "do not repeat"]
    {
        assert!(told.contains(part), "{told}");
    }
    let log = bench.log();
    for part in [
        "type: native_edit",
        "\"outcome\":\"partly_applied\"",
        "\"tool\":\"MultiEdit\"",
        "\"door\":\"hook\"",
        "Spell the odd ones out",
    ] {
        assert!(log.contains(part), "{log}");
    }
}

#[tokio::test]
async fn an_edit_with_no_reason_is_logged_with_none_or_refused() {
    let bench = Bench::new(&[("a.txt", TEN)]);
    let edit = params("Edit", replace("a.txt", &[("1\n", "one\n")]));
    let answer = decided(&bench, edit.clone(), &["h1"], "").await;
    assert!(answer.told.unwrap().contains("done"));
    assert!(bench.log().contains("why: null"), "{}", bench.log());
    bench.hub.settings_changed(Some(json!({ "native": { "require_why": true } })));
    let refused = ask(&bench, edit).await;
    assert_eq!(refused.verdict, NativeVerdict::Leave);
    assert!(refused.told.unwrap().contains("Say in one sentence"));
}

#[tokio::test]
async fn a_patch_of_several_files_is_one_proposal() {
    let bench = Bench::new(&[("a.txt", TEN), ("old.txt", "x\n"), ("gone.txt", "y\n")]);
    let patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-1\n+one\n 2\n*** Add File: new.txt\n+new\n\
                 *** Update File: old.txt\n*** Move to: sub/moved.txt\n@@\n-x\n+X\n*** Delete File: gone.txt\n*** End Patch\n";
    let (edit, all) = (params("apply_patch", NativeAct::Patch { patch: patch.into() }), async {
        loop {
            if let Some(proposal) = bench.proposals().pop() {
                bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
                return proposal.files.len();
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    });
    let (answer, files) = tokio::join!(ask(&bench, edit), all);
    assert!(files >= 4, "{files}");
    assert!(answer.told.as_deref().is_some_and(|told| told.contains("done")), "{answer:?}");
    let there = |path: &str| bench.folder.path().join(path).exists();
    assert_eq!(bench.disk("a.txt"), TEN.replacen("1\n", "one\n", 1));
    assert_eq!((bench.disk("new.txt").as_str(), bench.disk("sub/moved.txt").as_str()), ("new\n", "X\n"));
    assert!(!there("gone.txt") && !there("old.txt"));
}

#[tokio::test]
async fn an_edit_that_cannot_be_made_is_told_and_changes_nothing() {
    let bench = Bench::new(&[("a.txt", TEN)]);
    for act in [
        replace("a.txt", &[("no such line\n", "x\n")]),
        replace("a.txt", &[("no such line\n", "x\n"), ("1\n", "y\n")]),
        replace("missing.txt", &[("a", "b")]),
        NativeAct::Write { path: ".git/hooks/pre-commit".into(), content: "x".into() },
        NativeAct::Patch {
            patch: "*** Begin Patch\n*** Update File: missing.txt\n@@\n-a\n+b\n*** End Patch".into(),
        },
    ] {
        let answer = ask(&bench, params("Edit", act.clone())).await;
        assert_eq!(answer.verdict, NativeVerdict::Leave, "{act:?}");
        assert!(answer.told.is_some_and(|told| told.starts_with("wherefore: ")), "{act:?}");
    }
    assert_eq!((bench.disk("a.txt").as_str(), bench.proposals().len()), (TEN, 0));
}

#[tokio::test]
async fn an_edit_that_is_applied_at_once_is_let_through_and_taken_in() {
    let bench = Bench::new(&[("a.txt", TEN)]);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    let edit = params("Edit", replace("a.txt", &[("1\n", "one\n")]));
    assert_eq!(ask(&bench, edit.clone()).await, NativeAnswer::default());
    assert_eq!(bench.disk("a.txt"), TEN, "the agent's own tool writes it");
    bench.write("a.txt", &TEN.replacen("1\n", "one\n", 1));
    let after = NativeParams { after: true, ..edit };
    assert_eq!(ask(&bench, after.clone()).await, NativeAnswer::default());
    ask(&bench, after).await;
    let log = bench.log();
    assert_eq!(log.matches("\"outcome\":\"let_through\"").count(), 1, "{log}");
    let undone = bench.ask::<wherefore::requests::Undo>(Default::default()).await.unwrap();
    assert_eq!(bench.disk("a.txt"), TEN, "{undone:?}");
}

#[tokio::test]
async fn a_rule_for_any_of_the_edit_tools_keeps_an_edit_from_being_let_through() {
    for tool in ["fs.edit", "fs.patch", "fs.write"] {
        let bench = Bench::new(&[("a.txt", TEN)]);
        let rule = json!({ "tool": tool, "path": "a.txt", "policy": "ask" });
        bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto", "rules": [rule] } })));
        let edit = params("Edit", replace("a.txt", &[("1\n", "one\n")]));
        let answer = ask(&bench, NativeParams { unread: true, ..edit }).await;
        assert_eq!(answer, NativeAnswer::new(NativeVerdict::Reason, ""), "{tool}");
    }
}

#[tokio::test]
async fn the_reason_is_asked_for_only_where_an_edit_is_reviewed() {
    let bench = Bench::new(&[("a.txt", TEN)]);
    let edit = NativeParams { unread: true, ..params("Edit", replace("a.txt", &[("1\n", "one\n")])) };
    assert_eq!(ask(&bench, edit.clone()).await.verdict, NativeVerdict::Reason);
    assert_eq!(bench.proposals().len(), 0);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    assert_eq!(ask(&bench, edit).await, NativeAnswer::default());
}

#[tokio::test]
async fn what_lies_outside_of_the_folder_is_left_to_the_agent() {
    let bench = Bench::new(&[("a.txt", TEN)]);
    let outside = NativeAct::Write { path: "/nowhere/else.txt".into(), content: "x".into() };
    assert_eq!(ask(&bench, params("Write", outside)).await, NativeAnswer::default());
    let read = NativeAct::Read { paths: vec!["/nowhere/else.txt".into(), "a.txt".into()] };
    assert_eq!(ask(&bench, params("Read", read)).await, NativeAnswer::default());
}

#[tokio::test]
async fn a_closed_file_is_not_read_and_a_read_warms_the_working_set() {
    let bench = Bench::new(&[("a.txt", TEN), ("secret/key.txt", "k\n")]);
    bench.hub.settings_changed(Some(json!({ "rules": { "deny": ["secret/**"] } })));
    let read = |path: &str| params("Read", NativeAct::Read { paths: vec![path.into()] });
    let refused = ask(&bench, read("secret/key.txt")).await;
    assert_eq!(refused.verdict, NativeVerdict::Leave, "{refused:?}");
    assert_eq!(ask(&bench, read("a.txt")).await, NativeAnswer::default());
    let set = bench.ask::<wherefore::requests::WorkingSet>(Default::default()).await.unwrap();
    assert!(serde_json::to_string(&set).unwrap().contains("a.txt"), "{set:?}");
}

#[tokio::test]
async fn a_search_that_would_show_lines_of_a_closed_file_is_left() {
    let bench = Bench::new(&[
        ("a.txt", TEN),
        ("conf/app.env", "TOKEN=s3cret\n"),
        ("build/app.env", "TOKEN=s3cret\n"),
        (".gitignore", "build/\n"),
        (".git/HEAD", "ref: refs/heads/main\n"),
    ]);
    bench.hub.settings_changed(Some(json!({ "rules": { "deny": ["*.env"] } })));
    let search = |pattern: &str, path: Option<&str>, files: Option<&str>| {
        let [path, files] = [path, files].map(|text| text.map(str::to_owned));
        params("Grep", NativeAct::Search { pattern: pattern.into(), path, files })
    };
    let shown = ask(&bench, search("token=", None, None)).await;
    assert_eq!(shown.verdict, NativeVerdict::Leave, "{shown:?}");
    assert!(shown.told.unwrap().contains("lines of conf/app.env"));
    for (pattern, path, files) in [
        ("token=", Some("conf"), None),
        ("s3c(ret", Some("conf/app.env"), None),
        ("S3cret$", None, Some("*.{env,toml}")),
        ("s3cret", Some("build/app.env"), None),
        ("s3cret", Some("build"), None),
        ("s3cret", None, Some("build/*.env")),
        ("s3cret", None, Some("*.txt,app.*")),
    ] {
        let answer = ask(&bench, search(pattern, path, files)).await;
        assert_eq!(answer.verdict, NativeVerdict::Leave, "{pattern} {path:?} {files:?}");
    }
    for (pattern, path, files) in [
        ("nine", None, None),
        ("token=", None, Some("*.txt")),
        ("token=", Some("a.txt"), None),
        ("token=", Some("/nowhere"), None),
    ] {
        let answer = ask(&bench, search(pattern, path, files)).await;
        assert_eq!(answer, NativeAnswer::default(), "{pattern} {path:?} {files:?}");
    }
    let closed = std::fs::File::create(bench.folder.path().join("huge.env")).unwrap();
    closed.set_len(1 << 40).unwrap();
    let told = ask(&bench, search("nine", None, None)).await.told.unwrap();
    assert!(told.contains("too much here is closed"), "{told}");
    std::fs::remove_file(bench.folder.path().join("huge.env")).unwrap();
    std::fs::remove_file(bench.folder.path().join("conf/app.env")).unwrap();
    assert_eq!(ask(&bench, search("token=", None, None)).await, NativeAnswer::default(), "git ignores build");
}

#[tokio::test]
async fn a_command_is_refused_confined_or_left_alone() {
    let bench = Bench::new(&[]);
    let run = |script: &str| params("Bash", NativeAct::Command { script: script.into() });
    assert_eq!(ask(&bench, run("rm -rf /")).await.verdict, NativeVerdict::Leave);
    assert_eq!(ask(&bench, run("ls | wc -l")).await.verdict, NativeVerdict::Confine);
    bench.hub.settings_changed(Some(json!({ "native": { "confine": false } })));
    assert_eq!(ask(&bench, run("ls")).await, NativeAnswer::default());
}

#[tokio::test]
async fn an_announced_command_is_confined_when_its_shell_asks_and_told_where_it_did_not() {
    let bench = Bench::new(&[]);
    let call = |id: &str, step: CommandStep, script: &str| {
        let act = NativeAct::Command { script: script.into() };
        let params = params("Bash", act);
        let origin = Origin { call: Some(id.to_owned()), ..params.origin };
        NativeParams { step, origin, why: Some("Look at it".into()), ..params }
    };
    let refused = ask(&bench, call("c0", CommandStep::Announced, "rm -rf /")).await;
    assert_eq!(refused.verdict, NativeVerdict::Leave);
    assert_eq!(ask(&bench, call("c1", CommandStep::Announced, "ls")).await.verdict, NativeVerdict::Allow);
    // The shell knows neither the call nor its reason.
    let begun = NativeParams { why: None, ..params("Bash", NativeAct::Command { script: "ls".into() }) };
    let begun = NativeParams { step: CommandStep::Begun, ..begun };
    let token = ask(&bench, begun.clone()).await.token.unwrap();
    let folder = bench.served();
    let permit = folder.command_tokens().redeem_token(
        &token,
        &ConfinedCommand::from_script("ls"),
        Some("claude-code"),
    );
    let permit = permit.unwrap();
    assert_eq!((permit.origin.call.as_deref(), permit.why.as_deref()), (Some("c1"), Some("Look at it")));
    // A command that was not announced is judged and confined, too.
    assert_eq!(ask(&bench, begun.clone()).await.verdict, NativeVerdict::Confine);
    let bad = NativeParams { act: NativeAct::Command { script: "rm -rf /".into() }, ..begun };
    assert_eq!(ask(&bench, bad).await.verdict, NativeVerdict::Leave);
    let ended = |id: &str| NativeParams { after: true, ..call(id, CommandStep::Announced, "ls") };
    ask(&bench, ended("c1")).await;
    assert_eq!(ask(&bench, call("c2", CommandStep::Announced, "ls")).await.verdict, NativeVerdict::Allow);
    ask(&bench, ended("c2")).await;
    let status = serde_json::to_string(&folder.workspace_status()).unwrap();
    assert!(status.contains("ran outside of the sandbox"), "{status}");
    assert_eq!(ask(&bench, call("c3", CommandStep::Announced, "ls")).await.verdict, NativeVerdict::Confine);
}

#[tokio::test]
async fn an_edit_that_is_let_through_is_allowed_where_the_agents_own_rules_hold_all_the_same() {
    let bench = Bench::new(&[("a.txt", TEN)]);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    let edit = params("Edit", replace("a.txt", &[("1\n", "one\n")]));
    let asked = NativeParams { takes_yes: true, ..edit };
    assert_eq!(ask(&bench, asked.clone()).await.verdict, NativeVerdict::Allow);
    let outside = NativeParams { act: replace("/elsewhere/a.txt", &[("1\n", "one\n")]), ..asked };
    assert_eq!(ask(&bench, outside).await, NativeAnswer::default(), "the agent's own rules decide there");
}

#[tokio::test]
async fn a_decision_made_later_is_told_with_the_next_message() {
    let bench = Bench::new(&[("a.txt", TEN)]);
    let edit = NativeParams { wait_s: 0, ..params("Edit", replace("a.txt", &[("1\n", "one\n")])) };
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "hold" } })));
    let pending = ask(&bench, edit).await;
    assert!(pending.told.unwrap().contains("waits for the person"));
    let proposal = bench.proposals().remove(0);
    bench.decide(&proposal.id, &[], Act::Reject, Some("not now")).await.unwrap();
    let before = params("Bash", NativeAct::Command { script: "ls".into() });
    let confined = ask(&bench, before.clone()).await;
    assert_eq!((confined.verdict, confined.told), (NativeVerdict::Confine, None), "words would be lost here");
    let after = NativeParams { after: true, ..before };
    let told = ask(&bench, after.clone()).await.told.unwrap();
    assert!(told.contains("rejected") && told.contains("not now"), "{told}");
    assert_eq!(ask(&bench, after).await, NativeAnswer::default(), "each decision is told once");
}

#[tokio::test]
async fn a_decision_on_a_call_over_the_other_door_is_told_by_the_agents_hook() {
    let bench = Bench::new(&[("a.txt", TEN)]);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "hold" } })));
    let mcp = |session: &str| Origin {
        door: Door::Mcp,
        agent: Some("claude-code/2.1".into()),
        session: Some(session.into()),
        ..Origin::default()
    };
    let call = RawCall {
        tool: "fs.edit".into(),
        arguments: json!({ "path": "a.txt", "find": "1\n", "replace": "one\n", "why": "Words read better than digits" }),
        origin: mcp("s-1"),
        ..RawCall::default()
    };
    assert_eq!(bench.served().pipeline().call_tool(call, None).await.status, Status::Pending);
    let proposal = bench.proposals().remove(0);
    bench.decide(&proposal.id, &[], Act::Reject, Some("not now")).await.unwrap();
    let prompt = |agent: &str| NativeParams {
        act: NativeAct::Other,
        after: true,
        origin: Origin { agent: Some(agent.into()), session: Some("7".into()), ..Origin::default() },
        ..params("", NativeAct::Other)
    };
    assert_eq!(ask(&bench, prompt("codex")).await, NativeAnswer::default(), "another agent hears nothing");
    let told = ask(&bench, prompt("claude-code")).await.told.unwrap();
    assert!(told.contains("rejected") && told.contains("not now"), "{told}");
    assert_eq!(ask(&bench, prompt("claude-code")).await, NativeAnswer::default(), "it is told once");
}

#[tokio::test]
async fn a_command_of_an_agents_shell_is_logged_and_what_it_changed_reviewed() {
    let bench = Bench::with(&[("a.txt", TEN)], false);
    let script = "sed -i 1d a.txt";
    let run = params("Bash", NativeAct::Command { script: script.into() });
    let token = ask(&bench, run).await.token.expect("it is let into the sandbox");
    let attach = |key: &str| AttachParams {
        key: key.into(),
        token: token.clone(),
        command: ConfinedCommand::from_script(script),
        agent: Some("claude-code".into()),
        cwd: WorkspacePath::root(),
        why: Some("Drop the header line".into()),
        root: None,
    };
    let of = |report| AttachedParams { key: "k".into(), report, root: None };
    let asker = || Asker::from_door(Door::Hook);
    let runs = async {
        let granted = Attached::answer_request(&bench.hub, of(None), asker()).await.unwrap();
        assert!(granted.granted);
        let diff =
            "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,1 @@\n-1\n 2\n".to_owned();
        let report = AttachedReport {
            exit_code: Some(0),
            sandbox: "tier A".into(),
            diff,
            ..AttachedReport::default()
        };
        Attached::answer_request(&bench.hub, of(Some(report)), asker()).await.unwrap();
    };
    let (envelope, ()) = tokio::join!(Attach::answer_request(&bench.hub, attach("k"), asker()), runs);
    let envelope = envelope.unwrap();
    assert_eq!(envelope.status, Status::Pending, "{envelope:?}");
    assert_eq!(bench.disk("a.txt"), TEN);
    let proposal = bench.proposals().remove(0);
    bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    assert_eq!(bench.disk("a.txt"), TEN.replacen("1\n", "", 1));
    assert!(bench.log().contains("Drop the header line") && bench.log().contains("\"tool\":\"Bash\""));
    // Whoever asks whether a refused command may run learns at once that it may not.
    let again = Attach::answer_request(&bench.hub, attach("again"), asker()).await.unwrap_err();
    assert!(again.message.contains("holds for one run") && again.suggestion.is_some(), "{again:?}");
    let of_again = AttachedParams { key: "again".into(), report: None, root: None };
    assert!(!Attached::answer_request(&bench.hub, of_again, asker()).await.unwrap().granted);
}

#[tokio::test]
async fn a_command_of_an_agents_shell_that_writes_in_place_is_reviewed_afterwards() {
    let bench = Bench::in_tier(&[("a.txt", TEN)], SandboxLevel::Landlock);
    let script = "sed -i 1d a.txt";
    let run = params("Bash", NativeAct::Command { script: script.into() });
    let token = ask(&bench, run).await.token.expect("it is let into the sandbox");
    let attach = AttachParams {
        key: "k".into(),
        token,
        command: ConfinedCommand::from_script(script),
        agent: Some("claude-code".into()),
        cwd: WorkspacePath::root(),
        why: Some("Drop the header line".into()),
        root: None,
    };
    let of = |report| AttachedParams { key: "k".into(), report, root: None };
    let asker = || Asker::from_door(Door::Hook);
    let now = TEN.replacen("1\n", "", 1);
    let runs = async {
        let granted = Attached::answer_request(&bench.hub, of(None), asker()).await.unwrap();
        assert!(granted.granted && !granted.layered);
        // What the command does at its caller's.
        bench.write("a.txt", &now);
        let report =
            AttachedReport { exit_code: Some(0), sandbox: "tier B".into(), ..AttachedReport::default() };
        Attached::answer_request(&bench.hub, of(Some(report)), asker()).await.unwrap();
    };
    let (envelope, ()) = tokio::join!(Attach::answer_request(&bench.hub, attach, asker()), runs);
    let envelope = envelope.unwrap();
    assert_eq!((envelope.status, bench.disk("a.txt")), (Status::Ok, now), "{envelope:?}");
    let params = ProposalsParams { applied: true, ..ProposalsParams::default() };
    let proposal = bench.served().queue().store().list_proposals(&params).remove(0);
    let hunk = proposal.files[0].hunks[0].id.clone();
    bench.decide(&proposal.id, &[&hunk], Act::Reject, None).await.unwrap();
    assert_eq!(bench.disk("a.txt"), TEN);
}

#[tokio::test]
async fn a_command_outside_of_the_sandbox_is_asked_about_at_the_editor() {
    let bench = Bench::new(&[("a.txt", TEN)]);
    bench.hub.settings_changed(Some(json!({ "native": { "confine": false } })));
    let run = |script: &str| params("Bash", NativeAct::Command { script: script.into() });
    for (answer, verdict) in [("Allow", NativeVerdict::Pass), ("Deny", NativeVerdict::Leave)] {
        bench.will_answer(Some(answer));
        let answer = ask(&bench, run("git push --force")).await;
        assert_eq!(answer.verdict, verdict, "{answer:?}");
    }
    let log = bench.log();
    assert!(log.contains("outside of the sandbox: git push --force"), "{log}");
    assert_eq!(ask(&bench, run("wherefore undo")).await.verdict, NativeVerdict::Leave);
    assert_eq!(ask(&bench, run("ls")).await, NativeAnswer::default());
}

#[tokio::test]
async fn the_answer_to_an_edit_tells_of_earlier_decisions() {
    let bench = Bench::new(&[("a.txt", TEN)]);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "hold" } })));
    let edit = |old, new| NativeParams { wait_s: 0, ..params("Edit", replace("a.txt", &[(old, new)])) };
    ask(&bench, edit("1\n", "one\n")).await;
    let proposal = bench.proposals().remove(0);
    bench.decide(&proposal.id, &[], Act::Reject, Some("not now")).await.unwrap();
    let told = ask(&bench, edit("5\n", "five\n")).await.told.unwrap();
    assert!(told.contains("waits for the person") && told.contains("not now"), "{told}");
}
