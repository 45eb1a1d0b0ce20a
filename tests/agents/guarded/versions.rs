//! The versions of the agents that the program names as tried, and those that the tests run.

use crate::place::Place;
use crate::programs;
use crate::recipes;

/// A run against the newest versions reports those that are not named yet; any other run fails at one.
#[test]
fn doctor_names_the_versions_that_the_tests_run() {
    let found: Vec<_> =
        recipes::ALL.iter().filter_map(|agent| Some((programs::find(agent.name)?, agent.title))).collect();
    let Some((first, _)) = found.first() else { return };
    let place = Place::new(&[]);
    let path = format!("{}:/usr/bin:/bin", first.parent().unwrap().display());
    let names = recipes::ALL.iter().map(|agent| agent.name).collect::<Vec<_>>().join(",");
    let mut init = place.wherefore();
    init.args(["init", "--guard", "--user", "--yes", "--agents", &names]).env("PATH", &path);
    assert!(init.output().unwrap().status.success());
    let output = place.wherefore().args(["doctor", "--json"]).env("PATH", &path).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    for (_, title) in found {
        let check = report["checks"].as_array().unwrap().iter().find(|check| check["name"] == title).unwrap();
        assert_eq!(check["health"], "well", "{check:#}");
        assert!(check["found"].as_str().unwrap().contains("the hook was tried with each"), "{check:#}");
        let gap = check["gap"].as_str().unwrap_or_default();
        let is_untried = gap.contains("which was not tried");
        match programs::are_newest() {
            true if is_untried => programs::say(&format!("{title}: {gap}")),
            _ => assert!(!is_untried, "{check:#}"),
        }
    }
}
