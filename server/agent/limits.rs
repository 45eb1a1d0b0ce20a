//! The limits of a turn: steps, tokens, time, cost.

use std::time::{Duration, Instant};

use crate::model::{ModelFacts, Price, TokenUsage};
use crate::protocol::{AgentLimits, AgentUsage};

/// The default limit of steps in a turn.
const STEPS: u32 = 60;

/// The limits of a run, and its usage.
#[derive(Clone, Debug)]
pub(super) struct RunMeter {
    limits: AgentLimits,
    price: Option<Price>,
    usage: AgentUsage,
    /// Steps before the turn.
    before: u32,
    began: Instant,
}

impl RunMeter {
    /// A meter at 0.
    pub(super) fn new(limits: AgentLimits, facts: &ModelFacts, context_budget: u64) -> Self {
        let cost = facts.price.map(|_| 0.0);
        let usage = AgentUsage { context_budget, cost, ..AgentUsage::default() };
        Self { limits, price: facts.price, usage, before: 0, began: Instant::now() }
    }

    /// Begins a turn.
    pub(super) fn begin_turn(&mut self) {
        self.before = self.usage.steps;
        self.began = Instant::now();
    }

    /// The usage of the run so far.
    pub(super) fn usage(&self) -> AgentUsage {
        self.usage
    }

    /// Begins the next step of the run; returns its number, from 1.
    pub(super) fn begin_step(&mut self, context_tokens: u64) -> u32 {
        self.usage.steps += 1;
        self.usage.context_tokens = context_tokens;
        self.usage.steps
    }

    /// The step of the turn, from 1.
    pub(super) fn step_of_turn(&self) -> u32 {
        self.usage.steps - self.before
    }

    /// Adds the usage of an answer.
    pub(super) fn add_usage(&mut self, used: &TokenUsage) {
        self.usage.input_tokens += used.input;
        self.usage.output_tokens += used.output;
        if let (Some(cost), Some(price)) = (&mut self.usage.cost, self.price) {
            #[allow(clippy::cast_precision_loss, reason = "a price")]
            let of = |tokens: u64, price: f64| tokens as f64 * price / 1e6;
            *cost += of(used.input, price.input) + of(used.output, price.output);
        }
    }

    /// The limit that is reached, as a sentence.
    pub(super) fn reached_limit(&self) -> Option<String> {
        let AgentLimits { max_steps, max_tokens, max_minutes, max_cost } = &self.limits;
        let steps = max_steps.unwrap_or(STEPS);
        if self.usage.steps - self.before >= steps {
            return Some(format!("the model was asked {steps} times in this turn, the most that it may be"));
        }
        let tokens = self.usage.input_tokens + self.usage.output_tokens;
        if let Some(most) = max_tokens.filter(|most| tokens >= *most) {
            return Some(format!("the run took {tokens} tokens, and {most} are allowed"));
        }
        if let Some(cost) = self.usage.cost.zip(*max_cost).filter(|(cost, most)| cost >= most) {
            return Some(format!("the run cost {:.4} US dollars, and {} are allowed", cost.0, cost.1));
        }
        max_minutes
            .filter(|most| self.began.elapsed().as_secs_f64() >= most * 60.0)
            .map(|most| format!("the turn took {most} minutes, the most that it may"))
    }

    /// The time that is left of the turn.
    pub(super) fn time_left(&self) -> Option<Duration> {
        let most = self.limits.max_minutes?;
        let most = Duration::try_from_secs_f64(most * 60.0).ok()?;
        Some(most.saturating_sub(self.began.elapsed()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meter(limits: AgentLimits) -> RunMeter {
        let facts = ModelFacts { price: Some(Price { input: 1.0, output: 10.0 }), ..ModelFacts::default() };
        RunMeter::new(limits, &facts, 1000)
    }

    #[test]
    fn each_limit_ends_a_turn_and_says_which_it_is() {
        let none = AgentLimits::default;
        let cases = [
            (AgentLimits { max_steps: Some(1), ..none() }, Some("asked 1 times")),
            (AgentLimits { max_tokens: Some(1_000_000), ..none() }, Some("1100000 tokens")),
            (AgentLimits { max_cost: Some(1.5), ..none() }, Some("cost 2.0000")),
            (AgentLimits { max_minutes: Some(0.0), ..none() }, Some("minutes")),
            (none(), None),
        ];
        for (limits, word) in cases {
            let mut meter = meter(limits.clone());
            meter.begin_turn();
            meter.begin_step(10);
            meter.add_usage(&TokenUsage { input: 1_000_000, output: 100_000, cached: 0 });
            let reached = meter.reached_limit();
            assert_eq!(reached.is_some(), word.is_some(), "{limits:?}: {reached:?}");
            assert!(reached.unwrap_or_default().contains(word.unwrap_or_default()), "{limits:?}");
        }
    }

    #[test]
    fn steps_are_counted_by_turn_and_tokens_by_run() {
        let mut meter = meter(AgentLimits { max_steps: Some(2), ..AgentLimits::default() });
        meter.begin_turn();
        for _ in 0..2 {
            meter.begin_step(0);
        }
        assert!(meter.reached_limit().is_some());
        meter.begin_turn();
        assert!(meter.reached_limit().is_none());
        assert_eq!((meter.begin_step(0), meter.step_of_turn()), (3, 1));
    }
}
