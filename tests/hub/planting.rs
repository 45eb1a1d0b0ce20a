//! Files that make programs run by themselves: none stays where a confined command made it or changed it, no tool brings one
//! about by a detour, and package managers still work.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use wherefore::protocol::{Code, Policy, Status};

use crate::support::Bench;

/// Names that programs take commands from, of each kind of program.
const NAMES: [&str; 32] = [
    ".vimrc",
    ".gdbinit",
    ".codex/config.toml",
    ".gemini/settings.json",
    "mise.toml",
    ".cargo/config.toml",
    ".githooks/pre-commit",
    "sitecustomize.py",
    "evil.pth",
    "rust-toolchain.toml",
    ".envrc",
    ".npmrc",
    ".yarnrc.yml",
    ".VSCODE/tasks.json",
    ".config/nvim/init.lua",
    ".husky/pre-commit",
    ".pre-commit-config.yaml",
    ".tool-versions",
    ".lldbinit",
    ".exrc",
    ".dir-locals.el",
    ".mcp.json",
    ".claude/settings.json",
    ".vimspector.json",
    "compile_commands.json",
    ".bazelversion",
    ".prototools",
    ".flox/env.json",
    "dprint.json",
    "hk.pkl",
    ".trunk/trunk.yaml",
    ".bazeliskrc",
];

/// A bench in a repository of git, without a person to ask: changes that are not applied wait.
fn bench(files: &[(&str, &str)]) -> Bench {
    let bench = in_repository(files);
    hold(&bench);
    bench
}

fn in_repository(files: &[(&str, &str)]) -> Bench {
    let bench = Bench::with(files, false);
    let made = Command::new("git").args(["init", "-q"]).current_dir(bench.folder.path()).status();
    assert!(made.unwrap().success());
    bench
}

fn hold(bench: &Bench) {
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "hold", "wait_s": 0 } })));
}

/// Runs a script from a file: only the sandbox applies to its content.
async fn run(bench: &Bench, script: &str) -> Value {
    fs::write(bench.folder.path().join("script.sh"), script).unwrap();
    let arguments = json!({ "cmd": ["bash", "script.sh"], "timeout_ms": 120_000 });
    let answer = bench.call("terminal.run", arguments, None).await;
    assert_eq!(answer.error, None, "{answer:?}");
    Value::clone(&answer.result.unwrap())
}

fn exists(bench: &Bench, path: &str) -> bool {
    fs::symlink_metadata(bench.folder.path().join(path)).is_ok()
}

#[tokio::test]
async fn no_file_that_makes_programs_run_stays_where_a_command_made_it() {
    let bench = bench(&[(".gitignore", "out/\nnew/\n"), ("out/kept.txt", "kept\n")]);
    // `out` and `new` are written directly once the command has ended, and the rest only as hunks.
    for folder in ["out", "out/deep/er", "new", "src"] {
        let made: Vec<String> = NAMES
            .iter()
            .map(|name| {
                let path = format!("{folder}/{name}");
                let above = Path::new(&path).parent().unwrap().display().to_string();
                format!("mkdir -p '{above}'; echo 'import os' > '{path}'")
            })
            .collect();
        let value = run(&bench, &format!("{}; echo x > {folder}/plain.txt", made.join("; "))).await;
        assert_eq!(value["exit_code"], 0, "{value}");
        let told = value["left_out"].to_string();
        for name in NAMES {
            assert!(!exists(&bench, &format!("{folder}/{name}")), "{folder}/{name} stays: {value}");
            let first = name.split('/').next().unwrap();
            assert!(told.contains(&format!("{folder}/{first}")), "{folder}/{name} is not told: {told}");
        }
        assert_eq!(exists(&bench, &format!("{folder}/plain.txt")), folder != "src", "{value}");
    }
    let paths: Vec<String> = bench
        .proposals()
        .iter()
        .flat_map(|proposal| proposal.files.iter().map(|file| file.path.to_string()).collect::<Vec<_>>())
        .collect();
    let is_protected = |path: &String| NAMES.iter().any(|name| path.ends_with(name));
    assert!(paths.contains(&"src/plain.txt".to_owned()) && !paths.iter().any(is_protected), "{paths:?}");
}

