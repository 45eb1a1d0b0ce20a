//! A command or host that the person allows for always, written into their own settings.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;

use super::person_folder;
use crate::base::person;
use crate::protocol::Settings;
use crate::rules::Allowable;

/// Why an act is not allowed for always.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AllowAlwaysError {
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
    /// The file is damaged, or lists what is allowed in another form.
    #[error("{path} takes no further entry of what is allowed: {why}")]
    Damaged {
        /// The settings file.
        path: PathBuf,
        /// The error.
        why: String,
    },
}

/// Adds a command to `rules.commands.allow` of the person's settings, or a host to `rules.network.allow`, with why it was
/// allowed. The file is replaced in one step; a symlink to it stays one.
///
/// # Errors
/// Fails if there is no such file and none can be made, or if the new file would not be valid. The file is unchanged then.
pub(crate) fn allow_always(act: &Allowable, why: &str) -> Result<PathBuf, AllowAlwaysError> {
    let folder = person_folder().ok_or(AllowAlwaysError::Nowhere)?;
    let path = folder.join("config.toml");
    let failed = |source| AllowAlwaysError::File { path: path.clone(), source };
    fs::create_dir_all(&folder).map_err(failed)?;
    let _lock =
        person::lock_dir(&folder).map_err(|why| AllowAlwaysError::Damaged { path: path.clone(), why })?;
    let real = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
    let before = match fs::read_to_string(&real) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        read => read.map_err(failed)?,
    };
    let text = with_command(&before, act, why);
    if let Err(error) = toml::from_str::<Settings>(&text) {
        return Err(AllowAlwaysError::Damaged { path, why: error.message().to_owned() });
    }
    let above = real.parent().unwrap_or(&folder);
    let mut new = tempfile::NamedTempFile::new_in(above).map_err(failed)?;
    new.write_all(text.as_bytes()).map_err(failed)?;
    new.persist(&real).map_err(|error| failed(error.error))?;
    Ok(path)
}

fn with_command(before: &str, act: &Allowable, why: &str) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let (table, entry) = match act {
        Allowable::Command(argv) => {
            let argv: Vec<String> = argv.iter().map(|word| quoted(word)).collect();
            ("rules.commands.allow", format!("argv = [{}]", argv.join(", ")))
        }
        Allowable::Host(host) => ("rules.network.allow", format!("host = {}", quoted(host))),
    };
    let gap = if before.is_empty() {
        ""
    } else if before.ends_with('\n') {
        "\n"
    } else {
        "\n\n"
    };
    format!("{before}{gap}[[{table}]]\n{entry}\nwhy = {}\n", quoted(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_read_again_as_it_was_said() {
        let argv = ["bash", "-c", "git push # \"now\"\n"].map(str::to_owned);
        let mut text = "[review]\npolicy = \"hold\"".to_owned();
        for why in ["ship it", "ends with \\ and \u{202e}"] {
            text = with_command(&text, &Allowable::Command(argv.to_vec()), why);
            let settings: Settings = toml::from_str(&text).unwrap();
            let last = settings.rules.commands.allow.last().unwrap();
            assert_eq!((&last.argv[..], last.why.as_str()), (&argv[..], why));
        }
        text = with_command(&text, &Allowable::Host("docs.rs".to_owned()), "read the manual");
        let settings: Settings = toml::from_str(&text).unwrap();
        assert_eq!(settings.rules.commands.allow.len(), 2);
        assert!(settings.rules.network.allow[0].allows("docs.rs"));
    }
}
