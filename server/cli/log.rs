//! `wherefore log`: shows a session log, follows it, and says whether it was altered.

mod change;
mod filter;
mod lines;
mod openai;
mod output;
mod sessions;
#[cfg(test)]
mod tests;
mod text;
mod verify;
mod waits;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use super::print::{LineWriter, TerminalPage};
use super::{answer, completions};
use crate::base::hidden::{in_json, short};
use crate::base::numbers::counted;
use crate::journal::{Entry, Item, Items, JournalError, Log, LogVerdict, Values, Vouched};
use crate::protocol::{EventType, Fault};
use filter::Selector;
pub(super) use filter::time;
use sessions::open;
pub(super) use sessions::{Session, last_calls, named, session_names, sessions};

/// How often a followed log is looked at.
const LOOK: Duration = Duration::from_millis(120);

/// Show, filter and follow the session log, or verify that nobody altered it
#[derive(Args, Debug)]
pub(super) struct LogArgs {
    #[command(subcommand)]
    command: Option<LogCommand>,
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    filter: filter::FilterArgs,
    /// Show only the last N calls (text), events (json) or messages (openai)
    #[arg(long, value_name = "N")]
    last: Option<usize>,
    /// Keep running, and show events as they arrive
    #[arg(long, short)]
    follow: bool,
    /// Show changes and outputs whole instead of their first lines (text)
    #[arg(long)]
    full: bool,
    /// The format of the output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// List the sessions instead of showing one
    #[arg(long)]
    list: bool,
}

#[derive(Subcommand, Debug)]
enum LogCommand {
    /// Check the hash chain, its end and the stored values, and say where the log was altered
    ///
    /// Exit codes: 0 where the log is as this machine wrote it or was recovered after a crash, and where a log without a key
    /// has hashes that fit (the output says so); 1 where the log was altered or cut, or does not exist; 3 where no damage was
    /// found but this machine cannot vouch for the log, because another machine wrote it or its length is not known here.
    Verify(Which),
}

#[derive(Args, Clone, Debug)]
struct Which {
    /// The session [default: the most recent one]
    #[arg(add = completions::sessions())]
    session: Option<String>,
    /// The workspace's folder [default: the nearest folder here or above that holds .wherefore]
    #[arg(long, value_name = "DIR", global = true, value_hint = ValueHint::DirPath)]
    root: Option<PathBuf>,
}

impl Which {
    /// The same log, by what stands before a subcommand where nothing stands behind it.
    fn or(&self, before: &Self) -> Self {
        let which = self.clone();
        Self { session: which.session.or(before.session.clone()), root: which.root.or(before.root.clone()) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people: each call with its reason, result and decisions
    Text,
    /// One event a line
    Json,
    /// The messages of the OpenAI chat API
    Openai,
}

/// The exit code of a log that nobody here can vouch for.
const UNVOUCHED: u8 = 3;

/// Runs `wherefore log`: 0 where all is well, 1 where there is no log or it is damaged, 3 where nobody can vouch for it.
pub(super) fn run(args: LogArgs) -> ExitCode {
    let mut out = LineWriter::new(io::BufWriter::new(io::stdout().lock()));
    let ended = match &args.command {
        Some(LogCommand::Verify(which)) => check(&which.or(&args.which), &mut out),
        None if args.list => list(&args.which, &mut out).map(|()| LogVerdict::Sound),
        None => show(&args, &mut out).map(|()| LogVerdict::Sound),
    };
    let flushed = out.flush().map_err(Stop::from);
    match ended.and_then(|verdict| flushed.map(|()| verdict)) {
        Ok(LogVerdict::Sound) | Err(Stop::Closed) => ExitCode::SUCCESS,
        Ok(LogVerdict::Damaged) => ExitCode::FAILURE,
        Ok(LogVerdict::Unvouched) => ExitCode::from(UNVOUCHED),
        Err(Stop::Fault(fault)) => answer::told("wherefore log", &fault),
    }
}

/// Why printing ended early.
#[derive(Debug)]
enum Stop {
    /// Nobody reads it any more.
    Closed,
    Fault(Box<Fault>),
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Fault::internal(format!("standard output cannot be written: {error}")).into(),
        }
    }
}

impl From<JournalError> for Stop {
    fn from(error: JournalError) -> Self {
        Fault::from(error).into()
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(Box::new(fault))
    }
}

/// Why a log says nothing about what was done here, where that is so.
fn doubt(log: &Log) -> Option<&'static str> {
    match log.vouched() {
        Vouched::Here => None,
        Vouched::Elsewhere => Some("not of this machine"),
        Vouched::Nobody => Some("not keyed"),
    }
}

fn list(which: &Which, out: &mut impl Write) -> Result<(), Stop> {
    for session in sessions(which.root.as_deref())? {
        let last = session.log.last(1, Values::Sealed)?.filter_map(Result::ok).last();
        let (events, ended) = match last {
            Some(Item::Entry(entry)) => (entry.seq, entry.kind() == Some(EventType::SessionEnd)),
            _ => (0, false),
        };
        let time = jiff::Timestamp::try_from(session.time).map_or_else(|_| String::new(), text::local_minute);
        let events = counted(events, "event");
        let state = if ended { "  ended" } else { "" };
        let doubt = doubt(&session.log).map_or_else(String::new, |doubt| format!("  {doubt}"));
        writeln!(out, "{}  {time}  {events}{state}{doubt}", short(&session.name, 80))?;
    }
    Ok(())
}

