//! Writes of commands without a review: only to files that git ignores and does not track, counted and named.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{self, BINARY, Project, Ran, skipped, with_why};

/// Runs git in the project as the person does.
fn git(project: &Project, args: &[&str]) {
    let mut command = project.command("git");
    command.env("GIT_CONFIG_NOSYSTEM", "1");
    command.args(["-c", "user.name=P", "-c", "user.email=p@example.org", "-c", "protocol.file.allow=always"]);
    let output = command.args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
}

/// A repository whose files are committed, those that it ignores too.
pub(super) fn repository(files: &[(&str, &str)]) -> Project {
    let project = Project::new(files);
    std::fs::create_dir_all(project.beside("home")).unwrap();
    git(&project, &["init", "-q", "-b", "main"]);
    git(&project, &["add", "-f", "."]);
    git(&project, &["commit", "-q", "-m", "first"]);
    project
}

fn run(project: &Project, arguments: &Value) -> Option<Value> {
    let ran =
        project.wherefore(&["call", "--policy", "hold", "terminal.run", &with_why(arguments).to_string()]);
    let answer = ran.json();
    if !answer["sandbox"].as_str().unwrap_or_default().starts_with("tier A (") {
        skipped(&format!("no namespaces here: {ran:?}"));
        return None;
    }
    Some(answer)
}

pub(super) fn line(project: &Project, line: &str) -> Option<Value> {
    run(project, &json!({ "line": line, "timeout_ms": 120_000 }))
}

/// The paths that wait for a decision.
pub(super) fn waiting(project: &Project) -> Vec<String> {
    let all = project.wherefore(&["review", "--json"]).json();
    let proposals = all.as_array().or_else(|| all["proposals"].as_array()).unwrap_or_else(|| panic!("{all}"));
    let files = proposals.iter().flat_map(|proposal| proposal["files"].as_array().unwrap());
    let mut paths: Vec<String> = files.map(|file| file["path"].as_str().unwrap().to_owned()).collect();
    paths.sort();
    paths
}

pub(super) fn written(answer: &Value) -> Vec<(&str, u64)> {
    let all = answer["written"].as_array().map(Vec::as_slice).unwrap_or_default();
    all.iter().map(|one| (one["path"].as_str().unwrap(), one["files"].as_u64().unwrap())).collect()
}

#[test]
fn what_git_tracks_is_reviewed_whatever_pattern_matches_it() {
    let project = repository(&[
        (".gitignore", "dist/\n*.log\n"),
        ("dist/bundle.js", "old\n"),
        ("dist/deep/kept.js", "old\n"),
        ("trace.log", "old\n"),
    ]);
    let script = "echo new > dist/bundle.js; echo new > trace.log; echo new > dist/chunk.js; echo new > more.log; rm dist/deep/kept.js";
    let Some(answer) = line(&project, script) else { return };
    assert_eq!(waiting(&project), ["dist/bundle.js", "dist/deep/kept.js", "trace.log"], "{answer}");
    for tracked in ["dist/bundle.js", "dist/deep/kept.js", "trace.log"] {
        assert_eq!(project.text(tracked).as_deref(), Some("old\n"), "{tracked}");
    }
    let mut direct = written(&answer);
    direct.sort_unstable();
    assert_eq!(direct, [("dist", 1), ("more.log", 1)], "{answer}");
    assert_eq!(project.text("dist/chunk.js").as_deref(), Some("new\n"));
    // A folder that is removed as a whole goes but for what git tracks in it.
    line(&project, "rm -rf dist").unwrap();
    assert_eq!(project.text("dist/chunk.js"), None);
    assert_eq!(project.text("dist/bundle.js").as_deref(), Some("old\n"));
}

