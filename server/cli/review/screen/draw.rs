//! Draws the screen.

use anstyle::AnsiColor;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::keys::HELP;
use super::rows::{self, ScreenRow, colour_style, styled_piece};
use super::{ReviewScreen, ScreenMode};
use crate::cli::palette::StyledPiece;
use crate::cli::print::{count_columns, fit_text, visible_line, wrap_text};
use crate::protocol::{Act, HunkState};

/// The width from which on the list is shown next to the hunk by default.
const WIDE: u16 = 90;
/// Columns of the list.
const LIST: u16 = 32;
/// The keys, as the last row names them; the shorter ones for narrow terminals.
const KEYS: [&str; 3] = [
    "y accept  n reject  r reject with a reason  a/d rest of file  e edit  u undo  j/k next/before  ? keys  q end",
    "y accept  n reject  r reason  a/d file  e edit  u undo  ? keys  q end",
    "y accept  n reject  r reason  e edit  u undo  ? keys  q end",
];

/// Draws all of it.
pub(super) fn draw_screen(screen: &mut ReviewScreen<'_>, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width < 20 || area.height < 8 {
        frame.render_widget(Paragraph::new("too small: 20 columns and 8 rows are needed"), area);
        return;
    }
    let has_list = screen.list.unwrap_or(area.width >= WIDE) && !screen.desk.steps.is_empty();
    let (head, rest) = head_rows(screen, area);
    let top = u16::try_from(head.len()).unwrap_or(u16::MAX).min(area.height - 4);
    draw_rows(frame, Rect { height: top, ..area }, &head);
    let middle = Rect { y: area.y + top, height: area.height - top - 2, ..area };
    let is_beside = area.width >= WIDE;
    let list = Rect { width: if is_beside { LIST } else { area.width }, ..middle };
    let body = match has_list && is_beside {
        true => Rect { x: middle.x + LIST, width: middle.width - LIST, ..middle },
        false => middle,
    };
    screen.shown.has_list = has_list;
    screen.shown.is_wide = is_beside;
    screen.shown.height = usize::from(body.height);
    if has_list {
        draw_rows(frame, list, &list_rows(screen, usize::from(list.width), usize::from(list.height)));
    }
    if !has_list || is_beside {
        let shown = body_rows(screen, &rest, usize::from(body.width));
        draw_rows(frame, body, &shown);
    }
    draw_bottom(screen, frame, area);
}

fn to_ratatui_style(from: anstyle::Style) -> Style {
    let colour = |colour: anstyle::Color| match colour {
        anstyle::Color::Ansi(ansi) => Color::Indexed(anstyle::Ansi256Color::from(ansi).0),
        anstyle::Color::Ansi256(index) => Color::Indexed(index.0),
        anstyle::Color::Rgb(rgb) => Color::Rgb(rgb.0, rgb.1, rgb.2),
    };
    let mut to = Style::new();
    to.fg = from.get_fg_color().map(colour);
    to.bg = from.get_bg_color().map(colour);
    for (effect, modifier) in [
        (anstyle::Effects::BOLD, Modifier::BOLD),
        (anstyle::Effects::DIMMED, Modifier::DIM),
        (anstyle::Effects::INVERT, Modifier::REVERSED),
        (anstyle::Effects::UNDERLINE, Modifier::UNDERLINED),
    ] {
        if from.get_effects().contains(effect) {
            to = to.add_modifier(modifier);
        }
    }
    to
}

fn draw_rows(frame: &mut Frame<'_>, area: Rect, rows: &[ScreenRow]) {
    let width = usize::from(area.width);
    let line = |row: &ScreenRow| {
        let used: usize = row.pieces.iter().map(|piece| count_columns(&piece.text)).sum();
        let spans =
            row.pieces.iter().map(|piece| Span::styled(piece.text.clone(), to_ratatui_style(piece.style)));
        let fill = Span::styled(" ".repeat(width.saturating_sub(used)), to_ratatui_style(row.fill));
        Line::from(spans.chain([fill]).collect::<Vec<_>>())
    };
    let lines: Vec<Line<'_>> = rows.iter().take(usize::from(area.height)).map(line).collect();
    frame.render_widget(Paragraph::new(lines), area);
}

fn plain_row(pieces: Vec<StyledPiece>) -> ScreenRow {
    ScreenRow { pieces, ..ScreenRow::default() }
}

