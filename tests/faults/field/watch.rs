//! The list of files matches the disk, whatever happened to the folders meanwhile.

use std::io::Write;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::support::{BINARY, Project};

/// An agent's connection, which keeps the server of the folder up.
fn connected(project: &Project) -> Child {
    let mut agent = project.command(BINARY);
    agent.arg("mcp").arg("--root").arg(project.root());
    let mut agent = agent.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let info = json!({ "name": "tester", "version": "1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    writeln!(agent.stdin.as_mut().unwrap(), "{hello}").unwrap();
    agent
}

#[test]
fn files_written_in_a_folder_that_goes_away_and_comes_back_are_found() {
    const ROUNDS: usize = 8;
    const FILES: usize = 150;
    let project = Project::new(&[("src/deep/first.txt", "the needle\n")]);
    let mut agent = connected(&project);
    let (from, away) = (project.path("src"), project.beside("away"));
    for round in 1..=ROUNDS {
        let folder = std::fs::File::open(project.path("src/deep")).unwrap();
        let written = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                use std::os::fd::AsRawFd;
                for file in 0..FILES {
                    // Wherever the folder is just now.
                    let path = format!("/proc/self/fd/{}/{round}-{file}.txt", folder.as_raw_fd());
                    std::fs::write(path, format!("needle {round} here\n")).unwrap();
                }
                written.store(true, Ordering::Relaxed);
            });
            while !written.load(Ordering::Relaxed) {
                std::fs::rename(&from, &away).unwrap();
                std::fs::rename(&away, &from).unwrap();
            }
        });
        // A search with a glob would walk the folder.
        let query = format!("needle {round} here");
        let asked = json!({ "query": query, "literal": true, "limit": 10_000, "context": 0 });
        let found = project.call("search.lexical", &asked).json();
        assert_eq!(found.as_array().map(Vec::len), Some(FILES), "round {round}: {found}");
    }
    drop(agent.stdin.take());
    agent.wait().unwrap();
}
