//! Closed files in folders that git ignores, covered in the layer itself and not by mounts: a command finds them empty, or with
//! their public bytes, and may remove them with their folder, as `rm -rf node_modules` does.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::sandbox::SandboxPlan;

/// The most files that are covered so; those beyond are covered by mounts.
const MOST: usize = 4000;
/// The name of a repository's own folder, which stays as it is.
const GIT: &str = ".git";

/// The entries that are placed in a layer before its command runs.
#[derive(Debug, Default)]
pub(super) struct LayerCovers {
    /// The files and the folders above them, by their paths in the layer, parents first.
    placed: Vec<(PathBuf, PlacedStamp)>,
}

/// The stamp by which a placed entry is recognised: for a file it also shows a change since.
#[derive(Debug, PartialEq, Eq)]
struct PlacedStamp {
    inode: u64,
    changed: Option<(i64, i64)>,
}

impl LayerCovers {
    /// Covers in the first layer below `folder` the files that `plan` covers by mounts in the `ignored` folders of the
    /// workspace at `root`, and notes it in the plan. Protected paths there are left to the judges of the changes.
    ///
    /// # Errors
    /// Fails where the layer cannot be written.
    pub(super) fn place_covers(
        plan: &mut SandboxPlan,
        root: &Path,
        ignored: &[PathBuf],
        folder: &Path,
    ) -> io::Result<Self> {
        let is_ignored = |path: &Path| ignored.iter().any(|above| path != above && path.starts_with(above));
        let is_of_git = |path: &Path| path.components().any(|part| part.as_os_str() == GIT);
        plan.protected.retain(|path| !is_ignored(path) || is_of_git(path));
        let is_moved = |path: &Path| {
            is_ignored(path)
                && !is_of_git(path)
                && fs::symlink_metadata(path).is_ok_and(|meta| meta.is_file())
        };
        let nothing: Arc<[u8]> = Arc::from([]);
        let emptied = plan.emptied.iter().map(|path| (path.clone(), nothing.clone()));
        let replaced = plan.replaced.iter().map(|shown| (shown.path.clone(), shown.bytes.clone()));
        let moved: Vec<_> = emptied.chain(replaced).filter(|(path, _)| is_moved(path)).take(MOST).collect();
        let upper = folder.join("0/upper");
        let mut covers = Self::default();
        for (path, bytes) in &moved {
            let Ok(below) = path.strip_prefix(root) else { continue };
            covers.make_folders(root, &upper, below.parent().unwrap_or(Path::new("")))?;
            let at = upper.join(below);
            let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o444).open(&at)?;
            io::Write::write_all(&mut file, bytes)?;
            let stamp = PlacedStamp::from_metadata(&file.metadata()?);
            covers.placed.push((at, stamp));
        }
        let placed: HashSet<&PathBuf> = moved.iter().map(|(path, _)| path).collect();
        plan.emptied.retain(|path| !placed.contains(path));
        plan.replaced.retain(|shown| !placed.contains(&shown.path));
        plan.covered.extend(moved.into_iter().map(|(path, _)| path));
        Ok(covers)
    }

    /// Makes the folders of a layer that lead to `below`, as those of the workspace are.
    fn make_folders(&mut self, root: &Path, upper: &Path, below: &Path) -> io::Result<()> {
        fs::create_dir_all(upper)?;
        let mut at = PathBuf::new();
        for part in below.components() {
            at.push(part);
            let made = upper.join(&at);
            match fs::create_dir(&made) {
                Ok(()) => {
                    let mode = fs::symlink_metadata(root.join(&at))?.permissions().mode() & 0o7777;
                    fs::set_permissions(&made, fs::Permissions::from_mode(mode))?;
                    let stamp = PlacedStamp { inode: fs::symlink_metadata(&made)?.ino(), changed: None };
                    self.placed.push((made, stamp));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Takes away what was placed and the command left as it was: it is no change of the command's.
    pub(super) fn take_back(self) {
        for (path, stamp) in self.placed.into_iter().rev() {
            let Ok(now) = fs::symlink_metadata(&path) else { continue };
            let is_same = match stamp.changed {
                Some(_) => now.is_file() && PlacedStamp::from_metadata(&now) == stamp,
                None => now.is_dir() && now.ino() == stamp.inode,
            };
            // A folder in which the command made something is not empty, and stays.
            let _ = match (is_same, stamp.changed) {
                (true, Some(_)) => fs::remove_file(&path),
                (true, None) => fs::remove_dir(&path),
                (false, _) => Ok(()),
            };
        }
    }
}

impl PlacedStamp {
    fn from_metadata(meta: &fs::Metadata) -> Self {
        Self { inode: meta.ino(), changed: Some((meta.ctime(), meta.ctime_nsec())) }
    }
}