#[tokio::test]
async fn what_makes_programs_run_is_changed_by_no_command_and_by_no_folder_that_is_renamed() {
    let files = [
        (".gitignore", "out/\n"),
        ("out/.vimrc", "\" mine\n"),
        ("out/a/mise.toml", "mine = 1\n"),
        ("out/conf/nvim/init.lua", "-- mine\n"),
    ];
    let bench = bench(&files);
    let script = "echo evil > out/.vimrc; mv out/.vimrc out/old; echo evil > out/a/mise.toml; \
                  ln -sf ../../src out/.nvim; mv out/conf out/.config; \
                  mkdir out/b; echo evil > out/b/mise.toml; mv out/a out/c; mv out/b out/a; true";
    let value = run(&bench, script).await;
    assert_eq!(bench.disk("out/.vimrc"), "\" mine\n", "{value}");
    assert_eq!(bench.disk("out/a/mise.toml"), "mine = 1\n", "{value}");
    assert!(!exists(&bench, "out/c/mise.toml") && !exists(&bench, "out/a/b/mise.toml"), "{value}");
    assert!(!exists(&bench, "out/.nvim") && !exists(&bench, "out/.config/nvim"), "{value}");
}

#[tokio::test]
async fn the_person_opens_a_name_for_commands_too() {
    let bench = bench(&[(".gitignore", "build/\n"), ("build/x", "")]);
    bench.hub.settings_changed(Some(json!({
        "review": { "policy": "hold", "wait_s": 0 },
        "rules": { "allow": ["build/compile_commands.json"] },
    })));
    let value = run(&bench, "echo '[]' > build/compile_commands.json; echo '[]' > build/mise.toml").await;
    assert_eq!(bench.disk("build/compile_commands.json"), "[]\n", "{value}");
    assert!(!exists(&bench, "build/mise.toml"), "{value}");
}

