//! From the installed program to the first accepted hunk of a project: the files of `wherefore init` are all that an
//! agent needs. Each step of the person is counted, and each dialog in between.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::agent::Agent;
use crate::model::{Model, Move, PATIENCE};
use crate::place::Place;
use crate::terminal::Terminal;
use crate::{programs, task};

/// The most steps that it may take, dialogs among them.
const MOST_STEPS: usize = 8;

/// An agent of a person who has used it elsewhere, and never in this project.
struct FreshAgent {
    name: &'static str,
    /// Writes what the person has: the model, and an answer to the agent's one dialog, whether the folder is trusted.
    configure: fn(&Place, &Model),
    /// The words after the program: no flag that allows a tool.
    args: &'static [&'static str],
    variables: fn(&Model) -> Vec<(&'static str, String)>,
    /// The number of dialogs that `configure` answers.
    dialogs: usize,
    /// The first move of its model. Codex does not wait for a server's start with its first turn.
    look: fn() -> Option<Move>,
}

const CLAUDE: FreshAgent = FreshAgent {
    name: "claude",
    configure: |_, _| {},
    args: &["-p", "Do the task.", "--model", "claude-sonnet-4-5"],
    variables: claude_variables,
    dialogs: 0,
    look: || None,
};

const CODEX: FreshAgent = FreshAgent {
    name: "codex",
    configure: |place, model| {
        let config = format!(
            "model = \"scripted\"\nmodel_provider = \"scripted\"\ncheck_for_update_on_startup = false\n[analytics]\nenabled = false\n[model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\n[projects.{:?}]\ntrust_level = \"trusted\"\n",
            model.url,
            place.work().display().to_string(),
        );
        std::fs::write(place.beside("home/.codex").join("config.toml"), config).unwrap();
    },
    args: &["exec", "--skip-git-repo-check", "Do the task."],
    variables: |_| Vec::new(),
    dialogs: 1,
    look: || None,
};

const GEMINI: FreshAgent = FreshAgent {
    name: "gemini",
    configure: |place, _| {
        let settings = json!({
            "security": { "auth": { "selectedType": "gemini-api-key" } },
            "privacy": { "usageStatisticsEnabled": false },
            "general": { "disableAutoUpdate": true, "disableUpdateNag": true },
        });
        let folder = place.beside("home/.gemini");
        std::fs::write(folder.join("settings.json"), settings.to_string()).unwrap();
        let trusted = json!({ place.work().display().to_string(): "TRUST_FOLDER" });
        std::fs::write(folder.join("trustedFolders.json"), trusted.to_string()).unwrap();
    },
    args: &["-p", "Do the task.", "-m", "gemini-2.5-flash"],
    variables: |model| {
        vec![("GEMINI_API_KEY", "fake".to_owned()), ("GOOGLE_GEMINI_BASE_URL", model.url.clone())]
    },
    dialogs: 1,
    look: || None,
};

const OPENCODE: FreshAgent = FreshAgent {
    name: "opencode",
    configure: |place, model| {
        let config = json!({
            "autoupdate": false, "share": "disabled", "model": "scripted/scripted",
            "provider": { "scripted": {
                "npm": "@ai-sdk/openai-compatible", "name": "scripted",
                "options": { "baseURL": format!("{}/v1", model.url), "apiKey": "fake" },
                "models": { "scripted": { "name": "scripted", "tool_call": true } },
            } },
        });
        let folder = place.beside("home/.config/opencode");
        std::fs::write(folder.join("opencode.json"), config.to_string()).unwrap();
    },
    args: &["run", "Do the task."],
    variables: |_| {
        let quiet = ["OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_AUTOUPDATE"];
        quiet.map(|name| (name, "1".to_owned())).to_vec()
    },
    dialogs: 0,
    look: || None,
};

fn claude_variables(model: &Model) -> Vec<(&'static str, String)> {
    let quiet = ["DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"];
    let mut all = quiet.map(|name| (name, "1".to_owned())).to_vec();
    all.push(("ANTHROPIC_BASE_URL", model.url.clone()));
    all.push(("ANTHROPIC_API_KEY", "fake".to_owned()));
    all
}

