//! A plan becomes the message to the sandbox: its paths are resolved, and each that cannot be used is refused.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::bytes::Bytes;
use crate::error::SandboxError;
use crate::init::PROXY_PORT;
use crate::plan::{Effects, Network, PROTECTED_NAMES, Plan, Streams};
use crate::spec::{How, Layers, Shown, Spec, Way};
use crate::view;

/// The command's `PATH` where the plan gives none: that of the caller, else the system's.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// The message for `plan`.
pub(crate) fn spec(plan: &Plan, way: Way) -> Result<Spec, SandboxError> {
    check_command(plan)?;
    let writable = real(&plan.writable)?;
    let home = private_home(&writable, plan);
    let mut shown = view::system().to_vec();
    for path in &plan.read_only {
        shown.extend(view::with_links(path, &How::ReadOnly).map_err(|error| unusable(path, &error))?);
    }
    for path in &plan.writable {
        shown.extend(view::with_links(path, &How::Writable).map_err(|error| unusable(path, &error))?);
    }
    let shown = ordered(shown);
    refuse_whole_system(&shown)?;
    let cwd = std::fs::canonicalize(&plan.cwd).map_err(|error| unusable(&plan.cwd, &error))?;
    Ok(Spec {
        way,
        argv: plan.argv.iter().cloned().map(Bytes::from).collect(),
        env: environment(plan, &home),
        cwd: cwd.into(),
        home: home.into(),
        shown,
        protected: protected(plan, &writable),
        masked: plan.masked.iter().map(|path| path.as_path().into()).collect(),
        overlays: layers(plan, &writable)?,
        network: plan.network,
        limits: plan.limits,
        own_session: plan.streams != Streams::Inherited,
    })
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

fn real(paths: &[PathBuf]) -> Result<Vec<PathBuf>, SandboxError> {
    paths.iter().map(|path| std::fs::canonicalize(path).map_err(|error| unusable(path, &error))).collect()
}

/// The place of the private home. A workspace that holds the person's home is shown as it is, so the private one lies elsewhere.
fn private_home(writable: &[PathBuf], plan: &Plan) -> PathBuf {
    let home = view::home();
    let shown = writable.iter().chain(&plan.read_only);
    if shown.into_iter().any(|path| home.starts_with(path)) { PathBuf::from("/run/home") } else { home }
}

/// Parents before what lies in them, and each path once; what may be written wins.
fn ordered(mut shown: Vec<Shown>) -> Vec<Shown> {
    let depth = |shown: &Shown| shown.path.as_path().components().count();
    shown.sort_by_key(|shown| (depth(shown), shown.path.as_path().to_owned(), shown.how != How::Writable));
    shown.dedup_by(|later, earlier| later.path == earlier.path);
    shown
}

fn refuse_whole_system(shown: &[Shown]) -> Result<(), SandboxError> {
    let closed = ["/", "/proc", "/dev", "/sys"].map(Path::new);
    match shown.iter().find(|shown| closed.contains(&shown.path.as_path())) {
        None => Ok(()),
        Some(shown) => Err(SandboxError::Path {
            path: shown.path.as_path().to_owned(),
            reason: "a sandbox never shows the whole of it".to_owned(),
        }),
    }
}

fn protected(plan: &Plan, writable: &[PathBuf]) -> Vec<Bytes> {
    let named = writable.iter().flat_map(|folder| PROTECTED_NAMES.iter().map(|name| folder.join(name)));
    named.chain(plan.protected.iter().cloned()).map(Bytes::from).collect()
}

fn layers(plan: &Plan, writable: &[PathBuf]) -> Result<Vec<Layers>, SandboxError> {
    let Effects::Overlay { folder } = &plan.effects else { return Ok(Vec::new()) };
    let made = |(at, path): (usize, &PathBuf)| {
        let [upper, work] = ["upper", "work"].map(|name| folder.join(at.to_string()).join(name));
        for layer in [&upper, &work] {
            std::fs::create_dir_all(layer).map_err(|error| unusable(layer, &error))?;
        }
        Ok(Layers { at: path.as_path().into(), upper: upper.into(), work: work.into() })
    };
    writable.iter().enumerate().map(made).collect()
}

/// The environment, made from nothing.
fn environment(plan: &Plan, home: &Path) -> Vec<Bytes> {
    let own = |name: &str, otherwise: &str| std::env::var_os(name).unwrap_or_else(|| otherwise.into());
    let mut all: Vec<(OsString, OsString)> = vec![
        ("PATH".into(), own("PATH", PATH)),
        ("HOME".into(), home.into()),
        ("LANG".into(), own("LANG", "C.UTF-8")),
        ("TERM".into(), own("TERM", "dumb")),
        ("TMPDIR".into(), "/tmp".into()),
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
