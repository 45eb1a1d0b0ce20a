//! The parts of the person's shell that a command in the sandbox has: their programs, plain settings of git and
//! variables, and no secret.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::agent::{place, wherefore};

/// The output of a line that runs in the sandbox, with these variables.
fn output(folder: &Path, variables: &[(&str, &str)], line: &str) -> String {
    let mut command = wherefore(folder, &["sandbox", "--", "sh", "-c", line]);
    let ran = command.envs(variables.iter().copied()).output().unwrap();
    format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr))
}

fn program(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, format!("#!/bin/sh\necho {text}\n")).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn the_persons_plain_settings_of_git_hold_and_no_others() {
    let folder = place();
    let (home, work) = (folder.path().join("home"), folder.path().join("work"));
    fs::create_dir_all(home.join(".config/git")).unwrap();
    fs::write(home.join(".config/git/ignore"), "*.swp\n").unwrap();
    fs::write(home.join(".who"), "[user]\n\temail = ada@example.com\n").unwrap();
    let settings = "[user]\n\tname = Ada\n[include]\n\tpath = ~/.who\n[alias]\n\tst = status\n\tevil = !echo run\n\
                    [core]\n\tpager = evil\n\tfsmonitor = evil\n[credential]\n\thelper = store\n\
                    [url \"https://me:word@example.com\"]\n\tinsteadOf = x\n[http]\n\textraHeader = Secret\n";
    fs::write(home.join(".gitconfig"), settings).unwrap();
    fs::remove_dir(work.join(".git")).unwrap();
    assert!(Command::new("git").args(["init", "-q"]).current_dir(&work).status().unwrap().success());
    fs::write(work.join("x.swp"), "").unwrap();
    let ask = |line| output(folder.path(), &[], line);
    assert_eq!(ask("git config user.name; git config user.email"), "Ada\nada@example.com\n");
    assert_eq!(
        ask("git config --global --list"),
        "user.email=ada@example.com\nuser.name=Ada\nalias.st=status\n"
    );
    assert!(ask("git status --short").contains("a.txt") && !ask("git status --short").contains("x.swp"));
    assert_eq!(ask("git config --global user.name Bob && git config user.name"), "Bob\n");
    assert_eq!(fs::read_to_string(home.join(".gitconfig")).unwrap(), settings);
}

#[test]
fn programs_of_the_persons_path_are_found_and_nothing_beside_them() {
    let folder = place();
    let (home, work) = (folder.path().join("home"), folder.path().join("work"));
    program(&work.join("node_modules/.bin/tool"), "of the workspace");
    program(&home.join(".local/bin/own"), "of the person");
    program(&home.join("tools/bin/other"), "from elsewhere");
    program(&home.join("envs/shop/bin/pip"), "of the environment");
    fs::write(home.join("envs/shop/pyvenv.cfg"), "").unwrap();
    fs::write(home.join("tools/secret"), "word\n").unwrap();
    let at = |below: &str| folder.path().join(below).display().to_string();
    let path = ["work/node_modules/.bin", "home/.local/bin", "home/tools/bin", "home/envs/shop/bin"].map(at);
    let path = format!("{}:{}:/usr/bin:/bin", path.join(":"), at("home"));
    let ask =
        |line| output(folder.path(), &[("PATH", &path), ("NODE_ENV", "test"), ("MY_TOKEN", "secret")], line);
    assert_eq!(
        ask("tool; own; other; pip; ls ~/envs/shop"),
        "of the workspace\nof the person\nfrom elsewhere\nof the environment\nbin\npyvenv.cfg\n"
    );
    assert_eq!(
        ask("echo $NODE_ENV; echo $MY_TOKEN; ls ~/tools; echo x > ~/tools/bin/y || echo kept")
            .replace("sh: ", ""),
        {
            let refused = ask("echo x > ~/tools/bin/y").replace("sh: ", "");
            format!("test\n\nbin\nkept\n{refused}")
        }
    );
}

#[test]
fn each_line_of_a_batch_is_judged() {
    let folder = place();
    program(&folder.path().join("work/node_modules/.bin/tsc"), "types");
    let lines = "ls\ngit push\nrm -rf ~\n\nnpx tsc --noEmit\nnpx cowsay\n";
    let judge = |args: &[&str]| {
        let mut command = wherefore(folder.path(), &[&["rules", "test", "--batch"], args].concat());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
    };
    assert_eq!(judge(&[]), "allow\nask publishing\ndeny destructive\nallow\nallow\nask installs\n");
    let verdicts: Vec<Value> =
        judge(&["--json"]).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((verdicts.len(), &verdicts[2]["rule"]), (6, &Value::from("destructive")));
}

#[test]
fn caches_are_read_and_kept_for_later_commands_and_the_persons_stay() {
    let folder = place();
    let home = folder.path().join("home");
    let own = |below: &str, text: &str| {
        fs::create_dir_all(home.join(below).parent().unwrap()).unwrap();
        fs::write(home.join(below), text).unwrap();
    };
    own(".npm/_cacache/index", "of the person\n");
    own(".npm/token", "secret\n");
    own(".cache/pip/wheel", "of the person\n");
    own(".cache/browser/cookies", "secret\n");
    own("private/key", "secret\n");
    std::os::unix::fs::symlink(home.join("private"), home.join(".cache/uv")).unwrap();
    std::os::unix::fs::symlink(home.join("private"), home.join(".gradle")).unwrap();
    fs::create_dir(home.join("private/caches")).unwrap();
    let ask = |line: &str| output(folder.path(), &[], line);
    assert_eq!(ask("cat ~/.npm/_cacache/index ~/.cache/pip/wheel"), "of the person\nof the person\n");
    assert_eq!(
        ask(
            "cd ~; cat .npm/token .cache/browser/cookies .cache/uv/key .gradle/key private/key 2>/dev/null || echo none"
        ),
        "none\n"
    );
    // What a command writes is there for the next one, and nowhere else.
    assert_eq!(
        ask(
            "cd ~/.npm/_cacache; echo more > index; echo new > more; rm ~/.cache/pip/wheel; echo x > ~/.cache/y"
        ),
        ""
    );
    assert_eq!(ask("cd ~/.npm/_cacache; cat index more ~/.cache/y; ls ~/.cache/pip"), "more\nnew\nx\n");
    let read = |below: &str| fs::read_to_string(home.join(below)).unwrap();
    assert_eq!(
        (read(".npm/_cacache/index"), read(".cache/pip/wheel")),
        ("of the person\n".into(), "of the person\n".into())
    );
    assert!(!home.join(".npm/_cacache/more").exists() && !home.join(".cache/y").exists());
    // A symlink that a command leaves in the way leads nobody to what it names.
    let target = home.join("private");
    assert_eq!(
        ask(&format!(
            "rm -rf ~/.cache/pip 2>/dev/null; mkdir -p ~/.cache/a; ln -s {} ~/.cache/a/b; ln -s {0} ~/.cache/mypy",
            target.display()
        )),
        ""
    );
    own(".cache/mypy/x", "of the person\n");
    assert_eq!(
        ask(
            "{ echo planted > ~/.cache/mypy/file; echo planted > ~/.cache/a/b/file; } 2>/dev/null; cat ~/.cache/y"
        ),
        "x\n"
    );
    assert_eq!(fs::read_dir(&target).unwrap().count(), 2, "the key, and the folder beside it");
    let state = home.join(".local/state/wherefore");
    assert!(state.is_dir());
}
