//! Sections of Markdown: found by their headings, read, replaced and taken away.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use wherefore_base::nearest::nearest_names;

use crate::address::PartChange;
use crate::error::{StructureError, StructureErrorCode, placed, unsound};
use crate::lines::{
    Splice, apply_splices, end_above, line_break, line_end, line_is_blank, line_start, next_line,
};

/// A heading with the section below it.
struct Section {
    level: u8,
    title: String,
    /// The titles of the headings above it, and its own.
    path: Vec<String>,
    /// The heading's lines.
    heading: Range<usize>,
    /// The byte where the next section that is not inside of it begins.
    end: usize,
}

impl Section {
    /// The lines with text in them, from the heading on.
    fn range(&self, text: &str) -> Range<usize> {
        let end = self.heading.end.max(text[..self.end].trim_end().len());
        self.heading.start..line_end(text, end)
    }
}

fn options() -> Options {
    Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
        | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS
        | Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
}

/// Reads the headings that stand in no quote and no list.
fn read_sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    let mut depth = 0_usize;
    let mut title: Option<(u8, Range<usize>, String)> = None;
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                title = Some((level as u8, range, String::new()));
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some((level, range, title)) = title.take() {
                    let end = range.start + text[range.clone()].trim_end().len();
                    let heading = line_start(text, range.start)..end;
                    let title = title.trim().to_owned();
                    sections.push(Section { level, title, path: Vec::new(), heading, end: text.len() });
                }
            }
            Event::Text(part) | Event::Code(part) | Event::InlineHtml(part) => {
                if let Some((_, _, title)) = &mut title {
                    title.push_str(&part);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some((_, _, title)) = &mut title {
                    title.push(' ');
                }
            }
            Event::Start(Tag::BlockQuote(_) | Tag::List(_) | Tag::FootnoteDefinition(_)) => depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::FootnoteDefinition) => {
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
    }
    for at in 0..sections.len() {
        let level = sections[at].level;
        if let Some(next) = sections[at + 1..].iter().find(|next| next.level <= level) {
            sections[at].end = next.heading.start;
        }
        let mut path = vec![sections[at].title.clone()];
        let mut above = level;
        for before in sections[..at].iter().rev() {
            if before.level < above {
                above = before.level;
                path.insert(0, before.title.clone());
            }
        }
        sections[at].path = path;
    }
    sections
}

/// Finds the one section of an address.
fn find_section(text: &str, sections: &[Section], address: &str) -> Result<usize, StructureError> {
    let plain = |title: &str| title.trim().trim_start_matches('#').trim().replace(['`', '*'], "");
    let asked: Vec<String> = address.split('>').map(plain).filter(|title| !title.is_empty()).collect();
    if asked.is_empty() {
        return Err(StructureError::new(
            StructureErrorCode::BadAddress,
            "the heading is empty",
            "write it as `Usage > Options`: the heading, with those above it where it is not the only one",
        ));
    }
    let whole = plain(address);
    let fits = |section: &Section, same: &dyn Fn(&str, &str) -> bool| {
        if same(&plain(&section.title), &whole) {
            return true;
        }
        let mut above = section.path.iter().rev();
        let Some((last, parents)) = asked.split_last() else { return false };
        above.next().is_some_and(|title| same(&plain(title), last))
            && parents.iter().rev().all(|parent| above.any(|title| same(&plain(title), parent)))
    };
    let exact = |a: &str, b: &str| a == b;
    let loose = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
    let all = |same: &dyn Fn(&str, &str) -> bool| -> Vec<usize> {
        (0..sections.len()).filter(|at| fits(&sections[*at], same)).collect()
    };
    let mut found = all(&exact);
    if found.is_empty() {
        found = all(&loose);
    }
    if found.len() > 1 {
        let from_top = |at: &&usize| {
            let path: Vec<String> = sections[**at].path.iter().map(|title| plain(title)).collect();
            path == asked
        };
        let whole: Vec<usize> = found.iter().filter(from_top).copied().collect();
        if whole.len() == 1 {
            found = whole;
        }
    }
    let list = |found: &mut dyn Iterator<Item = &Section>| -> Vec<String> {
        found.take(12).map(|section| placed(text, &section.heading, &section.path.join(" > "))).collect()
    };
    match found.as_slice() {
        [at] => Ok(*at),
        [] => {
            let titles = sections.iter().map(|section| section.title.as_str());
            let last = asked.last().map_or(address, String::as_str);
            let near = nearest_names(last, titles, 6);
            let mut hints = list(&mut sections.iter().filter(|section| near.contains(&section.title.as_str())));
            if hints.is_empty() {
                hints = list(&mut sections.iter());
            }
            Err(StructureError::new(
                StructureErrorCode::NotThere,
                format!("no heading `{address}` is there"),
                "send a heading that is there, with those above it: `Usage > Options`",
            )
            .with_hints(hints))
        }
        several => Err(StructureError::new(
            StructureErrorCode::Ambiguous,
            format!("`{address}` fits {} headings", several.len()),
            "name the headings above it, as `Usage > Options`; where these are equal too, use `find` and `replace` alone",
        )
        .with_hints(list(&mut several.iter().map(|at| &sections[*at])))),
    }
}

