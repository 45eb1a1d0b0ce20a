//! Pending hunks as any editor can show them: hint diagnostics, code lenses, quick fixes and hovers.

use serde_json::{Value, json};
use tower_lsp::ls_types::{
    CodeAction, CodeActionKind, CodeLens, Command, Diagnostic, DiagnosticSeverity, NumberOrString, Position,
    Range,
};

use super::label::label_text;
use super::lines::line_range;
use crate::base::hidden;
use crate::base::markdown;
use crate::base::position::PositionEncoding;
use crate::protocol::{Act, ChangeKind, DecideParams, Hunk, HunkState, Proposal, ProposedFile};

/// The source of the diagnostics.
pub(super) const SOURCE: &str = "wherefore";

/// Characters of a name or a why in a hover.
const WORDS: usize = 1_000;

/// Lines of a hunk that a hover shows.
const MOST_LINES: usize = 200;

/// The text and the position encoding of one document.
#[derive(Clone, Copy, Debug)]
pub(super) struct DocumentView<'a> {
    /// Its text, if it is open.
    pub text: Option<&'a str>,
    /// The client's encoding.
    pub encoding: PositionEncoding,
}

impl DocumentView<'_> {
    /// The lines that `hunk` replaces; for an insertion its position.
    pub(super) fn hunk_range(self, hunk: &Hunk) -> Range {
        let count = u32::try_from(hunk.old.len()).unwrap_or(u32::MAX);
        line_range(self.text, hunk.start, count, self.encoding)
    }
}

/// The pending hunks of a file.
pub(super) fn pending_hunks(file: &ProposedFile) -> impl Iterator<Item = &Hunk> {
    file.hunks.iter().filter(|hunk| hunk.state == HunkState::Pending)
}

/// A hint on each pending hunk of `file`.
pub(super) fn hunk_diagnostics(
    proposal: &Proposal,
    file: &ProposedFile,
    view: DocumentView<'_>,
) -> Vec<Diagnostic> {
    let hint = |hunk: &Hunk| Diagnostic {
        range: view.hunk_range(hunk),
        severity: Some(DiagnosticSeverity::HINT),
        code: Some(NumberOrString::String(format!("{}/{}", proposal.id, hunk.id))),
        source: Some(SOURCE.to_owned()),
        message: format!(
            "wherefore: {} ({}){}",
            label_text(&proposal.why),
            hunk_size(file, hunk),
            warning_text(hunk, "; ")
        ),
        data: Some(json!({ "proposal": proposal.id, "hunk": hunk.id })),
        ..Diagnostic::default()
    };
    pending_hunks(file).map(hint).collect()
}

/// Makes the lenses that accept and reject each pending hunk of `file`. The first hunk has those for the whole file too, if
/// there are several, and one for the preview if asked for.
pub(super) fn make_hunk_lenses(
    proposal: &Proposal,
    file: &ProposedFile,
    view: DocumentView<'_>,
    preview: bool,
) -> Vec<CodeLens> {
    let mut lenses = Vec::new();
    let count = pending_hunks(file).count();
    for (index, hunk) in pending_hunks(file).enumerate() {
        let start = view.hunk_range(hunk).start;
        let mut add = |command| {
            lenses.push(CodeLens { range: Range::new(start, start), command: Some(command), data: None });
        };
        let what = file.what.as_ref().map(|what| format!("{} · ", label_text(what))).unwrap_or_default();
        let title = format!("✓ accept: {what}{}{}", label_text(&proposal.why), warning_text(hunk, " · "));
        add(decide_command(proposal, HunkScope::Hunk(hunk), Act::Accept, &title));
        add(decide_command(proposal, HunkScope::Hunk(hunk), Act::Reject, "✗ reject"));
        if index == 0 && count > 1 {
            add(decide_command(
                proposal,
                HunkScope::File(file),
                Act::Accept,
                &format!("✓ all {count} in this file"),
            ));
            add(decide_command(proposal, HunkScope::File(file), Act::Reject, "✗ all in this file"));
        }
        if index == 0 && preview {
            add(command_with_argument("preview…", "wherefore.preview", json!({ "proposal": proposal.id })));
        }
    }
    lenses
}

/// Accept and reject for the pending hunks of `file` that touch `hunk_range`.
pub(super) fn hunk_actions(
    proposal: &Proposal,
    file: &ProposedFile,
    view: DocumentView<'_>,
    range: Range,
    shown: &[Diagnostic],
) -> Vec<CodeAction> {
    let touched: Vec<_> =
        pending_hunks(file).filter(|hunk| touches_range(view.hunk_range(hunk), range)).collect();
    let mut actions = Vec::new();
    for hunk in &touched {
        let data = json!({ "proposal": proposal.id, "hunk": hunk.id });
        let shown: Vec<_> =
            shown.iter().filter(|shown| shown.data.as_ref() == Some(&data)).cloned().collect();
        let mut add = |act, title: String| {
            actions.push(CodeAction {
                diagnostics: (!shown.is_empty()).then(|| shown.clone()),
                is_preferred: (act == Act::Accept && touched.len() == 1).then_some(true),
                ..quick_fix(decide_command(proposal, HunkScope::Hunk(hunk), act, &title))
            });
        };
        let title = format!(
            "Accept {} ({}): {}{}",
            hunk.id,
            hunk_size(file, hunk),
            label_text(&proposal.why),
            warning_text(hunk, "; ")
        );
        add(Act::Accept, title);
        add(Act::Reject, format!("Reject {} ({})", hunk.id, hunk_size(file, hunk)));
    }
    if !touched.is_empty() {
        actions.push(quick_fix(decide_command(
            proposal,
            HunkScope::File(file),
            Act::Accept,
            "Accept every change in this file",
        )));
        actions.push(quick_fix(decide_command(
            proposal,
            HunkScope::File(file),
            Act::Reject,
            "Reject every change in this file",
        )));
        actions.push(quick_fix(decide_command(
            proposal,
            HunkScope::All,
            Act::Accept,
            "Accept the whole proposal",
        )));
        actions.push(quick_fix(decide_command(
            proposal,
            HunkScope::All,
            Act::Reject,
            "Reject the whole proposal",
        )));
    }
    actions
}

