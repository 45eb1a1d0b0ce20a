//! The files that a search's glob names, by any of the readings that agents' tools have: of a list by commas and spaces or
//! as a whole, from the folder, the agent's folder or the one that is searched, with capitals or without.

use std::path::Path;

use ignore::overrides::{Override, OverrideBuilder};

use crate::base::WorkspacePath;

/// The way in which a search reaches a file by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NameReach {
    /// It is left out.
    Out,
    /// It is one of all files.
    Among,
    /// A glob names it.
    Named,
}

/// The names of the files that are searched.
#[derive(Debug)]
pub(super) struct SearchedNames {
    /// The root of the workspace.
    root: String,
    /// Readings of the glob; none where all files are searched.
    readings: Vec<Override>,
    /// True where a part of the glob is not read here: it may name any file.
    is_foreign: bool,
}

impl SearchedNames {
    /// The files of `root` that `glob` names in a search of `at`, which is run in one of the folders `bases`.
    pub(super) fn for_search(root: &str, bases: &[&str], at: &WorkspacePath, glob: Option<&str>) -> Self {
        let mut names = Self { root: root.to_owned(), readings: Vec::new(), is_foreign: false };
        let Some(glob) = glob else { return names };
        let searched = if at.is_root() { root.to_owned() } else { format!("{root}/{at}") };
        let lists = [vec![glob.to_owned()], split_globs(glob)];
        for base in bases.iter().copied().chain([searched.as_str()]) {
            for list in &lists {
                match read_globs(root, base, list) {
                    Some(reading) => names.readings.push(reading),
                    None => names.is_foreign = true,
                }
            }
        }
        names
    }

    /// Returns how the search reaches a file, by the reading that reaches it the most.
    pub(super) fn reach_of(&self, path: &WorkspacePath) -> NameReach {
        if self.is_foreign {
            return NameReach::Named;
        }
        let place = format!("{}/{path}", self.root);
        let readings = self.readings.iter().map(|reading| reach_by(reading, &place));
        readings.max().unwrap_or(NameReach::Among)
    }
}

fn reach_by(reading: &Override, place: &str) -> NameReach {
    let found = reading.matched(place, false);
    // Some tools take a glob that names a folder for all that is in it.
    let above = Path::new(place).ancestors().skip(1);
    let mut above =
        above.take_while(|folder| folder.starts_with(reading.path()) && *folder != reading.path());
    match () {
        () if found.is_whitelist() || above.any(|folder| reading.matched(folder, true).is_whitelist()) => {
            NameReach::Named
        }
        () if found.is_ignore() => NameReach::Out,
        () => NameReach::Among,
    }
}

fn read_globs(root: &str, base: &str, globs: &[String]) -> Option<Override> {
    let mut builder = OverrideBuilder::new(base);
    builder.case_insensitive(true).ok()?;
    for glob in globs {
        // An absolute path may be one of the workspace.
        let inside = glob.strip_prefix(root).filter(|rest| rest.starts_with('/'));
        let glob = inside.unwrap_or(glob.strip_prefix("./").unwrap_or(glob));
        builder.add(glob).ok()?;
    }
    builder.build().ok()
}

/// The globs of a list: they are parted by spaces, and by commas that stand in no braces.
fn split_globs(glob: &str) -> Vec<String> {
    let (mut globs, mut one, mut depth) = (Vec::new(), String::new(), 0usize);
    for c in glob.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match c.is_whitespace() || c == ',' && depth == 0 {
            true => globs.push(std::mem::take(&mut one)),
            false => one.push(c),
        }
    }
    globs.push(one);
    globs.into_iter().filter(|glob| !glob.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_names_what_any_tool_takes_it_for() {
        for (glob, path, expected) in [
            (".env", ".env", NameReach::Named),
            (".env", "a/.env", NameReach::Named),
            ("*.{env,toml}", "a/app.env", NameReach::Named),
            ("*.rs,*.env", "app.env", NameReach::Named),
            ("*.rs *.env", "app.env", NameReach::Named),
            ("*.rs, .ENV", ".env", NameReach::Named),
            ("./conf/*", "conf/app.env", NameReach::Named),
            ("/conf/app.env", "conf/app.env", NameReach::Named),
            ("/w/conf/app.env", "conf/app.env", NameReach::Named),
            ("conf", "conf/deep/app.env", NameReach::Named),
            ("*.env", "sub/app.env", NameReach::Named),
            ("/app.env", "sub/app.env", NameReach::Named),
            ("**/.*", "a/.env", NameReach::Named),
            ("[.]env", ".env", NameReach::Named),
            ("{", ".env", NameReach::Named),
            ("!*.rs", ".env", NameReach::Among),
            ("*.rs", ".env", NameReach::Out),
            ("!.env", ".env", NameReach::Out),
            ("src/**", ".env", NameReach::Out),
        ] {
            let names =
                SearchedNames::for_search("/w", &["/w", "/w/sub"], &WorkspacePath::root(), Some(glob));
            let reach = names.reach_of(&WorkspacePath::parse("/w", path).unwrap());
            assert_eq!(reach, expected, "{glob} {path}");
        }
    }
}
