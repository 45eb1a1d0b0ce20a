//! Each folder under tests/cases/patch: `before` and `diff` give `after` and `report.json`, or `refusal.json`.
//!
//! Without `before` there is no file; without `after` the diff deletes it. `BLESS=1` writes the results.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::base::text::{TextEncoding, decode_text};
use crate::{AppliedDiff, apply_diff};

/// The file that every case patches.
const FILE: &str = "src/lines.rs";

#[test]
fn each_case_comes_out_as_its_folder_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/patch");
    let mut cases: Vec<PathBuf> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.retain(|case| case.is_dir());
    cases.sort();
    assert!(cases.len() >= 40, "the cases are gone: {} are left", cases.len());
    let wrong: Vec<String> = cases.iter().filter_map(|case| check(case).err()).collect();
    assert!(wrong.is_empty(), "{} cases differ\n{}", wrong.len(), wrong.join("\n"));
}

/// The expectation of a case: the file's bytes, and the report or the refusal.
#[derive(Debug, PartialEq)]
struct Outcome {
    after: Option<Vec<u8>>,
    report: Option<Value>,
    refusal: Option<Value>,
}

fn check(case: &Path) -> Result<(), String> {
    let before = fs::read(case.join("before")).ok();
    let diff = decode_text(fs::read(case.join("diff")).unwrap()).unwrap();
    let came = outcome(before.as_deref(), &diff.text);
    if std::env::var_os("BLESS").is_some() {
        return bless(case, &came);
    }
    let wanted = Outcome {
        after: fs::read(case.join("after")).ok(),
        report: json_at(&case.join("report.json")),
        refusal: json_at(&case.join("refusal.json")),
    };
    match came == wanted {
        true => Ok(()),
        false => Err(format!("{}:\n  came   {}\n  wanted {}", case.display(), shown(&came), shown(&wanted))),
    }
}

fn outcome(before: Option<&[u8]>, diff: &str) -> Outcome {
    let before = before.map(|bytes| decode_text(bytes).unwrap());
    let encoding = before.as_ref().map_or(TextEncoding::Utf8, |before| before.encoding);
    match apply_diff(FILE, before.as_ref().map(|before| before.text.as_str()), diff) {
        Err(refusal) => {
            Outcome { after: None, report: None, refusal: Some(serde_json::to_value(refusal).unwrap()) }
        }
        Ok(AppliedDiff { after, kind, hunks, others, notes, unchanged }) => Outcome {
            after: after.map(|after| encoding.encode_text(&after).unwrap().into_owned()),
            report: Some(json!({
                "kind": kind, "hunks": hunks, "others": others, "notes": notes, "unchanged": unchanged,
            })),
            refusal: None,
        },
    }
}

fn json_at(path: &Path) -> Option<Value> {
    Some(serde_json::from_slice(&fs::read(path).ok()?).unwrap())
}

fn shown(outcome: &Outcome) -> String {
    let text = outcome.after.as_deref().map(String::from_utf8_lossy);
    let told = outcome.report.as_ref().or(outcome.refusal.as_ref());
    format!("{text:?} {}", told.map_or_else(String::new, Value::to_string))
}

fn bless(case: &Path, came: &Outcome) -> Result<(), String> {
    let pretty = |value: &Value| (serde_json::to_string_pretty(value).unwrap() + "\n").into_bytes();
    let files = [
        ("after", came.after.clone()),
        ("report.json", came.report.as_ref().map(pretty)),
        ("refusal.json", came.refusal.as_ref().map(pretty)),
    ];
    for (name, bytes) in files {
        let _ = fs::remove_file(case.join(name));
        if let Some(bytes) = bytes {
            fs::write(case.join(name), bytes).unwrap();
        }
    }
    Ok(())
}
