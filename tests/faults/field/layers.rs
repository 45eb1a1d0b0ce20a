//! The writes of a command, in any form and size: they end no process, fill no memory, and none of them is lost in silence.

use serde_json::json;

use crate::support::{BINARY, Project, Ran, run, skipped, with_why};

fn call(project: &Project, line: &str) -> Option<Ran> {
    let ran = project.call("terminal.run", &json!({ "line": line, "timeout_ms": 120_000 }));
    if !ran.json()["sandbox"].as_str().unwrap_or_default().starts_with("tier A (") {
        skipped(&format!("no namespaces here: {ran:?}"));
        return None;
    }
    Some(ran)
}

/// A script that makes so many folders in each other, with a file at the bottom.
fn nested(depth: usize) -> String {
    format!(
        "import os\nfor _ in range({depth}):\n  os.mkdir('d'); os.chdir('d')\nopen('bottom', 'w').write('text\\n')\n"
    )
}

#[test]
fn a_thousand_folders_in_each_other_are_a_change_like_any_other() {
    let project = Project::new(&[("deep.py", &nested(1_000)), ("a.txt", "a\n")]);
    let Some(ran) = call(&project, "python3 deep.py") else { return };
    assert_eq!(ran.json()["exit_code"], 0, "{ran:?}");
    let bottom = format!("{}bottom", "d/".repeat(1_000));
    assert_eq!(project.text(&bottom).as_deref(), Some("text\n"));
    project.is_well("a deep tree");
}

#[test]
fn a_deep_tree_that_a_command_removes_goes_folder_by_folder() {
    let below = "d/".repeat(100);
    let project = Project::new(&[(&format!("{below}bottom"), "text\n"), ("a.txt", "a\n")]);
    let Some(ran) = call(&project, "rm -r d") else { return };
    assert_eq!(ran.json()["exit_code"], 0, "{ran:?}");
    assert!(!project.path("d").exists());
}

#[test]
fn what_is_too_deep_or_too_much_is_named_and_kept_for_the_person() {
    let project = Project::new(&[
        ("deep.py", &nested(2_500)),
        ("large.py", "open('large', 'w').truncate(65 << 20)\n"),
        ("odd.py", "open(b'\\xff', 'w').close()\n"),
    ]);
    let Some(ran) = call(&project, "python3 deep.py") else { return };
    let answer = ran.json();
    let said = answer["left_out"].to_string();
    assert!(said.contains("longer than the system takes") && said.contains("for 7 days"), "{said}");
    let ran = call(&project, "python3 large.py").unwrap();
    let said = ran.json()["left_out"].to_string();
    assert!(
        said.contains("large: its 68157440 bytes are over limits.edit_bytes") && said.contains("for 7 days"),
        "{said}"
    );
    let kept: Vec<_> = std::fs::read_dir(project.kept().join("kept")).unwrap().flatten().collect();
    assert_eq!(kept.len(), 2);
    let large = kept.iter().any(|kept| kept.path().join("large").exists());
    assert!(large && kept.iter().any(|kept| kept.path().join("d/d/d").exists()), "{kept:?}");
    for _ in 0..4 {
        let ran = call(&project, "python3 odd.py").unwrap();
        assert!(ran.json()["left_out"].to_string().contains("no text"), "{ran:?}");
    }
    assert_eq!(std::fs::read_dir(project.kept().join("kept")).unwrap().count(), 4, "the oldest went");
    // Files that a process had no time to remove are removed when the next one opens the folder.
    assert!(std::fs::read_dir(project.kept().join("layers")).unwrap().count() <= 1);
}

#[test]
fn large_texts_are_proposed_whole_and_the_names_of_one_file_are_read_once() {
    let script = "import os\nopen('one', 'w').write('x' * (40 << 20))\nfor n in range(39):\n  os.link('one', 'n%d' % n)\n";
    let project = Project::new(&[("link.py", script)]);
    let Some(_) = call(&project, "true") else { return };
    let arguments = with_why(&json!({ "line": "python3 link.py", "timeout_ms": 120_000 })).to_string();
    // Forty copies of the text do not fit.
    let limited = format!("ulimit -v 3000000; exec {BINARY} call terminal.run \"$1\" --root \"$2\"");
    let root = project.root();
    let ran = run(project.command("bash").args(["-c", &limited, "bash", &arguments]).arg(&root), b"");
    assert!(
        ran.code() == Some(0) && ran.json()["left_out"].to_string().contains("proposed whole"),
        "{ran:?}"
    );
    assert_eq!(std::fs::metadata(project.path("n38")).unwrap().len(), 40 << 20);
}

#[test]
fn code_that_leaves_folders_of_any_depth_gets_an_answer() {
    let project = Project::new(&[]);
    let code = nested(2_500).replace("open(", "os.makedirs('/tmp/x', exist_ok=True); open(");
    let ran = project.call("python.exec", &json!({ "code": code, "timeout_ms": 120_000 }));
    let answer = ran.json();
    if answer["error"]["code"] == "UNSUPPORTED" {
        return skipped(&format!("no sandbox here: {answer}"));
    }
    assert_eq!(answer["exit_code"], 0, "{answer}");
    assert!(answer["left_out"].to_string().contains("too long"), "{answer}");
}
