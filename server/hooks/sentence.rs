//! The last sentence of a model's text: the reason of its next action.

/// Characters of the longest reason.
const LONGEST: usize = 500;

/// The last sentence of a text, without control characters and cut to a reason's length; none if the text is empty.
pub fn last_sentence(text: &str) -> Option<String> {
    let line = text.lines().rev().map(str::trim).find(|line| line.chars().any(char::is_alphanumeric))?;
    let line = line.trim_start_matches(['#', '-', '*', '>', ' ']);
    let mut ends = line.match_indices(['.', '!', '?']).filter(|(at, _)| {
        line[at + 1..].starts_with(char::is_whitespace) && !line[at + 1..].trim().is_empty()
    });
    let start = ends.next_back().map_or(0, |(at, _)| at + 1);
    let sentence = line[start..].trim().trim_end_matches(':').chars().filter(|c| !c.is_control());
    let sentence: String = sentence.take(LONGEST).collect();
    sentence.chars().any(char::is_alphanumeric).then_some(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_sentence_is_found_and_is_clean() {
        for (text, sentence) in [
            ("One. Two three.", Some("Two three.")),
            ("I looked. Now I fix the limit in v1.2 of a.rs.", Some("Now I fix the limit in v1.2 of a.rs.")),
            ("First.\n\nThen I rename it:\n\n", Some("Then I rename it")),
            ("- **Make** it fast", Some("Make** it fast")),
            ("\u{1b}[31mred\n\n", Some("[31mred")),
            ("...\n", None),
            (" \n ", None),
            ("", None),
        ] {
            assert_eq!(last_sentence(text).as_deref(), sentence, "{text:?}");
        }
        assert_eq!(last_sentence(&"x".repeat(1000)).map(|text| text.len()), Some(LONGEST));
    }
}
