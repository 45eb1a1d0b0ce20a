//! Files that are not what they say, or not there any more: each is a fault, and none fills the memory.

use std::fs::{File, OpenOptions};

use super::*;

/// Returns the error of the model in a folder in which `damage` was done after it was found.
async fn wrong(damage: impl FnOnce(&Path)) -> String {
    let folder = folder(&[matrix()]);
    let local = open(&folder);
    damage(folder.path());
    let error = local.embed_texts(vec!["left".to_owned()]).await.unwrap_err();
    assert!(
        local.embed_texts(vec!["left".to_owned(), "up".to_owned()]).await.is_err(),
        "in the background too"
    );
    said(error)
}

/// The weights' file with another length of its head.
fn claim(folder: &Path, length: u64) {
    let file = folder.join("model.safetensors");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[..8].copy_from_slice(&length.to_le_bytes());
    std::fs::write(file, bytes).unwrap();
}

/// The weights' file with another head, and eight bytes of numbers.
fn head(folder: &Path, head: &str) {
    let length = (head.len() as u64).to_le_bytes();
    std::fs::write(folder.join("model.safetensors"), [&length[..], head.as_bytes(), &[0; 8]].concat())
        .unwrap();
}

#[tokio::test]
async fn weights_that_claim_what_they_do_not_hold_are_said() {
    for length in [u64::MAX, 1 << 63, 1 << 32, 100_000_000, 4_000, 3, 0] {
        let wrong = wrong(|folder| claim(folder, length)).await;
        assert!(wrong.contains("model.safetensors is none"), "{length}: {wrong}");
    }
    for (kind, shape, offsets) in [
        ("F32", "[9223372036854775807, 4]", "[0, 8]"),
        ("F32", "[3, 2]", "[0, 9223372036854775800]"),
        ("F32", "[3, 2]", "[8, 0]"),
        ("F32", "[3, 2]", "[0, 24]"),
        ("Q4", "[1, 2]", "[0, 8]"),
    ] {
        let said =
            format!(r#"{{"embeddings":{{"dtype":"{kind}","shape":{shape},"data_offsets":{offsets}}}}}"#);
        let wrong = wrong(|folder| head(folder, &said)).await;
        assert!(wrong.contains("model.safetensors is none"), "{said}: {wrong}");
    }
    let torn = wrong(|folder| {
        let file = OpenOptions::new().write(true).open(folder.join("model.safetensors")).unwrap();
        file.set_len(file.metadata().unwrap().len() - 4).unwrap();
    });
    assert!(torn.await.contains("model.safetensors is none"));
}

#[tokio::test]
async fn files_that_are_too_large_or_no_tokenizer_are_said() {
    // They hold nothing on the disk, and are not read.
    let large = |name: &'static str, size: u64| {
        wrong(move |folder| File::create(folder.join(name)).unwrap().set_len(size).unwrap())
    };
    assert!(large("model.safetensors", 5 << 30).await.contains("model.safetensors is larger than 2048 MB"));
    assert!(large("tokenizer.json", 500 << 20).await.contains("tokenizer.json is larger than 64 MB"));
    for text in [
        r#"{ "model_type": "bert" }"#,
        r#"["left", "up"]"#,
        r#"{ "version": "9.0", "model": { "type": "WordLevel", "vocab": {}, "unk_token": "[UNK]" } }"#,
        r#"{ "version": "1.0", "added_tokens": [], "model": { "type": "Other", "vocab": {} } }"#,
        "\u{1F418}",
        "",
    ] {
        let wrong = wrong(|folder| std::fs::write(folder.join("tokenizer.json"), text).unwrap()).await;
        assert!(wrong.contains("tokenizer.json: "), "{text}: {wrong}");
    }
}

#[tokio::test]
async fn a_folder_that_goes_or_changes_before_its_first_use_is_said() {
    let gone = wrong(|folder| std::fs::remove_dir_all(folder).unwrap()).await;
    assert!(gone.contains("model.safetensors cannot be read"), "{gone}");
    let pipe = wrong(|folder| {
        let file = folder.join("tokenizer.json");
        std::fs::remove_file(&file).unwrap();
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, &file, kind, rustix::fs::Mode::RWXU, 0).unwrap();
    });
    assert!(pipe.await.contains("tokenizer.json is no file"));
}

#[tokio::test]
async fn weights_that_are_no_numbers_and_tokens_without_a_vector_are_said() {
    for odd in [f32::NAN, f32::INFINITY] {
        let folder = folder(&[("embeddings", Dtype::F32, &[3, 2], floats(&[0.0, 0.0, odd, 0.0, 0.0, 1.0]))]);
        let wrong = said(embed(&folder, &["left"]).await.unwrap_err());
        assert!(wrong.contains("no direction"), "{wrong}");
        assert_eq!(embed(&folder, &["up"]).await.unwrap(), [[0.0, 1.0]]);
    }
    // As many tokens as vectors, one of them with a number far beyond.
    let far = TOKENIZER.replace("\"up\": 2", "\"up\": 4000000000");
    let wrong = wrong(|folder| std::fs::write(folder.join("tokenizer.json"), far).unwrap()).await;
    assert!(wrong.contains("numbers 4000000001 tokens, and it has vectors of 3"), "{wrong}");
}
