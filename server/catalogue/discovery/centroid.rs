//! The centroid of a text: the mean of the vectors of its words, each by its worth. Two texts about the same are near.

use super::index::{ToolFeatures, ToolIndex, WordNumber};
use super::tool_query::ToolQuery;
use crate::words::carried_vectors;

/// The weight of a word of a tool's name, of its first sentence, of its nodes, and of the rest.
const WEIGHTS: [f64; 4] = [1.5, 1.0, 0.5, 0.2];

/// The centroid of a request.
pub(super) struct RequestCentroid(Vec<f32>);

impl RequestCentroid {
    /// The centroid of a request's words.
    pub(super) fn new(asked: &ToolQuery) -> Self {
        let mut sum = vec![0.0; carried_vectors().dimension()];
        for one in &asked.different {
            if let Some(place) = one.place {
                carried_vectors().add_scaled(place, one.worth as f32, &mut sum);
            }
        }
        Self(sum)
    }

    /// Returns the cosine of the angle to the centroid of a tool; 0 where no word of either has a vector.
    pub(super) fn cosine(&self, index: &ToolIndex, own: &ToolFeatures) -> f64 {
        let mut sum = vec![0.0; self.0.len()];
        let parts: [&[WordNumber]; 4] = [&own.name_words, &own.first_words, &own.node_words, &own.rest_words];
        for (words, weight) in parts.into_iter().zip(WEIGHTS) {
            for word in words {
                if let Some(place) = index.places[*word as usize] {
                    let scale = weight * index.worth[*word as usize];
                    carried_vectors().add_scaled(place, scale as f32, &mut sum);
                }
            }
        }
        let length = |of: &[f32]| of.iter().map(|number| number * number).sum::<f32>().sqrt();
        let product: f32 = self.0.iter().zip(&sum).map(|(one, other)| one * other).sum();
        f64::from(product / (length(&self.0) * length(&sum)).max(1e-9))
    }
}
