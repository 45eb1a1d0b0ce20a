//! BM25: the weight of a term in a document.
//!
//! A term's score in a document is its [`inverse_document_frequency`] times the [`saturate_count`] count of the term, normalised by the
//! document's [`length_norm`]. BM25F sums the weighted counts of several fields, each divided by its own norm, before
//! it saturates the sum. The caller passes the parameters k1 and b, in the precision that it computes with.

use std::ops::{Add, Div, Mul, Sub};

/// A floating-point number.
pub trait RealNumber:
    Copy
    + PartialOrd
    + From<f32>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
{
    /// The natural logarithm.
    fn ln(self) -> Self;
}

impl RealNumber for f32 {
    fn ln(self) -> Self {
        self.ln()
    }
}

impl RealNumber for f64 {
    fn ln(self) -> Self {
        self.ln()
    }
}

/// The inverse document frequency of a term that occurs in `holders` of all `documents`. It is never negative.
pub fn inverse_document_frequency<R: RealNumber>(documents: R, holders: R) -> R {
    let (one, half, none) = (R::from(1.0), R::from(0.5), R::from(0.0));
    let others = documents - holders + half;
    let others = if others > none { others } else { none };
    (one + others / (holders + half)).ln()
}

/// The norm of a document's length: 1 for an average one, the more the longer it is. `b` is how much of the length
/// counts, from 0 to 1; `length` is in units of the average length.
#[inline]
pub fn length_norm<R: RealNumber>(b: R, length: R) -> R {
    R::from(1.0) - b + b * length
}

/// Returns the part of a term's weight that its count earns, from 0 to 1. A count of `half` (k1, times the norm
/// unless the count is already divided by it) earns half.
#[inline]
pub fn saturate_count<R: RealNumber>(count: R, half: R) -> R {
    count / (count + half)
}

#[cfg(test)]
mod tests {
    use super::{inverse_document_frequency, length_norm, saturate_count};

    #[test]
    fn scores_follow_the_formula() {
        assert_eq!(inverse_document_frequency(10.0_f64, 2.0), (1.0_f64 + 8.5 / 2.5).ln());
        assert_eq!(inverse_document_frequency(1.0_f32, 4.0), 0.0, "more holders than documents");
        assert!(inverse_document_frequency(100.0_f32, 1.0) > inverse_document_frequency(100.0_f32, 50.0));
        assert_eq!(length_norm(0.75_f64, 1.0), 1.0);
        assert!(length_norm(0.75_f32, 3.0) > 1.0 && length_norm(0.75_f32, 0.5) < 1.0);
        assert_eq!(saturate_count(1.2_f64, 1.2), 0.5);
        // The norm may divide the count or multiply its half.
        let (count, k1, norm) = (3.0_f64, 1.2, length_norm(0.5, 2.0));
        assert!((saturate_count(count / norm, k1) - saturate_count(count, k1 * norm)).abs() < 1e-12);
    }
}
