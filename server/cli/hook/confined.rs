//! The command that runs an agent's command in the sandbox.

use std::path::Path;

use crate::native::{NativeAct, NativeParams};
use crate::shell::{Place, read_script};

/// The script that runs a command's script in the sandbox; none where this program's path cannot be written in one.
pub(super) fn script(params: &NativeParams) -> Option<String> {
    let NativeAct::Command { script } = &params.act else { return None };
    let program = std::env::current_exe().ok()?;
    let mut words = vec![program.to_str()?.to_owned(), "sandbox".to_owned()];
    let origin = &params.origin;
    let named = [
        ("--root", params.root.as_deref()),
        ("--agent", origin.agent.as_deref()),
        ("--session", origin.session.as_deref()),
        ("--call", origin.call.as_deref()),
        ("--tool", origin.tool.as_deref()),
        ("--why", params.why.as_deref()),
    ];
    // A value may begin like an option.
    words.extend(named.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?))));
    words.extend(["--", "bash", "-c", script].map(str::to_owned));
    shlex::try_join(words.iter().map(String::as_str)).ok()
}

/// The same for an agent whose call is rewritten: where the script goes to another folder first, so does the agent's own
/// shell, which may go on in it with the next call.
pub(super) fn rewritten(params: &NativeParams) -> Option<String> {
    let confined = script(params)?;
    let NativeAct::Command { script } = &params.act else { return None };
    Some(match folder_gone_to(script).and_then(|folder| shlex::try_quote(&folder).ok().map(String::from)) {
        Some(folder) => {
            format!("{confined}; wherefore_code=$?; cd -- {folder} >/dev/null 2>&1; (exit $wherefore_code)")
        }
        None => confined,
    })
}

/// The folder that a script goes to before all else: that of `cd folder && make`.
fn folder_gone_to(script: &str) -> Option<String> {
    let script = script.trim_start();
    // In a subshell it would not count for what follows.
    let first = script.strip_prefix("cd").filter(|rest| rest.starts_with([' ', '\t'])).and_then(|_| {
        let place = Place::new("/", "/");
        read_script(script, &place).commands.into_iter().next()
    })?;
    match first.arguments() {
        [folder] => folder.plain().filter(|folder| !folder.starts_with(['-', '~'])).map(str::to_owned),
        _ => None,
    }
}

/// Options that [`script`] writes. None of them opens anything.
const OWN: [&str; 6] = ["--root", "--agent", "--session", "--call", "--tool", "--why"];

/// Whether a command is one that [`script`] wrote, which an agent was told to run: nothing beside it, and no option that it
/// does not write.
pub(super) fn is_ours(act: &NativeAct) -> bool {
    let NativeAct::Command { script } = act else { return false };
    let program = std::env::current_exe().ok();
    let Some(program) = program.as_deref().and_then(Path::to_str) else { return false };
    let Some(words) = shlex::split(script) else { return false };
    // Whatever a shell would take for more than words is quoted here, so that the same words mean the same command.
    let is_plain = shlex::try_join(words.iter().map(String::as_str)).is_ok_and(|again| again == *script);
    let [first, subcommand, options @ ..] = &words[..] else { return false };
    let end = options.iter().position(|word| word == "--");
    let named = end.is_some_and(|end| {
        let mut names = options[..end].iter().map(|option| option.split_once('='));
        names.all(|option| option.is_some_and(|(name, _)| OWN.contains(&name)))
            && matches!(&options[end + 1..], [bash, flag, _] if bash == "bash" && flag == "-c")
    });
    is_plain && first == program && subcommand == "sandbox" && named
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Origin;

    fn is_ours_as(script: &str) -> bool {
        is_ours(&NativeAct::Command { script: script.to_owned() })
    }

    #[test]
    fn the_agents_shell_goes_where_a_script_goes_first() {
        for (script, folder) in [
            ("cd frontend && npm test", Some("frontend")),
            ("cd 'a b'; ls", Some("a b")),
            ("cd /src/x", Some("/src/x")),
            ("(cd src && ls)", None),
            ("cd $(mktemp -d) && ls", None),
            ("cd \"$DIR\" && ls", None),
            ("cd - && ls", None),
            ("cd && ls", None),
            ("make && cd x", None),
            ("cdrecord x", None),
        ] {
            assert_eq!(folder_gone_to(script).as_deref(), folder, "{script}");
        }
        let act = NativeAct::Command { script: "cd 'a b' && false".into() };
        let ours = rewritten(&NativeParams { act, ..NativeParams::default() }).unwrap();
        let end = "; wherefore_code=$?; cd -- 'a b' >/dev/null 2>&1; (exit $wherefore_code)";
        assert!(ours.ends_with(end), "{ours}");
    }

    #[test]
    fn a_command_that_we_wrote_is_known_and_no_other() {
        let origin =
            Origin { agent: Some("qwen-code".into()), tool: Some("shell".into()), ..Origin::default() };
        let act = NativeAct::Command { script: "echo 'a b' > x; ls".into() };
        let why = Some("-v: don't ask; see".to_owned());
        let ours = script(&NativeParams { act, origin, why, ..NativeParams::default() }).unwrap();
        assert!(is_ours_as(&ours), "{ours}");
        let program = std::env::current_exe().unwrap().display().to_string();
        for other in [
            format!("{ours}; rm -rf x"),
            format!("{ours} && ls"),
            format!("{program} sandbox --net evil.example -- bash -c 'curl evil.example'"),
            format!("{program} sandbox --agent=x --env=A=b -- bash -c ls"),
            format!("{program} sandbox --agent=x --net evil.example -- bash -c ls"),
            format!("{program} sandbox --agent=x --allowed -- bash -c ls"),
            format!("{program} sandbox --agent=x -- curl evil.example"),
            format!("{program} review --accept all"),
            "wherefore sandbox -- bash -c ls".to_owned(),
            "ls".to_owned(),
        ] {
            assert!(!is_ours_as(&other), "{other}");
        }
    }
}
