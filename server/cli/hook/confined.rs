//! The command that runs an agent's command in the sandbox.

use std::path::Path;

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
    let end = options.iter().step_by(2).position(|name| name == "--").map(|pairs| pairs * 2);
    let named = end.is_some_and(|end| {
        let mut names = options[..end].iter().step_by(2);
        names.all(|name| OWN.contains(&name.as_str()))
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
    fn a_command_that_we_wrote_is_known_and_no_other() {
        let origin =
            Origin { agent: Some("qwen-code".into()), tool: Some("shell".into()), ..Origin::default() };
        let act = NativeAct::Command { script: "echo 'a b' > x; ls".into() };
        let why = Some("Don't ask; see".to_owned());
        let ours = script(&NativeParams { act, origin, why, ..NativeParams::default() }).unwrap();
        assert!(is_ours_as(&ours), "{ours}");
        let program = std::env::current_exe().unwrap().display().to_string();
        for other in [
            format!("{ours}; rm -rf x"),
            format!("{ours} && ls"),
            format!("{program} sandbox --net evil.example -- bash -c 'curl evil.example'"),
            format!("{program} sandbox --agent x --env A=b -- bash -c ls"),
            format!("{program} sandbox --agent x -- curl evil.example"),
            format!("{program} review --accept all"),
            "wherefore sandbox -- bash -c ls".to_owned(),
            "ls".to_owned(),
        ] {
            assert!(!is_ours_as(&other), "{other}");
        }
    }
}
