//! The command of a definition: argument vectors are filled with the arguments of a call, and no shell reads them.

use serde_json::{Map, Value};

/// A program and its arguments, with `{{name}}` in the place of an argument of a call.
#[derive(Debug)]
pub(super) struct CommandTemplate {
    elements: Vec<Vec<TemplatePiece>>,
    /// The place of a literal `--`: no program reads what follows as an option.
    operands: Option<usize>,
    /// Names of arguments that the definition lets begin with `-`.
    dashed: Vec<String>,
}

#[derive(Debug, PartialEq, Eq)]
enum TemplatePiece {
    Literal(String),
    Argument(String),
}

/// An argument that the program would read as an option.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct OptionLike {
    /// The argument.
    pub(super) name: String,
    /// Its value.
    pub(super) value: String,
}

impl CommandTemplate {
    /// The template of `command`, whose arguments `schema` describes.
    pub(super) fn new(command: &[String], schema: &Value) -> Self {
        let properties = schema.get("properties").and_then(Value::as_object);
        let dashed = properties.into_iter().flatten().filter(|(_, schema)| may_begin_with_dash(schema));
        Self {
            elements: command.iter().map(|element| split_pieces(element)).collect(),
            operands: command.iter().position(|element| element == "--"),
            dashed: dashed.map(|(name, _)| name.clone()).collect(),
        }
    }

    /// The argument vector of a call. Each element stays one, whatever its arguments hold. One with an argument that is not
    /// given is left out.
    pub(super) fn fill_template(&self, args: &Map<String, Value>) -> Vec<String> {
        self.elements.iter().filter_map(|pieces| join_pieces(pieces, args)).collect()
    }

    /// Returns the first argument whose value would be read as an option: the element begins with it, it begins with
    /// `-`, and neither a `--` before it nor the definition allows that.
    pub(super) fn option_like(&self, args: &Map<String, Value>) -> Option<OptionLike> {
        let before_operands = self.elements.iter().take(self.operands.unwrap_or(usize::MAX));
        before_operands.filter(|pieces| join_pieces(pieces, args).is_some()).find_map(|pieces| {
            let texts = pieces.iter().map(|piece| (piece, text_of(piece, args).unwrap_or_default()));
            let (first, value) = texts.into_iter().find(|(_, text)| !text.is_empty())?;
            match first {
                TemplatePiece::Argument(name) if value.starts_with('-') && !self.dashed.contains(name) => {
                    Some(OptionLike { name: name.clone(), value })
                }
                _ => None,
            }
        })
    }
}

/// Returns whether a definition lets an argument begin with `-`: it lists the values, gives a `pattern` that begins
/// with `^-`, or a lowest number below zero.
fn may_begin_with_dash(schema: &Value) -> bool {
    let lowest = |key: &str| schema.get(key).and_then(Value::as_f64).is_some_and(|lowest| lowest < 0.0);
    let pattern = schema.get("pattern").and_then(Value::as_str);
    schema.get("enum").is_some()
        || schema.get("const").is_some()
        || pattern.is_some_and(|pattern| pattern.starts_with("^-"))
        || lowest("minimum")
        || lowest("exclusiveMinimum")
}

fn split_pieces(element: &str) -> Vec<TemplatePiece> {
    let mut pieces = Vec::new();
    let mut rest = element;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, after)) = after.split_once("}}") else { break };
        pieces.extend((!before.is_empty()).then(|| TemplatePiece::Literal(before.to_owned())));
        pieces.push(TemplatePiece::Argument(name.trim().to_owned()));
        rest = after;
    }
    if !rest.is_empty() || pieces.is_empty() {
        pieces.push(TemplatePiece::Literal(rest.to_owned()));
    }
    pieces
}

fn join_pieces(pieces: &[TemplatePiece], args: &Map<String, Value>) -> Option<String> {
    pieces.iter().map(|piece| text_of(piece, args)).collect()
}

/// The text of a piece; nothing where its argument is not given.
fn text_of(piece: &TemplatePiece, args: &Map<String, Value>) -> Option<String> {
    match piece {
        TemplatePiece::Literal(text) => Some(text.clone()),
        TemplatePiece::Argument(name) => match args.get(name)? {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            value => Some(value.to_string()),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn template(command: &[&str], properties: Value) -> CommandTemplate {
        let command: Vec<String> = command.iter().map(|element| (*element).to_owned()).collect();
        CommandTemplate::new(&command, &json!({ "properties": properties }))
    }

    fn filled(command: &[&str], args: Value) -> Vec<String> {
        template(command, json!({})).fill_template(args.as_object().unwrap())
    }

    #[test]
    fn each_argument_stays_in_one_element() {
        let command = ["cut", "{{ path }}", "-t{{seconds}}s", "--tags={{tags}}", "{{a}}{{b}}", ""];
        let args = json!({ "path": "a b; rm -rf $HOME {{seconds}}\n'\"", "seconds": 2.5, "tags": ["x", "y z"], "a": "", "b": true });
        let expected =
            ["cut", "a b; rm -rf $HOME {{seconds}}\n'\"", "-t2.5s", "--tags=[\"x\",\"y z\"]", "true", ""];
        assert_eq!(filled(&command, args), expected);
    }

    #[test]
    fn an_element_goes_with_an_argument_that_is_not_given() {
        let command = ["ls", "{{all}}", "--in={{folder}}", "{{a}}-{{b}}", "x"];
        assert_eq!(filled(&command, json!({ "a": "1" })), ["ls", "x"]);
        assert_eq!(
            filled(&command, json!({ "all": null, "folder": "", "a": 1, "b": 2 })),
            ["ls", "--in=", "1-2", "x"]
        );
    }

    #[test]
    fn an_argument_is_not_read_as_an_option() {
        let properties = json!({
            "mode": { "enum": ["-a", "-b"] }, "flag": { "pattern": "^-[a-z]$" }, "shift": { "minimum": -5 }, "count": { "minimum": 0 },
        });
        let refused = |command: &[&str], args: Value| {
            let template = template(command, properties.clone());
            template.option_like(args.as_object().unwrap()).map(|found| found.name)
        };
        let free =
            json!({ "x": "--exec=sh", "empty": "", "mode": "-a", "flag": "-z", "shift": -3, "count": -1 });
        for command in [
            &["p", "--in={{x}}"][..],
            &["p", "-i{{x}}"],
            &["p", "--", "{{x}}"],
            &["p", "./{{x}}"],
            &["p", "{{mode}}", "{{flag}}", "{{shift}}"],
            &["p", "{{missing}}{{x}}"],
        ] {
            assert_eq!(refused(command, free.clone()), None, "{command:?}");
        }
        for (command, name) in [
            (&["p", "{{x}}"][..], "x"),
            (&["p", "{{empty}}{{x}}"], "x"),
            (&["p", "{{x}}", "--"], "x"),
            (&["p", "{{count}}"], "count"),
            (&["p", "{{x}}.txt"], "x"),
            (&["p", "---", "{{x}}"], "x"),
        ] {
            assert_eq!(refused(command, free.clone()).as_deref(), Some(name), "{command:?}");
        }
        assert_eq!(refused(&["p", "{{x}}"], json!({ "x": "-" })).as_deref(), Some("x"));
    }
}
