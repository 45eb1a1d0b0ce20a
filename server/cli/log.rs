//! `wherefore log`: shows a session log, follows it, and verifies that it was not altered.

mod change;
mod decision;
mod filter;
mod lines;
mod model;
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
use crate::base::hidden::{escape_in_json, shorten_to_line};
use crate::base::numbers::format_count;
use crate::journal::{
    JournalEntry, JournalError, LogItem, LogItems, LogReader, LogVerdict, LogVoucher, ValueMode,
};
use crate::protocol::{EventType, Fault};
use filter::EntrySelector;
pub(super) use filter::parse_time;
use sessions::open_chosen;
pub(super) use sessions::{NamedSessionLog, find_log, last_calls, list_sessions, session_names};

/// The interval at which a followed log is read.
const LOOK: Duration = Duration::from_millis(120);

/// Show, filter and follow the session log, or verify that nobody altered it
#[derive(Args, Debug)]
pub(super) struct LogArgs {
    #[command(subcommand)]
    command: Option<LogCommand>,
    #[command(flatten)]
    which: LogChoice,
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
    #[arg(long, value_enum, default_value_t = LogFormat::Text)]
    format: LogFormat,
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
    Verify(LogChoice),
}

#[derive(Args, Clone, Debug)]
struct LogChoice {
    /// The session [default: the most recent one]
    #[arg(add = completions::complete_sessions())]
    session: Option<String>,
    /// The workspace's folder [default: the nearest folder here or above that holds .wherefore]
    #[arg(long, value_name = "DIR", global = true, value_hint = ValueHint::DirPath)]
    root: Option<PathBuf>,
}

impl LogChoice {
    /// Fills in the values that are missing after a subcommand from those before it.
    fn or(&self, before: &Self) -> Self {
        let which = self.clone();
        Self { session: which.session.or(before.session.clone()), root: which.root.or(before.root.clone()) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// For people: each call with its reason, result and decisions
    Text,
    /// One event a line
    Json,
    /// The messages of the OpenAI chat API
    Openai,
}

/// The exit code of a log that this machine cannot vouch for.
const UNVOUCHED: u8 = 3;

/// Runs `wherefore log`. Exit codes: 0 success, 1 no log or a damaged one, 3 a log that this machine cannot vouch for.
pub(super) fn run_log(args: LogArgs) -> ExitCode {
    let mut out = LineWriter::new(io::BufWriter::new(io::stdout().lock()));
    let ended = match &args.command {
        Some(LogCommand::Verify(which)) => verify_log(&which.or(&args.which), &mut out),
        None if args.list => print_sessions(&args.which, &mut out).map(|()| LogVerdict::Sound),
        None => show_log(&args, &mut out).map(|()| LogVerdict::Sound),
    };
    let flushed = out.flush().map_err(PrintStop::from);
    match ended.and_then(|verdict| flushed.map(|()| verdict)) {
        Ok(LogVerdict::Sound) | Err(PrintStop::Closed) => ExitCode::SUCCESS,
        Ok(LogVerdict::Damaged) => ExitCode::FAILURE,
        Ok(LogVerdict::Unvouched) => ExitCode::from(UNVOUCHED),
        Err(PrintStop::Fault(fault)) => answer::write_fault("wherefore log", &fault),
    }
}

/// The reason why printing ended early.
#[derive(Debug)]
enum PrintStop {
    /// The reader of the output has gone.
    Closed,
    Fault(Box<Fault>),
}

impl From<io::Error> for PrintStop {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Fault::internal(format!("standard output cannot be written: {error}")).into(),
        }
    }
}

impl From<JournalError> for PrintStop {
    fn from(error: JournalError) -> Self {
        Fault::from(error).into()
    }
}

impl From<Fault> for PrintStop {
    fn from(fault: Fault) -> Self {
        Self::Fault(Box::new(fault))
    }
}

/// The reason why a log is no evidence of what was done here; none if it is.
fn log_doubt(log: &LogReader) -> Option<&'static str> {
    match log.voucher() {
        LogVoucher::Here => None,
        LogVoucher::Elsewhere => Some("not of this machine"),
        LogVoucher::Nobody => Some("not keyed"),
    }
}

fn print_sessions(which: &LogChoice, out: &mut impl Write) -> Result<(), PrintStop> {
    for session in list_sessions(which.root.as_deref())? {
        let last = session.log.last_items(1, ValueMode::Sealed)?.filter_map(Result::ok).last();
        let (events, ended) = match last {
            Some(LogItem::Entry(entry)) => (entry.seq, entry.kind() == Some(EventType::SessionEnd)),
            _ => (0, false),
        };
        let time = jiff::Timestamp::try_from(session.time).map_or_else(|_| String::new(), text::local_minute);
        let events = format_count(events, "event");
        let state = if ended { "  ended" } else { "" };
        let doubt = log_doubt(&session.log).map_or_else(String::new, |doubt| format!("  {doubt}"));
        writeln!(out, "{}  {time}  {events}{state}{doubt}", shorten_to_line(&session.name, 80))?;
    }
    Ok(())
}

fn verify_log(which: &LogChoice, out: &mut impl Write) -> Result<LogVerdict, PrintStop> {
    Ok(verify::verify_and_print(&open_chosen(which)?, out)??)
}

