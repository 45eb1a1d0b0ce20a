//! Agents that are killed: no server outlives them, and they leave nothing behind.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::place::Place;

/// Clients in all, and how many there are at a time.
const CLIENTS: usize = 1000;
const AT_ONCE: usize = 8;

/// The longest time that all of them may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

const HELLO: &str = concat!(
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"#,
    r#""clientInfo":{"name":"short-lived","version":"1"}}}"#,
    "\n",
    r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
    "\n",
    r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#,
    "\n"
);

/// The progress of a client, and the way in which it ends.
#[derive(Clone, Copy, Debug)]
enum Death {
    /// Killed before it said anything.
    AtOnce,
    /// Killed when it had said hello.
    AfterHello,
    /// Killed when it was answered.
    AfterAnswer,
    /// The agent is killed, so that the pipes to its client close.
    OfTheAgent,
}

const DEATHS: [Death; 4] = [Death::AtOnce, Death::AfterHello, Death::AfterAnswer, Death::OfTheAgent];

fn live_and_die(place: &Place, folder: &Path, death: Death) {
    let mut client = place.wherefore();
    client
        .args(["mcp", "--root"])
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut client = client.spawn().unwrap();
    if !matches!(death, Death::AtOnce) {
        let _ = client.stdin.as_mut().unwrap().write_all(HELLO.as_bytes());
    }
    if matches!(death, Death::AfterAnswer | Death::OfTheAgent) {
        let mut line = String::new();
        BufReader::new(client.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let mut said = String::new();
        if line.is_empty() {
            let _ = client.stderr.as_mut().unwrap().read_to_string(&mut said);
        }
        assert!(line.contains("serverInfo"), "{death:?} in {folder:?}: {line}{said}");
    }
    if matches!(death, Death::OfTheAgent) {
        drop((client.stdin.take(), client.stdout.take()));
        ends(&mut client);
    }
    let _ = client.kill();
    client.wait().unwrap();
}

/// A client whose agent is gone ends by itself.
fn ends(client: &mut Child) {
    let start = Instant::now();
    while client.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_secs(20), "the client outlives its agent");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_thousand_killed_agents_leave_no_server() {
    let place = Place::new(&[]);
    let next = AtomicUsize::new(0);
    let start = Instant::now();
    thread::scope(|scope| {
        for thread in 0..AT_ONCE {
            let (place, next) = (&place, &next);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= CLIENTS {
                        return;
                    }
                    assert!(start.elapsed() < LIMIT, "{number} clients took {:?}", start.elapsed());
                    let folder = match number % 10 {
                        // A server that starts for this one.
                        0 => format!("work/new-{number}"),
                        // A server that ends about now, since its last client left half a second ago.
                        1 => {
                            thread::sleep(Duration::from_millis(480 + (number % 7) as u64 * 10));
                            format!("work/own-{thread}")
                        }
                        // A server that other clients keep alive.
                        _ => "work/shared".to_owned(),
                    };
                    live_and_die(place, &place.beside(&folder), DEATHS[number / 10 % DEATHS.len()]);
                }
            });
        }
    });
    place.is_left_empty();
}
