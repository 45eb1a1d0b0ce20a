//! Counts the tokens of a text: by a model's own tokenizer where it is known, else as a quarter of its characters.

use tiktoken::CoreBpe;

/// The name of the guess that replaces a tokenizer that is not known.
pub(crate) const ESTIMATE: &str = "estimate";

/// The tokenizer where no model is named.
const DEFAULT: &str = "o200k_base";

/// Models by what their names begin with, and their tokenizers. The longest beginning counts.
const MODELS: [(&str, &str); 13] = [
    ("chatgpt-", "o200k_base"),
    ("gpt-3.5", "cl100k_base"),
    ("gpt-4", "cl100k_base"),
    ("gpt-4.1", "o200k_base"),
    ("gpt-4.5", "o200k_base"),
    ("gpt-4o", "o200k_base"),
    ("gpt-5", "o200k_base"),
    ("gpt-oss", "o200k_base"),
    ("llama3", "llama3"),
    ("llama-3", "llama3"),
    ("qwen", "qwen2"),
    ("o1", "o200k_base"),
    ("text-embedding-", "cl100k_base"),
];

/// A counter of tokens.
#[derive(Clone, Copy)]
pub(crate) struct TokenCounter {
    name: &'static str,
    tokenizer: Option<&'static CoreBpe>,
}

impl std::fmt::Debug for TokenCounter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Counter({})", self.name)
    }
}

impl TokenCounter {
    /// The guess.
    pub(crate) const ESTIMATE: Self = Self { name: ESTIMATE, tokenizer: None };

    /// The counter for a model, or for a tokenizer by its own name. The first use of a tokenizer unpacks its vocabulary.
    pub(crate) fn for_model(model: Option<&str>) -> Self {
        let name = match model.map(str::to_lowercase) {
            None => Some(DEFAULT),
            Some(model) => tokenizer_of(&model),
        };
        match name {
            Some(name) => Self { name, tokenizer: tiktoken::get_encoding(name) },
            None => Self::ESTIMATE,
        }
    }

    /// The tokenizer's name, or [`ESTIMATE`].
    pub(crate) fn name(self) -> &'static str {
        if self.tokenizer.is_some() { self.name } else { ESTIMATE }
    }

    /// Counts the tokens of a text.
    pub(crate) fn count_tokens(self, text: &str) -> u64 {
        match self.tokenizer {
            Some(tokenizer) => tokenizer.count(text) as u64,
            None => estimate_tokens(text.chars().count() as u64),
        }
    }
}

/// About how many tokens so many characters are.
pub(crate) fn estimate_tokens(characters: u64) -> u64 {
    characters.div_ceil(4)
}

fn tokenizer_of(model: &str) -> Option<&'static str> {
    // The part before a slash names the provider.
    let model = model.rsplit('/').next().unwrap_or(model);
    let numbered = model.strip_prefix('o').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit()) && rest[1..].chars().next().is_none_or(|c| c == '-')
    });
    if numbered {
        return Some("o200k_base");
    }
    if let Some(name) = MODELS.iter().map(|(_, name)| *name).find(|name| *name == model) {
        return Some(name);
    }
    let known = MODELS.iter().filter(|(start, _)| model.starts_with(start));
    known.max_by_key(|(start, _)| start.len()).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_models_are_counted_by_their_tokenizers() {
        for (model, name) in [
            (None, "o200k_base"),
            (Some("gpt-4"), "cl100k_base"),
            (Some("gpt-4-turbo"), "cl100k_base"),
            (Some("GPT-4o-mini"), "o200k_base"),
            (Some("openai/gpt-5.1"), "o200k_base"),
            (Some("o3"), "o200k_base"),
            (Some("o4-mini"), "o200k_base"),
            (Some("llama3.2:3b"), "llama3"),
            (Some("qwen2.5-coder"), "qwen2"),
            (Some("cl100k_base"), "cl100k_base"),
            (Some("opus"), ESTIMATE),
            (Some("claude-sonnet-5"), ESTIMATE),
            (Some(""), ESTIMATE),
        ] {
            assert_eq!(TokenCounter::for_model(model).name(), name, "{model:?}");
        }
    }

    #[test]
    fn tokens_are_as_the_tokenizers_authors_count_them() {
        // From the documentation of the tokenizers.
        for (model, text, tokens) in [
            ("cl100k_base", "hello world", 2),
            ("cl100k_base", "tiktoken is great!", 6),
            ("cl100k_base", "2 + 2 = 4", 7),
            ("o200k_base", "2 + 2 = 4", 7),
            ("cl100k_base", "お誕生日おめでとう", 9),
            ("o200k_base", "お誕生日おめでとう", 8),
            ("o200k_base", "", 0),
        ] {
            assert_eq!(TokenCounter::for_model(Some(model)).count_tokens(text), tokens, "{model} {text}");
        }
        assert_eq!(TokenCounter::for_model(Some("claude-x")).count_tokens("ünïcode!!"), 3);
    }
}
