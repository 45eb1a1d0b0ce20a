//! A model that runs in this process, from a folder that the person names.
//!
//! It is read at the first need. Many texts at once are the background's: they run on a thread that gives way to others.

mod folder;
mod table;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::UNIX_EPOCH;

use futures::future::BoxFuture;

use crate::base::hidden::shown;
use crate::base::person;
use crate::ports::Embedder;
use crate::protocol::{Code, Fault};

/// How far the background's thread gives way to others.
const NICE: i32 = 10;
/// What a folder of a model has to hold.
const FILES: [&str; 2] = ["model.safetensors", "tokenizer.json"];

/// What makes vectors of texts.
trait Encode: Send + Sync {
    /// A vector for each text, in their order; what is wrong with the model, else.
    fn encode(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, String>;
}

type Load = dyn Fn() -> Result<Arc<dyn Encode>, Fault> + Send + Sync;

/// A model in this process.
pub struct Local {
    model: String,
    identity: String,
    load: Box<Load>,
    loaded: Mutex<Option<Arc<dyn Encode>>>,
    itself: Weak<Self>,
}

impl fmt::Debug for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Local").field("identity", &self.identity).finish_non_exhaustive()
    }
}

impl Local {
    /// The model of a folder, which is looked for and not read yet.
    ///
    /// # Errors
    /// NOT_FOUND where one of its files is missing.
    pub fn in_folder(folder: &str) -> Result<Arc<Self>, Fault> {
        let path = expanded(folder).map_err(|wrong| Fault::new(Code::InvalidArgs, wrong))?;
        let name = shown(&path.display().to_string()).into_owned();
        let mut identity = format!("folder\n{name}");
        for file in FILES {
            let found = std::fs::metadata(path.join(file)).ok().filter(std::fs::Metadata::is_file);
            let found = found.ok_or_else(|| {
                Fault::new(Code::NotFound, format!("embeddings: {name} has no {file}"))
                    .suggest("name the folder of a model2vec model as embeddings.folder: config.json, tokenizer.json and model.safetensors")
            })?;
            let changed = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            identity += &format!("\n{} {}", found.len(), changed.unwrap_or_default().as_nanos());
        }
        let model = path.file_name().map_or_else(|| name.clone(), |last| last.to_string_lossy().into_owned());
        Ok(Self::new(model, identity, Box::new(move || folder::read(&path))))
    }

    fn new(model: String, identity: String, load: Box<Load>) -> Arc<Self> {
        Arc::new_cyclic(|itself| Self {
            model,
            identity,
            load,
            loaded: Mutex::default(),
            itself: itself.clone(),
        })
    }

    fn encode(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Fault> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let encode = match &*loaded {
            Some(encode) => encode.clone(),
            None => loaded.insert((self.load)()?).clone(),
        };
        drop(loaded);
        encode.encode(texts).map_err(|wrong| fault(&self.model, &wrong))
    }
}

fn fault(model: &str, wrong: &str) -> Fault {
    Fault::internal(format!("the embeddings of {}: {wrong}", shown(model)))
}

/// The absolute path of a folder as the person writes it.
///
/// # Errors
/// What is wrong with it, as a sentence.
pub fn expanded(folder: &str) -> Result<PathBuf, String> {
    let folder = folder.trim();
    let path = match folder.strip_prefix("~/") {
        Some(rest) => person::home().ok_or("its `folder` begins with ~, and HOME is not set")?.join(rest),
        None => PathBuf::from(folder),
    };
    match path.is_absolute() {
        true => Ok(path),
        false => Err("its `folder` is no absolute path, as ~/models/potion-base-8M".to_owned()),
    }
}

/// What a file holds.
fn bytes(path: &Path) -> Result<Vec<u8>, Fault> {
    std::fs::read(path).map_err(|error| {
        let what = format!("embeddings: {} cannot be read: {error}", shown(&path.display().to_string()));
        Fault::new(Code::NotFound, what)
    })
}

impl Embedder for Local {
    fn is_static(&self) -> bool {
        true
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn identity(&self) -> &str {
        &self.identity
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, Fault>> {
        Box::pin(async move {
            let Some(itself) = self.itself.upgrade() else {
                return Err(fault(&self.model, "it was given up"));
            };
            let gone = |error| fault(&itself.model, &format!("its thread ended: {error}"));
            if texts.len() == 1 {
                // A request: somebody waits for it.
                let model = itself.clone();
                let made = tokio::task::spawn_blocking(move || model.encode(&texts)).await;
                return made.map_err(|error| gone(error.to_string()))?;
            }
            let (sender, made) = tokio::sync::oneshot::channel();
            let model = itself.clone();
            let work = move || {
                // Where the system does not let it, it runs like the others.
                let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICE);
                // Whoever asked may have gone.
                let _ = sender.send(model.encode(&texts));
            };
            std::thread::Builder::new()
                .name("embed".to_owned())
                .spawn(work)
                .map_err(|error| gone(error.to_string()))?;
            made.await.map_err(|error| gone(error.to_string()))?
        })
    }
}

#[cfg(test)]
mod tests;
