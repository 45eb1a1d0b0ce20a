//! The files of a project that a server's command line runs: a consent to the server binds them.
//!
//! Bound are the program, every word of the command line and of the environment that names a file below the root, the
//! module that `python -m` names, the files that a runner reads by default (`npm`, `make`), and interpreters that first
//! lines name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use rustix::fs::OFlags;

use crate::base::{WorkspacePath, hash};
use crate::protocol::McpServer;

/// The most files that are bound; where there are more, the question states it.
const MOST: usize = 500;
/// Bytes of the largest file that is bound by its content.
const LARGEST: u64 = 512 << 20;
/// Bytes of a first line that names an interpreter.
const FIRST: usize = 512;
/// The first bytes of a database file. A database that a server keeps its data in changes all the time, and holds no
/// program.
const DATABASE: &[u8] = b"SQLite format 3\0";
/// Names that a question shows.
const SHOWN_NAMES: usize = 20;
/// The number of times that an interpreter may itself be a script.
const DEEP: usize = 4;
/// The time that a file has to stand still before its hash is remembered: a clock's tick may hide a change.
const STILL: Duration = Duration::from_secs(2);

/// Names of programs, and the files that these read.
type ProgramTable = &'static [(&'static [&'static str], &'static [&'static str])];

/// The files that programs read from their start folder without an argument.
const IMPLIED_FILES: ProgramTable = &[
    (&["npm", "pnpm", "yarn", "bun"], &["package.json"]),
    (&["deno"], &["deno.json", "deno.jsonc", "package.json"]),
    (&["make", "gmake"], &["GNUmakefile", "makefile", "Makefile"]),
    (&["just"], &["justfile", "Justfile", ".justfile"]),
    (
        &["docker", "docker-compose", "podman"],
        &["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"],
    ),
];
/// The files that interpreters run where they are given a folder.
const IN_FOLDERS: ProgramTable = &[
    (&["node", "bun", "deno"], &["package.json", "index.js", "index.mjs", "index.cjs", "index.ts"]),
    (&["python", "python3"], &["__main__.py"]),
];

/// The files by path below the root, each with what it holds and where it leads.
pub(crate) type BoundFiles = BTreeMap<String, String>;

/// The stamp by which one state of a file differs from the next.
type BoundStamp = (u64, u64, u64, i64, i64, i64, i64);

/// Hashes of files that have not changed since they were read.
#[derive(Debug, Default)]
pub(crate) struct FileHashes(Mutex<BTreeMap<PathBuf, (BoundStamp, String)>>);

/// The files that a server's command line names, as they are now.
pub(crate) fn find_bound_files(root: &Path, settings: &McpServer, hashes: &FileHashes) -> BoundFiles {
    let Some(command) = &settings.command else { return BoundFiles::new() };
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let cwd = settings.cwd.as_ref().map_or_else(|| root.clone(), |cwd| root.join(cwd));
    let mut search = BoundSearch { root: &root, cwd: &cwd, found: BTreeSet::new() };
    // As the system looks for it: one with a slash from the root, any other along the path.
    match command.contains('/') {
        true => search.add_path(&root.join(command)),
        false => search.on_path(command),
    }
    settings.args.iter().chain(settings.env.values()).for_each(|text| search.add_words(text));
    search.add_implied_files(command, &settings.args);
    named_modules(&settings.args).for_each(|module| search.add_module(module));
    search.add_interpreters();
    search.found.iter().take(MOST).map(|path| (shown_path(&root, path), file_state(path, hashes))).collect()
}

/// Returns the paths of the files and of their link targets below the root: they are closed to all tools.
pub(crate) fn bound_paths(root: &Path, files: &BoundFiles) -> Vec<WorkspacePath> {
    let real = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let mut paths = BTreeSet::new();
    for file in files.keys() {
        paths.extend(WorkspacePath::from_relative(file));
        let target = real.join(file).canonicalize().ok();
        let below = target.as_deref().and_then(|target| target.strip_prefix(&real).ok()?.to_str());
        paths.extend(below.and_then(WorkspacePath::from_relative));
    }
    paths.into_iter().filter(|path| !path.is_root()).collect()
}

/// Describes the files that a consent binds, for a question.
pub(crate) fn describe_bound(files: &BoundFiles) -> String {
    let beyond = "What the program loads beyond that is not looked at.";
    match files.is_empty() {
        true => format!("No file of the project stands in its command line. {beyond}"),
        false => {
            let names: Vec<&str> = files.keys().take(SHOWN_NAMES).map(String::as_str).collect();
            let more = files.len().saturating_sub(SHOWN_NAMES);
            let more = match files.len() {
                MOST.. => format!(" and {more} more, which is the most that is bound"),
                _ if more > 0 => format!(" and {more} more"),
                _ => String::new(),
            };
            format!(
                "Your consent binds these files of the project as they are now: {}{more}. Where one changes, you are \
                 asked again, and no tool may write them. {beyond}",
                names.join(", ")
            )
        }
    }
}

/// Describes the changes since the consent, in a line.
pub(crate) fn describe_changes(before: &BoundFiles, now: &BoundFiles) -> String {
    let names: BTreeSet<&String> = before.keys().chain(now.keys()).collect();
    let changed: Vec<&str> =
        names.into_iter().filter(|name| before.get(*name) != now.get(*name)).map(String::as_str).collect();
    changed.join(", ")
}

struct BoundSearch<'a> {
    root: &'a Path,
    cwd: &'a Path,
    found: BTreeSet<PathBuf>,
}

impl BoundSearch<'_> {
    /// Adds the file at a path, where it or its link target is a file of the project.
    fn add_path(&mut self, path: &Path) {
        let plain = plain_path(path);
        let Ok(target) = plain.canonicalize() else {
            // A link that leads nowhere yet may lead somewhere later: then the file counts as new.
            return;
        };
        let below = plain.starts_with(self.root) || target.starts_with(self.root);
        if below && target.is_file() && !is_database(&target) {
            self.found.insert(if plain.starts_with(self.root) { plain } else { target });
        }
    }

    /// Takes in the program of that name, where the search path leads into the project.
    fn on_path(&mut self, program: &str) {
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&folders).map(|folder| self.cwd.join(folder).join(program));
        if let Some(first) = found.into_iter().find(|path| path.is_file()) {
            self.add_path(&first);
        }
    }

    /// Adds every file that a text names: a whole argument, a part after `=`, a single part of a shell's line.
    fn add_words(&mut self, text: &str) {
        self.add_path(&self.cwd.join(text));
        let ends = |c: char| c.is_whitespace() || "=;:,&|()<>\"'`$".contains(c);
        for word in text.split(ends).filter(|word| !word.is_empty() && *word != text) {
            self.add_path(&self.cwd.join(word.strip_prefix("file://").unwrap_or(word)));
        }
        // As in `-I./lib` and `file:///x`.
        if let Some((_, rest)) = text.split_once("file://") {
            self.add_path(&self.cwd.join(rest));
        }
        if let Some(at) = text.find(['.', '/']).filter(|_| text.starts_with('-')) {
            self.add_path(&self.cwd.join(&text[at..]));
        }
    }

    /// Adds the files that the program reads though no argument names them, in its start folder and in folders among its
    /// arguments.
    fn add_implied_files(&mut self, command: &str, args: &[String]) {
        let program = command.rsplit('/').next().unwrap_or(command);
        files_of(IMPLIED_FILES, program).for_each(|file| self.add_path(&self.cwd.join(file)));
        for folder in args.iter().map(|arg| self.cwd.join(arg)).filter(|path| path.is_dir()) {
            files_of(IN_FOLDERS, program).for_each(|file| self.add_path(&folder.join(file)));
        }
    }

    /// Takes in the module of that name: a file, or a package with all of its own sources.
    fn add_module(&mut self, module: &str) {
        let base = self.cwd.join(module.replace('.', "/"));
        self.add_path(&base.with_extension("py"));
        let mut folders = vec![base];
        while let Some(folder) = folders.pop().filter(|_| self.found.len() < MOST) {
            for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
                let path = entry.path();
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => folders.push(path),
                    Ok(_) if path.extension().is_some_and(|ending| ending == "py") => self.add_path(&path),
                    _ => {}
                }
            }
        }
    }

    /// Takes in what the first lines of the files name.
    fn add_interpreters(&mut self) {
        let mut new: Vec<PathBuf> = self.found.iter().cloned().collect();
        for _ in 0..DEEP {
            let before = self.found.clone();
            for line in new.iter().filter_map(|path| first_line(path)) {
                self.add_words(&line);
            }
            new = self.found.difference(&before).cloned().collect();
        }
    }
}

