//! The back end that a folder would get, found out without reading the folder.

use std::os::fd::AsFd;
use std::path::Path;

use super::filesystem::must_be_polled;
use super::notify_source::NotifySource;
use super::options::in_use;
use super::tree::open_inotify;
use crate::protocol::WatchBackend;

/// The back end that a folder would get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackendProbe {
    /// The back end: never `auto`.
    pub backend: WatchBackend,
    /// The reason why it is not the chosen one.
    pub fallback: Option<String>,
}

/// Returns the back end that the folder at a path would get by a choice.
///
/// # Errors
/// The system's error if the folder cannot be opened.
pub fn probe_backend(root: &Path, chosen: WatchBackend) -> std::io::Result<BackendProbe> {
    let backend = in_use(chosen);
    let folder = std::fs::File::open(root)?;
    let on = must_be_polled(folder.as_fd())
        .map(|name| format!("it lies on {name}, which tells of no changes made elsewhere"));
    let fallback = match backend {
        WatchBackend::Poll => None,
        _ if on.is_some() => on,
        WatchBackend::Notify => NotifySource::open(1).err(),
        _ => open_inotify(1).err(),
    };
    let backend = if fallback.is_some() { WatchBackend::Poll } else { backend };
    Ok(BackendProbe { backend, fallback })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_kept_where_it_can_be() {
        let folder = tempfile::TempDir::new().unwrap();
        for (chosen, used) in [
            (WatchBackend::Auto, WatchBackend::Inotify),
            (WatchBackend::Inotify, WatchBackend::Inotify),
            (WatchBackend::Notify, WatchBackend::Notify),
            (WatchBackend::Poll, WatchBackend::Poll),
        ] {
            let probe = probe_backend(folder.path(), chosen).unwrap();
            assert_eq!((probe.backend, probe.fallback), (used, None));
        }
        assert!(probe_backend(&folder.path().join("missing"), WatchBackend::Auto).is_err());
    }
}
