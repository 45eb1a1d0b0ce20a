//! A list of files joined with what the index knows of them.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::Arc;

use super::entry::{FileEntry, FileList};
use super::evaluate::{BlockSet, PlanEvaluator};
use super::plan::TrigramPlan;
use super::segment::IndexSegment;

/// The mark of a segment's file that is not in the list in its indexed state.
const GONE: u32 = u32::MAX;

/// The segments that an index has, the newest first.
pub type Segments = Arc<[Arc<IndexSegment>]>;

/// The files of a list that the index knows in their present state. It holds for one list and one set of segments.
#[derive(Debug)]
pub struct IndexView {
    list: FileList,
    segments: Segments,
    /// For each segment, and each block of its files, the place of the file in the list.
    places: Vec<Vec<u32>>,
    /// Places of files that no segment knows as they are, ascending.
    unknown: Vec<u32>,
}

impl IndexView {
    /// Joins a list with segments.
    pub fn new(list: FileList, segments: Segments) -> Self {
        let mut known = vec![false; list.len()];
        let places = segments.iter().map(|segment| join_list(&list, segment, &mut known)).collect();
        let unknown = (0..).zip(&known).filter(|(_, known)| !**known).map(|(place, _)| place).collect();
        Self { list, segments, places, unknown }
    }

    /// Returns whether it was made of exactly these.
    pub fn is_of(&self, list: &FileList, segments: &Segments) -> bool {
        Arc::ptr_eq(&self.list, list) && Arc::ptr_eq(&self.segments, segments)
    }

    /// The list.
    pub fn list(&self) -> &FileList {
        &self.list
    }

    /// The segments.
    pub fn segments(&self) -> &Segments {
        &self.segments
    }

    /// Files that no segment knows as they are.
    pub fn unknown_files(&self) -> impl Iterator<Item = &FileEntry> {
        self.unknown.iter().filter_map(|&place| self.list.get(place as usize))
    }

    /// Returns for each segment the numbers of its files whose indexed state is that of the list.
    pub fn live_files(&self) -> impl Iterator<Item = (&Arc<IndexSegment>, Vec<u32>)> {
        self.segments.iter().zip(&self.places).map(|(segment, places)| {
            let is_live = |number: &u32| {
                let blocks = segment.files().blocks_of(*number as usize);
                let places = places.get(blocks.start as usize..blocks.end as usize).unwrap_or_default();
                places.first().is_some_and(|&place| place != GONE)
            };
            let count = u32::try_from(segment.files().len()).unwrap_or(u32::MAX);
            (segment, (0..count).filter(is_live).collect())
        })
    }

    /// The places in the list that lie in a folder, or that of one file. The empty scope is the whole.
    pub fn scope_range(&self, scope: &str) -> Range<usize> {
        if scope.is_empty() {
            return 0..self.list.len();
        }
        if let Ok(place) = self.list.binary_search_by(|entry| (*entry.path).cmp(scope)) {
            return place..place + 1;
        }
        let folder = format!("{scope}/");
        let begin = self.list.partition_point(|entry| *entry.path < *folder);
        let inside = self.list.get(begin..).unwrap_or_default();
        begin..begin + inside.partition_point(|entry| entry.path.starts_with(&folder))
    }

    /// The places within `range` of every file that may fulfil the plan, ascending: those that the index finds, and those
    /// that it does not know. Also whether a segment turned out to be damaged, all of whose files are then among them.
    pub fn candidates(&self, plan: &TrigramPlan, range: &Range<usize>) -> (Vec<u32>, bool) {
        if *plan == TrigramPlan::All {
            let all = range.clone().filter_map(|place| u32::try_from(place).ok());
            return (all.collect(), false);
        }
        let within = |place: &u32| range.contains(&(*place as usize));
        let mut found: Vec<u32> = self.unknown.iter().copied().filter(within).collect();
        let mut damaged = false;
        for (segment, places) in self.segments.iter().zip(&self.places) {
            match PlanEvaluator::new(segment).find_blocks(plan) {
                Ok(BlockSet::These(numbers)) => {
                    let places = numbers.iter().filter_map(|&number| places.get(number as usize));
                    found.extend(places.copied().filter(within));
                }
                Ok(BlockSet::All) => found.extend(places.iter().copied().filter(within)),
                Err(_) => {
                    damaged = true;
                    found.extend(places.iter().copied().filter(within));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        (found, damaged)
    }
}

/// The place in the list of the file of each block of a segment. Both are ordered by path; if a segment is not, its files count as
/// not known.
fn join_list(list: &[FileEntry], segment: &IndexSegment, known: &mut [bool]) -> Vec<u32> {
    let mut places = vec![GONE; segment.files().block_count() as usize];
    let mut entries = list.iter().zip(0_u32..).zip(known).peekable();
    for (number, (path, stamp)) in segment.files().iter().enumerate() {
        while let Some(((entry, index), known)) = entries.peek_mut() {
            match (*entry.path).cmp(path) {
                Ordering::Less => {
                    entries.next();
                    continue;
                }
                Ordering::Equal if entry.stamp == stamp && !**known => {
                    **known = true;
                    let blocks = segment.files().blocks_of(number);
                    let blocks = places.get_mut(blocks.start as usize..blocks.end as usize);
                    blocks.unwrap_or_default().fill(*index);
                }
                Ordering::Equal | Ordering::Greater => {}
            }
            break;
        }
    }
    places
}
