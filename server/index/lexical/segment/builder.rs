//! Gathers the trigrams of texts in memory until they are written as a segment.

use std::io;
use std::path::Path;

use super::SegmentFiles;
use super::postings::{pull_varint, push_varint};
use super::writer::SegmentWriter;
use crate::lexical::entry::StatStamp;
use crate::lexical::trigrams::Trigram;

/// Trigrams that there could be.
const TRIGRAMS: usize = 1 << 24;

/// Bytes of a piece of memory that lists grow in.
const BLOCK: usize = 1 << 20;

/// Bytes of the first and of the longest chunk of a list; each one is twice the one before.
const CHUNKS: (usize, usize) = (16, 256);

/// Bytes at a chunk's end that say where the next one is.
const LINK: usize = 4;

/// The gaps of one trigram's blocks, in chunks.
#[derive(Clone, Copy, Debug)]
struct GapList {
    trigram: Trigram,
    first: u32,
    /// The position of the next byte.
    at: u32,
    /// The position of the chunk's link.
    end: u32,
    /// The lowest number that may come next.
    next: u32,
    chunk: u16,
}

/// Texts that are being gathered.
#[derive(Debug)]
pub struct SegmentBuilder {
    files: SegmentFiles,
    /// Blocks of the file that comes next.
    open: u32,
    /// For each trigram one more than the index of its list, 0 for none. Most of it is never touched.
    slots: Vec<u32>,
    lists: Vec<GapList>,
    blocks: Vec<Box<[u8]>>,
    used: usize,
    gap: Vec<u8>,
}

impl Default for SegmentBuilder {
    fn default() -> Self {
        Self {
            files: SegmentFiles::default(),
            open: 0,
            slots: vec![0; TRIGRAMS],
            lists: Vec::new(),
            blocks: Vec::new(),
            used: 0,
            gap: Vec::new(),
        }
    }
}

impl SegmentBuilder {
    /// Adds the trigrams of a block of the file that comes next.
    pub fn add_block(&mut self, trigrams: &[Trigram]) {
        let number = self.files.block_count().saturating_add(self.open);
        // More blocks than there are numbers are no more than a reason to look into their file.
        self.open = self.open.saturating_add(1);
        trigrams.iter().for_each(|trigram| self.note_trigram(*trigram, number));
    }

    /// Adds the file whose blocks were added, in this state; without one it stays unknown. Paths ascend.
    pub fn add_file(&mut self, path: &str, stamp: Option<StatStamp>) {
        let blocks = std::mem::take(&mut self.open);
        if blocks > 0 {
            self.files.push(path, stamp.unwrap_or_default(), blocks);
        }
    }

    /// Files gathered so far.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    /// Bytes that the lists take.
    pub fn bytes(&self) -> usize {
        self.blocks.len() * BLOCK + self.lists.len() * size_of::<GapList>()
    }

    /// Writes the gathered postings as the segment `target` of the folder `root`, and empties the builder.
    ///
    /// # Errors
    /// Fails if it cannot be written; the gathered postings are lost, and their files count as never read.
    pub fn write_segment(&mut self, target: &Path, root: &str) -> io::Result<()> {
        let files = std::mem::take(&mut self.files);
        let mut lists = std::mem::take(&mut self.lists);
        lists.sort_unstable_by_key(|list| list.trigram);
        for list in &lists {
            if let Some(slot) = self.slots.get_mut(list.trigram as usize) {
                *slot = 0;
            }
        }
        let (mut bytes, mut numbers) = (Vec::new(), Vec::new());
        let written = SegmentWriter::create(target, root, &files).and_then(|mut writer| {
            for list in &lists {
                self.collect_numbers(list, &mut bytes, &mut numbers);
                writer.push(list.trigram, &numbers)?;
            }
            writer.finish()
        });
        self.blocks.clear();
        self.used = 0;
        written
    }

