//! Calls in forms that agents take and a guard could take for others.

use serde_json::json;

use super::{Person, comes_through, guard};
use crate::model::{Model, Move};
use crate::place::{Place, ten_lines};
use crate::programs;
use crate::recipes::{self, OwnTools};

/// The patch that Codex's own tool gets.
fn patch_of(path: &str, before: &str, after: &str) -> String {
    match (recipes::CODEX.moves)(path, before, after).pop() {
        Some(Move::Call(_, arguments)) => arguments["input"].as_str().unwrap_or_default().to_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_patch_of_codex_in_a_here_document_is_reviewed() {
    let moves = |path: &str, before: &str, after: &str| {
        let patch = format!("<<'EOF'\n{}\nEOF\n", patch_of(path, before, after));
        vec![Move::Call("apply_patch", json!({ "input": patch }))]
    };
    comes_through(&OwnTools { moves, ..recipes::CODEX }, Person::CommandLine);
}

#[test]
fn a_patch_that_codex_would_apply_out_of_a_command_is_reviewed() {
    let moves = |path: &str, before: &str, after: &str| {
        let script = format!("cd . && apply_patch <<'EOF'\n{}\nEOF\n", patch_of(path, before, after));
        vec![Move::Call("exec_command", json!({ "cmd": script }))]
    };
    comes_through(&OwnTools { moves, ..recipes::CODEX }, Person::CommandLine);
}

#[test]
fn a_second_path_for_opencode_is_refused_and_its_model_is_told_which() {
    let Some(program) = programs::find(recipes::OPENCODE.name) else { return };
    let place = Place::new(&[("list.txt", &ten_lines(&[]))]);
    std::fs::create_dir(place.work().join(".git")).unwrap();
    let [path, decoy] = ["list.txt", "other.txt"].map(|name| place.work().join(name).display().to_string());
    let edit = json!({
        "filePath": path, "file_path": decoy, "oldString": ten_lines(&[]), "newString": ten_lines(&[2]),
    });
    let read = Move::Call("read", json!({ "filePath": path }));
    let mut moves = vec![read, Move::Call("edit", edit)].into_iter();
    let model = Model::start(move |_| moves.next().unwrap_or(Move::Say("done")));
    (recipes::OPENCODE.configure)(&place, &model);
    guard(&place, &program, recipes::OPENCODE.name, &[]);
    recipes::OPENCODE.start(&program, &place, &model).finishes();
    model.expect("`file_path`");
    assert_eq!(place.text("list.txt"), ten_lines(&[]));
}
