//! How near tools are to a request in meaning, where a model that knows of it is configured.

/// How near each tool is, as a model sees it: cosines, in the order of the tools.
pub(super) struct Near<'a> {
    cosines: &'a [f32],
    mean: f64,
    /// How far they lie from the mean, as a rule: their standard deviation.
    spread: f64,
}

impl<'a> Near<'a> {
    /// What is known of the tools; nothing where that tells none from another.
    pub(super) fn new(cosines: &'a [f32]) -> Option<Self> {
        let known = || cosines.iter().filter(|cosine| cosine.is_finite()).map(|cosine| f64::from(*cosine));
        let count = known().count().max(1) as f64;
        let mean = known().sum::<f64>() / count;
        let spread = (known().map(|cosine| (cosine - mean).powi(2)).sum::<f64>() / count).sqrt();
        (spread > 1e-6).then_some(Self { cosines, mean, spread })
    }

    /// How near a tool is: how many spreads above the mean, 0 for one that nothing is known of. Models differ in where
    /// their cosines lie and how far apart; this they have in common.
    pub(super) fn of(&self, item: usize) -> f64 {
        self.cosine(item).map_or(0.0, |cosine| (cosine - self.mean) / self.spread)
    }

    /// The nearest tools, at most `most` of those that `meant` picks.
    pub(super) fn nearest(&self, most: usize, meant: impl Fn(usize) -> bool) -> Vec<usize> {
        let known = (0..self.cosines.len()).filter(|item| self.cosine(*item).is_some_and(|_| meant(*item)));
        let mut nearest: Vec<usize> = known.collect();
        let order =
            |one: &usize, other: &usize| self.of(*other).total_cmp(&self.of(*one)).then(one.cmp(other));
        if nearest.len() > most {
            nearest.select_nth_unstable_by(most, order);
            nearest.truncate(most);
        }
        nearest
    }

    fn cosine(&self, item: usize) -> Option<f64> {
        self.cosines.get(item).filter(|cosine| cosine.is_finite()).map(|cosine| f64::from(*cosine))
    }
}