/// The first rows: the hunk, its change, the agent, and the reason. The rest of a long reason is returned for the hunk's rows.
fn head_rows(screen: &ReviewScreen<'_>, area: Rect) -> (Vec<ScreenRow>, Vec<String>) {
    let width = usize::from(area.width);
    let bold = anstyle::Style::new().bold();
    let rule = || plain_row(vec![styled_piece(&"─".repeat(width), anstyle::Style::new().dimmed())]);
    let Some(step) = screen.desk.steps.get(screen.at) else {
        let name = format!("wherefore review  {}", screen.root);
        return (vec![plain_row(vec![styled_piece(&fit_text(&name, width), bold)]), rule()], Vec::new());
    };
    let proposal = &step.proposal;
    let who = proposal.origin.agent.as_deref().unwrap_or("someone");
    let place = format!("{} of {}", screen.at + 1, screen.desk.steps.len());
    let what = format!("  {} {} by {who}", proposal.id, proposal.tool);
    let mut rows = vec![plain_row(vec![
        styled_piece(&place, bold),
        styled_piece(&fit_text(&what, width - count_columns(&place)), anstyle::Style::new()),
    ])];
    let mut why = wrap_text(&proposal.why, width);
    let room = usize::from(area.height / 3).max(1);
    let rest = why.split_off(room.min(why.len()));
    rows.extend(
        why.iter()
            .map(|line| plain_row(vec![styled_piece(line, colour_style(screen.palette, AnsiColor::Cyan))])),
    );
    rows.push(rule());
    (rows, rest)
}

/// The visible rows of the middle.
fn body_rows(screen: &mut ReviewScreen<'_>, rest_of_why: &[String], width: usize) -> Vec<ScreenRow> {
    if screen.doing == ScreenMode::Help {
        let key = |(keys, does): &(&str, &str)| {
            let keys = styled_piece(&format!("  {keys:12}"), anstyle::Style::new().bold());
            plain_row(vec![
                keys,
                styled_piece(&fit_text(does, width.saturating_sub(14)), anstyle::Style::new()),
            ])
        };
        return HELP.iter().map(key).collect();
    }
    if let Some(rows) = question_rows(screen, width) {
        return rows;
    }
    let Some(step) = screen.desk.steps.get(screen.at) else { return idle_rows(screen, width) };
    if screen.shown.width != width {
        screen.shown.rows = rows::hunk_rows(screen.root, screen.palette, step, rest_of_why, width);
        screen.shown.width = width;
    }
    let (rows, height) = (&screen.shown.rows, screen.shown.height);
    screen.scroll = screen.scroll.min(rows.len().saturating_sub(height));
    let mut seen: Vec<ScreenRow> = rows[screen.scroll..].iter().take(height).cloned().collect();
    let below = rows.len().saturating_sub(screen.scroll + height);
    if below > 0
        && let Some(last) = seen.last_mut()
    {
        let more = format!("… {} more rows: PgDn", below + 1);
        *last = plain_row(vec![styled_piece(&more, colour_style(screen.palette, AnsiColor::Yellow).bold())]);
    }
    seen
}

/// The rows of a review that stays, while no change is pending.
fn idle_rows(screen: &ReviewScreen<'_>, width: usize) -> Vec<ScreenRow> {
    let is_attached = screen.watch.as_ref().is_some_and(super::ReviewWatch::is_attached);
    let texts = match is_attached {
        true => [
            "Nothing waits for a decision.".to_owned(),
            "Calls of agents that change files wait for you here; the terminal rings when one does."
                .to_owned(),
            format!("So far: {}", screen.total_sum()),
        ],
        false => [
            "The server ended.".to_owned(),
            "Looking for another one, or starting it…".to_owned(),
            format!("So far: {}", screen.total_sum()),
        ],
    };
    let lines = texts.iter().flat_map(|text| wrap_text(text, width).into_iter().chain([String::new()]));
    lines.map(|line| plain_row(vec![styled_piece(&line, anstyle::Style::new())])).collect()
}

/// The question that the person is asked, in place of the hunk.
fn question_rows(screen: &ReviewScreen<'_>, width: usize) -> Option<Vec<ScreenRow>> {
    let asked = &screen.watch.as_ref()?.questions.front()?.params;
    let plain = anstyle::Style::new();
    let who = format!("{} asks for {}", asked.agent.as_deref().unwrap_or("An agent"), asked.tool);
    let mut rows = vec![plain_row(vec![styled_piece(
        &fit_text(&who, width),
        colour_style(screen.palette, AnsiColor::Yellow).bold(),
    )])];
    // The text may contain the reason.
    let why = Some(&asked.why).filter(|why| !asked.text.contains(why.as_str()));
    for text in [&asked.text].into_iter().chain(why) {
        for line in text.lines() {
            match line.starts_with("    ") {
                // A line of a script keeps its spaces.
                true => rows::wrap_pieces(vec![styled_piece(line, plain)], width, plain, &mut rows),
                false => rows.extend(
                    wrap_text(line, width).iter().map(|line| plain_row(vec![styled_piece(line, plain)])),
                ),
            }
        }
        rows.push(ScreenRow::default());
    }
    for (at, answer) in asked.answers.iter().enumerate() {
        rows.push(plain_row(vec![
            styled_piece(&format!("{} ", at + 1), plain.bold()),
            styled_piece(answer, plain),
        ]));
    }
    rows.push(plain_row(vec![styled_piece("Esc ", plain.bold()), styled_piece("refuse this time", plain)]));
    Some(rows)
}

