//! Setting a project up and taking it back, agent by agent: what a person wrote stays byte for byte.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::ValueEnum;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::agents::{AgentChoice, PersonMachine, SetupScope};
use super::edit::FileFormat;
use super::print::TerminalPage;
use super::{FILES, InitArgs, items, offer_setup, plan, remove_setup};
use crate::agents::{ALL, AgentProfile};
use crate::protocol::Settings;

pub(super) mod files;
mod person;

/// The files of a project, wherever it is.
static HERE: LazyLock<SetupScope<'_>> = LazyLock::new(|| SetupScope::Project(Path::new("")));

/// The choice of that name.
pub(super) fn choice(id: &str) -> AgentChoice {
    AgentChoice::from_str(id, false).unwrap()
}

pub(super) fn args(dir: &Path, agents: &[&str]) -> InitArgs {
    InitArgs {
        dir: dir.to_path_buf(),
        root: None,
        yes: true,
        agents: Some(agents.iter().map(|id| choice(id)).collect()),
        remove: false,
        diff: false,
        absolute: false,
        guard: false,
        user: false,
        neovim: false,
        git: false,
        plugins: None,
    }
}

/// Sets up; returns whether it succeeded.
fn set_up(args: &InitArgs) -> bool {
    offer_setup(TerminalPage::stdout(), args, &PersonMachine::default()).unwrap() == ExitCode::SUCCESS
}

/// Removes the set-up; returns whether it succeeded.
fn take_back(args: &InitArgs) -> bool {
    remove_setup(TerminalPage::stdout(), args, &PersonMachine::default()).unwrap() == ExitCode::SUCCESS
}

fn agent(id: &str) -> &'static AgentProfile {
    ALL.iter().find(|agent| agent.id == id).unwrap()
}

#[test]
fn the_settings_shown_are_the_defaults() {
    let shown: String = FILES[0].1.lines().map(|line| line.strip_prefix("# ").unwrap_or(line)).fold(
        String::new(),
        |text, line| match line.contains(" = ") || line.starts_with('[') {
            true => text + line + "\n",
            false => text,
        },
    );
    let mut settings: Settings = toml::from_str(&shown).unwrap();
    // What runs a tool in an environment has an example in place of a default.
    assert!(!std::mem::take(&mut settings.activities).is_empty());
    assert_eq!(settings, Settings::default());
    assert_eq!(toml::from_str::<Settings>(FILES[0].1).unwrap(), Settings::default());
}

#[test]
fn what_is_there_stays() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join(".wherefore")).unwrap();
    fs::write(dir.path().join(FILES[0].0), "# mine\n").unwrap();
    set_up(&args(dir.path(), &[]));
    let text = |path| fs::read_to_string(dir.path().join(path)).unwrap();
    assert_eq!(text(FILES[0].0), "# mine\n");
    assert_eq!(text(FILES[1].0), FILES[1].1);
}

#[test]
fn nothing_is_written_unasked() {
    let dir = tempfile::tempdir().unwrap();
    assert!(set_up(&InitArgs { yes: false, ..args(dir.path(), &["all"]) }));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

/// Checks one agent's file: its text before, and after the entry was added; the removal restores the text before.
fn check(id: &str, name: &str, before: Option<&str>, after: &str) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    if let Some(before) = before {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, before).unwrap();
    }
    let args = args(dir.path(), &[id]);
    for _ in 0..2 {
        assert!(set_up(&args), "{name} of {before:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), after, "{name} of {before:?}");
    }
    for _ in 0..2 {
        assert!(take_back(&args), "{name} of {before:?}");
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), before, "{name}");
    }
    let left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 1 + usize::from(before.is_some()), "{left:?}");
}

