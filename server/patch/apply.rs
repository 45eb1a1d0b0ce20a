//! A diff applied to a text: all of it, or nothing.

use super::align::leaves_out;
use super::edit::edit;
use super::explain;
use super::hunk::{Hunk, Line, Section, Tag};
use super::lines::split;
use super::parse::{Diff, parse};
use super::{Applied, AppliedKind, Refusal, names, readings};

/// Applies a diff to the text of one file, or says why not.
///
/// `path` picks the section of a diff that names several files; an empty one takes the only section, whatever it
/// names. `before` is the text, none where there is no file.
///
/// # Errors
/// A [`Refusal`] where the diff cannot be read, is for other files, or has a hunk that does not fit in exactly one
/// place. Nothing is applied then.
pub fn apply(path: &str, before: Option<&str>, diff: &str) -> Result<Applied, Refusal> {
    applied(path, before, diff, path.is_empty())
}

/// The same for a file that a person named: a diff for one file is for that one, whatever it names. A note says so
/// where the names differ.
///
/// # Errors
/// As [`apply`].
pub fn apply_to(path: &str, before: Option<&str>, diff: &str) -> Result<Applied, Refusal> {
    applied(path, before, diff, true)
}

fn applied(path: &str, before: Option<&str>, diff: &str, any_name: bool) -> Result<Applied, Refusal> {
    let mut parsed = parse(diff);
    let unwrapped = match parsed.sections.iter().all(|section| section.hunks.is_empty()) {
        true => readings::whole(diff),
        false => None,
    };
    if let Some(unwrapped) = &unwrapped {
        parsed = parse(unwrapped);
    }
    let Diff { sections, format } = parsed;
    if let Some(format) = format {
        return Err(explain::format(path, format));
    }
    let (section, others) = pick(path, sections, any_name)?;
    let target = Target { path, section: &section, bom_stated: diff.contains('\u{feff}') };
    target.check()?;
    let mut applied = match before {
        None => target.make()?,
        Some(before) if target.section.creates && !before.is_empty() => target.made(before)?,
        Some(before) => target.edit(before)?,
    };
    applied.others = others;
    if section.mode {
        applied.notes.push("the file mode that the diff states was not changed".to_owned());
    }
    if !path.is_empty() && fit(&section, path) == 0 {
        applied.notes.push(format!("the diff names {}", section.shown()));
    }
    Ok(applied)
}

/// The section for a path, and the names of the others.
fn pick<'a>(
    path: &str,
    sections: Vec<Section<'a>>,
    any_name: bool,
) -> Result<(Section<'a>, Vec<String>), Refusal> {
    let whole = |section: &Section| {
        !section.hunks.is_empty()
            || section.creates
            || section.deletes
            || section.mode
            || section.truncated
            || section.unsupported.is_some()
    };
    let sections: Vec<Section> = sections.into_iter().filter(whole).collect();
    if sections.is_empty() {
        return Err(explain::no_hunk(path));
    }
    let lone = any_name && sections.windows(2).all(|pair| pair[0].shown() == pair[1].shown());
    let fits: Vec<u8> = sections.iter().map(|section| if lone { 2 } else { fit(section, path) }).collect();
    let best = fits.iter().copied().max().unwrap_or(0);
    if best == 0 {
        return Err(explain::other_files(path, sections.iter().map(Section::shown).collect()));
    }
    let (mut ours, mut others) = (Vec::new(), Vec::new());
    for (section, fit) in sections.into_iter().zip(fits) {
        if fit == best { ours.push(section) } else { others.push(section.shown()) }
    }
    others.dedup();
    let edits = |section: &Section| !section.creates && !section.deletes && section.unsupported.is_none();
    let same = ours.windows(2).all(|pair| pair[0].shown() == pair[1].shown() && pair.iter().all(edits));
    if !same {
        return Err(explain::several(path, ours.iter().map(Section::shown).collect()));
    }
    // A file may come in several sections, all against the text as it is.
    let merged = ours.into_iter().reduce(|mut first, next| {
        first.hunks.extend(next.hunks);
        first.truncated |= next.truncated;
        first
    });
    Ok((merged.unwrap_or_default(), others))
}

fn fit(section: &Section, path: &str) -> u8 {
    let named = section.names().map(|name| names::fit(name, path)).max().unwrap_or(0);
    match section.names().all(names::placeholder) {
        true => named.max(1),
        false => named,
    }
}

/// One section and the file that it is for.
struct Target<'s, 'd> {
    path: &'s str,
    section: &'s Section<'d>,
    bom_stated: bool,
}

