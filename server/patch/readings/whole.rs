//! A diff whose text as a whole was wrapped: written as one string, or indented.

/// The diff without its wrapping, if it has one.
pub(in super::super) fn unwrap_diff(diff: &str) -> Option<String> {
    let text = diff.trim();
    if !text.contains('\n') && text.contains("\\n") {
        let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
        return serde_json::from_str(&format!("\"{inner}\"")).ok();
    }
    let begins = |line: &str| {
        ["--- ", "diff --git ", "*** Begin Patch", "@@ "].iter().any(|head| line.starts_with(head))
    };
    let first = diff.lines().find(|line| begins(line.trim_start()))?;
    let indent = &first[..first.len() - first.trim_start().len()];
    let inside = |line: &str| line.trim().is_empty() || line.starts_with(indent);
    if indent.is_empty() || !diff.lines().skip_while(|line| *line != first).all(inside) {
        return None;
    }
    let lines = diff.lines().skip_while(|line| *line != first);
    Some(lines.flat_map(|line| [line.strip_prefix(indent).unwrap_or_default(), "\n"]).collect())
}
