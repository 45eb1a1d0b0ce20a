//! Claude Code's shell asks for the command line that confines a command, by a function in its session's environment
//! file. Claude Code shows and judges the person's command, by all of its rules, and the confined one runs.
//!
//! Before each command, Claude Code sources the files that its `SessionStart` hooks write to `CLAUDE_ENV_FILE`, and
//! runs the command by `eval`. Its own tools do not write such files, and confined commands do not see them.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::sandbox_line;
use super::{HookError, ask_server, path_text};
use crate::agents::HookAgent;
use crate::cli::answer;
use crate::cli::init::agents::PersonMachine;
use crate::hooks::{
    CommandStep, HookMessage, HookMoment, NativeAct, NativeParams, NativeVerdict, outcome_text,
};
use crate::protocol::{Origin, WhenAway};
use crate::socket::LinkError;

/// The event word by which the function starts us.
pub(super) const EVENT: &str = "shell";
/// The exit code of a command that was not run.
const NOT_RUN: u8 = 125;
/// The beginning of the names of the files that Claude Code keeps for `SessionStart` hooks.
const FILES: &str = "sessionstart-hook-";

/// The function, for bash and zsh: the program's output is run in place of the command.
fn function_text(agent: &str, program: &str) -> Option<String> {
    let program = shlex::try_quote(program).ok()?;
    Some(format!(
        "eval() {{ \\builtin unset -f eval; \\builtin local wherefore_line; \
         wherefore_line=$({program} hook {agent} {EVENT} -- \"$1\") || \\builtin return {NOT_RUN}; \
         \\builtin eval \"$wherefore_line\"; }}\n"
    ))
}

/// The function that starts this program.
fn own_function(agent: HookAgent) -> Option<String> {
    function_text(agent.id(), std::env::current_exe().ok()?.to_str()?)
}

/// Writes the function to the file that Claude Code names to the hook of a session's start. Where that fails, the commands of
/// the session are rewritten by their hooks.
pub(super) fn install_function(message: &HookMessage) -> ExitCode {
    let file = std::env::var_os("CLAUDE_ENV_FILE").filter(|file| !file.is_empty()).map(PathBuf::from);
    let Some(file) = file.filter(|_| message.agent.shell.sources_session_files) else {
        return ExitCode::SUCCESS;
    };
    let written = match own_function(message.agent) {
        Some(function) if holds_function(&file, &function) => Ok(()),
        Some(function) => std::fs::write(&file, function),
        None => Err(io::Error::other("the program's path is no text")),
    };
    if let Err(error) = written {
        answer::write_note(&format!("wherefore: Claude Code's environment file cannot be written: {error}"));
    }
    ExitCode::SUCCESS
}

/// Returns whether the commands of a message's session go through the function of this program. For a call that has
/// ended, the command must have ended, too.
pub(super) fn is_installed(message: &HookMessage) -> bool {
    let goes_on = message.tool != "Bash" || message.arguments.get("run_in_background") == Some(&true.into());
    if message.moment == HookMoment::After && goes_on {
        return false;
    }
    let is_plain = |id: &&String| id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let session = message.session.as_ref().filter(is_plain);
    let Some(session) = session.filter(|_| message.agent.shell.sources_session_files) else { return false };
    let folder = PersonMachine::current().agent_folder(message.agent.profile);
    let (Some(folder), Some(function)) = (folder, own_function(message.agent)) else { return false };
    let entries = std::fs::read_dir(folder.join("session-env").join(session)).into_iter().flatten().flatten();
    let mut files =
        entries.filter(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with(FILES)));
    files.any(|file| holds_function(&file.path(), &function))
}

fn holds_function(file: &Path, function: &str) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| text == function)
}

/// Prints the line that Claude Code's shell runs in place of a command that is about to begin.
pub(super) fn run_shell(agent: HookAgent, script: &str) -> ExitCode {
    let refuse = |words: &str| {
        answer::write_note(words);
        ExitCode::from(NOT_RUN)
    };
    match command_line(agent, script) {
        Ok(Ok(line)) => {
            answer::write_raw(&format!("{line}\n"));
            ExitCode::SUCCESS
        }
        Ok(Err(words)) => refuse(&words),
        // The agent's hook met the same error, and followed the same setting.
        Err(HookError::Server(error)) if when_away() != WhenAway::Deny => {
            answer::write_note(&format!("wherefore: {error}"));
            answer::write_raw(&format!("{script}\n"));
            ExitCode::SUCCESS
        }
        Err(HookError::Link(LinkError::Answered(fault))) => refuse(&outcome_text::fault_text(&fault)),
        Err(error) => refuse(&format!("wherefore: the command was not run: {error}")),
    }
}

fn when_away() -> WhenAway {
    super::when_away(std::env::current_dir().ok().as_deref())
}

/// The line, or the reason why there is none.
fn command_line(agent: HookAgent, script: &str) -> Result<Result<String, String>, HookError> {
    let here = std::env::current_dir().ok();
    let act = NativeAct::Command { script: script.to_owned() };
    let session = std::env::var("CLAUDE_CODE_SESSION_ID").ok().filter(|id| !id.is_empty());
    let mut params = NativeParams {
        cwd: here.clone().and_then(path_text),
        claim: sandbox_line::command_claim(&act),
        act,
        step: CommandStep::Begun,
        origin: Origin {
            agent: Some(agent.log_name.to_owned()),
            session,
            tool: Some("Bash".to_owned()),
            ..Origin::default()
        },
        ..NativeParams::default()
    };
    let answer = ask_server(here.as_deref(), &mut params)?;
    Ok(match answer.verdict {
        NativeVerdict::Confine => {
            let token = answer.token.unwrap_or_default();
            sandbox_line::rewrite_script(agent, &params, &token, false)
                .ok_or_else(|| super::NOT_CONFINED.to_owned())
        }
        // Outside of the sandbox, or a line that the hook rewrote.
        NativeVerdict::Pass => Ok(script.to_owned()),
        _ => Err(answer.told.unwrap_or_default()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_runs_what_the_program_prints_and_nothing_where_that_fails() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("a program");
        let text =
            "#!/bin/sh\n[ \"$5\" != bad ] || exit 7\nprintf '%s\\n' \"printf '<%s>' '$5'; (exit 3)\"\n";
        std::fs::write(&program, text).unwrap();
        std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        let function = function_text("claude", program.to_str().unwrap()).unwrap();
        let run = |command: &str| {
            let script = format!("{function}: && eval '{command}' < /dev/null; echo \" code $?\"");
            let output = std::process::Command::new("bash").args(["-c", &script]).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        assert_eq!(run("ls"), "<ls> code 3\n");
        assert_eq!(run("bad"), " code 125\n");
    }
}
