//! `GIT binary patch`: the bytes of a file whole or as a delta, compressed, in lines of base 85.

use std::io::Read;

use flate2::read::ZlibDecoder;

/// Bytes of the largest file that a patch makes.
const LARGEST: usize = 64 << 20;
/// The digits of git's base 85.
const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// One way of a binary patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BinaryPart {
    /// The bytes whole.
    Literal(Vec<u8>),
    /// What to take from the bytes before, and what to put between.
    Delta(Vec<u8>),
}

/// A binary patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinaryPatch {
    /// From the bytes before to those after.
    pub forward: BinaryPart,
    /// Back again, where the patch says so.
    pub reverse: Option<BinaryPart>,
}

impl BinaryPatch {
    /// The bytes after it, where `before` stands.
    ///
    /// # Errors
    /// A part of a sentence, where it was not made for these bytes.
    pub fn apply(&self, before: &[u8]) -> Result<Vec<u8>, String> {
        let after = self.forward.apply(before)?;
        match self.reverse.as_ref().map(|reverse| reverse.apply(&after)) {
            None => Ok(after),
            Some(Ok(back)) if back == before => Ok(after),
            Some(_) => Err("the file does not hold the bytes that the patch was made for".to_owned()),
        }
    }
}

impl BinaryPart {
    fn apply(&self, before: &[u8]) -> Result<Vec<u8>, String> {
        match self {
            Self::Literal(bytes) => Ok(bytes.clone()),
            Self::Delta(delta) => apply_delta(delta, before),
        }
    }
}

/// Reads what follows the line `GIT binary patch`.
pub(super) fn read(text: &str) -> Result<BinaryPatch, String> {
    let mut lines = text.split('\n').map(|line| line.trim_end_matches('\r'));
    let forward = part(&mut lines)?.ok_or("the binary patch has no data")?;
    Ok(BinaryPatch { forward, reverse: part(&mut lines)? })
}

/// One part, up to the blank line behind it; none where something else stands.
fn part<'t>(lines: &mut impl Iterator<Item = &'t str>) -> Result<Option<BinaryPart>, String> {
    let Some(head) = lines.next() else { return Ok(None) };
    let (is_delta, size) = match head.split_once(' ') {
        Some(("literal", size)) => (false, size),
        Some(("delta", size)) => (true, size),
        _ => return Ok(None),
    };
    let size: usize = size.trim().parse().map_err(|_| format!("{size:?} is no size"))?;
    if size > LARGEST {
        return Err(format!("it has {size} bytes; the largest binary patch has {LARGEST}"));
    }
    let mut packed = Vec::new();
    for line in lines.take_while(|line| !line.is_empty()) {
        decode_line(line.as_bytes(), &mut packed)
            .ok_or_else(|| format!("{line:?} is no line of a binary patch"))?;
    }
    let mut bytes = Vec::new();
    // One byte more than there should be shows data that is longer than it says.
    let unpacked = ZlibDecoder::new(&packed[..]).take(size as u64 + 1).read_to_end(&mut bytes);
    match unpacked {
        Ok(_) if bytes.len() == size => {}
        Ok(_) => return Err(format!("its data is not of the {size} bytes that it says")),
        Err(error) => return Err(format!("its data cannot be unpacked: {error}")),
    }
    Ok(Some(if is_delta { BinaryPart::Delta(bytes) } else { BinaryPart::Literal(bytes) }))
}

/// A line: the number of its bytes as a letter, then groups of five digits for four bytes.
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
            let digit = DIGITS.iter().position(|known| known == digit)?;
            number = number.checked_mul(85)?.checked_add(u32::try_from(digit).ok()?)?;
        }
        out.extend(number.to_be_bytes());
    }
    out.truncate(end);
    Some(())
}

/// A delta of git's: the two sizes, then copies out of the bytes before and bytes of its own.
fn apply_delta(delta: &[u8], before: &[u8]) -> Result<Vec<u8>, String> {
    let broken = || "the delta of the binary patch does not hold together".to_owned();
    let mut rest = delta;
    let (from, to) = (size(&mut rest).ok_or_else(broken)?, size(&mut rest).ok_or_else(broken)?);
    if from != before.len() {
        return Err(format!("the patch was made for {from} bytes, and the file has {}", before.len()));
    }
    if to > LARGEST {
        return Err(format!("it makes {to} bytes; the largest file that a patch makes has {LARGEST}"));
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
fn size(rest: &mut &[u8]) -> Option<usize> {
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
        let patch = "literal 0\nHcmV?d00001\n\nliteral 5\nsomething\n";
        assert!(read(patch).is_err());
        let read = read("literal 0\nHcmV?d00001\n\n").unwrap();
        assert_eq!(read, BinaryPatch { forward: BinaryPart::Literal(Vec::new()), reverse: None });
    }

    #[test]
    fn a_delta_copies_and_adds_and_never_reads_beyond() {
        // From 4 bytes to 5: copy 2 from 1, then three of its own.
        let delta = [4, 5, 0x91, 1, 2, 3, b'x', b'y', b'z'];
        assert_eq!(apply_delta(&delta, b"abcd").unwrap(), b"bcxyz");
        assert!(apply_delta(&delta, b"abc").is_err());
        assert!(apply_delta(&[4, 5, 0x91, 3, 2], b"abcd").is_err());
        assert!(apply_delta(&[4, 5, 0], b"abcd").is_err());
        assert!(apply_delta(&[4], b"abcd").is_err());
    }
}
