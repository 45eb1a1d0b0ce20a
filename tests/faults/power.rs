//! Power cuts: a disk as it was at some moment while calls were made. Where the machine lets us, that is an image of an ext4
//! file system on a loop device, copied while it is written to.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::{BINARY, Dice, Project, run, skipped, with_why};

/// Calls of one process.
const CALLS: usize = 40;
/// States of the disk that are looked at.
const CUTS: usize = 12;

fn lines(round: usize) -> String {
    let call = |number: usize| {
        let content = format!("{round} {number}\n").repeat(1 + number * 13 % 400);
        let path = format!("f{}.txt", number % 3);
        json!({ "tool": "fs.write", "arguments": with_why(&json!({ "path": path, "content": content })) })
    };
    (0..CALLS).map(|number| format!("{}\n", call(number))).collect()
}

/// Returns whether file systems of one's own can be mounted.
fn mounts() -> bool {
    let script = "set -e; d=$(mktemp -d); truncate -s 8M $d/i; mkfs.ext4 -q $d/i; mkdir $d/m; mount -o loop $d/i $d/m; umount $d/m; rm -r $d";
    let works = crate::support::is_root()
        && Command::new("unshare")
            .args(["-m", "sh", "-c", script])
            .output()
            .is_ok_and(|ran| ran.status.success());
    if !works {
        skipped("loop devices cannot be mounted here: power cuts on ext4");
    }
    works
}

