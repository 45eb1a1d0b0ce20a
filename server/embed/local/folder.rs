//! Which kind of model a folder holds, and what its files hold.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use safetensors::SafeTensors;
use serde_json::Value;
use tokenizers::Tokenizer;

use super::Encode;
use super::table::Table;
use crate::base::hidden::shown;
use crate::error::{EmbedError, FolderError};

/// Names that the matrix of a vector for each token goes by.
const MATRIX: [&str; 2] = ["embeddings", "embedding.weight"];
/// The most bytes of weights: they are held in memory.
const WEIGHTS: u64 = 2 << 30;
/// The most bytes of any other file: a tokenizer of many languages has 35 million.
const OTHERS: u64 = 64 << 20;

/// Whether a model that reads texts as a whole is there, as far as its config.json says.
pub(super) fn is_bert(folder: &Path) -> bool {
    value(folder, "config.json").ok().flatten().is_some_and(|config| config["model_type"] == "bert")
}

/// Reads the model of a folder.
///
/// # Errors
/// [`EmbedError::Folder`] for a file that cannot be read, or is not what it should be; [`EmbedError::NoEncoder`] for a
/// BERT where this build runs none.
pub(super) fn read(folder: &Path) -> Result<Arc<dyn Encode>, EmbedError> {
    let name = || shown(&folder.display().to_string()).into_owned();
    if !cfg!(feature = "encoder") && is_bert(folder) {
        return Err(EmbedError::NoEncoder { folder: name() });
    }
    model(folder).map_err(|source| EmbedError::Folder { folder: name(), source })
}

fn model(folder: &Path) -> Result<Arc<dyn Encode>, FolderError> {
    let odd = FolderError::Malformed;
    let weights = bytes(folder, "model.safetensors", WEIGHTS)?;
    let tokenizer = bytes(folder, "tokenizer.json", OTHERS)?;
    let mut tokenizer =
        Tokenizer::from_bytes(&tokenizer).map_err(|error| odd(format!("tokenizer.json: {error}")))?;
    // How long a text may be is for the kind of model to say.
    tokenizer.with_padding(None);
    tokenizer.with_truncation(None).map_err(|error| odd(format!("tokenizer.json: {error}")))?;
    #[cfg(feature = "encoder")]
    if is_bert(folder) {
        let config = value(folder, "config.json").map_err(odd)?.unwrap_or_default();
        return Ok(Arc::new(super::bert::Bert::read(folder, weights, &config, tokenizer).map_err(odd)?));
    }
    let tensors = SafeTensors::deserialize(&weights)
        .map_err(|error| odd(format!("model.safetensors is none: {error}")))?;
    let Some(name) = MATRIX.iter().find(|name| tensors.tensor(name).is_ok()) else {
        let config = value(folder, "config.json").map_err(odd)?.unwrap_or_default();
        let kind = config["model_type"].as_str().unwrap_or("absent");
        return Err(odd(format!(
            "it has no matrix named `embeddings`, as those of model2vec have, and its `model_type` is {kind}, not bert"
        )));
    };
    Ok(Arc::new(Table::read(&tensors, name, tokenizer).map_err(odd)?))
}

/// Whether there are vectors enough for the tokens: their numbers may leave some out, and the library walks through all up to
/// the highest to tell of a vocabulary.
///
/// # Errors
/// That there are not, as a sentence.
pub(super) fn fits(tokenizer: &Tokenizer, vectors: usize) -> Result<(), String> {
    let tokens = tokenizer.get_vocab(true).into_values().max().map_or(0, |highest| highest as usize + 1);
    match tokens <= vectors {
        true => Ok(()),
        false => Err(format!("its tokenizer numbers {tokens} tokens, and it has vectors of {vectors}")),
    }
}

/// A JSON file of the folder; nothing where it has none.
///
/// # Errors
/// What is wrong with it, as a sentence.
pub(super) fn value(folder: &Path, name: &str) -> Result<Option<Value>, String> {
    if std::fs::metadata(folder.join(name)).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Ok(None);
    }
    let bytes = bytes(folder, name, OTHERS).map_err(|error| error.to_string())?;
    serde_json::from_slice(&bytes).map(Some).map_err(|error| format!("{name}: {error}"))
}

/// What a file of the folder holds.
///
/// # Errors
/// What is wrong with it.
fn bytes(folder: &Path, name: &str, most: u64) -> Result<Vec<u8>, FolderError> {
    let path = folder.join(name);
    let file = || name.to_owned();
    let failed = |error: std::io::Error| FolderError::Read { file: file(), source: Arc::new(error) };
    // Opening a pipe would wait for whoever writes to it.
    let about = std::fs::metadata(&path).map_err(failed)?;
    if !about.is_file() {
        return Err(FolderError::NoFile { file: file() });
    }
    let too_large = || FolderError::Large { file: file(), most };
    if about.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or_default() + 1);
    File::open(&path).map_err(failed)?.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}
