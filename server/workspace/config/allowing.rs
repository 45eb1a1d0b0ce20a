//! A command that the person allows for always, written into their own settings.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

use super::person_folder;
use crate::base::person;
use crate::protocol::Settings;

/// Why a command is not allowed for always.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AllowingError {
    /// There is no folder for the person's settings.
    #[error("there is no folder for your settings: neither XDG_CONFIG_HOME nor HOME is set")]
    Nowhere,
    /// The file cannot be read or written.
    #[error("{path} cannot be written")]
    File {
        /// The settings file.
        path: PathBuf,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// The file is damaged, or lists allowed commands in another form.
    #[error("{path} takes no further [[rules.commands.allow]]: {why}")]
    Damaged {
        /// The settings file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
}

/// Adds an argument vector to `rules.commands.allow` of the person's settings, with why it was allowed. The file is replaced
/// in one step; a symlink to it stays one.
///
/// # Errors
/// Where there is no such file, and none can be made, or where it would not be read afterwards. It is as it was then.
pub(crate) fn allow_always(argv: &[String], why: &str) -> Result<PathBuf, AllowingError> {
    let folder = person_folder().ok_or(AllowingError::Nowhere)?;
    let path = folder.join("config.toml");
    let failed = |source| AllowingError::File { path: path.clone(), source };
    fs::create_dir_all(&folder).map_err(failed)?;
    let _lock = person::lock(&folder).map_err(|why| AllowingError::Damaged { path: path.clone(), why })?;
    let real = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
    let before = match fs::read_to_string(&real) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        read => read.map_err(failed)?,
    };
    let text = added(&before, argv, why);
    if let Err(error) = toml::from_str::<Settings>(&text) {
        return Err(AllowingError::Damaged { path, why: error.message().to_owned() });
    }
    let above = real.parent().unwrap_or(&folder);
    let mut new = tempfile::NamedTempFile::new_in(above).map_err(failed)?;
    new.write_all(text.as_bytes()).map_err(failed)?;
    new.persist(&real).map_err(|error| failed(error.error))?;
    Ok(path)
}

fn added(before: &str, argv: &[String], why: &str) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let argv: Vec<String> = argv.iter().map(|word| quoted(word)).collect();
    let gap = if before.is_empty() {
        ""
    } else if before.ends_with('\n') {
        "\n"
    } else {
        "\n\n"
    };
    format!("{before}{gap}[[rules.commands.allow]]\nargv = [{}]\nwhy = {}\n", argv.join(", "), quoted(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_read_again_as_it_was_said() {
        let argv = ["bash", "-c", "git push # \"now\"\n"].map(str::to_owned);
        let mut text = "[review]\npolicy = \"hold\"".to_owned();
        for why in ["ship it", "ends with \\ and \u{202e}"] {
            text = added(&text, &argv, why);
            let settings: Settings = toml::from_str(&text).unwrap();
            let last = settings.rules.commands.allow.last().unwrap();
            assert_eq!((&last.argv[..], last.why.as_str()), (&argv[..], why));
        }
        assert_eq!(toml::from_str::<Settings>(&text).unwrap().rules.commands.allow.len(), 2);
    }
}
