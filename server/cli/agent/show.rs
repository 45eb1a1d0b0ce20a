//! What happens in a run, as lines at a terminal.

use std::io::BufRead;

use crate::cli::answer;
use crate::cli::print::{TerminalPage, TextLook, visible};
use crate::protocol::{AgentEnd, AgentEvent, AgentHappening, AgentRunSummary, AgentUsage, Fault, Status};

/// Events of an earlier conversation that are shown.
const EARLIER: usize = 60;

/// Shows events as they come.
pub(super) struct Display {
    page: TerminalPage,
    /// Whether a text was begun whose line has not ended.
    open: bool,
    /// Whether that text is what the model thinks.
    thinks: bool,
    usage: Option<AgentUsage>,
}

impl Default for Display {
    fn default() -> Self {
        Self { page: TerminalPage::stdout(), open: false, thinks: false, usage: None }
    }
}

impl Display {
    /// Shows the end of an earlier conversation.
    pub(super) fn earlier(&mut self, told: &[AgentEvent]) {
        let left_out = told.len().saturating_sub(EARLIER);
        if left_out > 0 {
            self.line(TextLook::Dim, &format!("({left_out} earlier events are in `wherefore log`)"));
        }
        for event in &told[left_out..] {
            match &event.what {
                AgentHappening::Began { task, .. } => {
                    self.end_text();
                    let look = |line: &str| self.page.paint(TextLook::Bold, line);
                    let mut lines = task.lines().map(look).collect::<Vec<_>>();
                    if let Some(first) = lines.first_mut() {
                        *first = format!("> {first}");
                    }
                    answer::line(&lines.join("\n  "));
                }
                what => self.show(what),
            }
        }
        self.end_text();
    }

    /// Shows an event.
    pub(super) fn show(&mut self, what: &AgentHappening) {
        match what {
            AgentHappening::Text { text } => self.text(text, false),
            AgentHappening::Thinking { text } => self.text(text, true),
            AgentHappening::Began { model, resumes, .. } => {
                let how = resumes.as_ref().map(|run| format!(", going on with {run}")).unwrap_or_default();
                self.line(TextLook::Dim, &format!("{model}{how}"));
            }
            AgentHappening::Call { tool, why, paths, .. } => {
                let why = if why.is_empty() { "(no reason given)" } else { why };
                self.end_text();
                let name = self.page.paint(TextLook::Cyan, tool);
                let paths = self.page.paint(TextLook::Bold, &paths.join(", "));
                let gap = if paths.is_empty() { "" } else { " " };
                answer::line(&format!("● {name}{gap}{paths}  {}", visible(why)));
            }
            AgentHappening::Result { status, summary, .. } => {
                let look = if *status == Status::Error { TextLook::Red } else { TextLook::Dim };
                self.line(look, &format!("  {summary}"));
            }
            AgentHappening::Note { text } => self.line(TextLook::Yellow, text),
            AgentHappening::Usage { usage } => self.usage = Some(*usage),
            AgentHappening::Ended { end, text, fault, pending } => {
                self.ended(*end, text, fault.as_ref());
                if !pending.is_empty() {
                    let count = pending.len();
                    self.line(
                        TextLook::Yellow,
                        &format!("{count} changes wait: `wherefore review` shows them"),
                    );
                }
            }
            AgentHappening::Proposed { .. }
            | AgentHappening::Question { .. }
            | AgentHappening::ReadFile { .. }
            | AgentHappening::WriteFile { .. }
            | AgentHappening::Step { .. } => {
                self.end_text();
            }
        }
    }

    fn ended(&mut self, end: AgentEnd, text: &str, fault: Option<&Fault>) {
        self.end_text();
        match (end, fault) {
            (AgentEnd::Complete, _) => {
                answer::line(&format!("{} {}", self.page.paint(TextLook::Green, "done:"), shown(text)));
            }
            // The words were shown as they came.
            (AgentEnd::Answered | AgentEnd::Asks, _) => {}
            (_, Some(fault)) => drop(answer::fault(fault)),
            (_, None) => self.line(TextLook::Red, &format!("ended: {text}")),
        }
        if let Some(AgentUsage { steps, input_tokens, output_tokens, cost, .. }) = self.usage {
            let cost = cost.map(|cost| format!(", {cost:.4} US dollars")).unwrap_or_default();
            let tokens = format!("{steps} steps, {input_tokens} tokens read, {output_tokens} written{cost}");
            self.line(TextLook::Dim, &tokens);
        }
    }

    fn text(&mut self, text: &str, thinks: bool) {
        if self.open && self.thinks != thinks {
            self.end_text();
        }
        (self.open, self.thinks) = (!text.ends_with('\n'), thinks);
        for (at, line) in text.split('\n').enumerate() {
            let end = if at > 0 { "\n" } else { "" };
            let line = if thinks { self.page.paint(TextLook::Dim, line) } else { visible(line) };
            answer::out(&format!("{end}{line}"));
        }
    }

    fn end_text(&mut self) {
        if std::mem::take(&mut self.open) {
            answer::out("\n");
        }
    }

    fn line(&mut self, look: TextLook, text: &str) {
        self.end_text();
        answer::line(&self.page.paint(look, text));
    }

    /// Asks the person; gives one of the answers, the last one, which refuses, where they choose none.
    pub(super) fn ask(&mut self, text: &str, answers: &[String]) -> String {
        self.end_text();
        answer::line(&shown(text));
        for (at, each) in answers.iter().enumerate() {
            answer::line(&format!("  {}  {}", at + 1, visible(each)));
        }
        let refusal = answers.last().cloned().unwrap_or_default();
        answer::out(&format!("Answer [1-{}]? ", answers.len()));
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line).is_err() {
            return refusal;
        }
        let chosen = line.trim().parse::<usize>().ok().and_then(|number| answers.get(number.checked_sub(1)?));
        chosen.cloned().unwrap_or(refusal)
    }
}

/// A text of several lines, each with its hidden characters shown.
fn shown(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}

/// A run in a list.
pub(super) fn in_list(run: &AgentRunSummary) {
    let AgentRunSummary { run, task, model, time, .. } = run;
    answer::line(&format!("{}  {}  {}  {}", visible(run), visible(time), visible(model), visible(task)));
}
