//! The name of a tool as models write it.

use super::ArgumentRepair;

/// Prefixes that some models put before each name.
const PREFIXES: [&str; 8] =
    ["functions.", "function.", "tools.", "tool.", "default_api.", "functions:", "multi_tool_use.", "api."];

/// Bytes of the longest name that is looked at.
const LONGEST: usize = 200;

/// Returns the tool that a name means, and the repair if it is not the name as it came. `resolve` gives the name of
/// the tool for a name or an alias. `None` if the name fits no tool, or more than one.
pub fn tool_name(
    name: &str,
    resolve: &dyn Fn(&str) -> Option<String>,
) -> Option<(String, Option<ArgumentRepair>)> {
    if let Some(tool) = resolve(name) {
        return Some((tool, None));
    }
    if name.len() > LONGEST {
        return None;
    }
    let mut found: Vec<String> = Vec::new();
    for spelling in name_spellings(name) {
        if let Some(tool) = resolve(&spelling).filter(|tool| !found.contains(tool)) {
            found.push(tool);
        }
    }
    match <[String; 1]>::try_from(found) {
        Ok([tool]) => Some((tool, Some(ArgumentRepair::ToolName))),
        Err(_) => None,
    }
}

/// Other spellings of a name: without a prefix, without tokens behind it, in lower case, with dots or underscores.
fn name_spellings(name: &str) -> Vec<String> {
    let name = name.split("<|").next().unwrap_or_default().trim();
    let name = name.trim_matches(|c: char| matches!(c, '"' | '\'' | '`')).trim_end_matches("()");
    let mut plain = vec![name.to_owned()];
    plain.extend(PREFIXES.iter().filter_map(|prefix| name.strip_prefix(prefix)).map(str::to_owned));
    let lower: Vec<String> = plain.iter().map(|name| name.to_lowercase()).collect();
    plain.extend(lower);
    plain.extend(plain.clone().iter().map(|name| to_snake_case(name)));
    let mut all = plain.clone();
    for name in &plain {
        let separators = |c: char| matches!(c, '_' | '-' | '.' | '/' | ':' | ' ');
        all.push(name.replace("__", "."));
        all.push(name.replace(separators, "."));
        all.push(name.replace(separators, "_"));
        for (at, _) in name.match_indices(separators) {
            let (before, after) = (&name[..at], &name[at + 1..]);
            all.push(format!("{before}.{after}"));
        }
    }
    all
}

/// `readFile` as `read_file`.
fn to_snake_case(name: &str) -> String {
    let mut out = String::new();
    let mut before = '_';
    for c in name.chars() {
        if c.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit()) {
            out.push('_');
        }
        out.extend(c.to_lowercase());
        before = c;
    }
    out
}
