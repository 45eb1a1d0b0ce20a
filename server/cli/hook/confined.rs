//! The command that runs an agent's command in the sandbox.

use crate::native::{NativeAct, NativeParams};

/// The script that runs a command's script in the sandbox; none where this program's path cannot be written in one.
pub(super) fn script(params: &NativeParams) -> Option<String> {
    let NativeAct::Command { script } = &params.act else { return None };
    let program = std::env::current_exe().ok()?;
    let mut words = vec![program.to_str()?, "sandbox"];
    let origin = &params.origin;
    let named = [
        ("--root", params.root.as_deref()),
        ("--agent", origin.agent.as_deref()),
        ("--session", origin.session.as_deref()),
        ("--call", origin.call.as_deref()),
        ("--tool", origin.tool.as_deref()),
        ("--why", params.why.as_deref()),
    ];
    words.extend(named.into_iter().filter_map(|(name, value)| Some([name, value?])).flatten());
    words.extend(["--", "bash", "-c", script]);
    shlex::try_join(words).ok()
}

/// Whether a command is one of ours by itself: this program's sandbox around a script, and nothing beside it.
pub(super) fn is_ours(act: &NativeAct) -> bool {
    let NativeAct::Command { script } = act else { return false };
    let Some(words) = shlex::split(script) else { return false };
    let program = std::env::current_exe().ok();
    let is_this = program.and_then(|program| Some(words.first()? == program.to_str()?)) == Some(true);
    // Whatever a shell would take for more than words is quoted here, so that the same words mean the same command.
    is_this
        && words.get(1).map(String::as_str) == Some("sandbox")
        && shlex::try_join(words.iter().map(String::as_str)).is_ok_and(|again| again == *script)
}
