//! Verification of a log: finds alterations and their positions.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::block::LogBlock;
use super::error::{JournalError, disk_error};
use super::key::LogKey;
use super::reader::LogReader;
use super::scan::{LogPiece, LogPlace};
use super::seal::{SEALED, ValueReference};

/// Damages that are listed; of more only the number is kept.
const MAX_DAMAGES: usize = 100;

/// A deviation from the log as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogDamage {
    /// The position.
    pub place: LogPlace,
    /// The number of the block there, if it is one.
    pub seq: Option<u64>,
    /// A description, as a sentence.
    pub what: String,
}

/// The authority for a log's events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogVoucher {
    /// This machine: they are hashed with its key.
    Here,
    /// Another machine: they are hashed with a key that is not here.
    Elsewhere,
    /// No one: they are hashed with no key, as an earlier version did it and as anyone can.
    #[default]
    Nobody,
}

/// The knowledge of a log's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogEnding {
    /// None: events cut off it are not detected.
    #[default]
    Unknown,
    /// All events that were durable are there.
    Whole,
    /// Cut: it had so many events.
    Cut(u64),
}

/// The result of a verification.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogReport {
    /// Blocks read.
    pub blocks: u64,
    /// Parts read.
    pub parts: u64,
    /// Stored values checked.
    pub values: u64,
    /// The authority for it.
    pub vouched: LogVoucher,
    /// The knowledge of its end.
    pub ending: LogEnding,
    /// The damages found, in order, up to a hundred.
    pub damage: Vec<LogDamage>,
    /// The number of damages found.
    pub damages: u64,
    /// The recoveries of the log, up to a hundred: torn ends, failed syncs.
    pub recovered: Vec<LogDamage>,
}

/// Reads a whole log and checks every block's hash, the chain from block to block and over the parts, and the stored
/// values; for a log of this machine also that it reaches its durable length.
///
/// # Errors
/// Errors of the disk.
pub fn verify_log(log: &LogReader) -> Result<LogReport, JournalError> {
    let failed = disk_error("read the session log");
    let mut check = ChainCheck::new(log);
    let mut scan = log.scan(None).map_err(failed)?;
    let mut title = String::new();
    while let Some(piece) = scan.next_piece().map_err(failed)? {
        match piece {
            LogPiece::Title(line) => {
                check.report.parts += u64::from(title.is_empty());
                title.push_str(&line);
            }
            LogPiece::Garbage(place, rest) => {
                check.end = Some((place.clone(), rest.hole));
                check.add_damage(place, None, rest.describe_bytes());
            }
            LogPiece::Block(place, bytes) => {
                if !title.is_empty() {
                    check.hash = check.key.hash_bytes(format!("{}{title}", check.hash).as_bytes());
                    title.clear();
                }
                check.end = None;
                check.check_block(place, &bytes);
            }
        }
    }
    Ok(check.finish())
}

struct ChainCheck<'a> {
    log: &'a LogReader,
    key: LogKey,
    report: LogReport,
    seq: u64,
    hash: String,
    /// True if the block that the head names was met.
    headed: bool,
    seen: HashSet<String>,
    /// The bytes behind the last block, and true if they hold a hole.
    end: Option<(LogPlace, bool)>,
    /// For each listed damage, the number of the event before it.
    behind: Vec<u64>,
}

impl<'a> ChainCheck<'a> {
    fn new(log: &'a LogReader) -> Self {
        let key = log.key().clone();
        let vouched = match &key {
            LogKey::None => LogVoucher::Nobody,
            LogKey::Ours(..) => LogVoucher::Here,
            LogKey::Elsewhere => LogVoucher::Elsewhere,
        };
        let report = LogReport { vouched, ..LogReport::default() };
        let (seen, behind) = (HashSet::new(), Vec::new());
        Self { log, key, report, seq: 0, hash: String::new(), headed: false, seen, end: None, behind }
    }

    fn add_damage(&mut self, place: LogPlace, seq: Option<u64>, what: String) {
        self.report.damages += 1;
        if self.report.damage.len() < MAX_DAMAGES {
            self.report.damage.push(LogDamage { place, seq, what });
            self.behind.push(self.seq);
        }
    }

