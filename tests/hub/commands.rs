//! Commands run by agents: confined by the rules, their changes reviewed or applied, nothing of them left running.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use wherefore::protocol::{Act, ChangeKind, Code, Envelope, Policy, Status};

use wherefore::sandbox::SandboxLevel;

use crate::support::{Bench, numbers};

/// A bench without a person to ask: changes that are not applied wait.
fn bench(files: &[(&str, &str)]) -> Bench {
    let bench = Bench::with(files, false);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "hold", "wait_s": 0 } })));
    bench
}

/// A bench in a repository with all files committed.
pub(crate) fn repository(files: &[(&str, &str)]) -> Bench {
    let bench = bench(files);
    for args in [&["init", "-q"][..], &["add", "-f", "."], &["commit", "-q", "-m", "first"]] {
        let mut git = std::process::Command::new("git");
        git.current_dir(bench.folder.path()).args(["-c", "user.name=t", "-c", "user.email=t@t"]).args(args);
        assert!(git.env("GIT_CONFIG_GLOBAL", "/dev/null").status().unwrap().success(), "{args:?}");
    }
    bench
}

pub(crate) async fn run(bench: &Bench, line: &str) -> Envelope {
    bench.call("terminal.run", json!({ "line": line }), None).await
}

/// Runs a script from a file, so that the rules do not judge its content and only the sandbox applies.
async fn run_file(bench: &Bench, script: &str, timeout_ms: u64) -> Envelope {
    fs::write(bench.folder.path().join("script.sh"), script).unwrap();
    let arguments = json!({ "cmd": ["bash", "script.sh"], "timeout_ms": timeout_ms });
    bench.call("terminal.run", arguments, None).await
}

pub(crate) fn result(answer: Envelope) -> Value {
    assert_eq!(answer.error, None, "{answer:?}");
    Value::clone(&answer.result.unwrap())
}

#[tokio::test]
async fn a_command_answers_with_its_streams_and_its_code() {
    let bench = bench(&[("sub/a.txt", "one\n")]);
    let arguments = json!({
        "cmd": ["sh", "-c", "cat a.txt; cat; echo $COLOR $HISTFILE >&2; exit 3"],
        "cwd": "sub", "stdin": "typed\n", "env": { "COLOR": "green" },
    });
    let answer = result(bench.call("terminal.run", arguments, None).await);
    assert_eq!(answer["stdout"], "one\ntyped\n", "{answer}");
    assert_eq!((&answer["stderr"], &answer["exit_code"]), (&json!("green\n"), &json!(3)), "{answer}");
    assert_eq!(answer["status"], "unchanged");
    assert!(answer["sandbox"].as_str().unwrap().starts_with("tier A"), "{answer}");

    let ended = result(run(&bench, "kill -SEGV $$").await);
    assert_eq!((&ended["exit_code"], &ended["signal"]), (&json!(139), &json!("SIGSEGV")), "{ended}");
}

#[tokio::test]
async fn what_cannot_be_run_is_told_with_a_way_on() {
    let bench = bench(&[("a.txt", "one\n")]);
    let fault = bench.call("terminal.run", json!({ "cmd": ["no-such-program"] }), None).await.error.unwrap();
    assert_eq!(fault.code, Code::NotFound, "{fault:?}");
    assert!(fault.message.contains("no-such-program") && fault.suggestion.is_some(), "{fault:?}");
    for cwd in ["a.txt", "nowhere"] {
        let arguments = json!({ "cmd": ["true"], "cwd": cwd });
        let fault = bench.call("terminal.run", arguments, None).await.error.unwrap();
        assert_eq!(fault.code, Code::InvalidArgs, "{fault:?}");
    }
    let fault = bench.call("terminal.run", json!({ "cmd": ["true", "a\0b"] }), None).await.error.unwrap();
    assert_eq!(fault.code, Code::InvalidArgs, "{fault:?}");
    let outside = bench.call("terminal.run", json!({ "cmd": ["true"], "cwd": "../.." }), None).await;
    assert!(outside.error.is_some());
}

