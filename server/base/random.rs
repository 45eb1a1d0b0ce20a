//! Random bytes from the operating system.

use crate::protocol::Fault;

/// 256 bits that nobody can guess.
///
/// # Errors
/// INTERNAL where the system gives none.
pub fn bytes() -> Result<[u8; 32], Fault> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| Fault::internal(format!("no random bytes: {error}")))?;
    Ok(bytes)
}

/// The same as a word of 64 letters and digits.
///
/// # Errors
/// As [`bytes`].
pub fn token() -> Result<String, Fault> {
    bytes().map(|bytes| super::hash::full(&bytes))
}
