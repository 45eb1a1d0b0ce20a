//! The vectors of the requests that were made last.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::quantised_vector::WideVector;
use crate::vectors::{Key, text_key};

/// Requests remembered at the same time; the one used longest ago is forgotten first.
const REQUESTS: usize = 64;

/// Vectors by the hashes of their requests, the one used last at the end.
#[derive(Debug, Default)]
pub(super) struct RequestCache(VecDeque<(Key, Arc<WideVector>)>);

impl RequestCache {
    /// The vector of a request.
    pub(super) fn get(&mut self, request: &str) -> Option<Arc<WideVector>> {
        let request = text_key(request);
        let place = self.0.iter().position(|(known, _)| *known == request)?;
        let entry = self.0.remove(place)?;
        let vector = entry.1.clone();
        self.0.push_back(entry);
        Some(vector)
    }

    /// Remembers one.
    pub(super) fn put(&mut self, request: &str, vector: Arc<WideVector>) {
        let request = text_key(request);
        self.0.retain(|(known, _)| *known != request);
        self.0.push_back((request, vector));
        if self.0.len() > REQUESTS {
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantised_vector::QuantisedVector;

    #[test]
    fn the_one_used_longest_ago_is_forgotten() {
        let vector = Arc::new(QuantisedVector::from_floats(&[1.0]).unwrap().to_wide());
        let mut requests = RequestCache::default();
        (0..REQUESTS).for_each(|n| requests.put(&n.to_string(), vector.clone()));
        assert!(requests.get("0").is_some());
        requests.put("new", vector);
        assert!(requests.get("0").is_some() && requests.get("new").is_some());
        assert!(requests.get("1").is_none());
    }
}
