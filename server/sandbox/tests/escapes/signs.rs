//! The signs that the host sees after a run.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::arena::{Snapshot, contains};
use crate::run::Scene;
use crate::table::{Attempt, Need, Sign};

/// The state of the host before a run.
pub(crate) struct Before {
    snapshot: Snapshot,
    planted: Vec<u64>,
}

impl Before {
    pub(crate) fn of(scene: &Scene) -> Self {
        Self { snapshot: scene.arena.snapshot(), planted: scene.arena.known() }
    }
}

/// Returns all signs that an attempt got through.
pub(crate) fn signs(scene: &mut Scene, before: &Before) -> Vec<(Sign, String)> {
    let mut signs = Vec::new();
    let mut add = |sign: Sign, what: Option<String>| signs.extend(what.map(|what| (sign, what)));
    let changed = before.snapshot.differs(&scene.arena.snapshot());
    add(Sign::Changed, changed);
    // The host's own late socket is none of the attempt's.
    let is_ours = |what: &String| scene.row.need == Need::LateSocket && what.starts_with("ws/late.sock ");
    let planted = scene.arena.planted(&before.planted).into_iter().find(|what| !is_ours(what));
    add(Sign::Planted, planted);
    add(Sign::Changed, run_by_git(scene));
    add(Sign::Leaked, leaked(scene));
    let moment = if scene.row.sign == Sign::Heard { 200 } else { 0 };
    let heard = scene.host.was_told(&scene.word, moment);
    add(Sign::Heard, heard.then(|| "a listener of the host heard it".to_owned()));
    let secret = scene.arena.secret.clone();
    add(Sign::Harmed, scene.victim.as_mut().and_then(|victim| victim.harm(&secret)));
    let alive = &scene.ran.alive;
    add(Sign::Alive, (!alive.is_empty()).then(|| format!("processes {alive:?} are there")));
    add(Sign::Overran, scene.ran.overran.clone());
    add(Sign::Looked, (scene.row.look)(scene));
    add(Sign::Said, said(scene));
    signs
}

fn leaked(scene: &Scene) -> Option<String> {
    for secret in [&scene.arena.secret, &scene.host.secret] {
        for (name, stream) in [("stdout", &scene.ran.stdout), ("stderr", &scene.ran.stderr)] {
            if contains(stream, secret.as_bytes()) {
                return Some(format!("a secret stands in its {name}"));
            }
        }
    }
    let held = scene.arena.holds_secret()?;
    Some(format!("a secret stands in {}", held.strip_prefix(&scene.arena.path).unwrap().display()))
}

fn said(scene: &Scene) -> Option<String> {
    let start = format!("said {} ", scene.word);
    let text = String::from_utf8_lossy(&scene.ran.stdout);
    text.lines().find_map(|line| line.strip_prefix(&start)).map(str::to_owned)
}

/// Asks `git status` as the host's user would, and looks whether a planted program ran.
fn run_by_git(scene: &Scene) -> Option<String> {
    for folder in scene.row.git_in {
        let mut git = Command::new("git");
        git.arg("status").current_dir(scene.arena.at(folder)).env_clear();
        git.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", scene.arena.at("home"));
        git.env("GIT_OPTIONAL_LOCKS", "0").env("GIT_CONFIG_NOSYSTEM", "1").stdin(Stdio::null());
        let uid = scene.arena.uid;
        if uid != unsafe { libc::getuid() } {
            git.uid(uid).gid(uid);
        }
        git.output().ok();
    }
    let ran = scene.arena.at("outside/pwned").exists();
    ran.then(|| "git of the host ran what was planted".to_owned())
}

/// Takes away what an attempt may have left outside of its arena.
pub(crate) fn clean(scene: &Scene) {
    crate::arena::walk(&scene.arena.path, &mut |path, meta| {
        if meta.is_file() && crate::sys::immutable(path) {
            crate::sys::set_immutable(path, false).ok();
        }
    });
    for folder in ["/tmp", "/dev/shm", "/etc", "/usr/local/bin", "/opt", "/run"] {
        fs::remove_file(PathBuf::from(folder).join(&scene.word)).ok();
    }
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let arena = scene.arena.path.display().to_string();
    for point in mounts.lines().rev().filter_map(|line| line.split(' ').nth(4)) {
        if point.starts_with(&arena) {
            let point = crate::sys::text(point);
            crate::sys::call(libc::SYS_umount2, &[crate::sys::at(&point), libc::MNT_DETACH as usize]).ok();
        }
    }
}

/// The verdict on an attempt's run.
pub(crate) enum Verdict {
    Stopped(String),
    Escaped(Vec<(Sign, String)>),
    /// The attempt could not be made under the launcher.
    NotRun(String),
    /// The control did not work either.
    NoControl(String),
}

/// Makes the attempt once, and gives its signs with its complaint.
fn once(mut scene: Scene) -> (Vec<(Sign, String)>, Scene) {
    (scene.row.stage)(&scene);
    scene.arena.give(&scene.arena.path);
    let before = Before::of(&scene);
    scene.run();
    let signs = signs(&mut scene, &before);
    clean(&scene);
    (signs, scene)
}

/// The control, and then the attempt.
pub(crate) fn judge<'a>(row: &'static Attempt, scene: impl Fn(bool) -> Scene<'a>) -> Verdict {
    let (signs, control) = once(scene(false));
    if !signs.iter().any(|(sign, _)| *sign == row.sign) {
        return Verdict::NoControl(control.ran.complaint());
    }
    if std::env::var_os("WHEREFORE_CONTROLS").is_some() {
        return Verdict::Stopped(format!("the control works: {signs:?}"));
    }
    let (signs, confined) = once(scene(true));
    if !signs.is_empty() {
        return Verdict::Escaped(signs);
    }
    if !confined.ran.began(&confined.word) && !row.refusable {
        return Verdict::NotRun(confined.ran.complaint());
    }
    Verdict::Stopped(confined.ran.complaint())
}
