//! Editors without a wherefore plugin, in a terminal of their own, set up as in editors/README.md: a pending change is
//! a hint with its why, the lines are in the hover, code actions accept and reject, and a server that dies loses
//! nothing.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::agent::{Agent, LEGACY, place, servers, until, wherefore};
use crate::support::terminal::Terminal;

mod emacs;
mod helix;

const WHY: &str = "Shout five of the lines so that a reader finds them";

/// The actions of a person in one of the editors.
trait Hands {
    /// The number of hints that it has room for in an empty document.
    const IN_EMPTY: usize = 1;

    /// The terminal that it runs in.
    fn terminal(&self) -> &Terminal;
    /// The number of hints that the screen shows.
    fn hints(&self, screen: &str) -> usize;
    /// Goes to the next hint.
    fn next_hint(&self);
    /// Looks at the hover, and closes it again.
    fn hover(&self, expected: &str);
    /// Chooses a code action on the line that it is at.
    fn act(&self, title: &str);
    /// Opens a file.
    fn open(&self, path: &str);
    fn undo(&self);
    fn redo(&self);
    /// Writes a line at the end of the file.
    fn write_line(&self, text: &str);
    /// Saves, and sees that it was.
    fn save(&self);
    /// Restarts the server after it died; `again` if the first time was not enough.
    fn restart(&self, again: bool);

    /// Waits until that many hints are shown.
    fn waits(&self, count: usize) {
        self.terminal().shows(&format!("{count} hints"), |screen| self.hints(screen) == count);
    }
}

/// The settings that the page for other editors gives: the block after a heading.
fn snippet(heading: &str, number: usize) -> String {
    let page = include_str!("../../editors/README.md");
    let section = page.split_once(&format!("\n## {heading}\n")).unwrap().1;
    let block = section.split("```").nth(2 * number + 1).unwrap();
    block.split_once('\n').unwrap().1.to_owned()
}

/// Lines 1 to 40, some of them shouted.
fn lines(shouted: &[usize]) -> String {
    let line = |n| if shouted.contains(&n) { format!("LINE {n} SHOUTED\n") } else { format!("line {n}\n") };
    (1..=40).map(line).collect()
}

/// A folder with a file of forty lines.
fn forty_lines() -> tempfile::TempDir {
    let folder = place();
    fs::write(folder.path().join("work/a.txt"), lines(&[])).unwrap();
    folder
}

fn disk(folder: &Path, path: &str) -> String {
    fs::read_to_string(folder.join("work").join(path)).unwrap_or_default()
}

/// The text of the file as the server knows it, unsaved.
fn text(folder: &Path) -> String {
    let why = "Learn what the editor told of its buffer so far";
    let arguments = json!({ "path": "a.txt", "why": why }).to_string();
    let output = wherefore(folder, &["call", "fs.read", &arguments]).output().unwrap();
    serde_json::from_slice::<Value>(&output.stdout).unwrap()["content"].as_str().unwrap().to_owned()
}

fn editor_is_there(folder: &Path) -> bool {
    let output = wherefore(folder, &["status", "--json"]).output().unwrap();
    serde_json::from_slice::<Value>(&output.stdout).is_ok_and(|status| status["editor"] == true)
}

fn states(answer: &Value) -> Vec<&str> {
    answer["hunks"].as_array().unwrap().iter().map(|hunk| hunk["state"].as_str().unwrap()).collect()
}

