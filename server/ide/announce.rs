//! The file by which an agent finds its editor, in the agent's own folder and form.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::WantedSlot;
use crate::base::person;
use crate::protocol::IdeSlot;

/// What agents call this editor.
pub(super) const NAME: &str = "wherefore";

/// The file that announces a slot. Dropping it removes the file.
#[derive(Debug)]
pub(super) struct Announcement {
    agent: IdeSlot,
    file: PathBuf,
    folders: Vec<String>,
    port: u16,
    token: String,
}

impl Drop for Announcement {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.file);
    }
}

impl Announcement {
    /// Writes the file, for the person's eyes alone. Files of servers of ours that ended are removed first.
    ///
    /// # Errors
    /// What the system says.
    pub(super) fn make(wanted: &WantedSlot, port: u16, token: String) -> io::Result<Self> {
        let folder = folder(wanted.agent).ok_or_else(|| io::Error::other("no home folder is known"))?;
        DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
        sweep(&folder);
        let pid = std::process::id();
        let name = match wanted.agent {
            IdeSlot::GeminiCli => format!("gemini-ide-server-{pid}-{port}.json"),
            _ => format!("{port}.lock"),
        };
        let (agent, folders) = (wanted.agent, wanted.folders.clone());
        let made = Self { agent, file: folder.join(name), folders, port, token };
        made.write()?;
        Ok(made)
    }

    fn write(&self) -> io::Result<()> {
        let partial = self.file.with_extension("new");
        let _ = fs::remove_file(&partial);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&partial)?;
        file.write_all(self.content().to_string().as_bytes())?;
        fs::rename(&partial, &self.file)
    }

    fn content(&self) -> Value {
        let (port, token, pid) = (self.port, &self.token, std::process::id());
        match self.agent {
            IdeSlot::GeminiCli => json!({
                "port": port, "workspacePath": self.folders.join(":"), "authToken": token,
                "ideInfo": { "name": NAME, "displayName": NAME }, "pid": pid,
            }),
            _ => json!({
                "pid": pid, "workspaceFolders": self.folders, "ideName": NAME, "transport": "ws",
                "runningInWindows": false, "authToken": token,
            }),
        }
    }

    /// Its absolute path.
    pub(super) fn file(&self) -> String {
        self.file.display().to_string()
    }

    /// The variables by which the agent finds it from a terminal of the editor. None holds the token.
    pub(super) fn env(&self) -> BTreeMap<String, String> {
        let (port, folders) = (self.port.to_string(), self.folders.join(":"));
        let env: &[(&str, String)] = match self.agent {
            IdeSlot::GeminiCli => &[
                ("GEMINI_CLI_IDE_SERVER_PORT", port),
                ("GEMINI_CLI_IDE_WORKSPACE_PATH", folders),
                ("GEMINI_CLI_IDE_PID", std::process::id().to_string()),
            ],
            _ => &[("CLAUDE_CODE_SSE_PORT", port), ("ENABLE_IDE_INTEGRATION", "true".to_owned())],
        };
        env.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
    }

    /// The files by which others announce an editor for one of the folders.
    pub(super) fn others(&self) -> Vec<String> {
        let Some(folder) = self.file.parent() else { return Vec::new() };
        let is_same = |content: &Value| {
            let path = content["workspacePath"].as_str().unwrap_or_default();
            let named =
                content["workspaceFolders"].as_array().into_iter().flatten().filter_map(Value::as_str);
            named.chain(path.split(':')).any(|named| self.folders.iter().any(|own| own == named))
        };
        let others = files(folder).into_iter().filter(|(file, content)| {
            *file != self.file && is_same(content) && !pid(content).is_some_and(is_gone)
        });
        others.map(|(file, _)| file.display().to_string()).collect()
    }
}

/// Where an agent looks for editors.
fn folder(agent: IdeSlot) -> Option<PathBuf> {
    match agent {
        IdeSlot::GeminiCli => Some(std::env::temp_dir().join("gemini/ide")),
        _ => {
            let own = std::env::var_os("CLAUDE_CONFIG_DIR").filter(|folder| !folder.is_empty());
            Some(
                own.map_or_else(|| person::home().map(|home| home.join(".claude")), |own| Some(own.into()))?
                    .join("ide"),
            )
        }
    }
}

/// The announcements in a folder, as far as they can be read.
fn files(folder: &Path) -> Vec<(PathBuf, Value)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_one = |path: &PathBuf| {
        matches!(path.extension().and_then(OsStr::to_str), Some("lock" | "json"))
            && fs::symlink_metadata(path).is_ok_and(|entry| entry.is_file() && entry.len() < 64 << 10)
    };
    let read = |path: PathBuf| Some((path.clone(), serde_json::from_slice(&fs::read(path).ok()?).ok()?));
    entries.filter(is_one).filter_map(read).collect()
}

/// Removes what servers of ours left that ended without a word.
fn sweep(folder: &Path) {
    for (file, content) in files(folder) {
        let name = content["ideName"].as_str().or(content.pointer("/ideInfo/name").and_then(Value::as_str));
        if name == Some(NAME) && pid(&content).is_some_and(is_gone) {
            let _ = fs::remove_file(file);
        }
    }
}

fn pid(content: &Value) -> Option<u64> {
    content["pid"].as_u64()
}

fn is_gone(pid: u64) -> bool {
    !Path::new("/proc").join(pid.to_string()).exists() && Path::new("/proc/self").exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(folder: &Path, name: &str, ide: &str, pid: u64) {
        let content = json!({ "ideName": ide, "pid": pid, "workspaceFolders": ["/ws"] });
        fs::write(folder.join(name), content.to_string()).unwrap();
    }

    #[test]
    fn only_what_servers_of_ours_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let (gone, here) = (u64::from(u32::MAX), u64::from(std::process::id()));
        lock(folder.path(), "1.lock", NAME, gone);
        lock(folder.path(), "2.lock", NAME, here);
        lock(folder.path(), "3.lock", "Visual Studio Code", gone);
        fs::write(folder.path().join("4.lock"), "half").unwrap();
        sweep(folder.path());
        let left = |name: &str| folder.path().join(name).exists();
        assert_eq!(["1.lock", "2.lock", "3.lock", "4.lock"].map(left), [false, true, true, true]);
    }

    #[test]
    fn an_announcement_is_for_the_person_alone_and_goes_with_its_slot() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        lock(folder.path(), "9.lock", "Visual Studio Code", u64::from(std::process::id()));
        let file = folder.path().join("7.lock");
        let (agent, token) = (IdeSlot::ClaudeCode, "secret".to_owned());
        let made =
            Announcement { agent, file: file.clone(), folders: vec!["/ws".to_owned()], port: 7, token };
        made.write().unwrap();
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(made.others(), [folder.path().join("9.lock").display().to_string()]);
        assert!(made.env().values().all(|value| value != "secret"));
        drop(made);
        assert!(!file.exists());
    }
}
