//! Content hashes: BLAKE3, in lower-case hexadecimal.

/// The hash that results and `expected_hash` carry: 128 bits, 32 digits. Enough to tell versions of a file
/// apart; the journal's chain uses [`full`].
pub fn short(bytes: &[u8]) -> String {
    let mut stream = Stream::default();
    stream.update(bytes);
    stream.short()
}

/// All 256 bits, 64 digits.
pub fn full(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// All 256 bits under a key: nobody without it can make or check the hash.
pub fn keyed(key: &[u8; 32], bytes: &[u8]) -> String {
    blake3::keyed_hash(key, bytes).to_hex().to_string()
}

/// [`short`] of bytes that come piece by piece.
#[derive(Clone, Debug, Default)]
pub struct Stream(blake3::Hasher);

impl Stream {
    /// The next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// All 256 bits of the hash of all bytes so far.
    pub fn full(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }

    /// The hash of all bytes so far.
    pub fn short(&self) -> String {
        let mut hex = self.full();
        hex.truncate(32);
        hex
    }
}
