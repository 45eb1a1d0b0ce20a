//! Hostile input: it is judged in bounded time, never lets a danger through, and never panics.

use std::time::Duration;

use proptest::prelude::*;

use super::table::{cases, judged, judged_where};
use crate::CommandVerdict;

/// The longest time of the processor that a judgement may take.
const BOUND: Duration = Duration::from_secs(20);

/// The time that this thread has had a processor, which other load does not add to.
fn measure_processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(stat.split(' ').next().unwrap().parse().unwrap())
}

fn in_time(script: &str) -> CommandVerdict {
    let start = measure_processor_time();
    let verdict = judged_where(script, false).verdict;
    let took = measure_processor_time() - start;
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
        format!("parallel {} ::: {}", many("{} ", 50_000), many("a ", 50_000)),
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
    // Each change of folder may start from any that came before.
    assert_eq!(in_time(&format!("{}rm -rf ~", "cd a\n".repeat(3000))), CommandVerdict::Deny);
    let line = format!("echo {}", "a".repeat(1 << 20));
    assert_eq!(in_time(&line), CommandVerdict::Allow);
    assert_eq!(in_time(&format!("{line}; rm -rf ~")), CommandVerdict::Deny);
}

#[test]
fn code_of_interpreters_is_read_to_the_end_in_bounded_time() {
    let many = |text: &str, times: usize| text.repeat(times);
    let hostile = [
        many("f(", 20_000),
        many(").a", 20_000),
        many("]).unlink", 20_000),
        many("unlink x ", 20_000),
        many("é.x(", 20_000),
        many("\"", 9999),
        many("`", 9999),
        format!("x={}1", many("\"/\"+", 10_000)),
        many("p=\"/\";", 10_000),
        many("f\"{f\"{", 5000),
        many("\\", 50_001),
        many("#{", 20_000),
        many("$ENV{", 20_000),
        format!("rm({}", many("os.path.join(", 5000)),
    ];
    let given = |program: &str, code: &str| format!("{program} '{}'", code.replace('\'', "'\\''"));
    for program in ["python3 -c", "node -e", "ruby -e", "perl -e", "php -r", "lua -e"] {
        for code in &hostile {
            in_time(&given(program, code));
        }
    }
    let last = format!("{}import shutil; shutil.rmtree('/')", many("x = g(1); ", 1500));
    assert_eq!(in_time(&given("python3 -c", &last)), CommandVerdict::Deny);
    let last = format!("{}unlink '/etc/hosts'", many("my $x = 1; print $x; ", 1500));
    assert_eq!(in_time(&given("perl -e", &last)), CommandVerdict::Deny);
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

/// A refused command stays refused in any context.
#[test]
fn a_refused_command_stays_refused_among_others() {
    let refused =
        cases().filter(|(_, (verdict, _), text)| *verdict == CommandVerdict::Deny && !text.contains("<<"));
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
