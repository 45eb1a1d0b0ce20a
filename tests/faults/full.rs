//! A full disk, a disk that turns read-only, too many open files, a limit on file sizes: old content, and on it goes.

use std::process::Command;

use serde_json::json;

use crate::support::{BINARY, Project, in_pairs, run, skipped, with_why};

/// The text before, and the one that is written: longer than what a nearly full disk still takes.
const OLD: &str = "old\n";

fn new() -> String {
    "new and longer\n".repeat(800)
}

/// The command that gives a test mounts of its own.
fn unshare() -> Option<[&'static str; 2]> {
    let ways = if crate::support::is_root() { ["-m", "-Urm"] } else { ["-Urm", "-Urm"] };
    let works = |way: &str| {
        let script = "mount -t tmpfs none /mnt";
        Command::new("unshare")
            .args([way, "sh", "-c", script])
            .output()
            .is_ok_and(|tried| tried.status.success())
    };
    let way = ways.into_iter().find(|way| works(way));
    if way.is_none() {
        skipped("mounts of one's own are not permitted: full and read-only disks");
    }
    way.map(|way| ["unshare", way])
}

/// Runs `script` where `$P` is a fresh file system of 1 MB that holds `a.txt`, `$S` the person's state folder, `$W` the
/// binary, `$R` a folder for results, and `try NAME COMMAND…` records the output of a command.
fn on_a_small_disk(project: &Project, before: &str, script: &str) {
    let Some([program, way]) = unshare() else { return };
    std::fs::write(
        project.beside("args"),
        with_why(&json!({ "path": "a.txt", "content": new() })).to_string(),
    )
    .unwrap();
    let script = format!(
        "set -u; P=$1; W=$2; R=$3; S=$HOME/.local/state/wherefore; mkdir -p $S\n\
         {before}\n\
         printf 'old\\n' >$P/a.txt\n\
         call() {{ $W call fs.write - --root $P <$R/args; }}\n\
         try() {{ name=$1; shift; \"$@\" >$R/$name.out 2>$R/$name.err; echo $? >$R/$name.code; cp $P/a.txt $R/$name.txt; }}\n\
         fill() {{ cat /dev/zero >$1/fill 2>/dev/null; }}\n\
         free() {{ truncate -s -$2K $1/fill; }}\n\
         left() {{ find $P $S -name '.wherefore-tmp-*' -o -path $S'/roots/*/tmp/*' >$R/left; }}\n\
         {script}\nleft\n"
    );
    let mut command = project.command(program);
    command.args([way, "sh", "-c", &script, "sh"]).arg(project.root()).arg(BINARY).arg(project.beside(""));
    let ran = run(&mut command, b"");
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let left = std::fs::read_to_string(project.beside("left")).unwrap();
    assert_eq!(left, "", "nothing is left behind");
}

/// The results of `try NAME`: exit code, standard output, and the file's text after it.
fn found(project: &Project, name: &str) -> (i32, String, String) {
    let read = |end: &str| std::fs::read_to_string(project.beside(&format!("{name}.{end}"))).unwrap();
    (read("code").trim().parse().unwrap(), read("out"), read("txt"))
}

/// A call that failed with one of these codes and left the old text, or that succeeded and wrote the new one.
fn told_the_truth(project: &Project, name: &str, codes: &[&str]) -> bool {
    let (code, out, text) = found(project, name);
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{name}: {out}"));
    let fits = |wanted: &str| text == wanted;
    match code {
        0 => assert!(fits(&new()), "{name}: {answer}, {} bytes", text.len()),
        1 => {
            assert!(codes.contains(&answer["code"].as_str().unwrap()), "{name}: {answer}");
            let expected = if answer["applied"] == true { new() } else { OLD.to_owned() };
            assert!(fits(&expected), "{name}: {answer}, {} bytes", text.len());
        }
        _ => panic!("{name} ended with {code}: {out}"),
    }
    code == 0
}

const TMPFS: &str = "mount -t tmpfs -o size=1m none $P";
const OURS_ALONE: &str = "mkdir $P/.wherefore; mount -t tmpfs -o size=1m none $P/.wherefore";
/// A disk for what this machine keeps of the project.
const STATE_ALONE: &str = "mount -t tmpfs -o size=1m none $S";
/// A disk for the project and another one for our folder in it.
const BOTH: &str =
    "mount -t tmpfs -o size=1m none $P; mkdir $P/.wherefore; mount -t tmpfs -o size=4m none $P/.wherefore";