/// A PATH with wherefore first, as after its installation.
fn path() -> String {
    let ours = Path::new(env!("CARGO_BIN_EXE_wherefore")).parent().unwrap();
    format!("{}:/usr/local/bin:/usr/bin:/bin", ours.display())
}

/// A project of the person's own, with a file in it.
fn project() -> Place {
    let place = Place::new(&[("list.txt", &task::before("item"))]);
    std::fs::create_dir(place.work().join(".git")).unwrap();
    place
}

/// A model that looks around with the agent's own shell, where there is one, and proposes three hunks.
fn model(look: Option<Move>) -> Model {
    let moves = [task::read("list.txt", true), task::patch("list.txt", "item")];
    let mut moves = look.into_iter().chain(moves);
    Model::start(move |_| moves.next().unwrap_or(Move::Say("done")))
}

/// The steps of the person so far.
#[derive(Default)]
struct Steps(Vec<String>);

impl Steps {
    fn does(&mut self, step: &str) {
        self.0.push(step.to_owned());
    }

    /// `wherefore init` at a terminal: a list of files, one question for each that belong together, and `a` to all.
    fn set_up(&mut self, place: &Place, agent: &str) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wherefore"));
        command.args(["init", "--agents", agent]).env("PATH", path());
        self.does("wherefore init");
        let mut terminal = Terminal::open(command, place);
        terminal.shows("This project: write? [y,n,d,a,q,?]");
        assert!(!terminal.screen().contains("+++ "), "a line a file: {}", terminal.screen());
        self.does("a, to write all of it");
        terminal.types("a\r");
        terminal.shows("Written: ");
        terminal.leaves();
    }

    /// Accepts the first hunk, once it waits.
    fn accepts(&mut self, place: &Place, said: impl Fn() -> String) {
        let start = Instant::now();
        let proposal = loop {
            let listed = place.json(&["review", "--list", "--json"]);
            if let Some(id) = listed[0]["id"].as_str() {
                break id.to_owned();
            }
            assert!(start.elapsed() < PATIENCE, "no change waits: {}", said());
            thread::sleep(Duration::from_millis(100));
        };
        self.does("wherefore review");
        self.does("y, to accept the first hunk");
        for choice in [&["--accept", "h1"][..], &["--reject", "h2,h3"]] {
            let output = place.run(&[&["review", &proposal], choice].concat());
            assert!(output.status.success(), "{choice:?}: {output:?}");
        }
    }
}

/// The files after `init` removed its part: the same as before.
fn taken_back(place: &Place) {
    let output = place.run(&["init", "--remove", "--yes"]);
    assert!(output.status.success(), "{output:?}");
    let entries = std::fs::read_dir(place.work()).unwrap().flatten();
    let mut left: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    left.sort();
    assert_eq!(left, [".git", ".wherefore", "list.txt"]);
}

/// The agent changes a file of the project with nothing but what `init` wrote.
fn reaches_its_first_hunk(agent: &FreshAgent) {
    let Some(program) = programs::find(agent.name) else { return };
    let (place, model, mut steps) = (project(), model((agent.look)()), Steps::default());
    (agent.configure)(&place, &model);
    steps.set_up(&place, agent.name);
    steps.does("start the agent");
    (0..agent.dialogs).for_each(|_| steps.does("dialog: trust this folder"));
    steps.does("ask it for a change");
    let mut command = Command::new(program);
    command.args(agent.args);
    let env = (agent.variables)(&model).into_iter().chain(place.env()).chain([("PATH", path())]);
    let running = Agent::start(agent.name, command, &place, place.beside("home"), env);
    steps.accepts(&place, || format!("{}{:#?}", running.output(), model.turns().last()));
    running.finishes();
    assert_eq!(place.text("list.txt"), task::after("item", &[3]), "{:#?}", model.turns().last());
    assert!(steps.0.len() <= MOST_STEPS, "{:#?}", steps.0);
    programs::say(&format!("{}: {} steps, {} dialogs", agent.name, steps.0.len(), agent.dialogs));
    taken_back(&place);
}

