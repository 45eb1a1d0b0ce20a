//! An encoder of the BERT family, as MiniLM, in a folder as sentence-transformers writes it: the mean of what it makes of a
//! text's tokens, or what it makes of the first.

use std::path::Path;

use candle_core::{DType, Device, Error, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use safetensors::{Dtype, SafeTensors};
use serde_json::Value;
use tokenizers::{Encoding, PostProcessor, Tokenizer, TruncationParams};

use super::{TextEncoder, folder, quiet};

/// Tokens of a text that count, if the folder does not say fewer: what attention takes grows with their square.
const TOKENS: usize = 512;
/// The most tokens that are embedded together, including the padding of each text to the longest of them.
const TOGETHER: usize = 1024;

/// A BERT.
pub(super) struct Bert {
    model: BertModel,
    tokenizer: Tokenizer,
    dimension: usize,
    pooling: Pooling,
}

/// The tokens whose vectors represent the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pooling {
    First,
    Mean,
}

impl Bert {
    /// Reads a model's weights, which may be of 16 bits.
    ///
    /// # Errors
    /// The error in it, as a sentence.
    pub(super) fn read(
        folder: &Path,
        weights: Vec<u8>,
        config: &Value,
        mut tokenizer: Tokenizer,
    ) -> Result<Self, String> {
        check_kinds(&weights)?;
        let pooling = read_pooling(folder)?;
        let config: Config =
            serde_json::from_value(config.clone()).map_err(|error| format!("config.json: {error}"))?;
        if config.num_attention_heads == 0 || !config.hidden_size.is_multiple_of(config.num_attention_heads) {
            let (size, heads) = (config.hidden_size, config.num_attention_heads);
            return Err(format!("config.json: `hidden_size` {size} is no multiple of {heads} heads"));
        }
        folder::check_vocabulary(&tokenizer, config.vocab_size)?;
        // The tokenizer subtracts these without a look.
        let added = tokenizer.get_post_processor().map_or(0, |added| added.added_tokens(false));
        let max_length =
            read_token_limit(folder)?.unwrap_or(TOKENS).min(config.max_position_embeddings).min(TOKENS);
        if max_length <= added {
            return Err(format!("it takes texts of {max_length} tokens, {added} of them its own"));
        }
        let cut = TruncationParams { max_length, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(cut)).map_err(|error| error.to_string())?;
        let variables = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu);
        let model = variables.and_then(|variables| BertModel::load(variables, &config));
        let model = model.map_err(|error| format!("model.safetensors: {}", first_line(&error)))?;
        Ok(Self { model, tokenizer, dimension: config.hidden_size, pooling })
    }

    fn encode_all(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, String> {
        let tokens = texts.iter().map(|text| self.tokenizer.encode_fast(text.as_str(), true));
        let tokens: Vec<Encoding> = tokens.collect::<Result<_, _>>().map_err(|error| error.to_string())?;
        // A text without a token has no direction; all of those have this one.
        let mut made = vec![vec![1.0; self.dimension]; texts.len()];
        let mut order: Vec<usize> = (0..texts.len()).filter(|at| !tokens[*at].is_empty()).collect();
        // Texts of like length together, since what fills up costs as much as what is said.
        order.sort_unstable_by_key(|at| tokens[*at].len());
        while let Some(longest) = order.last().map(|at| tokens[*at].len()) {
            let count = (TOGETHER / longest).clamp(1, order.len());
            let part = order.split_off(order.len() - count);
            let together: Vec<&Encoding> = part.iter().map(|at| &tokens[*at]).collect();
            let vectors = self.encode_batch(&together, longest).map_err(|error| first_line(&error))?;
            part.into_iter().zip(vectors).for_each(|(at, vector)| made[at] = vector);
        }
        Ok(made)
    }

    /// Returns the vectors of texts of at most `longest` tokens. Their lengths have no meaning: only directions are
    /// compared.
    fn encode_batch(&self, texts: &[&Encoding], longest: usize) -> Result<Vec<Vec<f32>>, Error> {
        let filled = |of: fn(&Encoding) -> &[u32]| {
            let mut numbers = Vec::with_capacity(texts.len() * longest);
            for (at, text) in texts.iter().enumerate() {
                numbers.extend_from_slice(of(text));
                numbers.resize((at + 1) * longest, 0);
            }
            Tensor::from_vec(numbers, (texts.len(), longest), &Device::Cpu)
        };
        let (ids, types) = (filled(Encoding::get_ids)?, filled(Encoding::get_type_ids)?);
        let mask = filled(Encoding::get_attention_mask)?;
        let hidden = self.model.forward(&ids, &types, Some(&mask))?;
        let pooled = match self.pooling {
            Pooling::First => hidden.narrow(1, 0, 1)?.squeeze(1)?,
            Pooling::Mean => hidden.broadcast_mul(&mask.to_dtype(DType::F32)?.unsqueeze(2)?)?.sum(1)?,
        };
        pooled.to_vec2()
    }
}

