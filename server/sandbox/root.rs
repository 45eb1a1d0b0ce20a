//! The root file system of a sandbox: an empty one, on which the paths of the plan are shown, each at its own place.
//!
//! Every mount goes by descriptors. A mount point is found below the new root without following a symlink, and it is made
//! only on file systems that this module made, so that nothing is ever created on the host.

use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags};
use rustix::io::{Errno, Result};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags};

use crate::devices;
use crate::linux::{MountChange, change_mount};
use crate::overlay_mount;
use crate::proc_mount;
use crate::spec::{BuildStage, CacheSpec, SandboxSpec, ShowMode, ShownPath};
use crate::trouble::{AtStage, BuildFailure};

/// The size of a page, which a file takes at least.
const PAGE: u64 = 4096;

/// The number of files that is always allowed: those that the sandbox itself makes, and some.
const FILES: u64 = 1024;

/// The new root, mounted over the old one.
pub(crate) struct SandboxRoot {
    folder: OwnedFd,
    device: u64,
}

/// Builds what `spec` shows, and enters it.
pub(crate) fn build_root(spec: &SandboxSpec) -> std::result::Result<(), BuildFailure> {
    let root = SandboxRoot::mount_new(spec.limits.scratch.saturating_add(size_of_covers(spec)))
        .at_stage(BuildStage::Root)?;
    root.make_own_folders(spec.home.as_path()).at_stage(BuildStage::Root)?;
    if let Some(folder) = &spec.temporary {
        root.show_at(folder.as_path(), Path::new("tmp"), MountChange::Plain)
            .at_path(BuildStage::Show, folder.as_path())?;
    }
    proc_mount::mount_proc(&root, spec).at_stage(BuildStage::Root)?;
    for shown in &spec.shown {
        let path = shown.path.as_path();
        match spec.overlays.iter().find(|layers| layers.at == shown.path) {
            Some(layers) => overlay_mount::mount_overlay(&root, layers).at_path(BuildStage::Overlay, path)?,
            None => root.show_path(shown).at_path(BuildStage::Show, path)?,
        }
    }
    for cache in &spec.caches {
        // A command of before may have put something in its way; it is without that cache then.
        let _ = match cache {
            CacheSpec::Whole { at, folder } => {
                root.show_at(folder.as_path(), at.as_path(), MountChange::Plain)
            }
            CacheSpec::Layered(layers) => overlay_mount::mount_overlay(&root, layers),
        };
    }
    for path in spec.protected.iter().map(|path| path.as_path()) {
        root.protect_path(path).at_path(BuildStage::Protect, path)?;
    }
    for path in spec.masked.iter().map(|path| path.as_path()) {
        root.mask_path(path).at_path(BuildStage::Protect, path)?;
    }
    for path in spec.emptied.iter().map(|path| path.as_path()) {
        root.empty_path(path).at_path(BuildStage::Protect, path)?;
    }
    for (path, bytes) in spec.replacements() {
        root.replace_file(path, bytes).at_path(BuildStage::Protect, path)?;
    }
    root.enter_root().at_stage(BuildStage::Root)
}

/// Returns the size that the covering files take in the root file system.
fn size_of_covers(spec: &SandboxSpec) -> u64 {
    let pages = spec.replaced.iter().map(|replaced| (replaced.length as u64).div_ceil(PAGE) + 1);
    pages.sum::<u64>().saturating_mul(PAGE)
}

