//! Reads a call by the form of its tool.

use serde_json::{Map, Value};

use super::error::NativeCallError;
use super::{patching, shorten_name};
use crate::agents::HookAgent;
use crate::agents::tool_form::{ActForm, ArgumentRole, FormArgument, ToolForm, parse_flag};
use crate::hooks::act::{CellEdit, CellMode, NativeAct, NativeCall, Replacement};

/// A call while it is read.
pub(super) struct CallReader<'a> {
    pub(super) agent: HookAgent,
    pub(super) tool: &'a str,
    pub(super) form: &'static ToolForm,
}

/// The arguments of a call, each with its role.
struct CallArguments<'a>(Vec<(&'static FormArgument, &'a str, &'a Value)>);

impl<'a> CallArguments<'a> {
    fn value_of(&self, part: ArgumentRole) -> Option<&'a Value> {
        self.0.iter().find(|(member, ..)| member.part == part).map(|(_, _, value)| *value)
    }

    fn text_of(&self, part: ArgumentRole) -> Option<String> {
        self.value_of(part)?.as_str().map(str::to_owned)
    }

    fn is_set(&self, part: ArgumentRole) -> bool {
        let value = self.value_of(part);
        value.is_some_and(|value| value.as_bool().or_else(|| parse_flag(value.as_str()?)) == Some(true))
    }

    /// A text, or the texts of a list.
    fn texts_of(&self, part: ArgumentRole) -> Vec<String> {
        match self.value_of(part) {
            Some(Value::String(text)) => vec![text.clone()],
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        }
    }
}