fn check(which: &Which, out: &mut impl Write) -> Result<LogVerdict, Stop> {
    Ok(verify::check(&open(which)?, out)??)
}

fn show(args: &LogArgs, out: &mut impl Write) -> Result<(), Stop> {
    let mut selector = Selector::new(&args.filter)?;
    let log = open(&args.which)?;
    if let Some(doubt) = doubt(&log) {
        let name = log.path().file_name().unwrap_or_default().to_string_lossy();
        answer::note(&format!("{}: {doubt}; `wherefore log verify` says more", short(&name, 80)));
    }
    let values = if args.format == Format::Text && !args.full { Values::Sealed } else { Values::Whole };
    let items = match args.last {
        Some(last) if selector.takes_all() && args.format == Format::Json => log.last(last, values)?,
        _ => log.items(values)?,
    };
    let mut printer = Printer::new(args, TerminalPage::stdout());
    let mut items = if args.follow { items.follow() } else { items };
    feed(&mut items, &mut selector, &mut printer, out)?;
    printer.finish(selector.rest(args.follow), out)?;
    if !args.follow {
        return Ok(());
    }
    loop {
        out.flush()?;
        std::thread::sleep(LOOK);
        if closed() {
            return Err(Stop::Closed);
        }
        feed(&mut items, &mut selector, &mut printer, out)?;
    }
}

fn feed(
    items: &mut Items,
    selector: &mut Selector,
    printer: &mut Printer,
    out: &mut impl Write,
) -> Result<(), Stop> {
    for item in items {
        match item? {
            Item::Entry(entry) => {
                for entry in selector.feed(entry) {
                    printer.entry(&entry, out)?;
                }
            }
            Item::Garbage(place, rest) => {
                let line = place.line.map_or_else(String::new, |line| format!(":{line}"));
                answer::note(&format!("{}{line}: {}", short(&place.part, 200), rest.says()));
            }
        }
    }
    Ok(())
}

/// Whether the other end of the output is gone: nothing is printed for long while following.
fn closed() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = io::stdout();
    let mut polled = [PollFd::new(&stdout, PollFlags::empty())];
    let none = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut polled, Some(&none)).is_ok() && polled[0].revents().intersects(PollFlags::ERR | PollFlags::NVAL)
}

/// Prints entries in one format.
#[derive(Debug)]
struct Printer {
    format: Format,
    last: Option<usize>,
    follow: bool,
    begun: bool,
    /// Whether what is in the log now was printed, so that from here on every event is printed at once.
    live: bool,
    table: text::Table,
    pairs: openai::Pairs,
    kept: VecDeque<String>,
}

impl Printer {
    fn new(args: &LogArgs, page: TerminalPage) -> Self {
        Self {
            format: args.format,
            last: args.last,
            follow: args.follow,
            begun: false,
            live: false,
            table: text::Table::new(page, args.full),
            pairs: openai::Pairs::default(),
            kept: VecDeque::new(),
        }
    }

    fn entry(&mut self, entry: &Entry, out: &mut impl Write) -> Result<(), Stop> {
        match self.format {
            Format::Text if self.live => Ok(self.table.event(entry, out)?),
            Format::Text => {
                self.table.add(entry);
                Ok(())
            }
            Format::Json => self.unit(in_json(&entry.to_json().to_string()).into_owned(), out),
            Format::Openai => {
                for message in self.pairs.messages(entry) {
                    self.unit(in_json(&message.to_string()).into_owned(), out)?;
                }
                Ok(())
            }
        }
    }

    /// Prints one object, or keeps it where only the last ones are wanted.
    fn unit(&mut self, unit: String, out: &mut impl Write) -> Result<(), Stop> {
        match self.last {
            Some(last) if !self.live => {
                self.kept.push_back(unit);
                if self.kept.len() > last {
                    self.kept.pop_front();
                }
            }
            _ => {
                let array = self.format == Format::Openai && !self.follow;
                let before = match (array, self.begun) {
                    (false, _) => "",
                    (true, false) => "[\n",
                    (true, true) => ",\n",
                };
                write!(out, "{before}{unit}{}", if array { "" } else { "\n" })?;
                self.begun = true;
            }
        }
        Ok(())
    }

    /// Prints what was kept back, and what `rest` still holds of calls that have not ended.
    fn finish(&mut self, rest: Vec<Entry>, out: &mut impl Write) -> Result<(), Stop> {
        for entry in &rest {
            self.entry(entry, out)?;
        }
        self.live = true;
        if self.format == Format::Text {
            return Ok(self.table.print(self.last, out)?);
        }
        let kept = std::mem::take(&mut self.kept);
        let answer = |unit: &String| self.format == Format::Openai && unit.starts_with(r#"{"role":"tool""#);
        let kept: Vec<String> = kept.into_iter().skip_while(answer).collect();
        for unit in kept {
            self.unit(unit, out)?;
        }
        if self.format == Format::Openai && !self.follow {
            writeln!(out, "{}", if self.begun { "\n]" } else { "[]" })?;
        }
        Ok(())
    }
}
