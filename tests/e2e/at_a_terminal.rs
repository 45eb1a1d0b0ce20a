//! The command line for a person at a terminal, and for their shell: faults in words, help, pages, completions.

use std::path::Path;
use std::process::Command;

use crate::support::report_skip;
use crate::support::terminal::Terminal;

fn wherefore() -> Command {
    Command::new(env!("CARGO_BIN_EXE_wherefore"))
}

fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_wrong_tool_is_answered_in_words_at_a_terminal() {
    if !Terminal::is_there() {
        return report_skip("there is no tmux");
    }
    let home = tempfile::tempdir().unwrap();
    for folder in ["work", "home", "run"] {
        std::fs::create_dir(home.path().join(folder)).unwrap();
    }
    let call = r#"wherefore call fs.raed '{"path": "a", "why": "Learn it"}'; sleep 60"#;
    let terminal = Terminal::run(home.path(), Path::new("/bin/sh"), &["-c", call]);
    let screen = terminal.sees("did you mean fs.read");
    assert!(screen.contains("wherefore: there is no tool named \"fs.raed\""), "{screen}");
    assert!(!screen.contains("hints") && !screen.contains('{'), "{screen}");
}

#[test]
fn help_has_groups_and_examples() {
    let help = said(wherefore().arg("--help"));
    let at = |text: &str| help.find(text).unwrap_or_else(|| panic!("{text} in {help}"));
    assert!(at("Every day:") < at("\n  review ") && at("\n  review ") < at("Set-up:"), "{help}");
    assert!(at("Set-up:") < at("What editors and agents start:"), "{help}");
    assert!(at("What editors and agents start:") < at("\n  serve "), "{help}");
    let log = said(wherefore().args(["log", "--help"]));
    assert!(log.contains("Examples:") && log.contains("wherefore log --last 10"), "{log}");
}

#[test]
fn each_subcommand_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    said(wherefore().arg("man").arg(&pages));
    for page in ["wherefore.1", "wherefore-review.1", "wherefore-log-verify.1", "wherefore-tools-list.1"] {
        let text = std::fs::read_to_string(pages.join(page)).unwrap();
        assert!(text.contains(".TH wherefore"), "{page}: {text}");
    }
    assert!(std::fs::read_to_string(pages.join("wherefore-log.1")).unwrap().contains("Examples"));
    assert!(said(wherefore().arg("man")).contains(".SH NAME"));
}

#[test]
fn a_shell_completes_tools_calls_and_sessions() {
    let (folder, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = folder.path();
    std::fs::create_dir(folder.join(".git")).unwrap();
    std::fs::write(folder.join("a.txt"), "one\ntwo\n").unwrap();
    let ours = |command: &mut Command| {
        let command = command.current_dir(folder).env("XDG_RUNTIME_DIR", folder);
        said(command.env("XDG_STATE_HOME", state.path()).env("XDG_CONFIG_HOME", state.path()))
    };
    let read = r#"{"path": "a.txt", "why": "Learn the numbers before one is changed"}"#;
    ours(wherefore().args(["call", "fs.read", read]));
    let completed = |words: &[&str]| {
        let mut command = wherefore();
        command.env("WHEREFORE_COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", words.len().to_string());
        command
            .env("_CLAP_IFS", "\n")
            .env("_CLAP_COMPLETE_COMP_TYPE", "9")
            .env("_CLAP_COMPLETE_SPACE", "true");
        ours(command.args(["--", "wherefore"]).args(words))
    };
    for (words, expected) in [
        (["rev"].as_slice(), "review"),
        (&["call", "fs.r"], "fs.read"),
        (&["tools", "show", "git.s"], "git.status"),
        (&["undo", "c-"], "c-0001"),
        (&["log", "20"], "-cli"),
        (&["call", "--policy", "h"], "hold"),
    ] {
        let shown = completed(words);
        assert!(shown.contains(expected), "{words:?}: {shown:?}");
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(said(wherefore().args(["completions", shell])).contains("WHEREFORE_COMPLETE"), "{shell}");
    }
}
