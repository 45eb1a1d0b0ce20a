//! `wherefore review` at a terminal: every key, one hunk after the other.

use std::path::Path;
use std::process::Command;

use serde_json::json;
use tempfile::TempDir;

use crate::support::report_skip;
use crate::support::terminal::Terminal;

/// A workspace with a change of four hunks in two files that waits.
pub(crate) fn place() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    for folder in ["work/.git", "home", "run"] {
        std::fs::create_dir_all(place.path().join(folder)).unwrap();
    }
    let numbers = |count| (1..=count).map(|number| format!("line {number}\n")).collect::<String>();
    let (a, b) = (numbers(30), numbers(5));
    std::fs::write(place.path().join("work/a.txt"), &a).unwrap();
    std::fs::write(place.path().join("work/b.txt"), &b).unwrap();
    let diff = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -5 +5,2 @@\n-line 5\n+FIVE\n+AND A HALF\n@@ -15 +16 @@\n-line 15\n+FIFTEEN\n@@ -25 +26 @@\n-line 25\n+TWENTY-FIVE\n\
                diff --git a/b.txt b/b.txt\n--- a/b.txt\n+++ b/b.txt\n@@ -2 +2 @@\n-line 2\n+TWO\n";
    let args = json!({ "diff": diff, "why": "Spell the numbers out for the reader" });
    let called = ours(place.path())
        .args(["call", "--policy", "hold", "fs.patch", &args.to_string()])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&called.stdout).contains("pending"), "{called:?}");
    place
}

pub(crate) fn ours(place: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wherefore"));
    for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"] {
        command.env_remove(name);
    }
    command
        .env("HOME", place.join("home"))
        .env("XDG_RUNTIME_DIR", place.join("run"))
        .current_dir(place.join("work"));
    command
}

/// The review in a terminal, which stays to be looked at.
fn review(place: &TempDir, before: &str) -> Terminal {
    Terminal::run(
        place.path(),
        Path::new("/bin/sh"),
        &["-c", &format!("{before} wherefore review; echo ended: $?; sleep 60")],
    )
}

fn answer(terminal: &Terminal, line: &str) {
    terminal.types(line);
    terminal.keys(&["Enter"]);
}

/// The lines of a file that were changed.
pub(crate) fn changed(place: &TempDir, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(place.path().join("work").join(name)).unwrap();
    text.lines().filter(|line| !line.starts_with("line ")).map(str::to_owned).collect()
}

#[test]
fn hunks_are_accepted_and_rejected_by_keys_and_the_last_key_is_taken_back() {
    if !Terminal::is_there() {
        return report_skip("there is no tmux");
    }
    let place = place();
    let terminal = review(&place, "");
    let screen = terminal.sees("1 of 4");
    for shown in [
        "Spell the numbers out for the reader",
        "a.txt:5",
        "  line 4\n- line 5\n+ FIVE\n+ AND A HALF\n  line 6\n",
    ] {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    answer(&terminal, "what?");
    terminal.sees("That is no key");
    answer(&terminal, "?");
    terminal.sees("end the review; what is left goes on waiting");
    answer(&terminal, "u");
    terminal.sees("Nothing to take back here");
    answer(&terminal, "y");
    terminal.sees("2 of 4");
    assert!(changed(&place, "a.txt").is_empty(), "it is sent with the next key");
    answer(&terminal, "u");
    terminal.shows("the first hunk again", |screen| screen.rfind("1 of 4") > screen.rfind("2 of 4"));
    answer(&terminal, "n");
    terminal.shows("the second hunk again", |screen| screen.rfind("2 of 4") > screen.rfind("1 of 4"));
    answer(&terminal, "s");
    terminal.sees("no unchanged lines to split it at");
    answer(&terminal, "y");
    terminal.sees("3 of 4");
    answer(&terminal, "r");
    terminal.sees("Why? The agent reads it:");
    answer(&terminal, "twenty-five stays");
    terminal.sees("4 of 4");
    answer(&terminal, "l");
    let screen = terminal.sees("ended: 0");
    assert!(screen.contains("1 accepted, 2 rejected, 1 left waiting."), "{screen}");
    assert_eq!(changed(&place, "a.txt"), ["FIFTEEN"]);
    assert!(changed(&place, "b.txt").is_empty());
    let left = ours(place.path()).args(["review", "--json"]).output().unwrap();
    let left = String::from_utf8_lossy(&left.stdout);
    assert!(left.contains("twenty-five stays") && left.contains("TWO"), "{left}");
}

#[test]
fn the_rest_of_a_file_is_decided_by_one_key_and_one_hunk_is_edited_first() {
    if !Terminal::is_there() {
        return report_skip("there is no tmux");
    }
    let place = place();
    let terminal = review(&place, "EDITOR=\"sed -i s/FIVE/five/\" VISUAL= ");
    terminal.sees("1 of 4");
    answer(&terminal, "e");
    terminal.sees("2 of 4");
    answer(&terminal, "e");
    terminal.sees("Not edited: the lines are as they were");
    answer(&terminal, "y");
    // The first hunk made the file a line longer: the third is where it is now.
    terminal.sees("3 of 4  a.txt:26");
    terminal.sees("  line 24\n- line 25\n+ TWENTY-FIVE\n  line 26\n");
    answer(&terminal, "a");
    terminal.sees("4 of 4");
    answer(&terminal, "d");
    let screen = terminal.sees("ended: 0");
    assert!(screen.contains("3 accepted, 1 rejected."), "{screen}");
    assert_eq!(changed(&place, "a.txt"), ["five", "AND A HALF", "FIFTEEN", "TWENTY-FIVE"]);
    assert!(changed(&place, "b.txt").is_empty());
}

#[test]
fn an_editor_that_fails_and_an_end_of_the_review_decide_on_nothing() {
    if !Terminal::is_there() {
        return report_skip("there is no tmux");
    }
    let place = place();
    let terminal = review(&place, "EDITOR=/no/such/editor VISUAL= ");
    terminal.sees("1 of 4");
    answer(&terminal, "e");
    terminal.sees("VISUAL or EDITOR names another editor");
    answer(&terminal, "q");
    let screen = terminal.sees("ended: 0");
    assert!(screen.contains("0 accepted, 0 rejected, 4 left waiting."), "{screen}");
    assert!(changed(&place, "a.txt").is_empty() && changed(&place, "b.txt").is_empty());
}
