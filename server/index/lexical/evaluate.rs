//! Finds the blocks of a segment that fulfil a plan.

use super::plan::TrigramPlan;
use super::segment::{DictionaryTerm, IndexSegment, SegmentError};

/// Postings that cost as much to read as it costs to look through one file.
const WORTH_ONE_FILE: u64 = 4000;

/// Blocks by number.
#[derive(Debug)]
pub(super) enum BlockSet {
    /// All of the segment.
    All,
    /// These, ascending.
    These(Vec<u32>),
}

/// Evaluates plans on one segment.
#[derive(Debug)]
pub(super) struct PlanEvaluator<'a> {
    segment: &'a IndexSegment,
    bytes: Vec<u8>,
    numbers: Vec<u32>,
}

impl<'a> PlanEvaluator<'a> {
    /// Creates an evaluation of the segment.
    pub(super) fn new(segment: &'a IndexSegment) -> Self {
        Self { segment, bytes: Vec::new(), numbers: Vec::new() }
    }

    /// The blocks that may fulfil the plan: each one that does, and some that do not.
    ///
    /// # Errors
    /// Fails if the segment is damaged.
    pub(super) fn find_blocks(&mut self, plan: &TrigramPlan) -> Result<BlockSet, SegmentError> {
        Ok(match plan {
            TrigramPlan::All => BlockSet::All,
            TrigramPlan::Trigram(trigram) => BlockSet::These(match self.segment.find_term(*trigram) {
                Some(term) => self.read_postings(term)?.to_vec(),
                None => Vec::new(),
            }),
            TrigramPlan::Pair(pair) => self.union(&self.segment.terms_of(*pair).collect::<Vec<_>>())?,
            TrigramPlan::And(parts) => self.all_of(parts)?,
            TrigramPlan::Or(parts) => self.any_of(parts)?,
        })
    }

    fn all_of(&mut self, parts: &[TrigramPlan]) -> Result<BlockSet, SegmentError> {
        let mut terms = Vec::new();
        let mut others = Vec::new();
        for part in parts {
            match part {
                TrigramPlan::Trigram(trigram) => match self.segment.find_term(*trigram) {
                    Some(term) => terms.push(term),
                    None => return Ok(BlockSet::These(Vec::new())),
                },
                other => others.push(other),
            }
        }
        terms.sort_unstable_by_key(|term| term.count);
        let mut blocks = BlockSet::All;
        for term in terms {
            if let BlockSet::These(found) = &blocks
                && u64::from(term.count) > found.len() as u64 * WORTH_ONE_FILE
            {
                break;
            }
            match &mut blocks {
                BlockSet::All => blocks = BlockSet::These(self.read_postings(term)?.to_vec()),
                BlockSet::These(found) => {
                    self.segment.keep_common(term, &mut self.bytes, &mut self.numbers, found)?;
                }
            }
        }
        for other in others {
            if matches!(&blocks, BlockSet::These(found) if found.is_empty()) {
                break;
            }
            if let BlockSet::These(more) = self.find_blocks(other)? {
                match &mut blocks {
                    BlockSet::All => blocks = BlockSet::These(more),
                    BlockSet::These(found) => keep_common(found, &more),
                }
            }
        }
        Ok(blocks)
    }

    fn any_of(&mut self, parts: &[TrigramPlan]) -> Result<BlockSet, SegmentError> {
        let mut all = NumberSet::new(self.segment.files().block_count() as usize);
        for part in parts {
            match self.find_blocks(part)? {
                BlockSet::All => return Ok(BlockSet::All),
                BlockSet::These(numbers) => numbers.iter().for_each(|&number| all.set(number)),
            }
        }
        Ok(BlockSet::These(all.into_numbers()))
    }

    fn union(&mut self, terms: &[DictionaryTerm]) -> Result<BlockSet, SegmentError> {
        let mut all = NumberSet::new(self.segment.files().block_count() as usize);
        for &term in terms {
            self.read_postings(term)?.iter().for_each(|&number| all.set(number));
        }
        Ok(BlockSet::These(all.into_numbers()))
    }

    fn read_postings(&mut self, term: DictionaryTerm) -> Result<&[u32], SegmentError> {
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
struct NumberSet(Vec<u64>);

impl NumberSet {
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
