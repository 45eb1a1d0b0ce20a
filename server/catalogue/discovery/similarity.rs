//! The similarity of tools to a request, where a model that computes it is configured.

/// The cosine similarity of a request to each tool, in the order of the tools.
pub(super) struct SimilarityScores<'a> {
    cosines: &'a [f32],
    mean: f64,
    /// The standard deviation of the cosines.
    deviation: f64,
}

impl<'a> SimilarityScores<'a> {
    /// Returns the scores of these cosines; nothing where they are all equal.
    pub(super) fn new(cosines: &'a [f32]) -> Option<Self> {
        let known = || cosines.iter().filter(|cosine| cosine.is_finite()).map(|cosine| f64::from(*cosine));
        let count = known().count().max(1) as f64;
        let mean = known().sum::<f64>() / count;
        let deviation = (known().map(|cosine| (cosine - mean).powi(2)).sum::<f64>() / count).sqrt();
        (deviation > 1e-6).then_some(Self { cosines, mean, deviation })
    }

    /// The standard score of a tool: how many standard deviations its cosine lies above the mean. It is 0 for a tool
    /// without a cosine. Cosines of different models differ in mean and deviation; standard scores can be compared.
    pub(super) fn standard_score(&self, item: usize) -> f64 {
        self.finite_cosine(item).map_or(0.0, |cosine| (cosine - self.mean) / self.deviation)
    }

    /// Returns the nearest neighbours of the request: the `most` most similar tools of those that `meant` picks.
    pub(super) fn nearest_neighbours(&self, most: usize, meant: impl Fn(usize) -> bool) -> Vec<usize> {
        let known =
            (0..self.cosines.len()).filter(|item| self.finite_cosine(*item).is_some_and(|_| meant(*item)));
        let mut nearest: Vec<usize> = known.collect();
        let order = |one: &usize, other: &usize| {
            self.standard_score(*other).total_cmp(&self.standard_score(*one)).then(one.cmp(other))
        };
        if nearest.len() > most {
            nearest.select_nth_unstable_by(most, order);
            nearest.truncate(most);
        }
        nearest
    }

    fn finite_cosine(&self, item: usize) -> Option<f64> {
        self.cosines.get(item).filter(|cosine| cosine.is_finite()).map(|cosine| f64::from(*cosine))
    }
}
