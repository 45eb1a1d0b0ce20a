//! Random bytes from the operating system.

/// The system gives no random bytes.
#[derive(Clone, Debug, thiserror::Error)]
#[error("no random bytes: {0}")]
pub struct NoRandomness(#[source] getrandom::Error);

/// 256 bits that nobody can guess.
///
/// # Errors
/// Where the system gives none.
pub fn bytes() -> Result<[u8; 32], NoRandomness> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(NoRandomness)?;
    Ok(bytes)
}

/// The same as a word of 64 letters and digits.
///
/// # Errors
/// As [`bytes`].
pub fn token() -> Result<String, NoRandomness> {
    bytes().map(|bytes| super::hash::full(&bytes))
}
