//! `wherefore agent` with a model that a test plays: whole tasks over each interface, and servers that are none.

mod acp;
mod evaluation;
mod faults;
mod neovim;
mod play;
mod replay;

use std::net::TcpStream;
use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};
use tempfile::TempDir;

use self::play::scripted::{Played, Scripted};
use self::play::{CHAT, INTERFACES, Player, Said, call};
use crate::support::agent::{place, wherefore};
use crate::support::report_skip;
use crate::support::terminal::Terminal;

const DIFF: &str = "@@ -2 +2 @@\n-line 2\n+TWO\n@@ -9 +9 @@\n-line 9\n+NINE\n";

/// A folder whose `lines.txt` has twelve lines, with these settings of the person's.
fn scene(settings: &str) -> TempDir {
    let folder = place();
    let lines: String = (1..=12).map(|number| format!("line {number}\n")).collect();
    std::fs::write(folder.path().join("work/lines.txt"), lines).unwrap();
    std::fs::create_dir_all(folder.path().join("home/.config/wherefore")).unwrap();
    std::fs::write(folder.path().join("home/.config/wherefore/config.toml"), settings).unwrap();
    folder
}

fn file(folder: &TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join("work").join(name)).unwrap_or_default()
}

fn agent(folder: &TempDir, args: &[&str]) -> Output {
    wherefore(folder.path(), &[&["agent"], args].concat()).output().unwrap()
}

