//! The model that a build carries, if it does.

use super::*;

#[cfg(not(feature = "pocket-encoder"))]
#[test]
fn a_build_without_one_says_which_has_it() {
    let wrong = said(LocalModel::built_in().unwrap_err());
    for part in ["carries no model", "--features pocket-encoder", "`url`"] {
        assert!(wrong.contains(part), "{wrong}");
    }
}

#[cfg(feature = "pocket-encoder")]
#[tokio::test]
async fn it_knows_what_is_alike_and_takes_any_text() {
    let local = LocalModel::built_in().unwrap();
    assert!(!local.is_static());
    let long = "\u{1F418}".repeat(100_000);
    let mut texts =
        ["delete a file", "remove a document", "bake bread", "", " \n", &long].map(str::to_owned).to_vec();
    let made = local.embed_texts(texts.clone()).await.unwrap();
    let cosine =
        |one: usize, other: usize| made[one].iter().zip(&made[other]).map(|(a, b)| a * b).sum::<f32>();
    assert!(cosine(0, 1) > cosine(0, 2) + 0.2, "{} {}", cosine(0, 1), cosine(0, 2));
    assert_eq!(made[3], made[4]);
    assert_eq!(
        local.embed_texts(vec![texts.swap_remove(0)]).await.unwrap()[0],
        made[0],
        "a request takes another way"
    );
}
