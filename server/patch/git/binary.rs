//! `GIT binary patch`: the bytes of a file whole or as a delta, compressed, in lines of base 85.

use std::io::Read;

use flate2::read::ZlibDecoder;

/// The digits of git's base 85.
pub(super) const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// The value of each digit; [`NO_DIGIT`] for any other byte.
const VALUES: [u8; 256] = {
    let mut values = [NO_DIGIT; 256];
    let mut at = 0;
    while at < DIGITS.len() {
        values[DIGITS[at] as usize] = at as u8;
        at += 1;
    }
    values
};
const NO_DIGIT: u8 = u8::MAX;

/// The reason why a binary patch makes no bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BinaryError {
    /// The patch does not hold together.
    #[error("{0}")]
    Broken(String),
    /// The patch was made for other bytes.
    #[error("{0}")]
    OtherBytes(String),
    /// The patch makes more bytes than it may.
    #[error("it makes {size} bytes, and at most {most} may be made")]
    Large {
        /// The bytes that it makes, or that its delta has.
        size: u64,
        /// The bytes that it may make.
        most: u64,
    },
}

/// A direction of a binary patch, packed as in the diff: nothing is unpacked before it is applied.
#[derive(Clone, Debug, PartialEq, Eq)]
struct BinaryPart<'d> {
    /// True if it lists copies from the bytes before and insertions, and not the whole bytes.
    is_delta: bool,
    /// The bytes of its data once unpacked.
    size: u64,
    /// Its lines.
    lines: &'d str,
}

/// A binary patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinaryPatch<'d> {
    /// The part from the bytes before to those after.
    forward: BinaryPart<'d>,
    /// The reverse patch, if there is one.
    reverse: Option<BinaryPart<'d>>,
}

impl BinaryPatch<'_> {
    /// The bytes after it, at most `most` of them, given the bytes `before`.
    ///
    /// # Errors
    /// Fails if it was made for other bytes, is invalid, or makes more.
    pub fn apply(&self, before: &[u8], most: u64) -> Result<Vec<u8>, BinaryError> {
        let after = self.forward.apply(before, most)?;
        let Some(reverse) = &self.reverse else { return Ok(after) };
        match reverse.apply(&after, before.len() as u64) {
            Ok(back) if back == before => Ok(after),
            Err(BinaryError::Broken(why)) => Err(BinaryError::Broken(why)),
            _ => Err(BinaryError::OtherBytes(
                "the file does not hold the bytes that the patch was made for".to_owned(),
            )),
        }
    }
}

impl BinaryPart<'_> {
    fn apply(&self, before: &[u8], most: u64) -> Result<Vec<u8>, BinaryError> {
        match self.is_delta {
            // A delta is seldom longer than what it makes: twenty bytes for one are plenty.
            true => apply_delta(&self.unpack(most.saturating_mul(20).saturating_add(64))?, before, most),
            false => self.unpack(most),
        }
    }

    /// Returns its data. Data that is longer than stated is unpacked only until that is detected.
    fn unpack(&self, most: u64) -> Result<Vec<u8>, BinaryError> {
        let broken = |why: String| Err(BinaryError::Broken(why));
        if self.size > most {
            return Err(BinaryError::Large { size: self.size, most });
        }
        let mut packed = Vec::new();
        for line in self.lines.lines() {
            if decode_line(line.as_bytes(), &mut packed).is_none() {
                return broken(format!("{line:?} is no line of a binary patch"));
            }
        }
        let mut bytes = Vec::new();
        match ZlibDecoder::new(&packed[..]).take(self.size + 1).read_to_end(&mut bytes) {
            Ok(_) if bytes.len() as u64 == self.size => Ok(bytes),
            Ok(_) => broken(format!("its data is not of the {} bytes that it says", self.size)),
            Err(error) => broken(format!("its data cannot be unpacked: {error}")),
        }
    }
}

/// Reads the text after the line `GIT binary patch`.
pub(super) fn parse_binary_patch(text: &str) -> Result<BinaryPatch<'_>, String> {
    let (forward, rest) = parse_part(text)?;
    let forward = forward.ok_or("the binary patch has no data")?;
    Ok(BinaryPatch { forward, reverse: parse_part(rest)?.0 })
}

/// A part, up to the blank line behind it, and the rest; none if something else follows.
fn parse_part(text: &str) -> Result<(Option<BinaryPart<'_>>, &str), String> {
    let (head, rest) = text.split_once('\n').unwrap_or((text, ""));
    let (is_delta, size) = match head.trim_end_matches('\r').split_once(' ') {
        Some(("literal", size)) => (false, size),
        Some(("delta", size)) => (true, size),
        _ => return Ok((None, text)),
    };
    let size = size.trim().parse().map_err(|_| format!("{size:?} is no size"))?;
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end_matches(['\n', '\r']).is_empty() {
            let (lines, after) = (rest.get(..end), rest.get(end + line.len()..));
            return Ok((lines.map(|lines| BinaryPart { is_delta, size, lines }), after.unwrap_or_default()));
        }
        end += line.len();
    }
    Ok((Some(BinaryPart { is_delta, size, lines: rest }), ""))
}

