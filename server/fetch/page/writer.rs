//! Markdown, written from the first character to the last.

use super::element::ElementEffect;

/// Quotes and lists within each other that are indented.
const INDENTED: usize = 8;

/// Writes Markdown. A mark waits for the text behind it, so that an element with none leaves nothing.
#[derive(Debug, Default)]
pub(super) struct MarkdownWriter {
    out: String,
    /// Line ends that come before the next text.
    breaks: u8,
    /// True if a space comes before the next text.
    space: bool,
    /// Marks that do.
    marks: Vec<String>,
    /// The starts of lines.
    levels: Vec<IndentLevel>,
    /// The lists that are open, with the number of the next item.
    lists: Vec<Option<u64>>,
    tables: Vec<TableState>,
    /// The number of open elements that have to be on one line: links, headings, cells.
    inline: usize,
    raw: Option<CodeText>,
}

#[derive(Debug)]
struct IndentLevel {
    indent: &'static str,
    /// The text in place of the indent, once.
    bullet: Option<String>,
}

#[derive(Debug, Default)]
struct TableState {
    rows: usize,
    cells: usize,
    /// True if it only places other tables.
    is_layout: bool,
}

/// Code, until its end is reached.
#[derive(Debug)]
struct CodeText {
    text: String,
    is_block: bool,
    language: String,
}

impl MarkdownWriter {
    pub(super) fn length(&self) -> usize {
        self.out.len() + self.raw.as_ref().map_or(0, |raw| raw.text.len())
    }

    pub(super) fn is_raw(&self) -> bool {
        self.raw.is_some()
    }

    pub(super) fn into_markdown(self) -> String {
        self.out
    }

    /// Text, whose white space is one space.
    pub(super) fn write_text(&mut self, text: &str) {
        if let Some(raw) = &mut self.raw {
            return raw.text.push_str(text);
        }
        let mut rest = text;
        loop {
            let word = rest.trim_ascii_start();
            self.space |= word.len() < rest.len();
            if word.is_empty() {
                return;
            }
            let end = word.find(|c: char| c.is_ascii_whitespace()).unwrap_or(word.len());
            self.begin_output();
            if self.tables.last().is_some_and(|table| !table.is_layout) {
                self.out.push_str(&word[..end].replace('|', "\\|"));
            } else {
                self.out.push_str(&word[..end]);
            }
            rest = &word[end..];
        }
    }

    /// Ends the paragraph.
    pub(super) fn end_paragraph(&mut self) {
        self.at_least(2);
    }

    /// Ends the line; twice, the paragraph.
    pub(super) fn end_line(&mut self) {
        match &mut self.raw {
            Some(raw) => raw.text.push('\n'),
            None => self.at_least((self.breaks + 1).min(2)),
        }
    }

    fn at_least(&mut self, breaks: u8) {
        if let Some(raw) = &mut self.raw {
            if raw.is_block && !raw.text.is_empty() && !raw.text.ends_with('\n') {
                raw.text.push('\n');
            }
        } else if self.inline > 0 {
            self.space = true;
        } else {
            self.breaks = self.breaks.max(breaks);
            self.space = false;
        }
    }

    pub(super) fn write_rule(&mut self) {
        if self.raw.is_none() && self.inline == 0 {
            self.end_paragraph();
            self.write_raw("---");
            self.end_paragraph();
        }
    }

    pub(super) fn write_image(&mut self, alt: &str, source: &str) {
        if self.raw.is_none() {
            self.write_raw(&format!("![{alt}]({source})"));
        }
    }

    pub(super) fn push_mark(&mut self, mark: &str) {
        self.marks.push(mark.to_owned());
    }

    pub(super) fn begin_heading(&mut self, level: usize) -> ElementEffect {
        if self.inline > 0 {
            self.space = true;
            return ElementEffect::Block;
        }
        self.end_paragraph();
        self.push_mark(&format!("{} ", "#".repeat(level)));
        self.inline += 1;
        ElementEffect::Heading(level)
    }

