//! The table of docs/agents.md: what each agent's day gave, written by the runs themselves.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DayLine {
    HeadlessEdit,
    ScreenEdit,
    Words,
    Unasked,
    Commands,
    Changes,
    Temporary,
    Read,
    Commit,
    Subagent,
    Tree,
    Outside,
}

impl DayLine {
    pub(super) const ALL: [Self; 12] = [
        Self::HeadlessEdit,
        Self::ScreenEdit,
        Self::Words,
        Self::Unasked,
        Self::Commands,
        Self::Changes,
        Self::Temporary,
        Self::Read,
        Self::Commit,
        Self::Subagent,
        Self::Tree,
        Self::Outside,
    ];

    fn title(self) -> &'static str {
        match self {
            Self::HeadlessEdit => "an edit with nobody at its terminal is decided hunk by hunk",
            Self::ScreenEdit => "an edit at its terminal is decided hunk by hunk",
            Self::Words => "its terminal says meanwhile that it waits for a review",
            Self::Unasked => "it asks no question of its own about a command that is confined",
            Self::Commands => "commands whose text and exit code its model sees as without the guard",
            Self::Changes => "what a command changes of a file waits for a decision",
            Self::Temporary => "a file in `/tmp` is there for the next command",
            Self::Read => "a file that the rules close is not read",
            Self::Commit => "a commit waits for the person, and its model hears so",
            Self::Subagent => "the commands of its subagents are confined",
            Self::Tree => "a linked working tree is guarded, as a workspace of its own",
            Self::Outside => "a command writes nothing outside of the folder",
        }
    }
}

/// What a run showed of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Finding {
    Holds,
    /// It holds so far.
    HoldsAs(String),
    /// It does not, for this reason.
    Fails(&'static str),
    /// Something else than the test's own word of it.
    Unexpected(&'static str),
}

impl Finding {
    fn cell(&self) -> String {
        match self {
            Self::Holds => "✓".to_owned(),
            Self::HoldsAs(words) => words.clone(),
            Self::Fails(_) | Self::Unexpected(_) => "✗".to_owned(),
        }
    }
}

/// A column of the table.
pub(super) type Findings = BTreeMap<DayLine, Finding>;

const BEGIN: &str = "<!-- written by tests/agents/everyday: begin -->\n";
const END: &str = "<!-- written by tests/agents/everyday: end -->\n";

/// Held while the page is read and written.
static PAGE: Mutex<()> = Mutex::new(());

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/agents.md")
}

/// The table's columns, by the names of agents with their versions, and the reasons below it.
struct Table {
    columns: Vec<(String, Vec<String>)>,
    reasons: Vec<String>,
}

impl Table {
    fn read(block: &str) -> Self {
        let cells = |line: &str| {
            line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>()
        };
        let rows: Vec<_> = block.lines().filter(|line| line.starts_with('|')).map(cells).collect();
        let names = rows.first().into_iter().flat_map(|row| row.iter().skip(1));
        let column =
            |at: usize| rows.iter().skip(2).filter_map(|row| row.get(at + 1).cloned()).collect::<Vec<_>>();
        let columns = names.enumerate().map(|(at, name)| (name.clone(), column(at)));
        let columns = columns.filter(|(_, cells)| cells.len() == DayLine::ALL.len()).collect();
        let reasons = block.lines().filter(|line| line.starts_with("- ")).map(str::to_owned).collect();
        Self { columns, reasons }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let names: Vec<_> = self.columns.iter().map(|(name, _)| name.as_str()).collect();
        let _ = writeln!(text, "| | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len()));
        for (at, line) in DayLine::ALL.iter().enumerate() {
            let cells: Vec<_> = self.columns.iter().map(|(_, cells)| cells[at].as_str()).collect();
            let _ = writeln!(text, "| {} | {} |", line.title(), cells.join(" | "));
        }
        if !self.reasons.is_empty() {
            let _ = write!(text, "\n{}\n", self.reasons.join("\n"));
        }
        text
    }

    /// Puts an agent's column in its place, and its reasons.
    fn put(&mut self, title: &str, version: &str, findings: &Findings, order: &[&str]) {
        let place = |name: &str| order.iter().position(|title| name.starts_with(title));
        self.columns.retain(|(name, _)| !name.starts_with(title));
        let cells = DayLine::ALL.iter().map(|line| findings[line].cell()).collect();
        self.columns.push((format!("{title} {version}"), cells));
        self.columns.sort_by_key(|(name, _)| place(name));
        self.reasons.retain(|reason| !reason.starts_with(&format!("- {title}: ")));
        for line in DayLine::ALL {
            if let Finding::Fails(reason) = &findings[&line] {
                self.reasons.push(format!("- {title}: {}: ✗, {reason}.", line.title()));
            }
        }
        self.reasons.sort_by_key(|reason| place(reason.trim_start_matches("- ")));
    }
}

/// Checks that the page says of an agent what its run showed; with `WHEREFORE_BLESS` writes it there. `order` holds the names
/// of all agents.
pub(super) fn is_on_the_page(title: &str, version: &str, findings: &Findings, order: &[&str]) {
    let is_unexpected = |(_, finding): &(&DayLine, &Finding)| matches!(finding, Finding::Unexpected(_));
    let unexpected: Vec<_> = findings.iter().filter(is_unexpected).collect();
    assert!(unexpected.is_empty(), "{title}: {unexpected:#?}");
    let _turn = PAGE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let text = std::fs::read_to_string(page()).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("the page has the table");
    let (block, after) = rest.split_once(END).expect("the table ends");
    let mut table = Table::read(block);
    table.put(title, version, findings, order);
    let new = table.text();
    if std::env::var_os("WHEREFORE_BLESS").is_some() {
        return std::fs::write(page(), format!("{before}{BEGIN}{new}{END}{after}")).unwrap();
    }
    assert_eq!(block, new, "docs/agents.md says something else; WHEREFORE_BLESS=1 writes it anew");
}
