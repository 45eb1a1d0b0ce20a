//! The model of the person's settings, made at the first need.

use std::sync::Arc;

use parking_lot::RwLock;

use super::vectors::folder;
use super::{EmbedError, TextSimilarity};
use crate::protocol::EmbeddingSettings;

/// What a model is used for. Each holds vectors of its own, in a file of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Use {
    /// To find tools.
    #[default]
    Tools,
    /// To find files: only where their texts may go to it.
    Files,
}

/// The model, where the person set one.
#[derive(Debug, Default)]
pub struct Chosen {
    used: Use,
    model: RwLock<Model>,
}

#[derive(Debug, Default)]
struct Model {
    settings: Option<EmbeddingSettings>,
    /// Why it could not be made, else.
    similarity: Option<Result<Arc<TextSimilarity>, EmbedError>>,
}

impl Chosen {
    /// That of these settings, or none.
    pub fn new(used: Use, settings: Option<EmbeddingSettings>) -> Self {
        let settings = settings.filter(|settings| used.is_allowed(settings));
        Self { used, model: RwLock::new(Model { settings, similarity: None }) }
    }

    /// Takes the settings as they hold now; whether the model is another one.
    pub fn configure(&self, settings: Option<&EmbeddingSettings>) -> bool {
        let settings = settings.filter(|settings| self.used.is_allowed(settings));
        let mut model = self.model.write();
        let is_other = model.settings.as_ref() != settings;
        if is_other {
            *model = Model { settings: settings.cloned(), similarity: None };
        }
        is_other
    }

    /// The model, where there is one.
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
        let Model { settings: Some(settings), similarity } = &mut *model else { return Ok(None) };
        let make = || {
            let made = TextSimilarity::open(settings, self.used.folder().as_deref()).map(Arc::new);
            made.inspect_err(|error| tracing::warn!("{error}; searches go by words alone"))
        };
        similarity.get_or_insert_with(make).clone().map(Some)
    }

    /// What is wrong with it, as a sentence.
    pub fn trouble(&self) -> Option<String> {
        match self.similarity() {
            Ok(similarity) => similarity?.trouble(),
            Err(error) => Some(error.to_string()),
        }
    }
}

impl Use {
    fn is_allowed(self, settings: &EmbeddingSettings) -> bool {
        self == Self::Tools || super::takes_files(settings)
    }

    fn folder(self) -> Option<std::path::PathBuf> {
        match self {
            Self::Tools => folder(),
            Self::Files => folder().map(|folder| folder.join("files")),
        }
    }
}