    pub(super) fn begin_link(&mut self) {
        self.push_mark("[");
        self.inline += 1;
    }

    pub(super) fn begin_quote(&mut self) {
        self.end_paragraph();
        self.levels.push(IndentLevel { indent: "> ", bullet: None });
    }

    pub(super) fn begin_list(&mut self, next: Option<u64>) {
        self.at_least(if self.lists.is_empty() { 2 } else { 1 });
        self.lists.push(next);
    }

    pub(super) fn begin_item(&mut self) {
        self.at_least(1);
        let (bullet, indent) = match self.lists.last_mut() {
            Some(Some(next)) => {
                let bullet = format!("{next}. ");
                *next = next.saturating_add(1);
                (bullet, "   ")
            }
            _ => ("- ".to_owned(), "  "),
        };
        self.levels.push(IndentLevel { indent, bullet: Some(bullet) });
    }

    pub(super) fn begin_description(&mut self) {
        self.at_least(1);
        self.push_mark(": ");
    }

    pub(super) fn begin_code(&mut self) {
        self.raw = Some(CodeText { text: String::new(), is_block: false, language: String::new() });
    }

    pub(super) fn begin_code_block(&mut self, class: Option<&str>) {
        self.raw = Some(CodeText { text: String::new(), is_block: true, language: String::new() });
        self.set_language(class);
    }

    /// Takes a language out of classes such as `language-rust`.
    pub(super) fn set_language(&mut self, class: Option<&str>) {
        let Some(raw) = self.raw.as_mut().filter(|raw| raw.is_block) else { return };
        let names = class.unwrap_or_default().split_ascii_whitespace();
        let named = names.filter_map(|name| name.strip_prefix("language-").or(name.strip_prefix("lang-")));
        let mut fit = named.filter(|name| {
            name.len() <= 20
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-#_".contains(&byte))
        });
        if let Some(language) = fit.next() {
            language.clone_into(&mut raw.language);
        }
    }

    /// Begins a table; returns whether it is in a cell of another, which is then only layout.
    pub(super) fn begin_table(&mut self) -> bool {
        let in_cell =
            self.tables.last_mut().is_some_and(|outer| !std::mem::replace(&mut outer.is_layout, true));
        let in_cell = in_cell && self.inline > 0;
        if in_cell {
            self.inline -= 1;
            if self.out.ends_with('|') {
                self.out.pop();
            }
        }
        self.end_paragraph();
        self.tables.push(TableState::default());
        in_cell
    }

    /// Begins a cell; false if it is none of a table that is shown as one.
    pub(super) fn begin_cell(&mut self) -> bool {
        let Some(TableState { rows, cells, is_layout: false }) = self.tables.last() else { return false };
        if *cells == 0 {
            self.at_least(if *rows == 0 { 2 } else { 1 });
            self.write_raw("|");
        }
        self.space = true;
        self.inline += 1;
        true
    }

    /// Ends what an element began.
    pub(super) fn end_effect(&mut self, effect: ElementEffect) {
        match effect {
            ElementEffect::Heading(_) => {
                self.inline -= 1;
                self.end_mark("");
                self.end_paragraph();
            }
            ElementEffect::Mark(mark) => self.end_mark(mark),
            ElementEffect::Link(target) => {
                self.inline = self.inline.saturating_sub(1);
                self.end_mark(&format!("]({target})"));
            }
            ElementEffect::Quote => {
                self.levels.pop();
                self.end_paragraph();
            }
            ElementEffect::List(_) => {
                self.lists.pop();
                self.at_least(if self.lists.is_empty() { 2 } else { 1 });
            }
            ElementEffect::Item => {
                self.levels.pop();
                self.at_least(1);
            }
            ElementEffect::Definition => self.at_least(1),
            ElementEffect::Described => {
                self.end_mark("");
                self.at_least(1);
            }
            ElementEffect::Code | ElementEffect::Preformatted => self.end_raw(),
            ElementEffect::Table => {
                self.tables.pop();
                self.end_paragraph();
            }
            ElementEffect::Row => self.end_row(),
            ElementEffect::Cell => self.end_cell(),
            _ => self.end_paragraph(),
        }
    }

