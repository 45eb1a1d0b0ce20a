//! An overlay in place of a writable folder: what is written goes into a layer of its own.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Result;
use rustix::mount::{FsOpenFlags, MountAttrFlags};

use crate::root::{SandboxRoot, attach_mount, detached_mount};
use crate::spec::OverlaySpec;

/// Mounts `layers` over the folder of the host that lies below them.
pub(crate) fn mount_overlay(root: &SandboxRoot, layers: &OverlaySpec) -> Result<()> {
    let [lower, upper, work] =
        [&layers.at, &layers.upper, &layers.work].map(|path| open_folder(path.as_path()));
    let (lower, upper, work) = (lower?, upper?, work?);
    let earlier = layers.earlier.as_ref().map(|path| open_folder(path.as_path())).transpose()?;
    let system = rustix::mount::fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC)?;
    let place = |layer: &OwnedFd| format!("/proc/self/fd/{}", layer.as_raw_fd());
    // The uppermost comes first.
    let lowers: Vec<String> = earlier.iter().chain([&lower]).map(place).collect();
    for (key, value) in
        [("lowerdir", lowers.join(":")), ("upperdir", place(&upper)), ("workdir", place(&work))]
    {
        rustix::mount::fsconfig_set_string(&system, key, value)?;
    }
    rustix::mount::fsconfig_set_flag(&system, "userxattr")?;
    attach_mount(
        &detached_mount(&system, MountAttrFlags::empty())?,
        &root.mount_point(layers.at.as_path(), true)?,
    )
}

/// A folder that no symlink leads to.
pub(crate) fn open_folder(path: &Path) -> Result<OwnedFd> {
    let strict = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    rustix::fs::openat2(CWD, path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty(), strict)
}
