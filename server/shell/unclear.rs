//! Words for a piece of a script that cannot be read.

/// Characters of a piece that are shown.
const SHOWN: usize = 60;

/// Programs that run what they read from the standard input, with what that is in words.
const INTERPRETERS: [(&str, &str); 9] = [
    ("python", "Python"),
    ("node", "JavaScript"),
    ("ruby", "Ruby"),
    ("perl", "Perl"),
    ("php", "PHP"),
    ("Rscript", "R"),
    ("bash", "a shell script"),
    ("zsh", "a shell script"),
    ("sh", "a shell script"),
];

/// A piece as it is shown: its first line, and what it is where a program would run it. `None` if it is blank.
pub(crate) fn unclear_piece(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let is_hidden = |c: char| c.is_control() || !c.is_ascii() && !c.is_alphanumeric();
    let shown: String = line.chars().take(SHOWN).map(|c| if is_hidden(c) { '?' } else { c }).collect();
    let cut = if line.chars().count() > SHOWN { "…" } else { "" };
    Some(match input_of(line) {
        Some(language) => format!("{language} from standard input (`{shown}{cut}`)"),
        None => format!("`{shown}{cut}` cannot be read"),
    })
}

/// Returns the part of the line that an interpreter reads from its standard input.
fn input_of(line: &str) -> Option<&'static str> {
    let (before, _) = line.split_once("<<")?;
    let command = before.rsplit(['|', ';', '&', '(']).next()?;
    let program = command.split_whitespace().next()?.rsplit('/').next()?;
    let name = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.iter().find(|(known, _)| *known == name).map(|(_, language)| *language)
}

#[cfg(test)]
mod tests {
    use super::unclear_piece;

    #[test]
    fn a_piece_is_shown_with_what_it_is() {
        let piece = |text: &str| unclear_piece(text).unwrap_or_default();
        assert_eq!(
            piece("\n  python3.12 - <<'E'\nprint(1)"),
            "Python from standard input (`python3.12 - <<'E'`)"
        );
        assert_eq!(
            piece("cd a && /bin/sh -s <<E"),
            "a shell script from standard input (`cd a && /bin/sh -s <<E`)"
        );
        assert_eq!(piece("cat <<E"), "`cat <<E` cannot be read");
        assert_eq!(piece("a\u{1b}[2J\u{202e}é"), "`a?[2J?é` cannot be read");
        assert_eq!(piece(&"x".repeat(70)), format!("`{}…` cannot be read", "x".repeat(60)));
        assert_eq!(piece(" \n"), "");
    }
}
