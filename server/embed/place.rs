//! The place of the person's model: a URL, a folder, or this program.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::endpoint::{self, EmbeddingEndpoint};
use super::local::{self, LocalModel};
use super::store;
use super::{EmbedError, SettingsError, TextEmbedder};
use crate::http;
use crate::protocol::EmbeddingSettings;

/// The most milliseconds that a search may wait.
const LONGEST_WAIT: u64 = 10_000;

/// Checks the settings of a model.
///
/// # Errors
/// The error in them.
pub fn check_settings(settings: &EmbeddingSettings) -> Result<(), SettingsError> {
    if settings.wait_ms > LONGEST_WAIT {
        return Err(SettingsError::LongWait { most: LONGEST_WAIT });
    }
    if let Some(store) = &settings.store {
        store::check_store(store)?;
    }
    let has_url = !settings.url.trim().is_empty();
    match (has_url, &settings.folder, settings.built_in) {
        (false, Some(folder), false) => local::expand_folder(folder).map(drop),
        (true, None, false) => endpoint::request_url(settings).map(drop),
        (false, None, true) => Ok(()),
        // They say of the carried words alone.
        (false, None, false) if settings.words.is_some() && settings.store.is_none() => Ok(()),
        (false, None, false) => Err(SettingsError::NoPlace),
        _ => Err(SettingsError::SeveralPlaces),
    }
}

/// Returns whether the model may read texts of files: by the person's setting, else if it is on this machine.
pub fn takes_files(settings: &EmbeddingSettings) -> bool {
    let is_here = || settings.url.trim().is_empty() || http::is_loopback(settings.url.trim());
    settings.files.unwrap_or_else(is_here)
}

/// The model of these settings, and where it is, for a reader. One in this process is read once, however many use it.
///
/// # Errors
/// [`EmbedError::Settings`] for settings that are wrong, [`EmbedError::NoKey`] if the variable of the key is not set,
/// [`EmbedError::NoFile`] if the folder lacks a file of the model, and [`EmbedError::NotBuiltIn`] if this build carries
/// no model.
pub fn open_embedder(settings: &EmbeddingSettings) -> Result<(Arc<dyn TextEmbedder>, String), EmbedError> {
    let (found, place) = match &settings.folder {
        Some(folder) => (LocalModel::in_folder(folder)?, folder.as_str()),
        None if settings.built_in => (LocalModel::built_in()?, "this program"),
        None => {
            let endpoint = EmbeddingEndpoint::new(settings)?;
            let place = endpoint.display_place().to_owned();
            let model: Arc<dyn TextEmbedder> = Arc::new(endpoint);
            return Ok((model, place));
        }
    };
    static OPEN: Mutex<Vec<Weak<LocalModel>>> = Mutex::new(Vec::new());
    let mut open = OPEN.lock();
    open.retain(|known| known.strong_count() > 0);
    let known = open.iter().filter_map(Weak::upgrade).find(|known| known.identity() == found.identity());
    let local: Arc<dyn TextEmbedder> = known.unwrap_or_else(|| {
        open.push(Arc::downgrade(&found));
        found
    });
    Ok((local, place.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_carried_words_are_switched_without_a_model() {
        for words in [true, false] {
            let settings = EmbeddingSettings { words: Some(words), ..EmbeddingSettings::default() };
            assert_eq!(check_settings(&settings), Ok(()));
            assert_eq!(EmbeddingSettings::has_carried_words(Some(&settings)), words);
        }
        let named =
            EmbeddingSettings { url: "http://127.0.0.1/v1".to_owned(), ..EmbeddingSettings::default() };
        assert!(!EmbeddingSettings::has_carried_words(Some(&named)));
        assert!(EmbeddingSettings::has_carried_words(None));
    }

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
            let said = check_settings(&settings).err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(said.is_empty(), expected.is_empty(), "{settings:?}: {said}");
            assert!(said.contains(expected), "{settings:?}: {said}");
        }
    }
}