#[test]
fn claude_code() {
    let ours = "{\n  \"mcpServers\": {\n    \"wherefore\": {\n      \"type\": \"stdio\",\n      \"command\": \"wherefore\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n";
    check("claude", ".mcp.json", None, ours);
    check(
        "claude",
        ".mcp.json",
        Some("{\"mcpServers\":{\"x\":{\"command\":\"x\"}}}"),
        "{\"mcpServers\":{\"x\":{\"command\":\"x\"}, \"wherefore\": {\"type\": \"stdio\", \"command\": \"wherefore\", \"args\": [\"mcp\"]}}}",
    );
}

#[test]
fn claude_code_asks_about_no_tool_and_no_server() {
    let name = ".claude/settings.local.json";
    let ours = "{\n  \"permissions\": {\n    \"allow\": [\"mcp__wherefore\"]\n  },\n  \"enabledMcpjsonServers\": [\"wherefore\"]\n}\n";
    check("claude", name, None, ours);
    check(
        "claude",
        name,
        Some("{ // mine\n  \"permissions\": { \"allow\": [\"Bash(ls)\"], \"deny\": [] }\n}"),
        "{ // mine\n  \"permissions\": { \"allow\": [\"Bash(ls)\", \"mcp__wherefore\"], \"deny\": [] },\n  \"enabledMcpjsonServers\": [\"wherefore\"]\n}",
    );
}

#[test]
fn an_entry_of_an_earlier_version_gets_what_it_lacks_and_keeps_what_a_person_set() {
    let dir = tempfile::tempdir().unwrap();
    let text = |name: &str| fs::read_to_string(dir.path().join(name)).unwrap();
    for folder in [".codex", ".gemini"] {
        fs::create_dir(dir.path().join(folder)).unwrap();
    }
    let old = "[mcp_servers.wherefore]\ncommand = \"wherefore\"\nargs = [\"mcp\"]\ntool_timeout_sec = 60\n";
    fs::write(dir.path().join(".codex/config.toml"), old).unwrap();
    let set = "{ \"mcpServers\": { \"wherefore\": { \"command\": \"wherefore\", \"args\": [\"mcp\"], \"trust\": false } } }";
    fs::write(dir.path().join(".gemini/settings.json"), set).unwrap();
    assert!(set_up(&args(dir.path(), &["codex", "gemini"])));
    let codex = text(".codex/config.toml");
    assert!(codex.contains("tool_timeout_sec = 60\n"), "{codex}");
    assert!(codex.contains("default_tools_approval_mode = \"approve\"\n"), "{codex}");
    assert_eq!(text(".gemini/settings.json"), set);
}

#[test]
fn vs_code() {
    let before = "{\r\n\t// what we share\r\n\t\"servers\": {\r\n\t\t\"x\": { \"command\": \"x\" }, // why\r\n\t\t// and no more\r\n\t},\r\n\t\"inputs\": [],\r\n}\r\n";
    let after = "{\r\n\t// what we share\r\n\t\"servers\": {\r\n\t\t\"x\": { \"command\": \"x\" }, // why\r\n\t\t\"wherefore\": {\r\n\t\t\t\"type\": \"stdio\",\r\n\t\t\t\"command\": \"wherefore\",\r\n\t\t\t\"args\": [\"mcp\"]\r\n\t\t},\r\n\t\t// and no more\r\n\t},\r\n\t\"inputs\": [],\r\n}\r\n";
    check("vscode", ".vscode/mcp.json", Some(before), after);
}

#[test]
fn codex() {
    let ours = "[mcp_servers.wherefore]\ncommand = \"wherefore\"\nargs = [\"mcp\", \"--wait\", \"3570\"]\nenv_vars = [\"XDG_RUNTIME_DIR\", \"XDG_CONFIG_HOME\", \"XDG_STATE_HOME\", \"XDG_CACHE_HOME\"]\ndefault_tools_approval_mode = \"approve\"\ntool_timeout_sec = 3600\nrequired = true";
    check("codex", ".codex/config.toml", None, &format!("{ours}\n"));
    for before in [
        "# mine\nmodel = \"m\" # the small one\n\n[mcp_servers.x]\ncommand = \"x\"\n# behind it\n",
        "model = '''\n[mcp_servers.wherefore]\n'''\n\n\n",
        "[mcp_servers]\n",
    ] {
        check("codex", ".codex/config.toml", Some(before), &format!("{before}\n{ours}\n"));
    }
    check("codex", ".codex/config.toml", Some("model = \"m\""), &format!("model = \"m\"\n\n{ours}"));
    let (before, ours) = ("model = \"m\"\r\n", ours.replace('\n', "\r\n"));
    check("codex", ".codex/config.toml", Some(before), &format!("{before}\r\n{ours}\r\n"));
}

