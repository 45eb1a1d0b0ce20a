//! The protocol's Inspector, by its command line: both eras of the protocol, over standard input and output and HTTP.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::place::Place;
use crate::programs;

/// A run of the Inspector: its exit code and its output.
fn inspect(place: &Place, server: &Value, era: &str, args: &[&str]) -> Option<(i32, Value)> {
    let config = place.beside("home").join("inspector.json");
    std::fs::write(&config, json!({ "mcpServers": { "wherefore": server } }).to_string()).unwrap();
    let output = Command::new(programs::find("inspector")?)
        .arg("--cli")
        .arg("--config")
        .arg(&config)
        .args(["--server", "wherefore", "--protocol-era", era, "--format", "json", "--quiet", "--method"])
        .args(args)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("MCP_INSPECTOR_SECRET_STORE", "memory")
        .envs(place.env())
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let said: Value =
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{args:?}: {error}: {output:?}"));
    Some((output.status.code().unwrap_or(-1), said["result"].clone()))
}

/// Lists, calls, reads, by both eras.
fn works_with(place: &Place, server: &Value) -> Option<()> {
    for era in ["legacy", "modern"] {
        let run = |args: &[&str]| inspect(place, server, era, args);
        let (code, list) = run(&["tools/list", "--strict"])?;
        let names: Vec<_> = list["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
        assert!(code == 0 && names.contains(&&json!("fs_read")), "{era}: {code}: {list:#}");

        let call = ["tools/call", "--tool-name", "fs_read", "--tool-args-json"];
        let (code, read) =
            run(&[&call[..], &[r#"{"path":"a.txt","why":"See what the Inspector gets to read"}"#]].concat())?;
        assert!(
            code == 0 && read["structuredContent"].to_string().contains("hello"),
            "{era}: {code}: {read:#}"
        );
        let (code, fault) = run(&[&call[..], &[r#"{"path":"a.txt"}"#]].concat())?;
        assert_eq!((code, &fault["isError"]), (5, &json!(true)), "{era}: {fault:#}");
        assert!(fault["content"][0]["text"].to_string().contains("MISSING_WHY"), "{era}: {fault:#}");

        let (code, list) = run(&["resources/list"])?;
        let log = list["resources"][0]["uri"].as_str().unwrap_or_default().to_owned();
        assert!(code == 0 && log.contains("log"), "{era}: {list:#}");
        let (code, log) = run(&["resources/read", "--uri", &log])?;
        let text = log["contents"][0]["text"].as_str().unwrap_or_default();
        assert!(code == 0 && text.contains("See what the Inspector gets to read"), "{era}: {log:#}");
    }
    Some(())
}

/// Our program in a place, kept running until it is dropped.
struct Running(Child);

impl Running {
    fn start(place: &Place, more: &[&str]) -> Self {
        let mut command = place.wherefore();
        command.arg("mcp").args(more).stdin(Stdio::piped()).stdout(Stdio::piped());
        Self(command.spawn().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn over_standard_input_and_output() {
    let place = Place::new(&[("a.txt", "hello\n")]);
    // Each run of the Inspector is a client of its own; with another one there, the server and its log stay the same.
    let other = Running::start(&place, &[]);
    place.is_served();
    let env: serde_json::Map<_, _> =
        place.env().into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect();
    let root = place.work().display().to_string();
    let server =
        json!({ "command": env!("CARGO_BIN_EXE_wherefore"), "args": ["mcp", "--root", root], "env": env });
    works_with(&place, &server);
    drop(other);
    place.is_left_empty();
}

#[test]
fn over_http() {
    let place = Place::new(&[("a.txt", "hello\n")]);
    let mut served = Running::start(&place, &["--http", "127.0.0.1:0"]);
    let mut line = String::new();
    BufReader::new(served.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    let bearer = format!("Bearer {}", told["token"].as_str().unwrap());
    let server =
        json!({ "type": "streamable-http", "url": told["url"], "headers": { "Authorization": bearer } });
    works_with(&place, &server);
    drop(served);
    place.is_left_empty();
}
