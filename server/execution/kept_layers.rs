//! Keeps changes for the person that no proposal can hold: the command's layer is moved to the state folder.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::layer;
use crate::sandbox::OverlayLayers;
use crate::workspace::WorkspaceState;

/// The folder below a workspace's state that such layers are moved to.
const KEPT_FOLDER: &str = "kept";
/// Bytes of a layer that is kept at most.
pub(super) const LARGEST: u64 = 1 << 30;
/// The number of layers that are kept for a workspace, and the days that they are kept.
const MOST: usize = 4;
const DAYS: u64 = 7;

/// Keeps the upper layer of `overlay`, which takes up `bytes`, and returns where; or that it is gone.
pub(super) fn keep_layer(state: &WorkspaceState, overlay: &OverlayLayers, bytes: u64) -> String {
    if bytes > LARGEST {
        return format!("what was left out is gone: the {bytes} bytes are over the {LARGEST} that are kept");
    }
    match move_away(state, overlay) {
        Ok(kept) => format!(
            "all that the command wrote is in {} for {DAYS} days: take what was left out from there, or drop it",
            kept.display()
        ),
        Err(error) => format!("what was left out is gone: it could not be kept: {error}"),
    }
}

fn move_away(state: &WorkspaceState, overlay: &OverlayLayers) -> std::io::Result<PathBuf> {
    let above = state.folder().state_path().ok_or(std::io::ErrorKind::NotFound)?.join(KEPT_FOLDER);
    fs::create_dir_all(&above)?;
    prune_kept(state, MOST - 1);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let kept = above.join(now.as_nanos().to_string());
    fs::rename(&overlay.upper, &kept)?;
    Ok(kept)
}

/// Removes what was kept too long ago, and all but the `most` that were kept last.
pub(super) fn prune_kept(state: &WorkspaceState, most: usize) {
    let Some(above) = state.folder().state_path().map(|path| path.join(KEPT_FOLDER)) else { return };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let time = |entry: fs::DirEntry| Some((entry.file_name().to_str()?.parse::<u128>().ok()?, entry.path()));
    let mut kept: Vec<_> = fs::read_dir(above).into_iter().flatten().flatten().filter_map(time).collect();
    kept.sort();
    let too_many = kept.len().saturating_sub(most);
    for (number, (time, path)) in kept.into_iter().enumerate() {
        let age = now.as_nanos().saturating_sub(time);
        if (number < too_many || age > Duration::from_secs(DAYS * 24 * 60 * 60).as_nanos())
            && let Err(error) = layer::remove_folder(&path)
        {
            tracing::warn!("{} cannot be removed: {error}", path.display());
        }
    }
}