#[test]
fn an_index_of_any_form_is_asked() {
    for form in [
        &["update-index", "--index-version", "2"][..],
        &["update-index", "--index-version", "4"],
        &["update-index", "--split-index"],
        &["update-index", "--skip-worktree", "dist/bundle.js"],
        &["update-index", "--assume-unchanged", "dist/bundle.js"],
        &["update-index", "--force-untracked-cache"],
        &["sparse-checkout", "set", "--cone", "--sparse-index", "dist"],
    ] {
        let project =
            repository(&[(".gitignore", "dist/\n"), ("dist/bundle.js", "old\n"), ("src/a/b.c", "")]);
        git(&project, form);
        let Some(answer) = line(&project, "echo new > dist/bundle.js; echo new > dist/more.js") else {
            return;
        };
        assert_eq!(project.text("dist/bundle.js").as_deref(), Some("old\n"), "{form:?}: {answer}");
        assert_eq!(written(&answer), [("dist", 1)], "{form:?}: {answer}");
    }
    // Staged and never committed, and intended to be added.
    let project = repository(&[(".gitignore", "out/\n")]);
    project.put("out/staged", "old\n");
    project.put("out/meant", "old\n");
    git(&project, &["add", "-f", "out/staged"]);
    git(&project, &["add", "-f", "-N", "out/meant"]);
    line(&project, "echo new > out/staged; echo new > out/meant; echo new > out/free").unwrap();
    assert_eq!(waiting(&project), ["out/meant", "out/staged"]);
    assert_eq!(project.text("out/free").as_deref(), Some("new\n"));
}

#[test]
fn a_pattern_for_everything_opens_no_sources() {
    let project = repository(&[(".gitignore", "*\n"), ("src/a.c", "old\n"), ("Makefile", "all:\n")]);
    let script = "echo new > src/a.c; echo new > src/b.c; echo new > top.c; mkdir -p fresh node_modules/x; echo new > fresh/c.c; \
                  echo new > node_modules/x/i.js";
    let Some(answer) = line(&project, script) else { return };
    assert_eq!(waiting(&project), ["fresh/c.c", "src/a.c", "src/b.c", "top.c"], "{answer}");
    assert_eq!(written(&answer), [("node_modules", 1)], "{answer}");
    // A folder that its tool ignores by a file in it.
    let project = repository(&[("a.txt", "a\n"), ("logs/.gitignore", "*\n")]);
    project.put(".cache-of-tool/.gitignore", "*\n");
    line(&project, "echo new > .cache-of-tool/x; echo new > logs/x").unwrap();
    assert_eq!(waiting(&project), Vec::<String>::new());
    assert_eq!(project.text(".cache-of-tool/x").as_deref(), Some("new\n"));
}

#[test]
fn nothing_is_written_directly_where_no_repository_is() {
    let project = Project::new(&[(".gitignore", "out/\n*.log\n"), ("out/a", "old\n")]);
    let Some(answer) = line(&project, "echo new > out/a; echo new > out/b; echo new > x.log") else { return };
    assert_eq!(written(&answer), [], "{answer}");
    assert_eq!(waiting(&project), ["out/a", "out/b", "x.log"]);
    assert_eq!((project.text("out/a").as_deref(), project.text("out/b")), (Some("old\n"), None));
}

#[test]
fn only_git_and_only_patterns_that_were_looked_at_decide() {
    let project = repository(&[(".gitignore", "out/\n"), ("src/a.c", "old\n"), ("patterns", "src/\n")]);
    for (name, text) in [(".ignore", "src/\n"), (".rgignore", "src/\n")] {
        project.put(name, text);
    }
    // By the command itself, by a call before it that was applied, and by one through a symlink.
    let Some(answer) = line(&project, "echo src/ >> .gitignore; echo new > src/b.c") else { return };
    assert_eq!((written(&answer), project.text("src/b.c")), (vec![], None), "{answer}");
    project.wherefore(&["review", "--reject", "all"]);
    let grown = json!({ "path": ".gitignore", "content": "out/\nsrc/\n" });
    let ran = project.wherefore(&["call", "--policy", "auto", "fs.write", &with_why(&grown).to_string()]);
    assert_eq!(project.text(".gitignore").as_deref(), Some("out/\nsrc/\n"), "{ran:?}");
    let answer = line(&project, "mkdir -p out; echo new > src/b.c; echo new > out/x").unwrap();
    assert_eq!((written(&answer), project.text("src/b.c")), (vec![("out", 1)], None), "{answer}");
    project.wherefore(&["review", "--reject", "all"]);
    // Committed by the person, it counts.
    git(&project, &["commit", "-q", "-a", "-m", "second"]);
    let answer = line(&project, "echo new > src/b.c").unwrap();
    assert_eq!(written(&answer), [("src", 1)], "{answer}");
    // So does what the person writes without a commit.
    project.put(".gitignore", "out/\ngen/\n");
    let answer = line(&project, "mkdir gen; echo new > gen/x").unwrap();
    assert_eq!(written(&answer), [("gen", 1)], "{answer}");
    // No ignore file is written directly among the project's own files, nor followed elsewhere.
    project.put(".git/info/exclude", ".gitignore\nMakefile\n");
    std::fs::create_dir(project.path("sub")).unwrap();
    std::os::unix::fs::symlink("../patterns", project.path("sub/.gitignore")).unwrap();
    line(&project, "mkdir -p new sub/src; echo '*' > new/.gitignore; echo x > new/x; echo 'all:' > new/Makefile; echo x > sub/src/x")
        .unwrap();
    for path in ["new/.gitignore", "new/x", "new/Makefile", "sub/src/x"] {
        assert_eq!(project.text(path), None, "{path}");
    }
}

