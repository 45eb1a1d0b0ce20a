//! The model that the crate `pocket-encoder` carries: a MiniLM of three layers.

use std::sync::Arc;

use pocket_encoder::{Encoder, model_info};

use super::{LocalModel, TextEncoder, model_error, quiet};
use crate::error::VectorModelError;

/// The model's name.
const NAME: &str = "pocket-encoder";
/// Bytes of a text that it takes, and texts of that size at once.
const LONGEST: usize = 64 << 10;
const AT_ONCE: usize = 64;

struct PocketModel(Encoder);

/// The model; it is unpacked at the first need.
pub(super) fn model() -> Arc<LocalModel> {
    let info = model_info();
    let identity = format!("built in\n{}\n{}\n{}", info.id, info.revision, info.tokenizer_sha256);
    let load = || {
        let encoder =
            Encoder::new().map_err(|error| model_error(NAME, VectorModelError::Encode(error.to_string())))?;
        Ok(Arc::new(PocketModel(encoder)) as Arc<dyn TextEncoder>)
    };
    LocalModel::new(NAME.to_owned(), identity, false, Box::new(load))
}

/// Returns a text as the model takes it: not blank, not too long. Of a long one it reads the first 128 tokens alone.
fn truncate_text(text: &str) -> &str {
    let text = &text[..text.floor_char_boundary(LONGEST)];
    if text.trim().is_empty() { "-" } else { text }
}

impl TextEncoder for PocketModel {
    fn encode(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, String> {
        let all = || {
            let parts = texts.chunks(AT_ONCE).map(|part| {
                let part: Vec<&str> = part.iter().map(|text| truncate_text(text)).collect();
                self.0.embed(&part).map_err(|error| error.to_string())
            });
            Ok(parts.collect::<Result<Vec<_>, String>>()?.concat())
        };
        quiet::unless_awaited(texts, all)
    }
}
