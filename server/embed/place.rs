//! Where the person's model runs: behind a URL, or in a folder.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::endpoint::{self, Endpoint};
use super::local::{self, Local};
use super::store;
use crate::base::http;
use crate::ports::Embedder;
use crate::protocol::{EmbeddingSettings, Fault};

/// The most milliseconds that a search may wait.
const LONGEST_WAIT: u64 = 10_000;

/// What is wrong with the settings, as a sentence.
///
/// # Errors
/// That sentence.
pub fn check(settings: &EmbeddingSettings) -> Result<(), String> {
    if settings.wait_ms > LONGEST_WAIT {
        return Err(format!("its `wait_ms` is at most {LONGEST_WAIT}"));
    }
    if let Some(store) = &settings.store {
        store::check(store)?;
    }
    let has_url = !settings.url.trim().is_empty();
    match (has_url, &settings.folder) {
        (false, Some(folder)) => local::expanded(folder).map(drop),
        (true, None) => endpoint::url(settings).map(drop),
        (false, None) => Err("it names no `url` and no `folder`".to_owned()),
        (true, Some(_)) => Err("it names both a `url` and a `folder`".to_owned()),
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
/// As [`Endpoint::new`] and [`Local::in_folder`].
pub fn open(settings: &EmbeddingSettings) -> Result<(Arc<dyn Embedder>, String), Fault> {
    let Some(folder) = &settings.folder else {
        let endpoint = Endpoint::new(settings)?;
        let place = endpoint.place().to_owned();
        let model: Arc<dyn Embedder> = Arc::new(endpoint);
        return Ok((model, place));
    };
    let found = Local::in_folder(folder)?;
    static OPEN: Mutex<Vec<Weak<Local>>> = Mutex::new(Vec::new());
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|known| known.strong_count() > 0);
    let known = open.iter().filter_map(Weak::upgrade).find(|known| known.identity() == found.identity());
    let local: Arc<dyn Embedder> = known.unwrap_or_else(|| {
        open.push(Arc::downgrade(&found));
        found
    });
    Ok((local, folder.clone()))
}
