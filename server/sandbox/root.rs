//! The root file system of a sandbox: an empty one, on which the paths of the plan are shown, each at its own place.
//!
//! Every mount goes by descriptors. A mount point is found below the new root without following a symlink, and it is made
//! only on file systems that this module made, so that nothing is ever created on the host.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags};
use rustix::io::{Errno, Result};
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, OpenTreeFlags, UnmountFlags};

use crate::devices;
use crate::linux::{MountChange, change_mount};
use crate::overlay_mount;
use crate::proc_mount;
use crate::spec::{How, Shown, Spec, Stage};
use crate::trouble::{At, Trouble};

/// The size of a page, which a file takes at least.
const PAGE: u64 = 4096;

/// How many files there may be in any case: those that the sandbox itself makes, and some.
const FILES: u64 = 1024;

/// The new root, mounted over the old one.
pub(crate) struct Root {
    folder: OwnedFd,
    device: u64,
}

/// Builds what `spec` shows, and enters it.
pub(crate) fn build(spec: &Spec) -> std::result::Result<(), Trouble> {
    let root = Root::mount(spec.limits.scratch).at(Stage::Root)?;
    root.furnish(spec.home.as_path()).at(Stage::Root)?;
    proc_mount::mount(&root, spec).at(Stage::Root)?;
    for shown in &spec.shown {
        let path = shown.path.as_path();
        match spec.overlays.iter().find(|layers| layers.at == shown.path) {
            Some(layers) => overlay_mount::mount(&root, layers).at_path(Stage::Overlay, path)?,
            None => root.show(shown).at_path(Stage::Show, path)?,
        }
    }
    for path in spec.protected.iter().map(|path| path.as_path()) {
        root.protect(path).at_path(Stage::Protect, path)?;
    }
    for path in spec.masked.iter().map(|path| path.as_path()) {
        root.mask(path).at_path(Stage::Protect, path)?;
    }
    root.enter().at(Stage::Root)
}

