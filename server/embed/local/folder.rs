//! Reads a model's folder: the kind of the model, and the contents of its files.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use safetensors::SafeTensors;
use serde_json::Value;
use tokenizers::Tokenizer;

use super::TextEncoder;
use super::table::TokenTable;
use crate::base::hidden::escape_hidden;
use crate::error::{EmbedError, FolderError};

/// Names that the matrix of a vector for each token goes by.
const MATRIX: [&str; 2] = ["embeddings", "embedding.weight"];
/// The most bytes of weights: they are held in memory.
const WEIGHTS: u64 = 2 << 30;
/// The most bytes of any other file: a tokenizer of many languages has 35 million.
const OTHERS: u64 = 64 << 20;

/// Returns whether the folder holds a model that reads texts as a whole, judging by its config.json.
pub(super) fn is_bert(folder: &Path) -> bool {
    read_json(folder, "config.json").ok().flatten().is_some_and(|config| config["model_type"] == "bert")
}

/// Reads the model of a folder.
///
/// # Errors
/// [`EmbedError::Folder`] for a file that cannot be read, or is not what it should be; [`EmbedError::NoEncoder`] for a
/// BERT if this build runs none.
pub(super) fn read_model(folder: &Path) -> Result<Arc<dyn TextEncoder>, EmbedError> {
    let name = || escape_hidden(&folder.display().to_string()).into_owned();
    if !cfg!(feature = "encoder") && is_bert(folder) {
        return Err(EmbedError::NoEncoder { folder: name() });
    }
    load_model(folder).map_err(|source| EmbedError::Folder { folder: name(), source })
}

fn load_model(folder: &Path) -> Result<Arc<dyn TextEncoder>, FolderError> {
    let odd = FolderError::Malformed;
    let weights = read_bytes(folder, "model.safetensors", WEIGHTS)?;
    let tokenizer = read_bytes(folder, "tokenizer.json", OTHERS)?;
    let mut tokenizer =
        Tokenizer::from_bytes(&tokenizer).map_err(|error| odd(format!("tokenizer.json: {error}")))?;
    // The limit on a text's length depends on the kind of model.
    tokenizer.with_padding(None);
    tokenizer.with_truncation(None).map_err(|error| odd(format!("tokenizer.json: {error}")))?;
    #[cfg(feature = "encoder")]
    if is_bert(folder) {
        let config = read_json(folder, "config.json").map_err(odd)?.unwrap_or_default();
        return Ok(Arc::new(super::bert::Bert::read(folder, weights, &config, tokenizer).map_err(odd)?));
    }
    let tensors = SafeTensors::deserialize(&weights)
        .map_err(|error| odd(format!("model.safetensors is none: {error}")))?;
    let Some(name) = MATRIX.iter().find(|name| tensors.tensor(name).is_ok()) else {
        let config = read_json(folder, "config.json").map_err(odd)?.unwrap_or_default();
        let kind = config["model_type"].as_str().unwrap_or("absent");
        return Err(odd(format!(
            "it has no matrix named `embeddings`, as those of model2vec have, and its `model_type` is {kind}, not bert"
        )));
    };
    Ok(Arc::new(TokenTable::read_matrix(&tensors, name, tokenizer).map_err(odd)?))
}

/// Returns whether there are enough vectors for the tokens: their numbers may have gaps, and the library walks
/// through all up to the highest to list a vocabulary.
///
/// # Errors
/// That there are not, as a sentence.
pub(super) fn check_vocabulary(tokenizer: &Tokenizer, vectors: usize) -> Result<(), String> {
    let tokens = tokenizer.get_vocab(true).into_values().max().map_or(0, |highest| highest as usize + 1);
    match tokens <= vectors {
        true => Ok(()),
        false => Err(format!("its tokenizer numbers {tokens} tokens, and it has vectors of {vectors}")),
    }
}

/// A JSON file of the folder; `None` if it has none.
///
/// # Errors
/// The error in it, as a sentence.
pub(super) fn read_json(folder: &Path, name: &str) -> Result<Option<Value>, String> {
    if std::fs::metadata(folder.join(name)).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Ok(None);
    }
    let bytes = read_bytes(folder, name, OTHERS).map_err(|error| error.to_string())?;
    serde_json::from_slice(&bytes).map(Some).map_err(|error| format!("{name}: {error}"))
}

/// Returns the contents of a file of the folder.
///
/// # Errors
/// The error in it.
fn read_bytes(folder: &Path, name: &str, most: u64) -> Result<Vec<u8>, FolderError> {
    let path = folder.join(name);
    let file = || name.to_owned();
    let failed = |error: std::io::Error| FolderError::Read { file: file(), source: Arc::new(error) };
    // Opening a pipe would wait for a writer.
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
