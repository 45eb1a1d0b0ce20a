//! `${NAME}` in settings: a variable of our own environment.

/// The text with each `${NAME}` replaced.
///
/// # Errors
/// The name of a variable that is not set.
pub(super) fn expand(text: &str) -> Result<String, String> {
    expand_with(text, |name| std::env::var(name).ok())
}

fn expand_with(text: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        match after.split_once('}') {
            Some((name, after)) => {
                out.push_str(&value(name).ok_or(name)?);
                rest = after;
            }
            None => {
                out.push_str("${");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::expand_with;

    #[test]
    fn variables_are_replaced_once() {
        let value = |name: &str| (name == "A").then(|| "${A}!".to_owned());
        assert_eq!(expand_with("Bearer ${A}, ${A}", value).as_deref(), Ok("Bearer ${A}!, ${A}!"));
        assert_eq!(expand_with("$A ${A", value).as_deref(), Ok("$A ${A"));
        assert_eq!(expand_with("${B}", value), Err("B".to_owned()));
    }
}
