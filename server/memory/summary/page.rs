//! A summary as a file: front matter, a title, and statements that link to their lines.

use std::fmt::Write;

use crate::memory::lines::yaml_scalar;
use crate::ports::{Section, Statement, Style};

/// A summary, to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SummaryPage<'a> {
    /// The file it is written to, relative to the root.
    pub into: &'a str,
    /// The sections.
    pub sections: &'a [Section],
    /// The style.
    pub style: Style,
    /// The name of its maker.
    pub by: &'a str,
    /// The model that was to make it and could not.
    pub instead_of: Option<&'a str>,
    /// When, RFC 3339.
    pub created: &'a str,
    /// True where statements link to their lines.
    pub keep_refs: bool,
}

/// Returns whether a text is a summary that was written so.
pub(crate) fn is_summary(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
        return false;
    };
    rest.lines().take_while(|line| line.trim_end() != "---").any(|line| line.starts_with("summary_of:"))
}

impl SummaryPage<'_> {
    /// The file's text.
    pub(crate) fn page_text(&self) -> String {
        let mut out = String::from("---\nsummary_of:\n");
        // Writing to a string never fails.
        for section in self.sections {
            let _ = writeln!(out, "  - {}", yaml_scalar(&section.path));
        }
        let style = match self.style {
            Style::Bullet => "bullet",
            Style::Narrative => "narrative",
            Style::Schema => "schema",
        };
        let created = yaml_scalar(self.created);
        let _ = write!(out, "created: {created}\nstyle: {style}\nby: {}\n", yaml_scalar(self.by));
        if let Some(model) = self.instead_of {
            let _ = writeln!(out, "instead_of: {}", yaml_scalar(model));
        }
        out.push_str("---\n");
        for section in self.sections {
            let title = match self.keep_refs {
                true => relative_link(self.into, &section.path, None),
                false => escape_name(&section.path),
            };
            let _ = write!(out, "\n# {title}\n\n");
            self.write_section(&mut out, section);
        }
        out
    }

    fn write_section(&self, out: &mut String, section: &Section) {
        if section.statements.is_empty() {
            out.push_str("There is nothing in it to be said in fewer words.\n");
            return;
        }
        if self.style == Style::Narrative {
            let told: Vec<String> = section
                .statements
                .iter()
                .map(|statement| {
                    let ends = statement.text.ends_with(['.', '!', '?', ':', '…']);
                    let stop = if ends { "" } else { "." };
                    format!("{}{stop}{}", statement.text, self.line_reference(section, statement))
                })
                .collect();
            let _ = writeln!(out, "{}", told.join(" "));
            return;
        }
        for statement in &section.statements {
            let pad = "  ".repeat(statement.depth);
            let _ = writeln!(out, "{pad}- {}{}", statement.text, self.line_reference(section, statement));
        }
    }

    fn line_reference(&self, section: &Section, statement: &Statement) -> String {
        match (self.keep_refs, statement.line) {
            (true, Some(line)) => format!(" ({})", relative_link(self.into, &section.path, Some(line))),
            _ => String::new(),
        }
    }
}

/// A link from one file to a line of another, both relative to the root.
fn relative_link(from: &str, to: &str, line: Option<u32>) -> String {
    let folders: Vec<&str> = from.split('/').collect();
    let parts: Vec<&str> = to.split('/').collect();
    let shared = folders[..folders.len() - 1]
        .iter()
        .zip(&parts[..parts.len() - 1])
        .take_while(|(a, b)| a == b)
        .count();
    let mut target = "../".repeat(folders.len() - 1 - shared);
    for c in parts[shared..].join("/").chars() {
        match c {
            ' ' | '(' | ')' | '<' | '>' | '%' | '#' | '?' | '\\' | '"' => {
                let _ = write!(target, "%{:02X}", u32::from(c));
            }
            c if crate::base::hidden::is_hidden(c) => target.extend(c.escape_unicode()),
            c => target.push(c),
        }
    }
    match line {
        Some(line) => format!("[{}:{line}]({target}#L{line})", escape_name(parts.last().unwrap_or(&to))),
        None => format!("[{}]({target})", escape_name(to)),
    }
}

/// A name in Markdown, with nothing in it that Markdown takes for markup.
fn escape_name(name: &str) -> String {
    let mut out = String::new();
    for c in crate::base::hidden::escape_hidden(name).chars() {
        if matches!(c, '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '|') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_from_one_file_to_a_line_of_the_other() {
        for (from, to, expected) in [
            ("s.md", "src/a.rs", "[a.rs:3](src/a.rs#L3)"),
            ("notes/s.md", "src/a.rs", "[a.rs:3](../src/a.rs#L3)"),
            ("src/x/s.md", "src/y/a b.rs", "[a b.rs:3](../y/a%20b.rs#L3)"),
            ("src/s.md", "src/a.rs", "[a.rs:3](a.rs#L3)"),
        ] {
            assert_eq!(relative_link(from, to, Some(3)), expected);
        }
        assert_eq!(relative_link("a/s.md", "[x].md", None), "[\\[x\\].md](../[x].md)");
    }

    #[test]
    fn a_page_says_what_it_is_of_and_is_known_again() {
        let statements = vec![
            Statement { text: "One thing.".into(), line: Some(4), depth: 0 },
            Statement { text: "Part of it".into(), line: None, depth: 1 },
        ];
        let sections = [Section { path: "a: b.md".into(), statements }];
        let page = SummaryPage {
            into: "n/s.md",
            sections: &sections,
            style: Style::Bullet,
            by: "extractive",
            instead_of: None,
            created: "2026-11-22T05:00:00.000Z",
            keep_refs: true,
        };
        let text = page.page_text();
        assert_eq!(
            text,
            "---\nsummary_of:\n  - \"a: b.md\"\ncreated: \"2026-11-22T05:00:00.000Z\"\nstyle: bullet\nby: extractive\n---\n\n\
             # [a: b.md](../a:%20b.md)\n\n- One thing. ([a: b.md:4](../a:%20b.md#L4))\n  - Part of it\n"
        );
        assert!(
            is_summary(&text)
                && !is_summary("# a\nsummary_of: x\n")
                && !is_summary("---\na: 1\n---\nsummary_of:\n")
        );
        let instead = SummaryPage { instead_of: Some("ollama/m"), ..page }.page_text();
        assert!(instead.contains("\nby: extractive\ninstead_of: ollama/m\n---\n"), "{instead}");
        let plain = SummaryPage { keep_refs: false, style: Style::Narrative, ..page }.page_text();
        assert!(plain.ends_with("\n# a: b.md\n\nOne thing. Part of it.\n"), "{plain}");
    }
}
