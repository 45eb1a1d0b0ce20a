//! The model of the person's settings, made at the first need.

use std::sync::Arc;

use parking_lot::RwLock;

use super::vectors::vectors_folder;
use super::{EmbedError, TextSimilarity};
use crate::protocol::EmbeddingSettings;

/// The uses of a model. Each has vectors of its own, in a file of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ModelUse {
    /// Finding tools.
    #[default]
    Tools,
    /// Finding files: only if their texts may go to it.
    Files,
}

/// The model, if the person set one.
#[derive(Debug, Default)]
pub struct ChosenModel {
    used: ModelUse,
    model: RwLock<ModelSlot>,
}

#[derive(Debug, Default)]
struct ModelSlot {
    settings: Option<EmbeddingSettings>,
    /// The similarity, or the error of making it.
    similarity: Option<Result<Arc<TextSimilarity>, EmbedError>>,
}

impl ChosenModel {
    /// Creates the model of these settings, or none.
    pub fn new(used: ModelUse, settings: Option<EmbeddingSettings>) -> Self {
        let settings = settings.filter(|settings| used.is_allowed(settings));
        Self { used, model: RwLock::new(ModelSlot { settings, similarity: None }) }
    }

    /// Takes the settings as they hold now; whether the model is another one.
    pub fn configure(&self, settings: Option<&EmbeddingSettings>) -> bool {
        let settings = settings.filter(|settings| self.used.is_allowed(settings));
        let mut model = self.model.write();
        let is_other = model.settings.as_ref() != settings;
        if is_other {
            *model = ModelSlot { settings: settings.cloned(), similarity: None };
        }
        is_other
    }

    /// The model, if there is one.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn similarity(&self) -> Result<Option<Arc<TextSimilarity>>, EmbedError> {
        let model = self.model.read();
        let made = match (&model.settings, &model.similarity) {
            (None, _) => return Ok(None),
            (Some(_), made) => made.clone(),
        };
        drop(model);
        if let Some(made) = made {
            return made.map(Some);
        }
        let mut model = self.model.write();
        let ModelSlot { settings: Some(settings), similarity } = &mut *model else { return Ok(None) };
        let make = || {
            let made = TextSimilarity::open(settings, self.used.vectors_folder().as_deref()).map(Arc::new);
            made.inspect_err(|error| tracing::warn!("{error}; searches go by words alone"))
        };
        similarity.get_or_insert_with(make).clone().map(Some)
    }

    /// Returns the present problem, as a sentence.
    pub fn trouble(&self) -> Option<String> {
        match self.similarity() {
            Ok(similarity) => similarity?.trouble(),
            Err(error) => Some(error.to_string()),
        }
    }
}

impl ModelUse {
    fn is_allowed(self, settings: &EmbeddingSettings) -> bool {
        settings.has_model() && (self == Self::Tools || super::takes_files(settings))
    }

    fn vectors_folder(self) -> Option<std::path::PathBuf> {
        match self {
            Self::Tools => vectors_folder(),
            Self::Files => vectors_folder().map(|folder| folder.join("files")),
        }
    }
}
