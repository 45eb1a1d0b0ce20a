//! Every wait has an end: for a server that is stopped, for a reader of its log, for a conversation that is a pipe.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{BINARY, LIMIT, Project, run, with_why};

/// A server of a project, for as long as this is there.
struct Served(Child);

impl Served {
    /// Starts one, and waits until it answers.
    fn start(project: &Project, change: impl FnOnce(&mut Command)) -> Self {
        let mut command = project.command(BINARY);
        command.args(["serve", "--linger", "240"]).arg("--root").arg(project.root());
        command.stdin(Stdio::null()).stdout(Stdio::null());
        change(&mut command);
        let served = Self(command.spawn().unwrap());
        let begun = Instant::now();
        while !project.wherefore(&["status"]).out.starts_with(b"wherefore")
            || project.wherefore(&["status", "--json"]).json()["pid"] != served.0.id()
        {
            assert!(begun.elapsed() < LIMIT, "no server came");
            std::thread::sleep(Duration::from_millis(20));
        }
        served
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// An agent that has had its handshake.
struct Agent {
    process: Child,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Agent {
    fn start(project: &Project) -> Self {
        let mut command = project.command(BINARY);
        command.arg("mcp").arg("--root").arg(project.root());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().unwrap();
        let answers = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut agent = Self { process, answers };
        let info = json!({ "name": "tester", "version": "1" });
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        agent.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params }));
        assert_eq!(agent.answer()["id"], 1);
        agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.process.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn answer(&mut self) -> Value {
        loop {
            let answer: Value = serde_json::from_str(&self.answers.next().unwrap().unwrap()).unwrap();
            if answer.get("id").is_some() {
                return answer;
            }
        }
    }

    /// Reads a file; gives the answer.
    fn read(&mut self, id: u64, path: &str) -> Value {
        let params = json!({ "name": "fs_read", "arguments": with_why(&json!({ "path": path })) });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
        self.answer()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_server_that_is_stopped_is_told_of_and_not_waited_for() {
    let project = Project::new(&[("a.txt", "one\n")]);
    let served = Served::start(&project, |command| {
        command.stderr(Stdio::null());
    });
    let pid = served.0.id();
    let mut agent = Agent::start(&project);
    served.signal(Signal::STOP);
    for args in [
        &["status"][..],
        &["call", "fs.read", &with_why(&json!({ "path": "a.txt" })).to_string()],
        &["why", "a.txt"],
    ] {
        let ran = project.wherefore(args);
        assert_eq!(ran.code(), Some(1), "{args:?}: {ran:?}");
        let said = format!("{}{}", String::from_utf8_lossy(&ran.out), ran.err);
        assert!(said.contains(&format!("process {pid}, is stopped")), "{args:?}: {ran:?}");
        assert!(said.contains(&format!("kill -CONT {pid}")), "{args:?}: {ran:?}");
    }
    let message = json!({
        "hook_event_name": "PreToolUse", "tool_name": "Write", "session_id": "s", "cwd": project.root(),
        "tool_input": { "file_path": project.path("a.txt"), "content": "two\n" },
    });
    let ran = run(project.command(BINARY).args(["hook", "claude"]), message.to_string().as_bytes());
    assert!(format!("{ran:?}").contains("is stopped"), "{ran:?}");
    assert_eq!(project.text("a.txt").as_deref(), Some("one\n"));

    let told = agent.read(2, "a.txt");
    assert_eq!(told["id"], 2);
    assert!(told["error"]["message"].as_str().unwrap().contains(&format!("kill -CONT {pid}")), "{told}");

    served.signal(Signal::CONT);
    let told = agent.read(3, "a.txt");
    assert_eq!(
        (&told["id"], told.get("error")),
        (&json!(3), None),
        "the answer that came too late is dropped"
    );
    assert_eq!(project.wherefore(&["status"]).code(), Some(0));
}

#[test]
fn a_server_whose_log_nobody_reads_answers_all_the_same() {
    let project = Project::new(&[("a.txt", &"a line that stands in the log too\n".repeat(40))]);
    let mut served = Served::start(&project, |command| {
        command.env("WHEREFORE_LOG", "trace").stderr(Stdio::piped());
    });
    let mut agent = Agent::start(&project);
    for id in 2..300 {
        let answer = agent.read(id, "a.txt");
        assert!(answer["id"] == id && answer.get("error").is_none(), "{answer}");
    }
    // More than a pipe holds was said.
    let errors = served.0.stderr.take().unwrap();
    served.signal(Signal::TERM);
    let said: usize = BufReader::new(errors).lines().map_while(Result::ok).map(|line| line.len()).sum();
    assert!(said > 64 << 10, "{said} bytes");
}
