//! The caches of programs in a command's home folder: those of the person as they are, and over them what commands of the
//! workspace wrote, so that a second build is warm. The person's own caches are never written. What commands write stays
//! for a day after its last use.
//!
//! # Invariants
//!
//! - No command writes to a cache of the person's, and no symlink of one leads a command elsewhere.
//!   Test: `caches_are_read_and_kept_for_later_commands_and_the_persons_stay`

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use super::layer::{self, CommandLayer};
use super::temporary;
use crate::base::person;
use crate::sandbox::{CacheFolder, SandboxPlan};
use crate::session::CallScope;

/// The folder of caches that belongs to no program.
const CACHE: &str = ".cache";
/// Folders below the person's home that hold what programs can fetch or make again, and nothing private.
const CACHES: [&str; 38] = [
    ".cache/bazelisk",
    ".cache/ccache",
    ".cache/composer",
    ".cache/coursier",
    ".cache/Cypress",
    ".cache/deno",
    ".cache/electron",
    ".cache/go-build",
    ".cache/golangci-lint",
    ".cache/ms-playwright",
    ".cache/mypy",
    ".cache/node",
    ".cache/node-gyp",
    ".cache/pip",
    ".cache/pnpm",
    ".cache/pre-commit",
    ".cache/puppeteer",
    ".cache/pypoetry",
    ".cache/ruff",
    ".cache/sccache",
    ".cache/staticcheck",
    ".cache/typescript",
    ".cache/uv",
    ".cache/yarn",
    ".cache/zig",
    ".bun/install/cache",
    ".cargo/git",
    ".cargo/registry",
    ".gradle/caches",
    ".gradle/wrapper",
    ".ivy2/cache",
    ".local/share/pnpm/store",
    ".m2/repository",
    ".npm/_cacache",
    ".npm/_npx",
    ".nuget/packages",
    ".yarn/berry/cache",
    "go/pkg",
];

/// The layers of one command over the caches, until it has ended.
#[derive(Debug, Default)]
pub(crate) struct CacheLayers {
    /// Held by the one command whose writes stay.
    _lock: Option<OwnedFd>,
    /// The writes of any other.
    _own: Option<CommandLayer>,
}

/// Gives a command the caches of its home folder. One that `is_lasting`, and one beside another, leaves nothing to later
/// commands but what it writes to the folder of caches itself.
pub(super) fn place(plan: &mut SandboxPlan, scope: &CallScope, is_lasting: bool) -> CacheLayers {
    let placed = place_caches(scope, is_lasting);
    let (caches, layers) =
        placed.inspect_err(|error| tracing::warn!("no caches for a command: {error}")).unwrap_or_default();
    plan.caches = caches;
    layers
}

fn place_caches(scope: &CallScope, is_lasting: bool) -> io::Result<(Vec<CacheFolder>, CacheLayers)> {
    let state = scope.files().state();
    let (Some(home), Some(private)) = (person::home_dir(), temporary::private_folder(state)) else {
        return Ok(<(Vec<CacheFolder>, CacheLayers)>::default());
    };
    let root = Path::new(scope.files().paths().root().real_path());
    let (kept, layers) = (private.join("cache"), private.join("layers"));
    [&kept, &layers].iter().try_for_each(fs::create_dir_all)?;
    let lock = (!is_lasting).then(|| layer::lock_folder(&layers)).flatten();
    let own = lock.is_none().then(|| CommandLayer::make(state)).transpose().map_err(io::Error::other)?;
    let mut caches =
        vec![CacheFolder { at: home.join(CACHE), upper: kept.clone(), work: None, earlier: None }];
    for below in CACHES {
        let at = home.join(below);
        if !is_own_folder(&at) || root.starts_with(&at) || at.starts_with(root) {
            continue;
        }
        if let Some(name) = below.strip_prefix(".cache/") {
            // The place of its mount. What a command put there is not followed, and stays in the way.
            let _ = fs::create_dir(kept.join(name));
        }
        let session = layers.join(below.replace('/', "-"));
        let (folder, earlier) = match &own {
            Some(own) => {
                (own.join(Path::new("caches")).join(below.replace('/', "-")), Some(session.join("upper")))
            }
            None => (session, None),
        };
        let (upper, work) = (folder.join("upper"), folder.join("work"));
        [&upper, &work].iter().try_for_each(fs::create_dir_all)?;
        let earlier = earlier.filter(|earlier| earlier.is_dir());
        caches.push(CacheFolder { at, upper, work: Some(work), earlier });
    }
    Ok((caches, CacheLayers { _lock: lock, _own: own }))
}

/// Returns whether a folder is there, and no symlink leads to it.
fn is_own_folder(at: &Path) -> bool {
    at.is_dir() && at.canonicalize().is_ok_and(|real: PathBuf| real == at)
}