#[test]
fn gemini_cli() {
    let before = "\u{feff}{\n    \"ui\": { \"theme\": \"Dark\" } // by day\n}";
    let after = "\u{feff}{\n    \"ui\": { \"theme\": \"Dark\" }, // by day\n    \"mcpServers\": {\n        \"wherefore\": {\n            \"command\": \"wherefore\",\n            \"args\": [\"mcp\", \"--wait\", \"570\"],\n            \"trust\": true\n        }\n    }\n}";
    check("gemini", ".gemini/settings.json", Some(before), after);
}

#[test]
fn opencode() {
    let entry = "\"wherefore\": {\n      \"type\": \"local\",\n      \"command\": [\"wherefore\", \"mcp\"],\n      \"enabled\": true\n    }";
    let schema = "{\n  \"$schema\": \"https://opencode.ai/config.json\",\n";
    check("opencode", "opencode.json", None, &format!("{schema}  \"mcp\": {{\n    {entry}\n  }}\n}}\n"));
    check(
        "opencode",
        "opencode.jsonc",
        Some(&format!("{schema}  /* none yet */\n}}\n")),
        &format!("{schema}  \"mcp\": {{\n    {entry}\n  }},\n  /* none yet */\n}}\n"),
    );
}

#[test]
fn zed() {
    check(
        "zed",
        ".zed/settings.json",
        Some("// Folder settings\n{}\n// the end\n"),
        "// Folder settings\n{\n  \"context_servers\": {\n    \"wherefore\": {\n      \"command\": \"wherefore\",\n      \"args\": [\"mcp\"],\n      \"remote\": true\n    }\n  }\n}\n// the end\n",
    );
}

#[test]
fn a_file_that_is_no_settings_file_is_left_as_it_is() {
    for (id, name, text) in [
        ("claude", ".mcp.json", "{ \"mcpServers\": { "),
        ("claude", ".mcp.json", "[]"),
        ("claude", ".mcp.json", "{ \"mcpServers\": 1 }"),
        ("claude", ".mcp.json", "{ mcpServers: {} }"),
        ("gemini", ".gemini/settings.json", "{} {}"),
        ("codex", ".codex/config.toml", "model = \n"),
        ("codex", ".codex/config.toml", "mcp_servers = { x = { command = \"x\" } }\n"),
        ("codex", ".codex/config.toml", "mcp_servers = 1\n"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        assert!(!set_up(&args(dir.path(), &[id, "zed"])), "{text}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert!(dir.path().join(".zed/settings.json").exists(), "the others are set up");
        let problem =
            plan::put_entry(agent(id), SetupScope::Project(dir.path()), "wherefore").unwrap_err().to_string();
        assert!(problem.starts_with(&format!("{name} is left as it is: ")), "{problem}");
    }
}

#[test]
fn an_entry_of_the_person_s_own_is_replaced_only_on_a_yes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(".mcp.json");
    let theirs = "{\n  \"mcpServers\": {\n    \"wherefore\": { \"command\": \"other\" }, // mine\n    \"x\": {}\n  }\n}\n";
    fs::write(&path, theirs).unwrap();
    let args = args(dir.path(), &["claude"]);
    set_up(&InitArgs { yes: false, ..args });
    assert!(take_back(&self::args(dir.path(), &["claude"])));
    assert_eq!(fs::read_to_string(&path).unwrap(), theirs);
    let args = self::args(dir.path(), &["claude"]);
    assert!(set_up(&args));
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"command\": \"wherefore\"") && !text.contains("other"), "{text}");
    assert!(text.contains("}, // mine\n    \"x\": {}\n"), "{text}");
    // Members that a person adds stay, and are no reason to change the entry.
    fs::write(&path, text.replace("\"args\"", "\"timeout\": 90000,\n      \"args\"")).unwrap();
    let before = fs::read_to_string(&path).unwrap();
    assert!(set_up(&args));
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
    fs::write(dir.path().join(".mcp.json"), before.replace("\"x\": {}", "\"x\": { \"command\": \"x\" }"))
        .unwrap();
    assert!(take_back(&args));
    let left: Value =
        serde_json::from_str(&fs::read_to_string(&path).unwrap().replace(" // mine", "")).unwrap();
    assert_eq!(left, json!({ "mcpServers": { "x": { "command": "x" } } }));
}

