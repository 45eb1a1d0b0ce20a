//! The command that runs an agent's command in the sandbox.

use std::path::{Path, PathBuf};

use crate::agents::HookAgent;
use crate::hooks::{CommandClaim, NativeAct, NativeParams};
use crate::shell::{CommandPlace, read_script};

/// The script that runs a command's script in the sandbox, once; none if this program's path cannot be written in a script.
pub(super) fn sandbox_script(params: &NativeParams, token: &str) -> Option<String> {
    sandbox_line(params, token, None)
}

/// Writes the script like [`sandbox_script`]; `asking` is the agent whose policy makes it ask its person about such a
/// line.
fn sandbox_line(params: &NativeParams, token: &str, asking: Option<&str>) -> Option<String> {
    let NativeAct::Command { script } = &params.act else { return None };
    let program = std::env::current_exe().ok()?;
    let mut words = vec![program.to_str()?.to_owned(), "sandbox".to_owned()];
    let named = [
        ("--root", params.root.as_deref()),
        ("--agent", params.origin.agent.as_deref()),
        (ASKED_BY, asking),
        ("--token", Some(token)),
        ("--why", params.why.as_deref()),
    ];
    // A value may begin like an option.
    words.extend(named.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?))));
    words.extend(["--", "bash", "-c", script].map(str::to_owned));
    shlex::try_join(words.iter().map(String::as_str)).ok()
}

/// The option of a line that the agent asks its person about.
pub(in crate::cli) const ASKED_BY: &str = "--asked-by";

/// Writes the script for an agent whose call is rewritten. If its shell keeps its folder between calls, and the script
/// first goes to another folder of the workspace, the agent's own shell goes there, too. It does not leave the
/// workspace: the next call's hook would look for the server of that folder.
pub(super) fn rewrite_script(
    agent: HookAgent,
    params: &NativeParams,
    token: &str,
    is_asked: bool,
) -> Option<String> {
    let asking = (is_asked && agent.can_ask_by_policy()).then(|| agent.log_name);
    let confined = sandbox_line(params, token, asking)?;
    if !agent.shell.keeps_folder {
        return Some(confined);
    }
    let NativeAct::Command { script } = &params.act else { return None };
    let folder = folder_gone_to(script).filter(|folder| is_inside(params, folder));
    Some(match folder.and_then(|folder| shlex::try_quote(&folder).ok().map(String::from)) {
        Some(folder) => {
            format!("{confined}; wherefore_code=$?; cd -- {folder} >/dev/null 2>&1; (exit $wherefore_code)")
        }
        None => confined,
    })
}

/// Returns whether a folder, as seen from the one that the agent works in, lies in the workspace.
fn is_inside(params: &NativeParams, folder: &str) -> bool {
    let (Some(root), Some(cwd)) = (&params.root, &params.cwd) else { return false };
    Path::new(cwd).join(folder).canonicalize().is_ok_and(|real| real.starts_with(root))
}

/// The folder in which a script ends that goes to one before all else, as seen from the one that it begins in: that of
/// `cd folder && make`, and for `cd folder && make && cd ..` the one that it began in. None if it is not known, as with
/// a subshell, whose folder does not count for the commands after it.
fn folder_gone_to(script: &str) -> Option<String> {
    let script = script.trim_start();
    script.strip_prefix("cd").filter(|rest| rest.starts_with([' ', '\t']))?;
    let commands = read_script(script, &CommandPlace::new("/", "/")).commands;
    let moves =
        || commands.iter().filter(|command| matches!(command.program(), Some("cd" | "pushd" | "popd")));
    if moves().count() > 1 && script.contains('(') {
        return None;
    }
    let (mut folder, mut left) = (PathBuf::new(), Vec::new());
    for command in moves() {
        match (command.program(), command.arguments()) {
            (Some("cd"), [to]) if to.plain_text() == Some("-") => {
                let before = left.pop()?;
                left.push(std::mem::replace(&mut folder, before));
            }
            (Some("popd"), []) => folder = left.pop()?,
            (Some("cd" | "pushd"), [to]) => {
                let to = to.plain_text().filter(|to| !to.starts_with(['-', '~']))?;
                left.push(folder.clone());
                folder.push(to);
            }
            _ => return None,
        }
    }
    folder.to_str().filter(|folder| !folder.is_empty()).map(str::to_owned)
}

/// The options that [`sandbox_line`] writes.
const OWN: [&str; 5] = ["--root", "--agent", ASKED_BY, "--token", "--why"];

/// The claim of a command that looks like one of [`sandbox_line`]: that an agent was given it to run. The server
/// verifies the claim by its token. The command must hold nothing else, and no option that [`sandbox_line`] does not
/// write.
pub(super) fn command_claim(act: &NativeAct) -> Option<CommandClaim> {
    let NativeAct::Command { script } = act else { return None };
    let program = std::env::current_exe().ok()?;
    let words = shlex::split(script)?;
    // Whatever a shell would take for more than words is quoted here, so that the same words mean the same command.
    if shlex::try_join(words.iter().map(String::as_str)).ok()? != *script {
        return None;
    }
    let [first, subcommand, options @ ..] = &words[..] else { return None };
    let end = options.iter().position(|word| word == "--")?;
    let (options, command) = options.split_at(end);
    let [_, bash, flag, script] = command else { return None };
    let options: Option<Vec<_>> = options.iter().map(|option| option.split_once('=')).collect();
    let options = options.filter(|options| options.iter().all(|(name, _)| OWN.contains(name)))?;
    let mut tokens = options.iter().filter(|(name, _)| *name == "--token");
    let (Some((_, token)), None) = (tokens.next(), tokens.next()) else { return None };
    let is_ours =
        Some(first.as_str()) == program.to_str() && subcommand == "sandbox" && bash == "bash" && flag == "-c";
    is_ours.then(|| CommandClaim { token: (*token).to_owned(), script: script.clone() })
}

#[cfg(test)]
mod tests;
