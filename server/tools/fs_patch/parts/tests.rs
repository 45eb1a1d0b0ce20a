//! Patches of several parts, against what comes of applying one after the other.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::patch::envelope_parts;
use crate::protocol::ChangeKind;

type Files = BTreeMap<String, String>;

fn place(path: &str) -> WorkspacePath {
    WorkspacePath::parse("/w", path).unwrap()
}

/// The files that a patch leaves, by the draft that is made of it.
fn drafted(before: &Files, patch: &str) -> Result<Files, String> {
    let parts = envelope_parts(patch).map_err(|error| error.to_string())?;
    let mut placed = Vec::new();
    for part in &parts {
        placed.push(PlacedPart { part, path: place(&part.path), moved: part.new_path.as_deref().map(place) });
    }
    let read = |path: &WorkspacePath| {
        let snapshot = |text: &String| TextSnapshot {
            text: text.clone(),
            encoding: TextEncoding::Utf8,
            hash: String::new(),
            unsaved: false,
        };
        Ok(before.get(path.as_str()).map(snapshot))
    };
    let draft = draft_parts(&placed, read).map_err(|fault| fault.message)?.draft;
    let mut files = before.clone();
    for change in draft.changes {
        let path = change.path.as_str().to_owned();
        match (change.kind, change.from, change.after) {
            (ChangeKind::Rename, Some(from), _) => {
                let text = files.remove(from.as_str()).unwrap();
                assert_eq!(files.insert(path, text), None, "nothing is renamed over a file");
            }
            (ChangeKind::Delete, ..) => assert!(files.remove(&path).is_some(), "{path} is there"),
            (_, _, after) => {
                files.insert(path, after.unwrap().text().unwrap().to_owned());
            }
        }
    }
    Ok(files)
}

