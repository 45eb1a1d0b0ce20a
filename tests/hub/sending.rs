//! The person's message comes to the intended agent, once, with the next result that it gets.

use serde_json::json;
use wherefore::hooks::{NativeAct, NativeParams, NativeVerdict, Replacement};
use wherefore::hub::{Hub, HubOptions};
use wherefore::ports::NoEditor;
use wherefore::protocol::{
    Act, Code, Door, LineSpan, Origin, PersonMessage, Policy, RawCall, SendAnswer, SendParams,
};
use wherefore::requests::{Asker, Call, Native, Request, SendMessage};

use crate::support::{Bench, launcher};

async fn send(bench: &Bench, params: SendParams) -> SendAnswer {
    bench.ask::<SendMessage>(params).await.unwrap()
}

fn words(text: &str) -> SendParams {
    SendParams { text: text.to_owned(), ..SendParams::default() }
}

fn texts(messages: &[PersonMessage]) -> Vec<&str> {
    messages.iter().map(|message| message.text.as_str()).collect()
}

fn called(agent: &str, session: &str) -> Origin {
    let [agent, session] = [agent, session].map(|text| Some(text.to_owned()));
    Origin { agent, session, ..Origin::default() }
}

/// The messages that a call of an agent over the Model Context Protocol gets.
async fn over_mcp(hub: &Hub, session: &str) -> Vec<PersonMessage> {
    let arguments = json!({ "path": ".", "why": "Learn what stands here for the one who asks" });
    let origin = Origin { door: Door::Mcp, ..called("claude-code/2.1", session) };
    let raw = RawCall { tool: "fs.ls".into(), arguments, origin: origin.clone(), ..RawCall::default() };
    Call::answer_request(hub, raw, Asker::from(origin)).await.unwrap().messages
}

/// The text that a hook of an agent gets after a command.
async fn after_command(hub: &Hub, session: &str) -> Option<String> {
    let act = NativeAct::Command { script: "ls".into() };
    let params =
        NativeParams { act, after: true, origin: called("claude-code", session), ..NativeParams::default() };
    Native::answer_request(hub, params, Asker::from_door(Door::Hook)).await.unwrap().told
}

#[tokio::test]
async fn the_agent_that_did_something_last_is_told_once() {
    let bench = Bench::new(&[("a.txt", "a\n")]);
    bench.call_as("first/1", "fs.ls", json!({ "path": "." }), None).await;
    bench.call_as("second/1", "fs.ls", json!({ "path": "." }), None).await;
    let sent = send(&bench, words(" Leave the old names.\n")).await;
    assert_eq!((sent.agent.as_deref(), sent.waiting), (Some("second/1"), 1));
    let first = bench.call_as("first/1", "fs.ls", json!({ "path": "." }), None).await;
    assert_eq!(first.messages, [], "another agent hears nothing");
    let second = bench.call_as("second/1", "fs.ls", json!({ "path": "." }), None).await;
    assert_eq!(texts(&second.messages), ["Leave the old names."]);
    let again = bench.call_as("second/1", "fs.ls", json!({ "path": "." }), None).await;
    assert_eq!(again.messages, [], "it is told once");
    let log = bench.log();
    assert!(log.contains("Message to second/1") && log.contains("type: person_message"), "{log}");
}

#[tokio::test]
async fn a_fault_brings_the_words_too_and_names_choose_the_agent() {
    let bench = Bench::new(&[("a.txt", "a\n")]);
    bench.call_as("last/1", "fs.ls", json!({ "path": "." }), None).await;
    let sent = send(&bench, SendParams { agent: Some("Named".into()), ..words("Stop") }).await;
    assert_eq!(sent.agent.as_deref(), Some("Named"));
    assert_eq!(bench.call_as("last/1", "fs.ls", json!({ "path": "." }), None).await.messages, []);
    let fault = bench.call_as("named/3", "fs.read", json!({ "path": "none" }), None).await;
    assert_eq!((fault.error.unwrap().code, texts(&fault.messages)), (Code::NotFound, vec!["Stop"]));
}