fn full_disk(before: &str, filled: &str) {
    if unshare().is_none() {
        return;
    }
    let frees: Vec<u32> = (0..16).map(|at| at * 4).collect();
    in_pairs(&frees, |free| {
        let project = Project::new(&[]);
        let script = format!(
            "$W call fs.ls '{{\"path\":\".\",\"why\":\"See what stands here before the disk is full\"}}' --root $P >/dev/null\n\
             fill {filled}; free {filled} {free}\n\
             try full call\n\
             rm {filled}/fill; printf 'old\\n' >$P/a.txt\n\
             try after call\n\
             try verify $W log verify --root $P\n"
        );
        on_a_small_disk(&project, before, &script);
        let wrote = told_the_truth(&project, "full", &["QUOTA_EXCEEDED"]);
        assert!(!wrote || *free > 0, "a full disk takes nothing");
        assert!(told_the_truth(&project, "after", &[]), "the next call works, {free} KB free before");
        assert_eq!(found(&project, "verify").0, 0, "{free} KB free before: {}", found(&project, "verify").1);
    });
}

#[test]
fn a_full_disk() {
    full_disk(TMPFS, "$P");
}

#[test]
fn a_full_disk_under_our_folder() {
    full_disk(OURS_ALONE, "$P/.wherefore");
}

#[test]
fn a_full_disk_under_the_state_folder() {
    full_disk(STATE_ALONE, "$S");
}

#[test]
fn a_full_disk_under_the_project() {
    full_disk(BOTH, "$P");
}

#[test]
fn a_disk_that_turns_read_only() {
    for (before, mount) in [(TMPFS, "$P"), (OURS_ALONE, "$P/.wherefore"), (BOTH, "$P"), (STATE_ALONE, "$S")] {
        let project = Project::new(&[]);
        let script = format!(
            "try before call; printf 'old\\n' >$P/a.txt\n\
             mount -o remount,ro {mount}\ntry now call\nmount -o remount,rw {mount}\n\
             printf 'old\\n' >$P/a.txt\ntry after call\ntry verify $W log verify --root $P\n"
        );
        on_a_small_disk(&project, before, &script);
        if !project.beside("left").exists() {
            return;
        }
        assert!(told_the_truth(&project, "before", &[]), "{mount}");
        assert!(!told_the_truth(&project, "now", &["PERMISSION_DENIED"]), "{mount}");
        assert!(told_the_truth(&project, "after", &[]), "{mount}");
        assert_eq!(found(&project, "verify").0, 0, "{mount}");
    }
}

/// A call under a limit of the shell's.
fn limited(limit: &str) {
    let project = Project::new(&[("a.txt", OLD)]);
    let arguments = with_why(&json!({ "path": "a.txt", "content": new() })).to_string();
    let mut command = project.command("sh");
    let script = format!("{limit}; exec \"$@\"");
    command.args(["-c", &script, "sh", BINARY, "call", "fs.write", "-", "--root"]).arg(project.root());
    let ran = run(&mut command, arguments.as_bytes());
    let text = project.text("a.txt").unwrap();
    match ran.code() {
        Some(0) => assert_eq!(text, new(), "{limit}"),
        Some(1) => {
            let fault = ran.json();
            let applied = fault["applied"] == true;
            assert!(fault["code"] == "QUOTA_EXCEEDED" || fault["code"] == "INTERNAL", "{limit}: {fault}");
            assert_eq!(text, if applied { new() } else { OLD.to_owned() }, "{limit}: {fault}");
        }
        // Too few files to load the program at all.
        Some(127) if text == OLD => {}
        _ => panic!("{limit}: {ran:?}"),
    }
    project.is_well(limit);
}

#[test]
fn too_many_open_files() {
    let limits: Vec<String> = (3..27).map(|files| format!("ulimit -n {files}")).collect();
    in_pairs(&limits, |limit| limited(limit));
}

#[test]
fn a_limit_on_file_sizes() {
    let limits: Vec<String> =
        [0, 1, 2, 4, 8, 16, 20, 24, 28, 64].map(|blocks| format!("ulimit -f {blocks}")).into();
    in_pairs(&limits, |limit| limited(limit));
}

#[test]
fn an_answer_that_nobody_can_take() {
    let project = Project::new(&[("a.txt", OLD)]);
    let mut command = project.command("sh");
    let arguments = with_why(&json!({ "path": "a.txt" })).to_string();
    command.args(["-c", "exec \"$@\" >/dev/full", "sh", BINARY, "call", "fs.read", &arguments]);
    let ran = run(&mut command, b"");
    assert_eq!(ran.code(), Some(1), "{ran:?}");
    assert!(ran.err.contains("cannot be written"), "{ran:?}");
}
