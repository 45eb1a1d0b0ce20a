//! `[sandbox] ignored = "session"`: what commands change of ignored paths is seen by later commands alone, until the person takes
//! it over or drops it.

use serde_json::Value;

use super::direct::{line, repository, waiting, written};
use crate::support::{Project, Ran};

/// A repository whose person keeps ignored folders apart.
fn keeping_apart(files: &[(&str, &str)]) -> Project {
    let project = repository(files);
    project.put("../home/.config/wherefore/config.toml", "[sandbox]\nignored = \"session\"\n");
    project
}

fn printed(ran: &Ran) -> String {
    String::from_utf8_lossy(&ran.out).into_owned()
}

fn output(answer: &Value) -> &str {
    answer["stdout"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn what_is_kept_apart_reaches_later_commands_and_nobody_else() {
    let project = keeping_apart(&[(".gitignore", "node_modules/\ndist\n"), ("src/a.js", "1\n")]);
    project.put("dist/old.js", "old\n");
    let script = "mkdir -p node_modules/eslint && echo 1 > node_modules/eslint/index.js && echo new > dist/new.js && rm dist/old.js";
    let Some(answer) = line(&project, script) else { return };
    assert_eq!(written(&answer), [("dist", 1), ("node_modules", 1)], "{answer}");
    assert!(answer["written"].as_array().unwrap().iter().all(|one| one["apart"] == true), "{answer}");
    assert_eq!((project.text("node_modules/eslint/index.js"), project.text("dist/new.js")), (None, None));
    assert_eq!(project.text("dist/old.js").as_deref(), Some("old\n"));

    let answer =
        line(&project, "cat node_modules/eslint/index.js; ls dist; echo 2 > node_modules/eslint/index.js")
            .unwrap();
    assert_eq!(output(&answer), "1\nnew.js\n", "{answer}");
    // A folder that is removed and recreated hides the workspace's files in it, and those that were kept apart before.
    let answer = line(&project, "rm -rf dist && mkdir dist && echo 3 > dist/third.js").unwrap();
    assert_eq!(answer["exit_code"], 0, "{answer}");
    let answer = line(&project, "ls dist; cat node_modules/eslint/index.js; rm -rf node_modules").unwrap();
    assert_eq!(output(&answer), "third.js\n2\n", "{answer}");
    assert_eq!(output(&line(&project, "ls -d node_modules || echo none").unwrap()), "none\n");

    let said = project.wherefore(&["review", "--list"]);
    assert!(said.err.contains("wherefore review --ignored"), "{said:?}");
    let taken = project.wherefore(&["review", "--ignored", "take"]);
    assert!(printed(&taken).contains("dist") && taken.code() == Some(0), "{taken:?}");
    let left: Vec<_> =
        std::fs::read_dir(project.path("dist")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["third.js"], "what was removed is gone");
    assert_eq!(project.text("node_modules/eslint/index.js"), None);
    assert!(printed(&project.wherefore(&["review", "--ignored"])).contains("nothing is kept apart"));
    let log = project.wherefore(&["log"]);
    assert!(printed(&log).contains("taken over by the person"), "{log:?}");
}

#[test]
fn what_is_dropped_is_gone_and_what_git_tracks_is_reviewed() {
    let project = keeping_apart(&[(".gitignore", "dist/\n"), ("dist/bundle.js", "old\n")]);
    let Some(answer) = line(&project, "echo new > dist/bundle.js; echo 1 > dist/chunk.js") else { return };
    assert_eq!((written(&answer), waiting(&project)), (vec![("dist", 1)], vec!["dist/bundle.js".to_owned()]));
    // Removing the folder is no way to have a tracked file removed unseen.
    line(&project, "rm -rf dist").unwrap();
    assert_eq!(project.text("dist/bundle.js").as_deref(), Some("old\n"));
    let kept = project.wherefore(&["review", "--ignored", "--json"]).json();
    assert!(kept["files"].as_array().unwrap().iter().all(|one| one["path"] == "dist"), "{kept}");
    project.wherefore(&["review", "--ignored", "drop"]);
    assert!(printed(&project.wherefore(&["review", "--ignored"])).contains("nothing is kept apart"));
    assert_eq!(output(&line(&project, "cat dist/bundle.js; ls dist").unwrap()), "old\nbundle.js\n");
    assert_eq!(project.text("dist/chunk.js"), None);
}

#[test]
fn what_the_person_changed_meanwhile_is_not_taken_over() {
    let project = keeping_apart(&[(".gitignore", "out/\n")]);
    project.put("out/a", "old\n");
    let Some(_) = line(&project, "echo agent > out/a; echo agent > out/b; ln -s /etc out/link") else {
        return;
    };
    project.put("out/a", "person\n");
    let taken = project.wherefore(&["review", "--ignored", "take"]);
    assert!(taken.err.contains("changed on the disk"), "{taken:?}");
    assert_eq!(project.text("out/a").as_deref(), Some("person\n"));
    assert_eq!(project.text("out/b").as_deref(), Some("agent\n"));
    // An agent's own pattern keeps nothing apart: its sources are reviewed.
    let Some(_) = line(&project, "echo 'src/' >> .gitignore; mkdir -p src; echo 1 > src/x") else { return };
    let Some(answer) = line(&project, "echo 'src/' >> .gitignore; mkdir -p src; echo 2 > src/y") else {
        return;
    };
    assert!(written(&answer).is_empty(), "{answer}");
}