    fn check_block(&mut self, place: LogPlace, bytes: &[u8]) {
        let Some(block) = LogBlock::parse(bytes, &self.key) else {
            return self.add_damage(place, None, "a block that was altered: it does not read".to_owned());
        };
        self.report.blocks += 1;
        let (seq, next) = (block.seq, self.seq + 1);
        // The hash over a title cannot be made again without the key.
        let blind = self.key == LogKey::Elsewhere && block.kind() == Some("session_start");
        let wrong = match () {
            () if !block.intact => Some("was altered: its hash is not that of its text".to_owned()),
            () if seq < next => Some(format!("stands behind event {}: it was moved or repeated", self.seq)),
            () if seq > next => Some(format!("stands where event {next} is missing")),
            () if block.prev == self.hash || blind => None,
            () if seq == 1 => Some("does not continue the log's title: one of them was altered".to_owned()),
            () => Some(format!("does not continue event {}: one of them was replaced", self.seq)),
        };
        let whole = wrong.is_none();
        if let Some(wrong) = wrong {
            self.add_damage(place.clone(), Some(seq), format!("event {seq} {wrong}"));
        }
        self.seq = seq;
        self.hash = block.hash.to_owned();
        self.headed |=
            block.intact && self.log.head().is_some_and(|head| head.seq == seq && head.hash == block.hash);
        if block.text.contains(SEALED) {
            self.check_values(&place, &block);
        }
        if whole && block.kind() == Some("recovery") {
            self.check_recovery(place, seq, &block.fields().unwrap_or_default());
        }
    }

    fn check_values(&mut self, place: &LogPlace, block: &LogBlock<'_>) {
        let mut seals = Vec::new();
        match block.fields() {
            Ok(body) => ValueReference::collect_all(&Value::Object(body), &mut seals),
            Err(_) => {
                self.add_damage(place.clone(), Some(block.seq), format!("event {} does not read", block.seq))
            }
        }
        for seal in seals.into_iter().filter(|seal| seal.kept) {
            if self.seen.insert(seal.hash.clone()) {
                self.report.values += 1;
                if let Err(problem) = self.log.check_value(&seal) {
                    self.add_damage(
                        place.clone(),
                        Some(block.seq),
                        format!("event {}: {problem}", block.seq),
                    );
                }
            }
        }
    }

    /// Checks a `check_recovery` event. Events that it lists as missing are no damage.
    fn check_recovery(&mut self, place: LogPlace, seq: u64, body: &Map<String, Value>) {
        let missing = body.get("missing").and_then(Value::as_array).and_then(|pair| {
            let mut numbers = pair.iter().filter_map(Value::as_u64);
            Some(numbers.next()?..=numbers.next()?)
        });
        let all_told = self.report.damages == self.report.damage.len() as u64;
        if let Some(missing) = missing.filter(|_| all_told) {
            // The part that goes on begins with the event after the last one that may be missing.
            let said = |(damage, behind): (&LogDamage, &u64)| match damage.seq {
                Some(seq) => missing.contains(&seq) || seq == missing.end() + 1,
                None => *behind + 1 >= *missing.start() && *behind <= *missing.end(),
            };
            let pairs = self.report.damage.iter().zip(&self.behind);
            let known = self.report.damage.len() - pairs.rev().take_while(|pair| said(*pair)).count();
            self.report.damage.truncate(known);
            self.behind.truncate(known);
            self.report.damages = known as u64;
        }
        let what = body.get("reason").and_then(Value::as_str).unwrap_or_default().to_owned();
        let kept = body.get("kept").and_then(Value::as_str).filter(|kept| !kept.is_empty());
        let kept = kept.map_or_else(String::new, |kept| format!(" ({kept})"));
        self.add_recovery(place, Some(seq), format!("{what}{kept}"));
    }

    fn add_recovery(&mut self, place: LogPlace, seq: Option<u64>, what: String) {
        if self.report.recovered.len() < MAX_DAMAGES {
            self.report.recovered.push(LogDamage { place, seq, what });
        }
    }

    fn finish(mut self) -> LogReport {
        let ending = match self.log.head() {
            Some(head) if self.headed && self.seq >= head.seq => LogEnding::Whole,
            Some(head) => LogEnding::Cut(head.seq),
            None => LogEnding::Unknown,
        };
        self.report.ending = ending;
        let told = self.report.damage.len();
        if self.report.damages != told as u64 {
            return self.report;
        }
        // Events that were not durable yet may be torn: that is no damage, and the next process that opens the log
        // sets them aside.
        let torn = match (ending, self.log.head(), &self.end) {
            (LogEnding::Whole, Some(head), _) => {
                told - self.behind.iter().rev().take_while(|behind| **behind >= head.seq).count()
            }
            (LogEnding::Unknown, _, Some((place, true))) => {
                told - usize::from(self.report.damage.last().is_some_and(|last| last.place == *place))
            }
            _ => told,
        };
        let ends = self.report.damage.split_off(torn);
        self.report.damages = torn as u64;
        if let Some(first) = ends.into_iter().next() {
            let what = format!("{}: torn, as a crash leaves what was not on the disk yet", first.what);
            self.add_recovery(first.place, first.seq, what);
        }
        self.report
    }
}
