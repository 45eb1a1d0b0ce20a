//! The events of a run, as lines at a terminal.

use std::io::BufRead;

use crate::cli::answer;
use crate::cli::print::{TerminalPage, TextLook, visible_line};
use crate::protocol::{AgentEnd, AgentEvent, AgentHappening, AgentRunSummary, AgentUsage, Fault};

/// Events of an earlier conversation that are shown.
const EARLIER: usize = 60;

/// Shows events as they come.
pub(super) struct RunDisplay {
    page: TerminalPage,
    /// True while the last line of a text has no line end yet.
    open: bool,
    /// True if that text is the model's thinking.
    thinks: bool,
    usage: Option<AgentUsage>,
}

impl Default for RunDisplay {
    fn default() -> Self {
        Self { page: TerminalPage::stdout(), open: false, thinks: false, usage: None }
    }
}

impl RunDisplay {
    /// Shows the end of an earlier conversation.
    pub(super) fn show_history(&mut self, told: &[AgentEvent]) {
        let left_out = told.len().saturating_sub(EARLIER);
        if left_out > 0 {
            self.write_line(TextLook::Dim, &format!("({left_out} earlier events are in `wherefore log`)"));
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
                    answer::write_line(&lines.join("\n  "));
                }
                what => self.show_event(what),
            }
        }
        self.end_text();
    }

    /// Shows an event.
    pub(super) fn show_event(&mut self, what: &AgentHappening) {
        match what {
            AgentHappening::Text { text } => self.write_text(text, false),
            AgentHappening::Thinking { text } => self.write_text(text, true),
            AgentHappening::Began { model, resumes, .. } => {
                let how = resumes.as_ref().map(|run| format!(", going on with {run}")).unwrap_or_default();
                self.write_line(TextLook::Dim, &format!("{model}{how}"));
            }
            AgentHappening::Call { tool, why, paths, .. } => {
                let why = if why.is_empty() { "(no reason given)" } else { why };
                self.end_text();
                let name = self.page.paint(TextLook::Cyan, tool);
                let paths = self.page.paint(TextLook::Bold, &paths.join(", "));
                let gap = if paths.is_empty() { "" } else { " " };
                answer::write_line(&format!("● {name}{gap}{paths}  {}", visible_line(why)));
            }
            AgentHappening::Result { failed, summary, .. } => {
                let look = if *failed { TextLook::Red } else { TextLook::Dim };
                self.write_line(look, &format!("  {summary}"));
            }
            AgentHappening::Note { text } => self.write_line(TextLook::Yellow, text),
            AgentHappening::Usage { usage } => self.usage = Some(*usage),
            AgentHappening::Ended { end, text, fault, pending } => {
                self.show_end(*end, text, fault.as_ref());
                if !pending.is_empty() {
                    let count = pending.len();
                    self.write_line(
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

    fn show_end(&mut self, end: AgentEnd, text: &str, fault: Option<&Fault>) {
        self.end_text();
        match (end, fault) {
            (AgentEnd::Complete, _) => {
                answer::write_line(&format!(
                    "{} {}",
                    self.page.paint(TextLook::Green, "done:"),
                    visible_lines(text)
                ));
            }
            // The words were shown as they came.
            (AgentEnd::Answered | AgentEnd::Asks, _) => {}
            (_, Some(fault)) => drop(answer::show_fault(fault)),
            (_, None) => self.write_line(TextLook::Red, &format!("ended: {text}")),
        }
        if let Some(AgentUsage { steps, input_tokens, output_tokens, cost, .. }) = self.usage {
            let cost = cost.map(|cost| format!(", {cost:.4} US dollars")).unwrap_or_default();
            let tokens = format!("{steps} steps, {input_tokens} tokens read, {output_tokens} written{cost}");
            self.write_line(TextLook::Dim, &tokens);
        }
    }

    fn write_text(&mut self, text: &str, thinks: bool) {
        if self.open && self.thinks != thinks {
            self.end_text();
        }
        (self.open, self.thinks) = (!text.ends_with('\n'), thinks);
        for (at, line) in text.split('\n').enumerate() {
            let end = if at > 0 { "\n" } else { "" };
            let line = if thinks { self.page.paint(TextLook::Dim, line) } else { visible_line(line) };
            answer::write_text(&format!("{end}{line}"));
        }
    }

    fn end_text(&mut self) {
        if std::mem::take(&mut self.open) {
            answer::write_text("\n");
        }
    }

    fn write_line(&mut self, look: TextLook, text: &str) {
        self.end_text();
        answer::write_line(&self.page.paint(look, text));
    }

    /// Asks the person; returns one of the answers, or an empty text if they choose none.
    pub(super) fn ask_person(&mut self, text: &str, answers: &[String]) -> String {
        self.end_text();
        answer::write_line(&visible_lines(text));
        for (at, each) in answers.iter().enumerate() {
            answer::write_line(&format!("  {}  {}", at + 1, visible_line(each)));
        }
        answer::write_text(&format!("Answer [1-{}]? ", answers.len()));
        let mut line = String::new();
        if std::io::stdin().lock().read_line(&mut line).is_err() {
            return String::new();
        }
        let chosen = line.trim().parse::<usize>().ok().and_then(|number| answers.get(number.checked_sub(1)?));
        chosen.cloned().unwrap_or_default()
    }
}

/// A text of several lines, each with its hidden characters shown.
fn visible_lines(text: &str) -> String {
    text.lines().map(visible_line).collect::<Vec<_>>().join("\n")
}

/// A run in a list.
pub(super) fn list_run(run: &AgentRunSummary) {
    let AgentRunSummary { run, task, model, time, .. } = run;
    answer::write_line(&format!(
        "{}  {}  {}  {}",
        visible_line(run),
        visible_line(time),
        visible_line(model),
        visible_line(task)
    ));
}
