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
use crate::protocol::{Code, Fault};

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
/// NOT_FOUND for a file that cannot be read, INVALID_ARGS for one that is not what it should be, UNSUPPORTED for a BERT where
/// this build runs none.
pub(super) fn read(folder: &Path) -> Result<Arc<dyn Encode>, Fault> {
    let wrong = |code: Code, wrong: String| {
        let what = format!("embeddings: the model in {}: {wrong}", shown(&folder.display().to_string()));
        Fault::new(code, what)
            .suggest("fetch the model's files again, or name another folder as embeddings.folder")
    };
    let odd = |what: String| wrong(Code::InvalidArgs, what);
    let is_bert = is_bert(folder);
    if is_bert && !cfg!(feature = "encoder") {
        return Err(without_encoder(folder));
    }
    let file = |name: &str, most: u64| bytes(folder, name, most).map_err(|(code, what)| wrong(code, what));
    let weights = file("model.safetensors", WEIGHTS)?;
    let tokenizer = file("tokenizer.json", OTHERS)?;
    let mut tokenizer =
        Tokenizer::from_bytes(&tokenizer).map_err(|error| odd(format!("tokenizer.json: {error}")))?;
    // How long a text may be is for the kind of model to say.
    tokenizer.with_padding(None);
    tokenizer.with_truncation(None).map_err(|error| odd(format!("tokenizer.json: {error}")))?;
    #[cfg(feature = "encoder")]
    if is_bert {
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

fn without_encoder(folder: &Path) -> Fault {
    let what = format!(
        "embeddings: {} holds a BERT, and this build of wherefore runs none",
        shown(&folder.display().to_string())
    );
    Fault::new(Code::Unsupported, what).suggest(
        "build wherefore with `--features encoder`, name the folder of a model2vec model, or as `url` a server that runs this one, as Ollama",
    )
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
    let bytes = bytes(folder, name, OTHERS).map_err(|(_, wrong)| wrong)?;
    serde_json::from_slice(&bytes).map(Some).map_err(|error| format!("{name}: {error}"))
}

/// What a file of the folder holds.
///
/// # Errors
/// What is wrong with it, as a sentence.
fn bytes(folder: &Path, name: &str, most: u64) -> Result<Vec<u8>, (Code, String)> {
    let path = folder.join(name);
    let failed = |error: std::io::Error| (Code::NotFound, format!("{name} cannot be read: {error}"));
    // Opening a pipe would wait for whoever writes to it.
    let about = std::fs::metadata(&path).map_err(failed)?;
    if !about.is_file() {
        return Err((Code::NotFound, format!("{name} is no file")));
    }
    let too_large = || (Code::InvalidArgs, format!("{name} is larger than {} MB", most >> 20));
    if about.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or_default() + 1);
    File::open(&path).map_err(failed)?.take(most + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > most { Err(too_large()) } else { Ok(bytes) }
}