    fn note_trigram(&mut self, trigram: Trigram, number: u32) {
        let index = match self.slots.get(trigram as usize) {
            Some(0) => self.begin_list(trigram),
            Some(slot) => *slot as usize - 1,
            None => return,
        };
        let Some(list) = self.lists.get_mut(index) else { return };
        let gap = number - list.next;
        list.next = number + 1;
        let at = list.at as usize;
        // Nearly all gaps are short, and most chunks have room.
        if gap < 128
            && list.at != list.end
            && let Some(place) = self.blocks.get_mut(at / BLOCK).and_then(|block| block.get_mut(at % BLOCK))
        {
            *place = gap as u8;
            list.at += 1;
            return;
        }
        self.push_gap(index, gap);
    }

    /// Begins the list of a trigram; its index.
    fn begin_list(&mut self, trigram: Trigram) -> usize {
        let index = self.lists.len();
        if let Some(slot) = self.slots.get_mut(trigram as usize) {
            *slot = u32::try_from(index + 1).unwrap_or(u32::MAX);
        }
        let first = self.allocate_chunk(CHUNKS.0);
        let end = first + u32::try_from(CHUNKS.0 - LINK).unwrap_or_default();
        self.lists.push(GapList { trigram, first, at: first, end, next: 0, chunk: 16 });
        index
    }

    /// Adds a gap to a list, with further chunks if it needs them.
    fn push_gap(&mut self, index: usize, gap: u32) {
        let Some(mut list) = self.lists.get(index).copied() else { return };
        let mut bytes = std::mem::take(&mut self.gap);
        bytes.clear();
        push_varint(u64::from(gap), &mut bytes);
        for &byte in &bytes {
            if list.at == list.end {
                let size = (usize::from(list.chunk) * 2).min(CHUNKS.1);
                let first = self.allocate_chunk(size);
                self.put_bytes(list.end, &first.to_le_bytes());
                list.at = first;
                list.end = first + u32::try_from(size - LINK).unwrap_or_default();
                list.chunk = u16::try_from(size).unwrap_or_default();
            }
            self.put_bytes(list.at, &[byte]);
            list.at += 1;
        }
        self.gap = bytes;
        if let Some(kept) = self.lists.get_mut(index) {
            *kept = list;
        }
    }

    /// Room for a chunk, which never lies in two blocks.
    fn allocate_chunk(&mut self, size: usize) -> u32 {
        if self.blocks.is_empty() || self.used + size > BLOCK {
            self.blocks.push(vec![0; BLOCK].into_boxed_slice());
            self.used = 0;
        }
        let at = (self.blocks.len() - 1) * BLOCK + self.used;
        self.used += size;
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    fn put_bytes(&mut self, at: u32, bytes: &[u8]) {
        let at = at as usize;
        let place = self.blocks.get_mut(at / BLOCK).and_then(|block| block.get_mut(at % BLOCK..));
        if let Some(place) = place {
            place.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        }
    }

    fn get_bytes(&self, at: u32, length: usize) -> &[u8] {
        let at = at as usize;
        let block = self.blocks.get(at / BLOCK);
        block.and_then(|block| block.get(at % BLOCK..at % BLOCK + length)).unwrap_or_default()
    }

    /// The numbers of a list.
    fn collect_numbers(&self, list: &GapList, bytes: &mut Vec<u8>, numbers: &mut Vec<u32>) {
        bytes.clear();
        numbers.clear();
        let (mut at, mut size) = (list.first, CHUNKS.0);
        loop {
            let end = at + u32::try_from(size - LINK).unwrap_or_default();
            if end == list.end {
                bytes.extend(self.get_bytes(at, (list.at - at) as usize));
                break;
            }
            bytes.extend(self.get_bytes(at, size - LINK));
            let Ok(link) = self.get_bytes(end, LINK).try_into() else { break };
            at = u32::from_le_bytes(link);
            size = (size * 2).min(CHUNKS.1);
        }
        let (mut rest, mut next) = (bytes.as_slice(), 0);
        while let Some(number) = pull_varint(&mut rest).and_then(|gap| u32::try_from(gap).ok()) {
            numbers.push(next + number);
            next += number + 1;
        }
    }
}
