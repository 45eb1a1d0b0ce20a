//! The plan of a command: what the rules leave open of the workspace, which programs of the person it finds, its limits.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::closures::Closures;
use super::{CommandRequest, carrier};
use crate::base::person;
use crate::protocol::SandboxSettings;
use crate::sandbox::{Effects, Level, Plan, Streams};
use crate::session::Scope;

/// The folder below a workspace's state that planted files are moved to.
const QUARANTINE: &str = "quarantine";
/// Folders below the person's home that hold compilers and interpreters, and nothing private. A command reads them.
const TOOLCHAINS: [&str; 18] = [
    ".cargo/bin",
    ".cargo/registry",
    ".cargo/git",
    ".rustup",
    ".nvm",
    ".fnm",
    ".volta",
    ".local/share/fnm",
    ".local/share/mise",
    ".local/share/uv",
    ".asdf",
    ".pyenv",
    ".rbenv",
    ".sdkman",
    ".bun",
    ".deno",
    "go",
    ".local/lib",
];
/// Folders outside of the home folder that may hold programs and are not of the system's own.
const ELSEWHERE: [&str; 3] = ["/nix", "/opt", "/usr/local"];
/// Variables of the person that a command has too, where they are set.
const PASSED: [&str; 8] =
    ["LC_ALL", "LC_CTYPE", "LANGUAGE", "TZ", "RUSTUP_TOOLCHAIN", "JAVA_HOME", "GOROOT", "VIRTUAL_ENV"];

/// Plans a run in the workspace of `scope`, whose effects go to `effects`.
pub(super) fn plan(scope: &Scope, request: &CommandRequest, closures: Closures, effects: Effects) -> Plan {
    let root = PathBuf::from(scope.files().root().real());
    let settings = &scope.settings().sandbox;
    let mut plan = Plan::new(&root, request.argv.iter().map(OsString::from)).writing(&root);
    plan.cwd = root.join(request.cwd.as_str());
    plan.toolchains = toolchains(settings);
    plan.env = environment(settings, &request.env, &plan.toolchains);
    plan.protected = closures.protected;
    plan.masked = closures.masked;
    plan.quarantine = quarantine(scope);
    plan.effects = effects;
    plan.network = carrier::network(&request.hosts);
    plan.streams = Streams::Piped { input: request.input.is_some() };
    plan.limits.wall = Some(request.limit);
    plan.limits.memory = Some(settings.memory_mb << 20);
    plan.limits.processes = Some(settings.processes);
    plan
}

/// A folder of this run's own for what is planted.
fn quarantine(scope: &Scope) -> Option<PathBuf> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(scope.files().state().path()?.join(QUARANTINE).join(now.as_nanos().to_string()))
}

/// Plans a run that reads the workspace of `scope` and writes below `folder` alone, where it starts in `work`.
pub(super) fn beside(
    scope: &Scope,
    request: &CommandRequest,
    closures: Closures,
    folder: &Path,
    work: &Path,
) -> Plan {
    let mut plan = plan(scope, request, closures, Effects::WriteThrough);
    plan.writable = vec![folder.to_owned()];
    // It writes nothing that is anybody's.
    plan.lowest = Level::Landlock;
    plan.cwd = work.to_owned();
    plan
}

/// The folders of toolchains that are there.
pub(super) fn toolchains(settings: &SandboxSettings) -> Vec<PathBuf> {
    let home = person::home();
    let own = TOOLCHAINS.iter().filter_map(|below| Some(home.as_ref()?.join(below)));
    let named = settings.toolchains.iter().map(|named| match (named.strip_prefix("~/"), &home) {
        (Some(below), Some(home)) => home.join(below),
        _ => PathBuf::from(named),
    });
    let elsewhere = ELSEWHERE.iter().map(PathBuf::from);
    own.chain(elsewhere).chain(named).filter(|path| path.is_absolute() && path.exists()).collect()
}

/// The variables of a command, `own` among them. It finds the programs of `toolchains`.
pub(super) fn environment(
    settings: &SandboxSettings,
    own: &BTreeMap<String, String>,
    toolchains: &[PathBuf],
) -> Vec<(OsString, OsString)> {
    let passed = PASSED.iter().copied().chain(settings.env.iter().map(String::as_str));
    let mut env: Vec<_> = passed.filter_map(|name| Some((name.into(), std::env::var_os(name)?))).collect();
    env.push(("PATH".into(), search_path(toolchains)));
    for (name, below) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        let at = std::env::var_os(name).map(PathBuf::from).or_else(|| Some(person::home()?.join(below)));
        env.extend(at.filter(|at| at.exists()).map(|at| (name.into(), at.into_os_string())));
    }
    // Programs that ask whether they write to a terminal hear no; those that color or page all the same hear it twice.
    env.extend([("TERM", "dumb"), ("PAGER", "cat"), ("GIT_PAGER", "cat"), ("NO_COLOR", "1")].map(text));
    env.extend(own.iter().map(|(name, value)| text((name, value))));
    env
}

fn text((name, value): (impl AsRef<str>, impl AsRef<str>)) -> (OsString, OsString) {
    (name.as_ref().into(), value.as_ref().into())
}

/// The person's search path, as far as a command finds the folders: the system's and those of toolchains.
fn search_path(toolchains: &[PathBuf]) -> OsString {
    const SYSTEM: [&str; 5] = ["/usr", "/bin", "/sbin", "/opt", "/nix"];
    let shown = |path: &PathBuf| {
        SYSTEM
            .iter()
            .map(Path::new)
            .chain(toolchains.iter().map(PathBuf::as_path))
            .any(|at| path.starts_with(at))
    };
    let own = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&own).filter(shown).collect();
    for system in ["/usr/local/bin", "/usr/bin", "/bin"].map(PathBuf::from) {
        if !folders.contains(&system) {
            folders.push(system);
        }
    }
    std::env::join_paths(folders).unwrap_or_else(|_| "/usr/local/bin:/usr/bin:/bin".into())
}
