//! The folders of plugins, a form each: the server's entry, the hooks, the commands, and what the form wants beside them.

use serde_json::{Value, json};

use super::commands::COMMANDS;
use super::plugins;
use crate::agents::{AgentProfile, HookAgent, PROGRAM, PluginForm, PluginProfile};
use crate::cli::init::agents::{PersonMachine, SetupScope};
use crate::cli::init::guard::command::HookCommand;

/// The version of the packages: the program's.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The description of the packages, in the hundred characters that registries take.
pub(super) const DESCRIPTION: &str =
    "Review what coding agents change, hunk by hunk, in your editor or terminal, before it is written";
/// The licence of the packages.
pub(super) const LICENSE: &str = env!("CARGO_PKG_LICENSE");
/// The words by which the packages are found.
pub(super) const KEYWORDS: [&str; 4] = ["agents", "review", "hooks", "mcp"];
/// The schemas of the standard Agent Plugins.
const AGENT_PLUGINS: &str = "https://agent-plugins.org/schemas/1.0.0";

/// A file of a package.
pub(super) struct PackageFile {
    /// Its path below the folder of all packages.
    pub(super) path: String,
    pub(super) text: String,
}

impl PackageFile {
    pub(super) fn of_json(path: impl Into<String>, value: &Value) -> Self {
        Self { path: path.into(), text: format!("{value:#}\n") }
    }
}

/// The files of every agent's plugin.
pub(super) fn plugin_files() -> impl Iterator<Item = PackageFile> {
    plugins().flat_map(|(agent, plugin)| {
        let mut files = match plugin.form {
            PluginForm::Claude => claude_files(agent, plugin),
            PluginForm::Codex => codex_files(agent, plugin),
            PluginForm::AgentPlugins => agent_plugins_files(agent, plugin),
            PluginForm::Extension(manifest) => extension_files(agent, plugin, manifest),
            PluginForm::NpmPackage => npm_files(agent),
        };
        files.push(PackageFile { path: "README.md".to_owned(), text: readme(agent, plugin) });
        files.into_iter().map(|file| PackageFile { path: format!("{}/{}", agent.id, file.path), ..file })
    })
}

fn claude_files(agent: &'static AgentProfile, plugin: &PluginProfile) -> Vec<PackageFile> {
    let mut manifest = identity();
    manifest["author"] = json!({ "name": PROGRAM });
    let market = json!({
        "name": PROGRAM,
        "owner": { "name": PROGRAM },
        "description": DESCRIPTION,
        "plugins": [{ "name": PROGRAM, "source": "./", "description": DESCRIPTION }],
    });
    let mut files = vec![
        PackageFile::of_json(".claude-plugin/plugin.json", &manifest),
        PackageFile::of_json(".claude-plugin/marketplace.json", &market),
        PackageFile::of_json(".mcp.json", &servers(server_entry(agent))),
        PackageFile::of_json("hooks/hooks.json", &hooks(agent, plugin)),
    ];
    files.extend(markdown_commands("commands"));
    files
}

fn codex_files(agent: &'static AgentProfile, plugin: &PluginProfile) -> Vec<PackageFile> {
    let mut manifest = identity();
    manifest["mcpServers"] = json!("./.mcp.json");
    manifest["hooks"] = json!("./hooks/hooks.json");
    manifest["interface"] =
        json!({ "displayName": PROGRAM, "shortDescription": DESCRIPTION, "category": "Coding" });
    let market = json!({
        "name": PROGRAM,
        "interface": { "displayName": PROGRAM },
        "plugins": [{
            "name": PROGRAM,
            "source": { "source": "local", "path": "./" },
            "policy": { "installation": "AVAILABLE", "authentication": "ON_INSTALL" },
            "category": "Coding",
        }],
    });
    vec![
        PackageFile::of_json(".codex-plugin/plugin.json", &manifest),
        PackageFile::of_json(".agents/plugins/marketplace.json", &market),
        PackageFile::of_json(".mcp.json", &servers(server_entry(agent))),
        PackageFile::of_json("hooks/hooks.json", &hooks(agent, plugin)),
    ]
}

/// The standard names no hooks: Copilot's stand in the folder that it leaves to each agent. No server stands in the package:
/// Copilot would start it in the package's folder and not in the project's.
fn agent_plugins_files(agent: &'static AgentProfile, plugin: &PluginProfile) -> Vec<PackageFile> {
    let mut manifest = identity();
    manifest["$schema"] = json!(format!("{AGENT_PLUGINS}/plugin.schema.json"));
    manifest["author"] = json!({ "name": PROGRAM });
    let market = json!({
        "name": PROGRAM,
        "owner": { "name": PROGRAM },
        "metadata": { "description": DESCRIPTION, "version": VERSION },
        "plugins": [{ "name": PROGRAM, "source": "./", "description": DESCRIPTION, "version": VERSION }],
    });
    let mut files = vec![
        PackageFile::of_json("plugin.json", &manifest),
        PackageFile::of_json(".github/plugin/marketplace.json", &market),
        PackageFile::of_json("com.github.copilot/hooks/hooks.json", &hooks(agent, plugin)),
    ];
    files.extend(markdown_commands("com.github.copilot/commands"));
    files
}

