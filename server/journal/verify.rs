//! Whether a log is as it was written, and if not, where not.

use std::collections::HashSet;

use serde_json::Value;

use super::block::Block;
use super::file::disk_fault;
use super::reader::Log;
use super::scan::{Piece, Place};
use super::seal::Seal;
use super::yaml;
use crate::base::hash;
use crate::protocol::Fault;

/// Damages that are told one by one; of more only the number.
const TOLD: usize = 100;

/// Something that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where.
    pub place: Place,
    /// The number that the block there has, where it is one.
    pub seq: Option<u64>,
    /// What, as a sentence.
    pub what: String,
}

/// How a log stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Blocks read.
    pub blocks: u64,
    /// Parts read.
    pub parts: u64,
    /// Stored values checked.
    pub values: u64,
    /// What was found, in order, up to a hundred.
    pub damage: Vec<Damage>,
    /// How much was found.
    pub damages: u64,
}

/// Reads a whole log and checks every block's hash, the chain from block to block and over the parts, and the
/// stored values. It cannot know of events cut off the end, nor of a log that was made anew throughout.
///
/// # Errors
/// Those of the disk.
pub fn verify(log: &Log) -> Result<Report, Fault> {
    let fault = |error| disk_fault("read the session log", error);
    let mut check =
        Check { log, report: Report::default(), seq: 0, hash: String::new(), seen: HashSet::new() };
    let mut scan = log.scan(None).map_err(fault)?;
    let mut title = String::new();
    while let Some(piece) = scan.next().map_err(fault)? {
        match piece {
            Piece::Title(line) => {
                check.report.parts += u64::from(title.is_empty());
                title.push_str(&line);
            }
            Piece::Garbage(place, bytes) => {
                check.damage(place, None, format!("{bytes} bytes that are no event"));
            }
            Piece::Block(place, bytes) => {
                if !title.is_empty() {
                    check.hash = hash::full(format!("{}{title}", check.hash).as_bytes());
                    title.clear();
                }
                check.block(place, &bytes);
            }
        }
    }
    Ok(check.report)
}

struct Check<'a> {
    log: &'a Log,
    report: Report,
    seq: u64,
    hash: String,
    seen: HashSet<String>,
}

impl Check<'_> {
    fn damage(&mut self, place: Place, seq: Option<u64>, what: String) {
        self.report.damages += 1;
        if self.report.damage.len() < TOLD {
            self.report.damage.push(Damage { place, seq, what });
        }
    }

    fn block(&mut self, place: Place, bytes: &[u8]) {
        let Some(block) = Block::parse(bytes) else {
            return self.damage(place, None, "a block that was altered: it does not read".to_owned());
        };
        self.report.blocks += 1;
        let (seq, next) = (block.seq, self.seq + 1);
        let wrong = match () {
            () if !block.intact => Some("was altered: its hash is not that of its text".to_owned()),
            () if seq < next => Some(format!("stands behind event {}: it was moved or repeated", self.seq)),
            () if seq > next => Some(format!("stands where event {next} is missing")),
            () if block.prev != self.hash && seq == 1 => {
                Some("does not continue the log's title: one of them was altered".to_owned())
            }
            () if block.prev != self.hash => {
                Some(format!("does not continue event {}: one of them was replaced", self.seq))
            }
            () => None,
        };
        if let Some(wrong) = wrong {
            self.damage(place.clone(), Some(seq), format!("event {seq} {wrong}"));
        }
        self.seq = seq;
        self.hash = block.hash.to_owned();
        if block.yaml.contains("sealed: ") {
            self.values(&place, &block);
        }
    }

    fn values(&mut self, place: &Place, block: &Block<'_>) {
        let mut seals = Vec::new();
        match yaml::read(block.yaml) {
            Ok(body) => Seal::all(&Value::Object(body), &mut seals),
            Err(_) => {
                self.damage(place.clone(), Some(block.seq), format!("event {} does not read", block.seq))
            }
        }
        for seal in seals.into_iter().filter(|seal| seal.kept) {
            if self.seen.insert(seal.hash.clone()) {
                self.report.values += 1;
                if let Err(problem) = self.log.load(&seal) {
                    self.damage(place.clone(), Some(block.seq), format!("event {}: {problem}", block.seq));
                }
            }
        }
    }
}
