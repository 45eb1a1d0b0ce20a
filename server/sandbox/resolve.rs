//! A plan becomes the message to the sandbox: its paths are resolved, and each that cannot be used is refused.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::bytes::Bytes;
use crate::error::SandboxError;
use crate::grants::{self, Closed};
use crate::hooks;
use crate::init::PROXY_PORT;
use crate::plan::{Effects, Network, PROTECTED_NAMES, Plan, Streams};
use crate::spec::{How, Layers, Shown, Spec, Way};
use crate::survey::Survey;
use crate::view;

/// The command's `PATH` where the plan gives none: that of the caller, else the system's.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// The folders and files that `plan` lets the command write, with no symlink in their paths.
pub(crate) fn writable(plan: &Plan) -> Result<Vec<PathBuf>, SandboxError> {
    let real = |path: &PathBuf| {
        let real = fs::canonicalize(path).map_err(|error| unusable(path, &error))?;
        refuse_whole_system(&real)?;
        refuse_way_out(plan, path, &real)?;
        Ok(real)
    };
    plan.writable.iter().map(real).collect()
}

/// A command of before may have put a symlink below a folder of the plan, which must not widen what this one writes.
fn refuse_way_out(plan: &Plan, path: &Path, real: &Path) -> Result<(), SandboxError> {
    let around = plan.writable.iter().chain(&plan.read_only).filter(|folder| path != *folder);
    let stays = |folder: &PathBuf| fs::canonicalize(folder).is_ok_and(|folder| real.starts_with(folder));
    match around.filter(|folder| path.starts_with(folder)).find(|folder| !stays(folder)) {
        None => Ok(()),
        Some(folder) => Err(SandboxError::Path {
            path: path.to_owned(),
            reason: format!("a symlink leads out of {}; name the folder that it leads to", folder.display()),
        }),
    }
}

/// Those of the folders in `writable` that no layer stands over.
pub(crate) fn written_at_once(plan: &Plan, writable: &[PathBuf]) -> Vec<PathBuf> {
    match &plan.effects {
        Effects::WriteThrough => writable.to_vec(),
        Effects::Overlay { direct, .. } => {
            direct.iter().filter_map(|path| fs::canonicalize(path).ok()).collect()
        }
    }
}

/// The folders that `plan` lets the command read and not write.
pub(crate) fn readable(plan: &Plan) -> Vec<PathBuf> {
    plan.read_only.iter().filter_map(|path| fs::canonicalize(path).ok()).collect()
}

/// The message for `plan`. `scratch` is a private folder of the host, where the sandbox cannot have one of its own.
pub(crate) fn spec(
    plan: &Plan,
    way: Way,
    (survey, covered): (&Survey, &[PathBuf]),
    scratch: Option<&Path>,
) -> Result<Spec, SandboxError> {
    check_command(plan)?;
    let writable = writable(plan)?;
    let home = scratch.map_or_else(|| private_home(&writable, plan), Path::to_owned);
    let protected = protected(plan, &writable, survey);
    let masked: Vec<PathBuf> = plan.masked.iter().cloned().chain(covered.iter().cloned()).collect();
    let mut shown = shown(plan, way)?;
    if way == Way::Landlock {
        shown = granted(&shown, &Closed { protected: &protected, masked: &masked }, scratch);
    }
    let cwd = fs::canonicalize(&plan.cwd).map_err(|error| unusable(&plan.cwd, &error))?;
    Ok(Spec {
        way,
        argv: plan.argv.iter().cloned().map(Bytes::from).collect(),
        is_routine: plan.is_routine,
        env: environment(plan, &home, scratch),
        cwd: cwd.into(),
        home: home.into(),
        shown,
        protected: protected.into_iter().map(Bytes::from).collect(),
        masked: masked.into_iter().map(Bytes::from).collect(),
        overlays: layers(plan, &writable)?,
        network: plan.network,
        limits: plan.limits,
        own_session: plan.streams != Streams::Inherited,
    })
}

/// What of the host the sandbox shows, parents before what lies in them.
fn shown(plan: &Plan, way: Way) -> Result<Vec<Shown>, SandboxError> {
    // A routine is in memory already, unless this program has to be executed once more inside.
    let needs_system = !plan.is_routine || way == Way::Inside;
    let mut shown = if needs_system { view::system().to_vec() } else { Vec::new() };
    let read = plan.read_only.iter().chain(&plan.toolchains).map(|path| (path, How::ReadOnly));
    for (path, how) in read.chain(plan.writable.iter().map(|path| (path, How::Writable))) {
        let found = view::with_links(path, &how).map_err(|error| unusable(path, &error))?;
        found.iter().try_for_each(|one| refuse_whole_system(one.path.as_path()))?;
        shown.extend(found);
    }
    Ok(ordered(shown))
}

/// What Landlock grants so that `shown` is what the command reaches.
fn granted(shown: &[Shown], closed: &Closed<'_>, scratch: Option<&Path>) -> Vec<Shown> {
    let mut grants: Vec<Shown> = grants::system().collect();
    for one in shown.iter().filter(|one| !matches!(one.how, How::Link(_))) {
        closed.grant(one.path.as_path(), &one.how, &mut grants);
    }
    grants.extend(scratch.map(|path| Shown { path: path.into(), how: How::Writable }));
    grants
}

