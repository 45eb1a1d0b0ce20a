//! Changes of a file that are no recorded step: other line ends, formatters, texts that are gone, long files.

use wherefore_base::{CallId, HunkId, WorkspacePath};
use wherefore_protocol::ChangeKind;

use super::person::key_in;
use super::{Kept, path};
use crate::record::{LineRecord, StepRecord};
use crate::{LineProvenance, TypedLines, WrittenBy};

use WrittenBy::{Agent, Earlier, Human, Mixed, Unknown};

/// A file in which calls and persons change texts.
struct Case {
    kept: Kept,
    records: Vec<LineRecord>,
    text: String,
}

impl Case {
    fn new(text: &str) -> Self {
        let kept = Kept::default();
        *kept.path.borrow_mut() = "a.rs".to_owned();
        Self { kept, records: Vec::new(), text: text.to_owned() }
    }

    fn path() -> WorkspacePath {
        path("a.rs")
    }

    fn call(&mut self, after: &str) {
        let call = CallId::from(format!("c-{}", self.records.len()));
        self.records.push(LineRecord::Step(StepRecord {
            session: "s".to_owned(),
            call,
            undoes: None,
            path: Self::path(),
            from: None,
            kind: ChangeKind::Edit,
            before: Some(self.kept.put(&self.text)),
            after: Some(self.kept.put(after)),
            hunks: vec![HunkId::from("h1")],
            spans: Vec::new(),
            outside: false,
            back: false,
        }));
        after.clone_into(&mut self.text);
    }

    /// Returns the typing until the text is `after`, as one edit of the bytes in `range`.
    fn typed(&mut self, range: std::ops::Range<usize>, with: &str) {
        let mut typed = TypedLines::default();
        let mut after = self.text.clone();
        key_in(&mut typed, &mut after, range, with);
        let record = typed.to_record(&Self::path(), &self.text, &after).unwrap();
        self.kept.put(&self.text);
        self.records.push(LineRecord::Typed(record));
        self.text = after;
    }

    fn lines(&self) -> LineProvenance {
        let mut lines = LineProvenance::default();
        self.records.iter().for_each(|record| lines.apply_record(record.clone()));
        lines
    }

    fn by(&self) -> Vec<WrittenBy> {
        by(&mut self.lines(), &self.text, &self.kept)
    }
}

fn by(lines: &mut LineProvenance, text: &str, kept: &Kept) -> Vec<WrittenBy> {
    lines.marks_for(&Case::path(), text, None, kept).into_iter().map(|mark| mark.by).collect()
}

#[test]
fn other_line_ends_make_no_other_lines() {
    let mut case = Case::new("one line of the file\ntwo\n}\n");
    case.call("one line of the file\nthe agent's line\n}\n");
    case.text = case.text.replace('\n', "\r\n");
    assert_eq!(case.by(), [Earlier, Agent, Earlier]);
    case.call("one line of the file\r\nthe agent's line\r\nanother of the agent\r\n}\r\n");
    case.text = case.text.replace("\r\n", "\n");
    assert_eq!(case.by(), [Earlier, Agent, Agent, Earlier]);
}

#[test]
fn a_formatter_that_replaces_all_of_a_document_takes_no_line_from_the_agent() {
    let mut case = Case::new("fn main() {\n}\n");
    case.call("fn main() {\nprint(the_value_of_it);\nprint(the_next_value);\n}\n");
    let whole = "fn main() {\n    print(the_value_of_it);\nprint(the_next_value);\n}\n";
    case.typed(0..case.text.len(), whole);
    assert_eq!(case.by(), [Earlier, Mixed, Agent, Earlier]);
}

#[test]
fn a_line_that_is_typed_anew_is_the_persons_though_the_text_is_as_before() {
    let mut case = Case::new("a();\n");
    case.call("a();\n}\n");
    case.typed(5..6, "");
    case.typed(5..5, "}");
    assert_eq!(case.by(), [Earlier, Human]);
}

#[test]
fn a_gap_between_two_steps_is_no_agents() {
    let mut case = Case::new("one line of the file\n");
    case.call("one line of the file\nthe first line of the agent\n");
    case.call("one line of the file\nthe first line of the agent\na line of a record that is lost\n");
    case.records.pop();
    case.call("one line of the file\nthe first line of the agent\na line of a record that is lost\nlast line of it\n");
    assert_eq!(case.by(), [Earlier, Agent, Human, Agent]);
    let mut lines = case.lines();
    for odd in ["", "{", "null", r#"{"record":"step"}"#, r#"{"record":"other","session":"s"}"#] {
        lines.apply_line(odd);
    }
    assert_eq!(by(&mut lines, &case.text, &case.kept), [Earlier, Agent, Human, Agent]);
}

#[test]
fn a_typed_record_that_does_not_fit_is_no_reason_to_believe_it() {
    let mut case = Case::new("one line of the file\n");
    case.call("one line of the file\nthe first line of the agent\n");
    case.typed(0..0, "typed by hand\n");
    if let Some(LineRecord::Typed(typed)) = case.records.last_mut() {
        typed.runs[0].start = 7;
        typed.runs[0].lines[0].from = vec![900];
    }
    assert_eq!(case.by(), [Human, Earlier, Agent]);
}

