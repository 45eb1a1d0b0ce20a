//! The shell that an agent starts for one command runs the command line that confines it, by a file that bash reads
//! first. The agent shows and judges the person's command, and the confined one runs.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::base::person;
use crate::hooks::HookMessage;

/// The file that bash reads. It runs the hook's line for exactly the command that bash was started for, and nothing else.
const START: &str = r#"# Written by wherefore: what a guarded agent's shell reads before a command.
if [ -n "$WHEREFORE_LINE" ] && [ "$BASH_EXECUTION_STRING" = "$WHEREFORE_SCRIPT" ]; then
  wherefore_line=$WHEREFORE_LINE
  unset BASH_ENV WHEREFORE_LINE WHEREFORE_SCRIPT
  eval "$wherefore_line"
  exit
fi
echo 'wherefore: the command was not run: it is another one than its hook let through. Make the call again' >&2
exit 125
"#;
/// Bytes of both variables at most: more does not fit into a program's environment.
const LONGEST: usize = 120_000;

/// Returns whether the shell of a message's agent reads the file before it runs a command.
pub(super) fn is_bash(message: &HookMessage) -> bool {
    let shell = message.shell.as_deref().map(Path::new);
    shell.and_then(Path::file_name).is_some_and(|name| name == "bash")
}

/// The variables of a shell by which `line` runs in place of `script`; none if the file cannot be written, or the
/// variables are too long.
pub(super) fn shell_variables(script: &str, line: &str) -> Option<BTreeMap<&'static str, String>> {
    let file = write_file(&person::state_dir()?).ok()?;
    let fits = |text: &str| text.len() <= LONGEST && !text.contains('\0');
    let variables = [
        ("BASH_ENV", file.to_str()?.to_owned()),
        ("WHEREFORE_SCRIPT", script.to_owned()),
        ("WHEREFORE_LINE", line.to_owned()),
    ];
    variables.iter().all(|(_, value)| fits(value)).then(|| variables.into())
}

fn write_file(state: &Path) -> io::Result<PathBuf> {
    let file = state.join("bash-start");
    if !std::fs::read_to_string(&file).is_ok_and(|text| text == START) {
        std::fs::create_dir_all(state)?;
        let new = state.join(format!("bash-start.{}", std::process::id()));
        std::fs::write(&new, START)?;
        std::fs::rename(&new, &file)?;
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn bash_runs_the_line_for_its_own_command_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = write_file(&folder.path().join("state")).unwrap();
        assert_eq!(write_file(&folder.path().join("state")).unwrap(), file);
        let run = |command: &str, script: &str, line: &str| {
            let mut bash = Command::new("bash");
            bash.args(["-c", command]).env("BASH_ENV", &file);
            let output = bash.env("WHEREFORE_SCRIPT", script).env("WHEREFORE_LINE", line).output().unwrap();
            (output.status.code(), String::from_utf8(output.stdout).unwrap())
        };
        let line = "bash -c 'echo \"$0 [$BASH_ENV$WHEREFORE_LINE]\"'; (exit 3)";
        assert_eq!(run("echo 'a b'", "echo 'a b'", line), (Some(3), "bash []\n".to_owned()));
        assert_eq!(run("echo a", "echo b", line), (Some(125), String::new()));
        assert_eq!(run("echo a", "echo a", ""), (Some(125), String::new()));
    }
}
