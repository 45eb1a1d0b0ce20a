//! `${NAME}` in settings: a variable of our own environment.

/// A variable that is not set, by its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the environment variable {0} is not set")]
pub(super) struct UnsetVariable(pub(super) String);

/// The text with each `${NAME}` replaced.
///
/// # Errors
/// A variable that is not set.
pub(super) fn expand_variables(text: &str) -> Result<String, UnsetVariable> {
    expand_with(text, |name| std::env::var(name).ok())
}

fn expand_with(text: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, UnsetVariable> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        match after.split_once('}') {
            Some((name, after)) => {
                out.push_str(&value(name).ok_or_else(|| UnsetVariable(name.to_owned()))?);
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
    use super::{UnsetVariable, expand_with};

    #[test]
    fn variables_are_replaced_once() {
        let value = |name: &str| (name == "A").then(|| "${A}!".to_owned());
        assert_eq!(expand_with("Bearer ${A}, ${A}", value).as_deref(), Ok("Bearer ${A}!, ${A}!"));
        assert_eq!(expand_with("$A ${A", value).as_deref(), Ok("$A ${A"));
        assert_eq!(expand_with("${B}", value), Err(UnsetVariable("B".to_owned())));
    }
}
