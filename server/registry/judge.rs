//! Whether a call's reason, arguments and activity are right.

use std::sync::Arc;

use serde_json::{Value, json};

use super::arguments::Meta;
use super::reason::{self, Remark};
use super::violations::{Violation, shown};
use super::{Activities, Activity, Tool};
use crate::catalogue::Alias;
use crate::protocol::{Code, Effects, Fault, Why, WhySettings};

/// What a call is beside its arguments, once it is right.
#[derive(Clone)]
pub(super) struct Judged {
    pub(super) why: Why,
    pub(super) warnings: Vec<String>,
    pub(super) activity: Option<Arc<dyn Activity>>,
    pub(super) activity_name: String,
    pub(super) effects: Effects,
    pub(super) output: Option<Value>,
}

pub(super) fn judge(
    tool: &Tool,
    alias: Option<&Alias>,
    args: &Value,
    meta: Meta,
    activities: &Activities,
    settings: &WhySettings,
) -> Result<Judged, Fault> {
    let violations = tool.check_input(args)?;
    let why = match args.get("why") {
        None | Some(Value::Null) => Err("has no `why`"),
        Some(Value::String(text)) => Why::new(text).ok_or("has a `why` that says nothing"),
        // The schema's check says so below.
        Some(_) => Err(""),
    };
    let why = match why {
        Ok(why) if violations.is_empty() => why,
        Err(lack) if !lack.is_empty() => return Err(missing_why(tool, lack, violations)),
        _ => return Err(invalid(tool, alias, &violations)),
    };
    let mut warnings = Vec::new();
    for remark in reason::remarks(&why, tool, args) {
        match remark {
            Remark::Empty(remark) if settings.strict => return Err(refused_why(tool, &why, &remark)),
            Remark::Empty(remark) | Remark::Form(remark) => warnings.push(remark),
        }
    }
    let (activity_name, activity) = choose(tool, meta.activity.as_ref(), activities)?;
    let output = match (meta.output, &activity) {
        (Some(_), Some(_)) => {
            warnings.push(format!("`_output` was not used: code runs {}", tool.name()));
            None
        }
        (Some(output), None) => Some(filled(tool, output)?),
        (None, _) => None,
    };
    let effects = match (&activity, args.as_object()) {
        (Some(activity), Some(args)) => activity.effects(args),
        _ => Effects::default(),
    };
    Ok(Judged { why, warnings, activity, activity_name, effects, output })
}

/// The activity: the call's own wish, then the definition's, then the one of the tool's name; else latent.
///
/// A call may ask for nothing but the tool's own activity, a variant of it (`NAME@VARIANT`) or none: with
/// another tool's code behind it, a call would not be what the policies for its tool and the log say it is.
fn choose(
    tool: &Tool,
    asked: Option<&Value>,
    activities: &Activities,
) -> Result<(String, Option<Arc<dyn Activity>>), Fault> {
    let own = tool.def().activity.as_deref().unwrap_or(tool.name());
    let name = match asked {
        None | Some(Value::Null) => own,
        Some(Value::String(name)) => name,
        Some(other) => {
            return Err(wrong_activity(tool, &shown(other), own));
        }
    };
    let activity = if name.is_empty() { None } else { activities.get(name) };
    let variant = name.strip_prefix(tool.name()).is_some_and(|rest| rest.starts_with('@'));
    let fits = name == own || name == tool.name() || name.is_empty() || (variant && activity.is_some());
    if !fits {
        return Err(wrong_activity(tool, &shown(&json!(name)), own));
    }
    Ok(match activity {
        Some(activity) => (name.to_owned(), Some(activity)),
        None => (String::new(), None),
    })
}

fn wrong_activity(tool: &Tool, got: &str, own: &str) -> Fault {
    let name = tool.name();
    Fault::new(Code::InvalidArgs, format!("`_activity` is {got}, which is no activity of {name}"))
        .suggest(format!("leave `_activity` out to run {own}, or send \"\" to fill `_output` yourself"))
}

/// The output of a latent call that the model filled.
fn filled(tool: &Tool, output: Value) -> Result<Value, Fault> {
    let mut violations = tool.check_output(&output)?;
    if violations.is_empty() {
        return Ok(output);
    }
    for violation in &mut violations {
        violation.pointer.insert_str(0, "/_output");
    }
    let message = said(&format!("the `_output` of {}", tool.name()), &violations);
    Err(Fault::new(Code::InvalidArgs, message)
        .suggest("send the call again with an `_output` that is valid by the schema in `details.schema`")
        .detail(json!({ "violations": violations, "schema": tool.def().output_schema })))
}

fn missing_why(tool: &Tool, lack: &str, mut violations: Vec<Violation>) -> Fault {
    violations.retain(|violation| violation.pointer != "/why");
    let name = tool.name();
    let fault = Fault::new(Code::MissingWhy, format!("the call of {name} {lack}")).suggest(format!(
        "send the call again with a `why`: one sentence on what you want to accomplish, as {}",
        json!(example_why(tool)),
    ));
    if violations.is_empty() { fault } else { fault.detail(json!({ "violations": violations })) }
}

fn refused_why(tool: &Tool, why: &Why, remark: &str) -> Fault {
    let violation = Violation {
        pointer: "/why".to_owned(),
        expected: "a sentence on what the call is to accomplish".to_owned(),
        got: shown(&json!(why.as_str())),
        message: remark.to_owned(),
    };
    Fault::new(Code::InvalidArgs, format!("the `why` of {} is refused: {remark}", tool.name()))
        .suggest(format!("send the call again with a `why` like {}", json!(example_why(tool))))
        .detail(json!({ "violations": [violation] }))
}

fn example_why(tool: &Tool) -> &str {
    let first = tool.def().examples.first().map(|example| example.why.as_str());
    first.unwrap_or("Find where YAML Jazz is defined to understand its principles")
}

fn invalid(tool: &Tool, alias: Option<&Alias>, violations: &[Violation]) -> Fault {
    let fault = Fault::new(Code::InvalidArgs, said(tool.name(), violations))
        .suggest(format!("send the call again; {}", takes(tool)))
        .detail(json!({ "violations": violations }));
    match alias.filter(|alias| !alias.args.is_empty()) {
        Some(alias) => {
            let pairs = alias.args.iter().map(|(theirs, own)| format!("`{theirs}` is `{own}`"));
            let pairs = pairs.collect::<Vec<_>>().join(", ");
            fault.hint([format!("{} stands for {}, where {pairs}", alias.name, tool.name())])
        }
        None => fault,
    }
}

fn said(subject: &str, violations: &[Violation]) -> String {
    let messages: Vec<&str> = violations.iter().map(|violation| violation.message.as_str()).collect();
    match messages.as_slice() {
        [one] => format!("{subject}: {one}"),
        many => format!("{subject}: {} things are wrong: {}", many.len(), many.join("; ")),
    }
}

/// The arguments that there are.
fn takes(tool: &Tool) -> String {
    let required = tool.def().input_schema.get("required").and_then(Value::as_array);
    let is_required = |name: &&str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let (must, may): (Vec<&str>, Vec<&str>) = tool.def().argument_names().partition(is_required);
    let may = if may.is_empty() { String::new() } else { format!(", and may have {}", may.join(", ")) };
    format!("it must have {}{may}", must.join(", "))
}
