//! An overlay in place of a writable folder: what is written goes into a layer of its own.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::io::Result;
use rustix::mount::{FsOpenFlags, MountAttrFlags};

use crate::root::{Root, attach, mounted};
use crate::spec::Layers;

/// Mounts `layers` over the folder of the host that lies below them.
pub(crate) fn mount(root: &Root, layers: &Layers) -> Result<()> {
    let [lower, upper, work] = [&layers.at, &layers.upper, &layers.work].map(|path| folder(path.as_path()));
    let (lower, upper, work) = (lower?, upper?, work?);
    let system = rustix::mount::fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC)?;
    for (key, layer) in [("lowerdir", &lower), ("upperdir", &upper), ("workdir", &work)] {
        rustix::mount::fsconfig_set_string(&system, key, format!("/proc/self/fd/{}", layer.as_raw_fd()))?;
    }
    rustix::mount::fsconfig_set_flag(&system, "userxattr")?;
    attach(&mounted(&system, MountAttrFlags::empty())?, &root.place(layers.at.as_path(), true)?)
}

fn folder(path: &Path) -> Result<OwnedFd> {
    let strict = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    rustix::fs::openat2(CWD, path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty(), strict)
}