/// The files that a table has for a program.
fn files_of(table: ProgramTable, program: &str) -> impl Iterator<Item = &'static str> {
    let meant = table.iter().filter(move |(programs, _)| programs.contains(&program));
    meant.flat_map(|(_, files)| files.iter().copied())
}

/// The modules that `-m` names.
fn named_modules(args: &[String]) -> impl Iterator<Item = &str> {
    let pairs = args.iter().zip(args.iter().skip(1));
    let apart = pairs.filter(|(flag, _)| *flag == "-m").map(|(_, module)| module.as_str());
    let joined = args.iter().filter_map(|word| word.strip_prefix("-m")).filter(|module| !module.is_empty());
    let is_name = |module: &&str| module.chars().all(|c| c.is_alphanumeric() || "._".contains(c));
    apart.chain(joined).filter(is_name)
}

/// Returns whether a file holds a server's data, and cannot be run.
fn is_database(path: &Path) -> bool {
    let Some(file) = open_regular(path) else { return false };
    let runs = file.metadata().is_ok_and(|meta| meta.mode() & 0o111 != 0);
    let mut start = Vec::new();
    let read = file.take(DATABASE.len() as u64).read_to_end(&mut start);
    !runs && read.is_ok() && start == DATABASE
}

/// Returns the text after `#!` in the first line.
fn first_line(path: &Path) -> Option<String> {
    let mut start = Vec::new();
    open_regular(path)?.take(FIRST as u64).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    Some(String::from_utf8_lossy(line).into_owned())
}

