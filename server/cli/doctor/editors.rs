//! The installed editors, and a check of their versions.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::DoctorCheck;

/// The time limit for an editor to print its version.
const PATIENCE: Duration = Duration::from_secs(3);

/// An editor that we know.
struct KnownEditor {
    name: &'static str,
    program: &'static str,
    /// The least version: major and minor.
    least: (u32, u32),
    /// A description of the support for it.
    how: &'static str,
}

/// The known editors, best supported first.
const KNOWN: [KnownEditor; 4] = [
    KnownEditor { name: "Neovim", program: "nvim", least: (0, 10), how: "with the plugin in editors/nvim" },
    KnownEditor {
        name: "VS Code",
        program: "code",
        least: (1, 107),
        how: "with the extension in editors/vscode",
    },
    KnownEditor {
        name: "Helix",
        program: "hx",
        least: (24, 3),
        how: "as a language client: code actions accept and reject hunks",
    },
    KnownEditor {
        name: "Emacs",
        program: "emacs",
        least: (29, 1),
        how: "as a language client: code actions accept and reject hunks",
    },
];

/// Runs one check for each editor that is installed; a single check that suggests an editor if there is none.
pub(super) fn check_editors() -> Vec<DoctorCheck> {
    let found: Vec<DoctorCheck> = KNOWN.iter().filter_map(check_editor).collect();
    match found.is_empty() {
        false => found,
        true => vec![DoctorCheck::lacking(
            "editors",
            "none of nvim, code, hx, emacs is on the PATH",
            "Install Neovim 0.10 or later. Calls work without an editor: changes wait for `wherefore review`.",
        )],
    }
}

/// Checks that one of the known editors, named by its program, can be used here.
///
/// # Errors
/// The missing requirement and its remedy.
pub(crate) fn require_editor(program: &str) -> Result<(), String> {
    let Some(editor) = KNOWN.iter().find(|editor| editor.program == program) else { return Ok(()) };
    let (major, minor) = editor.least;
    let mend = format!("install {} {major}.{minor} or later", editor.name);
    let said = version_text(program).ok_or_else(|| format!("`{program}` is not on the PATH: {mend}"))?;
    match parse_version(&said) {
        Some(has) if has >= editor.least => Ok(()),
        Some((major, minor)) => Err(format!("`{program}` is {major}.{minor}, which is too old: {mend}")),
        None => Err(format!("`{program} --version` prints no version: {mend}")),
    }
}

/// The check of one editor; none if it is not installed.
fn check_editor(editor: &KnownEditor) -> Option<DoctorCheck> {
    let said = version_text(editor.program)?;
    let (major, minor) = editor.least;
    let mend = || format!("Install {} {major}.{minor} or later.", editor.name);
    Some(match parse_version(&said) {
        Some(has) if has >= editor.least => {
            DoctorCheck::well(editor.name, format!("{}.{} {}", has.0, has.1, editor.how))
        }
        Some(has) => DoctorCheck::lacking(editor.name, format!("{}.{} is too old", has.0, has.1), mend()),
        None => DoctorCheck::lacking(editor.name, "it does not print its version", mend()),
    })
}

/// The first output of `PROGRAM --version`, with a time limit; none if there is no such program.
fn version_text(program: &str) -> Option<String> {
    let quiet = || Stdio::null();
    let mut child = Command::new(program)
        .arg("--version")
        .stdin(quiet())
        .stderr(quiet())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if child.try_wait().ok()?.is_some() {
            let mut said = String::new();
            child.stdout.take()?.take(4096).read_to_string(&mut said).ok()?;
            return Some(said);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    // An editor that does not answer in time cannot be used.
    let _ = child.kill();
    let _ = child.wait();
    Some(String::new())
}

/// The first two numbers joined by a dot.
fn parse_version(said: &str) -> Option<(u32, u32)> {
    let words = said.split(|c: char| !(c.is_ascii_digit() || c == '.'));
    words.filter_map(|word| word.split_once('.')).find_map(|(major, rest)| {
        let minor = rest.split('.').next()?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::parse_version;

    #[test]
    fn versions_are_read_from_what_editors_say() {
        let cases = [
            ("NVIM v0.10.4\nBuild type: Release", Some((0, 10))),
            ("1.96.2\nfabdb6a30b49f79a7aba0f2ad9df9b399473380f\nx64", Some((1, 96))),
            ("helix 25.01.1 (e7ac2fcd)", Some((25, 1))),
            ("GNU Emacs 30.1", Some((30, 1))),
            ("no number.here", None),
        ];
        for (said, expected) in cases {
            assert_eq!(parse_version(said), expected, "{said}");
        }
    }
}