#[test]
fn claude() {
    reaches_its_first_hunk(&CLAUDE);
}

#[test]
fn codex() {
    reaches_its_first_hunk(&CODEX);
}

#[test]
fn gemini() {
    reaches_its_first_hunk(&GEMINI);
}

#[test]
fn opencode() {
    reaches_its_first_hunk(&OPENCODE);
}

/// Claude Code at its terminal asks once, whether the folder is trusted: neither about the server nor about a tool.
#[test]
fn claude_asks_once_at_its_terminal() {
    let Some(program) = programs::find("claude") else { return };
    let (place, model, mut steps) = (project(), model(None), Steps::default());
    let settings = json!({
        "hasCompletedOnboarding": true, "theme": "dark",
        "customApiKeyResponses": { "approved": ["fake"], "rejected": [] },
    });
    std::fs::write(place.beside("home").join(".claude.json"), settings.to_string()).unwrap();
    place.beside("logs");
    steps.set_up(&place, "claude");
    let mut command = Command::new(program);
    command.args(["--model", "claude-sonnet-4-5"]).envs(claude_variables(&model)).env("PATH", path());
    steps.does("claude");
    let mut terminal = Terminal::open(command, &place);
    terminal.shows("trust");
    thread::sleep(Duration::from_secs(1));
    steps.does("dialog: trust this folder");
    // *No, exit* is chosen at first.
    terminal.types("\u{1b}[B");
    terminal.types("\r");
    terminal.shows("for shortcuts");
    steps.does("ask it for a change");
    terminal.types("Do the task.");
    terminal.types("\r");
    steps.accepts(&place, || terminal.screen());
    terminal.shows("done");
    let screen = terminal.screen();
    for question in ["Do you want to proceed", "New MCP server", "Do you want to"] {
        assert!(!screen.contains(question), "{question}: {screen}");
    }
    assert_eq!(place.text("list.txt"), task::after("item", &[3]));
    assert!(steps.0.len() <= MOST_STEPS, "{:#?}", steps.0);
    programs::say(&format!("claude at its terminal: {:?}", steps.0));
    terminal.leaves();
}

/// The person's own Neovim, with a configuration of theirs, has the plugin's command and help, and then no longer.
#[test]
fn neovim_has_the_plugin_until_it_is_taken_back() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join(".e2e/nvim-0.12/nvim");
    if !program.exists() {
        return programs::say("skipped: nvim-0.12 is not installed (tests/run installs it)");
    }
    let place = project();
    let mine = place.beside("home/.config/nvim").join("init.lua");
    std::fs::write(&mine, "vim.g.mine = true\nreturn {}\n").unwrap();
    let init = |more: &[&str]| {
        let output = place.run(&[&["init", "--agents", "none", "--neovim", "--yes"], more].concat());
        assert!(output.status.success(), "{output:?}");
    };
    let has = || {
        let mut command = Command::new(&program);
        command.current_dir(place.work()).env_clear().envs(place.env()).env("PATH", path());
        let ask = "lua print(vim.g.mine, vim.fn.exists(':Wherefore'), #vim.fn.getcompletion('wherefore-setup', 'help'), package.loaded.wherefore ~= nil)";
        let output = command.args(["--headless", "-c", ask, "-c", "qa!", "list.txt"]).output().unwrap();
        String::from_utf8(output.stderr).unwrap()
    };
    init(&[]);
    assert!(has().contains("true 2 1 true"), "{}", has());
    init(&["--remove"]);
    assert!(has().contains("true 0 0 false"), "{}", has());
    let left = std::fs::read_dir(mine.parent().unwrap()).unwrap().count();
    assert_eq!((left, place.beside("home").join(".local/share/wherefore").exists()), (1, false));
}
