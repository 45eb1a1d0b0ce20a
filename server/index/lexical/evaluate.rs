//! Finds the blocks of a segment that fulfil a plan.

use super::plan::Plan;
use super::segment::{Damaged, Segment, Term};

/// Postings that cost as much to read as it costs to look through one file.
const WORTH_ONE_FILE: u64 = 4000;

/// Blocks by number.
#[derive(Debug)]
pub(super) enum Blocks {
    /// All of the segment.
    All,
    /// These, ascending.
    These(Vec<u32>),
}

/// Evaluates plans on one segment.
#[derive(Debug)]
pub(super) struct Evaluator<'a> {
    segment: &'a Segment,
    bytes: Vec<u8>,
    numbers: Vec<u32>,
}

impl<'a> Evaluator<'a> {
    /// For the segment.
    pub(super) fn new(segment: &'a Segment) -> Self {
        Self { segment, bytes: Vec::new(), numbers: Vec::new() }
    }

    /// The blocks that may fulfil the plan: each one that does, and some that do not.
    ///
    /// # Errors
    /// Where the segment is damaged.
    pub(super) fn blocks(&mut self, plan: &Plan) -> Result<Blocks, Damaged> {
        Ok(match plan {
            Plan::All => Blocks::All,
            Plan::Trigram(trigram) => Blocks::These(match self.segment.term(*trigram) {
                Some(term) => self.read(term)?.to_vec(),
                None => Vec::new(),
            }),
            Plan::Pair(pair) => self.union(&self.segment.terms_of(*pair).collect::<Vec<_>>())?,
            Plan::And(parts) => self.all_of(parts)?,
            Plan::Or(parts) => self.any_of(parts)?,
        })
    }

    fn all_of(&mut self, parts: &[Plan]) -> Result<Blocks, Damaged> {
        let mut terms = Vec::new();
        let mut others = Vec::new();
        for part in parts {
            match part {
                Plan::Trigram(trigram) => match self.segment.term(*trigram) {
                    Some(term) => terms.push(term),
                    None => return Ok(Blocks::These(Vec::new())),
                },
                other => others.push(other),
            }
        }
        terms.sort_unstable_by_key(|term| term.count);
        let mut blocks = Blocks::All;
        for term in terms {
            if let Blocks::These(found) = &blocks
                && u64::from(term.count) > found.len() as u64 * WORTH_ONE_FILE
            {
                break;
            }
            match &mut blocks {
                Blocks::All => blocks = Blocks::These(self.read(term)?.to_vec()),
                Blocks::These(found) => {
                    self.segment.keep_common(term, &mut self.bytes, &mut self.numbers, found)?;
                }
            }
        }
        for other in others {
            if matches!(&blocks, Blocks::These(found) if found.is_empty()) {
                break;
            }
            if let Blocks::These(more) = self.blocks(other)? {
                match &mut blocks {
                    Blocks::All => blocks = Blocks::These(more),
                    Blocks::These(found) => keep_common(found, &more),
                }
            }
        }
        Ok(blocks)
    }

    fn any_of(&mut self, parts: &[Plan]) -> Result<Blocks, Damaged> {
        let mut all = Bits::new(self.segment.files().blocks() as usize);
        for part in parts {
            match self.blocks(part)? {
                Blocks::All => return Ok(Blocks::All),
                Blocks::These(numbers) => numbers.iter().for_each(|&number| all.set(number)),
            }
        }
        Ok(Blocks::These(all.into_numbers()))
    }

    fn union(&mut self, terms: &[Term]) -> Result<Blocks, Damaged> {
        let mut all = Bits::new(self.segment.files().blocks() as usize);
        for &term in terms {
            self.read(term)?.iter().for_each(|&number| all.set(number));
        }
        Ok(Blocks::These(all.into_numbers()))
    }

    fn read(&mut self, term: Term) -> Result<&[u32], Damaged> {
        self.segment.postings(term, &mut self.bytes, &mut self.numbers)?;
        Ok(&self.numbers)
    }
}

/// Takes from `found` what is not in `numbers`. Both ascend.
fn keep_common(found: &mut Vec<u32>, numbers: &[u32]) {
    let mut rest = numbers.iter().copied().peekable();
    found.retain(|one| {
        while rest.next_if(|other| other < one).is_some() {}
        rest.peek() == Some(one)
    });
}

/// A set of numbers.
struct Bits(Vec<u64>);

impl Bits {
    fn new(length: usize) -> Self {
        Self(vec![0; length.div_ceil(64)])
    }

    fn set(&mut self, number: u32) {
        if let Some(word) = self.0.get_mut(number as usize / 64) {
            *word |= 1 << (number % 64);
        }
    }

    fn into_numbers(self) -> Vec<u32> {
        let mut numbers = Vec::new();
        for (base, mut word) in (0..).step_by(64).zip(self.0) {
            while word != 0 {
                numbers.push(base + word.trailing_zeros());
                word &= word - 1;
            }
        }
        numbers
    }
}
