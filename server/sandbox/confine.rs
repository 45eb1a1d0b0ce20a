//! Landlock: the second wall around the file system, which holds where a mount would not.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};

use crate::linux;
use crate::spec::{ConfinementWay, SandboxSpec, ShowMode};

/// The newest interface that this program knows. A kernel with an older one confines as much as it can.
const NEWEST: ABI = ABI::V9;

/// The oldest interface that confines enough by itself: it keeps signals and abstract sockets in.
pub(crate) const OLDEST: i32 = 6;

/// Confines this process to what `spec` shows. It needs `no_new_privs`.
pub(crate) fn restrict_process(spec: &SandboxSpec) -> io::Result<()> {
    if spec.way == ConfinementWay::Landlock && linux::landlock_version() < OLDEST {
        return Err(io::Error::from_raw_os_error(libc::EOPNOTSUPP));
    }
    landlock_rules(spec).and_then(RulesetCreated::restrict_self).map(drop).map_err(io::Error::other)
}

fn landlock_rules(spec: &SandboxSpec) -> Result<RulesetCreated, RulesetError> {
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?;
    let ruleset = match spec.way {
        ConfinementWay::Landlock => ruleset.handle_access(AccessNet::from_all(NEWEST))?,
        ConfinementWay::Namespaces | ConfinementWay::Inside => ruleset,
    };
    let read = AccessFs::from_read(NEWEST);
    let write = AccessFs::from_all(NEWEST) & !AccessFs::ResolveUnix;
    let mut created = ruleset.create()?;
    if spec.way != ConfinementWay::Landlock {
        created = allow_path(created, Path::new("/"), read)?;
        for path in ["/tmp", "/var/tmp", "/dev"].map(Path::new).into_iter().chain([spec.home.as_path()]) {
            created = allow_path(created, path, write)?;
        }
    }
    for shown in &spec.shown {
        created = match shown.how {
            ShowMode::Writable => allow_path(created, shown.path.as_path(), write)?,
            ShowMode::ReadOnly if spec.way == ConfinementWay::Landlock => {
                allow_path(created, shown.path.as_path(), read)?
            }
            ShowMode::Listed => allow_path(created, shown.path.as_path(), AccessFs::ReadDir.into())?,
            ShowMode::ReadOnly | ShowMode::Link(_) => created,
        };
    }
    Ok(created)
}

fn allow_path(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, RulesetError> {
    match open_path(path) {
        Ok(place) => rules.add_rule(PathBeneath::new(place, access)),
        Err(_) => Ok(rules),
    }
}

/// Opens the file that a path names. The paths of a plan hold no symlink, and a symlink that was put there since is
/// not followed; the kernel's own symlinks would lead to the calling process.
fn open_path(path: &Path) -> rustix::io::Result<OwnedFd> {
    let strict = if path.starts_with("/proc") { ResolveFlags::empty() } else { ResolveFlags::NO_SYMLINKS };
    rustix::fs::openat2(CWD, path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), strict)
}
