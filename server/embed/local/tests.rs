//! Models in folders that the tests make themselves: three words, and vectors of two numbers.

use safetensors::tensor::{Dtype, TensorView, serialize};

use super::*;
use crate::protocol::Fault;

#[cfg(feature = "encoder")]
mod bert;
mod carried;
mod hostile;

const TOKENIZER: &str = r#"{
  "version": "1.0",
  "added_tokens": [],
  "normalizer": { "type": "Lowercase" },
  "pre_tokenizer": { "type": "Whitespace" },
  "model": { "type": "WordLevel", "vocab": { "[UNK]": 0, "left": 1, "up": 2 }, "unk_token": "[UNK]" }
}"#;

/// A tensor: its name, its kind, its shape and its bytes.
type Tensor<'a> = (&'a str, Dtype, &'a [usize], Vec<u8>);

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

fn matrix() -> Tensor<'static> {
    ("embeddings", Dtype::F32, &[3, 2], floats(&[9.0, 9.0, 1.0, 0.0, 0.0, 1.0]))
}

fn folder(tensors: &[Tensor<'_>]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let views = tensors
        .iter()
        .map(|(name, kind, shape, bytes)| (*name, TensorView::new(*kind, shape.to_vec(), bytes).unwrap()));
    let bytes = serialize(views, None).unwrap();
    std::fs::write(folder.path().join("model.safetensors"), bytes).unwrap();
    std::fs::write(folder.path().join("tokenizer.json"), TOKENIZER).unwrap();
    std::fs::write(folder.path().join("config.json"), r#"{ "model_type": "model2vec" }"#).unwrap();
    folder
}

fn said(error: EmbedError) -> String {
    let fault = Fault::from(error);
    format!("{} {}", fault.message, fault.suggestion.unwrap_or_default())
}

fn open(folder: &tempfile::TempDir) -> Arc<LocalModel> {
    LocalModel::in_folder(folder.path().to_str().unwrap()).unwrap()
}

async fn embed(folder: &tempfile::TempDir, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
    open(folder).embed_texts(texts.iter().map(|text| (*text).to_owned()).collect()).await
}

#[tokio::test]
async fn the_vector_of_a_text_is_that_of_its_words() {
    let plain = folder(&[matrix()]);
    let made = embed(&plain, &["Left", "left up", "left unknown left", "nothing", ""]).await.unwrap();
    let same = vec![1.0, 1.0];
    assert_eq!(made, [vec![1.0, 0.0], same.clone(), vec![2.0, 0.0], same.clone(), same]);
    assert_eq!(embed(&plain, &["up"]).await.unwrap(), [[0.0, 1.0]], "a request takes another way");
    assert!(plain.path().ends_with(open(&plain).model_name()));

    // Half the bytes; weights of the tokens, and rows that several share.
    let halves =
        [0x4880_u16, 0x4880, 0x3C00, 0, 0, 0x3C00].iter().flat_map(|bits| bits.to_le_bytes()).collect();
    let half = ("embeddings", Dtype::F16, &[3_usize, 2][..], halves);
    let weights = (
        "weights",
        Dtype::F64,
        &[3_usize][..],
        [1.0_f64, 0.5, 3.0].iter().flat_map(|one| one.to_le_bytes()).collect(),
    );
    let mapping = (
        "mapping",
        Dtype::I64,
        &[3_usize][..],
        [0_i64, 2, 1].iter().flat_map(|one| one.to_le_bytes()).collect(),
    );
    let made = embed(&folder(&[half, weights, mapping]), &["left", "left up"]).await.unwrap();
    assert_eq!(made, [[0.0, 0.5], [3.0, 0.5]]);
}

#[tokio::test]
async fn what_is_no_model_is_said_with_the_way_out() {
    let gone = folder(&[matrix()]);
    std::fs::remove_file(gone.path().join("tokenizer.json")).unwrap();
    let wrong = said(LocalModel::in_folder(gone.path().to_str().unwrap()).unwrap_err());
    assert!(wrong.contains("has no tokenizer.json") && wrong.contains("embeddings.folder"), "{wrong}");

    let flat: Tensor<'_> = ("embeddings", Dtype::F32, &[6], floats(&[0.0; 6]));
    let few: Tensor<'_> = ("embeddings", Dtype::F32, &[2, 2], floats(&[0.0; 4]));
    let odd: Tensor<'_> = ("embeddings", Dtype::U8, &[3, 2], vec![0; 6]);
    let other: Tensor<'_> = ("layer.0", Dtype::F32, &[3, 2], floats(&[0.0; 6]));
    for (tensor, part) in [
        (flat, "not two dimensions"),
        (few, "numbers 3 tokens"),
        (odd, "U8"),
        (other.clone(), "`model_type`"),
    ] {
        let wrong = said(embed(&folder(&[tensor]), &["left"]).await.unwrap_err());
        assert!(wrong.contains(part) && wrong.contains("embeddings.folder"), "{wrong}");
    }
    if cfg!(not(feature = "encoder")) {
        let bert = folder(&[other]);
        std::fs::write(bert.path().join("config.json"), r#"{ "model_type": "bert" }"#).unwrap();
        let wrong = said(embed(&bert, &["left"]).await.unwrap_err());
        for part in ["runs none", "--features encoder", "a server that runs this one"] {
            assert!(wrong.contains(part), "{wrong}");
        }
    }
    for (file, part) in
        [("model.safetensors", "model.safetensors is none"), ("tokenizer.json", "tokenizer.json")]
    {
        let torn = folder(&[matrix()]);
        std::fs::write(torn.path().join(file), "{").unwrap();
        let wrong = said(embed(&torn, &["left"]).await.unwrap_err());
        assert!(wrong.contains(part) && wrong.contains("fetch"), "{wrong}");
    }
    assert!(expand_folder("models/m").unwrap_err().to_string().contains("absolute"));
}

#[tokio::test]
async fn a_folder_that_is_mended_works() {
    let place = folder(&[matrix()]);
    let whole = std::fs::read(place.path().join("model.safetensors")).unwrap();
    std::fs::write(place.path().join("model.safetensors"), "{").unwrap();
    let local = open(&place);
    assert!(local.embed_texts(vec!["left".to_owned()]).await.is_err());
    std::fs::write(place.path().join("model.safetensors"), whole).unwrap();
    assert!(local.embed_texts(vec!["left".to_owned()]).await.is_ok());
    assert_ne!(open(&place).identity(), local.identity(), "its vectors are others");
}
