//! A plan becomes the message to the sandbox: its paths are resolved, and each that cannot be used is refused.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use crate::accounts::{ACCOUNTS, read_shown_accounts};
use crate::bytes::OsBytes;
use crate::error::SandboxError;
use crate::grants::{self, ClosedPaths};
use crate::hooks;
use crate::init::PROXY_PORT;
use crate::overlay_mount;
use crate::plan::{
    CacheFolder, EarlierLayer, FileReplacement, NetworkAccess, SandboxPlan, StandardStreams, WriteEffects,
};
use crate::spec::{CacheSpec, ConfinementWay, OverlaySpec, ReplacedFile, SandboxSpec, ShowMode, ShownPath};
use crate::survey::FolderSurvey;
use crate::view;

/// The folder for temporary files that every program knows.
const TEMPORARY: &str = "/tmp";

/// The command's `PATH` if the plan gives none: that of the caller, else the system's.
const PATH: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// The folders and files that `plan` lets the command write, with no symlink in their paths.
pub(crate) fn writable_paths(plan: &SandboxPlan) -> Result<Vec<PathBuf>, SandboxError> {
    let real = |path: &PathBuf| {
        let real = fs::canonicalize(path).map_err(|error| unusable_path(path, &error))?;
        refuse_whole_system(&real)?;
        refuse_way_out(plan, path, &real)?;
        Ok(real)
    };
    plan.writable.iter().map(real).collect()
}