fn extension_files(agent: &'static AgentProfile, plugin: &PluginProfile, manifest: &str) -> Vec<PackageFile> {
    let mut entry = server_entry(agent);
    // An extension may not say that its tools need no question.
    if let Some(members) = entry.as_object_mut() {
        members.remove("trust");
    }
    let mut whole = json!({ "name": PROGRAM, "version": VERSION, "description": DESCRIPTION });
    whole["mcpServers"] = json!({ PROGRAM: entry });
    let mut files = vec![
        PackageFile::of_json(manifest, &whole),
        PackageFile::of_json("hooks/hooks.json", &hooks(agent, plugin)),
    ];
    files.extend(COMMANDS.iter().map(|command| PackageFile {
        path: format!("commands/{}.toml", command.name),
        text: command.to_toml(),
    }));
    files
}

/// OpenCode's plugin, and a module around it that adds the server to the settings of version 1.
fn npm_files(agent: &'static AgentProfile) -> Vec<PackageFile> {
    let mut package = identity();
    package["name"] = json!(format!("{}-{PROGRAM}", agent.id));
    package["type"] = json!("module");
    package["main"] = json!("index.js");
    package["exports"] = json!({ ".": "./index.js", "./server": "./index.js" });
    package["files"] = json!(["index.js", "wherefore.js"]);
    let module = format!(
        "// Adds wherefore's server to OpenCode's settings, beside the hooks of wherefore.js.\n\
         import plugin from \"./wherefore.js\";\n\n\
         const ENTRY = {};\n\n\
         const server = async (input) => {{\n  \
         const hooks = await plugin.server(input);\n  \
         const config = async (settings) => {{\n    \
         settings.mcp = {{ {PROGRAM}: ENTRY, ...settings.mcp }};\n    \
         await hooks.config(settings);\n  \
         }};\n  \
         return {{ ...hooks, config }};\n\
         }};\n\n\
         export default {{ ...plugin, server }};\n",
        server_entry(agent)
    );
    let hooks = HookAgent::of_profile(agent).and_then(|agent| agent.plugin_text(&hook_command()));
    vec![
        PackageFile::of_json("package.json", &package),
        PackageFile { path: "index.js".to_owned(), text: module },
        PackageFile { path: "wherefore.js".to_owned(), text: hooks.unwrap_or_default() },
    ]
}

/// The members by which every form names a package.
fn identity() -> Value {
    json!({
        "name": PROGRAM,
        "version": VERSION,
        "description": DESCRIPTION,
        "license": LICENSE,
        "keywords": KEYWORDS,
    })
}

fn servers(entry: Value) -> Value {
    json!({ "mcpServers": { PROGRAM: entry } })
}

fn server_entry(agent: &AgentProfile) -> Value {
    agent.server_entry(PROGRAM, SetupScope::Person(&PersonMachine::default()))
}

/// The command of a plugin's hooks, which tells them from those of settings files.
pub(super) fn hook_command() -> HookCommand {
    HookCommand { program: PROGRAM.to_owned(), refuse: false, is_of_plugin: true }
}

/// The hooks of an agent, as a file of its own has them. Where the agent would ask about the tools of a plugin's server, the
/// hook is asked about these, too.
fn hooks(agent: &'static AgentProfile, plugin: &PluginProfile) -> Value {
    let Some(agent) = HookAgent::of_profile(agent) else { return Value::Null };
    let mut whole: serde_json::Map<String, Value> =
        agent.hook_file_head().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let lists = agent.hook_items(&hook_command()).into_iter().enumerate().map(|(at, (event, mut item))| {
        if let (0, Some(server), Some(matcher)) = (at, plugin.server_name, item["matcher"].as_str()) {
            item["matcher"] = json!(format!("{matcher}|mcp__{server}__.*"));
        }
        (event.to_owned(), json!([item]))
    });
    whole.insert("hooks".to_owned(), Value::Object(lists.collect()));
    Value::Object(whole)
}

fn markdown_commands(folder: &'static str) -> impl Iterator<Item = PackageFile> {
    COMMANDS.iter().map(move |command| PackageFile {
        path: format!("{folder}/{}.md", command.name),
        text: command.to_markdown(),
    })
}

/// The page that people read before they install a package.
fn readme(agent: &AgentProfile, plugin: &PluginProfile) -> String {
    let lines = |lines: &[&str]| lines.join("\n").replace("{folder}", "PATH/OF/THIS/FOLDER");
    let covered = agent.hooks.map_or("calls", |hooks| hooks.setup.covered);
    let remove = match plugin.remove {
        [] => "Take its line out of the list of plugins in your settings.".to_owned(),
        all => format!("```sh\n{}\n```", lines(all)),
    };
    let lack =
        plugin.lack.map_or_else(String::new, |lack| format!("\nWith this plugin {} {lack}.\n", agent.title));
    format!(
        "# wherefore for {title}\n\n\
         {DESCRIPTION}. This package has {title} start wherefore's server of the Model Context Protocol, and sends its own \
         {covered} through wherefore by hooks: you decide on each hunk of an edit before it is written, commands run in a \
         sandbox, and what your rules close is not read. Why each line is as it is stays in a log.\n\n\
         ## Install\n\n\
         The program `wherefore` has to be on your PATH: `npm install --global wherefore` puts it there, for Linux. Without it \
         the hooks let {title} go on by its own rules.\n\n\
         ```sh\n{install}\n```\n{lack}\n\
         ## Remove\n\n{remove}\n\n\
         ## Licence\n\n{LICENSE}\n",
        title = agent.title,
        install = lines(plugin.install),
    )
}
