//! Makes one segment of several, without the files that are there no more.

use std::collections::BTreeMap;
use std::path::Path;

use super::writer::SegmentWriter;
use super::{DictionaryTerm, IndexSegment, SegmentError, SegmentFiles};

/// Writes the segment `target` with those files of each segment that `keep` names by number, ascending. `go_on` is
/// called now and then; if it returns false, nothing is written.
///
/// # Errors
/// Fails if one of them is damaged, or the new one cannot be written.
pub fn merge_segments(
    segments: &[(&IndexSegment, Vec<u32>)],
    target: &Path,
    root: &str,
    mut go_on: impl FnMut() -> bool,
) -> Result<bool, SegmentError> {
    let mut paths = BTreeMap::new();
    for (index, (segment, keep)) in segments.iter().enumerate() {
        paths.extend(keep.iter().map(|&number| (segment.files().path(number as usize), (index, number))));
    }
    let mut files = SegmentFiles::default();
    let mut renumbered: Vec<Vec<Option<u32>>> =
        segments.iter().map(|(segment, _)| vec![None; segment.files().block_count() as usize]).collect();
    for (path, (index, number)) in paths {
        let (Some((segment, _)), Some(numbers)) = (segments.get(index), renumbered.get_mut(index)) else {
            continue;
        };
        let (first, blocks) = (files.block_count(), segment.files().blocks_of(number as usize));
        if let (Some(stamp), Some(places)) = (
            segment.files().stamp(number as usize),
            numbers.get_mut(blocks.start as usize..blocks.end as usize),
        ) && files.push(path, stamp, u32::try_from(places.len()).unwrap_or_default())
        {
            places.iter_mut().zip(first..).for_each(|(place, new)| *place = Some(new));
        }
    }
    let mut writer = SegmentWriter::create(target, root, &files)?;
    let mut at = vec![0; segments.len()];
    let (mut bytes, mut numbers, mut all) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        if !go_on() {
            return Ok(false);
        }
        let next =
            segments.iter().zip(&at).filter_map(|((segment, _), &index)| segment.trigram_at(index)).min();
        let Some(trigram) = next else { break };
        all.clear();
        for (((segment, _), index), renumbered) in segments.iter().zip(&mut at).zip(&renumbered) {
            let Some(record) = segment.record_at(*index).filter(|record| record.trigram == trigram) else {
                continue;
            };
            segment.postings(
                DictionaryTerm { index: *index, count: record.count },
                &mut bytes,
                &mut numbers,
            )?;
            all.extend(
                numbers.iter().filter_map(|&number| renumbered.get(number as usize).copied().flatten()),
            );
            *index += 1;
        }
        // The numbers of each segment ascend: they are runs to be merged.
        all.sort();
        if !all.is_empty() {
            writer.push(trigram, &all)?;
        }
    }
    writer.finish()?;
    Ok(true)
}
