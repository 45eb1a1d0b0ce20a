//! Usual commands of which a part cannot be taken: the rest is, and the answer names the part.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::commands::{repository, result, run};

#[tokio::test]
async fn a_link_that_leads_outside_is_left_out_and_the_output_is_kept() {
    let bench = repository(&[("a.txt", "one\n")]);
    let line = "mkdir -p env/bin && ln -s /usr/bin/env env/bin/python && echo x > env/cfg && echo made";
    let answer = result(run(&bench, line).await);
    assert_eq!((&answer["stdout"], &answer["status"]), (&json!("made\n"), &json!("pending")), "{answer}");
    let left_out = answer["left_out"].to_string();
    assert!(left_out.contains("env/bin/python") && left_out.contains("outside"), "{answer}");
    assert!(answer["paths"] == json!(["env/bin", "env/cfg"]), "{answer}");
}

#[tokio::test]
async fn permissions_and_times_that_no_change_carries_are_named() {
    let bench = repository(&[("a.txt", "one\n"), ("b.txt", "two\n"), ("c.txt", "three\n")]);
    let mode = |name: &str| bench.folder.path().join(name).metadata().unwrap().permissions().mode() & 0o777;
    let before = mode("a.txt");
    let line = "chmod 600 a.txt && touch -d '2020-01-02' b.txt && touch c.txt && cat c.txt";
    let answer = result(run(&bench, line).await);
    let left_out = answer["left_out"].to_string();
    assert!(left_out.contains("a.txt: it keeps its permissions") && left_out.contains("600"), "{answer}");
    assert!(left_out.contains("b.txt: it keeps its time") && !left_out.contains("c.txt"), "{answer}");
    assert_eq!((&answer["stdout"], mode("a.txt")), (&json!("three\n"), before));
}

#[tokio::test]
async fn an_ignored_folder_with_closed_files_in_it_is_removed_and_made_anew() {
    let certificate = "-----BEGIN CERTIFICATE-----\nMAQwAgUA\n-----END CERTIFICATE-----\n";
    let files = [
        (".gitignore", "out/\n"),
        ("out/.env", "TOKEN=MARKSECRET\n"),
        ("out/ca.pem", certificate),
        ("out/deep/.cargo/config.toml", "[build]\n"),
        ("out/deep/a.txt", "old\n"),
    ];
    let bench = repository(&files[..1]);
    files[1..].iter().for_each(|(path, text)| {
        std::fs::create_dir_all(bench.folder.path().join(path).parent().unwrap()).unwrap();
        bench.write(path, text);
    });
    let answer = result(run(&bench, "find out -type f -exec cat {} +").await);
    let shown = answer["stdout"].as_str().unwrap();
    assert!(!shown.contains("MARKSECRET") && shown.contains("CERTIFICATE"), "{answer}");
    assert_eq!(
        (&answer["left_out"], &answer["written"]),
        (&json!(null), &json!(null)),
        "nothing was changed"
    );
    assert_eq!(bench.disk("out/.env"), "TOKEN=MARKSECRET\n");

    let answer = result(run(&bench, "rm -rf out && mkdir out && echo new > out/b.txt && ls -A out").await);
    assert_eq!((&answer["exit_code"], &answer["stdout"]), (&json!(0), &json!("b.txt\n")), "{answer}");
    assert_eq!(bench.disk("out/b.txt"), "new\n");
    // Secrets are not removed with it, and the answer reports that; public files are.
    assert_eq!(
        (bench.disk("out/.env"), bench.disk("out/ca.pem")),
        ("TOKEN=MARKSECRET\n".into(), "(none)".into())
    );
    assert!(answer["left_out"].to_string().contains("out/.env"), "{answer}");
    assert_eq!(bench.disk("out/deep/a.txt"), "(none)");
}
