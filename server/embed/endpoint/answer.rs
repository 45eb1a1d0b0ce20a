//! The answer of an endpoint: vectors, compared with the request, or an error.

use serde::Deserialize;
use serde_json::Value;

use crate::base::hidden::escape_hidden;
use crate::error::AnswerError;

/// Numbers of the longest vector.
const LONGEST: usize = 16_384;

#[derive(Deserialize)]
struct EmbeddingAnswer {
    data: Vec<EmbeddingEntry>,
}

#[derive(Deserialize)]
struct EmbeddingEntry {
    index: Option<usize>,
    embedding: Vec<f32>,
}

/// The vectors of an answer to that many texts, in the texts' order.
///
/// # Errors
/// The error in it.
pub(super) fn read_vectors(bytes: &[u8], texts: usize) -> Result<Vec<Vec<f32>>, AnswerError> {
    // The error's own text may quote what came.
    let answer: EmbeddingAnswer = serde_json::from_slice(bytes).map_err(|error| match error.is_data() {
        true => AnswerError::NoData,
        false => AnswerError::NoJson,
    })?;
    let count = answer.data.len();
    if count != texts {
        return Err(AnswerError::Count { vectors: count, texts });
    }
    let mut vectors = vec![Vec::new(); texts];
    for (at, entry) in answer.data.into_iter().enumerate() {
        let vector = entry.embedding;
        let wrong = match vector.len() {
            0 => Some(AnswerError::Empty),
            length if length > LONGEST => Some(AnswerError::Long { most: LONGEST }),
            _ if !vector.iter().all(|number| number.is_finite()) => Some(AnswerError::NotFinite),
            _ if vector.iter().all(|number| *number == 0.0) => Some(AnswerError::Zeros),
            _ => None,
        };
        if let Some(wrong) = wrong {
            return Err(wrong);
        }
        match vectors.get_mut(entry.index.unwrap_or(at)) {
            Some(place) if place.is_empty() => *place = vector,
            _ => return Err(AnswerError::Twice),
        }
    }
    Ok(vectors)
}

/// Returns the message of an error, in at most that many characters; empty if there is none.
pub(super) fn error_text(bytes: &[u8], most: usize) -> String {
    let value: Value = serde_json::from_slice(bytes).unwrap_or_default();
    let error = value.get("error").unwrap_or(&value);
    let said = error.get("message").unwrap_or(error).as_str();
    let said = said.map_or_else(|| String::from_utf8_lossy(bytes).into_owned(), str::to_owned);
    let said: String = said.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(most).collect();
    escape_hidden(&said).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_answer_the_texts_is_refused() {
        let cases = [
            (r#"{"data":[{"embedding":[1,0]},{"embedding":[0,1]}]}"#, ""),
            (r#"{"data":[{"index":1,"embedding":[1,0]},{"index":0,"embedding":[0,1]}]}"#, ""),
            (r#"{"data":[{"embedding":[1,0]}]}"#, "1 vectors to 2 texts"),
            (r#"{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}"#, "two vectors"),
            (r#"{"data":[{"index":9,"embedding":[1]},{"index":0,"embedding":[1]}]}"#, "two vectors"),
            (r#"{"data":[{"embedding":[]},{"embedding":[1]}]}"#, "empty"),
            (r#"{"data":[{"embedding":[0,0]},{"embedding":[1,0]}]}"#, "zeros"),
            (r#"{"data":[{"embedding":[1e39]},{"embedding":[1]}]}"#, "too large"),
            (r#"{"data":[{"embedding":[NaN]},{"embedding":[1]}]}"#, "no JSON"),
            (r#"{"data":[{"embedding":["a"]},{"embedding":[1]}]}"#, "no `data`"),
            (r#"{"data":"#, "no JSON"),
            ("{}", "no `data`"),
            ("<html>", "no JSON"),
        ];
        for (text, expected) in cases {
            let said =
                read_vectors(text.as_bytes(), 2).err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(said.is_empty(), expected.is_empty(), "{text}: {said}");
            assert!(said.contains(expected), "{text}: {said}");
        }
        let turned = r#"{"data":[{"index":1,"embedding":[1,0]},{"index":0,"embedding":[0,1]}]}"#;
        assert_eq!(read_vectors(turned.as_bytes(), 2).unwrap(), [[0.0, 1.0], [1.0, 0.0]]);
    }

    #[test]
    fn an_error_is_read_in_each_of_its_forms() {
        for text in [r#"{"error":{"message":"no  model"}}"#, r#"{"error":"no model"}"#, "no\nmodel"] {
            assert_eq!(error_text(text.as_bytes(), 200), "no model", "{text}");
        }
        assert_eq!(error_text("x\u{202e}yz".as_bytes(), 2), "x\\u{202e}");
        assert_eq!(error_text(b"", 9), "");
    }
}
