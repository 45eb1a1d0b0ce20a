//! Random bytes from the operating system.

/// The system gives no random bytes.
#[derive(Clone, Debug, thiserror::Error)]
#[error("no random bytes: {0}")]
pub struct RandomnessError(#[source] getrandom::Error);

/// 256 random bits that cannot be guessed.
///
/// # Errors
/// Fails if the system gives no random bytes.
pub fn random_bytes() -> Result<[u8; 32], RandomnessError> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(RandomnessError)?;
    Ok(bytes)
}

/// Returns random bits as a string of 64 letters and digits.
///
/// # Errors
/// As [`random_bytes`].
pub fn random_token() -> Result<String, RandomnessError> {
    random_bytes().map(|bytes| super::hash::full_hash(&bytes))
}