#[tokio::test]
async fn what_a_command_changes_is_decided_hunk_by_hunk() {
    let files: Vec<(String, String)> = (0..20).map(|n| (format!("src/f{n}.txt"), numbers(9, &[]))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let bench = bench(&files);
    let answer = run(&bench, "sed -i 's/^2$/two/; s/^8$/eight/' src/*.txt").await;
    assert_eq!(answer.status, Status::Pending, "{answer:?}");
    assert_eq!(bench.disk("src/f3.txt"), numbers(9, &[]), "nothing is written before it is accepted");
    let proposal = bench.proposals().remove(0);
    let hunks: Vec<_> = proposal.hunks().map(|hunk| hunk.id.clone()).collect();
    assert_eq!(hunks.len(), 40);
    let odd: Vec<&str> = hunks.iter().step_by(2).map(|id| &**id).collect();
    bench.decide(&proposal.id, &odd, Act::Accept, None).await.unwrap();
    bench.decide(&proposal.id, &[], Act::Reject, Some("keep the digits")).await.unwrap();
    for n in 0..20 {
        assert_eq!(bench.disk(&format!("src/f{n}.txt")), numbers(9, &[(2, "two")]), "exactly half stands");
    }
}

#[tokio::test]
async fn every_kind_of_change_of_a_command_is_proposed() {
    let bench = bench(&[
        ("gone.txt", "x\n"),
        ("old.txt", "long enough\n"),
        ("run.sh", "#!/bin/sh\n"),
        ("plain", "a file\n"),
        ("dir/a", "a\n"),
        ("dir/deep/b", "b\n"),
        ("edit.txt", "before\n"),
        ("bin.dat", "text\n"),
    ]);
    let line = "rm gone.txt; mv old.txt new.txt; chmod +x run.sh; rm plain; ln -s new.txt plain; rm -r dir; \
                mkdir empty; echo after > edit.txt; printf 'a\\0b' > bin.dat; mkdir made; echo m > made/m; ln -s m made/l; \
                : > made/nothing; printf '#!/bin/sh\\n' > made/go; chmod 755 made/go";
    let answer = run(&bench, line).await;
    assert_eq!(answer.status, Status::Pending, "{answer:?}");
    let proposal = bench.proposals().remove(0);
    let kinds: Vec<ChangeKind> = proposal.files.iter().map(|file| file.kind).collect();
    for kind in [
        ChangeKind::Delete,
        ChangeKind::Rename,
        ChangeKind::Mode,
        ChangeKind::Symlink,
        ChangeKind::Rmdir,
        ChangeKind::Mkdir,
        ChangeKind::Edit,
        ChangeKind::Binary,
        ChangeKind::Create,
    ] {
        assert!(kinds.contains(&kind), "{kind:?} is missing: {kinds:?}");
    }
    let decided = bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    assert_eq!(decided.problems, Vec::<String>::new());
    let at = |path: &str| bench.folder.path().join(path);
    assert!(!at("gone.txt").exists() && !at("old.txt").exists() && !at("dir").exists());
    assert_eq!(bench.disk("new.txt"), "long enough\n");
    assert_eq!(fs::metadata(at("run.sh")).unwrap().permissions().mode() & 0o111, 0o111);
    assert_eq!(fs::read_link(at("plain")).unwrap().to_str(), Some("new.txt"));
    assert_eq!(fs::read_link(at("made/l")).unwrap().to_str(), Some("m"));
    assert!(at("empty").is_dir() && at("made/nothing").is_file());
    assert_eq!(fs::read(at("bin.dat")).unwrap(), b"a\0b");
    assert_eq!(fs::metadata(at("made/go")).unwrap().permissions().mode() & 0o111, 0o111);
    assert_eq!((bench.disk("edit.txt"), bench.disk("made/m")), ("after\n".to_owned(), "m\n".to_owned()));
}

#[tokio::test]
async fn what_the_rules_close_is_closed_to_commands() {
    let bench = bench(&[
        (".env", "TOKEN=MARKENV\n"),
        ("deep/down/server.pem", "MARKPEM\n"),
        ("denied/a.txt", "MARKDENIED\n"),
        ("asked/a.txt", "MARKASKED\n"),
        ("frozen/a.txt", "frozen\n"),
        (".git/config", "[core]\n"),
        ("AGENTS.md", "be kind\n"),
        (
            ".wherefore/config.toml",
            "[rules]\ndeny = [\"denied\"]\nask = [\"asked\"]\nread_only = [\"frozen\"]\n",
        ),
    ]);
    symlink("../.env", bench.folder.path().join("deep/link")).unwrap();
    let reads = "cat .env deep/down/server.pem denied/a.txt asked/a.txt deep/link; cat denied/* asked/*; \
                 grep -r 'MAR[K]' . ; ls -la . denied; cat .wherefore/config.toml";
    let answer = result(run_file(&bench, reads, 30_000).await);
    assert!(!answer.to_string().contains("MARK"), "{answer}");
    let writes = "echo x >> .git/config; echo x > .git/hooks; echo x >> frozen/a.txt; echo x > .env; mkdir -p .vscode; \
                  echo '{}' > .vscode/tasks.json; echo x >> .wherefore/config.toml; mv frozen other; cat frozen/a.txt";
    let value = result(run_file(&bench, writes, 30_000).await);
    assert!(value["stdout"].as_str().unwrap().contains("frozen"), "{value}");
    for proposal in bench.proposals() {
        bench.decide(&proposal.id, &[], Act::Accept, None).await.unwrap();
    }
    assert_eq!(
        (bench.disk(".git/config"), bench.disk("frozen/a.txt")),
        ("[core]\n".to_owned(), "frozen\n".to_owned())
    );
    assert_eq!(bench.disk(".env"), "TOKEN=MARKENV\n");
    let made = |path: &str| bench.folder.path().join(path).exists();
    assert!(!made(".vscode") && !made(".git/hooks") && !made("other"), "{value}");
    assert!(
        value["left_out"].to_string().contains(".vscode") || value["stderr"].to_string().contains(".vscode"),
        "{value}"
    );
}

#[tokio::test]
async fn a_command_that_a_rule_names_is_asked_for_or_refused() {
    let bench = Bench::new(&[(".env", "TOKEN=1\n"), ("src/a.txt", "one\n")]);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "hold", "wait_s": 0 } })));
    let asked = json!({ "line": "true && git stash drop" });
    bench.will_answer(Some("Deny"));
    let fault = bench.call("terminal.run", asked.clone(), None).await.error.unwrap();
    assert_eq!(fault.code, Code::PermissionDenied, "{fault:?}");
    bench.will_answer(Some("Allow"));
    assert_eq!(bench.call("terminal.run", asked, None).await.error, None);
    let loaded = json!({ "cmd": ["true"], "env": { "PAGER": "git push" } });
    bench.will_answer(Some("Deny"));
    assert!(bench.call("terminal.run", loaded, None).await.error.is_some());
    bench.will_answer(Some("Allow"));
    let refused = run(&bench, "echo $(bash -c 'cat .env')").await.error.unwrap();
    assert!(refused.message.contains(".env"), "{refused:?}");
}