#[test]
fn a_repository_in_an_ignored_folder_is_somebodys_work() {
    let project = repository(&[(".gitignore", "trees/\n*.o\n"), ("a.txt", "a\n")]);
    git(&project, &["worktree", "add", "-q", "trees/feature"]);
    let bare = project.path("trees/bare.git");
    git(&project, &["init", "-q", "--bare", bare.to_str().unwrap()]);
    // A submodule, which has an ignore file of its own.
    let other = repository(&[("lib.c", "old\n"), ("built.o", "old\n")]);
    git(&project, &["submodule", "add", "-q", other.root().to_str().unwrap(), "libs/sub"]);
    git(&project, &["commit", "-q", "-m", "submodule"]);
    let script = "echo new > trees/feature/a.txt; echo new > trees/bare.git/description; echo new > trees/free; \
                  echo new > libs/sub/built.o";
    let Some(answer) = line(&project, script) else { return };
    assert_eq!(project.text("trees/feature/a.txt").as_deref(), Some("a\n"), "{answer}");
    assert_ne!(project.text("trees/bare.git/description").as_deref(), Some("new\n"), "{answer}");
    assert_eq!(project.text("libs/sub/built.o").as_deref(), Some("old\n"), "{answer}");
    assert_eq!(written(&answer), [("trees", 1)], "{answer}");
}

#[test]
fn a_linked_working_tree_and_a_folder_of_a_repository_ask_the_index_that_is_theirs() {
    let project = repository(&[
        (".gitignore", "dist/\n"),
        ("dist/bundle.js", "old\n"),
        ("app/dist/bundle.js", "old\n"),
        ("app/src/dist/bundle.js", "old\n"),
    ]);
    let tree = project.beside("tree");
    git(&project, &["worktree", "add", "-q", tree.to_str().unwrap()]);
    for root in [tree.clone(), project.path("app"), tree.join("app")] {
        let script = "echo new > dist/bundle.js; echo new > dist/more.js";
        let mut command = project.command(BINARY);
        let arguments = with_why(&json!({ "line": script })).to_string();
        command
            .args(["call", "--policy", "hold", "terminal.run", &arguments, "--root"])
            .arg(&root)
            .current_dir(&root);
        let ran: Ran = support::run(&mut command, b"");
        let answer = ran.json();
        if !answer["sandbox"].as_str().unwrap_or_default().starts_with("tier A (") {
            return skipped(&format!("no namespaces here: {ran:?}"));
        }
        let text = |path: &str| std::fs::read_to_string(root.join(path)).unwrap_or_default();
        assert_eq!(
            (text("dist/bundle.js").as_str(), text("dist/more.js").as_str()),
            ("old\n", "new\n"),
            "{root:?}: {answer}"
        );
    }
}