impl CallReader<'_> {
    fn missing_argument(&self, name: &'static str) -> NativeCallError {
        NativeCallError::Missing(shorten_name(self.tool), name)
    }

    fn misfit_argument(&self, name: &str, expected: &'static str) -> NativeCallError {
        NativeCallError::Kind(shorten_name(self.tool), shorten_name(name), expected)
    }

    /// The action of the call.
    pub(super) fn read_call(&self, arguments: &Map<String, Value>) -> Result<NativeCall, NativeCallError> {
        let parts = self.match_arguments(self.form.members, arguments)?;
        let path = || parts.text_of(ArgumentRole::Path).unwrap_or_default();
        let act = match self.form.act {
            ActForm::Write => NativeAct::Write {
                path: path(),
                content: parts.text_of(ArgumentRole::Content).unwrap_or_default(),
            },
            ActForm::Replace => NativeAct::Replace { path: path(), edits: self.read_edits(&parts)? },
            ActForm::Cell => NativeAct::Cell { path: path(), cell: self.read_cell(&parts)? },
            ActForm::Patch => {
                NativeAct::Patch { patch: parts.text_of(ArgumentRole::Patch).unwrap_or_default() }
            }
            ActForm::Command | ActForm::PatchingCommand => return self.read_command(&parts),
            ActForm::Read => return Ok(call_of_acts(read_act(path_arguments(&parts)))),
            ActForm::ReadMatching => {
                return Ok(call_of_acts(parts.texts_of(ArgumentRole::Paths).into_iter().map(pattern_act)));
            }
            ActForm::Search => {
                // A glob names files even if git ignores them.
                let all = || parts.is_set(ArgumentRole::Ignored).then(|| "*".to_owned());
                let files =
                    parts.text_of(ArgumentRole::Glob).filter(|glob| !glob.trim().is_empty()).or_else(all);
                let spans = if parts.is_set(ArgumentRole::Spanning) { "(?s)" } else { "" };
                let pattern = parts.text_of(ArgumentRole::Pattern).unwrap_or_default();
                let is_text = parts.is_set(ArgumentRole::Literal);
                let pattern = if is_text { regex::escape(&pattern) } else { format!("{spans}{pattern}") };
                let search = |path: Option<String>| NativeAct::Search {
                    pattern: pattern.clone(),
                    path,
                    files: files.clone(),
                };
                let paths = path_arguments(&parts);
                return Ok(match paths.is_empty() {
                    true => call_of_acts([search(None)]),
                    false => call_of_acts(paths.into_iter().map(|path| search(Some(path)))),
                });
            }
        };
        Ok(NativeCall { act, ..NativeCall::default() })
    }

    /// The arguments with their roles, after a check that they fit.
    fn match_arguments<'v>(
        &self,
        members: &'static [FormArgument],
        arguments: &'v Map<String, Value>,
    ) -> Result<CallArguments<'v>, NativeCallError> {
        let mut parts = CallArguments(Vec::new());
        for (name, value) in arguments {
            let member = members.iter().find(|member| member.names.contains(&name.as_str()));
            let Some(member) = member else {
                let agent = self.agent.log_name;
                return Err(NativeCallError::Unknown {
                    tool: shorten_name(self.tool),
                    agent,
                    name: shorten_name(name),
                });
            };
            if value.is_null() && !member.is_required {
                continue;
            }
            if let Some(expected) = member.part.expected_kind(value) {
                return Err(self.misfit_argument(name, expected));
            }
            let is_same = |(other, ..): &&(&FormArgument, &str, &Value)| std::ptr::eq(*other, member);
            if let (false, Some((_, other, _))) =
                (matches!(member.part, ArgumentRole::Aside(_)), parts.0.iter().find(is_same))
            {
                return Err(NativeCallError::Twice(
                    shorten_name(self.tool),
                    (*other).to_owned(),
                    name.clone(),
                ));
            }
            if matches!(member.part, ArgumentRole::Path | ArgumentRole::Paths) {
                self.check_paths(name, value)?;
            }
            parts.0.push((member, name, value));
        }
        let is_given = |member: &FormArgument| parts.0.iter().any(|(given, ..)| std::ptr::eq(*given, member));
        match members.iter().find(|member| member.is_required && !is_given(member)) {
            Some(member) => Err(self.missing_argument(member.names.first().copied().unwrap_or_default())),
            None => Ok(parts),
        }
    }

    /// Refuses a path that some agents read differently: they trim spaces, backslashes and an `@`, and expand a `~` to
    /// the home folder.
    fn check_paths(&self, name: &str, value: &Value) -> Result<(), NativeCallError> {
        let list = value.as_array().map_or_else(|| std::slice::from_ref(value), Vec::as_slice);
        let is_odd = |path: &str| {
            path.is_empty()
                || path.trim() != path
                || path.contains(char::is_control)
                || path.starts_with('~')
                || (self.agent.has_odd_path)(path)
        };
        match list.iter().filter_map(Value::as_str).any(is_odd) {
            true => Err(self.misfit_argument(
                name,
                "a whole path: not empty, with no `~` or `@` before it, no space at its ends and no backslash",
            )),
            false => Ok(()),
        }
    }

    fn read_edits(&self, parts: &CallArguments<'_>) -> Result<Vec<Replacement>, NativeCallError> {
        let replacement = |parts: &CallArguments<'_>| Replacement {
            old: parts.text_of(ArgumentRole::Old).unwrap_or_default(),
            new: parts.text_of(ArgumentRole::New).unwrap_or_default(),
            all: parts.is_set(ArgumentRole::All),
        };
        let Some(list) = parts.value_of(ArgumentRole::Edits).and_then(Value::as_array) else {
            return Ok(vec![replacement(parts)]);
        };
        if list.is_empty() {
            return Err(self.misfit_argument("edits", "a list that is not empty"));
        }
        let read = |item: &Value| {
            let item = item.as_object().ok_or_else(|| self.misfit_argument("edits", "a list of objects"))?;
            Ok(replacement(&self.match_arguments(self.form.items, item)?))
        };
        list.iter().map(read).collect()
    }

    fn read_cell(&self, parts: &CallArguments<'_>) -> Result<CellEdit, NativeCallError> {
        let mode = match parts.text_of(ArgumentRole::CellMode).as_deref() {
            None | Some("replace") => CellMode::Replace,
            Some("insert") => CellMode::Insert,
            Some("delete") => CellMode::Delete,
            Some(_) => return Err(self.misfit_argument("edit_mode", "replace, insert or delete")),
        };
        let kind = parts.text_of(ArgumentRole::CellKind);
        if !matches!(kind.as_deref(), None | Some("code" | "markdown")) {
            return Err(self.misfit_argument("cell_type", "code or markdown"));
        }
        let source = match (parts.text_of(ArgumentRole::Source), mode) {
            (Some(source), _) => source,
            (None, CellMode::Delete) => String::new(),
            (None, _) => return Err(self.missing_argument("new_source")),
        };
        Ok(CellEdit { cell: parts.text_of(ArgumentRole::Cell), source, kind, mode })
    }

    /// The input of a shell is a command, whatever its text looks like.
    fn read_command(&self, parts: &CallArguments<'_>) -> Result<NativeCall, NativeCallError> {
        let script = match parts.value_of(ArgumentRole::Script) {
            Some(Value::String(script)) => script.clone(),
            Some(vector @ Value::Array(_)) => script_of(vector)
                .ok_or_else(|| self.misfit_argument("command", "a vector that names a program"))?,
            // It watches a socket, and runs no command.
            _ if parts.0.iter().any(|(_, name, _)| *name == "ws") => return Ok(NativeCall::default()),
            _ => return Err(self.missing_argument("command")),
        };
        match self.form.act {
            ActForm::PatchingCommand => patching::read_script(script).ok_or_else(|| {
                self.misfit_argument("command", "a command with no patch in it: give the patch to the tool apply_patch, or run `apply_patch <<'EOF'` with the patch and nothing else")
            }),
            _ => Ok(call_of_acts([NativeAct::Command { script }])),
        }
    }
}

/// The paths that a call names.
fn path_arguments(parts: &CallArguments<'_>) -> Vec<String> {
    [parts.texts_of(ArgumentRole::Path), parts.texts_of(ArgumentRole::Paths)].concat()
}

fn read_act(paths: Vec<String>) -> Option<NativeAct> {
    (!paths.is_empty()).then_some(NativeAct::Read { paths })
}

/// The action of reading the files of a pattern: a search for anything in them, unless the pattern is a path.
fn pattern_act(pattern: String) -> NativeAct {
    match pattern.contains(['*', '?', '[', '{', '!']) {
        true => NativeAct::Search { pattern: String::new(), path: None, files: Some(pattern) },
        false => NativeAct::Read { paths: vec![pattern] },
    }
}

/// A call with several actions, one after the other.
fn call_of_acts(acts: impl IntoIterator<Item = NativeAct>) -> NativeCall {
    let mut acts = acts.into_iter();
    NativeCall { act: acts.next().unwrap_or_default(), other_acts: acts.collect(), ..NativeCall::default() }
}

/// An argument vector as the script that runs it.
fn script_of(vector: &Value) -> Option<String> {
    let words: Vec<&str> = vector.as_array()?.iter().map(Value::as_str).collect::<Option<_>>()?;
    match words[..] {
        [] => None,
        ["bash" | "sh" | "/bin/bash" | "/bin/sh", "-c" | "-lc", script] => Some(script.to_owned()),
        _ => shlex::try_join(words).ok(),
    }
}