#[tokio::test]
async fn where_changes_cannot_be_kept_apart_each_command_asks() {
    let bench = Bench::in_tier(&[("a.txt", "one\n"), (".env", "MARK\n")], SandboxLevel::Landlock);
    let settings =
        json!({ "review": { "policy": "hold", "wait_s": 0 }, "sandbox": { "without_overlay": "ask" } });
    bench.hub.settings_changed(Some(settings));
    let arguments = json!({ "cmd": ["sh", "-c", "cat .env; echo two >> a.txt"] });
    bench.will_answer(Some("Deny"));
    let fault = bench.call("terminal.run", json!({ "cmd": ["ls"] }), None).await.error.unwrap();
    assert_eq!(fault.code, Code::PermissionDenied, "{fault:?}");
    bench.will_answer(Some("Allow"));
    let script = json!({ "cmd": ["sh", "x.sh"] });
    fs::write(bench.folder.path().join("x.sh"), arguments["cmd"][2].as_str().unwrap()).unwrap();
    let answer = result(bench.call("terminal.run", script, None).await);
    assert!(answer["sandbox"].as_str().unwrap().starts_with("tier B"), "{answer}");
    assert_eq!(answer["status"], "applied", "{answer}");
    assert!(!answer.to_string().contains("MARK"), "{answer}");
    assert_eq!(bench.disk("a.txt"), "one\ntwo\n");
    let code = json!({ "code": "1 + 1" });
    assert_eq!(result(bench.call("python.exec", code, None).await)["return_value"], 2);

    let nothing = Bench::in_tier(&[], SandboxLevel::Nothing);
    let fault = nothing.call("terminal.run", json!({ "cmd": ["ls"] }), None).await.error.unwrap();
    assert_eq!(fault.code, Code::SandboxUnavailable, "{fault:?}");
}