impl SandboxRoot {
    fn mount_new(size: u64) -> Result<Self> {
        let old = rustix::fs::open("/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        change_mount(&old, MountChange::Private, true).map_err(to_errno)?;
        let system = rustix::mount::fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
        // Without a number of files, or with a size of zero, the kernel sets no limit.
        rustix::mount::fsconfig_set_string(&system, "size", size.max(PAGE).to_string())?;
        rustix::mount::fsconfig_set_string(&system, "nr_inodes", (size / PAGE).max(FILES).to_string())?;
        rustix::mount::fsconfig_set_string(&system, "mode", "0755")?;
        let folder = detached_mount(&system, MountAttrFlags::empty())?;
        attach_mount(&folder, &old)?;
        let device = rustix::fs::fstat(&folder)?.st_dev;
        Ok(Self { folder, device })
    }

    /// The folders that each sandbox has: devices, private temporary folders, a private home.
    fn make_own_folders(&self, home: &Path) -> Result<()> {
        let folders =
            [("tmp", 0o1777), ("var", 0o755), ("var/tmp", 0o1777), ("dev/shm", 0o1777), ("run", 0o755)];
        for (path, mode) in folders {
            let at = self.mount_point(Path::new(path), true)?;
            if mode == 0o1777 {
                rustix::fs::chmodat(&at, ".", Mode::from_raw_mode(mode), AtFlags::empty())?;
                self.own_mount(&at)?;
            }
        }
        rustix::fs::symlinkat("/run", &self.folder, "var/run")?;
        self.own_mount(&self.mount_point(home, true)?)?;
        devices::make_devices(self)
    }

    /// Makes a folder of the sandbox a mount of its own, which stays writable when the root no longer is.
    fn own_mount(&self, folder: &OwnedFd) -> Result<()> {
        attach_mount(&clone_mount(folder)?, folder)
    }

    /// Shows a path of the host.
    fn show_path(&self, shown: &ShownPath) -> Result<()> {
        let path = shown.path.as_path();
        let change = match &shown.how {
            ShowMode::Link(target) => return self.make_link(path, target.as_path()),
            ShowMode::ReadOnly | ShowMode::Listed => MountChange::ReadOnly,
            ShowMode::Writable => MountChange::Plain,
        };
        self.show_at(path, path, change)
    }

    /// Shows a path of the host at another place.
    fn show_at(&self, path: &Path, place: &Path, change: MountChange) -> Result<()> {
        let source = rustix::fs::openat2(
            CWD,
            path,
            OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            Mode::empty(),
            ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS,
        )?;
        let is_folder = is_folder(&source)?;
        let tree = clone_mount(&source)?;
        change_mount(&tree, change, true).map_err(to_errno)?;
        attach_mount(&tree, &self.mount_point(place, is_folder)?)
    }

    fn make_link(&self, path: &Path, target: &Path) -> Result<()> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Err(Errno::INVAL) };
        match rustix::fs::symlinkat(target, &self.mount_point(parent, true)?, name) {
            Err(Errno::EXIST) => Ok(()),
            other => other,
        }
    }

    /// Makes a path read-only, if it is there.
    fn protect_path(&self, path: &Path) -> Result<()> {
        let Some(found) = self.find_path(path)? else { return Ok(()) };
        let tree = clone_mount(&found)?;
        change_mount(&tree, MountChange::ReadOnly, true).map_err(to_errno)?;
        attach_mount(&tree, &found)
    }

    /// Covers a path by something that cannot be opened, if the path exists.
    fn mask_path(&self, path: &Path) -> Result<()> {
        self.cover_path(path, Mode::empty(), "closed")
    }

    /// Covers a path by something empty that everybody may read, if it is there.
    fn empty_path(&self, path: &Path) -> Result<()> {
        self.cover_path(path, Mode::from_raw_mode(0o555), "empty")
    }

    fn cover_path(&self, path: &Path, mode: Mode, name: &str) -> Result<()> {
        let Some(found) = self.find_path(path)? else { return Ok(()) };
        let (name, made) = match is_folder(&found)? {
            true => {
                let name = format!("run/.{name}");
                (name.clone(), rustix::fs::mkdirat(&self.folder, name, mode))
            }
            false => {
                let name = format!("run/.{name}-file");
                // It is not executable.
                let mode = mode & Mode::from_raw_mode(0o444);
                (name.clone(), self.make_file(&name, mode).map(drop))
            }
        };
        made.or_else(|error| if error == Errno::EXIST { Ok(()) } else { Err(error) })?;
        self.attach_read_only(&self.open_path(Path::new(&name))?, &found)
    }

    /// Covers a file by one that holds `bytes`, if it is there.
    fn replace_file(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        const NAME: &str = "run/.replaced";
        let Some(found) = self.find_path(path)? else { return Ok(()) };
        if is_folder(&found)? {
            return Ok(());
        }
        let mut file = std::fs::File::from(self.make_file(NAME, Mode::from_raw_mode(0o444))?);
        file.write_all(bytes).map_err(to_errno)?;
        self.attach_read_only(&self.open_path(Path::new(NAME))?, &found)?;
        // The mount keeps it.
        rustix::fs::unlinkat(&self.folder, NAME, AtFlags::empty())
    }

    fn make_file(&self, name: &str, mode: Mode) -> Result<OwnedFd> {
        let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::EXCL | OFlags::CLOEXEC;
        rustix::fs::openat(&self.folder, name, flags, mode)
    }

    fn attach_read_only(&self, source: &OwnedFd, place: &OwnedFd) -> Result<()> {
        let tree = clone_mount(source)?;
        change_mount(&tree, MountChange::ReadOnly, false).map_err(to_errno)?;
        attach_mount(&tree, place)
    }

    /// Returns the mount point for `path`: made if it lies on a file system of the sandbox, else it has to exist.
    pub(crate) fn mount_point(&self, path: &Path, is_folder: bool) -> Result<OwnedFd> {
        match self.find_path(path)? {
            Some(found) => Ok(found),
            None => self.make_mount_point(path, is_folder),
        }
    }

    fn make_mount_point(&self, path: &Path, is_folder: bool) -> Result<OwnedFd> {
        let path = below_root(path);
        let name = path.file_name().ok_or(Errno::INVAL)?;
        let parent = self.mount_point(path.parent().unwrap_or(Path::new("")), true)?;
        if rustix::fs::fstat(&parent)?.st_dev != self.device {
            return Err(Errno::NOENT);
        }
        if is_folder {
            rustix::fs::mkdirat(&parent, name, Mode::from_raw_mode(0o755))?;
            return open_below(parent.as_fd(), Path::new(name));
        }
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDONLY | OFlags::CLOEXEC;
        rustix::fs::openat(&parent, name, flags, Mode::from_raw_mode(0o444))
    }

    /// Opens the path that the sandbox shows at `path`. A symlink on the way is an error.
    fn find_path(&self, path: &Path) -> Result<Option<OwnedFd>> {
        match self.open_path(below_root(path)) {
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            other => other.map(Some),
        }
    }

    fn open_path(&self, path: &Path) -> Result<OwnedFd> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        open_below(self.folder.as_fd(), path)
    }

    /// Makes this the root of the process, and lets the old one go.
    fn enter_root(&self) -> Result<()> {
        rustix::process::fchdir(&self.folder)?;
        rustix::process::pivot_root(".", ".")?;
        rustix::mount::unmount(".", UnmountFlags::DETACH)?;
        rustix::process::chdir("/")?;
        change_mount(&self.folder, MountChange::ReadOnly, false).map_err(to_errno)
    }
}