#[test]
fn a_snapshot_keeps_what_is_known_when_the_texts_go() {
    let mut case = Case::new("one line of the file\ntwo\n");
    case.call("one line of the file\nthe first line of the agent\ntwo\n");
    case.text = case.text.replace("two\n", "two\nthree, of the person\n");
    case.call(
        "one line of the file\nthe first line of the agent, and more\ntwo\nthree, of the person\nlast\n",
    );
    let known = case.by();
    assert_eq!(known, [Earlier, Agent, Earlier, Human, Agent]);
    let mut lines = case.lines();
    let snapshots = lines.take_snapshots(&case.kept);
    case.records.extend(snapshots.into_iter().map(LineRecord::Snapshot));
    assert!(case.lines().take_snapshots(&case.kept).is_empty(), "what is kept already is not kept again");
    case.kept.texts.borrow_mut().clear();
    let again = LineProvenance::default();
    assert_eq!(case.by(), known, "{again:?}");
    // And goes on from there.
    let before = case.text.clone();
    case.call(&before.replace("two\n", "2\n"));
    assert_eq!(case.by(), [Earlier, Agent, Agent, Human, Agent]);
    case.text.push_str("typed at the end\n");
    assert_eq!(case.by(), [Earlier, Agent, Agent, Human, Agent, Human]);
    // Without it the author is not known.
    case.records.retain(|record| !matches!(record, LineRecord::Snapshot(_)));
    case.kept.texts.borrow_mut().clear();
    assert!(case.by().contains(&Unknown) || !case.by().contains(&Agent));
}

#[test]
fn a_snapshot_that_a_step_of_another_process_overtook_takes_nothing_back() {
    let mut case = Case::new("one line of the file\n");
    case.call("one line of the file\nthe first line of the agent\n");
    let taken = case.lines().take_snapshots(&case.kept);
    case.call("one line of the file\nthe first line of the agent\nits second line\n");
    case.records.extend(taken.iter().cloned().map(LineRecord::Snapshot));
    assert_eq!(case.by(), [Earlier, Agent, Agent]);
    case.call("one line of the file\nthe first line of the agent\nits second line\nits third\n");
    assert_eq!(case.by(), [Earlier, Agent, Agent, Agent]);
    // The person typed since, and the text that the typing led to is not kept.
    case.typed(0..0, "typed by hand\n");
    let typed = case.lines().take_snapshots(&case.kept);
    case.records.extend(taken.into_iter().chain(typed).map(LineRecord::Snapshot));
    case.kept.texts.borrow_mut().clear();
    assert_eq!(case.by(), [Human, Earlier, Agent, Agent, Agent]);
}

#[test]
fn a_file_of_a_hundred_thousand_lines_and_ten_thousand_calls_are_carried_out() {
    let long: String = (0..100_000).map(|line| format!("value_{line} = compute();\n")).collect();
    let mut case = Case::new(&long);
    case.call(&long.replacen("value_500 ", "other_500 ", 1));
    case.text = case.text.replacen("value_90000 ", "typed_90000 ", 1);
    let by = case.by();
    assert_eq!((by.len(), by[500], by[90_000], by[1]), (100_000, Agent, Human, Earlier));
    let mut case = Case::new("first line of the file\nlast line of the file\n");
    for call in 0..10_000 {
        case.call(&format!("first line of the file\nof call {call}\nlast line of the file\n"));
    }
    assert_eq!(case.by(), [Earlier, Agent, Earlier]);
}

#[test]
fn a_brace_that_closes_what_a_person_indented_is_no_agents() {
    let test = |name: &str, space: &str| {
        format!("{space}#[test]\n{space}fn {name}() {{\n{space}    check({name}_value);\n{space}}}\n")
    };
    let mut case = Case::new(&test("addition", ""));
    case.call(&format!("{}\n{}\n{}", test("addition", ""), test("subtraction", ""), test("division", "")));
    let all = ["addition", "subtraction", "division"].map(|name| test(name, "    ")).join("\n");
    // With and without an end of the last line.
    for end in ["", "\n"] {
        case.text = format!("mod tests {{\n{all}}}{end}");
        let by = case.by();
        assert_eq!(by.len(), 16);
        assert_ne!(by[15], Agent, "{by:?}");
        assert_eq!(by[0], Human);
    }
}

#[test]
fn lines_that_a_person_breaks_or_joins_keep_the_part_of_who_wrote_them() {
    let mut case = Case::new("first(line, of, the, file);\n");
    case.call("first(line, of, the, file);\ncall(one_argument, another_argument);\n");
    case.text =
        "first(line, of,\n    the, file);\ncall(\n    one_argument,\n    another_argument\n);\n".to_owned();
    assert_eq!(case.by(), [Earlier, Earlier, Mixed, Mixed, Mixed, Mixed]);
    case.text = "first(line, of, the, file); call(one_argument, another_argument);\n".to_owned();
    assert_ne!(case.by(), [Agent]);
    // With one more character the person wrote some of it.
    case.text =
        "first(line, of, the, file);\ncall(\n    one_argument,\n    another_argument,\n);\n".to_owned();
    assert!(!case.by().contains(&Agent), "{:?}", case.by());
}
