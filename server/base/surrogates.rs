//! JSON whose `\u` escapes name halves of a character: a text that was cut in the middle of one. JavaScript reads and writes
//! such JSON; Rust's strings hold no half.

/// Replaces each lone half in JSON by U+FFFD; none if there is no lone half.
pub fn replace_halves(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut any = false;
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = match (parse_surrogate(rest), rest.get(6..).and_then(parse_surrogate)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                any = true;
                out.push_str("\\ufffd");
                rest = &rest[6..];
                continue;
            }
            _ => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
        };
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out.push_str(rest);
    any.then_some(out)
}

/// The number of the escape that the text begins with.
fn parse_surrogate(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::replace_halves;

    #[test]
    fn halves_that_stand_alone_are_replaced() {
        for (text, expected) in [
            (r#""\ud83d""#, Some(r#""\ufffd""#)),
            (r#""\ud83d\ude00""#, None),
            (r#""a\\ud83d \ude00é""#, Some(r#""a\\ud83d \ufffdé""#)),
            (r#""plain""#, None),
            (r"\", None),
            (r"\u12", None),
        ] {
            assert_eq!(replace_halves(text).as_deref(), expected, "{text}");
        }
    }
}
