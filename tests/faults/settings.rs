//! The person's settings with a slip in them, too large, or no file at all: nothing that they closed opens.

use serde_json::{Value, json};

use crate::support::{Project, run};

const RULES: &str = "[rules]\ndeny = [\"private/**\"]\nread_only = [\"frozen\"]\n";

fn project() -> Project {
    let project =
        Project::new(&[("private/a.txt", "MARK\n"), ("frozen/a.txt", "frozen\n"), ("open.txt", "open\n")]);
    std::fs::create_dir_all(project.beside("home/.config/wherefore")).unwrap();
    project
}

/// The answers of a process that starts with these settings: to reading closed files, to reading open ones, to writing both.
fn answers(project: &Project) -> Vec<Value> {
    project.batch(&[
        ("fs.read", json!({ "path": "private/a.txt" })),
        ("fs.read", json!({ "path": "open.txt" })),
        ("fs.write", json!({ "path": "frozen/a.txt", "content": "written\n" })),
        ("fs.write", json!({ "path": "new.txt", "content": "written\n" })),
        ("search.lexical", json!({ "query": "MARK" })),
        ("fs.copy", json!({ "src": "private", "dst": "copied" })),
    ])
}

fn is_closed(project: &Project, said: &str) -> Vec<Value> {
    let answers = answers(project);
    for answer in &answers {
        assert!(!answer.to_string().contains("MARK\\n"), "{said}: {answer}");
        let warnings = answer["warnings"].to_string();
        assert!(warnings.contains("config.toml") && !warnings.contains("many"), "{said}: {answer}");
    }
    assert_eq!(answers[0]["error"]["code"], "PERMISSION_DENIED", "{said}: {}", answers[0]);
    assert_eq!(answers[3]["status"], "pending", "{said}: {}", answers[3]);
    assert_eq!(project.text("frozen/a.txt").as_deref(), Some("frozen\n"), "{said}");
    assert_eq!(project.text("new.txt"), None, "{said}");
    assert_eq!(project.text("copied/a.txt"), None, "{said}");
    answers
}

#[test]
fn a_slip_in_the_persons_settings_opens_nothing() {
    let config = |project: &Project| project.beside("home/.config/wherefore/config.toml");
    let review = "[review]\npolicy = \"auto\"\n[[review.rules]]\npath = \"**\"\npolicy = \"auto\"\n";
    for slip in ["[limits]\noutput_bytes = \"many\"\n", "[notify]\nshow = \n", "[embedings]\nurl = 1\n"] {
        for text in [format!("{slip}{review}{RULES}"), format!("{RULES}{review}{slip}")] {
            let project = project();
            std::fs::write(config(&project), &text).unwrap();
            let answers = is_closed(&project, &text);
            // The rules are known all the same: what they leave open is open.
            assert_eq!(answers[1]["status"], "ok", "{text}: {}", answers[1]);
            let doctor = project.wherefore_alone(&["doctor"]);
            assert_ne!(doctor.code(), Some(0), "{doctor:?}");
            assert!(String::from_utf8_lossy(&doctor.out).contains("config.toml of the person"), "{doctor:?}");
        }
    }
    for text in [
        "[rules]\ndeny = [\"private/**\"\n".to_owned(),
        "[rules]\ndeny = [\"private/**\", 3]\nask = 1\n".to_owned(),
        "[rules]\ndenny = [\"private/**\"]\n".to_owned(),
        "[ruls]\ndeny = [\"private/**\"]\n".to_owned(),
        "\"[rules]\ndeny = [\"private/**\"]\n".to_owned(),
        format!("{RULES}# {}\n", "x".repeat(1 << 20)),
    ] {
        let project = project();
        std::fs::write(config(&project), &text).unwrap();
        is_closed(&project, &text[..text.len().min(60)]);
    }
}

#[test]
fn settings_that_are_no_file_open_nothing_and_nobody_waits_for_them() {
    let config = |project: &Project| project.beside("home/.config/wherefore/config.toml");
    let folder = project();
    std::fs::create_dir(config(&folder)).unwrap();
    is_closed(&folder, "a folder");
    let fifo = project();
    let made = std::process::Command::new("mkfifo").arg(config(&fifo)).status().unwrap();
    assert!(made.success());
    is_closed(&fifo, "a pipe");
    let link = project();
    std::os::unix::fs::symlink("nowhere", config(&link)).unwrap();
    is_closed(&link, "a link to nothing");
    let endless = project();
    std::os::unix::fs::symlink("/dev/zero", config(&endless)).unwrap();
    is_closed(&endless, "a device");

    // A project's file that is too large is no reason to read all of it.
    let large = Project::new(&[("a.txt", "a\n")]);
    large.put(".wherefore/config.toml", "");
    std::fs::File::options()
        .write(true)
        .open(large.path(".wherefore/config.toml"))
        .unwrap()
        .set_len(1 << 40)
        .unwrap();
    let answer = &large.batch(&[("fs.read", json!({ "path": "a.txt" }))])[0];
    assert!(answer["warnings"].to_string().contains("config.toml"), "{answer}");
}

impl Project {
    /// Runs a subcommand that takes no root.
    fn wherefore_alone(&self, args: &[&str]) -> crate::support::Ran {
        run(self.command(crate::support::BINARY).args(args), b"")
    }
}