/// Returns the bytes of a section with its subsections, without the blank lines behind it.
pub(crate) fn find_heading(text: &str, address: &str) -> Result<Range<usize>, StructureError> {
    let sections = read_sections(text);
    let at = find_section(text, &sections, address)?;
    Ok(sections[at].range(text))
}

/// Returns the text with a section changed.
pub(crate) fn change_section(
    text: &str,
    address: &str,
    change: &PartChange,
) -> Result<String, StructureError> {
    let sections = read_sections(text);
    let at = find_section(text, &sections, address)?;
    let section = &sections[at];
    let range = section.range(text);
    let newline = line_break(text);
    let splice = match change {
        PartChange::Remove => Splice::new(removed_range(text, section, &range), ""),
        PartChange::Verbatim(new) => Splice::new(range, new.clone()),
        PartChange::Text(new) => {
            let new = new.trim_start_matches(['\n', '\r']).trim_end();
            let own = read_sections(new);
            let headed =
                own.first().is_some_and(|first| first.heading.start == 0 && first.level == section.level);
            let body = next_line(text, section.heading.end);
            let lines = text.get(body..range.end).unwrap_or_default();
            let blank = lines.len() - lines.trim_start_matches(['\n', '\r', ' ', '\t']).len();
            match headed {
                true => Splice::new(range, new),
                false if lines.trim().is_empty() && new.is_empty() => Splice::insert(section.heading.end, ""),
                false if lines.trim().is_empty() => {
                    Splice::insert(line_end(text, section.heading.end), format!("{newline}{newline}{new}"))
                }
                false if new.is_empty() => Splice::new(line_end(text, section.heading.end)..range.end, ""),
                false => Splice::new(line_start(text, body + blank)..range.end, new),
            }
        }
        PartChange::Value(_) => {
            return Err(StructureError::new(
                StructureErrorCode::BadValue,
                "a section gets its new text by `replace`, not by `value`",
                "send `replace` with the text below the heading",
            ));
        }
    };
    let shift = (splice.range.end, splice.range.start + splice.new.len());
    let after = apply_splices(text, vec![splice]);
    check_sections(text, &after, &sections, at, shift)?;
    Ok(after)
}

/// The lines of a section that is taken away, with the blank lines behind it, or before it at the end of the file.
fn removed_range(text: &str, section: &Section, range: &Range<usize>) -> Range<usize> {
    if section.end < text.len() {
        return section.heading.start..section.end;
    }
    let mut start = section.heading.start;
    while start > 0 && line_is_blank(text, start - 1) {
        start = line_start(text, start - 1);
    }
    if !text.ends_with('\n') && start > 0 {
        start = end_above(text, start);
    }
    start..text.len().max(range.end)
}

/// Checks that the headings and blocks outside of a section are what they were.
fn check_sections(
    text: &str,
    after: &str,
    before: &[Section],
    at: usize,
    (old_end, new_end): (usize, usize),
) -> Result<(), StructureError> {
    let section = &before[at];
    let read = read_sections(after);
    let name = |section: &Section| (section.level, section.title.clone());
    let above: Vec<_> = before[..at].iter().map(name).collect();
    let behind: Vec<_> =
        before[at..].iter().filter(|other| other.heading.start >= section.end).map(name).collect();
    let names: Vec<_> = read.iter().map(name).collect();
    let inside = names.len().checked_sub(above.len() + behind.len());
    let kept = names.starts_with(&above) && names.ends_with(&behind);
    let Some(inside) = inside.filter(|_| kept) else {
        return Err(unsound(
            "headings outside of the section would change, as by a fence that is not closed",
        ));
    };
    let own = &read[above.len()..above.len() + inside];
    if let Some(higher) = own.iter().skip(1).find(|own| own.level <= section.level) {
        return Err(unsound(&format!(
            "`{}` has level {}, and the section has {}: it would end there",
            higher.title, higher.level, section.level
        )));
    }
    match blocks_behind(text, old_end) == blocks_behind(after, new_end) {
        true => Ok(()),
        false => Err(unsound(
            "the text behind the section would be read otherwise, as by a fence that is not closed",
        )),
    }
}

/// The blocks that begin behind a byte, by their distance from it.
fn blocks_behind(text: &str, end: usize) -> Vec<(usize, std::mem::Discriminant<Tag<'_>>)> {
    let events = Parser::new_ext(text, options()).into_offset_iter();
    let blocks = events.filter_map(|(event, range)| match event {
        Event::Start(tag) => Some((range.start.checked_sub(end)?, std::mem::discriminant(&tag))),
        _ => None,
    });
    blocks.collect()
}
