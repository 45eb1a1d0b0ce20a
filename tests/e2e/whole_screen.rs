//! `wherefore review` on the whole screen, and the review that stays: by keys in a terminal, with a real agent that waits.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use crate::by_keys::{changed, ours, place};
use crate::support::agent::{self, Agent, LEGACY, until};
use crate::support::report_skip;
use crate::support::terminal::Terminal;

/// A review in a terminal, which stays open to be inspected; afterwards it prints whether the terminal accepts whole
/// lines again.
fn review(place: &TempDir, before: &str, args: &str) -> Terminal {
    let script = format!(
        "{before} sh -c 'echo $$ >../run/pid; exec wherefore review {args}'; echo ended: $?; stty -a | grep -o -e '-*icanon'; sleep 60"
    );
    Terminal::run(place.path(), Path::new("/bin/sh"), &["-c", &script])
}

/// The screen once the review ended well, and gave the terminal back.
fn ended(terminal: &Terminal) -> String {
    terminal.sees("ended: 0\nicanon\n")
}

/// A key that decides on a hunk which came by itself counts only once a person can have seen it.
fn look() {
    std::thread::sleep(Duration::from_millis(600));
}

#[test]
fn the_whole_screen_lists_hunks_and_decides_by_single_keys() {
    if !Terminal::is_there() {
        return report_skip("there is no tmux");
    }
    let place = place();
    let terminal = review(&place, "", "--full-screen");
    let screen = terminal.sees("1 of 4");
    for shown in
        ["Spell the numbers out for the reader", "a.txt:5 h1 edit", "+ AND A HALF", "› · waits  line 5"]
    {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    terminal.keys(&["y"]);
    terminal.sees("✓ accepted");
    assert!(changed(&place, "a.txt").is_empty(), "it is sent with the next key");
    terminal.keys(&["u"]);
    terminal
        .shows("the first hunk again", |screen| screen.contains("1 of 4") && !screen.contains("✓ accepted"));
    terminal.keys(&["n"]);
    terminal.sees("2 of 4");
    // In 64 columns the list is folded away; Tab shows it in the place of the hunk.
    terminal.resize(64, 24);
    terminal.shows("no list", |screen| screen.contains("+ FIFTEEN") && !screen.contains("· waits"));
    terminal.keys(&["Tab"]);
    terminal.shows("the list alone", |screen| screen.contains("✗ rejected") && !screen.contains("+ FIFTEEN"));
    terminal.keys(&["Tab"]);
    terminal.sees("+ FIFTEEN");
    terminal.resize(100, 30);
    terminal.sees("✗ rejected");
    terminal.keys(&["y"]);
    terminal.sees("3 of 4");
    terminal.keys(&["r"]);
    terminal.sees("Why? The agent reads it:");
    terminal.types("twenty-five stays");
    terminal.keys(&["Enter"]);
    terminal.sees("4 of 4");
    terminal.keys(&["/"]);
    terminal.types("fifteen");
    terminal.keys(&["Enter"]);
    terminal.sees("2 of 4");
    terminal.keys(&["?"]);
    terminal.sees("reject it, and tell the agent why");
    terminal.keys(&["x", "q"]);
    let screen = ended(&terminal);
    assert!(screen.contains("1 accepted, 2 rejected, 1 left waiting."), "{screen}");
    assert_eq!(changed(&place, "a.txt"), ["FIFTEEN"]);
    let left = ours(place.path()).args(["review", "--json"]).output().unwrap();
    let left = String::from_utf8_lossy(&left.stdout);
    assert!(left.contains("twenty-five stays") && left.contains("TWO"), "{left}");
}

#[test]
fn a_review_that_is_killed_gives_the_terminal_back_and_loses_no_key() {
    if !Terminal::is_there() {
        return report_skip("there is no tmux");
    }
    let place = place();
    let terminal = review(&place, "EDITOR='sed -i s/FIVE/five/' VISUAL= NO_COLOR=1", "-f");
    terminal.sees("1 of 4");
    terminal.keys(&["e"]);
    terminal.sees("2 of 4");
    let colours = regex::Regex::new("\u{1b}\\[[0-9;]*(3[0-7]|4[0-7]|[34]8;)").unwrap();
    assert!(!colours.is_match(&terminal.styled()), "colours in spite of NO_COLOR: {}", terminal.styled());
    let pid = std::fs::read_to_string(place.path().join("run/pid")).unwrap();
    let killed = Command::new("kill").args(["-TERM", pid.trim()]).status().unwrap();
    assert!(killed.success());
    let screen = ended(&terminal);
    assert!(screen.contains("1 accepted, 0 rejected, 3 left waiting."), "{screen}");
    assert_eq!(changed(&place, "a.txt"), ["five", "AND A HALF"]);
}

#[test]
fn a_review_whose_terminal_is_closed_ends_and_loses_no_key() {
    if !Terminal::is_there() {
        return report_skip("there is no tmux");
    }
    let place = place();
    let terminal = review(&place, "", "-f");
    terminal.sees("1 of 4");
    terminal.keys(&["y"]);
    terminal.sees("2 of 4");
    let pid = std::fs::read_to_string(place.path().join("run/pid")).unwrap();
    drop(terminal);
    until("the review ends", || !Path::new("/proc").join(pid.trim()).exists());
    assert_eq!(changed(&place, "a.txt"), ["FIVE", "AND A HALF"]);
}

#[test]
fn a_huge_hunk_is_shown_to_its_end_and_drives_no_terminal() {
    if !Terminal::is_there() {
        return report_skip("there is no tmux");
    }
    let place = agent::place();
    let mut agent = Agent::start(place.path(), LEGACY, &[]);
    let lines: String = (0..2000).map(|line| format!("let x{line} = \"\u{1b}[2J\u{202e}\";\n")).collect();
    let content = format!("{lines}{}THE END\n", "x".repeat(100_000));
    let why = "Write a file that nobody wants to read to its end";
    let answer = agent.call("fs_write", json!({ "path": "new.js", "content": content, "why": why }));
    assert_eq!(answer["status"], "pending", "{answer}");
    let terminal = review(&place, "COLORTERM=truecolor WHEREFORE_BACKGROUND=light", "-f");
    let screen = terminal.sees("more rows: PgDn");
    assert!(screen.contains(r#"+ let x0 = "\u{1b}[2J\u{202e}";"#), "{screen}");
    assert!(terminal.styled().contains("48;2;220;246;226"), "{}", terminal.styled());
    terminal.keys(&["End"]);
    terminal.sees("xTHE END");
    terminal.keys(&["q"]);
    terminal.sees("0 accepted, 0 rejected, 1 left waiting.");
}

#[test]
fn an_agents_call_waits_for_a_review_that_stays() {
    if !Terminal::is_there() {
        return report_skip("there is no tmux");
    }
    let place = agent::place();
    let mut agent = Agent::start(place.path(), LEGACY, &[]);
    let why = "Write the numbers as words for the reader";
    let terminal = review(&place, "", "--watch");
    terminal.sees("Nothing waits for a decision");
    std::thread::scope(|scope| {
        let write = json!({ "path": "a.txt", "content": "one\n2\nthree\n", "why": why });
        let call = scope.spawn(|| agent.call("fs_write", write));
        terminal.sees("1 of 1");
        look();
        terminal.keys(&["y"]);
        let answer = call.join().unwrap();
        assert_eq!(answer["status"], "applied", "{answer}");
    });
    terminal.sees("So far: 1 accepted");
    // A change of files that steer agents is asked about, and reviewed afterwards.
    std::thread::scope(|scope| {
        let write = json!({ "path": "AGENTS.md", "content": "Be kind.\n", "why": why });
        let call = scope.spawn(|| agent.call("fs_write", write));
        terminal.sees("Esc refuse this time");
        look();
        terminal.keys(&["1"]);
        terminal.sees("1 of 1");
        look();
        terminal.keys(&["y"]);
        let answer = call.join().unwrap();
        assert_eq!(answer["status"], "applied", "{answer}");
    });
    terminal.sees("So far: 2 accepted");
    terminal.keys(&["C-c"]);
    let screen = ended(&terminal);
    assert!(screen.contains("2 accepted, 0 rejected."), "{screen}");
    let write = json!({ "path": "a.txt", "content": "1\n", "why": why });
    let answer = agent.call("fs_write", write);
    assert_eq!(answer["status"], "pending", "nobody is attached any more: {answer}");
    assert!(
        answer["next_action"]["person"].as_str().unwrap().contains("wherefore review --watch"),
        "{answer}"
    );
}

#[test]
fn a_review_that_stays_goes_line_by_line_too() {
    if !Terminal::is_there() {
        return report_skip("there is no tmux");
    }
    let place = agent::place();
    let mut agent = Agent::start(place.path(), LEGACY, &[]);
    let terminal = review(&place, "", "--watch --lines");
    terminal.sees("Nothing new waits");
    std::thread::scope(|scope| {
        let why = "Write the numbers as words for the reader";
        let write = json!({ "path": "a.txt", "content": "one\n2\nthree\n", "why": why });
        let call = scope.spawn(|| agent.fault("fs_write", write));
        terminal.sees("Accept this hunk");
        terminal.types("r keep the word");
        terminal.keys(&["Enter"]);
        let fault = call.join().unwrap();
        assert!(fault.to_string().contains("keep the word"), "{fault}");
    });
    terminal.shows("that it waits again", |screen| screen.matches("Nothing new waits").count() == 2);
    terminal.types("q");
    terminal.keys(&["Enter"]);
    let screen = ended(&terminal);
    assert!(screen.contains("0 accepted, 1 rejected."), "{screen}");
}