impl Target<'_, '_> {
    fn check(&self) -> Result<(), Refusal> {
        let section = self.section;
        if let Some(what) = section.unsupported.or(self.moves().then_some("rename")) {
            return Err(explain::unsupported(self.path, what));
        }
        if section.truncated {
            return Err(explain::truncated(self.path, section.hunks.len()));
        }
        match section.hunks.iter().any(Hunk::changes) || section.creates || section.deletes {
            true => Ok(()),
            false if section.hunks.is_empty() => Err(explain::unsupported(self.path, "change of file mode")),
            false => Err(explain::no_change(self.path)),
        }
    }

    /// Whether git's names say that the file is renamed, even where no header does.
    fn moves(&self) -> bool {
        let (Some(old), Some(new)) = (&self.section.old, &self.section.new) else { return false };
        old.starts_with("a/") && new.starts_with("b/") && names::fit(old, new) == 0
    }

    fn applied(&self, after: Option<String>, kind: AppliedKind) -> Applied {
        Applied { after, kind, hunks: Vec::new(), others: Vec::new(), notes: Vec::new(), unchanged: false }
    }

    /// There is no file: the diff has to make one.
    fn make(&self) -> Result<Applied, Refusal> {
        let section = self.section;
        if section.deletes {
            return Ok(Applied { unchanged: true, ..self.applied(None, AppliedKind::Delete) });
        }
        let from_nothing = |hunk: &Hunk| {
            hunk.stated.is_some_and(|stated| (stated.old_start, stated.old_len) == (0, 0)) && !hunk.anchored()
        };
        match section.creates || matches!(section.hunks.as_slice(), [hunk] if from_nothing(hunk)) {
            true => Ok(self.applied(Some(self.new_text()?), AppliedKind::Create)),
            false => Err(explain::no_file(self.path)),
        }
    }

    /// The diff makes a file that is there.
    fn made(&self, before: &str) -> Result<Applied, Refusal> {
        match self.new_text()? == before {
            true => {
                Ok(Applied { unchanged: true, ..self.applied(Some(before.to_owned()), AppliedKind::Create) })
            }
            false => Err(explain::exists(self.path, before)),
        }
    }

    /// The text of a new file.
    fn new_text(&self) -> Result<String, Refusal> {
        let mut text = String::new();
        for (number, hunk) in self.section.hunks.iter().enumerate() {
            for line in &hunk.lines {
                if line.tag == Tag::Remove || line.tag == Tag::Keep && !line.text().is_empty() {
                    return Err(explain::expects_lines(self.path, number, line.text()));
                }
                text.push_str(self.literal(line));
                text.push_str(if line.unended { "" } else { "\n" });
            }
        }
        Ok(text)
    }

    /// The text of a line with the carriage return that it states.
    fn literal<'l>(&self, line: &'l Line) -> &'l str {
        if self.section.crlf { super::lines::without_return(&line.raw) } else { &line.raw }
    }

    fn edit(&self, whole: &str) -> Result<Applied, Refusal> {
        if self.section.deletes_all {
            return Ok(self.applied(None, AppliedKind::Delete));
        }
        let (bom, before) = match whole.strip_prefix('\u{feff}') {
            Some(rest) if !self.bom_stated => ("\u{feff}", rest),
            _ => ("", whole),
        };
        self.no_mark(before)?;
        let kind = if self.section.deletes { AppliedKind::Delete } else { AppliedKind::Edit };
        let edited = edit(self.path, self.section, before)?;
        let Some(after) = edited.after else {
            return Ok(Applied { unchanged: true, ..self.applied(Some(whole.to_owned()), kind) });
        };
        let hunks = edited.hunks;
        if !self.section.deletes {
            let after = if bom.is_empty() { after } else { format!("{bom}{after}") };
            let unchanged = after == whole;
            return Ok(Applied { unchanged, hunks, ..self.applied(Some(after), kind) });
        }
        match after.is_empty() {
            true => Ok(Applied { hunks, ..self.applied(None, kind) }),
            false => Err(explain::not_whole(self.path, split(&after).len())),
        }
    }

    /// Refuses added lines that say that lines were left out, unless the file has such a line.
    fn no_mark(&self, before: &str) -> Result<(), Refusal> {
        for (number, hunk) in self.section.hunks.iter().enumerate() {
            let mark = |line: &&Line| line.tag == Tag::Add && leaves_out(line.text());
            if let Some(line) = hunk.lines.iter().find(mark)
                && !before.contains(line.text().trim())
            {
                return Err(explain::left_out(self.path, number, line.text()));
            }
        }
        Ok(())
    }
}
