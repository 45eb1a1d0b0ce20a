//! Codex's shell, which itself applies a patch that a command passes to `apply_patch`: no program of that name runs.

use crate::hooks::act::{NativeAct, NativeCall};

/// The names by which it takes a patch.
const PROGRAMS: [&str; 2] = ["apply_patch", "applypatch"];

/// Returns whether a text holds the first line of a patch.
pub(super) fn holds_a_patch(text: &str) -> bool {
    text.lines().any(|line| line.trim_start_matches('\u{feff}').trim() == "*** Begin Patch")
}

/// The action of a script. None if it holds a patch in any other than the one unambiguous form: `apply_patch <<'EOF'`,
/// with an optional `cd FOLDER &&` before it, and nothing after it.
pub(super) fn read_script(script: String) -> Option<NativeCall> {
    if let Some((folder, patch)) = patch_given(&script) {
        let act = NativeAct::Patch { patch: patch.to_owned() };
        let folder = folder.map(str::to_owned);
        return Some(NativeCall { act, folder, is_refused_to_agent: true, ..NativeCall::default() });
    }
    let names_it = || {
        let mut words = script.split(|c: char| c.is_whitespace() || ";&|()'\"`".contains(c));
        words.any(|word| {
            PROGRAMS.iter().any(|program| word == *program || word.ends_with(&format!("/{program}")))
        })
    };
    let is_patch = holds_a_patch(&script) || names_it() && script.contains("*** ");
    let act = NativeAct::Command { script };
    (!is_patch).then(|| NativeCall { act, ..NativeCall::default() })
}

/// The folder and the patch of a script that does nothing but apply it.
fn patch_given(script: &str) -> Option<(Option<&str>, &str)> {
    let script = script.trim();
    let (first, body) = script.split_once('\n')?;
    let (folder, call) = match first.split_once("&&") {
        Some((change, call)) => (Some(change_folder(change.trim())?), call.trim()),
        None => (None, first.trim()),
    };
    let redirect = PROGRAMS.iter().find_map(|program| call.strip_prefix(program))?;
    let mark = redirect.trim().strip_prefix("<<")?.trim();
    let quoted = |quote: char| mark.strip_prefix(quote).and_then(|mark| mark.strip_suffix(quote));
    let mark = quoted('\'').or_else(|| quoted('"')).unwrap_or(mark);
    let is_plain = !mark.is_empty() && mark.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let patch = body.strip_suffix(mark)?.strip_suffix('\n')?;
    // A line equal to the mark would end the patch early.
    (is_plain && patch.lines().all(|line| line != mark)).then_some((folder, patch))
}

/// The folder of `cd FOLDER`, where that is one plain word.
fn change_folder(change: &str) -> Option<&str> {
    let word = change.strip_prefix("cd")?;
    let word = word.starts_with([' ', '\t']).then(|| word.trim())?;
    let quoted = |quote: char| word.strip_prefix(quote).and_then(|word| word.strip_suffix(quote));
    let inner = quoted('\'').or_else(|| quoted('"'));
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+@,=".contains(c) || c == ' ' && inner.is_some();
    let folder = inner.unwrap_or(word);
    (!folder.is_empty() && !folder.starts_with('-') && folder.chars().all(is_plain)).then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch";

    fn read(script: &str) -> Option<NativeCall> {
        read_script(script.to_owned())
    }

    #[test]
    fn a_patch_that_a_shell_applies_is_an_edit() {
        for (before, mark, folder) in [
            ("apply_patch <<'EOF'", "EOF", None),
            ("apply_patch << EOF", "EOF", None),
            (" applypatch <<\"P_1\"", "P_1", None),
            ("cd sub && apply_patch <<'EOF'", "EOF", Some("sub")),
            ("cd 'a b' &&  apply_patch <<EOF", "EOF", Some("a b")),
        ] {
            let call = read(&format!("{before}\n{PATCH}\n{mark}\n")).unwrap();
            assert_eq!(call.act, NativeAct::Patch { patch: PATCH.into() }, "{before}");
            assert_eq!(call.folder.as_deref(), folder, "{before}");
        }
    }

    #[test]
    fn a_patch_beside_something_else_is_neither_an_edit_nor_a_command() {
        for script in [
            PATCH.to_owned(),
            format!("apply_patch '{PATCH}'"),
            format!("apply_patch \"$(cat <<'EOF'\n{PATCH}\nEOF\n)\""),
            format!("ls; apply_patch <<'EOF'\n{PATCH}\nEOF"),
            format!("apply_patch <<'EOF'\n{PATCH}\nEOF\nrm a"),
            format!("cd $(pwd) && apply_patch <<'EOF'\n{PATCH}\nEOF"),
            format!("cd a || apply_patch <<'EOF'\n{PATCH}\nEOF"),
            format!("(apply_patch <<'EOF'\n{PATCH}\nEOF\n)"),
            format!("apply_patch <<-EOF\n\t{PATCH}\n\tEOF"),
        ] {
            assert_eq!(read(&script), None, "{script}");
        }
        for script in
            ["grep -rn apply_patch src", "which apply_patch", "ls", "echo '***'", "apply_patch --help"]
        {
            assert_eq!(read(script).unwrap().act, NativeAct::Command { script: script.into() });
        }
    }
}
