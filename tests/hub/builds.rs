//! Builds: what counts as one, and what is applied of one without a review.

use std::fs;

use serde_json::json;
use wherefore::protocol::Status;

use crate::commands::{repository, result, run};

#[tokio::test]
async fn a_build_is_applied_and_what_git_ignores_is_written_directly() {
    let bench = repository(&[
        (".gitignore", "out/\n"),
        ("Makefile", "all:\n\tmkdir -p out\n\techo built > out/x\n\techo made > made.txt\n"),
    ]);
    let answer = bench.call("terminal.run", json!({ "cmd": ["make"] }), None).await;
    assert_eq!(answer.status, Status::Ok, "{answer:?}");
    let value = answer.result.unwrap();
    assert_eq!((&value["status"], &value["exit_code"]), (&json!("applied"), &json!(0)), "{value}");
    assert_eq!((bench.disk("out/x"), bench.disk("made.txt")), ("built\n".to_owned(), "made\n".to_owned()));
    assert_eq!(value["hunks"].as_array().unwrap().len(), 1, "{value}");

    let reviewed =
        bench.call("terminal.run", json!({ "cmd": ["make", "-B"], "effects": "review" }), None).await;
    assert_eq!(reviewed.status, Status::Ok, "nothing changed but what is ignored: {reviewed:?}");
    let loose = json!({ "cmd": ["sh", "-c", "echo x > y.txt"], "effects": "apply" });
    let answer = bench.call("terminal.run", loose, None).await;
    assert_eq!(answer.status, Status::Pending, "an agent's word loosens nothing: {answer:?}");
}

#[tokio::test]
async fn a_build_is_what_the_projects_own_files_define() {
    let makefile = "all:\n\techo built > src.txt\nnew:\n\techo made > made.txt\n";
    let bench = repository(&[(".gitignore", "out/\n"), ("Makefile", makefile), ("src.txt", "old\n")]);
    let evil = "all:\n\techo evil > evil.txt\nnew: all\n";
    fs::create_dir(bench.folder.path().join("out")).unwrap();
    ["out/evil.mk", "out/Makefile"].iter().for_each(|path| bench.write(path, evil));
    for arguments in [
        json!({ "cmd": ["make", "-f", "out/evil.mk"] }),
        json!({ "cmd": ["make", "-C", "out"] }),
        json!({ "line": "make -C out" }),
        json!({ "cmd": ["make"], "cwd": "out" }),
    ] {
        let answer = bench.call("terminal.run", arguments.clone(), None).await;
        assert_ne!(answer.result.unwrap()["status"], "applied", "{arguments}");
        assert_eq!(
            (bench.disk("evil.txt"), bench.disk("made.txt")),
            ("(none)".into(), "(none)".into()),
            "{arguments}"
        );
    }
    // Changes of tracked files are reviewed, new files are applied.
    let status = async |line: &str| result(run(&bench, line).await)["status"].clone();
    assert_eq!((status("make").await, bench.disk("src.txt")), (json!("pending"), "old\n".to_owned()));
    assert_eq!((status("make new").await, bench.disk("made.txt")), (json!("applied"), "made\n".to_owned()));
    fs::remove_file(bench.folder.path().join("made.txt")).unwrap();
    // An agent's build file without a review does not count as the project's own yet.
    let policy = |policy: &str| {
        bench.hub.settings_changed(Some(json!({ "review": { "policy": policy, "wait_s": 0 } })))
    };
    policy("auto");
    let grown = json!({ "path": "GNUmakefile", "content": format!("{evil}# by an agent\n") });
    assert_eq!(bench.call("fs.write", grown, None).await.result.unwrap()["status"], "applied");
    policy("hold");
    assert_eq!((status("make new").await, bench.disk("evil.txt")), (json!("pending"), "(none)".to_owned()));
}
