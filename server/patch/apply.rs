//! A diff applied to a text: all of it, or nothing.

use super::align::leaves_out;
use super::edit::edit_section;
use super::explain;
use super::hunk::{DiffHunk, DiffLine, FileSection, LineTag};
use super::lines::split_lines;
use super::merge::merge_hunks;
use super::parse::{ParsedDiff, ROW_IN_BLOCK, has_middle_row, parse_diff};
use super::{AppliedDiff, AppliedKind, PatchRefusal, names, parts, readings};

/// Applies a diff to the text of one file, or returns the reason for refusing it.
///
/// `path` picks the section of a diff that names several files; an empty one takes the only section, whatever it
/// names. `before` is the text, none if there is no file.
///
/// # Errors
/// A [`PatchRefusal`] if the diff cannot be read, is for other files, or has a hunk that does not fit in exactly one
/// place. Nothing is applied then.
pub fn apply_diff(path: &str, before: Option<&str>, diff: &str) -> Result<AppliedDiff, PatchRefusal> {
    apply_parsed(path, before, diff, ApplyManner { any_name: path.is_empty(), merges: false })
}

/// Applies a diff to a file that a person named: a diff for one file applies to that file, whatever name it states. A
/// note reports a different name.
///
/// # Errors
/// As [`apply_diff`].
pub fn apply_to_named_file(
    path: &str,
    before: Option<&str>,
    diff: &str,
) -> Result<AppliedDiff, PatchRefusal> {
    apply_parsed(path, before, diff, ApplyManner { any_name: true, merges: false })
}

/// As [`apply_to_named_file`], and where the file has other lines than the diff states, what the diff changes is merged
/// with them word by word. The report names each hunk for which that was done.
///
/// # Errors
/// As [`apply_diff`], also where the file has other words than those that the diff changes.
pub fn merge_into_named_file(
    path: &str,
    before: Option<&str>,
    diff: &str,
) -> Result<AppliedDiff, PatchRefusal> {
    apply_parsed(path, before, diff, ApplyManner { any_name: true, merges: true })
}

/// The manner in which a diff is applied.
#[derive(Clone, Copy)]
struct ApplyManner {
    /// True if a diff for one file is for this one, whatever name it states.
    any_name: bool,
    /// True if a hunk that does not fit is merged word by word.
    merges: bool,
}

fn apply_parsed(
    path: &str,
    before: Option<&str>,
    diff: &str,
    manner: ApplyManner,
) -> Result<AppliedDiff, PatchRefusal> {
    let ApplyManner { any_name, merges } = manner;
    let mut parsed = parse_diff(diff, path);
    let unwrapped = match parsed.sections.iter().all(|section| section.hunks.is_empty()) {
        true => readings::unwrap_diff(diff),
        false => None,
    };
    if let Some(unwrapped) = &unwrapped {
        parsed = parse_diff(unwrapped, path);
    }
    let ParsedDiff { sections, format, stray, unsure } = parsed;
    if let Some(format) = format {
        return Err(explain::unknown_format(path, format));
    }
    if let Some(line) = stray {
        return Err(parts::refuse_stray_line(path, line));
    }
    // The only block for a file that a person named is for that file.
    if let Some(unsure) = unsure
        && !(any_name && unsure.is_first && sections.len() == 1)
    {
        return Err(parts::refuse_unsure_name(path, unsure.line));
    }
    let (section, others) = pick_section(path, sections, any_name)?;
    let target = PatchTarget { path, section: &section, bom_stated: diff.contains('\u{feff}'), merges };
    target.check_supported()?;
    let mut applied = match before {
        None => target.make_file()?,
        Some(before) if target.section.creates && !before.is_empty() => target.accept_existing(before)?,
        Some(before) => target.edit_text(before)?,
    };
    if section.states_same() {
        applied.notes.push("both halves of each block are the same, so the diff changes nothing".to_owned());
    }
    applied.others = others;
    if section.mode {
        applied.notes.push("the file mode that the diff states was not changed".to_owned());
    }
    if !path.is_empty() && section_fit(&section, path) == 0 {
        applied.notes.push(format!("the diff names {}", section.display_name()));
    }
    Ok(applied)
}