#[tokio::test]
async fn what_git_ignores_meets_the_rules_too() {
    let bench = repository(&[(".gitignore", ".vscode/\n.envrc\nout/\n")]);
    let script = "mkdir -p .vscode out/sub/.git out/deep/er; echo x > .vscode/tasks.json; echo x > .envrc; \
                  echo y > out/ok; echo z > out/deep/er/z; echo x > out/sub/.git/config; echo new > seen.txt";
    let answer = result(run_file(&bench, script, 30_000).await);
    let is_there = |path: &str| bench.folder.path().join(path).exists();
    for path in [".vscode/tasks.json", ".envrc", "out/sub/.git/config"] {
        assert!(!is_there(path), "{path}: {answer}");
    }
    assert!(is_there("out/ok") && is_there("out/deep/er/z"), "{answer}");
    assert!(answer["left_out"].to_string().contains(".envrc"), "{answer}");
}

#[tokio::test]
async fn a_limit_ends_a_command_with_all_that_it_started() {
    let bench = bench(&[]);
    let mark = format!("wherefore-left-{}", std::process::id());
    let line = format!(
        "trap '' TERM; for i in 1 2 3; do (exec -a {mark} setsid sleep 77) & done; echo begun; sleep 77"
    );
    let started = Instant::now();
    let answer = run_file(&bench, &line, 500).await;
    assert!(started.elapsed() < Duration::from_secs(40));
    let value = result(answer);
    assert_eq!((&value["limit"], &value["exit_code"]), (&json!("time"), &json!(124)), "{value}");
    assert_eq!(value["stdout"], "begun\n", "{value}");
    assert!(!is_alive(&mark));
}

fn is_alive(mark: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| fs::read_to_string(entry.path().join("cmdline")).ok());
    lines.into_iter().any(|line| line.starts_with(mark))
}

#[tokio::test]
async fn no_network_and_nothing_of_the_person_is_reached() {
    let bench = bench(&[]);
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let home = tempfile::tempdir_in(std::env::temp_dir()).unwrap();
    fs::write(home.path().join("secret"), "MARKSECRET").unwrap();
    let line = format!(
        "exec 3<>/dev/tcp/127.0.0.1/{port} && echo REACHED; cat {}/secret; ls -A ~; getent hosts localhost; cat /proc/1/environ",
        home.path().display()
    );
    let answer = result(run_file(&bench, &line, 30_000).await);
    let text = answer.to_string();
    assert!(!text.contains("REACHED") && !text.contains("MARKSECRET"), "{text}");
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err());
}

#[tokio::test]
async fn the_hosts_that_the_person_allows_are_reached_and_no_other() {
    let script = "import sys, urllib.request as r\n\
                  for url in sys.argv[1:]:\n    \
                  try: print(r.urlopen(url, timeout=5).read().decode())\n    \
                  except Exception as e: print(e)\n";
    let bench = Bench::new(&[("get.py", script)]);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "hold", "wait_s": 0 } })));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = [0; 4096];
            assert!(stream.read(&mut head).await.unwrap() > 0);
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nREACHED").await.unwrap();
        }
    });
    let [open, closed] = [format!("http://127.0.0.1:{port}/"), "http://127.0.0.1:1/".to_owned()];
    let arguments =
        json!({ "cmd": ["python3", "get.py", open, closed], "hosts": [format!("127.0.0.1:{port}")] });
    bench.will_answer(Some("Deny"));
    let fault = bench.call("terminal.run", arguments.clone(), None).await.error.unwrap();
    assert_eq!(fault.code, Code::PermissionDenied, "{fault:?}");
    bench.will_answer(Some("Allow"));
    let answer = result(bench.call("terminal.run", arguments.clone(), None).await);
    assert_eq!(answer["stdout"], "REACHED\nHTTP Error 403: Forbidden\n", "{answer}");
    let without = json!({ "cmd": ["python3", "get.py", open] });
    let answer = result(bench.call("terminal.run", without, None).await);
    assert!(answer["stdout"].as_str().unwrap().contains("refused"), "{answer}");
    let wrong = json!({ "cmd": ["true"], "hosts": ["https://crates.io/"] });
    assert_eq!(bench.call("terminal.run", wrong, None).await.error.unwrap().code, Code::InvalidArgs);
}

