//! The project that the demo plays on: the one that ships in the program, or a copy of the person's own.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The project that ships, file by file; a test compares the list with the folder.
macro_rules! shipped {
    ($($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!("../../../tests/cases/demo/project/", $path)))),+]
    };
}

/// Its files.
const SHIPPED: &[(&str, &str)] = shipped![
    "README.md",
    "package.json",
    "src/cli.js",
    "src/errors.js",
    "src/evaluate.js",
    "src/functions.js",
    "src/parser.js",
    "src/tokens.js",
    "test/evaluate.test.js",
    "test/parser.test.js",
];

/// Files that a copy of a project takes at the most.
const MOST_FILES: usize = 5_000;

/// Bytes that a copy of a project takes at the most.
const MOST_BYTES: u64 = 64 << 20;

/// A copy of a project in a temporary folder.
#[derive(Clone, Debug)]
pub(super) struct DemoProject {
    /// The temporary folder: it holds the project and the files of the demo's server.
    pub folder: PathBuf,
    /// The project's root.
    pub root: PathBuf,
    /// The folder that it is a copy of; none for the project that ships.
    pub source: Option<PathBuf>,
    /// The number of files that it has.
    pub files: usize,
}

impl DemoProject {
    /// Makes the copy.
    ///
    /// # Errors
    /// The error of the file system, or a folder that is too large, which is refused before anything is copied.
    pub(super) fn copy_from(from: Option<&Path>) -> io::Result<Self> {
        if let Some(from) = from {
            let kind = fs::metadata(from).map_err(with_path(from))?;
            if !kind.is_dir() {
                return Err(io::Error::other(format!(
                    "{} is not a folder: name a project's",
                    from.display()
                )));
            }
        }
        let listed = from.map(list_files).transpose()?;
        let folder = tempfile::Builder::new().prefix("wherefore-demo-").tempdir()?;
        let name = from.map(|from| fs::canonicalize(from).map_err(with_path(from))).transpose()?;
        let name = name.as_deref().and_then(Path::file_name).unwrap_or("calc".as_ref());
        let root = folder.path().join(name);
        let files = match (from, listed) {
            (Some(from), Some(listed)) => copy_files(from, &listed, &root)?,
            _ => write_shipped(&root)?,
        };
        Ok(Self { root, folder: folder.keep(), source: from.map(Path::to_owned), files })
    }

    /// The root with symlinks resolved, as servers know it.
    ///
    /// # Errors
    /// The error of the file system, or a temporary folder whose path is not UTF-8.
    pub(super) fn real_root(&self) -> io::Result<String> {
        let real = fs::canonicalize(&self.root)?;
        let odd = |_| io::Error::other("the temporary folder is not a UTF-8 path");
        real.into_os_string().into_string().map_err(odd)
    }

    /// The folder that it is a copy of, as it was named.
    pub(super) fn source_name(&self) -> String {
        self.source.as_ref().map_or_else(|| "the project".to_owned(), |source| source.display().to_string())
    }

    /// Its text files, in order of their paths.
    pub(super) fn text_files(&self) -> impl Iterator<Item = (String, String)> {
        let mut paths = list_files(&self.root).unwrap_or_default();
        // Source code shows more than a page of prose or a list of settings.
        paths.sort_by_key(|path| (!is_code(path), path.clone()));
        let root = self.root.clone();
        paths.into_iter().filter_map(move |path| {
            let text = String::from_utf8(fs::read(root.join(&path)).ok()?).ok()?;
            Some((path.to_str()?.to_owned(), text))
        })
    }
}

/// Returns whether a path ends like source code.
fn is_code(path: &Path) -> bool {
    const ENDS: [&str; 16] = [
        "rs", "ts", "tsx", "js", "mjs", "py", "go", "c", "h", "cpp", "java", "rb", "lua", "sh", "cs", "swift",
    ];
    path.extension().and_then(|end| end.to_str()).is_some_and(|end| ENDS.contains(&end))
}

/// The regular files of a folder that git would not ignore, relative to it.
fn list_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    let mut bytes = 0;
    let mut walk = ignore::WalkBuilder::new(folder);
    for entry in walk.follow_links(false).sort_by_file_path(Path::cmp).build() {
        let entry = entry.map_err(io::Error::other)?;
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        bytes += entry.metadata().map_err(io::Error::other)?.len();
        paths.extend(entry.path().strip_prefix(folder).map(Path::to_path_buf));
        if paths.len() > MOST_FILES || bytes > MOST_BYTES {
            let limit = format!(
                "{} holds more than {MOST_FILES} files or {} MB: name a smaller folder",
                folder.display(),
                MOST_BYTES >> 20
            );
            return Err(io::Error::other(limit));
        }
    }
    Ok(paths)
}

/// An error that names its path.
fn with_path(path: &Path) -> impl Fn(io::Error) -> io::Error + use<> {
    let path = path.to_owned();
    move |error| io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// Copies the files listed.
fn copy_files(from: &Path, listed: &[PathBuf], root: &Path) -> io::Result<usize> {
    fs::create_dir_all(root)?;
    for path in listed {
        let to = root.join(path);
        to.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::copy(from.join(path), to).map_err(with_path(&from.join(path)))?;
    }
    Ok(listed.len())
}

/// Writes the project that ships.
fn write_shipped(root: &Path) -> io::Result<usize> {
    for (path, text) in SHIPPED {
        let to = root.join(path);
        to.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(to, text)?;
    }
    Ok(SHIPPED.len())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{SHIPPED, list_files};

    #[test]
    fn every_file_of_the_project_ships() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/demo/project");
        let there: Vec<String> =
            list_files(&folder).unwrap().iter().map(|path| path.to_str().unwrap().to_owned()).collect();
        let mut shipped: Vec<String> = SHIPPED.iter().map(|(path, _)| (*path).to_owned()).collect();
        shipped.sort_by(|a, b| Path::new(a).cmp(Path::new(b)));
        assert_eq!(shipped, there);
    }
}