/// The events of the session's log.
fn log(folder: &TempDir) -> Vec<Value> {
    let output = wherefore(folder.path(), &["log", "--format", "json"]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn count(log: &[Value], kind: &str) -> usize {
    log.iter().filter(|event| event["type"] == kind).count()
}

fn read(path: &str, why: &str) -> (&'static str, Value) {
    ("fs_read", json!({ "path": path, "why": why }))
}

fn complete(summary: &str) -> Said {
    call("task_complete", json!({ "summary": summary, "why": "All that was asked for is done" }))
}

/// Three parts of a long text, read together.
fn big_reads() -> Said {
    let part = |at: u32| {
        let range = json!({ "start": at * 200 + 1, "end": at * 200 + 200 });
        ("fs_read", json!({ "path": "big.txt", "range": range, "why": "Find who else names the ninth line" }))
    };
    Said::Calls((0..3).map(part).collect())
}

/// A task of eleven steps: reads together, two faults and their recovery, a reviewed change, a new file, and results that
/// are too long for the context.
fn long_task() -> Vec<Said> {
    let looks = vec![
        read("lines.txt", "Learn which lines there are"),
        read("a.txt", "Learn how the other file counts"),
        ("fs_ls", json!({ "path": ".", "why": "See what else belongs to it" })),
    ];
    let patch =
        json!({ "path": "lines.txt", "diff": DIFF, "why": "Make two lines stand out for the reader" });
    let note = json!({ "path": "note.txt", "content": "nine stays\n", "why": "Note the person's wish" });
    vec![
        Said::Calls(looks),
        Said::Calls(vec![read("absent.txt", "Learn what the task says of it")]),
        Said::Calls(vec![read("a.txt", "Read the file that is there in its place")]),
        call("search_lexical", json!({ "query": "line 9", "why": "Find who else names the ninth line" })),
        call("fs_patch", json!({ "path": "lines.txt", "diff": DIFF })),
        call("fs_patch", patch),
        call("fs_write", note),
        big_reads(),
        big_reads(),
        Said::Calls(vec![read("lines.txt", "Check what stands there now")]),
        complete("The second line stands out, the ninth stays."),
    ]
}

/// A folder for the long task.
fn long_scene(player: &Player) -> TempDir {
    let folder = scene(&player.settings());
    let big: String =
        (1..=600).map(|number| format!("{number} {}\n", "words of a long text".repeat(3))).collect();
    std::fs::write(folder.path().join("work/big.txt"), big).unwrap();
    folder
}

/// The long task was completed: checks the files, the requests to the model, and the log.
fn long_task_is_done(folder: &TempDir, player: &Player) {
    let lines = file(folder, "lines.txt");
    assert!(lines.contains("TWO") && lines.contains("line 9") && !lines.contains("NINE"), "{lines}");
    assert_eq!(file(folder, "note.txt"), "nine stays\n");
    let asked = player.asked();
    assert_eq!(asked.len(), 11);
    let told = |step: usize| asked[step].body.to_string();
    assert!(told(2).contains("NOT_FOUND"), "the fault is told as it is");
    assert!(told(5).contains("MISSING_WHY"), "a reason is asked for");
    assert!(told(6).contains("the ninth line is quoted elsewhere"), "{}", told(6));
    let log = log(folder);
    assert_eq!((count(&log, "model_input"), count(&log, "model_output")), (11, 11));
    let is_dropped = |event: &&Value| event["dropped"].as_array().is_some_and(|dropped| !dropped.is_empty());
    assert!(log.iter().any(|event| is_dropped(&event)), "the conversation was made shorter");
    let end = log.iter().find(|event| event["type"] == "agent_end").unwrap();
    assert_eq!((&end["end"], &end["usage"]["steps"]), (&json!("complete"), &json!(11)));
}

#[test]
fn over_each_interface_a_task_goes_from_reads_over_a_rejected_hunk_to_its_end_at_a_terminal() {
    if !Terminal::is_there() {
        return report_skip("there is no tmux");
    }
    for interface in INTERFACES {
        let player = Player::start(interface, long_task());
        let folder = long_scene(&player);
        let script = "wherefore agent 'Make lines 2 and 9 stand out'; echo ended: $?; sleep 60";
        let terminal = Terminal::run(folder.path(), Path::new("/bin/sh"), &["-c", script]);
        let answer = |text: &str| {
            terminal.types(text);
            terminal.keys(&["Enter"]);
        };
        let screen = terminal.sees("1 of 2");
        assert!(screen.contains("+ TWO") && screen.contains("Make two lines stand out"), "{screen}");
        answer("y");
        terminal.sees("2 of 2");
        answer("r the ninth line is quoted elsewhere");
        terminal.sees("1 of 1");
        answer("y");
        terminal.sees("What next?");
        answer("");
        let screen = terminal.sees("ended: 0");
        assert!(screen.contains("done: The second line stands out, the ninth stays."), "{screen}");
        assert!(screen.contains("--resume") && screen.contains("older steps were left out"), "{screen}");
        long_task_is_done(&folder, &player);
        if interface == CHAT {
            // The three results of the first answer came together, in the order of its calls.
            let asked = player.asked();
            let first = asked[1].body["messages"].as_array().unwrap();
            let ids: Vec<&Value> = first.iter().filter_map(|message| message.get("tool_call_id")).collect();
            assert_eq!(ids, ["call-0-0", "call-0-1", "call-0-2"]);
        }
    }
}

#[test]
fn a_run_that_is_resumed_shows_what_was_said_before() {
    let write = json!({ "path": "new.txt", "content": "new\n", "why": "Have the file that is wanted" });
    let script =
        vec![call("fs_write", write), complete("There it is."), complete("It was the person's wish.")];
    let player = Player::start(CHAT, script);
    let folder = scene(&player.settings());
    assert!(agent(&folder, &["Make new.txt", "--policy", "auto"]).status.success());
    let list = String::from_utf8(agent(&folder, &["--list"]).stdout).unwrap();
    let run = list.split_whitespace().next().unwrap();
    let output = agent(&folder, &["Why so?", "--resume", run]);
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).unwrap();
    let order = [
        "> Make new.txt",
        "fs.write new.txt  Have the file that is wanted",
        "going on with",
        "It was the person",
    ];
    let places: Vec<_> = order.iter().map(|part| said.find(part)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}: {said}");
    let json = agent(&folder, &["And now?", "--resume", run, "--json"]);
    assert!(!String::from_utf8_lossy(&json.stdout).contains("Make new.txt"), "{json:?}");
}

#[test]
fn each_interface_carries_a_task_to_its_end() {
    for interface in INTERFACES {
        let looks = vec![read("a.txt", "Learn what is there"), read("lines.txt", "Learn the lines")];
        let write = json!({ "path": "new.txt", "content": "new\n", "why": "Have the file that is wanted" });
        let player =
            Player::start(interface, vec![Said::Calls(looks), call("fs_write", write), complete("Done so.")]);
        let folder = scene(&player.settings());
        let output = agent(&folder, &["Make new.txt", "--policy", "auto", "--json"]);
        assert!(output.status.success(), "{interface:?}: {output:?}");
        let said = String::from_utf8(output.stdout).unwrap();
        let events: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let end = events.last().unwrap();
        assert_eq!(
            (&end["kind"], &end["end"], &end["text"]),
            (&json!("ended"), &json!("complete"), &json!("Done so.")),
            "{interface:?}"
        );
        assert_eq!(file(&folder, "new.txt"), "new\n", "{interface:?}");
        let asked = player.asked();
        let last = asked.last().unwrap().body.to_string();
        assert_eq!(asked.len(), 3, "{interface:?}");
        assert!(last.contains("line 12") && last.contains("applied"), "{interface:?}: {last}");
        assert_eq!(count(&log(&folder), "model_output"), 3, "{interface:?}");
    }
}

#[test]
fn a_model_that_only_talks_is_asked_to_act_once_and_then_taken_at_its_word() {
    let player = Player::start(CHAT, vec![Said::Words("I would change the second line.")]);
    let folder = scene(&player.settings());
    let output = agent(&folder, &["Change it", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains(r#""end":"answered""#), "{output:?}");
    let asked = player.asked();
    assert_eq!(asked.len(), 2);
    assert!(asked[1].body["messages"].to_string().contains("call task_complete"), "{asked:?}");
}

#[test]
fn a_server_that_is_none_is_a_fault_with_a_way_out() {
    let page = Scripted::start(|_, _| Played::body(200, "text/html", "<html>Welcome</html>"));
    let web = format!("{}/v1#m", page.url);
    // Nobody listens at port 1.
    for (model, words) in [
        ("http://127.0.0.1:1/v1#m", ["no server answers there", "--model"]),
        (&*web, ["a web page", "[model]"]),
        ("ftp://127.0.0.1/#m", ["no http or https", "ollama/NAME"]),
    ] {
        let folder = scene("");
        let output = agent(&folder, &["Do it", "--model", model]);
        let said =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "{model}: {said}");
        for word in words {
            assert!(said.contains(word), "{model}: {word}: {said}");
        }
    }
}

#[test]
fn where_no_model_is_set_the_message_says_how_to_set_one() {
    // A machine with a server of its own has a model.
    let usual = [11434, 1234, 8080, 8000, 1337];
    if usual.into_iter().any(|port| TcpStream::connect(("127.0.0.1", port)).is_ok()) {
        return report_skip("something listens where servers of models usually do");
    }
    let output = agent(&scene(""), &["Do it"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    for word in ["no model is set", "11434", "[model]", "config.toml", "Ollama"] {
        assert!(said.contains(word), "{word}: {said}");
    }
}