/// The changes of the pending hunks of `file` at a line, for a person to read before deciding: for each its agent and
/// reason, then its lines.
pub(super) fn hover_texts(
    proposal: &Proposal,
    file: &ProposedFile,
    view: DocumentView<'_>,
    line: u32,
    markdown: bool,
) -> Vec<String> {
    let at = Position::new(line, 0);
    let agent = proposal.origin.agent.as_deref().unwrap_or("an agent");
    let what = match (file.kind, &file.what) {
        (ChangeKind::Create, None) => "makes this file".to_owned(),
        (ChangeKind::Delete, None) => "removes this file".to_owned(),
        (_, Some(what)) => label_text(what),
        (_, None) => "changes these lines".to_owned(),
    };
    let there = pending_hunks(file).filter(|hunk| touches_range(view.hunk_range(hunk), Range::new(at, at)));
    let told = |hunk: &Hunk| {
        let lines = diff_lines(hunk);
        let fence = markdown::code_fence(&lines);
        let words = |text: &str| match markdown {
            true => markdown::escape_markdown(text, WORDS),
            false => label_text(text),
        };
        let doubt = warning_text(hunk, "\n\n");
        let head = format!("{} {what}: {} ({}){doubt}", words(agent), words(&proposal.why), hunk.id);
        match (lines.is_empty(), markdown) {
            (true, _) => head,
            (_, true) => format!("{head}\n\n{fence}diff\n{lines}\n{fence}"),
            (_, false) => format!("{head}\n\n{lines}"),
        }
    };
    there.map(told).collect()
}

/// The removed and the added lines, as a diff marks them.
fn diff_lines(hunk: &Hunk) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (sign, from) in [('-', &hunk.old), ('+', &hunk.new)] {
        lines.extend(
            from.iter()
                .map(|line| format!("{sign}{}", hidden::escape_hidden(line.trim_end_matches(['\n', '\r'])))),
        );
    }
    let over = lines.len().saturating_sub(MOST_LINES);
    lines.truncate(MOST_LINES);
    if over > 0 {
        lines.push(format!("… {over} more lines; `wherefore review` shows them all"));
    }
    lines.join("\n")
}

fn touches_range(hunk: Range, range: Range) -> bool {
    let last = if hunk.end.character == 0 && hunk.end.line > hunk.start.line {
        hunk.end.line - 1
    } else {
        hunk.end.line
    };
    hunk.start.line <= range.end.line && range.start.line <= last
}

/// The warning of a hunk, after `before`; empty if there is none.
fn warning_text(hunk: &Hunk, before: &str) -> String {
    hunk.warning.as_ref().map(|warning| format!("{before}look twice: {warning}")).unwrap_or_default()
}

/// The size of a hunk in lines, or its effect if it has none.
fn hunk_size(file: &ProposedFile, hunk: &Hunk) -> String {
    match &file.what {
        Some(what) if !file.kind.has_text() => label_text(what),
        _ => format!("−{} +{} lines", hunk.old.len(), hunk.new.len()),
    }
}

fn quick_fix(command: Command) -> CodeAction {
    let kind = Some(CodeActionKind::QUICKFIX);
    CodeAction { title: command.title.clone(), kind, command: Some(command), ..CodeAction::default() }
}

enum HunkScope<'a> {
    Hunk(&'a Hunk),
    File(&'a ProposedFile),
    All,
}

fn decide_command(proposal: &Proposal, scope: HunkScope<'_>, act: Act, title: &str) -> Command {
    let (hunks, path, suffix) = match scope {
        HunkScope::Hunk(hunk) => (vec![hunk.id.clone()], None, ""),
        HunkScope::File(file) => (Vec::new(), Some(file.path.clone()), "File"),
        HunkScope::All => (Vec::new(), None, "All"),
    };
    let verb = if act == Act::Accept { "accept" } else { "reject" };
    let proposal = Some(proposal.id.clone());
    let params = DecideParams { proposal, hunks, path, ..DecideParams::all(act) };
    // Plain data: it always serialises.
    command_with_argument(
        title,
        &format!("wherefore.{verb}{suffix}"),
        serde_json::to_value(params).unwrap_or_default(),
    )
}

fn command_with_argument(title: &str, name: &str, argument: Value) -> Command {
    Command { title: title.to_owned(), command: name.to_owned(), arguments: Some(vec![argument]) }
}