impl Root {
    fn mount(size: u64) -> Result<Self> {
        let old = rustix::fs::open("/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        change_mount(&old, MountChange::Private, true).map_err(errno)?;
        let system = rustix::mount::fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
        // Without a number of files, or with a size of zero, the kernel sets no limit.
        rustix::mount::fsconfig_set_string(&system, "size", size.max(PAGE).to_string())?;
        rustix::mount::fsconfig_set_string(&system, "nr_inodes", (size / PAGE).max(FILES).to_string())?;
        rustix::mount::fsconfig_set_string(&system, "mode", "0755")?;
        let folder = mounted(&system, MountAttrFlags::empty())?;
        attach(&folder, &old)?;
        let device = rustix::fs::fstat(&folder)?.st_dev;
        Ok(Self { folder, device })
    }

    /// The folders that each sandbox has: devices, private temporary folders, a private home.
    fn furnish(&self, home: &Path) -> Result<()> {
        let folders =
            [("tmp", 0o1777), ("var", 0o755), ("var/tmp", 0o1777), ("dev/shm", 0o1777), ("run", 0o755)];
        for (path, mode) in folders {
            let at = self.place(Path::new(path), true)?;
            if mode == 0o1777 {
                rustix::fs::chmodat(&at, ".", Mode::from_raw_mode(mode), AtFlags::empty())?;
                self.own_mount(&at)?;
            }
        }
        rustix::fs::symlinkat("/run", &self.folder, "var/run")?;
        self.own_mount(&self.place(home, true)?)?;
        devices::make(self)
    }

    /// Makes a folder of ours a mount of its own, which stays writable when the root no longer is.
    fn own_mount(&self, folder: &OwnedFd) -> Result<()> {
        attach(&copy_of(folder)?, folder)
    }

    /// Shows a path of the host.
    fn show(&self, shown: &Shown) -> Result<()> {
        let path = shown.path.as_path();
        let change = match &shown.how {
            How::Link(target) => return self.link(path, target.as_path()),
            How::ReadOnly | How::Listed => MountChange::ReadOnly,
            How::Writable => MountChange::Plain,
        };
        let source = rustix::fs::openat2(
            CWD,
            path,
            OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC,
            Mode::empty(),
            ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS,
        )?;
        let is_folder = is_folder(&source)?;
        let tree = copy_of(&source)?;
        change_mount(&tree, change, true).map_err(errno)?;
        attach(&tree, &self.place(path, is_folder)?)
    }

    fn link(&self, path: &Path, target: &Path) -> Result<()> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return Err(Errno::INVAL) };
        match rustix::fs::symlinkat(target, &self.place(parent, true)?, name) {
            Err(Errno::EXIST) => Ok(()),
            other => other,
        }
    }

    /// Makes a path read-only, where it is there.
    fn protect(&self, path: &Path) -> Result<()> {
        let Some(found) = self.find(path)? else { return Ok(()) };
        let tree = copy_of(&found)?;
        change_mount(&tree, MountChange::ReadOnly, true).map_err(errno)?;
        attach(&tree, &found)
    }

    /// Covers a path by something empty that nobody may open, where it is there.
    fn mask(&self, path: &Path) -> Result<()> {
        let Some(found) = self.find(path)? else { return Ok(()) };
        let cover = if is_folder(&found)? { self.closed_folder()? } else { self.closed_file()? };
        let tree = copy_of(&cover)?;
        change_mount(&tree, MountChange::ReadOnly, false).map_err(errno)?;
        attach(&tree, &found)
    }

    fn closed_folder(&self) -> Result<OwnedFd> {
        let made = rustix::fs::mkdirat(&self.folder, "run/.closed", Mode::empty());
        made.or_else(|error| if error == Errno::EXIST { Ok(()) } else { Err(error) })?;
        self.open_path(Path::new("run/.closed"))
    }

    fn closed_file(&self) -> Result<OwnedFd> {
        let flags = OFlags::CREATE | OFlags::RDONLY | OFlags::EXCL | OFlags::CLOEXEC;
        let made = rustix::fs::openat(&self.folder, "run/.closed-file", flags, Mode::empty()).map(drop);
        made.or_else(|error| if error == Errno::EXIST { Ok(()) } else { Err(error) })?;
        self.open_path(Path::new("run/.closed-file"))
    }

    /// The mount point for `path`: made where it lies on a file system of ours, else it has to be there.
    pub(crate) fn place(&self, path: &Path, is_folder: bool) -> Result<OwnedFd> {
        match self.find(path)? {
            Some(found) => Ok(found),
            None => self.make(path, is_folder),
        }
    }

    fn make(&self, path: &Path, is_folder: bool) -> Result<OwnedFd> {
        let path = below_root(path);
        let name = path.file_name().ok_or(Errno::INVAL)?;
        let parent = self.place(path.parent().unwrap_or(Path::new("")), true)?;
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

    /// What the sandbox shows at `path`. A symlink on the way is an error.
    fn find(&self, path: &Path) -> Result<Option<OwnedFd>> {
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
    fn enter(&self) -> Result<()> {
        rustix::process::fchdir(&self.folder)?;
        rustix::process::pivot_root(".", ".")?;
        rustix::mount::unmount(".", UnmountFlags::DETACH)?;
        rustix::process::chdir("/")?;
        change_mount(&self.folder, MountChange::ReadOnly, false).map_err(errno)
    }
}

impl AsFd for Root {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }
}

/// Mounts a configured file system without a place yet.
pub(crate) fn mounted(system: &OwnedFd, flags: MountAttrFlags) -> Result<OwnedFd> {
    rustix::mount::fsconfig_create(system)?;
    let plain = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
    rustix::mount::fsmount(system, FsMountFlags::FSMOUNT_CLOEXEC, plain | flags)
}

/// Gives a mount without a place its place.
pub(crate) fn attach(tree: &OwnedFd, place: &OwnedFd) -> Result<()> {
    let by_descriptor = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    rustix::mount::move_mount(tree, c"", place, c"", by_descriptor)
}

/// A mount without a place that shows what is at `source`, with all that is mounted below.
pub(crate) fn copy_of(source: &OwnedFd) -> Result<OwnedFd> {
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

fn errno(error: std::io::Error) -> Errno {
    Errno::from_io_error(&error).unwrap_or(Errno::INVAL)
}