#[test]
fn a_codex_table_goes_with_the_tables_below_it() {
    let place = agent("codex").setup.entry_path;
    let place = &place.entry_path();
    let text = "a = 1\n\n[mcp_servers.wherefore.tools.fs_read]\napproval_mode = \"approve\"\n\n# the other\n[b]\nc = [\n  1,\n] # d\n\n[mcp_servers.wherefore]\ncommand = \"w\"\n# kept by hand\nargs = [\n  \"mcp\",\n]\n# end\n\n[[e]]\nf = 1\n";
    let left = FileFormat::Toml.take_entry(text, place).unwrap();
    assert_eq!(left, "a = 1\n\n# the other\n[b]\nc = [\n  1,\n] # d\n# end\n\n[[e]]\nf = 1\n");
    let inline = "[mcp_servers]\nwherefore = { command = \"w\" }\n";
    assert!(
        FileFormat::Toml.take_entry(inline, place).unwrap_err().to_string().contains("no table of its own")
    );
}

#[test]
fn a_link_stays_a_link_and_a_mode_a_mode() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let (link, real) = (dir.path().join(".mcp.json"), dir.path().join("real.json"));
    fs::write(&real, "{}").unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real.json", &link).unwrap();
    let args = args(dir.path(), &["claude"]);
    assert!(set_up(&args));
    assert!(fs::read_to_string(&real).unwrap().contains("wherefore"));
    assert!(take_back(&args));
    assert_eq!(fs::read_to_string(&real).unwrap(), "{}");
    assert!(link.is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_file_that_changes_meanwhile_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let plan =
        plan::put_entry(agent("claude"), SetupScope::Project(dir.path()), "wherefore").unwrap().unwrap();
    fs::write(dir.path().join(".mcp.json"), "{}").unwrap();
    assert!(plan.carry_out(dir.path()).unwrap_err().to_string().contains("has changed meanwhile"));
    assert_eq!(fs::read_to_string(dir.path().join(".mcp.json")).unwrap(), "{}");
}

