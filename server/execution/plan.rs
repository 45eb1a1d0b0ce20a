//! The plan of a command: what the rules leave open of the workspace, which programs of the person it finds, its limits.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use super::closures::Closures;
use super::person_tools::{PersonPath, person_folders};
use super::{CommandRequest, connections, person_git, temporary};
use crate::base::person;
use crate::protocol::SandboxSettings;
use crate::sandbox::{SandboxLevel, SandboxPlan, StandardStreams, WriteEffects};
use crate::session::CallScope;
use crate::workspace::LinkedTree;

/// The folder below a workspace's state that planted files are moved to.
const QUARANTINE: &str = "quarantine";
/// Folders below the person's home that hold compilers and interpreters, and nothing private. A command reads them.
const TOOLCHAINS: [&str; 22] = [
    ".local/bin",
    ".local/share/pipx",
    ".local/share/pnpm",
    ".local/pipx",
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
/// Variables of the person that a command has too, where they are set: none holds a secret by its meaning.
static PASSED_VARIABLES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let lines = include_str!("variables.txt").lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
});

/// Plans a run in the workspace of `scope`, whose effects go to `effects`.
pub(super) fn plan_command(
    scope: &CallScope,
    request: &CommandRequest,
    closures: Closures,
    effects: WriteEffects,
) -> SandboxPlan {
    let root = PathBuf::from(scope.files().paths().root().real_path());
    let settings = &scope.settings().sandbox;
    let mut plan = SandboxPlan::new(&root, request.argv.iter().map(OsString::from)).with_writable(&root);
    plan.cwd = root.join(request.cwd.as_str());
    // The repository of a linked working tree is outside of it.
    if let Some(tree) = LinkedTree::at_folder(&root) {
        plan.read_only.extend([tree.own_folder().to_owned(), tree.shared_folder().to_owned()]);
    }
    plan.toolchains = toolchain_folders(settings);
    plan.toolchains.extend(person_folders(&root));
    plan.env = command_variables(
        settings,
        &request.env,
        PersonPath { toolchains: &plan.toolchains, root: Some(&root) },
    );
    plan.home_files = person_git::home_files();
    plan.temporary = temporary::folder(scope.files().state());
    plan.protected = closures.protected;
    let shown: HashSet<&PathBuf> = closures.shown.iter().map(|shown| &shown.path).collect();
    plan.emptied = closures.masked.into_iter().filter(|path| !shown.contains(path)).collect();
    plan.masked = closures.hidden;
    plan.replaced = closures.shown;
    plan.guard = closures.guard;
    plan.quarantine = quarantine_folder(scope);
    plan.effects = effects;
    plan.network = connections::network_for(&request.hosts);
    plan.streams = StandardStreams::Piped { input: request.input.is_some() };
    plan.limits.wall = Some(request.limit);
    plan.limits.memory = Some(settings.memory_mb << 20);
    plan.limits.processes = Some(settings.processes);
    plan
}

/// A folder of this run's own for what is planted.
fn quarantine_folder(scope: &CallScope) -> Option<PathBuf> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Some(scope.files().state().folder().state_path()?.join(QUARANTINE).join(now.as_nanos().to_string()))
}

/// Plans a run that reads the workspace of `scope` and writes below `folder` alone, where it starts in `work`.
pub(super) fn plan_beside(
    scope: &CallScope,
    request: &CommandRequest,
    closures: Closures,
    folder: &Path,
    work: &Path,
) -> SandboxPlan {
    let mut plan = plan_command(scope, request, closures, WriteEffects::WriteThrough);
    plan.writable = vec![folder.to_owned()];
    // It writes nothing that is anybody's.
    plan.lowest = SandboxLevel::Landlock;
    plan.cwd = work.to_owned();
    plan
}

/// The folders of toolchains that are there.
pub(super) fn toolchain_folders(settings: &SandboxSettings) -> Vec<PathBuf> {
    let home = person::home_dir();
    let own = TOOLCHAINS.iter().filter_map(|below| Some(home.as_ref()?.join(below)));
    let named = settings.toolchains.iter().map(|named| match (named.strip_prefix("~/"), &home) {
        (Some(below), Some(home)) => home.join(below),
        _ => PathBuf::from(named),
    });
    let elsewhere = ELSEWHERE.iter().map(PathBuf::from);
    own.chain(elsewhere).chain(named).filter(|path| path.is_absolute() && path.exists()).collect()
}

/// The variables of a command, `own` among them. It finds the programs of `path`.
pub(super) fn command_variables(
    settings: &SandboxSettings,
    own: &BTreeMap<String, String>,
    path: PersonPath<'_>,
) -> Vec<(OsString, OsString)> {
    let passed = PASSED_VARIABLES.iter().copied().chain(settings.env.iter().map(String::as_str));
    let mut env: Vec<_> = passed.filter_map(|name| Some((name.into(), std::env::var_os(name)?))).collect();
    env.push(("PATH".into(), path.search_path()));
    for (name, below) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        let at = std::env::var_os(name).map(PathBuf::from).or_else(|| Some(person::home_dir()?.join(below)));
        env.extend(at.filter(|at| at.exists()).map(|at| (name.into(), at.into_os_string())));
    }
    // Programs that ask whether they write to a terminal hear no; those that color or page all the same hear it twice.
    env.extend(
        [("TERM", "dumb"), ("PAGER", "cat"), ("GIT_PAGER", "cat"), ("NO_COLOR", "1")].map(variable_pair),
    );
    env.extend(own.iter().map(|(name, value)| variable_pair((name, value))));
    env
}

fn variable_pair((name, value): (impl AsRef<str>, impl AsRef<str>)) -> (OsString, OsString) {
    (name.as_ref().into(), value.as_ref().into())
}
