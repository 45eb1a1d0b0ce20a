//! The output of commands, sent to editors while the commands run.

use std::fs;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use wherefore::base::CallId;
use wherefore::protocol::{CommandNotice, CommandState, EditorNotice, LARGEST_OUTPUT};
use wherefore::requests::Cancel;
use wherefore::requests::cancel::CancelParams;

use crate::support::Bench;

/// The notices of commands that the editor got so far.
fn told(bench: &Bench) -> Vec<CommandNotice> {
    let told = bench.editor.told.lock().unwrap();
    let commands = told.iter().filter_map(|notice| match notice {
        EditorNotice::Command(command) => Some(command.clone()),
        _ => None,
    });
    commands.collect()
}

/// Waits until the editor got certain notices.
async fn heard(bench: &Bench, is: impl Fn(&[CommandNotice]) -> bool) -> Vec<CommandNotice> {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let told = told(bench);
        if is(&told) {
            return told;
        }
        assert!(Instant::now() < deadline, "{told:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn bench(script: &str) -> Bench {
    let bench = Bench::new(&[("script.sh", script)]);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "hold", "wait_s": 0 } })));
    bench
}

async fn run(bench: &Bench, arguments: Value) -> Value {
    let answer = bench.call("terminal.run", arguments, None).await;
    assert_eq!(answer.error, None, "{answer:?}");
    Value::clone(&answer.result.unwrap())
}

fn states(told: &[CommandNotice]) -> Vec<CommandState> {
    told.iter().map(|notice| notice.state).collect()
}

fn text(told: &[CommandNotice]) -> String {
    told.iter().map(|notice| notice.text.as_str()).collect()
}

#[tokio::test]
async fn editors_see_output_as_it_comes_between_its_start_and_its_end() {
    let script = "printf '\\033]0;title\\007\\033[31mone\\033[0m \\033]52;c;eHg=\\007'; echo 1 >&2\n\
                  while ! ls out | grep -q go; do sleep 0.02; done; echo two; exit 3";
    let bench = bench(script);
    fs::create_dir(bench.folder.path().join("out")).unwrap();
    fs::write(bench.folder.path().join(".gitignore"), "out/\n").unwrap();
    let call = run(&bench, json!({ "cmd": ["bash", "script.sh"] }));
    let half = async {
        let told = heard(&bench, |told| text(told).contains('1')).await;
        fs::write(bench.folder.path().join("out/go"), "").unwrap();
        told
    };
    let (answer, half) = tokio::join!(call, half);
    assert_eq!(answer["exit_code"], 3, "{answer}");
    assert!(!text(&half).contains("two"));
    let told = told(&bench);
    let (first, last) = (told.first().unwrap(), told.last().unwrap());
    assert_eq!((first.state, last.state), (CommandState::Started, CommandState::Ended), "{told:?}");
    let between = &told[1..told.len() - 1];
    assert!(states(between).iter().all(|state| *state == CommandState::Output), "{told:?}");
    let seen = text(&told);
    assert!(seen.contains("\x1b[31mone\x1b[0m ") && seen.ends_with("two\n"), "{seen:?}");
    assert!(!seen.contains("title") && !seen.contains("eHg=") && !seen.contains('\x07'), "{seen:?}");
    assert_eq!((last.exit_code, last.outcome.as_deref()), (Some(3), Some("exit code 3")));
    assert!(last.duration_ms.is_some());
    for notice in &told {
        assert_eq!(notice.command, "bash script.sh");
        assert!(notice.tier.starts_with("tier A") && !notice.background && !notice.why.is_empty());
    }
}

#[tokio::test]
async fn a_flood_is_told_in_few_pieces_and_counted() {
    let bench = bench("yes 'a line of a flood' | head -c 30000000");
    let began = Instant::now();
    let answer = run(&bench, json!({ "cmd": ["bash", "script.sh"] })).await;
    let took = began.elapsed();
    assert_eq!(answer["exit_code"], 0, "{answer}");
    let told = told(&bench);
    let most = 20.0 * (took.as_secs_f64() + 0.2);
    assert!((told.len() as f64) < most, "{} notices in {took:?}", told.len());
    let shown: usize = told.iter().map(|notice| notice.text.len()).sum();
    let left_out: u64 = told.iter().map(|notice| notice.left_out).sum();
    assert!(told.iter().all(|notice| notice.text.len() <= LARGEST_OUTPUT));
    assert_eq!(shown as u64 + left_out, 30_000_000);
}

async fn python(bench: &Bench) {
    let code = "import time\nprint('first')\ntime.sleep(0.5)\nprint('second')";
    let answer = bench.call("python.exec", json!({ "code": code }), None).await;
    assert_eq!(answer.error, None);
}

#[tokio::test]
async fn python_is_seen_line_by_line_and_nothing_is_told_where_nobody_looks() {
    let seen = bench("");
    let ((), half) = tokio::join!(python(&seen), heard(&seen, |told| text(told).contains("first")));
    assert!(!text(&half).contains("second"), "{half:?}");
    assert_eq!(text(&told(&seen)), "first\nsecond\n");
    assert!(told(&seen)[0].command.starts_with("python: import time"), "{:?}", told(&seen));

    let unseen = Bench::with(&[], false);
    python(&unseen).await;
    assert_eq!(told(&unseen), []);
}

#[tokio::test]
async fn a_command_in_the_background_is_told_to_its_end_and_cancelled_by_its_call() {
    let bench = bench("echo serving; sleep 60");
    let answer = run(&bench, json!({ "cmd": ["bash", "script.sh"], "background": true })).await;
    let id = CallId::from(answer["id"].as_str().unwrap());
    let told = heard(&bench, |told| text(told) == "serving\n").await;
    assert!(told.iter().all(|notice| notice.background && notice.call_id == id), "{told:?}");
    let cancel = || CancelParams { call_id: id.clone(), root: None };
    bench.ask::<Cancel>(cancel()).await.unwrap();
    let told = heard(&bench, |told| states(told).contains(&CommandState::Ended)).await;
    assert_eq!(told.last().unwrap().outcome.as_deref(), Some("cancelled"), "{told:?}");
    bench.ask::<Cancel>(cancel()).await.unwrap_err();
}

#[tokio::test]
async fn an_editor_that_comes_later_is_told_what_a_command_in_the_background_wrote() {
    let bench = bench("echo serving; sleep 60");
    let looks_away = |away| bench.editor.looks_away.store(away, Ordering::SeqCst);
    looks_away(true);
    let answer = run(&bench, json!({ "cmd": ["bash", "script.sh"], "background": true })).await;
    let id = answer["id"].as_str().unwrap();
    let wanted =
        json!({ "id": id, "until": "serving", "wait_ms": 10_000, "why": "Wait until the server is up" });
    assert_eq!(bench.call("terminal.output", wanted, None).await.error, None);
    assert_eq!(told(&bench), []);
    looks_away(false);
    let told = heard(&bench, |told| text(told).contains("serving")).await;
    assert_eq!(states(&told), [CommandState::Started, CommandState::Output], "{told:?}");
    assert_eq!(text(&told), "serving\n");
}
