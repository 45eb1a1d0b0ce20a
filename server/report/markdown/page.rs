//! A page with a limit: a part that does not fit is left out whole, so that no tag and no fence stays open.

/// A page that grows up to a limit.
#[derive(Debug)]
pub(super) struct ForgePage {
    text: String,
    limit: usize,
    /// Bytes that are kept for later parts.
    kept: usize,
}

impl ForgePage {
    /// An empty page of at most `limit` bytes, without its end.
    pub(super) fn new(limit: usize) -> Self {
        Self { text: String::new(), limit, kept: 0 }
    }

    /// Keeps room for later parts.
    pub(super) fn reserve_room(&mut self, bytes: usize) {
        self.kept += bytes;
    }

    /// Gives that room back.
    pub(super) fn release_room(&mut self, bytes: usize) {
        self.kept = self.kept.saturating_sub(bytes);
    }

    /// Adds a part where it fits; returns whether it did.
    pub(super) fn add_part(&mut self, part: &str) -> bool {
        self.add_beside(part, 0)
    }

    /// Adds a part where `beside` further bytes are left.
    pub(super) fn add_beside(&mut self, part: &str, beside: usize) -> bool {
        let fits = self.text.len() + part.len() + self.kept + beside <= self.limit;
        if fits {
            self.text.push_str(part);
        }
        fits
    }

    /// The page with its end.
    pub(super) fn finish_page(mut self, end: &str) -> String {
        self.text.push_str(end);
        self.text
    }
}
