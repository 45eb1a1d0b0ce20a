//! Cells of notebooks in several layouts, changed: the result is nbformat, and nothing else differs.

use super::*;

const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "aaaa1111",
   "metadata": {"collapsed": true},
   "outputs": [
    {
     "name": "stdout",
     "output_type": "stream",
     "text": [
      "1\n"
     ]
    }
   ],
   "source": [
    "x = 1 # caf\u00e9\n",
    "y = 2\n"
   ]
  },
  {
   "attachments": {},
   "cell_type": "markdown",
   "id": "bbbb2222",
   "metadata": {},
   "source": [
    "half \ud83d"
   ]
  }
 ],
 "metadata": {
  "big": 12345678901234567890123,
  "lr": 1e-05
 },
 "nbformat": 4,
 "nbformat_minor": 5
}
"##;

fn replace(cell: &str, source: &str, kind: Option<&str>) -> CellEdit {
    CellEdit {
        cell: Some(cell.into()),
        source: source.into(),
        kind: kind.map(str::to_owned),
        ..CellEdit::default()
    }
}

fn insert(after: Option<&str>, kind: Option<&str>) -> CellEdit {
    let [cell, kind] = [after, kind].map(|text| text.map(str::to_owned));
    CellEdit { cell, kind, source: "# T".into(), mode: CellMode::Insert }
}

fn read(text: &str) -> Value {
    serde_json::from_str(&text.replace("\\ud83d", "")).unwrap()
}

/// The lines that two texts have in place of each other.
fn differing<'a>(before: &'a str, after: &'a str) -> [Vec<&'a str>; 2] {
    let (old, new): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let head = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let rest = old[head..].iter().rev().zip(new[head..].iter().rev());
    let tail = rest.take_while(|(old, new)| old == new).count();
    [old[head..old.len() - tail].to_vec(), new[head..new.len() - tail].to_vec()]
}

#[test]
fn a_source_is_replaced_and_its_outputs_go() {
    let after = with_cell(NOTEBOOK, &replace("aaaa1111", "x = 1 # café\ny = 20\n", None)).unwrap();
    let expected = NOTEBOOK
        .replace("\"execution_count\": 3", "\"execution_count\": null")
        .replace("y = 2\\n", "y = 20\\n");
    let (start, end) = (expected.find("\"outputs\": [").unwrap(), expected.find("   \"source\"").unwrap());
    assert_eq!(after, format!("{}\"outputs\": [],\n{}", &expected[..start], &expected[end..]));
}

#[test]
fn a_cell_of_another_kind_has_the_members_of_that_kind() {
    let markdown = with_cell(NOTEBOOK, &replace("aaaa1111", "# T", Some("markdown"))).unwrap();
    let expected = json!({
        "cell_type": "markdown", "id": "aaaa1111", "metadata": { "collapsed": true }, "source": ["# T"],
    });
    assert_eq!(read(&markdown)["cells"][0], expected);
    let code = with_cell(NOTEBOOK, &replace("bbbb2222", "x", Some("code"))).unwrap();
    let expected = json!({
        "cell_type": "code", "execution_count": null, "id": "bbbb2222", "metadata": {}, "outputs": [],
        "source": ["x"],
    });
    assert_eq!(read(&code)["cells"][1], expected);
    assert!(code.contains("\n   \"execution_count\": null,\n   \"id\": \"bbbb2222\""), "{code}");
}

#[test]
fn a_new_cell_has_an_id_where_the_format_asks_for_one() {
    let with_ids = with_cell(NOTEBOOK, &insert(Some("aaaa1111"), Some("code"))).unwrap();
    let cell = read(&with_ids)["cells"][1].clone();
    let id = cell["id"].as_str().unwrap().to_owned();
    assert!(id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
    let expected = json!({
        "cell_type": "code", "execution_count": null, "id": id, "metadata": {}, "outputs": [], "source": ["# T"],
    });
    assert_eq!(cell, expected);
    let [gone, came] = differing(NOTEBOOK, &with_ids);
    assert_eq!((gone.len(), came.len()), (0, 10), "{came:?}");
    // Twice the same edit makes two ids.
    let twice = with_cell(&with_ids, &insert(Some("aaaa1111"), Some("code"))).unwrap();
    assert_ne!(read(&twice)["cells"][1]["id"], read(&twice)["cells"][2]["id"]);

    let older = NOTEBOOK.replace("\"nbformat_minor\": 5", "\"nbformat_minor\": 4");
    let markdown = with_cell(&older, &insert(None, Some("markdown"))).unwrap();
    let expected = json!({ "cell_type": "markdown", "metadata": {}, "source": ["# T"] });
    assert_eq!(read(&markdown)["cells"][0], expected);
}

#[test]
fn every_layout_stays_as_it_is() {
    let two = NOTEBOOK.replace("\n ", "\n  ");
    let tabs = "{\n\t\"cells\": [],\n\t\"nbformat\": 4\n}";
    let one_line =
        r##"{"cells": [{"cell_type": "markdown", "metadata": {}, "source": "a"}], "nbformat": 4}"##;
    let windows = NOTEBOOK.replace('\n', "\r\n");
    for text in [NOTEBOOK, &two, &windows] {
        let after = with_cell(text, &replace("bbbb2222", "# T\nb", None)).unwrap();
        assert_eq!(
            differing(text, &after)[0],
            vec![text.lines().find(|line| line.contains("half")).unwrap()]
        );
        assert_eq!(after.contains("\r\n"), text.contains("\r\n"));
        assert_eq!(after.matches('\n').count(), text.matches('\n').count() + 1);
    }
    let inserted = with_cell(tabs, &insert(None, Some("markdown"))).unwrap();
    assert!(
        inserted.starts_with("{\n\t\"cells\": [\n\t\t{\n\t\t\t\"cell_type\": \"markdown\""),
        "{inserted}"
    );
    assert!(inserted.ends_with("\n\t\t}\n\t],\n\t\"nbformat\": 4\n}"), "{inserted}");
    let replaced = with_cell(one_line, &replace("cell-0", "b\nc", None)).unwrap();
    assert_eq!(replaced, one_line.replace("\"a\"", "\"b\\nc\""));
}

#[test]
fn a_cell_is_removed_with_its_comma() {
    let removed =
        with_cell(NOTEBOOK, &CellEdit { mode: CellMode::Delete, ..replace("bbbb2222", "", None) }).unwrap();
    assert_eq!(read(&removed)["cells"].as_array().unwrap().len(), 1);
    assert!(differing(NOTEBOOK, &removed)[1].is_empty());
    let removed =
        with_cell(NOTEBOOK, &CellEdit { mode: CellMode::Delete, ..replace("cell-0", "", None) }).unwrap();
    assert_eq!(read(&removed)["cells"][0]["id"], "bbbb2222");
    assert!(differing(NOTEBOOK, &removed)[1].is_empty());
}

#[test]
fn what_is_no_notebook_is_named() {
    let edit = replace("c9", "", None);
    assert!(matches!(with_cell(NOTEBOOK, &edit), Err(NotebookError::Cell(_))));
    assert!(matches!(with_cell("no json", &edit), Err(NotebookError::Json(_))));
    assert!(matches!(with_cell(r#"{"worksheets": []}"#, &edit), Err(NotebookError::Shape)));
    assert!(matches!(with_cell(r#"{"cells": {}}"#, &edit), Err(NotebookError::Shape)));
    assert!(matches!(with_cell("[]", &edit), Err(NotebookError::Shape)));
}