fn show_log(args: &LogArgs, out: &mut impl Write) -> Result<(), PrintStop> {
    let mut selector = EntrySelector::new(&args.filter)?;
    let log = open_chosen(&args.which)?;
    if let Some(doubt) = log_doubt(&log) {
        let name = log.path().file_name().unwrap_or_default().to_string_lossy();
        answer::write_note(&format!(
            "{}: {doubt}; `wherefore log verify` says more",
            shorten_to_line(&name, 80)
        ));
    }
    let values =
        if args.format == LogFormat::Text && !args.full { ValueMode::Sealed } else { ValueMode::Whole };
    let items = match args.last {
        Some(last) if selector.takes_all() && args.format == LogFormat::Json => {
            log.last_items(last, values)?
        }
        _ => log.items(values)?,
    };
    // A diff that repeats its call's arguments is stored outside of the log file.
    let fill = |entry: &mut JournalEntry| {
        let is_stored = entry.kind() == Some(EventType::Proposal) && values == ValueMode::Sealed;
        if is_stored {
            log.fill_values(entry);
        }
    };
    let mut printer = LogPrinter::new(args, TerminalPage::stdout());
    let mut items = if args.follow { items.follow_growth() } else { items };
    print_items(&mut items, &fill, &mut selector, &mut printer, out)?;
    printer.finish(selector.running_entries(args.follow), out)?;
    if !args.follow {
        return Ok(());
    }
    loop {
        out.flush()?;
        std::thread::sleep(LOOK);
        if is_output_closed() {
            return Err(PrintStop::Closed);
        }
        print_items(&mut items, &fill, &mut selector, &mut printer, out)?;
    }
}

/// Prints the entries that were read; `fill` loads the values of an entry that are shown and stored outside of the log file.
fn print_items(
    items: &mut LogItems,
    fill: &dyn Fn(&mut JournalEntry),
    selector: &mut EntrySelector,
    printer: &mut LogPrinter,
    out: &mut impl Write,
) -> Result<(), PrintStop> {
    for item in items {
        match item? {
            LogItem::Entry(mut entry) => {
                fill(&mut entry);
                for entry in selector.take_entry(entry) {
                    printer.print_entry(&entry, out)?;
                }
            }
            LogItem::Garbage(place, rest) => {
                let line = place.line.map_or_else(String::new, |line| format!(":{line}"));
                answer::write_note(&format!(
                    "{}{line}: {}",
                    shorten_to_line(&place.part, 200),
                    rest.describe_bytes()
                ));
            }
        }
    }
    Ok(())
}

/// Returns whether the reader of the output has gone: a followed log may print nothing for a long time.
fn is_output_closed() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdout = io::stdout();
    let mut polled = [PollFd::new(&stdout, PollFlags::empty())];
    let none = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut polled, Some(&none)).is_ok() && polled[0].revents().intersects(PollFlags::ERR | PollFlags::NVAL)
}

/// Prints entries in one format.
#[derive(Debug)]
struct LogPrinter {
    format: LogFormat,
    last: Option<usize>,
    follow: bool,
    has_begun: bool,
    /// True if the existing entries were printed, so that each new event is printed at once.
    is_live: bool,
    table: text::CallTable,
    pairs: openai::CallPairs,
    kept: VecDeque<String>,
}

impl LogPrinter {
    fn new(args: &LogArgs, page: TerminalPage) -> Self {
        Self {
            format: args.format,
            last: args.last,
            follow: args.follow,
            has_begun: false,
            is_live: false,
            table: text::CallTable::new(page, args.full),
            pairs: openai::CallPairs::default(),
            kept: VecDeque::new(),
        }
    }

    fn print_entry(&mut self, entry: &JournalEntry, out: &mut impl Write) -> Result<(), PrintStop> {
        match self.format {
            LogFormat::Text if self.is_live => Ok(self.table.print_event(entry, out)?),
            LogFormat::Text => {
                self.table.add_event(entry);
                Ok(())
            }
            LogFormat::Json => {
                self.print_unit(escape_in_json(&entry.to_json().to_string()).into_owned(), out)
            }
            LogFormat::Openai => {
                for message in self.pairs.complete_messages(entry) {
                    self.print_unit(escape_in_json(&message.to_string()).into_owned(), out)?;
                }
                Ok(())
            }
        }
    }

    /// Prints one object, or keeps it where only the last ones are wanted.
    fn print_unit(&mut self, unit: String, out: &mut impl Write) -> Result<(), PrintStop> {
        match self.last {
            Some(last) if !self.is_live => {
                self.kept.push_back(unit);
                if self.kept.len() > last {
                    self.kept.pop_front();
                }
            }
            _ => {
                let array = self.format == LogFormat::Openai && !self.follow;
                let before = match (array, self.has_begun) {
                    (false, _) => "",
                    (true, false) => "[\n",
                    (true, true) => ",\n",
                };
                write!(out, "{before}{unit}{}", if array { "" } else { "\n" })?;
                self.has_begun = true;
            }
        }
        Ok(())
    }

    /// Prints the retained events, and those in `rest` of calls that have not ended.
    fn finish(&mut self, rest: Vec<JournalEntry>, out: &mut impl Write) -> Result<(), PrintStop> {
        for entry in &rest {
            self.print_entry(entry, out)?;
        }
        self.is_live = true;
        if self.format == LogFormat::Text {
            return Ok(self.table.print_lines(self.last, out)?);
        }
        let kept = std::mem::take(&mut self.kept);
        let answer =
            |unit: &String| self.format == LogFormat::Openai && unit.starts_with(r#"{"role":"tool""#);
        let kept: Vec<String> = kept.into_iter().skip_while(answer).collect();
        for unit in kept {
            self.print_unit(unit, out)?;
        }
        if self.format == LogFormat::Openai && !self.follow {
            writeln!(out, "{}", if self.has_begun { "\n]" } else { "[]" })?;
        }
        Ok(())
    }
}
