//! Machines that share a store, a real server of Postgres, and faults of both.

mod encrypted;
mod server;
mod team;
mod wrong;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::*;
use crate::{EmbedError, TextSimilarity, text_key};

/// A model whose vectors are without order, and the same for the same text.
#[derive(Debug)]
struct Model {
    dimension: usize,
    seed: &'static str,
    texts: AtomicUsize,
}

impl Model {
    fn new(dimension: usize, seed: &'static str) -> Arc<Self> {
        Arc::new(Self { dimension, seed, texts: AtomicUsize::new(0) })
    }

    /// Returns the number of requested texts since the last call.
    fn asked(&self) -> usize {
        self.texts.swap(0, Ordering::Relaxed)
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let mut bytes = vec![0; self.dimension];
        blake3::Hasher::new()
            .update(self.seed.as_bytes())
            .update(text.as_bytes())
            .finalize_xof()
            .fill(&mut bytes);
        bytes.into_iter().map(|byte| f32::from(byte) - 127.5).collect()
    }
}

impl TextEmbedder for Model {
    fn model_name(&self) -> &str {
        "m"
    }

    fn identity(&self) -> &str {
        "m here"
    }

    fn embed_texts(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, EmbedError>> {
        self.texts.fetch_add(texts.len(), Ordering::Relaxed);
        Box::pin(async move { Ok(texts.iter().map(|text| self.vector(text)).collect()) })
    }
}

/// A machine with that model, its own folder, and a team's store at that URL.
fn machine(model: &Arc<Model>, folder: &Path, url: &str) -> Arc<TextSimilarity> {
    let team =
        PostgresStore::at_url("URL", Some(url), "m").map(|store| Arc::new(store) as Arc<dyn VectorStore>);
    let team = SharedStore::new(team, model.clone(), Duration::from_secs(20));
    let chain = StoreChain::new(Arc::new(VectorFile::new(folder, model.identity())), Arc::new(team));
    Arc::new(TextSimilarity::new(model.clone(), Some(Arc::new(chain)), Duration::from_secs(10)))
}

async fn fill(similarity: &Arc<TextSimilarity>, texts: &[&str]) {
    let keys: Arc<[Key]> = texts.iter().map(|text| text_key(text)).collect();
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let at = move |places: &[usize]| places.iter().map(|place| Some(texts[*place].clone())).collect();
    similarity.make_missing(&keys, at, |_, _| {}).await.unwrap();
}

async fn cosines(similarity: &Arc<TextSimilarity>, request: &str, texts: &[&str]) -> Vec<f32> {
    let keys: Vec<Key> = texts.iter().map(|text| text_key(text)).collect();
    similarity.cosines(request, &keys).await.unwrap()
}
