//! Real agents at work in a place, each with a scripted model, a home of its own, and no one to ask.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::model::Model;
use crate::place::Place;

/// The longest time that a run may take on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

/// A running agent.
pub(crate) struct Agent {
    name: &'static str,
    child: Child,
    home: PathBuf,
}

/// A command that starts a server for an agent over standard input and output.
pub(crate) struct Server {
    program: String,
    args: Vec<String>,
    env: Vec<(&'static str, String)>,
}

impl Server {
    /// Ours, for the workspace of a place.
    pub(crate) fn of(place: &Place, more: &[&str]) -> Self {
        let root = place.work().display().to_string();
        let args = ["mcp", "--root", &root].iter().chain(more).map(|arg| (*arg).to_owned()).collect();
        Self { program: env!("CARGO_BIN_EXE_wherefore").to_owned(), args, env: place.env().to_vec() }
    }
}

impl Agent {
    /// Claude Code, in print mode, with our tools allowed.
    pub(crate) fn claude(program: &Path, place: &Place, server: &Server, model: &Model) -> Self {
        let home = place.beside("claude");
        let env: serde_json::Map<_, _> =
            server.env.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        let servers = json!({ "mcpServers": { "wherefore": { "command": server.program, "args": server.args, "env": env } } });
        std::fs::write(home.join("mcp.json"), servers.to_string()).unwrap();
        let mut command = Command::new(program);
        command.args(["-p", "Do the task.", "--model", "claude-sonnet-4-5", "--strict-mcp-config"]);
        command.args(["--allowedTools", "mcp__wherefore", "--mcp-config"]).arg(home.join("mcp.json"));
        let quiet = ["DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"];
        let quiet = quiet.map(|name| (name, "1".to_owned()));
        let tells = [("ANTHROPIC_BASE_URL", model.url.clone()), ("ANTHROPIC_API_KEY", "fake".to_owned())];
        Self::start("claude", command, place, home, quiet.into_iter().chain(tells))
    }

    /// Codex, running one task, with our tools approved.
    pub(crate) fn codex(program: &Path, place: &Place, server: &Server, model: &Model) -> Self {
        let home = place.beside("codex");
        let env: Vec<_> = server.env.iter().map(|(name, value)| format!("{name} = {value:?}")).collect();
        let config = format!(
            r#"model = "scripted"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "read-only"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "{}/v1"
wire_api = "responses"

[mcp_servers.wherefore]
command = {:?}
args = {:?}
env = {{ {} }}
required = true
tool_timeout_sec = 60
default_tools_approval_mode = "approve"
"#,
            model.url,
            server.program,
            server.args,
            env.join(", "),
        );
        std::fs::write(home.join("config.toml"), config).unwrap();
        let mut command = Command::new(program);
        command.args(["exec", "--skip-git-repo-check", "Do the task."]);
        let tells = [("CODEX_HOME", home.display().to_string())];
        Self::start("codex", command, place, home, tells)
    }

    /// OpenCode, running one task with a model of one's own.
    pub(crate) fn opencode(program: &Path, place: &Place, server: &Server, model: &Model) -> Self {
        let home = place.beside("opencode");
        let env: serde_json::Map<_, _> =
            server.env.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        let words: Vec<_> = std::iter::once(&server.program).chain(&server.args).collect();
        let config = json!({
            "autoupdate": false,
            "share": "disabled",
            "model": "scripted/scripted",
            "provider": { "scripted": {
                "npm": "@ai-sdk/openai-compatible", "name": "scripted",
                "options": { "baseURL": format!("{}/v1", model.url), "apiKey": "fake" },
                "models": { "scripted": { "name": "scripted", "tool_call": true } },
            } },
            "mcp": { "wherefore": { "type": "local", "command": words, "environment": env, "enabled": true } },
        });
        std::fs::write(home.join("config.json"), config.to_string()).unwrap();
        let mut command = Command::new(program);
        command.args(["run", "Do the task."]);
        let tells = [
            ("OPENCODE_CONFIG", home.join("config.json").display().to_string()),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned()),
            ("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned()),
        ];
        Self::start("opencode", command, place, home, tells)
    }

    /// Gemini CLI, running one task.
    pub(crate) fn gemini(program: &Path, place: &Place, server: &Server, model: &Model) -> Self {
        let home = place.beside("gemini");
        let env: serde_json::Map<_, _> =
            server.env.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        let settings = json!({
            "security": { "auth": { "selectedType": "gemini-api-key" } },
            "privacy": { "usageStatisticsEnabled": false },
            "general": { "disableAutoUpdate": true, "disableUpdateNag": true },
            "mcpServers": { "wherefore": { "command": server.program, "args": server.args, "env": env, "trust": true } },
        });
        std::fs::create_dir_all(home.join(".gemini")).unwrap();
        std::fs::write(home.join(".gemini/settings.json"), settings.to_string()).unwrap();
        let mut command = Command::new(program);
        command.args(["-p", "Do the task.", "-m", "gemini-2.5-flash"]);
        let tells = [
            ("GEMINI_API_KEY", "fake".to_owned()),
            ("GOOGLE_GEMINI_BASE_URL", model.url.clone()),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
        ];
        Self::start("gemini", command, place, home, tells)
    }

    /// Starts one in the workspace or in the folder that the command names, with that home and these variables, and nothing else of this machine's.
    pub(crate) fn start(
        name: &'static str,
        mut command: Command,
        place: &Place,
        home: PathBuf,
        env: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Self {
        let output = File::create(home.join("output.log")).unwrap();
        if command.get_current_dir().is_none() {
            command.current_dir(place.work());
        }
        command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command.env("HOME", &home).env("TMPDIR", &home).env("TERM", "dumb").envs(env);
        command.stdin(Stdio::null()).stdout(output.try_clone().unwrap()).stderr(output);
        Self { name, child: command.spawn().unwrap(), home }
    }

    /// The output so far.
    pub(crate) fn output(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(self.home.join("output.log")).unwrap_or_default()).into_owned()
    }

    /// Kills it, so that it can end nothing of its own.
    pub(crate) fn kill(&self) {
        let killed = Command::new("kill").args(["-KILL", &self.child.id().to_string()]).status().unwrap();
        assert!(killed.success());
    }

    /// Whether it is done, well or not.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits until it is done, well or not. Gives what it printed.
    pub(crate) fn ends(mut self) -> String {
        let start = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(start.elapsed() < LIMIT, "{} is not done: {}", self.name, self.output());
            thread::sleep(Duration::from_millis(20));
        }
        self.output()
    }

    /// Waits until it is done, which it must be well.
    pub(crate) fn finishes(mut self) {
        let start = Instant::now();
        loop {
            match self.child.try_wait().unwrap() {
                Some(status) => {
                    return assert!(status.success(), "{} ended with {status}: {}", self.name, self.output());
                }
                None if start.elapsed() > LIMIT => panic!("{} is not done: {}", self.name, self.output()),
                None => thread::sleep(Duration::from_millis(20)),
            }
        }
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
