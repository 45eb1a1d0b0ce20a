//! The files that define tools: the person's own, then the folder's.

use crate::base::OURS;
use crate::catalogue::Problem;
use crate::session::Session;
use crate::workspace::config;

/// Definition files of one folder at most.
const FILES: usize = 20_000;

/// The person's own definition files, then the folder's. What cannot be read is left out.
pub(super) fn read(session: &Session) -> Vec<(String, String)> {
    let yaml = |name: &String| name.ends_with(".yaml") || name.ends_with(".yml");
    let mut files = Vec::new();
    if let Some(folder) = config::person_folder().map(|folder| folder.join("tools")) {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.retain(yaml);
        names.sort();
        for path in names.iter().take(FILES).map(|name| folder.join(name)).filter(|path| path.is_file()) {
            if let Ok(bytes) = std::fs::read(&path) {
                files.push((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()));
            }
        }
    }
    let store = session.workspace().store();
    let names = store.list("tools").unwrap_or_default();
    let read = |name: &String| {
        let path = format!("tools/{name}");
        let text = String::from_utf8_lossy(&store.read(&path).ok()??).into_owned();
        Some((format!("{OURS}/{path}"), text))
    };
    files.extend(names.iter().filter(|name| yaml(name)).take(FILES).filter_map(read));
    files
}

/// The problem with the absolute path of its file.
pub(super) fn at(session: &Session, problem: Problem) -> Problem {
    match problem.path.starts_with('/') {
        true => problem,
        false => Problem {
            path: format!("{}/{}", session.workspace().root().trim_end_matches('/'), problem.path),
            ..problem
        },
    }
}