fn check_command(plan: &Plan) -> Result<(), SandboxError> {
    let texts = plan.argv.iter().chain(plan.env.iter().flat_map(|(name, value)| [name, value]));
    match plan.argv.first() {
        None => Err(SandboxError::Command("the plan names no program")),
        Some(program) if program.is_empty() => Err(SandboxError::Command("the program's name is empty")),
        Some(_) if texts.into_iter().any(|text| text.as_bytes().contains(&0)) => {
            Err(SandboxError::Command("an argument or a variable holds a NUL character"))
        }
        Some(_) => Ok(()),
    }
}

fn unusable(path: &Path, error: &io::Error) -> SandboxError {
    SandboxError::Path { path: path.to_owned(), reason: error.to_string() }
}

/// The place of the private home. A workspace that holds the person's home is shown as it is, so the private one lies elsewhere.
fn private_home(writable: &[PathBuf], plan: &Plan) -> PathBuf {
    let home = view::home();
    let shown = writable.iter().chain(&plan.read_only).chain(&plan.toolchains);
    if shown.into_iter().any(|path| home.starts_with(path)) { PathBuf::from("/run/home") } else { home }
}

/// Parents before what lies in them, and each path once; what may be written wins.
fn ordered(mut shown: Vec<Shown>) -> Vec<Shown> {
    let depth = |shown: &Shown| shown.path.as_path().components().count();
    shown.sort_by_key(|shown| (depth(shown), shown.path.as_path().to_owned(), shown.how != How::Writable));
    shown.dedup_by(|later, earlier| later.path == earlier.path);
    shown
}

fn refuse_whole_system(path: &Path) -> Result<(), SandboxError> {
    let closed =
        path == Path::new("/") || ["/proc", "/dev", "/sys"].iter().any(|folder| path.starts_with(folder));
    let reason = "a sandbox shows nothing of the host there".to_owned();
    if closed { Err(SandboxError::Path { path: path.to_owned(), reason }) } else { Ok(()) }
}

/// The paths that stay read-only: those of the plan, and those with a protected name, at any depth.
fn protected(plan: &Plan, writable: &[PathBuf], survey: &Survey) -> Vec<PathBuf> {
    let named = writable.iter().flat_map(|folder| PROTECTED_NAMES.iter().map(|name| folder.join(name)));
    let found = survey.protected();
    let mut all: Vec<PathBuf> = plan.protected.iter().cloned().chain(named).chain(found).collect();
    let repositories = all.iter().filter(|path| path.ends_with(".git"));
    let hooks: Vec<PathBuf> = repositories.filter_map(|git| hooks::folder(git)).collect();
    all.extend(hooks.into_iter().filter(|hooks| lies_in(hooks, writable)));
    all.sort();
    all.dedup();
    all
}

/// Whether `path` lies in one of `folders`, and is none of them.
fn lies_in(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path != folder && path.starts_with(folder))
}

fn layers(plan: &Plan, writable: &[PathBuf]) -> Result<Vec<Layers>, SandboxError> {
    let Effects::Overlay { folder, direct } = &plan.effects else { return Ok(Vec::new()) };
    let made = |(at, path): (usize, &PathBuf)| {
        let [upper, work] = ["upper", "work"].map(|name| folder.join(at.to_string()).join(name));
        for layer in [&upper, &work] {
            fs::create_dir_all(layer).map_err(|error| unusable(layer, &error))?;
        }
        Ok(Layers { at: path.as_path().into(), upper: upper.into(), work: work.into() })
    };
    let direct: Result<Vec<PathBuf>, _> =
        direct.iter().map(|path| fs::canonicalize(path).map_err(|error| unusable(path, &error))).collect();
    let direct = direct?;
    writable.iter().enumerate().filter(|(_, path)| !direct.contains(path)).map(made).collect()
}

/// The environment, made from nothing.
fn environment(plan: &Plan, home: &Path, scratch: Option<&Path>) -> Vec<Bytes> {
    let own = |name: &str, otherwise: &str| std::env::var_os(name).unwrap_or_else(|| otherwise.into());
    let mut all: Vec<(OsString, OsString)> = vec![
        ("PATH".into(), own("PATH", PATH)),
        ("HOME".into(), home.into()),
        ("LANG".into(), own("LANG", "C.UTF-8")),
        ("TERM".into(), own("TERM", "dumb")),
        ("TMPDIR".into(), scratch.unwrap_or(Path::new("/tmp")).into()),
    ];
    if plan.network == Network::Proxy {
        let proxy = format!("http://127.0.0.1:{PROXY_PORT}");
        let names = ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
        all.extend(names.map(|name| (name.into(), proxy.clone().into())));
    }
    for (name, value) in &plan.env {
        all.retain(|(known, _)| known != name);
        all.push((name.clone(), value.clone()));
    }
    all.into_iter().map(|(name, value)| Bytes::from(joined(&name, &value))).collect()
}

fn joined(name: &OsStr, value: &OsStr) -> OsString {
    let mut entry = name.to_owned();
    entry.push("=");
    entry.push(value);
    entry
}