/// A command of before may have put a symlink below a folder of the plan, which must not widen what this one writes.
fn refuse_way_out(plan: &SandboxPlan, path: &Path, real: &Path) -> Result<(), SandboxError> {
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

/// Returns the folders in `writable_paths` that have no layer over them.
pub(crate) fn written_at_once(plan: &SandboxPlan, writable: &[PathBuf]) -> Vec<PathBuf> {
    match &plan.effects {
        WriteEffects::WriteThrough => writable.to_vec(),
        WriteEffects::Overlay { direct, .. } => {
            direct.iter().filter_map(|path| fs::canonicalize(path).ok()).collect()
        }
    }
}

/// The folders that `plan` lets the command read and not write.
pub(crate) fn readable_paths(plan: &SandboxPlan) -> Vec<PathBuf> {
    plan.read_only.iter().filter_map(|path| fs::canonicalize(path).ok()).collect()
}

/// The message for `plan`. `scratch` is a private folder of the host, if the sandbox cannot have one of its own.
pub(crate) fn build_spec(
    plan: &SandboxPlan,
    way: ConfinementWay,
    (survey, covered): (&FolderSurvey, &[PathBuf]),
    scratch: Option<&Path>,
) -> Result<SandboxSpec, SandboxError> {
    check_command(plan)?;
    let writable = writable_paths(plan)?;
    let home = scratch.map_or_else(|| private_home(&writable, plan), Path::to_owned);
    let protected = protected_paths(plan, &writable, survey);
    let mut shown = shown_paths(plan, way)?;
    if way == ConfinementWay::Landlock {
        let masked: Vec<PathBuf> = plan.hidden_paths().chain(covered).cloned().collect();
        shown = landlock_grants(&shown, &ClosedPaths { protected: &protected, masked: &masked }, scratch);
    }
    let paths =
        |paths: &[PathBuf]| paths.iter().map(|path| OsBytes::from(path.as_path())).collect::<Vec<_>>();
    let temporary = temporary(plan, way, &home, &shown);
    let caches = cache_specs(plan, way, &home);
    let accounts = read_shown_accounts().filter(|_| way != ConfinementWay::Landlock);
    let accounts = accounts.iter().map(|bytes| (Path::new(ACCOUNTS), &bytes[..]));
    let files = plan.replaced.iter().map(|replacement| (replacement.path.as_path(), &replacement.bytes[..]));
    let replaced: Vec<(&Path, &[u8])> = accounts.chain(files).collect();
    let cwd = fs::canonicalize(&plan.cwd).map_err(|error| unusable_path(&plan.cwd, &error))?;
    Ok(SandboxSpec {
        way,
        argv: plan.argv.iter().cloned().map(OsBytes::from).collect(),
        is_routine: plan.is_routine,
        env: command_environment(plan, &home, scratch),
        cwd: cwd.into(),
        home: home.into(),
        home_files: plan.home_files.iter().map(home_file).collect(),
        temporary,
        caches,
        shown,
        protected: protected.into_iter().map(OsBytes::from).collect(),
        masked: paths(&plan.masked),
        emptied: [paths(&plan.emptied), paths(covered)].concat(),
        contents: replaced.iter().flat_map(|(_, bytes)| bytes.iter().copied()).collect(),
        replaced: replaced
            .iter()
            .map(|(path, bytes)| ReplacedFile { path: (*path).into(), length: bytes.len() })
            .collect(),
        overlays: overlay_layers(plan, &writable)?,
        network: plan.network,
        joins_network: way == ConfinementWay::Namespaces && plan.joined_network().is_some(),
        limits: plan.limits,
        own_session: plan.streams != StandardStreams::Inherited,
        announces_confinement: false,
    })
}

/// The folder that the command finds as `/tmp`. What else it is shown there would need mount points in that folder.
fn temporary(plan: &SandboxPlan, way: ConfinementWay, home: &Path, shown: &[ShownPath]) -> Option<OsBytes> {
    let is_free = way != ConfinementWay::Landlock
        && !home.starts_with(TEMPORARY)
        && !shown.iter().any(|shown| shown.path.as_path().starts_with(TEMPORARY));
    let folder = plan.temporary.as_ref().filter(|_| is_free)?;
    fs::canonicalize(folder).ok().map(OsBytes::from)
}

/// The caches in the private home folder, where that stands at the person's own. Elsewhere there are none.
fn cache_specs(plan: &SandboxPlan, way: ConfinementWay, home: &Path) -> Vec<CacheSpec> {
    let real = |path: &Path| fs::canonicalize(path).ok().map(OsBytes::from);
    let spec = |cache: &CacheFolder| {
        let (at, upper) = (OsBytes::from(cache.at.as_path()), real(&cache.upper)?);
        Some(match &cache.work {
            None => CacheSpec::Whole { at, folder: upper },
            Some(work) => {
                let earlier = cache.earlier.as_deref().map_or(Some(None), |path| real(path).map(Some))?;
                CacheSpec::Layered(OverlaySpec { at, earlier, upper, work: real(work)? })
            }
        })
    };
    let own = plan.caches.iter().filter(|cache| cache.at != home && cache.at.starts_with(home));
    own.filter(|_| way == ConfinementWay::Namespaces).filter_map(spec).collect()
}

/// A file of the private home folder. Its path leads no way up.
fn home_file(file: &FileReplacement) -> (OsBytes, OsBytes) {
    let below =
        file.path.components().filter(|part| matches!(part, Component::Normal(_))).collect::<PathBuf>();
    (below.into(), OsString::from_vec(file.bytes.to_vec()).into())
}

/// Returns the paths of the host that the sandbox shows, each folder before its entries.
fn shown_paths(plan: &SandboxPlan, way: ConfinementWay) -> Result<Vec<ShownPath>, SandboxError> {
    // A routine is in memory already, unless this program has to be executed once more inside.
    let needs_system = !plan.is_routine || way == ConfinementWay::Inside;
    let mut shown = if needs_system { view::system_paths().to_vec() } else { Vec::new() };
    let read = plan.read_only.iter().chain(&plan.toolchains).map(|path| (path, ShowMode::ReadOnly));
    for (path, how) in read.chain(plan.writable.iter().map(|path| (path, ShowMode::Writable))) {
        let found = view::with_links(path, &how).map_err(|error| unusable_path(path, &error))?;
        found.iter().try_for_each(|one| refuse_whole_system(one.path.as_path()))?;
        shown.extend(found);
    }
    Ok(order_paths(shown))
}

/// Returns the paths that Landlock grants so that the command reaches `shown`.
fn landlock_grants(shown: &[ShownPath], closed: &ClosedPaths<'_>, scratch: Option<&Path>) -> Vec<ShownPath> {
    let mut grants: Vec<ShownPath> = grants::system_grants().collect();
    for one in shown.iter().filter(|one| !matches!(one.how, ShowMode::Link(_))) {
        closed.grant_path(one.path.as_path(), &one.how, &mut grants);
    }
    grants.extend(scratch.map(|path| ShownPath { path: path.into(), how: ShowMode::Writable }));
    grants
}

fn check_command(plan: &SandboxPlan) -> Result<(), SandboxError> {
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

fn unusable_path(path: &Path, error: &io::Error) -> SandboxError {
    SandboxError::Path { path: path.to_owned(), reason: error.to_string() }
}

/// The place of the private home. A workspace that holds the person's home is shown as it is, so the private one lies elsewhere.
fn private_home(writable: &[PathBuf], plan: &SandboxPlan) -> PathBuf {
    let home = view::home_folder();
    let shown = writable.iter().chain(&plan.read_only).chain(&plan.toolchains);
    if shown.into_iter().any(|path| home.starts_with(path)) { PathBuf::from("/run/home") } else { home }
}

/// Parents before what lies in them, and each path once; what may be written wins.
fn order_paths(mut shown: Vec<ShownPath>) -> Vec<ShownPath> {
    let depth = |shown: &ShownPath| shown.path.as_path().components().count();
    shown.sort_by_key(|shown| {
        (depth(shown), shown.path.as_path().to_owned(), shown.how != ShowMode::Writable)
    });
    shown.dedup_by(|later, earlier| later.path == earlier.path);
    shown
}

fn refuse_whole_system(path: &Path) -> Result<(), SandboxError> {
    let closed =
        path == Path::new("/") || ["/proc", "/dev", "/sys"].iter().any(|folder| path.starts_with(folder));
    let reason = "a sandbox shows nothing of the host there".to_owned();
    if closed { Err(SandboxError::Path { path: path.to_owned(), reason }) } else { Ok(()) }
}

/// The paths that stay read-only: those of the plan, those that its guard closes at the top of a writable folder, and those
/// that the survey found at any depth.
fn protected_paths(plan: &SandboxPlan, writable: &[PathBuf], survey: &FolderSurvey) -> Vec<PathBuf> {
    let entries = writable.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let at_the_top = entries.map(|entry| entry.path()).filter(|path| plan.guard.closes(path));
    let found = survey.protected_paths();
    let mut all: Vec<PathBuf> = plan.protected.iter().cloned().chain(at_the_top).chain(found).collect();
    let repositories = all.iter().filter(|path| path.ends_with(".git"));
    let hooks: Vec<PathBuf> = repositories.filter_map(|git| hooks::hooks_folder(git)).collect();
    all.extend(hooks.into_iter().filter(|hooks| lies_in(hooks, writable)));
    let open: Vec<PathBuf> = plan.open.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
    all.retain(|path| !open.iter().any(|open| path.starts_with(open)));
    all.sort();
    all.dedup();
    all
}

/// Returns whether `path` lies in one of `folders`, and is none of them.
fn lies_in(path: &Path, folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| path != folder && path.starts_with(folder))
}

fn overlay_layers(plan: &SandboxPlan, writable: &[PathBuf]) -> Result<Vec<OverlaySpec>, SandboxError> {
    let WriteEffects::Overlay { folder, direct } = &plan.effects else { return Ok(Vec::new()) };
    let made = |(at, path): (usize, &PathBuf)| {
        let [upper, work] = ["upper", "work"].map(|name| folder.join(at.to_string()).join(name));
        for layer in [&upper, &work] {
            fs::create_dir_all(layer).map_err(|error| unusable_path(layer, &error))?;
        }
        let earlier = plan.earlier.as_ref().and_then(|layer| earlier_folder(layer, path));
        Ok(OverlaySpec { at: path.as_path().into(), earlier, upper: upper.into(), work: work.into() })
    };
    let direct: Result<Vec<PathBuf>, _> = direct
        .iter()
        .map(|path| fs::canonicalize(path).map_err(|error| unusable_path(path, &error)))
        .collect();
    let direct = direct?;
    writable.iter().enumerate().filter(|(_, path)| !direct.contains(path)).map(made).collect()
}

/// The folder of `layer` that lies over `path`, if it has one there that no symlink leads to.
fn earlier_folder(layer: &EarlierLayer, path: &Path) -> Option<OsBytes> {
    let folder = layer.folder.join(path.strip_prefix(fs::canonicalize(&layer.over).ok()?).ok()?);
    overlay_mount::open_folder(&folder).ok().map(|_| folder.into())
}

/// The environment, made from nothing.
fn command_environment(plan: &SandboxPlan, home: &Path, scratch: Option<&Path>) -> Vec<OsBytes> {
    let own = |name: &str, otherwise: &str| std::env::var_os(name).unwrap_or_else(|| otherwise.into());
    let mut all: Vec<(OsString, OsString)> = vec![
        ("PATH".into(), own("PATH", PATH)),
        ("HOME".into(), home.into()),
        ("LANG".into(), own("LANG", "C.UTF-8")),
        ("TERM".into(), own("TERM", "dumb")),
        ("TMPDIR".into(), scratch.unwrap_or(Path::new("/tmp")).into()),
    ];
    if plan.network == NetworkAccess::Proxy {
        let proxy = format!("http://127.0.0.1:{PROXY_PORT}");
        let names = ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"];
        all.extend(names.map(|name| (name.into(), proxy.clone().into())));
    }
    for (name, value) in &plan.env {
        all.retain(|(known, _)| known != name);
        all.push((name.clone(), value.clone()));
    }
    all.into_iter().map(|(name, value)| OsBytes::from(join_variable(&name, &value))).collect()
}

fn join_variable(name: &OsStr, value: &OsStr) -> OsString {
    let mut entry = name.to_owned();
    entry.push("=");
    entry.push(value);
    entry
}