#[tokio::test]
async fn package_managers_install_into_folders_that_git_ignores() {
    let files = [
        (".gitignore", ".venv/\nnode_modules/\nmodels/\n"),
        ("models/x", ""),
        ("one/package.json", r#"{ "name": "one", "version": "1.0.0", "bin": { "one": "main.js" } }"#),
        ("one/main.js", "#!/usr/bin/env node\nconsole.log('one runs')\n"),
        ("one/.vscode/settings.json", "{}"),
        ("package.json", r#"{ "name": "app", "version": "1.0.0" }"#),
    ];
    let bench = bench(&files);
    let is_there = |program: &str, option: &str| Command::new(program).arg(option).output().is_ok();
    if is_there("python3", "--version") {
        let wheel = "import zipfile
w = zipfile.ZipFile('pkg-1.0-py3-none-any.whl', 'w')
w.writestr('pkg/__init__.py', 'def main(): print(\"pkg runs\")')
w.writestr('pkg/.vscode/settings.json', '{}')
w.writestr('pkg.pth', 'import pkg')
d = 'pkg-1.0.dist-info/'
w.writestr(d + 'METADATA', 'Metadata-Version: 2.1\\nName: pkg\\nVersion: 1.0\\n')
w.writestr(d + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
w.writestr(d + 'entry_points.txt', '[console_scripts]\\npkg = pkg:main\\n')
w.writestr(d + 'RECORD', '')
w.close()
open('models/weights.pth', 'wb').write(b'PK\\x03\\x04weights')
";
        let made = run(&bench, &format!("python3 -m venv .venv && python3 - <<'EOF'\n{wheel}EOF")).await;
        assert_eq!(made["exit_code"], 0, "{made}");
        // Once into what this command made, and once into what was there.
        let install =
            ".venv/bin/python -m pip install -q --no-index --force-reinstall ./*.whl && .venv/bin/pkg";
        for proposal in bench.proposals() {
            bench.decide(&proposal.id, &[], wherefore::protocol::Act::Accept, None).await.unwrap();
        }
        for _ in 0..2 {
            let installed = run(&bench, install).await;
            assert_eq!(
                (&installed["stdout"], &installed["exit_code"]),
                (&json!("pkg runs\n"), &json!(0)),
                "{installed}"
            );
        }
        assert!(exists(&bench, ".venv/bin/pkg") && exists(&bench, "models/weights.pth"));
        let overwritten = run(&bench, "printf 'PK\\003\\004more' > models/weights.pth").await;
        assert_eq!(overwritten["exit_code"], 0, "{overwritten}");
    }
    if is_there("npm", "--version") {
        let install = "cd one && npm pack --silent --offline >/dev/null && cd .. && \
                       npm install --offline --no-audit --no-fund --silent ./one/one-1.0.0.tgz && node_modules/.bin/one";
        for _ in 0..2 {
            let installed = run(&bench, install).await;
            assert_eq!(
                (&installed["stdout"], &installed["exit_code"]),
                (&json!("one runs\n"), &json!(0)),
                "{installed}"
            );
            assert!(exists(&bench, "node_modules/.bin/one"), "{installed}");
        }
        assert!(exists(&bench, "node_modules/one/.vscode/settings.json"), "it lies in an installed package");
        let value =
            run(&bench, "mkdir node_modules/.vscode && echo x > node_modules/.vscode/tasks.json").await;
        assert!(!exists(&bench, "node_modules/.vscode"), "{value}");
    }
}

#[tokio::test]
async fn no_tool_makes_a_repository_under_another_name() {
    let bench = in_repository(&[("a.txt", "one\n")]);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    let auto = Some(Policy::Auto);
    for source in [".git", ".GIT/../.git", "./.git/"] {
        let answer = bench.call("fs.copy", json!({ "src": source, "dst": "other" }), auto).await;
        assert_ne!(answer.status, Status::Ok, "{answer:?}");
        assert!(!exists(&bench, "other/HEAD"), "{answer:?}");
    }
    let write = |path: &str| json!({ "path": path, "content": "ref: refs/heads/main\n" });
    for path in ["bare/objects/x", "bare/refs/x"] {
        let answer = bench.call("fs.write", write(path), auto).await;
        assert!(answer.error.is_none() && exists(&bench, path), "{answer:?}");
    }
    let made = bench.call("fs.write", write("bare/HEAD"), auto).await;
    assert_eq!(made.error.as_ref().map(|fault| fault.code), Some(Code::PermissionDenied), "{made:?}");
    fs::write(bench.folder.path().join("bare/HEAD"), "ref: refs/heads/main\n").unwrap();
    for path in ["bare/config", "bare/hooks/post-checkout"] {
        let answer = bench.call("fs.write", write(path), auto).await;
        assert_eq!(answer.error.unwrap().code, Code::PermissionDenied, "{path}");
    }
    assert_eq!(bench.call("fs.write", write("bare.txt"), auto).await.error, None);
    // By a patch, back under the closed name, and by a command.
    let patch = "diff --git a/bare/config b/.git/config2\nsimilarity index 100%\nrename from bare/HEAD\nrename to .git/HEAD2\n";
    let renamed = bench.call("fs.patch", json!({ "patch": patch }), auto).await;
    assert!(renamed.error.is_some() && !exists(&bench, ".git/HEAD2"), "{renamed:?}");
    hold(&bench);
    let value = run(&bench, "git init -q --bare made; echo x > beside.txt").await;
    assert!(value["left_out"].to_string().contains("made: git takes it for a repository"), "{value}");
    let paths: Vec<String> = bench
        .proposals()
        .iter()
        .flat_map(|proposal| proposal.files.iter().map(|file| file.path.to_string()).collect::<Vec<_>>())
        .collect();
    assert!(
        paths.contains(&"beside.txt".to_owned()) && !paths.iter().any(|path| path.starts_with("made")),
        "{paths:?}"
    );
}

#[tokio::test]
async fn what_a_command_in_the_background_planted_is_moved_away_and_told() {
    let bench =
        bench(&[(".gitignore", "out/\n"), ("out/x", ""), ("a.sh", "echo x > out/.vimrc; echo x > out/y\n")]);
    let arguments = json!({ "cmd": ["sh", "a.sh"], "background": true });
    let started = bench.call("terminal.run", arguments, None).await;
    let id = started.result.as_ref().unwrap()["id"].clone();
    let ended =
        bench.call("terminal.output", json!({ "id": id, "until": "never", "wait_ms": 20_000 }), None).await;
    let value = ended.result.unwrap();
    assert_eq!(value["exit_code"], 0, "{value}");
    assert!(value["left_out"].to_string().contains("out/.vimrc: rule runs-programs"), "{value}");
    assert!(!exists(&bench, "out/.vimrc") && exists(&bench, "out/y"), "{value}");
}
