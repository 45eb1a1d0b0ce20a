//! A server's names in our grammar: the same name always becomes the same, and no two become one.

use std::collections::HashMap;

use crate::base::hash;
use crate::catalogue::folded_name;

/// Characters of our longest name.
const LONGEST: usize = 64;

/// The name of each of a server's tools under `prefix`, in their order.
///
/// A name that fits our grammar stays as it is. Any other is changed and carries a hash of the original, so that it can
/// neither meet nor take the place of one that fits; so do names that clients could not distinguish.
pub(super) fn tool_names(prefix: &str, remote: &[&str]) -> Vec<String> {
    let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}.") };
    let room = LONGEST.saturating_sub(prefix.len()).max(12);
    let mut alike: HashMap<String, usize> = HashMap::new();
    for name in remote {
        *alike.entry(folded_name(name)).or_default() += 1;
    }
    let name = |name: &&str| {
        let alone = alike.get(&folded_name(name)).is_none_or(|count| *count == 1);
        let own =
            if alone && fits_grammar(name, room) { (*name).to_owned() } else { marked_name(name, room) };
        format!("{prefix}{own}")
    };
    remote.iter().map(name).collect()
}

fn fits_grammar(name: &str, room: usize) -> bool {
    let part = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    };
    name.len() <= room && name.split('.').all(part)
}

fn marked_name(name: &str, room: usize) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    let words: Vec<String> = name
        .split(['.', '/', ':'])
        .map(|part| part.chars().map(plain).collect::<String>())
        .filter(|part| part.chars().any(|c| c.is_ascii_alphanumeric()))
        .map(
            |part| {
                if part.starts_with(|c: char| c.is_ascii_alphabetic()) { part } else { format!("t{part}") }
            },
        )
        .collect();
    let mut own = if words.is_empty() { "tool".to_owned() } else { words.join(".") };
    own.truncate(room - 7);
    let own = own.trim_end_matches('.');
    format!("{own}_{}", &hash::short_hash(name.as_bytes())[..6])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_and_never_meet() {
        let long = "x".repeat(100);
        let remote = [
            "echo",
            "a.b",
            "repo/search",
            "a_b",
            "9lives",
            "größe",
            "get-x",
            "get_x",
            "",
            "…",
            &long,
            "Echo2",
        ];
        let made = tool_names("srv", &remote);
        for name in &made {
            assert!(
                name.len() <= LONGEST && name.split('.').all(|part| fits_grammar(part, LONGEST)),
                "{name}"
            );
        }
        let distinct: std::collections::HashSet<_> = made.iter().map(|name| folded_name(name)).collect();
        assert_eq!(distinct.len(), remote.len(), "{made:?}");
        assert_eq!(made[0], "srv.echo");
        assert!(made[1].starts_with("srv.a.b_"), "it and a_b cannot be told apart: {made:?}");
        assert!(made[2].starts_with("srv.repo.search_"));
        assert_eq!(tool_names("srv", &["repo/search"])[0], made[2], "whatever else there is");
        assert_eq!(tool_names("", &["echo"]), ["echo"]);
    }
}