#[tokio::test]
async fn where_no_agent_was_there_the_first_that_calls_is_told() {
    let bench = Bench::new(&[("a.txt", "a\n")]);
    assert_eq!(send(&bench, words("Welcome")).await.agent, None);
    let arguments = json!({ "path": ".", "why": "Look around as a script does" });
    let script = RawCall { tool: "fs.ls".into(), arguments, ..RawCall::default() };
    let answer = Call::answer_request(&bench.hub, script, Asker::from_door(Door::Cli)).await.unwrap();
    assert_eq!(answer.messages, [], "a script is no agent");
    assert_eq!(texts(&over_mcp(&bench.hub, "c1").await), ["Welcome"]);
}

#[tokio::test]
async fn a_comment_goes_to_whom_the_hunk_is_of_and_decides_nothing() {
    let bench = Bench::with(&[("a.txt", "1\n2\n3\n")], false);
    let content = json!({ "path": "a.txt", "content": "one\n2\nthree\n" });
    bench.call_as("author/1", "fs.write", content, Some(Policy::Hold)).await;
    bench.call_as("other/1", "fs.ls", json!({ "path": "." }), None).await;
    let proposal = bench.proposals().remove(0);
    let on = |hunk: &str| SendParams {
        proposal: Some(proposal.id.clone()),
        hunk: Some(hunk.into()),
        ..words("Why words?")
    };
    let sent = send(&bench, on("h2")).await;
    assert_eq!((sent.agent.as_deref(), sent.problems), (Some("author/1"), vec![]));
    assert_eq!(bench.proposals(), std::slice::from_ref(&proposal), "it waits as before");
    let told = bench.call_as("author/1", "fs.ls", json!({ "path": "." }), None).await;
    assert_eq!((told.decisions.len(), told.messages.len()), (0, 1));
    let message = &told.messages[0];
    assert_eq!(message.quoted.as_deref(), Some("-3\n+three\n"));
    assert_eq!(message.lines, Some(LineSpan { first: 3, last: 3 }));
    assert_eq!((message.proposal.as_ref(), message.hunk.as_deref()), (Some(&proposal.id), Some("h2")));
    for wrong in [on("h9"), SendParams { proposal: Some("p-none".into()), ..on("h1") }] {
        assert_eq!(bench.ask::<SendMessage>(wrong).await.unwrap_err().code, Code::NotFound);
    }
    assert_eq!(bench.ask::<SendMessage>(words(" ")).await.unwrap_err().code, Code::InvalidArgs);
    bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    assert_eq!(bench.disk("a.txt"), "one\n2\nthree\n");
}

#[tokio::test]
async fn lines_are_quoted_as_the_editor_shows_them_and_no_closed_text_leaves() {
    let bench = Bench::new(&[("a.txt", "1\n2\n3\n"), ("secret/.env", "TOKEN=s3cret\n")]);
    bench.open("a.txt");
    bench.type_in("a.txt", "1\nunsaved\n3\n");
    let lines = |path: &str, first, last| SendParams {
        path: Some(path.into()),
        lines: Some(LineSpan { first, last }),
        diagnostics: vec!["error: TOKEN is s3cret".into()],
        ..SendParams::default()
    };
    let absolute = bench.folder.path().canonicalize().unwrap().join("a.txt");
    for path in ["a.txt", absolute.to_str().unwrap()] {
        let sent = send(&bench, lines(path, 2, 9)).await;
        assert_eq!(sent.problems, Vec::<String>::new());
        let message = over_mcp(&bench.hub, "c1").await.remove(0);
        assert_eq!(message.quoted.as_deref(), Some("unsaved\n3\n"));
        assert_eq!(message.path.unwrap().as_str(), "a.txt");
        assert_eq!(message.diagnostics.len(), 1);
    }
    let sent = send(&bench, SendParams { text: "See there".into(), ..lines("secret/.env", 1, 1) }).await;
    assert!(sent.problems[0].contains("the text of secret/.env was not sent"), "{sent:?}");
    let message = over_mcp(&bench.hub, "c1").await.remove(0);
    assert_eq!((message.text.as_str(), message.quoted), ("See there", None));
    assert_eq!(message.diagnostics, Vec::<String>::new(), "they may quote the text");
    send(&bench, SendParams { text: "And there".into(), lines: None, ..lines("secret/.env", 1, 1) }).await;
    send(&bench, SendParams { text: "Anywhere".into(), path: None, ..lines("", 1, 1) }).await;
    let messages = over_mcp(&bench.hub, "c1").await;
    assert_eq!(texts(&messages), ["And there", "Anywhere"]);
    assert!(messages.iter().all(|message| message.diagnostics.is_empty()));
    assert!(!bench.log().contains("TOKEN=s3cret"));
    let outside = bench.ask::<SendMessage>(lines("../x", 1, 1)).await.unwrap_err();
    assert_eq!(outside.code, Code::PermissionDenied);
}

