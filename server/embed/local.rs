//! A model that runs in this process: from a folder that the person names, or the one that a build carries.
//!
//! It is read at the first need. Many texts at once are the background's: they run on threads that give way to others.

#[cfg(feature = "encoder")]
mod bert;
mod folder;
#[cfg(feature = "pocket-encoder")]
mod pocket;
#[cfg(any(feature = "encoder", feature = "pocket-encoder"))]
mod quiet;
mod table;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::UNIX_EPOCH;

use futures::future::BoxFuture;
use parking_lot::Mutex;

use super::error::{Cause, EmbedError, SettingsError, VectorModelError};
use crate::TextEmbedder;
use crate::base::hidden::escape_hidden;
use crate::base::person;

/// The niceness of the background's thread.
const NICE: i32 = 10;
/// The files that a model's folder has to hold.
const FILES: [&str; 2] = ["model.safetensors", "tokenizer.json"];
/// The files that decide how a BERT's vectors are made.
const MANNERS: [&str; 4] =
    ["config.json", "modules.json", "sentence_bert_config.json", "1_Pooling/config.json"];

/// Makes vectors of texts.
trait TextEncoder: Send + Sync {
    /// A vector for each text, in their order; what is wrong with the model, else.
    fn encode(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, String>;
}

type Load = dyn Fn() -> Result<Arc<dyn TextEncoder>, EmbedError> + Send + Sync;

/// A model in this process.
pub(super) struct LocalModel {
    model: String,
    identity: String,
    is_static: bool,
    load: Box<Load>,
    loaded: Mutex<Option<Arc<dyn TextEncoder>>>,
    itself: Weak<Self>,
}

impl fmt::Debug for LocalModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Local").field("identity", &self.identity).finish_non_exhaustive()
    }
}

impl LocalModel {
    /// The model of a folder, which is looked for and not read yet.
    ///
    /// # Errors
    /// [`EmbedError::NoFile`] if one of its files is missing.
    pub(super) fn in_folder(folder: &str) -> Result<Arc<Self>, EmbedError> {
        let path = expand_folder(folder)?;
        let name = escape_hidden(&path.display().to_string()).into_owned();
        let mut identity = format!("folder\n{name}");
        for file in FILES {
            let found = file_stamp(&path.join(file))
                .ok_or_else(|| EmbedError::NoFile { folder: name.clone(), file })?;
            identity += &found;
        }
        let is_static = !folder::is_bert(&path);
        if !is_static {
            identity.extend(
                MANNERS.iter().map(|file| file_stamp(&path.join(file)).unwrap_or_else(|| "\n".to_owned())),
            );
        }
        let model = path.file_name().map_or_else(|| name.clone(), |last| last.to_string_lossy().into_owned());
        Ok(Self::new(model, identity, is_static, Box::new(move || folder::read_model(&path))))
    }

    /// The model that this build carries.
    ///
    /// # Errors
    /// [`EmbedError::NotBuiltIn`] if it carries none.
    pub(super) fn built_in() -> Result<Arc<Self>, EmbedError> {
        #[cfg(feature = "pocket-encoder")]
        let model = Some(pocket::model());
        #[cfg(not(feature = "pocket-encoder"))]
        let model = None;
        model.ok_or(EmbedError::NotBuiltIn)
    }

    fn new(model: String, identity: String, is_static: bool, load: Box<Load>) -> Arc<Self> {
        Arc::new_cyclic(|itself| Self {
            model,
            identity,
            is_static,
            load,
            loaded: Mutex::default(),
            itself: itself.clone(),
        })
    }

    fn encode(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let mut loaded = self.loaded.lock();
        let encode = match &*loaded {
            Some(encode) => encode.clone(),
            None => loaded.insert((self.load)()?).clone(),
        };
        drop(loaded);
        let made = encode
            .encode(texts)
            .map_err(|wrong| model_error(&self.model, VectorModelError::Encode(wrong)))?;
        match made.iter().all(|vector| has_direction(vector)) {
            true => Ok(made),
            false => Err(model_error(&self.model, VectorModelError::WeightsWithoutDirection)),
        }
    }
}

fn has_direction(vector: &[f32]) -> bool {
    vector.iter().all(|number| number.is_finite()) && vector.iter().any(|number| *number != 0.0)
}

/// Returns the size of a file and the time of its change; `None` if it does not exist.
fn file_stamp(file: &Path) -> Option<String> {
    let found = std::fs::metadata(file).ok().filter(std::fs::Metadata::is_file)?;
    let changed = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Some(format!("\n{} {}", found.len(), changed.unwrap_or_default().as_nanos()))
}

/// Lowers the priority of this thread. If the system does not allow it, it keeps its priority.
fn give_way() {
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICE);
}

fn model_error(model: &str, source: VectorModelError) -> EmbedError {
    EmbedError::Model { model: escape_hidden(model).into_owned(), source }
}

/// The absolute path of a folder as the person writes it.
///
/// # Errors
/// The error in it.
pub(super) fn expand_folder(folder: &str) -> Result<PathBuf, SettingsError> {
    let folder = folder.trim();
    let path = match folder.strip_prefix("~/") {
        Some(rest) => person::home_dir().ok_or(SettingsError::NoHome)?.join(rest),
        None => PathBuf::from(folder),
    };
    match path.is_absolute() {
        true => Ok(path),
        false => Err(SettingsError::RelativeFolder),
    }
}

impl TextEmbedder for LocalModel {
    fn is_static(&self) -> bool {
        self.is_static
    }

    fn model_name(&self) -> &str {
        &self.model
    }

    fn identity(&self) -> &str {
        &self.identity
    }

    fn embed_texts(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, EmbedError>> {
        Box::pin(async move {
            let Some(itself) = self.itself.upgrade() else {
                return Err(model_error(&self.model, VectorModelError::GivenUp));
            };
            let gone = |error: Cause| model_error(&itself.model, VectorModelError::Thread(error));
            if texts.len() == 1 {
                // A request: somebody waits for it.
                let model = itself.clone();
                let made = tokio::task::spawn_blocking(move || model.encode(&texts)).await;
                return made.map_err(|error| gone(Arc::new(error)))?;
            }
            let (sender, made) = tokio::sync::oneshot::channel();
            let model = itself.clone();
            let work = move || {
                give_way();
                // The caller may be gone.
                let _ = sender.send(model.encode(&texts));
            };
            std::thread::Builder::new()
                .name("embed".to_owned())
                .spawn(work)
                .map_err(|error| gone(Arc::new(error)))?;
            made.await.map_err(|error| gone(Arc::new(error)))?
        })
    }
}

#[cfg(test)]
mod tests;
