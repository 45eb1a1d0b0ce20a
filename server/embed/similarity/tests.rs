//! A model that works, fails, hangs and turns into another one.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt;
use futures::future::BoxFuture;

use super::*;
use crate::text_key;

/// A model of directions: how it behaves is said from outside.
#[derive(Debug)]
struct Fake {
    dimension: AtomicUsize,
    behaviour: Mutex<Behaviour>,
    texts: AtomicUsize,
    sent: Mutex<Vec<String>>,
}

#[derive(Clone, Copy, Debug)]
enum Behaviour {
    Works,
    Fails,
    Hangs,
}

/// The error of a model that is away.
fn away() -> EmbedError {
    EmbedError::Model { model: "fake".to_owned(), source: VectorModelError::Encode("it is away".to_owned()) }
}

impl Fake {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            dimension: AtomicUsize::new(4),
            behaviour: Mutex::new(Behaviour::Works),
            texts: AtomicUsize::new(0),
            sent: Mutex::default(),
        })
    }

    fn be(&self, behaviour: Behaviour) {
        *self.behaviour.lock() = behaviour;
    }

    fn asked(&self) -> usize {
        self.texts.load(Ordering::Relaxed)
    }
}

impl TextEmbedder for Fake {
    fn model_name(&self) -> &str {
        "fake"
    }

    fn identity(&self) -> &str {
        "fake"
    }

    fn embed_texts(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, EmbedError>> {
        self.texts.fetch_add(texts.len(), Ordering::Relaxed);
        self.sent.lock().extend(texts.iter().cloned());
        let dimension = self.dimension.load(Ordering::Relaxed);
        let vector = |text: &String| {
            let mut vector = vec![0.1; dimension];
            vector[text.len() % dimension] = 1.0;
            vector
        };
        match *self.behaviour.lock() {
            Behaviour::Works => std::future::ready(Ok(texts.iter().map(vector).collect())).boxed(),
            Behaviour::Fails => std::future::ready(Err(away())).boxed(),
            Behaviour::Hangs => std::future::pending().boxed(),
        }
    }
}

const TEXTS: [&str; 3] = ["a", "bb", "ccc"];

fn keys() -> Arc<[Key]> {
    TEXTS.iter().map(|text| text_key(text)).collect()
}

fn similarity(fake: &Arc<Fake>) -> Arc<TextSimilarity> {
    Arc::new(TextSimilarity::new(fake.clone(), None, Duration::from_millis(50)))
}

async fn fill(similarity: &Arc<TextSimilarity>) -> Result<(), EmbedError> {
    let texts = |places: &[usize]| places.iter().map(|place| Some(TEXTS[*place].to_owned())).collect();
    similarity.make_missing(&keys(), texts, |_, _| {}).await
}

#[tokio::test]
async fn a_request_is_near_what_has_its_direction() {
    let fake = Fake::new();
    let similarity = similarity(&fake);
    assert_eq!(similarity.cosines("xx", &keys()).await, None, "no text has a vector yet");
    assert_eq!(fake.asked(), 0);
    fill(&similarity).await.unwrap();
    fill(&similarity).await.unwrap();
    assert_eq!(fake.asked(), 3, "once each");
    let found = similarity.cosines("xx", &keys()).await.unwrap();
    assert!(found[1] > 0.99 && found[0] < 0.5 && found[2] < 0.5, "{found:?}");
    similarity.cosines("xx", &keys()).await.unwrap();
    assert_eq!(fake.asked(), 4, "the request was embedded once");
}

#[tokio::test]
async fn a_model_is_sent_no_secret() {
    let fake = Fake::new();
    let similarity = similarity(&fake);
    let token = format!("{}{}", "ghp_", "aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2");
    let text = format!("fn sign_in() {{ connect(\"{token}\") }}");
    let keys: Arc<[Key]> = [text_key(&text)].into();
    let sent = text.clone();
    similarity.make_missing(&keys, move |_| vec![Some(sent.clone())], |_, _| {}).await.unwrap();
    similarity.cosines(&format!("where is password={token}"), &keys).await.unwrap();
    let sent = fake.sent.lock().clone();
    assert_eq!(sent.len(), 2);
    assert!(sent.iter().all(|text| !text.contains(&token) && text.contains("[redacted:")), "{sent:?}");
    assert!(sent[0].starts_with("fn sign_in() { connect("), "{sent:?}");
}

#[tokio::test]
async fn a_failure_leaves_it_alone_for_a_while() {
    let fake = Fake::new();
    let similarity = similarity(&fake);
    fill(&similarity).await.unwrap();
    fake.be(Behaviour::Fails);
    assert_eq!(similarity.cosines("xx", &keys()).await, None);
    assert_eq!(similarity.trouble().as_deref(), Some("the embeddings of fake: it is away"));
    let asked = fake.asked();
    assert_eq!(similarity.cosines("yy", &keys()).await, None);
    assert_eq!(fake.asked(), asked, "it was not asked again");
    fake.be(Behaviour::Works);
    tokio::time::sleep(similarity.remaining_pause()).await;
    assert!(similarity.cosines("yy", &keys()).await.is_some());
    assert_eq!(similarity.trouble(), None);
}

#[tokio::test]
async fn one_that_hangs_is_waited_for_once() {
    let fake = Fake::new();
    let similarity = similarity(&fake);
    fill(&similarity).await.unwrap();
    fake.be(Behaviour::Hangs);
    assert_eq!(similarity.cosines("xx", &keys()).await, None);
    let asked = fake.asked();
    for request in ["y", "yy", "yyy"] {
        assert_eq!(similarity.cosines(request, &keys()).await, None);
    }
    assert_eq!(fake.asked(), asked, "the first request is still unanswered");
}

#[tokio::test]
async fn another_model_under_the_same_name_is_noticed() {
    let fake = Fake::new();
    let similarity = similarity(&fake);
    fill(&similarity).await.unwrap();
    fake.dimension.store(6, Ordering::Relaxed);
    assert_eq!(similarity.cosines("xx", &keys()).await, None);
    similarity.wait_forgotten().await;
    fill(&similarity).await.unwrap();
    assert!(similarity.cosines("xx", &keys()).await.unwrap()[1] > 0.9);

    // New texts are the first to show it.
    fake.dimension.store(8, Ordering::Relaxed);
    let more: Arc<[Key]> = keys().iter().copied().chain([text_key("dddd")]).collect();
    let text = |place: &usize| Some(TEXTS.get(*place).copied().unwrap_or("dddd").to_owned());
    similarity.make_missing(&more, move |places| places.iter().map(text).collect(), |_, _| {}).await.unwrap();
    let asked = similarity.cosines("zzzz", &more).await.unwrap();
    assert!(asked.iter().all(|cosine| !cosine.is_nan()) && asked[3] > 0.9, "{asked:?}");
}

#[tokio::test]
async fn a_text_that_is_no_more_is_left_out() {
    let fake = Fake::new();
    let similarity = similarity(&fake);
    let texts = |places: &[usize]| {
        places.iter().map(|place| (*place != 1).then(|| TEXTS[*place].to_owned())).collect()
    };
    similarity.make_missing(&keys(), texts, |_, _| {}).await.unwrap();
    assert_eq!((fake.asked(), similarity.held_count()), (2, 2));
    assert!(similarity.cosines("xx", &keys()).await.unwrap()[1].is_nan());
    fill(&similarity).await.unwrap();
    assert_eq!((fake.asked(), similarity.held_count()), (4, 3), "it is made once it is there");
}