impl AsFd for SandboxRoot {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}

/// Mounts a configured file system without a place yet.
pub(crate) fn detached_mount(system: &OwnedFd, flags: MountAttrFlags) -> Result<OwnedFd> {
    rustix::mount::fsconfig_create(system)?;
    let plain = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
    rustix::mount::fsmount(system, FsMountFlags::FSMOUNT_CLOEXEC, plain | flags)
}

/// Gives a mount without a place its place.
pub(crate) fn attach_mount(tree: &OwnedFd, place: &OwnedFd) -> Result<()> {
    let by_descriptor = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    rustix::mount::move_mount(tree, c"", place, c"", by_descriptor)
}

/// A mount without a place that shows what is at `source`, with all that is mounted below.
pub(crate) fn clone_mount(source: &OwnedFd) -> Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    rustix::mount::open_tree(source, c"", flags)
}

fn open_below(at: BorrowedFd<'_>, path: &Path) -> Result<OwnedFd> {
    let strict = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS | ResolveFlags::BENEATH;
    rustix::fs::openat2(at, path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty(), strict)
}

fn is_folder(at: &OwnedFd) -> Result<bool> {
    Ok(rustix::fs::FileType::from_raw_mode(rustix::fs::fstat(at)?.st_mode).is_dir())
}

fn below_root(path: &Path) -> &Path {
    path.strip_prefix("/").unwrap_or(path)
}

fn to_errno(error: std::io::Error) -> Errno {
    Errno::from_io_error(&error).unwrap_or(Errno::INVAL)
}