#[tokio::test]
async fn long_output_is_cut_in_the_middle_and_many_run_at_once() {
    let bench = bench(&[("a.txt", "one\n")]);
    let answer = run(&bench, "seq 1 2000000").await;
    assert!(answer.truncated);
    let value = result(answer);
    let text = value["stdout"].as_str().unwrap();
    assert!(
        text.starts_with("1\n2\n") && text.ends_with("\n2000000\n") && text.len() < 40_000,
        "{}",
        text.len()
    );
    let runs = (0..20).map(|n| run_owned(&bench, format!("echo {n}; cat a.txt")));
    for (n, answer) in futures::future::join_all(runs).await.into_iter().enumerate() {
        assert_eq!(result(answer)["stdout"], format!("{n}\none\n"));
    }
}

async fn run_owned(bench: &Bench, line: String) -> Envelope {
    run(bench, &line).await
}

#[tokio::test]
async fn unsaved_text_is_kept_and_changed_alike() {
    let bench = Bench::with(&[("a.txt", &numbers(20, &[]))], true);
    bench.hub.settings_changed(Some(json!({ "review": { "policy": "auto" } })));
    bench.open("a.txt");
    bench.type_in("a.txt", &numbers(20, &[(2, "typed")]));
    let answer = bench
        .call("terminal.run", json!({ "line": "sed -i 's/^15$/fifteen/' a.txt" }), Some(Policy::Auto))
        .await;
    assert_eq!(answer.error, None, "{answer:?}");
    assert_eq!(bench.buffer("a.txt"), numbers(20, &[(2, "typed"), (15, "fifteen")]), "{answer:?}");
}

#[tokio::test]
async fn a_command_in_the_background_is_followed_and_ended() {
    let bench = repository(&[(".gitignore", "out/\nshared/\ntracked/\n"), ("tracked/x", "x\n")]);
    for folder in ["out", "shared"] {
        fs::create_dir(bench.folder.path().join(folder)).unwrap();
    }
    bench.write("out/log", "");
    let store = bench.state.path().join("store");
    fs::write(&store, "of all\n").unwrap();
    fs::hard_link(&store, bench.folder.path().join("shared/lib")).unwrap();
    let line = "echo up; echo x > out/log; echo x > shared/lib; cat shared/lib; echo x > tracked/x; touch new.txt 2>&1; echo tried; sleep 88";
    let arguments = json!({ "line": line, "background": true, "timeout_ms": 60_000 });
    let started = result(bench.call("terminal.run", arguments, None).await);
    let left_out = started["left_out"].to_string();
    assert!(
        left_out.contains("shared: files in it have further names")
            && left_out.contains("tracked: git tracks"),
        "{started}"
    );
    let id = started["id"].as_str().unwrap().to_owned();
    let wanted = json!({ "id": id, "until": "tried", "wait_ms": 10_000 });
    let shown = result(bench.call("terminal.output", wanted, None).await);
    assert_eq!((&shown["found"], &shown["running"]), (&json!(true), &json!(true)), "{shown}");
    let output = shown["output"].as_str().unwrap();
    assert!(output.starts_with("up\nx\n") && output.contains("new.txt': Read-only"), "{shown}");
    assert_eq!(
        (fs::read_to_string(&store).unwrap(), bench.disk("tracked/x")),
        ("of all\n".into(), "x\n".into())
    );
    let rest = json!({ "id": id, "from": shown["next"], "wait_ms": 100 });
    assert_eq!(result(bench.call("terminal.output", rest, None).await)["output"], "");
    assert_eq!(bench.disk("out/log"), "x\n", "what git ignores is written at once");
    let listed = result(bench.call("process.list", json!({}), None).await);
    assert_eq!(listed[0]["id"], json!(id), "{listed}");
    let ended = result(bench.call("terminal.kill", json!({ "id": id }), None).await);
    assert_eq!(ended["running"], false, "{ended}");
    let fault = bench.call("terminal.kill", json!({ "id": "c-none" }), None).await.error.unwrap();
    assert_eq!(fault.code, Code::NotFound);
}