#[tokio::test]
async fn of_two_sessions_of_one_agent_the_one_meant_is_told() {
    let bench = Bench::with(&[("a.txt", "1\n")], false);
    let edit = NativeAct::Replace {
        path: "a.txt".into(),
        edits: vec![Replacement { old: "1\n".into(), new: "one\n".into(), all: false }],
    };
    let params = NativeParams { act: edit, origin: called("claude-code", "one"), ..NativeParams::default() };
    let asker = || Asker::from_door(Door::Hook);
    Native::answer_request(&bench.hub, params.clone(), asker()).await.unwrap();
    assert_eq!(after_command(&bench.hub, "two").await, None);
    let proposal = bench.proposals().remove(0);
    let comment = |text: &str| SendParams { proposal: Some(proposal.id.clone()), ..words(text) };
    send(&bench, comment("Why?")).await;
    assert_eq!(after_command(&bench.hub, "two").await, None, "the other session hears nothing");
    assert_eq!(over_mcp(&bench.hub, "c1").await, [], "nor does a connection of one of the two");
    let told = after_command(&bench.hub, "one").await.unwrap();
    assert!(told.contains("about your proposal") && told.contains("\n> Why?\n"), "{told}");
    assert_eq!(after_command(&bench.hub, "one").await, None, "it is told once");
    send(&bench, comment("And again?")).await;
    let left = Native::answer_request(&bench.hub, params, asker()).await.unwrap();
    assert_eq!(left.verdict, NativeVerdict::Leave);
    assert!(left.told.unwrap().contains("And again?"), "the answer to an edit brings it too");
}

#[tokio::test]
async fn an_agent_with_two_doors_is_told_by_the_one_that_it_comes_by() {
    let bench = Bench::new(&[("a.txt", "1\n")]);
    assert_eq!(over_mcp(&bench.hub, "c1").await, []);
    assert_eq!(send(&bench, words("By hook")).await.agent.as_deref(), Some("claude-code/2.1"));
    let told = after_command(&bench.hub, "s1").await.unwrap();
    assert!(told.starts_with("wherefore: the person says to you:\n> By hook"), "{told}");
    send(&bench, words("By tool")).await;
    assert_eq!(texts(&over_mcp(&bench.hub, "c1").await), ["By tool"]);
}

#[tokio::test]
async fn the_newest_messages_outlive_the_process() {
    let bench = Bench::new(&[("a.txt", "a\n")]);
    for count in 0..22 {
        let sent = send(&bench, words(&format!("{count} api_key=sk-ant-REDACTED1234567890abcdef"))).await;
        assert_eq!((sent.waiting, sent.problems.len()), (20.min(count + 1), usize::from(count >= 20)));
    }
    assert!(!bench.log().contains("sk-ant-REDACTED1234567890abcdef"), "the log is redacted");
    let root = bench.folder.path().canonicalize().unwrap();
    bench.hub.remove_root(root.to_str().unwrap());
    let options = HubOptions {
        editor: std::sync::Arc::new(NoEditor),
        shared_log: false,
        state: Some(bench.state.path().to_owned()),
        launcher: launcher(),
        environment: None,
    };
    let next = Hub::new(options);
    next.add_root(root.to_str().unwrap()).unwrap();
    let told = over_mcp(&next, "c1").await;
    let numbers: Vec<&str> = texts(&told).into_iter().filter_map(|text| text.split(' ').next()).collect();
    assert_eq!(numbers, (2..22).map(|count: u32| count.to_string()).collect::<Vec<_>>());
    assert_eq!(over_mcp(&next, "c1").await, []);
}
