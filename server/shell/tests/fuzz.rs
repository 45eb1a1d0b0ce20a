//! Hostile input: it is judged in bounded time, never lets a danger through, and never panics.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::table::{cases, judged};
use crate::CommandVerdict;

/// How long a judgement may take, on a machine that does other things too.
const BOUND: Duration = Duration::from_secs(20);

fn in_time(script: &str) -> CommandVerdict {
    let start = Instant::now();
    let verdict = judged(script).verdict;
    let took = start.elapsed();
    let head: String = script.chars().take(40).collect();
    assert!(took < BOUND, "{took:?} for {head:?}");
    verdict
}

#[test]
fn hostile_scripts_are_asked_about_in_bounded_time() {
    let many = |text: &str, times: usize| text.repeat(times);
    let nested = [
        many("$(", 10_000),
        format!("{}ls{}", many("$(", 10_000), many(")", 10_000)),
        format!("echo {}ls{}", many("\"$(", 500), many(")\"", 500)),
        format!("{}ls{}", many("( ", 10_000), many(")", 10_000)),
        format!("{}ls{}", many("{ ", 5000), many("; }", 5000)),
        format!("{}ls", many("sudo ", 5000)),
        format!("{}ls", many("env -i ", 5000)),
        format!("echo {}", many("${x:-", 5000)),
        format!("echo {}", many("{a,b}", 60)),
        format!("echo {}", many("{1..1000}", 4)),
        format!("{}ls{}", many("if true; then ", 3000), many("; fi", 3000)),
        many("`", 10_001),
        many("cat <<EOF\n", 2000),
        many("'", 9999),
        many("f() { ", 3000),
        many("a\\", 100_000),
        format!("rm -rf {}", many("$x", 50_000)),
    ];
    for script in &nested {
        let head: String = script.chars().take(30).collect();
        assert_ne!(in_time(script), CommandVerdict::Allow, "{head:?}");
    }
}

#[test]
fn long_scripts_are_read_to_the_end() {
    let echoes = "echo a; ".repeat(3000);
    assert_eq!(in_time(&echoes), CommandVerdict::Allow);
    assert_eq!(in_time(&format!("{echoes}rm -rf ~")), CommandVerdict::Deny);
    let line = format!("echo {}", "a".repeat(1 << 20));
    assert_eq!(in_time(&line), CommandVerdict::Allow);
    assert_eq!(in_time(&format!("{line}; rm -rf ~")), CommandVerdict::Deny);
}

/// Pieces that scripts are made of.
fn piece() -> impl Strategy<Value = String> {
    let pieces = [
        "ls",
        "rm -rf ~",
        "echo",
        " ",
        "\t",
        "\n",
        ";",
        "&",
        "&&",
        "||",
        "|",
        "(",
        ")",
        "{",
        "}",
        "$(",
        "`",
        "\"",
        "'",
        "$'",
        "\\",
        "$x",
        "${",
        "${x:-",
        "<<EOF\n",
        "EOF\n",
        "<<'E'",
        "<<-E",
        ">",
        "<",
        ">|",
        "&>",
        "2>&1",
        "<(",
        "x=",
        "[[",
        "]]",
        "((",
        "))",
        "$((",
        "if ",
        "then ",
        "fi",
        "for x in ",
        "do ",
        "done",
        "case x in ",
        "esac",
        "a)",
        ";;",
        "#",
        "*",
        "?",
        "[a",
        "~",
        "{a,b}",
        "{1..3}",
        "!",
        "function f ",
        "f() ",
        "time ",
        "coproc ",
        "eval ",
        "bash -c ",
        "é",
        "\u{a0}",
        "\r",
        "\0",
        "\u{202e}",
        "=",
        "+=",
        "-",
        "--",
        "/",
        ".env",
        "@(",
        "$",
        "$@",
        "%",
    ];
    prop_oneof![8 => prop::sample::select(pieces.to_vec()).prop_map(str::to_owned), 1 => "\\PC{0,6}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_script_is_judged(pieces in prop::collection::vec(piece(), 0..40)) {
        in_time(&pieces.concat());
    }

    #[test]
    fn any_text_is_judged(text in any::<String>()) {
        in_time(&text);
    }
}

/// What stands around a command that is refused does not open it.
#[test]
fn a_refused_command_stays_refused_among_others() {
    let refused =
        cases().filter(|(_, verdict, text)| *verdict == CommandVerdict::Deny && !text.contains("<<"));
    let mut open = Vec::new();
    for (line, _, script) in refused {
        let quoted = script.replace('\'', "'\\''");
        let around = [
            format!("ls; {script}"),
            format!("( {script}\n)"),
            format!("echo \"$( {script}\n)\""),
            format!("bash -c '{quoted}'"),
            format!("{script}\nls"),
        ];
        let allowed = around.into_iter().filter(|script| judged(script).verdict == CommandVerdict::Allow);
        open.extend(allowed.map(|script| format!("{line}: {script}")));
    }
    assert!(open.is_empty(), "{}", open.join("\n"));
}
