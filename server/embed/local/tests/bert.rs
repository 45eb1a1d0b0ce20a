//! A BERT of one layer and vectors of four numbers, which the tests make themselves.

use super::*;

const TOKENIZER: &str = r#"{
  "version": "1.0",
  "added_tokens": [],
  "normalizer": { "type": "Lowercase" },
  "pre_tokenizer": { "type": "Whitespace" },
  "post_processor": {
    "type": "TemplateProcessing",
    "single": [
      { "SpecialToken": { "id": "[CLS]", "type_id": 0 } },
      { "Sequence": { "id": "A", "type_id": 0 } },
      { "SpecialToken": { "id": "[SEP]", "type_id": 0 } }
    ],
    "pair": [],
    "special_tokens": {
      "[CLS]": { "id": "[CLS]", "ids": [1], "tokens": ["[CLS]"] },
      "[SEP]": { "id": "[SEP]", "ids": [2], "tokens": ["[SEP]"] }
    }
  },
  "model": {
    "type": "WordLevel",
    "vocab": { "[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "left": 3, "up": 4 },
    "unk_token": "[UNK]"
  }
}"#;

/// A vector of each token: mean 0 and variance 1, so that no norm of a layer changes them.
const WORDS: [[f32; 4]; 5] = [
    [1.0, -1.0, 1.0, -1.0],
    [1.0, 1.0, -1.0, -1.0],
    [1.0, -1.0, -1.0, 1.0],
    [-1.0, 1.0, 1.0, -1.0],
    [-1.0, 1.0, -1.0, 1.0],
];

/// The names, shapes and numbers of its weights. Those of the layer are all `inner`; if that is 0 the layer changes nothing.
fn weights(inner: f32) -> Vec<(String, Vec<usize>, Vec<f32>)> {
    let layer = "encoder.layer.0";
    let mut all = vec![
        ("embeddings.word_embeddings.weight".to_owned(), vec![5, 4], WORDS.concat()),
        ("embeddings.position_embeddings.weight".to_owned(), vec![8, 4], vec![0.0; 32]),
        ("embeddings.token_type_embeddings.weight".to_owned(), vec![2, 4], vec![0.0; 8]),
    ];
    for norm in [
        "embeddings.LayerNorm".to_owned(),
        format!("{layer}.attention.output.LayerNorm"),
        format!("{layer}.output.LayerNorm"),
    ] {
        all.push((format!("{norm}.weight"), vec![4], vec![1.0; 4]));
        all.push((format!("{norm}.bias"), vec![4], vec![0.0; 4]));
    }
    for dense in [
        "attention.self.query",
        "attention.self.key",
        "attention.self.value",
        "attention.output.dense",
        "intermediate.dense",
        "output.dense",
    ] {
        // The numbers differ in each place, so that no two tokens are made equal.
        let numbers = (0..16).map(|at| inner * ((at * 7 % 5) as f32 - 2.0)).collect();
        all.push((format!("{layer}.{dense}.weight"), vec![4, 4], numbers));
        all.push((format!("{layer}.{dense}.bias"), vec![4], vec![0.0; 4]));
    }
    all
}

fn config() -> serde_json::Value {
    serde_json::json!({
        "model_type": "bert", "vocab_size": 5, "hidden_size": 4, "num_hidden_layers": 1, "num_attention_heads": 2,
        "intermediate_size": 4, "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "max_position_embeddings": 8,
        "type_vocab_size": 2, "initializer_range": 0.02, "layer_norm_eps": 1e-12, "pad_token_id": 0
    })
}

/// A folder with those weights, each number written as `kind` and `bytes` say.
fn bert_of(inner: f32, kind: Dtype, bytes: fn(f32) -> Vec<u8>) -> tempfile::TempDir {
    let weights = weights(inner);
    let tensors = weights.iter().map(|(name, shape, numbers)| {
        let numbers = numbers.iter().flat_map(|number| bytes(*number)).collect();
        (name.as_str(), kind, shape.as_slice(), numbers)
    });
    let folder = folder(&tensors.collect::<Vec<_>>());
    write(&folder, "tokenizer.json", TOKENIZER);
    write(&folder, "config.json", &config().to_string());
    folder
}

fn bert(inner: f32) -> tempfile::TempDir {
    bert_of(inner, Dtype::F32, |number| number.to_le_bytes().to_vec())
}

fn write(folder: &tempfile::TempDir, name: &str, text: &str) {
    let path = folder.path().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let dot = |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f32>();
    dot(one, other) / (dot(one, one) * dot(other, other)).sqrt()
}

/// The direction of the tokens' mean.
fn mean(tokens: &[usize]) -> Vec<f32> {
    (0..4).map(|at| tokens.iter().map(|token| WORDS[*token][at]).sum()).collect()
}

fn assert_alike(made: &[Vec<f32>], wanted: &[Vec<f32>]) {
    assert_eq!(made.len(), wanted.len());
    for (made, wanted) in made.iter().zip(wanted) {
        assert!(cosine(made, wanted) > 0.99999, "{made:?} is not in the direction of {wanted:?}");
    }
}

