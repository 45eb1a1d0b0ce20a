//! The similarity of tools to a request: the vectors of a folder's tools, made in the background.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use super::toolbox::Toolbox;
use crate::catalogue::discovery::ToolDirectory;
use crate::embed::{ChosenModel, EmbedError, Key, ModelUse, text_key};
use crate::protocol::EmbeddingSettings;

/// The model that tools are found with too, where the person set one.
#[derive(Debug, Default)]
pub struct ToolSimilarity {
    model: ChosenModel,
    /// The tools looked through last, and what their texts are known by.
    known: Mutex<Option<KnownToolKeys>>,
    changed: Notify,
    task: Mutex<Option<AbortHandle>>,
}

/// Tools, and what the text of each is known by.
type KnownToolKeys = (Weak<ToolDirectory>, Arc<[Key]>);

impl ToolSimilarity {
    /// With the model of these settings, or none.
    pub fn new(settings: Option<EmbeddingSettings>) -> Self {
        Self { model: ChosenModel::new(ModelUse::Tools, settings), ..Self::default() }
    }

    /// Takes the settings as they hold now.
    pub fn configure(&self, settings: Option<&EmbeddingSettings>) {
        if self.model.configure(settings) {
            self.changed.notify_one();
        }
    }

    /// The tools are others.
    pub fn tools_changed(&self) {
        self.changed.notify_one();
    }

    /// The cosine similarity of a request to each of these tools, in their order; nothing where it is not known in time.
    pub async fn cosines_of(&self, request: &str, directory: &Arc<ToolDirectory>) -> Option<Vec<f32>> {
        if request.trim().is_empty() {
            return None;
        }
        let similarity = self.model.similarity().ok().flatten()?;
        let found = similarity.cosines(request, &self.tool_keys(directory)).await;
        match &found {
            Some(_) => tracing::debug!("tools are ranked by bm25f+{}", similarity.model()),
            None => tracing::debug!("tools are ranked by bm25f, without {}", similarity.model()),
        }
        found
    }

    /// Makes the missing vectors of these tools; `told` is called with the number done and the total.
    ///
    /// # Errors
    /// The model's error.
    pub async fn fill_vectors(
        &self,
        directory: &Arc<ToolDirectory>,
        told: impl FnMut(usize, usize) + Send,
    ) -> Result<(), EmbedError> {
        let Some(similarity) = self.model.similarity()? else { return Ok(()) };
        let items = directory.clone();
        let text = move |place: &usize| items.items().get(*place).map(|item| item.embedding_text());
        let texts = move |places: &[usize]| places.iter().map(&text).collect();
        similarity.make_missing(&self.tool_keys(directory), texts, told).await
    }

    /// Returns the error of the model, as a sentence.
    pub fn model_trouble(&self) -> Option<String> {
        self.model.trouble()
    }

    /// Makes what is missing whenever the tools or the settings change, until [`ToolSimilarity::close`].
    pub fn keep_filled(self: &Arc<Self>, toolbox: &Arc<Toolbox>, runtime: &Handle) {
        let (similarity, toolbox) = (self.clone(), Arc::downgrade(toolbox));
        let task = runtime.spawn(async move {
            loop {
                tokio::select! {
                    () = similarity.changed.notified() => {}
                    () = similarity.fill_forever(&toolbox) => {}
                }
            }
        });
        *self.task.lock() = Some(task.abort_handle());
    }

    /// Makes nothing more.
    pub fn close(&self) {
        if let Some(task) = self.task.lock().take() {
            task.abort();
        }
    }

    /// Makes what is missing, again after a failure, and again once it was forgotten. Ends never by itself.
    async fn fill_forever(&self, toolbox: &Weak<Toolbox>) {
        loop {
            let (Ok(Some(similarity)), Some(toolbox)) = (self.model.similarity(), toolbox.upgrade()) else {
                return std::future::pending().await;
            };
            // Making it takes a while where there are many tools.
            let made = tokio::task::spawn_blocking(move || toolbox.directory()).await;
            let Ok(directory) = made else { return std::future::pending().await };
            let filled = self.fill_vectors(&directory, |_, _| {}).await;
            drop(directory);
            match filled {
                Ok(()) => similarity.wait_forgotten().await,
                Err(_) => tokio::time::sleep(similarity.remaining_pause()).await,
            }
        }
    }

    fn tool_keys(&self, directory: &Arc<ToolDirectory>) -> Arc<[Key]> {
        let mut known = self.known.lock();
        if let Some((of, keys)) = &*known
            && of.ptr_eq(&Arc::downgrade(directory))
        {
            return keys.clone();
        }
        let keys: Arc<[Key]> =
            directory.items().iter().map(|item| text_key(&item.embedding_text())).collect();
        *known = Some((Arc::downgrade(directory), keys.clone()));
        keys
    }
}