/// Decodes a line onto `out`: a letter for the number of bytes, then five digits of base 85 for each four bytes. None if it
/// is malformed.
fn decode_line(line: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (count, groups) = line.split_first()?;
    let count = match count {
        b'A'..=b'Z' => usize::from(count - b'A') + 1,
        b'a'..=b'z' => usize::from(count - b'a') + 27,
        _ => return None,
    };
    if groups.len() != count.div_ceil(4) * 5 {
        return None;
    }
    let end = out.len() + count;
    for group in groups.chunks(5) {
        let mut number: u32 = 0;
        for digit in group {
            let value = Some(VALUES[usize::from(*digit)]).filter(|value| *value != NO_DIGIT)?;
            number = number.checked_mul(85)?.checked_add(u32::from(value))?;
        }
        out.extend(number.to_be_bytes());
    }
    out.truncate(end);
    Some(())
}

/// A delta of git's: the two sizes, then copies out of the bytes before and bytes of its own.
fn apply_delta(delta: &[u8], before: &[u8], most: u64) -> Result<Vec<u8>, BinaryError> {
    let broken = || BinaryError::Broken("the delta of the binary patch does not hold together".to_owned());
    let mut rest = delta;
    let (from, to) = (read_size(&mut rest).ok_or_else(broken)?, read_size(&mut rest).ok_or_else(broken)?);
    if from != before.len() {
        let why = format!("the patch was made for {from} bytes, and the file has {}", before.len());
        return Err(BinaryError::OtherBytes(why));
    }
    if to as u64 > most {
        return Err(BinaryError::Large { size: to as u64, most });
    }
    let mut after = Vec::with_capacity(to.min(1 << 20));
    while let Some((&op, tail)) = rest.split_first() {
        rest = tail;
        let piece = if op & 0x80 != 0 {
            let mut number = |bits: std::ops::Range<u32>| {
                let mut number = 0;
                for (at, bit) in bits.enumerate() {
                    if op & (1 << bit) != 0 {
                        let (&byte, tail) = rest.split_first()?;
                        number |= usize::from(byte) << (8 * at);
                        rest = tail;
                    }
                }
                Some(number)
            };
            let (start, length) = (number(0..4).ok_or_else(broken)?, number(4..7).ok_or_else(broken)?);
            let length = if length == 0 { 0x1_0000 } else { length };
            before.get(start..start + length).ok_or_else(broken)?
        } else {
            let (own, tail) =
                rest.split_at_checked(usize::from(op)).filter(|_| op != 0).ok_or_else(broken)?;
            rest = tail;
            own
        };
        after.extend_from_slice(piece);
        if after.len() > to {
            return Err(broken());
        }
    }
    if after.len() == to { Ok(after) } else { Err(broken()) }
}

/// A size: seven bits a byte, the lowest first.
fn read_size(rest: &mut &[u8]) -> Option<usize> {
    let mut number: usize = 0;
    for shift in (0..63).step_by(7) {
        let (&byte, tail) = rest.split_first()?;
        *rest = tail;
        number |= usize::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_base_85_are_read_and_what_is_none_is_refused() {
        let mut out = Vec::new();
        assert!(decode_line(b"A?LHa", &mut out).is_none(), "a group has five digits");
        assert!(decode_line(b"", &mut out).is_none());
        assert!(decode_line(b"Az", &mut out).is_none());
        assert!(decode_line(b"D~~~~~", &mut out).is_none(), "more than four bytes hold");
        let patch = parse_binary_patch("literal 0\nHcmV?d00001\n\nliteral 5\nsomething\n").unwrap();
        assert!(matches!(patch.apply(b"", 9), Err(BinaryError::OtherBytes(_))), "it goes back to five bytes");
        assert!(matches!(patch.apply(b"12345", 9), Err(BinaryError::Broken(_))));
        assert_eq!(parse_binary_patch("literal 0\nHcmV?d00001\n\n").unwrap().apply(b"", 0), Ok(Vec::new()));
        assert!(
            parse_binary_patch("literal many\n\n").is_err()
                && parse_binary_patch("literally\n").is_err()
                && parse_binary_patch("").is_err()
        );
        // Cut off behind its first line, and with Windows' line ends.
        assert!(matches!(
            parse_binary_patch("literal 9").unwrap().apply(b"", 9),
            Err(BinaryError::Broken(_))
        ));
        assert_eq!(
            parse_binary_patch("literal 0\r\nHcmV?d00001\r\n\r\n").unwrap().apply(b"", 0),
            Ok(Vec::new())
        );
    }

    #[test]
    fn no_more_is_unpacked_than_may_be_made() {
        let claims = parse_binary_patch("literal 5000000000\nHcmV?d00001\n\n").unwrap();
        assert_eq!(
            claims.apply(b"", 1 << 20),
            Err(BinaryError::Large { size: 5_000_000_000, most: 1 << 20 })
        );
        let lies = parse_binary_patch("literal 1\nHcmV?d00001\n\n").unwrap();
        assert!(matches!(lies.apply(b"", 1 << 20), Err(BinaryError::Broken(_))));
        // Four bytes that are to become 2^40.
        let delta = [4, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0x90, 4];
        assert!(matches!(apply_delta(&delta, b"abcd", 1 << 20), Err(BinaryError::Large { .. })));
    }

    #[test]
    fn a_delta_copies_and_adds_and_never_reads_beyond() {
        // From 4 bytes to 5: copy 2 from 1, then three of its own.
        let delta = [4, 5, 0x91, 1, 2, 3, b'x', b'y', b'z'];
        assert_eq!(apply_delta(&delta, b"abcd", 100).unwrap(), b"bcxyz");
        assert!(apply_delta(&delta, b"abc", 100).is_err());
        assert!(apply_delta(&[4, 5, 0x91, 3, 2], b"abcd", 100).is_err());
        assert!(apply_delta(&[4, 5, 0], b"abcd", 100).is_err());
        assert!(apply_delta(&[4], b"abcd", 100).is_err());
    }
}