/// The section for a path, and the names of the others.
fn pick_section<'a>(
    path: &str,
    sections: Vec<FileSection<'a>>,
    any_name: bool,
) -> Result<(FileSection<'a>, Vec<String>), PatchRefusal> {
    let whole = |section: &FileSection| {
        !section.hunks.is_empty()
            || section.creates
            || section.deletes
            || section.mode
            || section.truncated
            || section.unsupported.is_some()
            || section.fault.is_some()
    };
    let (sections, bare): (Vec<FileSection>, Vec<FileSection>) = sections.into_iter().partition(whole);
    if sections.is_empty() {
        return Err(explain::no_hunk(path));
    }
    let lone = any_name && sections.windows(2).all(|pair| pair[0].display_name() == pair[1].display_name());
    let fits: Vec<u8> =
        sections.iter().map(|section| if lone { 2 } else { section_fit(section, path) }).collect();
    let best = fits.iter().copied().max().unwrap_or(0);
    if best == 0 {
        return Err(explain::other_files(path, sections.iter().map(FileSection::display_name).collect()));
    }
    let (mut ours, mut others) = (Vec::new(), Vec::new());
    for (section, fit) in sections.into_iter().zip(fits) {
        if fit == best { ours.push(section) } else { others.push(section.display_name()) }
    }
    // A name in a header that no hunk follows: a part whose lines could not be read.
    let is_other = |name: &String| ours.iter().all(|section| section.display_name() != *name);
    others.extend(
        bare.iter()
            .filter(|section| section.names().next().is_some())
            .map(FileSection::display_name)
            .filter(is_other),
    );
    others.dedup();
    let edits = |section: &FileSection| !section.creates && !section.deletes && section.unsupported.is_none();
    let same = ours
        .windows(2)
        .all(|pair| pair[0].display_name() == pair[1].display_name() && pair.iter().all(edits));
    if !same {
        return Err(explain::several_sections(path, ours.iter().map(FileSection::display_name).collect()));
    }
    // A file may come in several sections, all against the text as it is.
    let merged = ours.into_iter().reduce(|mut first, next| {
        first.hunks.extend(next.hunks);
        first.truncated |= next.truncated;
        first.double_row |= next.double_row;
        first.was_empty |= next.was_empty;
        first.fault = first.fault.or(next.fault);
        first
    });
    Ok((merged.unwrap_or_default(), others))
}

fn section_fit(section: &FileSection, path: &str) -> u8 {
    let named = section.names().map(|name| names::name_fit(name, path)).max().unwrap_or(0);
    match section.names().all(names::is_placeholder) {
        true => named.max(1),
        false => named,
    }
}

/// A section and the file that it is for.
struct PatchTarget<'s, 'd> {
    path: &'s str,
    section: &'s FileSection<'d>,
    bom_stated: bool,
    merges: bool,
}

impl PatchTarget<'_, '_> {
    fn check_supported(&self) -> Result<(), PatchRefusal> {
        let section = self.section;
        if let Some(fault) = &section.fault {
            return Err(explain::contradiction(self.path, fault));
        }
        if let Some(what) = section.unsupported.or(self.is_rename().then_some("rename")) {
            return Err(explain::unsupported_change(self.path, what));
        }
        if section.truncated {
            return Err(explain::truncated_diff(self.path, section.hunks.len()));
        }
        match section.hunks.iter().any(DiffHunk::has_change) || section.creates || section.deletes {
            true => Ok(()),
            // The file decides whether its lines are there.
            false if section.states_same() => Ok(()),
            false if section.hunks.is_empty() => {
                Err(explain::unsupported_change(self.path, "change of file mode"))
            }
            false => Err(explain::no_change(self.path)),
        }
    }

    /// Returns whether git's names state a rename, even without a header for it.
    fn is_rename(&self) -> bool {
        let (Some(old), Some(new)) = (&self.section.old, &self.section.new) else { return false };
        // A comparison of two files, for the second of them.
        let is_asked = || !self.section.git && names::name_fit(new, self.path) > 0;
        let [plain_old, plain_new] = [old, new].map(|name| names::strip_backup_suffix(name));
        old.starts_with("a/")
            && new.starts_with("b/")
            && names::name_fit(plain_old, plain_new) == 0
            && !is_asked()
    }

    fn result_with(&self, after: Option<String>, kind: AppliedKind) -> AppliedDiff {
        AppliedDiff {
            after,
            kind,
            hunks: Vec::new(),
            others: Vec::new(),
            notes: Vec::new(),
            unchanged: false,
        }
    }

