//! Finds files by their meaning: the vectors of a workspace's files, made in the background.
//!
//! Nothing is made before somebody asks for files in words, so that a server which only sits there costs its person's model
//! nothing; from then on each such search has what changed since made.
//!
//! # Invariants
//!
//! - No text of a file goes to a model before somebody searches for files, none that the rules close, and none twice.
//!   Test: `words_answer_until_the_vectors_are_made_and_each_text_goes_out_once`

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::search::FileSearch;
use super::search_files::{WantedFiles, lines_of};
use super::search_texts::SearchTexts;
use crate::embed::{ChosenModel, ModelUse, TextSimilarity};
use crate::index::semantic::ModelPieces;
use crate::protocol::EmbeddingSettings;

/// The share of the pieces that need a vector before the model's similarity is used: files without one would fall
/// behind.
const ENOUGH: f32 = 0.9;

/// The model that files are found with too, where the person set one.
#[derive(Debug)]
pub(super) struct FileSimilarity {
    shared: Arc<SharedModel>,
    task: OnceLock<AbortHandle>,
    /// The reason why there is no model, where the person's settings are wrong.
    no_model: Mutex<Option<String>>,
    /// True if words that mean the same count, by the carried vectors.
    has_carried_words: AtomicBool,
    /// True where this process stays, and goes on when the search is answered.
    stays: OnceLock<()>,
}

/// The state that searches and the task share.
#[derive(Debug)]
struct SharedModel {
    model: ChosenModel,
    changed: Notify,
    /// Signals that pieces wait for their vectors.
    wanted: Notify,
    /// The last completed work.
    done: watch::Sender<CompletedVectors>,
}

impl Drop for FileSimilarity {
    fn drop(&mut self) {
        self.stop_task();
    }
}

/// The pieces and the model for which all vectors were made, or could not be.
#[derive(Debug, Default)]
struct CompletedVectors {
    of: Option<(Weak<ModelPieces>, Weak<TextSimilarity>)>,
}

impl CompletedVectors {
    fn is_of(&self, pieces: &Arc<ModelPieces>, similarity: &Arc<TextSimilarity>) -> bool {
        self.of.as_ref().is_some_and(|(of, by)| {
            of.ptr_eq(&Arc::downgrade(pieces)) && by.ptr_eq(&Arc::downgrade(similarity))
        })
    }
}

/// The similarity of pieces to a query, by a model.
#[derive(Debug)]
pub(super) struct PieceSimilarity {
    pub pieces: Arc<ModelPieces>,
    /// The cosine for each of them.
    pub cosines: Vec<f32>,
    pub model: Arc<TextSimilarity>,
}

/// The model's answer on a query.
#[derive(Debug, Default)]
pub(super) struct ModelAnswer {
    /// The similarity of the pieces; nothing where the search has to do without it.
    pub similarity: Option<PieceSimilarity>,
    /// The share of the pieces that have a vector; nothing where no model is set.
    pub embedded: Option<f32>,
    /// The reason why the model cannot be used, as a sentence.
    pub trouble: Option<String>,
}

impl FileSimilarity {
    /// With the model of these settings; or none, and why that is where settings are wrong.
    pub(super) fn new(settings: Option<EmbeddingSettings>, no_model: Option<String>) -> Self {
        let has_carried_words = AtomicBool::new(EmbeddingSettings::has_carried_words(settings.as_ref()));
        let shared = SharedModel {
            model: ChosenModel::new(ModelUse::Files, settings),
            changed: Notify::new(),
            wanted: Notify::new(),
            done: watch::Sender::default(),
        };
        let (shared, no_model) = (Arc::new(shared), Mutex::new(no_model));
        Self { shared, no_model, has_carried_words, task: OnceLock::new(), stays: OnceLock::new() }
    }

    /// Takes the settings as they hold now, as [`FileSimilarity::new`] does.
    pub(super) fn configure(&self, settings: Option<&EmbeddingSettings>, no_model: Option<String>) {
        *self.no_model.lock() = no_model;
        self.has_carried_words.store(EmbeddingSettings::has_carried_words(settings), Ordering::Relaxed);
        if self.shared.model.configure(settings) && self.task.get().is_some() {
            self.shared.changed.notify_one();
        }
    }

    /// Returns whether words that mean the same count, by the vectors of words that the program carries.
    pub(super) fn has_carried_words(&self) -> bool {
        self.has_carried_words.load(Ordering::Relaxed)
    }

    /// Makes vectors from now on when searches are answered too: for a process that stays.
    pub(super) fn mark_staying(&self) {
        // A second call changes nothing.
        let _ = self.stays.set(());
    }

    /// Makes nothing more.
    pub(super) fn stop_task(&self) {
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }

    /// Returns the error of the model, as a sentence.
    pub(super) fn model_trouble(&self) -> Option<String> {
        // A model that no search has needed yet is not opened only to report its state.
        self.task.get().and_then(|_| self.shared.model.trouble())
    }

