//! Whether a log is as it was written, and if not, where not.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::block::Block;
use super::error::{JournalError, disk};
use super::key::Key;
use super::reader::Log;
use super::scan::{LogPlace, Piece};
use super::seal::Seal;
use super::yaml;

/// Damages that are told one by one; of more only the number.
const TOLD: usize = 100;

/// Something that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Where.
    pub place: LogPlace,
    /// The number that the block there has, where it is one.
    pub seq: Option<u64>,
    /// What, as a sentence.
    pub what: String,
}

/// Who vouches for a log's events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Vouched {
    /// This machine: they are hashed with its key.
    Here,
    /// Nobody here: they are hashed with a key that is not here.
    Elsewhere,
    /// Nobody: they are hashed with no key, as an earlier version did it and as anybody can.
    #[default]
    Nobody,
}

/// What is known of a log's end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// Nothing: events cut off it do not show.
    #[default]
    Unknown,
    /// All events that were durable are there.
    Whole,
    /// It had so many events.
    Cut(u64),
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
    /// Who vouches for it.
    pub vouched: Vouched,
    /// What is known of its end.
    pub ending: Ending,
    /// What was found, in order, up to a hundred.
    pub damage: Vec<Damage>,
    /// How much was found.
    pub damages: u64,
    /// What the log recovered from, up to a hundred: torn ends, failed syncs.
    pub recovered: Vec<Damage>,
}

/// Reads a whole log and checks every block's hash, the chain from block to block and over the parts, and the
/// stored values; and where this machine wrote it, that it reaches as far as it was durable.
///
/// # Errors
/// Those of the disk.
pub fn verify(log: &Log) -> Result<Report, JournalError> {
    let failed = disk("read the session log");
    let mut check = Check::new(log);
    let mut scan = log.scan(None).map_err(failed)?;
    let mut title = String::new();
    while let Some(piece) = scan.next().map_err(failed)? {
        match piece {
            Piece::Title(line) => {
                check.report.parts += u64::from(title.is_empty());
                title.push_str(&line);
            }
            Piece::Garbage(place, rest) => {
                check.end = Some((place.clone(), rest.hole));
                check.damage(place, None, rest.says());
            }
            Piece::Block(place, bytes) => {
                if !title.is_empty() {
                    check.hash = check.key.hash(format!("{}{title}", check.hash).as_bytes());
                    title.clear();
                }
                check.end = None;
                check.block(place, &bytes);
            }
        }
    }
    Ok(check.finish())
}

struct Check<'a> {
    log: &'a Log,
    key: Key,
    report: Report,
    seq: u64,
    hash: String,
    /// Whether the block that the head names was met.
    headed: bool,
    seen: HashSet<String>,
    /// What stands behind the last block, and whether it holds a hole.
    end: Option<(LogPlace, bool)>,
    /// Of each damage that is told, the number of the event before it.
    behind: Vec<u64>,
}

impl<'a> Check<'a> {
    fn new(log: &'a Log) -> Self {
        let key = log.key().clone();
        let vouched = match &key {
            Key::None => Vouched::Nobody,
            Key::Ours(..) => Vouched::Here,
            Key::Elsewhere => Vouched::Elsewhere,
        };
        let report = Report { vouched, ..Report::default() };
        let (seen, behind) = (HashSet::new(), Vec::new());
        Self { log, key, report, seq: 0, hash: String::new(), headed: false, seen, end: None, behind }
    }

    fn damage(&mut self, place: LogPlace, seq: Option<u64>, what: String) {
        self.report.damages += 1;
        if self.report.damage.len() < TOLD {
            self.report.damage.push(Damage { place, seq, what });
            self.behind.push(self.seq);
        }
    }

    fn block(&mut self, place: LogPlace, bytes: &[u8]) {
        let Some(block) = Block::parse(bytes, &self.key) else {
            return self.damage(place, None, "a block that was altered: it does not read".to_owned());
        };
        self.report.blocks += 1;
        let (seq, next) = (block.seq, self.seq + 1);
        // The hash over a title cannot be made again without the key.
        let blind = self.key == Key::Elsewhere && block.yaml.starts_with("type: session_start\n");
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
            self.damage(place.clone(), Some(seq), format!("event {seq} {wrong}"));
        }
        self.seq = seq;
        self.hash = block.hash.to_owned();
        self.headed |=
            block.intact && self.log.head().is_some_and(|head| head.seq == seq && head.hash == block.hash);
        if block.yaml.contains("sealed: ") {
            self.values(&place, &block);
        }
        if whole && block.yaml.starts_with("type: recovery\n") {
            self.recovery(place, seq, &yaml::read(block.yaml).unwrap_or_default());
        }
    }

    fn values(&mut self, place: &LogPlace, block: &Block<'_>) {
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
                if let Err(problem) = self.log.check(&seal) {
                    self.damage(place.clone(), Some(block.seq), format!("event {}: {problem}", block.seq));
                }
            }
        }
    }

    /// Takes note of a `recovery` event. What it says may be missing is no damage.
    fn recovery(&mut self, place: LogPlace, seq: u64, body: &Map<String, Value>) {
        let missing = body.get("missing").and_then(Value::as_array).and_then(|pair| {
            let mut numbers = pair.iter().filter_map(Value::as_u64);
            Some(numbers.next()?..=numbers.next()?)
        });
        let all_told = self.report.damages == self.report.damage.len() as u64;
        if let Some(missing) = missing.filter(|_| all_told) {
            // The part that goes on begins with the event after the last one that may be missing.
            let said = |(damage, behind): (&Damage, &u64)| match damage.seq {
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
        self.recovered(place, Some(seq), format!("{what}{kept}"));
    }

    fn recovered(&mut self, place: LogPlace, seq: Option<u64>, what: String) {
        if self.report.recovered.len() < TOLD {
            self.report.recovered.push(Damage { place, seq, what });
        }
    }

    fn finish(mut self) -> Report {
        let ending = match self.log.head() {
            Some(head) if self.headed && self.seq >= head.seq => Ending::Whole,
            Some(head) => Ending::Cut(head.seq),
            None => Ending::Unknown,
        };
        self.report.ending = ending;
        let told = self.report.damage.len();
        if self.report.damages != told as u64 {
            return self.report;
        }
        // What was not durable yet may be torn: it is no damage, and the next process that opens the log sets it aside.
        let torn = match (ending, self.log.head(), &self.end) {
            (Ending::Whole, Some(head), _) => {
                told - self.behind.iter().rev().take_while(|behind| **behind >= head.seq).count()
            }
            (Ending::Unknown, _, Some((place, true))) => {
                told - usize::from(self.report.damage.last().is_some_and(|last| last.place == *place))
            }
            _ => told,
        };
        let ends = self.report.damage.split_off(torn);
        self.report.damages = torn as u64;
        if let Some(first) = ends.into_iter().next() {
            let what = format!("{}: torn, as a crash leaves what was not on the disk yet", first.what);
            self.recovered(first.place, first.seq, what);
        }
        self.report
    }
}