#[test]
fn agents_are_found_by_program_or_by_what_they_leave() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| {
        let path = dir.path().join(name);
        fs::create_dir_all(&path).unwrap();
        path
    };
    let project = place("project");
    let found = |machine: &PersonMachine| -> Vec<&str> {
        ALL.iter().filter(|agent| agent.is_found(machine, &project)).map(|agent| agent.id).collect()
    };
    assert_eq!(found(&PersonMachine::default()), [""; 0]);
    let programs = [("bin/claude", 0o755), ("bin/opencode", 0o644), ("sbin/zed", 0o755)];
    place("bin");
    place("sbin");
    for (name, mode) in programs {
        fs::write(dir.path().join(name), "").unwrap();
        fs::set_permissions(dir.path().join(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    let path = std::env::join_paths([dir.path().join("sbin"), dir.path().join("bin")]).unwrap();
    let machine = PersonMachine { path, ..PersonMachine::default() };
    assert_eq!(found(&machine), ["claude"]);
    let home = Some(dir.path().to_path_buf());
    let machine = PersonMachine {
        home,
        config: Some(place("config")),
        moved_folders: [("codex", place("own"))].into(),
        ..machine
    };
    place(".gemini");
    place("config/zed");
    assert_eq!(found(&machine), ["claude", "codex", "gemini", "zed"]);
    fs::write(project.join("opencode.jsonc"), "{}").unwrap();
    fs::create_dir(project.join(".vscode")).unwrap();
    assert_eq!(found(&machine).len(), 6);
}

/// Files as people leave them, which no reader and writer of JSON or TOML would give back as they were.
const ODD: [(&str, &str); 26] = [
    ("claude", "{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n    \"x\": {}\r\n  }\r\n}\r\n"),
    ("claude", "{\n  \"a\": 1,\r\n\t\"b\": 2\n}"),
    ("claude", "\u{feff}{\"a\":1,}"),
    ("claude", "{ \"mcpServers\" : { \"x\" : {} , } , }"),
    ("claude", "{\n\n\n  \"a\": 1\n\n\n}\n\n\n"),
    ("claude", "{\"a\":[1,2,\n3],\"b\":{\n}}"),
    ("claude", "{\n\"a\": 1 // c\n// d\n}"),
    ("claude", "{\n  \"a\": 1 /* c\n d */ // e\n  , // f\n}"),
    ("claude", "{\n  \"mcpServers\": {\n    // none of them\n\n    /* yet */\n  }\n}\n"),
    ("claude", "{\n   \"a\": 1e5,\n   \"a\": 0.10,\n   \"mcpServers\": { \"x\": { } }\n}"),
    ("claude", "{\r  \"a\": 1\r}\r"),
    ("claude", "{ \"a\": \"\\u0041\\/ü漢\u{200b}\" }"),
    ("claude", "{\t\"mcpServers\": {\n\t\t\"x\": {\"command\": \"x\"}, \"y\": {} } }"),
    ("codex", "a = 1\r\n[b]\r\nc = 2\r\n"),
    ("codex", "a = 1\r\nb = 2\n[c]\r\n"),
    ("codex", "a = \"\"\"\r\nx\n\"\"\"\r\n"),
    ("codex", "\u{feff}a = 1"),
    ("codex", "  a   =   1   # c   \n   [ b . c ]   # d\n\td=2\n"),
    ("codex", "[b.c]\nx = 1\n[a]\ny = 2\n[b]\nz = 3\n"),
    ("codex", "a.b = 1\nc = 2\na.d = 3\n"),
    ("codex", "[[a]]\n\n[[a.b]]\nc = 1\n\n[[a]]\n# end\n\n\n"),
    ("codex", "a = { b = [ 1 , 2 , ], c = 'd' }\n"),
    ("codex", "[mcp_servers.\"x y\"]\ncommand = 'x'\n[mcp_servers]\n# none\n"),
    ("codex", "# only words\n\n"),
    ("codex", "\n\n\n"),
    ("codex", "a = 0x1F\nb = 1_000\nc = 1979-05-27 07:32:00Z\n"),
];

#[test]
fn an_odd_file_keeps_each_byte() {
    for (id, text) in ODD {
        let agent = agent(id);
        let put = agent.setup.format.put_entry(
            text,
            &agent.setup.entry_path.entry_path(),
            &agent.server_entry("wherefore", *HERE),
            &[],
        );
        let put = put.unwrap_or_else(|problem| panic!("{text:?}: {problem}"));
        let mut added = put.chars();
        assert!(text.chars().all(|c| added.any(|other| other == c)), "{text:?} lost something: {put:?}");
        let entry = agent.setup.format.read_entry(&put, &agent.setup.entry_path.entry_path()).unwrap();
        assert_eq!(entry, Some(agent.server_entry("wherefore", *HERE)), "{put:?}");
        assert_eq!(
            agent.setup.format.take_entry(&put, &agent.setup.entry_path.entry_path()).unwrap(),
            text,
            "{put:?}"
        );
    }
}

/// A JSON text with comments, laid out in one of many ways; never without a member, and with no empty object of
/// entries.
fn layout() -> impl Strategy<Value = String> {
    let blank = prop::sample::select(vec![
        "",
        " ",
        "\n",
        "\n  ",
        "\t",
        " // c\n",
        " /* c */ ",
        "\n  // c, {\n  ",
        "\r\n",
    ]);
    let value =
        prop::sample::select(vec!["1", "\"a, {\"", "[1, 2]", "{}", "{ \"b\": 1, }", "{\n\"c\": [\n1\n]\n}"]);
    let member = (blank.clone(), 0..3_usize, blank.clone(), value, blank.clone());
    let members = prop::collection::vec(member, 1..4);
    (blank.clone(), members, any::<bool>(), any::<bool>(), blank).prop_map(
        |(head, members, nested, trailing, tail)| {
            let all: Vec<String> = members
                .iter()
                .enumerate()
                .map(|(at, (before, kind, gap, value, after))| {
                    format!("{before}\"k{kind}{at}\":{gap}{value}{after}")
                })
                .collect();
            let object = format!("{{{}{}{tail}}}", all.join(","), if trailing { "," } else { "" });
            if nested {
                format!("{head}{{\"mcpServers\": {object} }}{tail}")
            } else {
                format!("{head}{object}{tail}")
            }
        },
    )
}

proptest! {
    #[test]
    fn what_comes_in_goes_out_again_byte_for_byte(text in layout()) {
        let agent = agent("claude");
        let put = FileFormat::Json.put_entry(&text, &agent.setup.entry_path.entry_path(), &agent.server_entry("wherefore", *HERE), &[]).unwrap();
        prop_assert_eq!(FileFormat::Json.read_entry(&put, &agent.setup.entry_path.entry_path()).unwrap(), Some(agent.server_entry("wherefore", *HERE)));
        prop_assert_eq!(FileFormat::Json.take_entry(&put, &agent.setup.entry_path.entry_path()).unwrap(), text, "{}", put);
    }

    #[test]
    fn no_text_is_too_odd(text in "[\\[\\]{}:,\"/*# =.a\n\r\u{feff}ü-]{0,60}") {
        for agent in [agent("claude"), agent("codex")] {
            let put = agent.setup.format.put_entry(&text, &agent.setup.entry_path.entry_path(), &agent.server_entry("wherefore", *HERE), &[]);
            let _ = agent.setup.format.take_entry(&put.unwrap_or(text.clone()), &agent.setup.entry_path.entry_path());
        }
    }
}

/// A JSON text with comments and a list `hooks.on`, laid out in one of many ways; never without an item.
fn listing() -> impl Strategy<Value = String> {
    let blank = prop::sample::select(vec!["", " ", "\n", "\n    ", " // c\n", " /* c, [ */ ", "\r\n"]);
    let value = prop::sample::select(vec!["1", "\"a, [\"", "{}", "[]", "{ \"b\": [1], }", "{\n\"c\": 1\n}"]);
    let items = prop::collection::vec((blank.clone(), value, blank.clone()), 1..4);
    (items, any::<bool>(), blank.clone(), blank).prop_map(|(items, trailing, head, tail)| {
        let all: Vec<String> =
            items.iter().map(|(before, value, after)| format!("{before}{value}{after}")).collect();
        let comma = if trailing { "," } else { "" };
        format!("{head}{{{head}\"hooks\": {{\"on\":{head}[{}{comma}{tail}]{tail}}}}}{tail}", all.join(","))
    })
}

proptest! {
    #[test]
    fn an_item_comes_in_and_goes_out_again_byte_for_byte(text in listing()) {
        let item = json!({ "matcher": "x", "hooks": [{ "command": "wherefore hook claude" }] });
        let path = ["hooks", "on"];
        let put = items::append_item(&text, &path, &item, &[]).unwrap();
        prop_assert_eq!(items::list_items(&put, &path).unwrap().pop(), Some(item.clone()));
        prop_assert_eq!(items::take_items(&put, &path, &|other| *other == item).unwrap(), text, "{}", put);
    }
}
