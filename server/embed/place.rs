//! Where the person's model runs: behind a URL, in a folder, or in this program.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::endpoint::{self, Endpoint};
use super::local::{self, Local};
use super::store;
use super::{EmbedError, Embedder, SettingsError};
use crate::http;
use crate::protocol::EmbeddingSettings;

/// The most milliseconds that a search may wait.
const LONGEST_WAIT: u64 = 10_000;

/// Checks the settings of a model.
///
/// # Errors
/// What is wrong with them.
pub fn check(settings: &EmbeddingSettings) -> Result<(), SettingsError> {
    if settings.wait_ms > LONGEST_WAIT {
        return Err(SettingsError::LongWait { most: LONGEST_WAIT });
    }
    if let Some(store) = &settings.store {
        store::check(store)?;
    }
    let has_url = !settings.url.trim().is_empty();
    match (has_url, &settings.folder, settings.built_in) {
        (false, Some(folder), false) => local::expanded(folder).map(drop),
        (true, None, false) => endpoint::url(settings).map(drop),
        (false, None, true) => Ok(()),
        (false, None, false) => Err(SettingsError::NoPlace),
        _ => Err(SettingsError::SeveralPlaces),
    }
}

/// Whether the model may read texts of files: as the person says, else where it is on this machine.
pub fn takes_files(settings: &EmbeddingSettings) -> bool {
    let is_here = || settings.url.trim().is_empty() || http::is_loopback(settings.url.trim());
    settings.files.unwrap_or_else(is_here)
}

/// The model of these settings, and where it is, for a reader. One in this process is read once, however many use it.
///
/// # Errors
/// As [`Endpoint::new`], [`Local::in_folder`] and [`Local::built_in`].
pub fn open(settings: &EmbeddingSettings) -> Result<(Arc<dyn Embedder>, String), EmbedError> {
    let (found, place) = match &settings.folder {
        Some(folder) => (Local::in_folder(folder)?, folder.as_str()),
        None if settings.built_in => (Local::built_in()?, "this program"),
        None => {
            let endpoint = Endpoint::new(settings)?;
            let place = endpoint.place().to_owned();
            let model: Arc<dyn Embedder> = Arc::new(endpoint);
            return Ok((model, place));
        }
    };
    static OPEN: Mutex<Vec<Weak<Local>>> = Mutex::new(Vec::new());
    let mut open = OPEN.lock();
    open.retain(|known| known.strong_count() > 0);
    let known = open.iter().filter_map(Weak::upgrade).find(|known| known.identity() == found.identity());
    let local: Arc<dyn Embedder> = known.unwrap_or_else(|| {
        open.push(Arc::downgrade(&found));
        found
    });
    Ok((local, place.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_in_one_place() {
        for (url, folder, built_in, expected) in [
            ("http://127.0.0.1/v1", None, false, ""),
            ("", Some("/models/m"), false, ""),
            ("", None, true, ""),
            ("", None, false, "names no `url` and no `folder`, and is not `built_in`"),
            ("", Some("/models/m"), true, "more than one of"),
            ("http://127.0.0.1/v1", None, true, "more than one of"),
            ("http://127.0.0.1/v1", Some("/models/m"), false, "more than one of"),
        ] {
            let (url, folder, model) = (url.to_owned(), folder.map(str::to_owned), "m".to_owned());
            let settings = EmbeddingSettings { url, folder, built_in, model, ..EmbeddingSettings::default() };
            let said = check(&settings).err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(said.is_empty(), expected.is_empty(), "{settings:?}: {said}");
            assert!(said.contains(expected), "{settings:?}: {said}");
        }
    }
}