#[test]
fn a_direct_write_breaks_a_hard_link() {
    let project = repository(&[(".gitignore", "node_modules/\n"), ("a.txt", "a\n")]);
    let store = project.beside("store.js");
    std::fs::write(&store, "of every project\n").unwrap();
    std::fs::create_dir_all(project.path("node_modules/x")).unwrap();
    for name in ["write", "append", "map", "mode"] {
        std::fs::hard_link(&store, project.path(&format!("node_modules/x/{name}"))).unwrap();
    }
    let mode = std::fs::metadata(&store).unwrap().mode();
    let script = "cd node_modules/x; echo new > write; echo more >> append; chmod 700 mode; \
                  python3 -c \"import mmap; f = open('map', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[0:3] = b'new'; m.flush()\"";
    project.put("script.sh", script);
    let Some(answer) = line(&project, "bash script.sh") else { return };
    let stored = std::fs::metadata(&store).unwrap();
    assert_eq!(std::fs::read_to_string(&store).unwrap(), "of every project\n", "{answer}");
    assert_eq!((stored.mode(), stored.nlink()), (mode, 1), "{answer}");
    assert_eq!(project.text("node_modules/x/map").as_deref(), Some("newevery project\n"));
    assert_eq!(project.text("node_modules/x/append").as_deref(), Some("of every project\nmore\n"));
    assert_eq!(written(&answer), [("node_modules", 4)], "{answer}");
}

#[test]
fn an_ignored_folder_is_removed_and_made_anew_by_one_command() {
    let project = repository(&[(".gitignore", "dist/\n"), ("a.txt", "a\n")]);
    project.put("dist/old/deep/x", "old\n");
    project.put("dist/y", "old\n");
    let script = "rm -rf dist && mkdir dist && echo new > dist/z && mkdir dist/old && echo new > dist/old/w";
    let Some(answer) = line(&project, script) else { return };
    assert_eq!(answer["exit_code"], 0, "{answer}");
    assert_eq!((project.text("dist/old/deep/x"), project.text("dist/y")), (None, None), "{answer}");
    assert_eq!(
        (project.text("dist/z").as_deref(), project.text("dist/old/w").as_deref()),
        (Some("new\n"), Some("new\n"))
    );
    assert_eq!(answer["written"][0]["removed"], 2, "{answer}");
    line(&project, "mv dist/old dist/other; rm -rf dist/z; ln -s other dist/link").unwrap();
    assert_eq!(project.text("dist/other/w").as_deref(), Some("new\n"));
    assert!(!project.path("dist/old").exists() && !project.path("dist/z").exists());
    assert_eq!(std::fs::read_link(project.path("dist/link")).unwrap(), Path::new("other"));
    assert_eq!(waiting(&project), Vec::<String>::new());
}

#[test]
fn what_runs_later_is_counted_and_named_and_only_an_install_changes_it_unasked() {
    let project = repository(&[(".gitignore", "node_modules/\ntarget/\n"), ("a.txt", "a\n")]);
    project.put("node_modules/typescript/lib/tsserver.js", "old\n");
    project.put("node_modules/lodash/index.js", "old\n");
    let script = "echo evil > node_modules/typescript/lib/tsserver.js; echo new > node_modules/lodash/index.js; \
                  mkdir -p node_modules/eslint target/debug/build/x-1; echo new > node_modules/eslint/api.js; \
                  echo new > target/debug/build/x-1/build-script-build";
    let Some(answer) = line(&project, script) else { return };
    assert_eq!(project.text("node_modules/typescript/lib/tsserver.js").as_deref(), Some("old\n"), "{answer}");
    assert_eq!(waiting(&project), ["node_modules/typescript/lib/tsserver.js"], "{answer}");
    let mut direct = answer["written"].as_array().unwrap().clone();
    direct.sort_by_key(|one| one["path"].as_str().unwrap().to_owned());
    assert_eq!((&direct[0]["files"], &direct[0]["run_later"]), (&json!(2), &json!(1)), "{answer}");
    assert_eq!(direct[0]["named"], json!(["node_modules/eslint/api.js"]), "{answer}");
    assert_eq!(direct[1]["run_by"], json!(["your editor and the next build"]), "{answer}");
    // The review reports it, and so does the log.
    let review = String::from_utf8(project.wherefore(&["review", "--json"]).out).unwrap();
    assert!(review.contains("written without a review by the same call: "), "{review}");
    assert!(review.contains("2 files in node_modules, 1 of them run later by your editor"), "{review}");
    let log = String::from_utf8(project.wherefore(&["log", "--format", "json"]).out).unwrap();
    assert!(log.contains("node_modules/eslint/api.js"), "{log}");
}

