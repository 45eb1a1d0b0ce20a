//! Servers that will not leave: whatever they do, and however we end, none of their processes stays.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::agent::{Agent, LEGACY, place, servers, until, wherefore};

/// The longest time until nothing is left: two seconds to end, and a busy machine.
const LIMIT: Duration = Duration::from_secs(30);

/// Processes that a server leaves behind. `tail` holds the name of the place, by which its processes are found.
const STUBBORN: [(&str, &str); 5] = [
    ("ignores the end of its input", "node \"$SERVER\"; while :; do tail -f \"$PLACE\"; done"),
    ("ignores SIGTERM", "trap '' TERM HUP INT; node \"$SERVER\"; while :; do tail -f \"$PLACE\"; done"),
    (
        "starts children",
        "tail -f \"$PLACE\" & (trap '' TERM; while :; do tail -f \"$PLACE\"; done) & exec node \"$SERVER\"",
    ),
    (
        "starts daemons",
        "(setsid sh -c 'trap \"\" TERM HUP; (while :; do tail -f \"$PLACE\"; done) & exec tail -f \"$PLACE\"' \
         </dev/null >/dev/null 2>&1 &) ; exec node \"$SERVER\"",
    ),
    (
        "starts what starts more",
        "(setsid sh -c 'while :; do setsid tail -f \"$PLACE\" </dev/null >/dev/null 2>&1 & sleep 0.2; done' \
         </dev/null >/dev/null 2>&1 &) ; trap '' TERM; node \"$SERVER\"; while :; do sleep 1; done",
    ),
];

/// A person's settings with such a server.
fn settle(folder: &Path, script: &str) {
    let config = folder.join("home/.config/wherefore");
    std::fs::create_dir_all(&config).unwrap();
    let server = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/upstream/server.mjs");
    let text = format!(
        "[discovery]\ndirect_up_to = 100\n[mcp_servers.srv]\nimport = \"Custom\"\ncommand = \"sh\"\nargs = [\"-c\", {}]\nenv = {{ PLACE = {}, SERVER = {} }}\n",
        json!(script),
        json!(folder.join("place")),
        json!(server)
    );
    std::fs::write(config.join("config.toml"), text).unwrap();
    std::fs::write(folder.join("place"), "").unwrap();
}

/// The processes that name a place, or stand between us and one that does.
fn left(folder: &Path) -> Vec<(String, String)> {
    let place = folder.join("place").display().to_string();
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let text = |pid: &str, what: &str| {
        String::from_utf8_lossy(&std::fs::read(format!("/proc/{pid}/{what}")).unwrap_or_default())
            .replace('\0', " ")
    };
    let named = entries.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.to_owned();
        let line = text(&pid, "cmdline");
        let is_theirs = line.contains(&place) || text(&pid, "environ").contains(&format!("PLACE={place}"));
        (pid.parse::<u32>().is_ok() && is_theirs).then_some((pid, line))
    });
    named.collect()
}

fn nothing_stays(folder: &Path, what: &str) {
    let since = Instant::now();
    while !left(folder).is_empty() {
        assert!(since.elapsed() < LIMIT, "{what}: {:?}", left(folder));
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn work(agent: &mut Agent) {
    // Its tools are known once it was listed for the first time.
    let listed =
        |agent: &mut Agent| agent.request("tools/list", json!({})).unwrap().to_string().contains("srv_echo");
    until("the server is listed", || listed(agent));
    let arguments = json!({ "text": "x", "why": "See whether the server is there" });
    let answer = agent.request("tools/call", json!({ "name": "srv_echo", "arguments": arguments })).unwrap();
    assert!(answer["isError"] != true, "{answer}");
}

#[test]
fn no_process_of_a_server_stays_however_we_end() {
    for (what, script) in STUBBORN {
        for killed in [false, true] {
            let folder = place();
            settle(folder.path(), script);
            let mut agent = Agent::start(folder.path(), LEGACY, &[]);
            work(&mut agent);
            assert!(left(folder.path()).len() >= 2, "{what}: {:?}", left(folder.path()));
            if killed {
                let pid = servers(folder.path())[0]["pid"].as_i64().unwrap();
                let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
                rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
                drop(agent);
            } else {
                agent.leave();
            }
            nothing_stays(folder.path(), &format!("{what}, killed: {killed}"));
        }
    }
}

#[test]
fn no_process_of_a_server_stays_after_the_command_line() {
    let (what, script) = STUBBORN[3];
    let folder = place();
    settle(folder.path(), script);
    let arguments = json!({ "text": "x", "why": "See whether the server is there" }).to_string();
    let output = wherefore(folder.path(), &["call", "srv.echo", &arguments]).output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(answer.to_string().contains('x'), "{answer}");
    nothing_stays(folder.path(), what);
}
