//! The recipe of Codex.
//!
//! install: codex|@openai/codex@0.169.0-linux-ARCH|@openai/codex/vendor/*/bin/codex|itself

use serde_json::json;

use super::{OwnCall, OwnTools, attempt_call};
use crate::model::Move;

pub(crate) const CODEX: OwnTools = OwnTools {
    name: "codex",
    title: "Codex",
    file: ".codex/hooks.json",
    logged: "codex",
    moves: |_, before, after| {
        let lines = before.lines().zip(after.lines()).map(|(old, new)| match old == new {
            true => format!(" {old}\n"),
            false => format!("-{old}\n+{new}\n"),
        });
        let hunk: String = lines.collect();
        let patch = format!("*** Begin Patch\n*** Update File: list.txt\n@@\n{hunk}*** End Patch");
        vec![Move::Call("apply_patch", json!({ "input": patch }))]
    },
    shell: |script| Move::Call("exec_command", json!({ "cmd": script })),
    configure: |place, model| {
        let config = format!(
            "model = \"gpt-5.5\"\nmodel_provider = \"scripted\"\ncheck_for_update_on_startup = false\n[analytics]\nenabled = false\n[model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\n",
            model.url
        );
        std::fs::write(place.beside("home/.codex").join("config.toml"), config).unwrap();
    },
    variables: |_| Vec::new(),
    args: &["exec", "--skip-git-repo-check", "Do the task."],
    unasked: &["-s", "workspace-write"],
    attempts,
};

/// Codex as `codex exec` runs where nobody says otherwise: its sandbox writes nothing.
pub(crate) const CODEX_READ_ONLY: OwnTools = OwnTools { unasked: &[], ..CODEX };

/// Codex without a sandbox of its own.
pub(crate) const CODEX_UNCONFINED: OwnTools = OwnTools { unasked: &["-s", "danger-full-access"], ..CODEX };

/// Codex that writes no conversation, so that nobody can tell its sandbox.
pub(crate) const CODEX_EPHEMERAL: OwnTools =
    OwnTools { unasked: &["--ephemeral", "-s", "workspace-write"], ..CODEX };

/// A file outside is left to Codex's own sandbox, which writes to folders for temporary files: tests stand in one.
fn attempts() -> Vec<OwnCall> {
    let patch = |body: String| json!({ "input": format!("*** Begin Patch\n{body}*** End Patch") });
    vec![
        attempt_call("an edit", "apply_patch", move |_, target| {
            patch(format!("*** Update File: {target}\n@@\n-old\n+new\n"))
        }),
        attempt_call(
            "an edit by a heredoc",
            "apply_patch",
            move |_, target| json!({ "input": format!("<<'EOF'\n*** Begin Patch\n*** Update File: {target}\n@@\n-old\n+new\n*** End Patch\nEOF") }),
        ),
        attempt_call(
            "an edit with spaces before it",
            "apply_patch",
            move |_, target| json!({ "input": format!("  *** Begin Patch\n  *** Update File: {target}\n@@\n-old\n+new\n  *** End Patch\n") }),
        ),
        attempt_call("a deletion", "apply_patch", move |_, target| {
            patch(format!("*** Delete File: {target}\n"))
        }),
    ]
}