/// Makes calls on a fresh ext4 while its image is copied; then mounts each copy, as after a power cut, and asks there. The
/// process is stopped while a copy is made, since a copy is not of one moment.
#[test]
fn the_disk_as_it_was_at_any_moment_has_what_was_acknowledged() {
    if !mounts() {
        return;
    }
    let project = Project::new(&[]);
    std::fs::write(project.beside("lines"), lines(1)).unwrap();
    // The answers that came before a copy began are counted: those calls were acknowledged.
    let script = "set -u; D=$1; W=$2; N=$3\n\
        mkdir $D/m; truncate -s 24M $D/image; mkfs.ext4 -q $D/image; mount -o loop,commit=1 $D/image $D/m\n\
        mkdir $D/m/root $D/m/state; export XDG_STATE_HOME=$D/m/state\n\
        while read -r line; do printf '%s\\n' \"$line\"; sleep 0.02; done <$D/lines | \
          $W call --batch --root $D/m/root >$D/answers &\n\
        P=$!; while [ ! -s $D/answers ]; do sleep 0.05; done\n\
        for at in $(seq 1 $N); do sleep 0.05; wc -l <$D/answers >$D/count.$at; kill -STOP $P; \
          cp --sparse=always $D/image $D/copy.$at; kill -CONT $P; done\n\
        wait; umount $D/m\n\
        for at in $(seq 1 $N); do\n\
          mount -o loop $D/copy.$at $D/m\n\
          if [ -d $D/m/root/.wherefore/sessions ]; then\n\
            s=$(ls $D/m/root/.wherefore/sessions | head -1)\n\
            $W log verify $s --root $D/m/root >$D/before.$at 2>&1; echo $? >>$D/before.$at\n\
            $W log $s --format json --root $D/m/root >$D/log.$at 2>/dev/null || true\n\
            echo '{\"tool\":\"fs.ls\",\"arguments\":{\"path\":\".\",\"why\":\"See what the power cut left of this\"}}' | \
              $W call --batch --root $D/m/root >$D/next.$at 2>&1\n\
            $W log verify $s --root $D/m/root >$D/after.$at 2>&1; echo $? >>$D/after.$at\n\
          fi\n\
          umount $D/m; rm $D/copy.$at\n\
        done\n";
    let mut command = project.command("unshare");
    command.args(["-m", "sh", "-c", script, "sh"]).arg(project.beside("")).arg(BINARY).arg(CUTS.to_string());
    let ran = run(&mut command, b"");
    assert_eq!(ran.code(), Some(0), "{ran:?}");
    let read = |name: String| std::fs::read_to_string(project.beside(&name)).ok();
    let mut looked = 0;
    for at in 1..=CUTS {
        let Some(after) = read(format!("after.{at}")) else { continue };
        looked += 1;
        let before = read(format!("before.{at}")).unwrap();
        assert!(!before.contains("damaged") && !before.contains("cut at"), "{at}: {before}");
        assert!(after.ends_with("0\n"), "{at}: {before}\n{after}");
        let next = read(format!("next.{at}")).unwrap();
        assert!(next.contains(r#""status":"ok""#), "{at}: {next}");
        let acknowledged: usize = read(format!("count.{at}")).unwrap().trim().parse().unwrap();
        let log = read(format!("log.{at}")).unwrap_or_default();
        let results = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let results = results.filter(|event| event["type"] == "tool_result").count();
        assert!(
            results >= acknowledged,
            "{at}: {acknowledged} were acknowledged, {results} are in the log\n{before}"
        );
    }
    assert!(looked > CUTS / 3, "only {looked} states had a log");
}

/// The log's file as a power cut may leave it: everything from some point on is lost, zeros, or half of it.
#[test]
fn a_torn_log_is_recovered_by_the_next_call() {
    let project = Project::new(&[("a.txt", "a\n")]);
    let answers = project.batch_of(lines(1).as_bytes()).lines();
    assert!(answers.iter().all(|answer| answer["status"] == "ok"));
    let session =
        std::fs::read_dir(project.path(".wherefore/sessions")).unwrap().next().unwrap().unwrap().path();
    let whole = std::fs::read(session.join("session-log.md")).unwrap();
    let mut dice = Dice(11);
    let torn: Vec<Vec<u8>> = (0..24)
        .map(|kind| {
            let more = 40 + dice.below(9000) as usize;
            let tail: Vec<u8> = match kind % 4 {
                0 => vec![0; more],
                1 => whole[whole.len() - more.min(whole.len())..].to_vec(),
                2 => (0..more).map(|_| dice.below(256) as u8).collect(),
                _ => [b"## 12:00:00 \xe2\x80".as_slice(), &vec![0; more]].concat(),
            };
            [&whole[..], &tail].concat()
        })
        .collect();
    let name = session.file_name().unwrap().to_str().unwrap();
    let kept = Kept::of(&project);
    for torn in &torn {
        kept.put_back(&project);
        std::fs::write(session.join("session-log.md"), torn).unwrap();
        let before = project.wherefore(&["log", "verify", name]);
        assert_eq!(before.code(), Some(0), "no event that was durable is missing: {before:?}");
        project.is_well("a power cut");
        let verified = project.wherefore(&["log", "verify", name]);
        assert_eq!(verified.code(), Some(0), "{verified:?}");
        let said = String::from_utf8(verified.out).unwrap();
        assert!(said.contains("recovered: "), "{said}");
        assert!(session.join("recovered-1.bin").exists());
    }
}

#[test]
fn what_was_durable_does_not_go_unmissed() {
    let project = Project::new(&[("a.txt", "a\n")]);
    project.batch_of(lines(1).as_bytes());
    let session =
        std::fs::read_dir(project.path(".wherefore/sessions")).unwrap().next().unwrap().unwrap().path();
    let name = session.file_name().unwrap().to_str().unwrap();
    let log = session.join("session-log.md");
    let whole = std::fs::read(&log).unwrap();
    let first = memchr::memmem::find_iter(&whole, b"\n## ").nth(1).unwrap() + 1;
    for cut in [first, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&log, &whole[..cut]).unwrap();
        let verified = project.wherefore(&["log", "verify", name]);
        assert_eq!(verified.code(), Some(1), "{cut}: {verified:?}");
    }
    std::fs::write(&log, &whole[..first]).unwrap();
    let said = String::from_utf8(project.wherefore(&["log", "verify", name]).out).unwrap();
    assert!(said.contains("cut at the end") && said.contains("1 are there"), "{said}");
    // The next call goes to another session, and the evidence stays.
    project.is_well("a cut");
    assert_eq!(std::fs::read(&log).unwrap(), whole[..first]);
    // On another machine, for example after a clone, nothing vouches for it.
    std::fs::write(&log, &whole).unwrap();
    std::fs::rename(project.beside("home"), project.beside("other-home")).unwrap();
    let foreign = project.wherefore(&["log", "verify", name]);
    assert_eq!(foreign.code(), Some(3), "{foreign:?}");
    let listed = project.wherefore(&["log", "--list"]);
    assert!(String::from_utf8(listed.out).unwrap().contains("not of this machine"));
    project.is_well("a planted log");
    assert_eq!(std::fs::read(&log).unwrap(), whole, "a log of another machine is not continued");
}

/// The project and what the machine keeps of it, to be put back.
struct Kept(tempfile::TempDir);

impl Kept {
    fn of(project: &Project) -> Self {
        let kept = Self(tempfile::tempdir().unwrap());
        copy(&project.root(), &kept.0.path().join("root"));
        copy(&project.beside("home"), &kept.0.path().join("home"));
        kept
    }

    fn put_back(&self, project: &Project) {
        for (name, place) in [("root", project.root()), ("home", project.beside("home"))] {
            std::fs::remove_dir_all(&place).unwrap();
            copy(&self.0.path().join(name), &place);
        }
    }
}

fn copy(from: &Path, to: &Path) {
    assert!(Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap().success());
}