#[tokio::test]
async fn tokens_are_pooled_and_cut_as_the_folder_says() {
    let folder = bert(0.0);
    assert!(!open(&folder).is_static(), "it reads a text as a whole");
    let texts = ["Left", "left up up left up up", "nothing", ""];
    let by_mean = [mean(&[1, 3, 2]), mean(&[1, 3, 4, 4, 3, 4, 4, 2]), mean(&[1, 0, 2]), mean(&[1, 2])];
    assert_alike(&embed(&folder, &texts).await.unwrap(), &by_mean);
    assert_alike(&embed(&folder, &["left up"]).await.unwrap(), &[mean(&[1, 3, 4, 2])]);
    let beyond = embed(&folder, &["left up up left up up up up up"]).await.unwrap();
    assert_alike(&beyond, &by_mean[1..2]);

    let before = open(&folder).identity().to_owned();
    write(&folder, "sentence_bert_config.json", r#"{ "max_seq_length": 3 }"#);
    assert_ne!(open(&folder).identity(), before, "its vectors are others");
    assert_alike(&embed(&folder, &texts[..2]).await.unwrap(), &[mean(&[1, 3, 2]), mean(&[1, 3, 2])]);
    for said in [
        r#"{ "word_embedding_dimension": 4, "pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false }"#,
        r#"{ "pooling_mode": "cls", "include_prompt": true }"#,
    ] {
        write(&folder, "1_Pooling/config.json", said);
        assert_alike(&embed(&folder, &texts).await.unwrap(), &[1; 4].map(|token| mean(&[token])));
    }
}

#[tokio::test]
async fn what_fills_a_text_up_beside_a_longer_one_counts_for_nothing() {
    let folder = bert(0.3);
    let texts = ["left", "up left up up left", "up", "left left up", "up up"];
    let together = embed(&folder, &texts).await.unwrap();
    for (text, made) in texts.iter().zip(&together) {
        assert_alike(&embed(&folder, &[*text]).await.unwrap(), std::slice::from_ref(made));
    }
    assert!(cosine(&together[0], &mean(&[1, 3, 2])) < 0.999, "the layer does something");
    let many = vec!["left up up"; 300];
    let same = embed(&folder, &["left up up"]).await.unwrap();
    assert_alike(&embed(&folder, &many).await.unwrap(), &vec![same[0].clone(); 300]);
}

#[tokio::test]
async fn weights_of_sixteen_bits_are_read() {
    let bits = |number: f32| number.to_bits();
    assert_eq!(bits(1.0) & 0xFFFF, 0, "these numbers are the same in half the bits");
    let brain = bert_of(0.0, Dtype::BF16, |number| ((number.to_bits() >> 16) as u16).to_le_bytes().to_vec());
    let half = bert_of(0.0, Dtype::F16, |number| {
        let bits: u16 = if number == 0.0 { 0 } else { 0x3C00 };
        (bits | ((number.to_bits() >> 16) as u16 & 0x8000)).to_le_bytes().to_vec()
    });
    for folder in [brain, half] {
        assert_alike(&embed(&folder, &["left", "up"]).await.unwrap(), &[mean(&[1, 3, 2]), mean(&[1, 4, 2])]);
    }
}

#[tokio::test]
async fn what_is_no_bert_is_said() {
    let changed = |name: &str, value: serde_json::Value| {
        let mut config = config();
        config[name] = value;
        ("config.json", config.to_string())
    };
    let more = TOKENIZER.replace(r#""up": 4"#, r#""up": 4, "down": 9"#);
    for ((file, text), part) in [
        (("config.json", r#"{ "model_type": "bert" }"#.to_owned()), "missing field"),
        (changed("num_attention_heads", 0.into()), "no multiple of 0 heads"),
        (changed("num_attention_heads", 3.into()), "no multiple of 3 heads"),
        (changed("vocab_size", 6.into()), "shape mismatch for embeddings.word_embeddings.weight"),
        (changed("num_hidden_layers", u64::MAX.into()), "encoder.layer.1"),
        (changed("max_position_embeddings", (1_u64 << 63).into()), "embeddings.position_embeddings.weight"),
        (changed("hidden_act", "swish".into()), "swish"),
        (changed("position_embedding_type", "relative_key".into()), "relative_key"),
        (("tokenizer.json", more), "numbers 10 tokens, and it has vectors of 5"),
        (("sentence_bert_config.json", r#"{ "max_seq_length": 2 }"#.to_owned()), "texts of 2 tokens"),
        (("sentence_bert_config.json", r#"{ "max_seq_length": 0 }"#.to_owned()), "texts of 0 tokens"),
        (("sentence_bert_config.json", "[".to_owned()), "sentence_bert_config.json"),
        (("1_Pooling/config.json", r#"{ "pooling_mode_max_tokens": true }"#.to_owned()), "max_tokens"),
        (
            ("modules.json", r#"[{ "type": "sentence_transformers.models.Dense" }]"#.to_owned()),
            "a module `Dense`",
        ),
    ] {
        let folder = bert(0.0);
        write(&folder, file, &text);
        let wrong = said(embed(&folder, &["left", "up"]).await.unwrap_err());
        assert!(wrong.contains(part) && wrong.contains("embeddings.folder"), "{file}: {part}: {wrong}");
    }
    let bytes = bert_of(0.0, Dtype::I8, |number| vec![number as i8 as u8]);
    let wrong = said(embed(&bytes, &["left"]).await.unwrap_err());
    assert!(wrong.contains("holds numbers of the kind I8"), "{wrong}");
    for numbers in [f32::NAN, f32::INFINITY] {
        let wrong = said(embed(&bert(numbers), &["left"]).await.unwrap_err());
        assert!(wrong.contains("no direction"), "{wrong}");
    }
}