fn files(of: &[(&str, &str)]) -> Files {
    of.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

fn patch(inner: &str) -> String {
    format!("*** Begin Patch\n{inner}*** End Patch\n")
}

#[test]
fn parts_of_one_file_are_applied_one_after_the_other() {
    let before = files(&[("a", "a\nb\nc\nd\n"), ("b", "x\n")]);
    for (inner, after) in [
        (
            "*** Update File: a\n@@\n-a\n+A\n*** Update File: a\n@@\n-d\n+D\n",
            files(&[("a", "A\nb\nc\nD\n"), ("b", "x\n")]),
        ),
        (
            "*** Update File: a\n@@\n-a\n+A\n*** Update File: a\n@@\n-A\n+1\n",
            files(&[("a", "1\nb\nc\nd\n"), ("b", "x\n")]),
        ),
        (
            "*** Add File: n\n+1\n*** Update File: n\n@@\n-1\n+2\n*** Update File: n\n*** Move to: m\n@@\n-2\n+3\n",
            files(&[("a", "a\nb\nc\nd\n"), ("b", "x\n"), ("m", "3\n")]),
        ),
        (
            "*** Update File: b\n*** Move to: c\n*** Update File: c\n@@\n-x\n+y\n*** Add File: b\n+new\n",
            files(&[("a", "a\nb\nc\nd\n"), ("b", "new\n"), ("c", "y\n")]),
        ),
        ("*** Update File: b\n*** Move to: c\n-x\n+y\n", files(&[("a", "a\nb\nc\nd\n"), ("c", "y\n")])),
        ("*** Update File: b\n*** Move to: c\n*** Update File: c\n*** Move to: b\n", before.clone()),
        ("*** Delete File: b\n*** Add File: b\n+y\n", files(&[("a", "a\nb\nc\nd\n"), ("b", "y\n")])),
        ("*** Delete File: b\n*** Update File: a\n*** Move to: b\n", files(&[("b", "a\nb\nc\nd\n")])),
        ("*** Add File: n\n+1\n*** Delete File: n\n", before.clone()),
    ] {
        assert_eq!(drafted(&before, &patch(inner)), Ok(after), "{inner}");
    }
}

#[test]
fn a_part_that_does_not_fit_what_is_left_refuses_the_whole_patch() {
    let before = files(&[("a", "a\nb\n"), ("b", "x\n")]);
    for (inner, named) in [
        ("*** Update File: a\n@@\n-a\n+A\n*** Update File: a\n@@\n-a\n+1\n", "a: "),
        ("*** Delete File: a\n*** Update File: a\n@@\n-a\n+1\n", "there is no file a"),
        ("*** Update File: a\n*** Move to: c\n*** Update File: a\n@@\n-a\n+1\n", "there is no file a"),
        ("*** Update File: a\n*** Move to: b\n", "where a file is already"),
        ("*** Add File: a\n+other\n", "a: "),
        ("*** Delete File: c\n", "there is no file c"),
    ] {
        let error = drafted(&before, &patch(inner)).unwrap_err();
        assert!(error.contains(named), "{inner}: {error}");
    }
}

/// A step of a generated patch.
#[derive(Clone, Debug)]
enum Step {
    Change { file: usize, line: usize },
    Add { file: usize },
    Delete { file: usize },
    Move { file: usize, to: usize, changes: bool },
}

const NAMES: [&str; 5] = ["a", "b", "c", "d/e", "d/f"];

fn step() -> impl Strategy<Value = Step> {
    let file = || 0..NAMES.len();
    prop_oneof![
        4 => (file(), 0usize..6).prop_map(|(file, line)| Step::Change { file, line }),
        2 => file().prop_map(|file| Step::Add { file }),
        1 => file().prop_map(|file| Step::Delete { file }),
        2 => (file(), file(), any::<bool>()).prop_map(|(file, to, changes)| Step::Move { file, to, changes }),
    ]
}

/// Writes a step, whose number no other has, as a part of a patch and makes it on the files; none where it cannot be made.
fn make(files: &mut Files, number: usize, step: &Step) -> Option<String> {
    let change = |text: &str, line: usize| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let at = line % lines.len();
        let new = format!("changed by {number}");
        let old = std::mem::replace(&mut lines[at], new.clone());
        (lines.join("\n") + "\n", format!("@@\n-{old}\n+{new}\n"))
    };
    match *step {
        Step::Change { file, line } => {
            let text = files.get_mut(NAMES[file])?;
            let (after, hunk) = change(text, line);
            *text = after;
            Some(format!("*** Update File: {}\n{hunk}", NAMES[file]))
        }
        Step::Add { file } if files.contains_key(NAMES[file]) => None,
        Step::Add { file } => {
            files.insert(NAMES[file].to_owned(), format!("{number} one\n{number} two\n"));
            Some(format!("*** Add File: {}\n+{number} one\n+{number} two\n", NAMES[file]))
        }
        Step::Delete { file } => {
            files.remove(NAMES[file])?;
            Some(format!("*** Delete File: {}\n", NAMES[file]))
        }
        Step::Move { to, .. } if files.contains_key(NAMES[to]) => None,
        Step::Move { file, to, changes } => {
            let text = files.remove(NAMES[file])?;
            let (after, hunk) = if changes { change(&text, 0) } else { (text, String::new()) };
            files.insert(NAMES[to].to_owned(), after);
            Some(format!("*** Update File: {}\n*** Move to: {}\n{hunk}", NAMES[file], NAMES[to]))
        }
    }
}

/// Returns the inner lines of a patch of these steps, leaving out those that cannot be made on the files.
fn make_all(files: &mut Files, steps: &[Step]) -> String {
    steps.iter().enumerate().filter_map(|(number, step)| make(files, number, step)).collect()
}

proptest! {
    #[test]
    fn every_part_of_a_patch_is_in_its_draft(steps in prop::collection::vec(step(), 1..12)) {
        let before: Files = NAMES[..3]
            .iter()
            .map(|name| ((*name).to_owned(), (1..=6).map(|line| format!("{name} line {line}\n")).collect()))
            .collect();
        let mut after = before.clone();
        let inner = make_all(&mut after, &steps);
        prop_assume!(!inner.is_empty());
        prop_assert_eq!(drafted(&before, &patch(&inner)), Ok(after), "{}", inner);
    }

    #[test]
    fn a_patch_that_is_cut_anywhere_is_refused(
        steps in prop::collection::vec(step(), 1..6),
        part in 0.0..1.0f64,
    ) {
        let before: Files = NAMES[..3].iter().map(|name| ((*name).to_owned(), "1\n2\n3\n".to_owned())).collect();
        let mut after = before.clone();
        let inner = make_all(&mut after, &steps);
        let whole = patch(&inner);
        let end = (whole.trim_end().len() as f64 * part) as usize;
        prop_assert!(drafted(&before, &whole[..end]).is_err(), "{}", &whole[..end]);
    }
}
