//! The commands and words that are found in a script.

use super::table::place;
use crate::{RedirectKind, ScriptDoubt, Within, WordKind, read_argv, read_script};

/// The commands of a script as a person reads them, with the wrappers that they are reached by.
fn shown(script: &str) -> Vec<String> {
    let reading = read_script(script, &place());
    let line =
        |via: &[String], text: String| via.iter().map(|via| format!("{via} > ")).collect::<String>() + &text;
    reading.commands.iter().map(|command| line(&command.via, command.display_text())).collect()
}

#[test]
fn wrappers_stand_before_what_they_run() {
    assert_eq!(
        shown("sudo -u ada env A=1 timeout 5 bash -c 'ls | xargs -n1 rm'"),
        [
            "sudo -u ada env A=1 timeout 5 bash -c 'ls | xargs -n1 rm'",
            "sudo > env A=1 timeout 5 bash -c 'ls | xargs -n1 rm'",
            "sudo > env > A=1 timeout 5 bash -c 'ls | xargs -n1 rm'",
            "sudo > env > timeout > bash -c 'ls | xargs -n1 rm'",
            "sudo > env > timeout > bash -c > ls",
            "sudo > env > timeout > bash -c > xargs -n1 rm",
            "sudo > env > timeout > bash -c > xargs > rm …",
        ]
    );
}

#[test]
fn words_are_known_patterns_or_computed() {
    let reading = read_script("cp a\\ b 'c d'\"$x\" *.rs ~/e{1,2} $'\\t' > \"out $y\" 2>&1 < in", &place());
    let command = &reading.commands[0];
    let words: Vec<_> = command.words.iter().map(|word| (word.text.as_str(), word.kind)).collect();
    assert_eq!(
        words,
        [
            ("cp", WordKind::Known),
            ("a b", WordKind::Known),
            ("c d\u{fffc}", WordKind::Computed),
            ("*.rs", WordKind::Pattern),
            ("/people/ada/e1", WordKind::Known),
            ("/people/ada/e2", WordKind::Known),
            ("\t", WordKind::Known),
        ]
    );
    let redirects: Vec<_> =
        command.redirects.iter().map(|redirect| (redirect.kind, redirect.target.text.as_str())).collect();
    assert_eq!(
        redirects,
        [(RedirectKind::Write, "out \u{fffc}"), (RedirectKind::Duplicate, "1"), (RedirectKind::Read, "in")]
    );
    assert_eq!(command.uses, ["y", "x"]);
}

#[test]
fn it_is_said_in_what_a_command_stands() {
    let reading = read_script("f() { a; }; cat <(b) <<EOF | c\n$(d)\nEOF", &place());
    let found: Vec<_> =
        reading.commands.iter().map(|command| (command.display_text(), command.within.clone())).collect();
    let expected = [
        ("a", vec![Within::Function]),
        ("d", vec![Within::HereDocument, Within::Substitution]),
        ("b", vec![Within::ProcessSubstitution]),
        ("cat …", vec![]),
        ("c", vec![Within::Pipeline]),
    ];
    assert_eq!(found, expected.map(|(text, within)| (text.to_owned(), within)));
}

#[test]
fn an_argument_vector_is_no_script() {
    let argv = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let reading = read_argv(&argv(&["echo", "$(rm -rf /)", "; reboot"]), &place());
    assert_eq!(reading.commands.len(), 1);
    assert_eq!(reading.doubts, []);
    let reading = read_argv(&argv(&["bash", "-c", "echo $(reboot)"]), &place());
    assert_eq!(reading.commands.len(), 3);
    assert_eq!(read_argv(&argv(&["ls", "a\0b"]), &place()).doubts, [ScriptDoubt::Syntax]);
}

#[test]
fn any_number_of_commands_is_found() {
    let script = "true && ".repeat(1500) + "ls";
    let reading = read_script(&script, &place());
    assert_eq!((reading.commands.len(), reading.doubts.len()), (1501, 0));
    let script = "true\n".repeat(5000);
    assert_eq!(read_script(&script, &place()).commands.len(), 5000);
}
