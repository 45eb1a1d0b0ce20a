//! Content hashes: BLAKE3, in lower-case hexadecimal.

/// The hash that results and `expected_hash` carry: 128 bits, 32 digits. Enough to tell versions of a file
/// apart; the journal's chain uses [`full_hash`].
pub fn short_hash(bytes: &[u8]) -> String {
    let mut stream = HashStream::default();
    stream.update(bytes);
    stream.short_hash()
}

/// Returns all 256 bits, 64 digits.
pub fn full_hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Returns all 256 bits under a key: without the key the hash can be neither made nor checked.
pub fn keyed_hash(key: &[u8; 32], bytes: &[u8]) -> String {
    blake3::keyed_hash(key, bytes).to_hex().to_string()
}

/// A hash of bytes that come piece by piece: see [`short_hash`] and [`full_hash`].
#[derive(Clone, Debug, Default)]
pub struct HashStream(blake3::Hasher);

impl HashStream {
    /// The next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Returns all 256 bits of the hash of all bytes so far.
    pub fn full_hash(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }

    /// The hash of all bytes so far.
    pub fn short_hash(&self) -> String {
        let mut hex = self.full_hash();
        hex.truncate(32);
        hex
    }
}
