//! Files found by what they mean: the vectors of a workspace's files, made where nobody waits for them.
//!
//! Nothing is made before somebody asks for files in words, so that a server which only sits there costs its person's model
//! nothing; from then on each such search has what changed since made.

use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::{Notify, watch};
use tokio::task::AbortHandle;
use tokio::time::timeout;

use super::finding::{WantedFiles, lines_of};
use super::search::FileSearch;
use super::texts::Texts;
use crate::embed::{Chosen, TextSimilarity, Use};
use crate::index::semantic::Pieces;
use crate::protocol::EmbeddingSettings;

/// The share of the pieces that have to have a vector for the model to be heard: files without one would fall behind.
const ENOUGH: f32 = 0.9;

/// The model that files are found with too, where the person set one.
#[derive(Debug)]
pub(super) struct FileSimilarity {
    shared: Arc<SharedModel>,
    task: OnceLock<AbortHandle>,
    /// Why there is no model, where the person's settings are wrong.
    no_model: Mutex<Option<String>>,
    /// Whether this process stays, and goes on when the search is answered.
    stays: OnceLock<()>,
}

/// What searches and the task have in common.
#[derive(Debug)]
struct SharedModel {
    model: Chosen,
    changed: Notify,
    /// There are pieces that vectors have to be made of.
    wanted: Notify,
    /// What was done last.
    done: watch::Sender<Done>,
}

impl Drop for FileSimilarity {
    fn drop(&mut self) {
        self.end();
    }
}

/// The pieces and the model for which all vectors were made, or could not be.
#[derive(Debug, Default)]
struct Done {
    of: Option<(Weak<Pieces>, Weak<TextSimilarity>)>,
}

impl Done {
    fn is_of(&self, pieces: &Arc<Pieces>, similarity: &Arc<TextSimilarity>) -> bool {
        self.of.as_ref().is_some_and(|(of, by)| {
            of.ptr_eq(&Arc::downgrade(pieces)) && by.ptr_eq(&Arc::downgrade(similarity))
        })
    }
}

/// The similarity of pieces to a query, by a model.
#[derive(Debug)]
pub(super) struct Heard {
    pub pieces: Arc<Pieces>,
    /// The cosine for each of them.
    pub cosines: Vec<f32>,
    pub model: Arc<TextSimilarity>,
}

/// What the model says of a query.
#[derive(Debug, Default)]
pub(super) struct ModelAnswer {
    /// The similarity of the pieces; nothing where the search has to do without it.
    pub heard: Option<Heard>,
    /// The share of the pieces that have a vector; nothing where no model is set.
    pub embedded: Option<f32>,
    /// Why the model cannot be heard, as a sentence.
    pub trouble: Option<String>,
}

impl FileSimilarity {
    /// With the model of these settings; or none, and why that is where settings are wrong.
    pub(super) fn new(settings: Option<EmbeddingSettings>, no_model: Option<String>) -> Self {
        let shared = SharedModel {
            model: Chosen::new(Use::Files, settings),
            changed: Notify::new(),
            wanted: Notify::new(),
            done: watch::Sender::default(),
        };
        let (shared, no_model) = (Arc::new(shared), Mutex::new(no_model));
        Self { shared, no_model, task: OnceLock::new(), stays: OnceLock::new() }
    }

    /// Takes the settings as they hold now, as [`FileSimilarity::new`] does.
    pub(super) fn configure(&self, settings: Option<&EmbeddingSettings>, no_model: Option<String>) {
        *self.no_model.lock() = no_model;
        if self.shared.model.configure(settings) && self.task.get().is_some() {
            self.shared.changed.notify_one();
        }
    }

    /// Makes vectors from now on when searches are answered too: for a process that stays.
    pub(super) fn serve(&self) {
        // A second call changes nothing.
        let _ = self.stays.set(());
    }

    /// Makes nothing more.
    pub(super) fn end(&self) {
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }

    /// What is wrong with the model, as a sentence.
    pub(super) fn trouble(&self) -> Option<String> {
        // One that nobody needed yet is not made to see whether it can be.
        self.task.get().and_then(|_| self.shared.model.trouble())
    }

    /// What the model says of a query. It waits that long for vectors that are not made yet, and for that of the query no
    /// longer than the settings say. To be called on a thread that may wait.
    pub(super) fn of(&self, search: &Arc<FileSearch>, wanted: &WantedFiles<'_>) -> ModelAnswer {
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
        let pieces = search.finder.meaning().pieces();
        let Ok(runtime) = Handle::try_current() else { return ModelAnswer::default() };
        runtime.block_on(self.ask(search, &similarity, pieces, wanted))
    }

    async fn ask(
        &self,
        search: &Arc<FileSearch>,
        similarity: &Arc<TextSimilarity>,
        pieces: Arc<Pieces>,
        wanted: &WantedFiles<'_>,
    ) -> ModelAnswer {
        let (query, wait) = (wanted.text, wanted.wait);
        let keys = pieces.keys();
        if similarity.held() == 0 {
            // What earlier processes made.
            let _ = timeout(similarity.wait(), similarity.hold(keys)).await;
        }
        if self.stays.get().is_some() || !wait.is_zero() {
            let keep = || tokio::spawn(keep(self.shared.clone(), Arc::downgrade(search))).abort_handle();
            self.task.get_or_init(keep);
            let mut done = self.shared.done.subscribe();
            let is_done = done.borrow().is_of(&pieces, similarity);
            // All of them are forgotten where the model turns out to be another one.
            if !is_done || similarity.held() == 0 {
                self.shared.wanted.notify_one();
            }
            if !is_done {
                // What is not done in time is there for a later search.
                let _ = timeout(wait, done.wait_for(|done| done.is_of(&pieces, similarity))).await;
            }
        }
        let share = |count: usize, of: usize| (count as f32 / of.max(1) as f32).min(1.0);
        let held = share(similarity.held(), pieces.distinct());
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
            heard: heard.map(|cosines| Heard { pieces: pieces.clone(), cosines, model: similarity.clone() }),
            embedded: Some(embedded),
            trouble: similarity.trouble(),
        }
    }
}

impl SharedModel {
    /// Makes what is missing of the pieces as they are now; how long to wait before more is asked of a model that failed.
    async fn work(&self, search: &Weak<FileSearch>) -> Option<Duration> {
        let similarity = self.model.similarity().ok().flatten()?;
        let held = search.upgrade()?;
        let pieces = tokio::task::spawn_blocking(move || held.finder.meaning().pieces()).await.ok()?;
        let (from, search) = (pieces.clone(), search.clone());
        let texts = move |places: &[usize]| {
            let Some(search) = search.upgrade() else { return Vec::new() };
            // For nobody whom the person said yes to: no model is told what a rule asks about.
            let texts = Texts::new(search.files.documents(), &search.files.unasked());
            search.finder.meaning().told(&from, places, |path, start, end| {
                lines_of(&texts, path, start, end).map(|text| String::from_utf8_lossy(&text).into_owned())
            })
        };
        let made = similarity.fill(pieces.keys(), texts, |_, _| {}).await;
        let of = Some((Arc::downgrade(&pieces), Arc::downgrade(&similarity)));
        self.done.send_replace(Done { of });
        made.is_err().then(|| similarity.pause())
    }
}

/// Makes vectors whenever they are wanted, until it is aborted.
async fn keep(shared: Arc<SharedModel>, search: Weak<FileSearch>) {
    loop {
        shared.wanted.notified().await;
        let work = async {
            if let Some(pause) = shared.work(&search).await {
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
