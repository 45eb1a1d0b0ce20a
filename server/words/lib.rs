//! Vectors of English words, which the program carries: how near two words are in meaning.
//!
//! The file `vectors.bin` is made by `make.py`, which names its sources and their licences. Nothing of it is read before
//! the first need; the vectors stay where the program's file is mapped.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

use std::sync::LazyLock;

/// The model's name, for a reader.
pub const MODEL: &str = "word-vectors";

/// The bytes of the model. Numbers are little-endian: the count of words, the length of a vector and the bytes of text as
/// `u32`, the words in order with a line feed between them, the scale of each vector as `f32`, the numbers as `i8`.
const CARRIED: &[u8] = include_bytes!("vectors.bin");

/// A vector for each stem of English words.
#[derive(Debug)]
pub struct WordVectors {
    stems: Vec<&'static str>,
    scales: Vec<f32>,
    numbers: &'static [u8],
    dimension: usize,
}

/// Returns the vectors that the program carries.
pub fn carried_vectors() -> &'static WordVectors {
    static VECTORS: LazyLock<WordVectors> =
        LazyLock::new(|| WordVectors::from_bytes(CARRIED).unwrap_or_else(WordVectors::empty));
    &VECTORS
}

impl WordVectors {
    fn empty() -> Self {
        Self { stems: Vec::new(), scales: Vec::new(), numbers: &[], dimension: 1 }
    }

    /// Reads a model; `None` where the bytes are of another form.
    fn from_bytes(bytes: &'static [u8]) -> Option<Self> {
        let (head, rest) =
            bytes.as_chunks::<4>().0.split_at_checked(3).map(|(head, _)| (head, &bytes[12..]))?;
        let [count, dimension, length] =
            [head[0], head[1], head[2]].map(|number| u32::from_le_bytes(number) as usize);
        let (text, rest) = rest.split_at_checked(length)?;
        let (scales, numbers) = rest.split_at_checked(count.checked_mul(4)?)?;
        let stems: Vec<&str> = std::str::from_utf8(text).ok()?.split('\n').collect();
        let scales: Vec<f32> =
            scales.as_chunks::<4>().0.iter().map(|scale| f32::from_le_bytes(*scale)).collect();
        let is_whole =
            stems.len() == count && dimension > 0 && numbers.len() == count.checked_mul(dimension)?;
        is_whole.then_some(Self { stems, scales, numbers, dimension })
    }

    /// Returns the stems in order.
    pub fn stems(&self) -> &[&'static str] {
        &self.stems
    }

    /// Returns the place of a stem among [`WordVectors::stems`].
    pub fn find_stem(&self, stem: &str) -> Option<usize> {
        self.stems.binary_search(&stem).ok()
    }

    /// Returns the cosine of the angle between the vectors at two places, -1 to 1; 0 for a place that holds none.
    pub fn cosine(&self, one: usize, other: usize) -> f32 {
        let (Some(a), Some(b)) = (self.numbers_at(one), self.numbers_at(other)) else { return 0.0 };
        // In parts of a size that is known when this is compiled: the processor then multiplies several at once.
        let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<32>(), b.as_chunks::<32>());
        let parts: i32 = a.iter().zip(b).map(|(a, b)| dot_product(a, b)).sum();
        let sum = parts + dot_product(a_rest, b_rest);
        (sum as f32 * self.scales[one] * self.scales[other]).clamp(-1.0, 1.0)
    }

    /// Returns the length of a vector.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Adds the vector at a place, scaled to the length `scale`, to a sum; a place that holds none adds nothing.
    pub fn add_scaled(&self, place: usize, scale: f32, sum: &mut [f32]) {
        let Some(numbers) = self.numbers_at(place) else { return };
        let scale = scale * self.scales[place];
        sum.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += f32::from(*number as i8) * scale);
    }

    fn numbers_at(&self, place: usize) -> Option<&'static [u8]> {
        self.numbers.get(place * self.dimension..(place + 1) * self.dimension)
    }
}

fn dot_product(one: &[u8], other: &[u8]) -> i32 {
    let wide = |number: u8| i32::from(i16::from(number as i8));
    one.iter().zip(other).map(|(one, other)| wide(*one) * wide(*other)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_carried_file_is_whole_small_and_in_order() {
        assert!(CARRIED.len() < 8 << 20, "{} bytes", CARRIED.len());
        let vectors = carried_vectors();
        assert!(vectors.stems().len() > 10_000 && vectors.stems().is_sorted());
        for place in (0..vectors.stems().len()).step_by(97) {
            assert!((vectors.cosine(place, place) - 1.0).abs() < 1e-3, "{}", vectors.stems()[place]);
        }
        assert_eq!(vectors.cosine(0, usize::MAX / 1_000), 0.0);
    }

    #[test]
    fn words_of_like_meaning_are_near() {
        let vectors = carried_vectors();
        let cosine = |one: &str, other: &str| {
            vectors.cosine(vectors.find_stem(one).unwrap(), vectors.find_stem(other).unwrap())
        };
        for (one, near, far) in [
            ("delet", "remov", "weather"),
            ("pictur", "imag", "salari"),
            ("password", "login", "harvest"),
            ("mail", "letter", "tractor"),
        ] {
            assert!(
                cosine(one, near) > cosine(one, far) + 0.2,
                "{one}: {} {}",
                cosine(one, near),
                cosine(one, far)
            );
        }
    }

    #[test]
    fn bytes_of_another_form_are_no_model() {
        for bytes in [
            &b""[..],
            b"\x01\0\0\0",
            b"\x01\0\0\0\x01\0\0\0\x01\0\0\0a\0\0\x80\x3f",
            b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        ] {
            assert!(WordVectors::from_bytes(bytes).is_none(), "{bytes:?}");
        }
        assert!(WordVectors::from_bytes(b"\x01\0\0\0\x01\0\0\0\x01\0\0\0a\0\0\x80\x3f\x01").is_some());
    }
}