/// A path with no `.` and `..` in it, links not looked at.
fn plain_path(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

fn shown_path(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}

/// Describes the content of a file and its link target in a single term.
fn file_state(path: &Path, hashes: &FileHashes) -> String {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let content = content_hash(&target, hashes).unwrap_or_else(|| "unreadable".to_owned());
    match target == *path {
        true => content,
        false => format!("{content} at {}", target.display()),
    }
}

fn content_hash(path: &Path, hashes: &FileHashes) -> Option<String> {
    let file = open_regular(path)?;
    let meta = file.metadata().ok()?;
    if meta.len() > LARGEST {
        return None;
    }
    let stamp = (
        meta.dev(),
        meta.ino(),
        meta.len(),
        meta.mtime(),
        meta.mtime_nsec(),
        meta.ctime(),
        meta.ctime_nsec(),
    );
    let mut known = hashes.0.lock();
    if let Some((_, hash)) = known.get(path).filter(|(before, _)| *before == stamp) {
        return Some(hash.clone());
    }
    let mut stream = hash::HashStream::default();
    let mut file = file.take(LARGEST);
    let mut part = vec![0; 1 << 16];
    loop {
        match file.read(&mut part).ok()? {
            0 => break,
            read => stream.update(&part[..read]),
        }
    }
    let hash = stream.short_hash();
    let changed = UNIX_EPOCH + Duration::from_secs(u64::try_from(meta.ctime()).unwrap_or_default());
    if SystemTime::now().duration_since(changed).is_ok_and(|since| since > STILL) {
        known.insert(path.to_owned(), (stamp, hash.clone()));
    }
    Some(hash)
}

/// Opens a regular file; a pipe in its place is not waited for.
fn open_regular(path: &Path) -> Option<File> {
    let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOCTTY).bits()).ok()?;
    let file = File::options().read(true).custom_flags(flags).open(path).ok()?;
    file.metadata().is_ok_and(|meta| meta.is_file()).then_some(file)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn named(root: &Path, command: &str, args: &[&str], env: &[(&str, &str)]) -> Vec<String> {
        let settings = McpServer {
            command: Some(command.to_owned()),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            env: env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            ..McpServer::default()
        };
        find_bound_files(root, &settings, &FileHashes::default()).into_keys().collect()
    }

    #[test]
    fn every_file_of_the_project_that_a_command_line_names_is_bound() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for (path, text) in [
            ("x.sh", "#!tools/run -x\n"),
            ("tools/run", "#!/bin/sh\n"),
            ("tools/server.js", "1"),
            ("lib/hook.js", "1"),
            ("pkg/__main__.py", "1"),
            ("pkg/deep/part.py", "1"),
            ("data.json", "{}"),
            ("package.json", "{}"),
            ("data.db", "SQLite format 3\0"),
        ] {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), text).unwrap();
        }
        symlink("tools/server.js", root.join("link.js")).unwrap();
        let absolute = root.join("tools/server.js").display().to_string();
        let check = |command, args: &[&str], env: &[(&str, &str)], expected: &[&str]| {
            assert_eq!(named(&root, command, args, env), expected, "{command} {args:?}");
        };
        check("./x.sh", &[], &[], &["tools/run", "x.sh"]);
        check(
            "node",
            &["tools/server.js", "--config=data.json", "data.db"],
            &[],
            &["data.json", "tools/server.js"],
        );
        check("node", &[&absolute], &[], &["tools/server.js"]);
        check("node", &["link.js"], &[], &["link.js"]);
        check("sh", &["-c", "cd . && ./x.sh; true"], &[], &["tools/run", "x.sh"]);
        check("python3", &["-m", "pkg"], &[], &["pkg/__main__.py", "pkg/deep/part.py"]);
        check("node", &["-r./lib/hook.js", "-e", "1"], &[], &["lib/hook.js"]);
        check("node", &[], &[("NODE_OPTIONS", "--require ./lib/hook.js")], &["lib/hook.js"]);
        check("node", &["."], &[], &["package.json"]);
        check("npm", &["start"], &[], &["package.json"]);
        check("npx", &["server-of-files", "."], &[], &[]);
        check("true", &[".", "/etc/passwd", "nowhere.js"], &[], &[]);
    }

    #[test]
    fn what_a_file_holds_and_where_it_leads_is_one_state() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["a", "b"] {
            std::fs::write(root.join(name), "same").unwrap();
        }
        symlink("a", root.join("link")).unwrap();
        let settings = McpServer { command: Some("./link".to_owned()), ..McpServer::default() };
        let hashes = FileHashes::default();
        let first = find_bound_files(root, &settings, &hashes);
        assert_eq!(first, find_bound_files(root, &settings, &hashes));
        std::fs::write(root.join("a"), "other").unwrap();
        let second = find_bound_files(root, &settings, &hashes);
        assert_eq!(describe_changes(&first, &second), "link");
        std::fs::write(root.join("a"), "same").unwrap();
        std::fs::remove_file(root.join("link")).unwrap();
        symlink("b", root.join("link")).unwrap();
        assert_ne!(first, find_bound_files(root, &settings, &hashes), "the same bytes, but another file");
        let closed: Vec<String> = bound_paths(root, &first).iter().map(ToString::to_string).collect();
        assert_eq!(closed, ["b", "link"]);
    }
}