/// The work of a person and an agent together, in any editor.
fn review(folder: &Path, hands: &impl Hands) {
    let seen = hands.terminal();
    until("the editor's server is there", || editor_is_there(folder));
    let mut agent = Agent::start(folder, LEGACY, &[]);
    let five = [3, 10, 17, 24, 31];
    let write = json!({ "path": "a.txt", "content": lines(&five), "why": WHY });
    let call = agent.begin_call("fs_write", write);
    hands.waits(5);
    hands.next_hint();
    seen.sees(WHY);
    hands.hover("+LINE 3 SHOUTED");
    hands.act("Accept h1");
    seen.sees("LINE 3 SHOUTED");
    hands.waits(4);
    hands.next_hint();
    hands.act("Reject h2");
    hands.waits(3);

    hands.undo();
    seen.shows("that the editor took the first hunk back", |screen| !screen.contains("LINE 3 SHOUTED"));
    hands.waits(3);
    until("the server knows of that", || !text(folder).contains("LINE 3"));
    let nothing = wherefore(folder, &["undo"]).output().unwrap();
    let said =
        String::from_utf8_lossy(&nothing.stderr).into_owned() + &String::from_utf8_lossy(&nothing.stdout);
    assert!(!nothing.status.success() && said.contains("a.txt is as it was before"), "{said}");
    hands.redo();
    seen.sees("LINE 3 SHOUTED");
    until("the server knows of that", || text(folder).contains("LINE 3"));

    hands.next_hint();
    hands.act("Accept every");
    hands.waits(0);
    let (answer, fault) = agent.finish_call(call);
    assert!(!fault, "{answer:#}");
    assert_eq!(answer["status"], "partly_applied", "{answer:#}");
    assert_eq!(states(&answer), ["accepted", "rejected", "accepted", "accepted", "accepted"]);
    assert_eq!(answer["unsaved"], true, "the editor was not made to save");
    assert_eq!(disk(folder, "a.txt"), lines(&[]), "nothing is written behind the editor's back");
    hands.save();
    assert_eq!(disk(folder, "a.txt"), lines(&[3, 17, 24, 31]));

    let undone = wherefore(folder, &["undo"]).output().unwrap();
    assert!(undone.status.success(), "{undone:?}");
    seen.shows("the text as it was", |screen| screen.contains("line 3\n") && !screen.contains("SHOUTED"));
    hands.save();
    assert_eq!(disk(folder, "a.txt"), lines(&[]));

    new_file(folder, &mut agent, hands);
    server_dies(folder, hands);
}

/// A file that is not there yet is accepted in the empty document where it will be.
fn new_file<H: Hands>(folder: &Path, agent: &mut Agent, hands: &H) {
    let content = "first\nsecond\n";
    let why = "Keep what was found in a file of its own";
    let call =
        agent.begin_call("fs_write", json!({ "path": "notes/new.txt", "content": content, "why": why }));
    hands.terminal().sees(why);
    hands.open("notes/new.txt");
    hands.waits(H::IN_EMPTY);
    hands.act("Accept h1");
    hands.terminal().sees("second");
    let (answer, fault) = agent.finish_call(call);
    assert!(!fault && answer["status"] == "applied", "{answer:#}");
    hands.save();
    assert_eq!(disk(folder, "notes/new.txt"), content);
    hands.open("a.txt");
}

/// The server is killed while hunks wait: the editor goes on, and a new server has them.
fn server_dies(folder: &Path, hands: &impl Hands) {
    let write = json!({ "path": "a.txt", "content": lines(&[5]), "why": WHY }).to_string();
    let mut agent = wherefore(folder, &["call", "fs.write", "--policy", "ask", &write]).spawn().unwrap();
    hands.waits(1);
    let pid = servers(folder)[0]["pid"].as_u64().unwrap();
    let killed = std::process::Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap();
    assert!(killed.success());
    assert!(!agent.wait().unwrap().success(), "the call is told that its server died");
    hands.write_line("typed after the server died");
    hands.save();
    let typed = lines(&[]) + "typed after the server died\n";
    assert_eq!(disk(folder, "a.txt"), typed, "the editor goes on");

    // An editor that has not noticed its server's death may not start one: it is asked again.
    let mut told = None::<Instant>;
    until("a new server is there", || {
        if told.is_none_or(|told| told.elapsed() > Duration::from_secs(10)) {
            hands.restart(told.is_some());
            told = Some(Instant::now());
        }
        editor_is_there(folder)
    });
    hands.waits(1);
    hands.next_hint();
    hands.act("Accept h1");
    hands.waits(0);
    hands.save();
    assert_eq!(disk(folder, "a.txt"), lines(&[5]) + "typed after the server died\n");
}
