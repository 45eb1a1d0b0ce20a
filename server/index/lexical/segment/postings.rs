//! The encoding of block numbers: gaps if they are few, a bit for each block if they are many.

use super::SegmentError;

/// Returns whether a list of `count` out of `blocks` numbers is written as bits.
fn is_dense(count: u32, blocks: u32) -> bool {
    count > blocks / 8
}

/// Bytes of the longest list.
pub(super) fn max_length(blocks: u32) -> usize {
    // A gap takes five bytes at most, and only lists of an eighth of the blocks are written so.
    blocks as usize + 16
}

/// Writes a number, seven bits a byte, the lowest first.
pub(super) fn push_varint(mut number: u64, into: &mut Vec<u8>) {
    while number >= 0x80 {
        into.push(u8::try_from(number & 0x7f).unwrap_or_default() | 0x80);
        number >>= 7;
    }
    into.push(u8::try_from(number).unwrap_or_default());
}

/// Reads a number from the front of `bytes`.
pub(super) fn pull_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Writes ascending numbers below `blocks`.
pub(super) fn encode_numbers(numbers: &[u32], blocks: u32, into: &mut Vec<u8>) {
    into.clear();
    let count = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
    if is_dense(count, blocks) {
        into.resize(blocks.div_ceil(8) as usize, 0);
        for &number in numbers {
            if let Some(byte) = into.get_mut(number as usize / 8) {
                *byte |= 1 << (number % 8);
            }
        }
        return;
    }
    let mut next = 0;
    for &number in numbers {
        push_varint(u64::from(number - next), into);
        next = number + 1;
    }
}

/// Reads `count` numbers below `blocks` into `into`, in place of what it holds.
///
/// # Errors
/// Fails if the bytes hold anything else.
pub(super) fn decode_numbers(
    bytes: &[u8],
    count: u32,
    blocks: u32,
    into: &mut Vec<u32>,
) -> Result<(), SegmentError> {
    const WRONG: SegmentError = SegmentError::Content("its postings");
    into.clear();
    if is_dense(count, blocks) {
        into.reserve(count as usize);
        for (index, chunk) in (0..).step_by(64).zip(bytes.chunks(8)) {
            let mut word = chunk.iter().rev().fold(0_u64, |word, &byte| word << 8 | u64::from(byte));
            while word != 0 {
                into.push(index + word.trailing_zeros());
                word &= word - 1;
            }
        }
    } else {
        let (mut rest, mut next) = (bytes, 0_u64);
        while !rest.is_empty() {
            let number = next.checked_add(pull_varint(&mut rest).ok_or(WRONG)?).ok_or(WRONG)?;
            into.push(u32::try_from(number).map_err(|_| WRONG)?);
            next = number + 1;
        }
    }
    let fits = into.last().is_none_or(|&last| last < blocks);
    if fits && into.len() == count as usize { Ok(()) } else { Err(WRONG) }
}

/// Takes from `found`, ascending, what is not in a written list. `room` is room to work in.
///
/// # Errors
/// Fails if the bytes hold no such list.
pub(super) fn keep_common(
    bytes: &[u8],
    count: u32,
    blocks: u32,
    found: &mut Vec<u32>,
    room: &mut Vec<u32>,
) -> Result<(), SegmentError> {
    if is_dense(count, blocks) {
        found.retain(|number| {
            bytes.get(*number as usize / 8).is_some_and(|byte| byte >> (number % 8) & 1 == 1)
        });
        return Ok(());
    }
    decode_numbers(bytes, count, blocks, room)?;
    let mut rest = room.iter().copied().peekable();
    found.retain(|one| {
        while rest.next_if(|other| other < one).is_some() {}
        rest.peek() == Some(one)
    });
    Ok(())
}
