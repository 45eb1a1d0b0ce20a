//! Writes a segment, its trigrams in ascending order.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::SegmentFiles;
use super::layout::{DictionaryRecord, HEADER, SegmentHeader};
use super::postings;
use crate::lexical::trigrams::Trigram;

/// A segment that is being written, under a name of its own until it is whole.
#[derive(Debug)]
pub struct SegmentWriter {
    out: BufWriter<File>,
    unfinished: PathBuf,
    target: PathBuf,
    header: SegmentHeader,
    blocks: u32,
    dictionary: Vec<u8>,
    bytes: Vec<u8>,
}

impl SegmentWriter {
    /// Begins the segment `target` of the folder `root`.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn create(target: &Path, root: &str, files: &SegmentFiles) -> io::Result<Self> {
        let unfinished = target.with_extension("part");
        // An unfinished file of an earlier process has this name too.
        let _ = fs::remove_file(&unfinished);
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished)?;
        let mut writer = Self {
            out: BufWriter::with_capacity(1 << 18, file),
            unfinished,
            target: target.to_owned(),
            header: SegmentHeader::default(),
            blocks: files.block_count(),
            dictionary: Vec::new(),
            bytes: Vec::new(),
        };
        let bytes = files.to_bytes(root);
        writer.header.files_len = bytes.len() as u64;
        writer.header.files_crc = crc32fast::hash(&bytes);
        writer.out.write_all(&[0; HEADER])?;
        writer.out.write_all(&bytes)?;
        Ok(writer)
    }

    /// Adds a trigram, greater than the last one, with the ascending numbers of the blocks that hold it.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn push(&mut self, trigram: Trigram, numbers: &[u32]) -> io::Result<()> {
        postings::encode_numbers(numbers, self.blocks, &mut self.bytes);
        let record = DictionaryRecord {
            trigram,
            offset: self.header.postings_len,
            count: u32::try_from(numbers.len()).unwrap_or(u32::MAX),
            crc: crc32fast::hash(&self.bytes),
        };
        self.dictionary.extend(record.to_bytes());
        self.header.postings_len += self.bytes.len() as u64;
        self.out.write_all(&self.bytes)
    }

    /// Ends the segment and gives it its name. Its checksums say where a crash of the system tore it.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.header.dictionary_len = self.dictionary.len() as u64;
        self.header.dictionary_crc = crc32fast::hash(&self.dictionary);
        self.out.write_all(&self.dictionary)?;
        self.out.flush()?;
        self.out.get_ref().write_all_at(&self.header.to_bytes(), 0)?;
        fs::rename(&self.unfinished, &self.target)
    }
}

impl Drop for SegmentWriter {
    fn drop(&mut self) {
        // After `finish` there is no such file any more.
        let _ = fs::remove_file(&self.unfinished);
    }
}
