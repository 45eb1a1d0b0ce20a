//! The actions of the person of a random history: an editor records them, or they are found on the disk.

use super::{History, Known, Truth, path, text};
use crate::record::LineRecord;
use crate::{TypedLines, TypedRecord};

impl History {
    pub(super) fn person(&mut self) {
        let told = self.random.chance(self.told);
        if !told {
            self.keep_typed();
        }
        for _ in 0..1 + self.random.below(3) {
            let at = self.random.below(self.lines.len() + 1);
            match self.random.below(5) {
                0 | 1 => {
                    let count = 1 + self.random.below(4);
                    let typed = self.some(count, &Truth::Human);
                    self.edit(told, at, 0, typed, false);
                }
                2 if at < self.lines.len() && self.lines[at].text.len() > 12 => {
                    let truth = match self.lines[at].truth {
                        Truth::Agent(_) | Truth::Indented(_) | Truth::Mixed => Truth::Mixed,
                        _ => Truth::Human,
                    };
                    let line = self.over(&self.lines[at].clone(), truth);
                    self.edit(told, at, 1, vec![line], false);
                }
                3 => {
                    let gone = self.random.below(3).min(self.lines.len() - at);
                    self.edit(told, at, gone, Vec::new(), false);
                }
                4 => {
                    let size = (2 + self.random.below(5)).min(self.lines.len() - at);
                    let block = self.lines[at..at + size].to_vec();
                    self.edit(told, at, size, Vec::new(), true);
                    let to = self.random.below(self.lines.len() + 1);
                    self.edit(told, to, 0, block, true);
                }
                _ => {}
            }
        }
    }

    /// A person replaces lines by others, and an editor records it.
    fn edit(&mut self, told: bool, at: usize, gone: usize, new: Vec<Known>, at_once: bool) {
        let before = text(&self.lines);
        let old: Vec<Known> = self.lines.splice(at..at + gone, new.clone()).collect();
        if !told {
            return;
        }
        let start = text(&self.lines[..at]).len();
        let (old, new) = (text(&old), text(&new));
        let (base, mut typed) = self.typed.take().unwrap_or_else(|| (before.clone(), TypedLines::default()));
        let mut now = before;
        if !old.trim().is_empty()
            && let Some(more) = new.strip_prefix(&old[..old.len() - 1])
        {
            let end = start + old.len() - 1;
            key_in(&mut typed, &mut now, end..end, &more[..more.len() - 1]);
        } else if at_once || self.random.chance(50) {
            key_in(&mut typed, &mut now, start..start + old.len(), &new);
        } else if start > 0 {
            // From the end of the line before, and key by key.
            key_in(&mut typed, &mut now, start - 1..start - 1 + old.len(), "");
            let lines = if new.is_empty() { String::new() } else { format!("\n{}", &new[..new.len() - 1]) };
            for (step, key) in lines.char_indices() {
                let at = start - 1 + step;
                key_in(&mut typed, &mut now, at..at, key.encode_utf8(&mut [0; 4]));
            }
        } else {
            key_in(&mut typed, &mut now, start..start + old.len(), "");
            key_in(&mut typed, &mut now, start..start, &new);
        }
        assert_eq!(now, text(&self.lines));
        self.typed = Some((base, typed));
    }

    /// Returns the typing that an editor recorded since the last text that is known.
    pub(super) fn typed(&self) -> Option<TypedRecord> {
        let (base, typed) = self.typed.as_ref()?;
        let record = typed.to_record(&path(&self.path), base, &text(&self.lines));
        assert!(record.is_some(), "the edits lead to the text");
        record
    }

    /// The document is saved.
    pub(super) fn keep_typed(&mut self) {
        let Some(record) = self.typed() else { return };
        let (base, _) = self.typed.take().unwrap();
        self.kept.put(&base);
        self.provenance.apply_record(LineRecord::Typed(record));
    }
}

/// An edit of a document: the bytes in `range` become `with`.
pub(super) fn key_in(typed: &mut TypedLines, text: &mut String, range: std::ops::Range<usize>, with: &str) {
    let from = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let to = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
    let first = text[..from].matches('\n').count();
    typed.apply_edit(first, &text[from..to], range.start - from..range.end - from, with);
    text.replace_range(range, with);
}