#[tokio::test]
async fn the_end_of_a_command_in_the_background_is_in_the_log() {
    let bench = bench(&[]);
    let served = bench.served();
    let began = |line: &str| json!({ "line": line, "background": true, "timeout_ms": 60_000 });
    for (line, outcome) in [("exit 3", "exit code 3"), ("sleep 88", "cancelled")] {
        let started = result(bench.call("terminal.run", began(line), None).await);
        assert!(started["sandbox"].as_str().is_some_and(|tier| tier.starts_with("tier A")), "{started}");
        let id = started["id"].as_str().unwrap();
        if outcome == "cancelled" {
            assert!(served.cancel_call(&id.into()));
        }
        let begin = format!("**command ended** {id} after ");
        let ended = |line: &str| line.starts_with(&begin) && line.ends_with(outcome);
        let start = Instant::now();
        while !bench.log().lines().any(ended) {
            assert!(start.elapsed() < Duration::from_secs(20), "no {begin:?} in {}", bench.log());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

async fn python(bench: &Bench, code: &str, files: Value) -> Value {
    result(
        bench.call("python.exec", json!({ "code": code, "files": files, "timeout_ms": 20_000 }), None).await,
    )
}

#[tokio::test]
async fn python_answers_with_a_value_its_output_and_its_files() {
    let bench = bench(&[("data.txt", "1 2 3\n"), (".env", "MARKENV\n")]);
    let root = bench.folder.path().canonicalize().unwrap().display().to_string();
    let code = format!(
        "import dataclasses, datetime, os, sys\n@dataclasses.dataclass\nclass P:\n    x: int\nprint('out'); print('err', file=sys.stderr)\n\
         open('made.txt', 'w').write(open('given.txt').read() * 2)\nos.symlink('/etc/passwd', 'link')\n\
         text = open('{root}/data.txt').read()\ntry:\n    open('{root}/data.txt', 'w')\n    text += 'WRITTEN'\nexcept OSError:\n    pass\n\
         [text, P(1), float('nan'), {{1: (2, None)}}, {{3}}, datetime.date(2020, 1, 2), b'x', object]"
    );
    let value = python(&bench, &code, json!({ "given.txt": "ab" })).await;
    let expected = json!(["1 2 3\n", { "x": 1 }, "nan", { "1": [2, null] }, [3], "2020-01-02", { "base64": "eA==" }, "<class 'object'>"]);
    assert_eq!(value["return_value"], expected, "{value}");
    assert_eq!((&value["stdout"], &value["stderr"]), (&json!("out\n"), &json!("err\n")));
    assert_eq!(value["artifacts"].as_array().unwrap().len(), 1, "{value}");
    assert_eq!(
        (&value["artifacts"][0]["path"], &value["artifacts"][0]["text"]),
        (&json!("made.txt"), &json!("abab"))
    );
    assert!(value["left_out"][0].as_str().unwrap().starts_with("link"), "{value}");
    assert_eq!(bench.disk("data.txt"), "1 2 3\n");

    let failed = python(&bench, "x = 1\nx / 0", json!({})).await;
    assert_eq!(
        (&failed["error"]["type"], &failed["error"]["line"]),
        (&json!("ZeroDivisionError"), &json!(2)),
        "{failed}"
    );
    assert_eq!((&failed["exit_code"], &failed["return_value"]), (&json!(1), &Value::Null));
    assert!(!failed["stderr"].as_str().unwrap().contains("runner"), "{failed}");
    let wrong = python(&bench, "def f(:", json!({})).await;
    assert_eq!(wrong["error"]["type"], "SyntaxError", "{wrong}");
    let closed = python(&bench, &format!("open('{root}/.env').read()"), json!({})).await;
    assert!(!closed.to_string().contains("MARKENV"), "{closed}");
    let bad = json!({ "code": "1", "files": { "../x": "y" } });
    assert_eq!(bench.call("python.exec", bad, None).await.error.unwrap().code, Code::InvalidArgs);
}