    /// Ends a mark; one without text goes.
    fn end_mark(&mut self, end: &str) {
        if self.marks.pop().is_none() {
            self.out.push_str(end);
        }
    }

    fn end_raw(&mut self) {
        let Some(CodeText { text, is_block, language }) = self.raw.take() else { return };
        if is_block {
            self.write_fenced(&text, &language);
        } else if !text.trim().is_empty() {
            let line = text.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
            let ticks = "`".repeat(if line.contains('`') { longest_run(&line) + 1 } else { 1 });
            let pad = if line.starts_with('`') || line.ends_with('`') { " " } else { "" };
            self.space |= text.starts_with(|c: char| c.is_ascii_whitespace());
            self.write_raw(&format!("{ticks}{pad}{line}{pad}{ticks}"));
            self.space |= text.ends_with(|c: char| c.is_ascii_whitespace());
        }
    }

    fn write_fenced(&mut self, text: &str, language: &str) {
        let text = text.strip_prefix('\n').unwrap_or(text).trim_end();
        if text.is_empty() {
            return;
        }
        // Code keeps its lines, even in a link or a cell.
        let inline = std::mem::take(&mut self.inline);
        let fence = "`".repeat(longest_run(text).max(2) + 1);
        self.end_paragraph();
        self.write_raw(&format!("{fence}{language}"));
        for line in text.lines().chain([fence.as_str()]) {
            self.out.push('\n');
            self.write_prefix(line.is_empty());
            self.out.push_str(line);
        }
        self.end_paragraph();
        self.inline = inline;
    }

    fn end_cell(&mut self) {
        self.inline = self.inline.saturating_sub(1);
        self.space = false;
        self.out.push_str(" |");
        if let Some(table) = self.tables.last_mut() {
            table.cells += 1;
        }
    }

    fn end_row(&mut self) {
        let Some(table) = self.tables.last_mut().filter(|table| !table.is_layout && table.cells > 0) else {
            return self.at_least(1);
        };
        let cells = std::mem::take(&mut table.cells);
        table.rows += 1;
        if table.rows == 1 {
            self.at_least(1);
            self.write_raw("|");
            self.out.push_str(&" --- |".repeat(cells));
        }
        self.at_least(1);
    }

    fn write_raw(&mut self, text: &str) {
        self.begin_output();
        self.out.push_str(text);
    }

    /// Writes what comes before a text.
    fn begin_output(&mut self) {
        let is_first = self.out.is_empty();
        let breaks = std::mem::take(&mut self.breaks);
        if breaks > 0 && !is_first {
            for _ in 1..breaks {
                self.out.push('\n');
                self.write_prefix(true);
            }
            self.out.push('\n');
        }
        let space = std::mem::take(&mut self.space);
        if breaks > 0 || is_first {
            self.write_prefix(false);
        } else if space {
            self.out.push(' ');
        }
        for mark in self.marks.drain(..) {
            self.out.push_str(&mark);
        }
    }

    /// Writes what a line begins with.
    fn write_prefix(&mut self, is_empty: bool) {
        let start = self.out.len();
        for (at, level) in self.levels.iter_mut().enumerate() {
            match level.bullet.take_if(|_| !is_empty) {
                Some(bullet) => self.out.push_str(&bullet),
                None if at < INDENTED => self.out.push_str(level.indent),
                None => {}
            }
        }
        if is_empty {
            let end = self.out[start..].trim_end().len();
            self.out.truncate(start + end);
        }
    }
}

/// The most backticks in a row.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
