//! Loads every definition.

use std::collections::HashMap;

use super::definition::folded;
use super::reader::Reader;
use super::{BUILT_IN, Problem, ToolDef, check, node, short, shown};

/// What was loaded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    /// The definitions that are right: the built-in ones first.
    pub tools: Vec<ToolDef>,
    /// What is wrong with the others, by file and line.
    pub problems: Vec<Problem>,
}

/// Loads the built-in definitions and then the user's, each a path and its text. `known` says whether an
/// activity of that name is registered. A file that breaks a rule is left out, and the others load.
///
/// The schemas and examples of the built-in ones are not run here but in a test: every start would pay for it.
pub fn load(user: &[(String, String)], known: &dyn Fn(&str) -> bool) -> Catalogue {
    let built_in = BUILT_IN.iter().map(|(path, text)| (*path, *text, false));
    let user = user.iter().map(|(path, text)| (path.as_str(), text.as_str(), true));
    load_files(built_in.chain(user), known)
}

impl Catalogue {
    /// Takes in definitions that come from no file, as those of servers; each that has a name which is taken is left
    /// out. Gives their names with the tools that have them.
    pub fn import(&mut self, definitions: Vec<ToolDef>) -> Vec<(String, String)> {
        let own = |def: &ToolDef| {
            let names = std::iter::once(&def.name).chain(def.aliases.iter().map(|alias| &alias.name));
            names.map(|name| (folded(name), def.name.clone())).collect::<Vec<_>>()
        };
        let mut taken: HashMap<String, String> = self.tools.iter().flat_map(own).collect();
        let mut left_out = Vec::new();
        for def in definitions {
            match taken.get(&folded(&def.name)) {
                Some(by) => left_out.push((def.name, by.clone())),
                None => {
                    taken.insert(folded(&def.name), def.name.clone());
                    self.tools.push(def);
                }
            }
        }
        left_out
    }
}

/// Loads files in order, each with its path, its text, and whether it is a user's.
pub(super) fn load_files<'a>(
    files: impl Iterator<Item = (&'a str, &'a str, bool)>,
    known: &dyn Fn(&str) -> bool,
) -> Catalogue {
    let mut loading = Loading { catalogue: Catalogue::default(), taken: HashMap::new(), known };
    for (path, text, user) in files {
        loading.file(path, text, user);
    }
    loading.catalogue
}

struct Loading<'a> {
    catalogue: Catalogue,
    /// Every name and alias so far, folded, with the tool that has it.
    taken: HashMap<String, String>,
    known: &'a dyn Fn(&str) -> bool,
}

impl Loading<'_> {
    fn file(&mut self, path: &str, text: &str, user: bool) {
        let root = match node::read(path, text) {
            Ok(root) => root,
            Err(problem) => return self.catalogue.problems.push(problem),
        };
        let mut reader = Reader::new(path, user);
        if root.entry("custom_tools").is_some() {
            reader.map(&root, "a file of custom tools", &["custom_tools"]);
            for item in reader.list(&root, "custom_tools") {
                // Each stands or falls by itself.
                let mut reader = Reader::new(path, user);
                self.tool(&mut reader, &short::expanded(item), user);
                self.catalogue.problems.extend(reader.finish());
            }
        } else {
            reader.map(&root, "a definition", &["tool"]);
            if let Some(entry) = reader.required(&root, "tool") {
                self.tool(&mut reader, &entry.value, user);
            }
        }
        self.catalogue.problems.extend(reader.finish());
    }

    fn tool(&mut self, reader: &mut Reader, node: &node::Node, user: bool) {
        if let Some((mut def, line)) = check::definition(reader, node, self.known) {
            if user {
                def.source = Some(reader.path().to_owned());
                let hiding = shown::show(&mut def);
                for at in hiding {
                    let message = format!("`{at}` holds characters that nobody sees: take them out");
                    reader.problem(line, "hidden-character", message);
                }
            }
            self.admit(reader, def, line);
        }
    }

    /// Takes the definition in, unless one of its names is taken.
    fn admit(&mut self, reader: &mut Reader, def: ToolDef, line: u32) {
        let names: Vec<&str> = std::iter::once(def.name.as_str())
            .chain(def.aliases.iter().map(|alias| alias.name.as_str()))
            .collect();
        for (at, name) in names.iter().enumerate() {
            let own = names[..at].iter().any(|other| folded(other) == folded(name));
            if let Some(tool) =
                self.taken.get(&folded(name)).map(String::as_str).or(own.then_some("this tool"))
            {
                reader.problem(line, "name-taken", format!("the name `{name}` is taken by {tool}"));
            }
        }
        if reader.count() == 0 {
            let taken = names.iter().map(|name| (folded(name), def.name.clone()));
            self.taken.extend(taken);
            self.catalogue.tools.push(def);
        }
    }
}