#[test]
fn the_person_or_the_project_has_ignored_paths_reviewed_too() {
    let project = repository(&[(".gitignore", "out/\n"), ("a.txt", "a\n")]);
    project.put(".wherefore/config.toml", "[sandbox]\nignored = \"review\"\n");
    let Some(answer) = line(&project, "mkdir out; echo new > out/x") else { return };
    assert_eq!((written(&answer), waiting(&project)), (vec![], vec!["out/x".to_owned()]), "{answer}");
    // A project only tightens.
    project.wherefore(&["review", "--reject", "all"]);
    project.put("../home/.config/wherefore/config.toml", "[sandbox]\nignored = \"review\"\n");
    project.put(".wherefore/config.toml", "[sandbox]\nignored = \"write\"\n");
    let answer = line(&project, "mkdir out; echo new > out/x").unwrap();
    assert_eq!((written(&answer), waiting(&project)), (vec![], vec!["out/x".to_owned()]), "{answer}");
}

#[test]
fn a_confined_command_of_the_persons_says_what_it_wrote() {
    let project = repository(&[(".gitignore", "out/\n"), ("out/kept", "old\n")]);
    let script = "echo new > out/x; echo new > out/kept";
    let mut command = project.command(BINARY);
    command.args(["sandbox", "--review", "--", "sh", "-c", script]);
    let ran = support::run(&mut command, b"");
    if !ran.err.contains("written without a review") {
        let tier = project.call("terminal.run", &json!({ "line": "true" })).json();
        assert!(!tier["sandbox"].as_str().unwrap_or_default().starts_with("tier A ("), "{ran:?}");
        return skipped("no namespaces here");
    }
    assert!(ran.err.contains("1 file in out") && ran.err.contains("1 change waits"), "{ran:?}");
    assert_eq!(
        (project.text("out/x").as_deref(), project.text("out/kept").as_deref()),
        (Some("new\n"), Some("old\n"))
    );
}

#[test]
fn an_odd_layer_is_written_as_far_as_it_is_sound() {
    let project = repository(&[(".gitignore", "out/\nalone\n"), ("a.txt", "a\n")]);
    std::fs::create_dir(project.path("out")).unwrap();
    let outside = project.beside("outside");
    std::fs::create_dir(&outside).unwrap();
    let script = format!(
        "import os\nos.chdir('out')\nos.mkfifo('pipe')\nos.symlink({outside:?}, 'away')\nopen(b'\\xff', 'w').write('odd')\n\
         os.mkdir('closed'); open('closed/x', 'w').write('x'); os.chmod('closed', 0)\nopen('s', 'w').write('s'); os.chmod('s', 0o751)\n\
         at = os.getcwd()\nfor _ in range(300):\n  os.mkdir('d'); os.chdir('d')\nopen('bottom', 'w').write('text')\nos.chdir(at)\n\
         os.makedirs('inner/.git/hooks'); open('inner/.git/config', 'w').write('x')\nos.mkdir('../alone'); open('../alone/y', 'w').write('y')\n"
    );
    project.put("odd.py", &script);
    let Some(answer) = line(&project, "python3 odd.py") else { return };
    assert_eq!(answer["exit_code"], 0, "{answer}");
    assert_eq!(
        (project.text("out/closed/x").as_deref(), project.text("alone/y").as_deref()),
        (Some("x"), Some("y")),
        "{answer}"
    );
    assert_eq!(std::fs::metadata(project.path("out/s")).unwrap().mode() & 0o7777, 0o751, "{answer}");
    assert!(!project.path("out/pipe").exists() && !project.path("out/inner/.git").exists(), "{answer}");
    let again = line(&project, "echo evil > out/away/x; echo ok > out/ok").unwrap();
    assert_eq!(std::fs::read_dir(&outside).unwrap().count(), 0, "{again}");
    project.is_well("an odd layer");
}
