//! Random bytes from the kernel.

use std::fs::File;
use std::io::Read;

use crate::protocol::Fault;

/// 256 bits that nobody can guess.
///
/// # Errors
/// INTERNAL where the kernel gives none.
pub fn bytes() -> Result<[u8; 32], Fault> {
    let fault = |error: std::io::Error| Fault::internal(format!("/dev/urandom: {error}"));
    let mut bytes = [0_u8; 32];
    File::open("/dev/urandom").and_then(|mut random| random.read_exact(&mut bytes)).map_err(fault)?;
    Ok(bytes)
}

/// The same as a word of 64 letters and digits.
///
/// # Errors
/// As [`bytes`].
pub fn token() -> Result<String, Fault> {
    bytes().map(|bytes| super::hash::full(&bytes))
}
