//! A vector for each token, as model2vec makes them: that of a text is their mean.

use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};
use serde_json::Value;
use tokenizers::Tokenizer;

use super::TextEncoder;
use super::folder::check_vocabulary;

/// Tokens of a text that count.
const TOKENS: usize = 512;

/// A model that looks its tokens up.
pub(super) struct TokenTable {
    tokenizer: Tokenizer,
    /// The token for words that are not in the vocabulary: it has no meaning.
    unknown: Option<u32>,
    /// The numbers in their form in the file.
    numbers: Vec<u8>,
    kind: NumberKind,
    rows: usize,
    dimension: usize,
    /// The weight of each token; all are equal if there are none.
    weights: Option<Vec<f32>>,
    /// The row of each token; the token's own number if there are none.
    mapping: Option<Vec<usize>>,
}

/// The encoding of a number.
#[derive(Clone, Copy)]
struct NumberKind {
    bytes: usize,
    read: fn(&[u8]) -> f32,
}

impl NumberKind {
    fn from_dtype(dtype: Dtype) -> Option<Self> {
        let kind = |bytes: usize, read: fn(&[u8]) -> f32| Some(Self { bytes, read });
        match dtype {
            Dtype::F64 => kind(8, |bytes| f64::from_le_bytes(number_bytes(bytes)) as f32),
            Dtype::F32 => kind(4, |bytes| f32::from_le_bytes(number_bytes(bytes))),
            Dtype::F16 => kind(2, |bytes| half_to_f32(u16::from_le_bytes(number_bytes(bytes)))),
            Dtype::BF16 => {
                kind(2, |bytes| f32::from_bits(u32::from(u16::from_le_bytes(number_bytes(bytes))) << 16))
            }
            Dtype::I64 => kind(8, |bytes| i64::from_le_bytes(number_bytes(bytes)) as f32),
            Dtype::I32 => kind(4, |bytes| i32::from_le_bytes(number_bytes(bytes)) as f32),
            Dtype::I8 => kind(1, |bytes| f32::from(i8::from_le_bytes(number_bytes(bytes)))),
            _ => None,
        }
    }
}

/// The bytes of one number.
fn number_bytes<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

/// A number of 16 bits: a sign, five bits of exponent, ten of fraction.
fn half_to_f32(bits: u16) -> f32 {
    let fraction = f32::from(bits & 0x3FF) / 1024.0;
    let value = match bits >> 10 & 0x1F {
        0 => fraction * 2.0_f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        exponent => (1.0 + fraction) * 2.0_f32.powi(i32::from(exponent) - 15),
    };
    if bits >> 15 == 1 { -value } else { value }
}

impl TokenTable {
    /// Reads the matrix of that name, and what belongs to it.
    ///
    /// # Errors
    /// The error in it, as a sentence.
    pub(super) fn read_matrix(
        tensors: &SafeTensors<'_>,
        name: &str,
        tokenizer: Tokenizer,
    ) -> Result<Self, String> {
        let matrix = tensors.tensor(name).map_err(|error| error.to_string())?;
        let &[rows, dimension] = matrix.shape() else {
            return Err(format!("its `{name}` has the shape {:?}, not two dimensions", matrix.shape()));
        };
        if rows == 0 || dimension == 0 {
            return Err(format!("its `{name}` holds no numbers"));
        }
        let kind = NumberKind::from_dtype(matrix.dtype())
            .ok_or_else(|| format!("its `{name}` holds numbers of the kind {:?}", matrix.dtype()))?;
        let weights =
            tensors.tensor("weights").ok().map(|tensor| read_numbers("weights", &tensor)).transpose()?;
        let mapping = tensors.tensor("mapping").ok().map(|tensor| rows_of(&tensor, rows)).transpose()?;
        check_vocabulary(&tokenizer, mapping.as_ref().map_or(rows, Vec::len))?;
        let unknown = unknown_token(&tokenizer);
        let numbers = matrix.data().to_vec();
        Ok(Self { tokenizer, unknown, numbers, kind, rows, dimension, weights, mapping })
    }

    fn embed_text(&self, text: &str) -> Result<Vec<f32>, String> {
        let tokens = self.tokenizer.encode_fast(text, false).map_err(|error| error.to_string())?;
        let mut sum = vec![0.0_f32; self.dimension];
        let known = tokens.get_ids().iter().filter(|id| Some(**id) != self.unknown);
        for id in known.take(TOKENS) {
            let token = *id as usize;
            let row = self.mapping.as_ref().map_or(Some(token), |mapping| mapping.get(token).copied());
            let Some(row) = row.filter(|row| *row < self.rows) else { continue };
            let worth = self.weights.as_ref().and_then(|weights| weights.get(token)).copied().unwrap_or(1.0);
            let length = self.dimension * self.kind.bytes;
            let numbers = self.numbers[row * length..(row + 1) * length].chunks_exact(self.kind.bytes);
            for (sum, number) in sum.iter_mut().zip(numbers) {
                *sum += worth * (self.kind.read)(number);
            }
        }
        // A text without a known word has no direction; all such texts get this one.
        let says_nothing = sum.iter().all(|number| *number == 0.0);
        Ok(if says_nothing { vec![1.0; self.dimension] } else { sum })
    }
}

impl TextEncoder for TokenTable {
    fn encode(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, String> {
        texts.iter().map(|text| self.embed_text(text)).collect()
    }
}

fn read_numbers(name: &str, tensor: &TensorView<'_>) -> Result<Vec<f32>, String> {
    let kind = NumberKind::from_dtype(tensor.dtype())
        .ok_or_else(|| format!("its `{name}` holds numbers of the kind {:?}", tensor.dtype()))?;
    Ok(tensor.data().chunks_exact(kind.bytes).map(kind.read).collect())
}

fn rows_of(mapping: &TensorView<'_>, rows: usize) -> Result<Vec<usize>, String> {
    let size = match mapping.dtype() {
        Dtype::I64 | Dtype::U64 => 8,
        Dtype::I32 | Dtype::U32 => 4,
        other => return Err(format!("its `mapping` holds numbers of the kind {other:?}")),
    };
    let row = |bytes: &[u8]| {
        let mut number = [0; 8];
        number[..size].copy_from_slice(bytes);
        usize::try_from(u64::from_le_bytes(number)).ok().filter(|row| *row < rows)
    };
    let all: Option<Vec<usize>> = mapping.data().chunks_exact(size).map(row).collect();
    all.ok_or_else(|| format!("its `mapping` names rows beyond the {rows} that there are"))
}

/// The token for what a vocabulary does not hold.
fn unknown_token(tokenizer: &Tokenizer) -> Option<u32> {
    let model = serde_json::to_value(tokenizer.get_model()).ok()?;
    match (&model["unk_token"], &model["unk_id"]) {
        (Value::String(token), _) => tokenizer.token_to_id(token),
        (_, id) => u32::try_from(id.as_u64()?).ok(),
    }
}