    /// There is no file: the diff has to make one.
    fn make_file(&self) -> Result<AppliedDiff, PatchRefusal> {
        let section = self.section;
        if section.deletes {
            return Ok(AppliedDiff { unchanged: true, ..self.result_with(None, AppliedKind::Delete) });
        }
        let from_nothing = |hunk: &DiffHunk| {
            hunk.stated.is_some_and(|stated| (stated.old_start, stated.old_len) == (0, 0))
                && !hunk.is_anchored()
        };
        match section.creates || matches!(section.hunks.as_slice(), [hunk] if from_nothing(hunk)) {
            true => Ok(self.result_with(Some(self.build_new_text()?), AppliedKind::Create)),
            false => Err(explain::no_file(self.path)),
        }
    }

    /// The diff makes a file that is there.
    fn accept_existing(&self, before: &str) -> Result<AppliedDiff, PatchRefusal> {
        match self.build_new_text()? == before {
            true => Ok(AppliedDiff {
                unchanged: true,
                ..self.result_with(Some(before.to_owned()), AppliedKind::Create)
            }),
            false => Err(explain::file_exists(self.path, before)),
        }
    }

    /// Joins the added lines of all hunks to the text of a new file.
    ///
    /// # Errors
    /// Lines to remove, and context that is not blank.
    fn build_new_text(&self) -> Result<String, PatchRefusal> {
        let mut text = String::new();
        for (number, hunk) in self.section.hunks.iter().enumerate() {
            for line in &hunk.lines {
                if line.tag == LineTag::Remove || line.tag == LineTag::Keep && !line.text().is_empty() {
                    return Err(explain::expects_lines(self.path, number, line.text()));
                }
                text.push_str(self.literal_text(line));
                text.push_str(if line.unended { "" } else { "\n" });
            }
        }
        Ok(text)
    }

    /// The text of a line with the carriage return that it states.
    fn literal_text<'l>(&self, line: &'l DiffLine) -> &'l str {
        if self.section.crlf { super::lines::without_return(&line.raw) } else { &line.raw }
    }

    fn edit_text(&self, whole: &str) -> Result<AppliedDiff, PatchRefusal> {
        if self.section.deletes_all {
            return Ok(self.result_with(None, AppliedKind::Delete));
        }
        let (bom, before) = match whole.strip_prefix('\u{feff}') {
            Some(rest) if !self.bom_stated => ("\u{feff}", rest),
            _ => ("", whole),
        };
        // Nothing says where the lines for an empty file belong among others.
        let has_anchor = self.section.hunks.iter().any(DiffHunk::is_anchored);
        if self.section.was_empty && !before.is_empty() && !has_anchor {
            return match self.build_new_text()? == before {
                true => Ok(AppliedDiff {
                    unchanged: true,
                    ..self.result_with(Some(whole.to_owned()), AppliedKind::Edit)
                }),
                false => Err(explain::was_empty(self.path, before)),
            };
        }
        if self.section.double_row && has_middle_row(before) {
            return Err(explain::unsupported_change(self.path, ROW_IN_BLOCK));
        }
        self.refuse_elision(before)?;
        let kind = if self.section.deletes { AppliedKind::Delete } else { AppliedKind::Edit };
        let edited = match edit_section(self.path, self.section, before) {
            Err(refusal) if self.merges && kind == AppliedKind::Edit => {
                merge_hunks(before, &self.section.hunks).ok_or(refusal)?
            }
            edited => edited?,
        };
        let Some(after) = edited.after else {
            return Ok(AppliedDiff { unchanged: true, ..self.result_with(Some(whole.to_owned()), kind) });
        };
        let hunks = edited.hunks;
        if !self.section.deletes {
            let after = if bom.is_empty() { after } else { format!("{bom}{after}") };
            let unchanged = after == whole;
            return Ok(AppliedDiff { unchanged, hunks, ..self.result_with(Some(after), kind) });
        }
        match after.is_empty() {
            true => Ok(AppliedDiff { hunks, ..self.result_with(None, kind) }),
            false => Err(explain::not_whole(self.path, split_lines(&after).len())),
        }
    }

    /// Refuses added lines that are elision marks, unless the file has such a line.
    fn refuse_elision(&self, before: &str) -> Result<(), PatchRefusal> {
        for (number, hunk) in self.section.hunks.iter().enumerate() {
            let mark = |line: &&DiffLine| line.tag == LineTag::Add && leaves_out(line.text());
            if let Some(line) = hunk.lines.iter().find(mark)
                && !before.contains(line.text().trim())
            {
                return Err(explain::left_out(self.path, number, line.text()));
            }
        }
        Ok(())
    }
}
