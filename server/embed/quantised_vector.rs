//! A vector in 8-bit numbers: a quarter of the memory, and the cosine of two to within a hundredth.

/// A vector as it is kept and compared.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct QuantisedVector {
    numbers: Vec<i8>,
    scale: f32,
}

impl QuantisedVector {
    /// The direction of a vector; nothing for one that has none.
    pub(crate) fn from_floats(vector: &[f32]) -> Option<Self> {
        let most = vector.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
        if most == 0.0 || !vector.iter().all(|number| number.is_finite()) {
            return None;
        }
        let numbers: Vec<i8> = vector.iter().map(|number| (number / most * 127.0).round() as i8).collect();
        let length = numbers.iter().map(|number| f32::from(*number).powi(2)).sum::<f32>().sqrt();
        Some(Self { numbers, scale: 1.0 / length })
    }

    /// Creates a vector that was kept.
    pub(crate) fn from_parts(numbers: Vec<i8>, scale: f32) -> Self {
        Self { numbers, scale }
    }

    /// Returns its numbers, -127 to 127.
    pub(crate) fn numbers(&self) -> &[i8] {
        &self.numbers
    }

    /// Returns the factor that makes its length one.
    pub(crate) fn scale(&self) -> f32 {
        self.scale
    }

    /// Returns it in a form that is compared with many.
    pub(crate) fn to_wide(&self) -> WideVector {
        WideVector {
            numbers: self.numbers.iter().map(|number| i16::from(*number)).collect(),
            scale: self.scale,
        }
    }
}

/// A vector that is compared with many: as wide as the processor multiplies.
#[derive(Clone, Debug)]
pub(crate) struct WideVector {
    numbers: Vec<i16>,
    scale: f32,
}

impl WideVector {
    /// Returns the number of its components.
    pub(crate) fn dimension(&self) -> usize {
        self.numbers.len()
    }

    /// The cosine of the angle to a vector as it is kept, -1 to 1.
    pub(crate) fn cosine(&self, numbers: &[i8], scale: f32) -> f32 {
        // In parts of a size that is known when this is compiled: the processor then multiplies several at once.
        let (own, rest) = self.numbers.as_chunks::<32>();
        let (others, others_rest) = numbers.as_chunks::<32>();
        let parts = own.iter().zip(others).map(|(one, other)| dot_product(one, other));
        let sum = parts.sum::<i32>() + dot_product(rest, others_rest);
        (sum as f32 * self.scale * scale).clamp(-1.0, 1.0)
    }
}

fn dot_product(one: &[i16], other: &[i8]) -> i32 {
    one.iter().zip(other).map(|(one, other)| i32::from(*one) * i32::from(i16::from(*other))).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cosine_is_that_of_the_vectors() {
        // Numbers without order, the same each time.
        let vector = |seed: u64| -> Vec<f32> {
            let mut state = seed;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) as f32 / (1 << 24) as f32 - 0.5
            };
            (0..384).map(|_| next()).collect()
        };
        let cosine = |one: &[f32], other: &[f32]| {
            let product = |one: &[f32], other: &[f32]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f32>();
            product(one, other) / (product(one, one) * product(other, other)).sqrt()
        };
        let one = vector(1);
        let near: Vec<f32> = one.iter().zip(vector(2)).map(|(a, b)| a + b * 0.3).collect();
        for other in [&one, &near, &vector(3)] {
            let [wide, kept] =
                [QuantisedVector::from_floats(&one).unwrap(), QuantisedVector::from_floats(other).unwrap()];
            let found = wide.to_wide().cosine(kept.numbers(), kept.scale());
            assert!((found - cosine(&one, other)).abs() < 0.01, "{found}");
        }
        let large = QuantisedVector::from_floats(&vec![1e30; 16_384]).unwrap();
        assert!((large.to_wide().cosine(large.numbers(), large.scale()) - 1.0).abs() < 1e-3);
    }

    #[test]
    fn what_has_no_direction_is_none() {
        for vector in [&[][..], &[0.0, 0.0], &[f32::NAN, 1.0], &[f32::INFINITY]] {
            assert_eq!(QuantisedVector::from_floats(vector), None);
        }
    }
}
