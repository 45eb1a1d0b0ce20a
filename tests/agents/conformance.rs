//! The protocol's own conformance suite against the HTTP door, with the tools that it calls.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::fixtures::Fixtures;
use crate::place::Place;
use crate::programs;

/// Checks that do not succeed, by revision, scenario and check, each with its reason.
const EXCEPTIONS: [(&str, &str, &str, &str); 0] = [];

/// The beginning of the names of scenarios that are not for this server.
const NOT_OFFERED: &str = "tasks-";

/// The checks of each scenario, with their outcomes.
type Results = BTreeMap<String, Vec<Check>>;

/// A check.
#[derive(Debug)]
struct Check {
    id: String,
    /// `SUCCESS`, `FAILURE`, `WARNING`, `SKIPPED` or `INFO`.
    status: String,
    error: String,
}

impl Check {
    fn is_good(&self) -> bool {
        !matches!(self.status.as_str(), "FAILURE" | "WARNING")
    }
}

/// Reads `server-SCENARIO-TIME/checks.json` of each scenario.
fn results(folder: &Path) -> Results {
    let mut results = Results::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        // The time is that of an ISO date with dashes for colons, as 2026-07-28T12-00-00-000Z: 24 letters and a dash.
        let scenario = name.strip_prefix("server-").and_then(|rest| rest.get(..rest.len().checked_sub(25)?));
        let text = std::fs::read(entry.path().join("checks.json")).unwrap_or_default();
        let checks: Vec<Value> = serde_json::from_slice(&text).unwrap_or_default();
        let word = |check: &Value, key: &str| check[key].as_str().unwrap_or_default().to_owned();
        let check = |check: &Value| Check {
            id: word(check, "id"),
            status: word(check, "status"),
            error: word(check, "errorMessage"),
        };
        results.insert(scenario.unwrap_or(&name).to_owned(), checks.iter().map(check).collect());
    }
    results
}

/// Scenarios that the suite ran without scoring them.
fn not_scored(output: &str) -> Vec<String> {
    let lines = output.split("\nNot scored for ").nth(1).unwrap_or_default().lines();
    let name = |line: &str| line.trim().split_once(' ')?.1.split_once(" (").map(|(name, _)| name.to_owned());
    lines.filter_map(name).collect()
}

/// Runs the suite as a revision requires it: no check fails or warns, in its `scored` scenarios and in the others that it runs.
fn conforms(revision: &str, scored: usize) {
    let Some(program) = programs::find("conformance") else { return };
    let place = Place::new(&[]);
    let fixtures = Fixtures::serve(&place.work());
    let folder = place.beside("results");
    let output = Command::new(program)
        .args(["server", "--url", &fixtures.url, "--requirements", revision, "--output-dir"])
        .arg(&folder)
        .env_clear()
        .envs(place.env())
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let free = not_scored(&output);
    // The extension of tasks is not offered: its scenarios are only reported.
    let (told, held): (Vec<_>, Vec<_>) =
        results(&folder).into_iter().partition(|(scenario, _)| scenario.starts_with(NOT_OFFERED));
    for (scenario, checks) in &told {
        assert!(free.contains(scenario), "{scenario} counts");
        let good = checks.iter().filter(|check| check.is_good()).count();
        programs::say(&format!(
            "{revision}: {scenario} is not scored: {good} of {} checks are good",
            checks.len()
        ));
    }
    let counted = held.iter().filter(|(scenario, _)| !free.contains(scenario)).count();
    assert_eq!(counted, scored, "scenarios of {revision}: {output}");
    let mut wrong = Vec::new();
    for (scenario, checks) in &held {
        if !checks.iter().any(|check| check.status == "SUCCESS") {
            wrong.push(format!("{scenario}: nothing succeeded"));
        }
        for check in checks {
            let is_this = |(of, name, id, _): &&(&str, &str, &str, &str)| {
                (*of, *name, *id) == (revision, scenario.as_str(), check.id.as_str())
            };
            let excused = EXCEPTIONS.iter().find(is_this);
            if check.is_good() == excused.is_some() {
                wrong.push(format!("{scenario}: {} is {}: {}", check.id, check.status, check.error));
            }
        }
    }
    assert!(wrong.is_empty(), "not as expected:\n{}", wrong.join("\n"));
}

#[test]
fn the_door_conforms_to_2025_11_25() {
    conforms("2025-11-25", 30);
}

#[test]
fn the_door_conforms_to_2026_07_28() {
    conforms("2026-07-28", 37);
}

#[test]
fn what_does_not_count_is_told_apart() {
    let output = "=== SUMMARY ===\n✓ ping: 2 passed, 0 failed\n\nNot scored for 2025-11-25: 1 scenario(s) run, 0 failing.\n  \
                  ✓ x (pending)\n  ✗ y-z (extension)\n";
    assert_eq!(not_scored(output), ["x", "y-z"]);
}