    /// Returns the model's answer on a query. Waits at most the search's limit for missing vectors, and for the query's
    /// vector no longer than the settings allow. Call it on a thread that may block.
    pub(super) fn piece_similarity(&self, search: &Arc<FileSearch>, wanted: &WantedFiles<'_>) -> ModelAnswer {
        let similarity = match self.shared.model.similarity() {
            Ok(Some(similarity)) => similarity,
            Ok(None) => {
                let trouble = self.no_model.lock().clone();
                return ModelAnswer { trouble, ..ModelAnswer::default() };
            }
            Err(error) => {
                return ModelAnswer {
                    embedded: Some(0.0),
                    trouble: Some(error.to_string()),
                    ..ModelAnswer::default()
                };
            }
        };
        let pieces = search.finder.semantic_index().pieces();
        let Ok(runtime) = Handle::try_current() else { return ModelAnswer::default() };
        runtime.block_on(self.ask_model(search, &similarity, pieces, wanted))
    }

    async fn ask_model(
        &self,
        search: &Arc<FileSearch>,
        similarity: &Arc<TextSimilarity>,
        pieces: Arc<ModelPieces>,
        wanted: &WantedFiles<'_>,
    ) -> ModelAnswer {
        let (query, wait) = (wanted.text, wanted.wait);
        let keys = pieces.keys();
        if similarity.held_count() == 0 {
            // The vectors that earlier processes made.
            let _ = timeout(similarity.wait(), similarity.hold_vectors(keys)).await;
        }
        if self.stays.get().is_some() || !wait.is_zero() {
            let keep =
                || tokio::spawn(keep_current(self.shared.clone(), Arc::downgrade(search))).abort_handle();
            self.task.get_or_init(keep);
            let mut done = self.shared.done.subscribe();
            let is_done = done.borrow().is_of(&pieces, similarity);
            // All of them are forgotten where the model turns out to be another one.
            if !is_done || similarity.held_count() == 0 {
                self.shared.wanted.notify_one();
            }
            if !is_done {
                // Vectors that are not ready in time serve a later search.
                let _ = timeout(wait, done.wait_for(|done| done.is_of(&pieces, similarity))).await;
            }
        }
        let share = |count: usize, of: usize| (count as f32 / of.max(1) as f32).min(1.0);
        let held = share(similarity.held_count(), pieces.distinct_count());
        let cosines = if held < ENOUGH { None } else { similarity.cosines(query, keys).await };
        let counted = |cosines: &Vec<f32>| {
            share(cosines.iter().filter(|cosine| cosine.is_finite()).count(), keys.len())
        };
        let embedded = cosines.as_ref().map_or(held, counted);
        let heard = cosines.filter(|_| embedded >= ENOUGH);
        match &heard {
            Some(_) => tracing::debug!("files are ranked by words+{}", similarity.model()),
            None => tracing::debug!("files are ranked by words, without {}", similarity.model()),
        }
        ModelAnswer {
            similarity: heard.map(|cosines| PieceSimilarity {
                pieces: pieces.clone(),
                cosines,
                model: similarity.clone(),
            }),
            embedded: Some(embedded),
            trouble: similarity.trouble(),
        }
    }
}

impl SharedModel {
    /// Makes what is missing of the pieces as they are now; how long to wait before more is asked of a model that failed.
    async fn make_missing(&self, search: &Weak<FileSearch>) -> Option<Duration> {
        let similarity = self.model.similarity().ok().flatten()?;
        let held = search.upgrade()?;
        let pieces = tokio::task::spawn_blocking(move || held.finder.semantic_index().pieces()).await.ok()?;
        let (from, search) = (pieces.clone(), search.clone());
        let texts = move |places: &[usize]| {
            let Some(search) = search.upgrade() else { return Vec::new() };
            // The texts are read without any consent: no model gets a text that a rule asks about.
            let texts = SearchTexts::new(search.files.documents(), &search.files.unasked_files());
            search.finder.semantic_index().texts_for_model(&from, places, |path, start, end| {
                lines_of(&texts, path, start, end).map(|text| String::from_utf8_lossy(&text).into_owned())
            })
        };
        let made = similarity.make_missing(pieces.keys(), texts, |_, _| {}).await;
        let of = Some((Arc::downgrade(&pieces), Arc::downgrade(&similarity)));
        self.done.send_replace(CompletedVectors { of });
        made.is_err().then(|| similarity.remaining_pause())
    }
}

/// Makes vectors whenever they are wanted, until it is aborted.
async fn keep_current(shared: Arc<SharedModel>, search: Weak<FileSearch>) {
    loop {
        shared.wanted.notified().await;
        let work = async {
            if let Some(pause) = shared.make_missing(&search).await {
                tokio::time::sleep(pause).await;
                shared.wanted.notify_one();
            }
        };
        tokio::select! {
            () = work => {}
            () = shared.changed.notified() => shared.wanted.notify_one(),
        }
    }
}
