//! The original contents of an agent's settings file, from before `init` first changed it. They are kept in the
//! person's state folder, so that `--remove` restores them to the last byte: an empty file, an empty member, no folder.

use std::fs;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::PROGRAM;
use super::edit::FileFormat;
use crate::base::{OWN_DIR, hash, person};

/// Bytes of the largest file that is kept.
const LARGEST: usize = 1 << 20;

/// A file's original contents, and its contents after the last change by wherefore.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct OriginalFile {
    path: PathBuf,
    /// Its text before the first change by wherefore; none if it did not exist.
    before: Option<String>,
    /// Its text after the last change by wherefore; none if somebody else has changed it, too.
    after: Option<String>,
    /// The folders above it that were made for it, the innermost first.
    made: Vec<PathBuf>,
}

/// Records the contents of a file before and after a change. If they cannot be recorded, `--remove` only removes
/// wherefore's entries.
pub(super) fn note_change(path: &Path, before: Option<&str>, after: Option<&str>) {
    // Our own folder stays.
    let Some(record) = record_path(path).filter(|_| !path.iter().any(|name| name == OWN_DIR)) else { return };
    let is_ours = |text: Option<&str>| text.is_some_and(|text| text.contains(PROGRAM));
    let known = load_original(&record);
    if !is_ours(after) {
        let _ = fs::remove_file(&record);
        return;
    }
    let original = match known {
        // Changes that somebody made in between are theirs.
        Some(known) if known.after.as_deref() == before => known,
        Some(known) if is_ours(before) => OriginalFile { after: None, ..known },
        None if is_ours(before) => return,
        _ => OriginalFile {
            path: path.to_owned(),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
            made: missing_folders(path),
        },
    };
    let after = original.after.is_some().then(|| after.map(str::to_owned)).flatten();
    save_original(&record, &OriginalFile { after, ..original });
}

/// The text of a file after the removal of wherefore's entries: `now` is the current text, `left` the text without the
/// entries, and `is_bare` is true if `left` has no other content. `containers` are the members that held the entries.
/// None removes the file.
pub(super) fn text_without_us(
    path: &Path,
    now: &str,
    (left, is_bare): (String, bool),
    format: FileFormat,
    containers: &[&[&str]],
) -> Option<String> {
    let original = record_path(path).and_then(|record| load_original(&record)).unwrap_or_default();
    let Some(before) = original.before else {
        return (path.is_symlink() || !is_bare).then_some(left);
    };
    let bare = |text: &str| format.try_parse(text).map(without_empty).unwrap_or_default();
    let is_same = bare(&before) == if is_bare { Value::Null } else { bare(&left) };
    if is_same && original.after.as_deref() == Some(now) {
        return Some(before);
    }
    Some(containers.iter().fold(left, |left, container| with_empty(left, &before, format, container)))
}

/// Returns whether `init` made a folder above a file; true if that is not known.
pub(super) fn made_folder(path: &Path) -> impl Fn(&Path) -> bool {
    let original = record_path(path).and_then(|record| load_original(&record));
    move |folder| {
        let folder = std::path::absolute(folder).unwrap_or_default();
        original.as_ref().is_none_or(|original| original.made.contains(&folder))
    }
}

/// The text with the empty member that the original had.
fn with_empty(left: String, before: &str, format: FileFormat, container: &[&str]) -> String {
    for end in (1..=container.len()).rev() {
        let path = &container[..end];
        let [was, is] = [before, &left].map(|text| format.read_entry(text, path).ok().flatten());
        if let (Some(was), None) = (was, is)
            && without_empty(was.clone()) == Value::Null
        {
            return format.put_entry(&left, path, &was, &[]).unwrap_or(left);
        }
    }
    left
}

/// A value without members and items that hold nothing; null where nothing is left of it but an empty one.
fn without_empty(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.into_iter().map(|(name, value)| (name, without_empty(value)));
            let kept: serde_json::Map<_, _> = kept.filter(|(_, value)| !value.is_null()).collect();
            if kept.is_empty() { Value::Null } else { Value::Object(kept) }
        }
        Value::Array(items) if items.is_empty() => Value::Null,
        other => other,
    }
}

fn missing_folders(path: &Path) -> Vec<PathBuf> {
    let path = std::path::absolute(path).unwrap_or_default();
    path.ancestors().skip(1).take_while(|folder| !folder.exists()).map(Path::to_owned).collect()
}

fn record_path(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    let name = hash::short_hash(path.as_os_str().as_encoded_bytes());
    // Tests must not change the state folder of the person who runs them.
    let state = if cfg!(test) { None } else { person::state_dir() };
    Some(state?.join("init").join(format!("{name}.json")))
}

fn load_original(record: &Path) -> Option<OriginalFile> {
    serde_json::from_slice(&fs::read(record).ok()?).ok()
}

/// Saves the record. A settings file may hold keys, so only the person can read the copy.
fn save_original(record: &Path, original: &OriginalFile) {
    let Ok(text) = serde_json::to_vec(original) else { return };
    let Some(folder) = record.parent().filter(|_| text.len() <= LARGEST) else { return };
    let made = person::lock_dir(folder);
    let open = || fs::File::options().create(true).write(true).truncate(true).mode(0o600).open(record);
    let _ = made.map(|_lock| open().and_then(|mut file| std::io::Write::write_all(&mut file, &text)));
}
