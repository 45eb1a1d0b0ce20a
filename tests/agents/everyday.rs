//! A day's work of each agent in its default settings behind `wherefore init --guard`: edits, commands, a commit, a working
//! tree, a subagent, with nobody at its terminal and with a person there. The page has a table of what each run showed.

mod agents;
mod batch;
mod commands;
mod matrix;
mod project;
mod screen;
mod session;

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use self::agents::DayAgent;
use self::batch::Batch;
use self::matrix::{DayLine, Finding, Findings};
use self::screen::Screen;
use self::session::{Session, SessionNotes};
use crate::place::Place;
use crate::programs;

/// The agents, in the table's order.
const TITLES: [&str; 6] = ["Claude Code", "Codex", "Gemini CLI", "Qwen Code", "Copilot CLI", "OpenCode"];
/// How long a session may make no move.
const STILL: Duration = Duration::from_secs(45);

/// The task as its person types it.
const TASK: &str = "Do the task.";

/// How long a task may stand at the prompt before its person presses Enter once more.
const UNSENT: Duration = Duration::from_secs(6);

/// How long an agent may take for its start on a busy machine.
const PATIENCE: Duration = Duration::from_secs(240);

/// Has the project's settings guard an agent.
fn guard(place: &Place, program: &Path, agent: &str) {
    let mut command = place.wherefore();
    command.args(["init", "--guard", "--yes", "--agents", agent]);
    let folder = program.parent().unwrap().display();
    let output = command.env("PATH", format!("{folder}:/usr/bin:/bin")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// The version of a program, as it says itself.
fn version(program: &Path, place: &Place) -> String {
    let mut command = Command::new(program);
    let output = command.arg("--version").env("HOME", place.beside("home")).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
    let word = text.split_whitespace().find(is_version).unwrap_or_default();
    word.trim_end_matches('.').to_owned()
}

/// A day of an agent in one place.
struct Day<'a> {
    agent: &'a DayAgent,
    program: &'a Path,
    place: Place,
    batch: Option<Batch>,
}

impl<'a> Day<'a> {
    fn begin(agent: &'a DayAgent, program: &'a Path, has_batch: bool) -> Self {
        let place = project::make();
        let batch = has_batch.then(|| Batch::of(&place));
        Self { agent, program, place, batch }
    }

    /// The session, and how many moves are those of its edit.
    fn session(&self, folder: &Path) -> (Session, usize) {
        let (mut moves, mut errand) = (batch::edit(self.agent, folder), Vec::new());
        let edits = moves.len();
        match &self.batch {
            Some(batch) => {
                moves.extend(batch.moves(self.agent, &self.place));
                errand = Batch::errand(self.agent);
            }
            None => {
                let script = "git log --format=%s; echo out > ../outside.txt; echo a plain one";
                moves.push((self.agent.tools.shell)(script));
            }
        }
        (Session::play(moves, errand), edits)
    }

    /// Writes the agent's settings.
    fn set_up(&self, session: &Session) {
        (self.agent.tools.configure)(&self.place, &session.model);
    }

    fn findings(&self, edits: usize, notes: &SessionNotes) -> Findings {
        let batch = self.batch.as_ref();
        batch.map(|batch| batch.findings(self.agent, &self.place, edits, notes)).unwrap_or_default()
    }
}

/// With nobody at its terminal.
fn headless(agent: &DayAgent, program: &Path) -> Findings {
    let day = Day::begin(agent, program, !agent.is_at_screen);
    let work = day.place.work();
    let (session, edits) = day.session(&work);
    day.set_up(&session);
    (agent.trusts)(&day.place, &[&work]);
    guard(&day.place, program, agent.tools.name);
    let mut running = agent.tools.start_in(&work, program, &day.place, &session.model, &[]);
    session.decides(&day.place, &work, edits, || running.has_ended());
    wait_for_end(&session, || running.has_ended());
    let output = running.ends();
    let notes = session.notes();
    let is_decided = batch::is_decided(&work, &notes);
    if !is_decided {
        programs::say(&format!("{}: {output}{:?}{:#?}", agent.title, notes.tools, notes.results.last()));
    }
    let mut findings = day.findings(edits, &notes);
    findings.insert(DayLine::HeadlessEdit, agent.finding(DayLine::HeadlessEdit, is_decided));
    findings
}

/// Starts the agent's screen, and answers what it asks at its first start.
fn open_screen(day: &Day<'_>, session: &Session) -> Screen {
    let agent = day.agent;
    let variables = (agent.tools.variables)(&session.model);
    let screen = Screen::open(day.program, agent.screen, &day.place, &variables);
    let (mut questions, began) = (agent.questions.to_vec(), Instant::now());
    let mut typed: Option<Instant> = None;
    while !session.has_begun() {
        assert!(began.elapsed() < PATIENCE, "{} takes no task: {}", agent.title, screen.shown());
        // A screen that is drawn for the first time may take no keys yet.
        thread::sleep(Duration::from_millis(700));
        let shown = screen.shown();
        match questions.iter().position(|(text, _)| shown.contains(text)) {
            Some(at) => screen.presses(questions.remove(at).1),
            None if typed.is_none() && shown.contains(agent.ready) => {
                screen.types(TASK);
                typed = Some(Instant::now());
            }
            // A screen that is still starting may take the text and lose the key that sends it.
            None if typed.is_some_and(|since| since.elapsed() > UNSENT) && shown.contains(TASK) => {
                screen.presses(&["Enter"]);
                typed = Some(Instant::now());
            }
            None => {}
        }
    }
    screen
}

/// Waits until the session and its subagent made all of their moves, or make no more.
fn wait_for_end(session: &Session, mut has_ended: impl FnMut() -> bool) {
    let (mut made, mut since) = (0, Instant::now());
    // A subagent may go on beside the conversation that started it.
    while !(session.is_over() && session.has_errand_run()) && since.elapsed() < STILL && !has_ended() {
        if session.made() > made {
            (made, since) = (session.made(), Instant::now());
        }
        thread::sleep(Duration::from_millis(100));
    }
}

/// At its terminal, where a person answers the questions of its first start.
fn at_screen(agent: &DayAgent, program: &Path) -> Findings {
    let day = Day::begin(agent, program, agent.is_at_screen);
    let work = day.place.work();
    let (session, edits) = day.session(&work);
    day.set_up(&session);
    if agent.tools.name == "claude" {
        (agent.trusts)(&day.place, &[]);
    }
    guard(&day.place, program, agent.tools.name);
    let screen = open_screen(&day, &session);
    let waiting = session.waits(&day.place, &work, edits, || false);
    let says = screen.shows_soon("wherefore: edits wait for your review");
    programs::say(&format!("{}: waits {waiting:?}, says {says}:\n{}", agent.title, screen.shown()));
    session.decides(&day.place, &work, edits, || false);
    wait_for_end(&session, || false);
    let is_asked = agent.asks.iter().any(|words| screen.shown().contains(words));
    programs::say(&format!("{}: over {}:\n{}", agent.title, session.is_over(), screen.shown()));
    let notes = session.notes();
    let mut findings = day.findings(edits, &notes);
    let outside = day.place.work().join("../outside.txt").exists();
    for (line, held) in [
        (DayLine::ScreenEdit, batch::is_decided(&work, &notes)),
        (DayLine::Words, says),
        (DayLine::Unasked, !is_asked && notes.is_over && !outside),
    ] {
        findings.insert(line, agent.finding(line, held));
    }
    findings
}

/// In a working tree that git made beside the main one, with the project's settings committed.
fn in_tree(agent: &DayAgent, program: &Path) -> Findings {
    let day = Day::begin(agent, program, false);
    let tree = day.place.work().parent().unwrap().join("tree");
    let (session, edits) = day.session(&tree);
    day.set_up(&session);
    (agent.trusts)(&day.place, &[&day.place.work(), &tree]);
    guard(&day.place, program, agent.tools.name);
    let work = day.place.work();
    project::git(&work, &["add", "."]);
    project::git(&work, &["commit", "-q", "-m", "Guard it"]);
    project::git(&work, &["worktree", "add", "-q", "../tree"]);
    let unasked = if agent.is_at_screen { agent.tools.unasked } else { &[] };
    let mut running = agent.tools.start_in(&tree, program, &day.place, &session.model, unasked);
    session.decides(&day.place, &tree, edits, || running.has_ended());
    let output = running.ends();
    let notes = session.notes();
    let heard = notes.results.last().is_some_and(|result| result.contains("a plain one"));
    let held = batch::is_decided(&tree, &notes) && heard && !tree.join("../outside.txt").exists();
    if !held {
        programs::say(&format!("{}: tree: {output}{:#?}", agent.title, notes.results));
    }
    let finding = match (held, unasked) {
        (true, [_, ..]) => Finding::HoldsAs(format!("✓ with `{}`", unasked.join(" "))),
        _ => agent.finding(DayLine::Tree, held),
    };
    [(DayLine::Tree, finding)].into()
}

fn works(agent: &DayAgent) {
    let Some(program) = programs::find(agent.tools.name) else { return };
    if !Screen::is_there() {
        return programs::say("skipped: tmux is missing: no agent works at a terminal");
    }
    let began = Instant::now();
    let mut findings = Findings::new();
    for run in [headless, at_screen, in_tree] {
        findings.extend(run(agent, &program));
        programs::say(&format!("{}: {:.1} s", agent.title, began.elapsed().as_secs_f32()));
    }
    programs::say(&format!("{}: {findings:#?}", agent.title));
    let version = version(&program, &Place::new(&[]));
    if !programs::are_newest() {
        matrix::is_on_the_page(agent.title, &version, &findings, &TITLES);
    }
}

#[test]
fn claude() {
    works(&agents::CLAUDE);
}

#[test]
fn codex() {
    works(&agents::CODEX);
}

#[test]
fn gemini() {
    works(&agents::GEMINI);
}

#[test]
fn qwen() {
    works(&agents::QWEN);
}

#[test]
fn copilot() {
    works(&agents::COPILOT);
}

#[test]
fn opencode() {
    works(&agents::OPENCODE);
}