impl TextEncoder for Bert {
    fn encode(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, String> {
        quiet::unless_awaited(texts, || self.encode_all(texts))
    }
}

/// Checks that the weights are fractions. The library would take whole numbers for fractions; in a file of 8 bits they have to be multiplied by a scale.
fn check_kinds(weights: &[u8]) -> Result<(), String> {
    let tensors =
        SafeTensors::deserialize(weights).map_err(|error| format!("model.safetensors is none: {error}"))?;
    let is_fraction = |kind: Dtype| matches!(kind, Dtype::F64 | Dtype::F32 | Dtype::F16 | Dtype::BF16);
    // Numbers of places, which some folders hold, are not read.
    let mut weights = tensors.iter().filter(|(name, _)| !name.ends_with("position_ids"));
    match weights.find(|(_, tensor)| !is_fraction(tensor.dtype())) {
        Some((name, tensor)) => Err(format!("its `{name}` holds numbers of the kind {:?}", tensor.dtype())),
        None => Ok(()),
    }
}

/// Returns the first line: what follows is where in the library it happened.
fn first_line(error: &Error) -> String {
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

/// Returns the most tokens of a text, if the folder has a limit for its sentences.
fn read_token_limit(folder: &Path) -> Result<Option<usize>, String> {
    let said = folder::read_json(folder, "sentence_bert_config.json")?;
    let most = said.as_ref().and_then(|said| said["max_seq_length"].as_u64());
    Ok(most.map(|most| usize::try_from(most).unwrap_or(usize::MAX)))
}

/// Returns how a folder of sentence-transformers makes one vector of those of the tokens; the mean if it has no
/// setting.
fn read_pooling(folder: &Path) -> Result<Pooling, String> {
    let modules = folder::read_json(folder, "modules.json")?.unwrap_or_default();
    let kinds = modules.as_array().into_iter().flatten().filter_map(|module| module["type"].as_str());
    let mut kinds = kinds.map(|kind| kind.rsplit('.').next().unwrap_or_default());
    if let Some(other) = kinds.find(|kind| !["Transformer", "Pooling", "Normalize"].contains(kind)) {
        return Err(format!("its modules.json has a module `{other}`, which wherefore does not run"));
    }
    let Some(said) = folder::read_json(folder, "1_Pooling/config.json")? else { return Ok(Pooling::Mean) };
    let modes = said.as_object().into_iter().flatten();
    let modes: Vec<&str> = modes
        .filter(|(_, is_on)| **is_on == true)
        .filter_map(|(name, _)| name.strip_prefix("pooling_mode_"))
        .chain(said["pooling_mode"].as_str())
        .collect();
    match modes[..] {
        ["cls_token" | "cls"] => Ok(Pooling::First),
        // The second is the mean in another length.
        ["mean_tokens" | "mean" | "mean_sqrt_len_tokens" | "mean_sqrt_len"] => Ok(Pooling::Mean),
        _ => Err(format!(
            "1_Pooling/config.json asks for {modes:?}: wherefore knows cls_token and mean_tokens"
        )),
    }
}
