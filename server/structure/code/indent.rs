//! The indentation of a definition that is put in another's place.

/// Returns the text for a place with an indentation: its first line without it, the others with it. A text that stands
/// at that indentation already stays as it is.
pub(super) fn reindent(new: &str, indent: &str) -> String {
    let new = new.trim_matches(['\n', '\r']).trim_end();
    let mut lines = new.split('\n');
    let first = lines.next().unwrap_or_default();
    let own = leading(first);
    let rest: Vec<&str> = lines.collect();
    let as_placed = own.is_empty() && stands_at(&rest, indent);
    let mut text = first[own.len()..].to_owned();
    for line in rest {
        text.push('\n');
        let blank = line.trim().is_empty();
        match line.strip_prefix(own) {
            Some(inner) if !as_placed && !blank => {
                text.push_str(indent);
                text.push_str(inner);
            }
            _ => text.push_str(if blank { line.trim_end() } else { line }),
        }
    }
    text
}

fn leading(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Returns whether the lines behind a first line without indentation stand at the place's indentation: the closing one at
/// it, or, without a closing one, all of them deeper.
fn stands_at(rest: &[&str], indent: &str) -> bool {
    if indent.is_empty() {
        return false;
    }
    let mut written = rest.iter().filter(|line| !line.trim().is_empty());
    let Some(last) = written.clone().next_back() else { return false };
    if !written.clone().all(|line| line.starts_with(indent)) {
        return false;
    }
    let closes = last.trim_start().starts_with(['}', ')', ']']);
    match closes {
        true => leading(last) == indent,
        false => written.all(|line| leading(line).len() >= 2 * indent.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::reindent;

    #[test]
    fn a_definition_takes_the_indentation_of_its_place() {
        let cases = [
            ("fn a() {\n    b();\n}", "    ", "fn a() {\n        b();\n    }"),
            ("    fn a() {\n        b();\n    }", "    ", "fn a() {\n        b();\n    }"),
            ("fn a() {\n        b();\n    }", "    ", "fn a() {\n        b();\n    }"),
            ("def a(self):\n    return 1", "    ", "def a(self):\n        return 1"),
            ("def a(self):\n        return 1", "    ", "def a(self):\n        return 1"),
            ("\tb()\n\n\tc()", "", "b()\n\nc()"),
            ("x = 1\n", "  ", "x = 1"),
        ];
        for (new, indent, expected) in cases {
            assert_eq!(reindent(new, indent), expected, "{new:?}");
        }
    }
}
