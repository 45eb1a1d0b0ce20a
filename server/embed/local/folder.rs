//! Which kind of model a folder holds.

use std::path::Path;
use std::sync::Arc;

use safetensors::SafeTensors;
use serde_json::Value;
use tokenizers::Tokenizer;

use super::table::Table;
use super::{Encode, bytes};
use crate::base::hidden::shown;
use crate::protocol::{Code, Fault};

/// Names that the matrix of a vector for each token goes by.
const MATRIX: [&str; 2] = ["embeddings", "embedding.weight"];

/// Reads the model of a folder.
///
/// # Errors
/// NOT_FOUND for a file that cannot be read, INVALID_ARGS for one that is not what it should be, UNSUPPORTED for a BERT.
pub(super) fn read(folder: &Path) -> Result<Arc<dyn Encode>, Fault> {
    let odd = |wrong: String| {
        let what = format!("embeddings: the model in {}: {wrong}", shown(&folder.display().to_string()));
        Fault::new(Code::InvalidArgs, what)
            .suggest("fetch the model's files again, or name another folder as embeddings.folder")
    };
    let weights = bytes(&folder.join("model.safetensors"))?;
    let tensors = SafeTensors::deserialize(&weights)
        .map_err(|error| odd(format!("model.safetensors is none: {error}")))?;
    let tokenizer = bytes(&folder.join("tokenizer.json"))?;
    let mut tokenizer =
        Tokenizer::from_bytes(&tokenizer).map_err(|error| odd(format!("tokenizer.json: {error}")))?;
    // How long a text may be is for the kind of model to say.
    tokenizer.with_padding(None);
    tokenizer.with_truncation(None).map_err(|error| odd(format!("tokenizer.json: {error}")))?;
    if let Some(name) = MATRIX.iter().find(|name| tensors.tensor(name).is_ok()) {
        return Ok(Arc::new(Table::read(&tensors, name, tokenizer).map_err(&odd)?));
    }
    let config = bytes(&folder.join("config.json"))?;
    let config: Value =
        serde_json::from_slice(&config).map_err(|error| odd(format!("config.json: {error}")))?;
    match config["model_type"].as_str() {
        Some("bert") => Err(bert(folder)),
        other => Err(odd(format!(
            "it has no matrix named `embeddings`, as those of model2vec have; its `model_type` is {}",
            other.unwrap_or("absent")
        ))),
    }
}

fn bert(folder: &Path) -> Fault {
    let what = format!(
        "embeddings: {} holds a BERT, which wherefore does not run itself",
        shown(&folder.display().to_string())
    );
    Fault::new(Code::Unsupported, what)
        .suggest("name the folder of a model2vec model, or as `url` a server that runs this one, as Ollama")
}