/// The visible rows of the list: each file, and its hunks with their states.
fn list_rows(screen: &ReviewScreen<'_>, width: usize, height: usize) -> Vec<ScreenRow> {
    let (mut rows, mut current, mut file) = (Vec::new(), 0, None);
    let plain = anstyle::Style::new();
    for (at, step) in screen.desk.steps.iter().enumerate() {
        let place = (&step.proposal.id, step.file);
        if file != Some(place) {
            file = Some(place);
            let path = visible_line(step.file().path.as_str());
            rows.push(plain_row(vec![styled_piece(&path_tail(&path, width - 1), plain.bold())]));
        }
        let (word, colour) = hunk_state(screen, at);
        let look = colour.map_or(plain.dimmed(), |colour| colour_style(screen.palette, colour));
        let line = match step.file().kind.has_text() {
            true => format!("line {}", step.hunk.start + 1),
            false => String::new(),
        };
        let is_here = at == screen.at;
        let (mark, text) = if is_here { ("› ", plain.invert()) } else { ("  ", plain) };
        if is_here {
            current = rows.len();
        }
        rows.push(plain_row(vec![
            styled_piece(mark, plain.bold()),
            styled_piece(word, look),
            styled_piece("  ", plain),
            styled_piece(&line, text),
        ]));
    }
    let from = current.saturating_sub(height / 2).min(rows.len().saturating_sub(height));
    rows.into_iter().skip(from).take(height).collect()
}

/// The end of a path that is too long.
fn path_tail(path: &str, width: usize) -> String {
    if count_columns(path) <= width {
        return path.to_owned();
    }
    let (mut kept, mut used) = (Vec::new(), 1);
    for c in path.chars().rev() {
        used += count_columns(c.encode_utf8(&mut [0; 4]));
        if used > width {
            break;
        }
        kept.push(c);
    }
    std::iter::once('…').chain(kept.into_iter().rev()).collect()
}

/// Returns the state of a hunk: a sign, a label and a colour.
fn hunk_state(screen: &ReviewScreen<'_>, at: usize) -> (&'static str, Option<AnsiColor>) {
    let step = &screen.desk.steps[at];
    match (step.decided, step.hunk.state) {
        (Some(Act::Accept), _) => ("✓ accepted", Some(AnsiColor::Green)),
        (Some(Act::Reject), _) => ("✗ rejected", Some(AnsiColor::Red)),
        _ if screen.desk.is_open(at) && step.hunk.state == HunkState::Accepted => ("a applied", None),
        (None, HunkState::Pending) => ("· waits", None),
        (None, HunkState::Accepted) => ("✓ accepted", Some(AnsiColor::Green)),
        (None, HunkState::Rejected) => ("✗ rejected", Some(AnsiColor::Red)),
        (None, HunkState::Stale) => ("! over", Some(AnsiColor::Yellow)),
    }
}

/// The last two rows: the status or the typed text; and the keys.
fn draw_bottom(screen: &ReviewScreen<'_>, frame: &mut Frame<'_>, area: Rect) {
    let width = usize::from(area.width);
    let plain = anstyle::Style::new();
    let typed = match &screen.doing {
        ScreenMode::Reason(text) => Some(("Why? The agent reads it: ", text)),
        ScreenMode::Search(text) => Some(("Look for: ", text)),
        ScreenMode::Deciding | ScreenMode::Help => None,
    };
    let y = area.y + area.height - 2;
    let said = match typed {
        Some((label, text)) => {
            let shown = path_tail(&visible_line(text), width.saturating_sub(count_columns(label) + 1));
            let column = count_columns(label) + count_columns(&shown);
            frame.set_cursor_position((
                area.x + u16::try_from(column).unwrap_or(u16::MAX).min(area.width - 1),
                y,
            ));
            plain_row(vec![styled_piece(label, plain.bold()), styled_piece(&shown, plain)])
        }
        None if screen.status.is_empty() => {
            plain_row(vec![styled_piece(&fit_text(&screen.summary_line(), width), plain.dimmed())])
        }
        None => plain_row(vec![styled_piece(
            &fit_text(&screen.status, width),
            colour_style(screen.palette, AnsiColor::Yellow),
        )]),
    };
    draw_rows(frame, Rect { y, height: 1, ..area }, &[said]);
    let keys = match &screen.doing {
        ScreenMode::Deciding if screen.has_questions() => "1–9 answer  Esc turn away  q end",
        ScreenMode::Deciding if screen.desk.steps.is_empty() => "q end  ? keys",
        ScreenMode::Deciding => {
            KEYS.into_iter().find(|keys| count_columns(keys) <= width).unwrap_or("? keys  q end")
        }
        ScreenMode::Help => "any key goes back",
        ScreenMode::Reason(_) => "Enter rejects and sends  Esc leaves it",
        ScreenMode::Search(_) => "Enter goes there  Esc leaves it",
    };
    let keys = plain_row(vec![styled_piece(&fit_text(keys, width), plain.bold())]);
    draw_rows(frame, Rect { y: y + 1, height: 1, ..area }, &[keys]);
}

impl ReviewScreen<'_> {
    /// The state of the review, in one line.
    fn summary_line(&self) -> String {
        let watching = if self.watch.is_some() { "watching: " } else { "" };
        format!("{watching}{}", self.total_sum())
    }
}
