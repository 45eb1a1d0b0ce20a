//! Tests of command lines that we wrote, and of those that only look like them.

use super::*;
use crate::protocol::Origin;

fn claim_of(script: &str) -> Option<CommandClaim> {
    command_claim(&NativeAct::Command { script: script.to_owned() })
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
        ("cd src && ls && cd .. && ls", Some("src/..")),
        ("cd src; cd ../tests; cd -", Some("src")),
        ("cd src; pushd deep && ls && popd", Some("src")),
        ("cd src && cd", None),
        ("cd src && (cd deep && ls)", None),
        ("cd src && echo $(date)", Some("src")),
        ("cdrecord x", None),
    ] {
        assert_eq!(folder_gone_to(script).as_deref(), folder, "{script}");
    }
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(real.join("ws/a b")).unwrap();
    std::os::unix::fs::symlink("/", real.join("ws/link")).unwrap();
    let root = Some(real.join("ws").display().to_string());
    let ours = |script: &str| {
        let act = NativeAct::Command { script: script.into() };
        let params = NativeParams { act, cwd: root.clone(), root: root.clone(), ..NativeParams::default() };
        rewrite_script(crate::agents::hook_agent("claude"), &params, "t", false).unwrap()
    };
    let end = "; wherefore_code=$?; cd -- 'a b' >/dev/null 2>&1; (exit $wherefore_code)";
    assert!(ours("cd 'a b' && false").ends_with(end), "{}", ours("cd 'a b' && false"));
    for outside in ["cd / && ls", "cd .. && ls", "cd 'a b/../..'; ls", "cd link && ls", "cd missing && ls"] {
        assert!(!ours(outside).contains("wherefore_code"), "{outside}");
    }
}

#[test]
fn a_command_that_we_wrote_makes_a_claim_and_no_other() {
    let origin = Origin { agent: Some("qwen-code".into()), tool: Some("shell".into()), ..Origin::default() };
    let act = NativeAct::Command { script: "echo 'a b' > x; ls".into() };
    let why = Some("-v: don't ask; see".to_owned());
    let root = Some("/a b".to_owned());
    let params = NativeParams { act, origin, why, root, ..NativeParams::default() };
    let ours = sandbox_script(&params, "t0k").unwrap();
    let claimed = CommandClaim { token: "t0k".into(), script: "echo 'a b' > x; ls".into() };
    assert_eq!(claim_of(&ours), Some(claimed), "{ours}");
    let program = std::env::current_exe().unwrap().display().to_string();
    for other in [
        format!("{ours}; rm -rf x"),
        format!("{ours} && ls"),
        format!("{ours} $(ls)"),
        format!("{ours} > x"),
        ours.replace("'--token", "'--net=evil.example' '--token"),
        ours.replace("'--token", "'--env=A=b' '--token"),
        ours.replace("'--token=t0k'", "'--token=t0k' '--token=t1k'"),
        ours.replace("'--token=t0k'", "--token t0k"),
        ours.replace("'--token=t0k' ", ""),
        ours.replace(" -c ", " -lc "),
        format!("{program} sandbox --root=/ -- bash -c ls"),
        format!("{program} sandbox --token=t0k -- curl evil.example"),
        format!("{program} sandbox --token=t0k -- bash -c ls more"),
        format!("{program} review --accept all"),
        "wherefore sandbox --token=t0k -- bash -c ls".to_owned(),
        "ls".to_owned(),
        String::new(),
    ] {
        assert_eq!(claim_of(&other), None, "{other}");
    }
}
