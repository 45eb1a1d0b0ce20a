//! Loads every definition.

use std::collections::HashMap;

use super::definition::folded;
use super::reader::FileReader;
use super::{Problem, Risk, Runs, ToolDef, check, node, short, shown};

/// What was loaded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    /// The definitions that are right: the built-in ones first.
    pub tools: Vec<ToolDef>,
    /// What is wrong with the others, by file and line.
    pub problems: Vec<Problem>,
    /// The names of tools that are missing for that, folded, each with the first problem of its definition.
    pub refused: HashMap<String, Problem>,
}

/// Names that are looked for in a definition that is no YAML.
const NAMED: usize = 100;

/// Loads the built-in definitions and then the user's, each a path and its text. `known` says whether an
/// activity of that name is registered. A file that breaks a rule is left out, and the others load.
///
/// The schemas and examples of the built-in ones are not run here but in a test: every start would pay for it.
pub fn load(built_in: &[(&str, &str)], user: &[(String, String)], known: &dyn Fn(&str) -> bool) -> Catalogue {
    let built_in = built_in.iter().map(|(path, text)| (*path, *text, false));
    let user = user.iter().map(|(path, text)| (path.as_str(), text.as_str(), true));
    load_files(built_in.chain(user), known)
}

impl Catalogue {
    /// Raises the risk of definitions over servers' tools to what `risk` says of a server's tool.
    pub fn raise_remote(&mut self, risk: &dyn Fn(&str, &str) -> Risk) {
        for def in &mut self.tools {
            let Some(Runs::Remote { mcp_server, remote_tool }) = &def.runs else { continue };
            let last = def.name.rsplit('.').next().unwrap_or(&def.name);
            let least = risk(mcp_server, remote_tool.as_deref().unwrap_or(last));
            if def.risk < least {
                // What states nothing counts as running a program already.
                if def.risk < Risk::Execute {
                    let path = def.source.as_deref().unwrap_or_default();
                    self.problems.push(too_low(path, 1, def, least));
                }
                def.risk = least;
            }
        }
    }

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

/// Says that a definition states less than its tool can do.
fn too_low(path: &str, line: u32, def: &ToolDef, least: Risk) -> Problem {
    let message = format!(
        "`{}` states the risk {}, and what runs it can do more: it counts as {}",
        def.name,
        def.risk.word(),
        least.word()
    );
    Problem { path: path.to_owned(), line, rule: "risk", message }
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
            Err(problem) => {
                // Its names cannot be read but as lines: whoever calls one of them hears of it all the same.
                let names = text.lines().filter_map(named).take(NAMED);
                self.refuse(names.map(str::to_owned).collect(), &problem);
                return self.catalogue.problems.push(problem);
            }
        };
        let mut reader = FileReader::new(path, user);
        if root.entry("custom_tools").is_some() {
            reader.map(&root, "a file of custom tools", &["custom_tools"]);
            for item in reader.list(&root, "custom_tools") {
                // Each stands or falls by itself.
                let mut reader = FileReader::new(path, user);
                self.tool(&mut reader, &short::expanded(item), user);
                self.finish(reader);
            }
        } else {
            reader.map(&root, "a definition", &["tool"]);
            if let Some(entry) = reader.required(&root, "tool") {
                self.tool(&mut reader, &entry.value, user);
            }
        }
        self.finish(reader);
    }

    /// Takes in what is wrong with a definition, and which tools are missing for it.
    fn finish(&mut self, mut reader: FileReader) {
        let names = std::mem::take(&mut reader.names);
        let problems = reader.finish();
        if let Some(first) = problems.first() {
            self.refuse(names, first);
        }
        self.catalogue.problems.extend(problems);
    }

    fn refuse(&mut self, names: Vec<String>, problem: &Problem) {
        for name in names {
            self.catalogue.refused.entry(folded(&name)).or_insert_with(|| problem.clone());
        }
    }

    fn tool(&mut self, reader: &mut FileReader, node: &node::Node, user: bool) {
        if let Some((mut def, line)) = check::definition(reader, node, self.known) {
            if user {
                def.source = Some(reader.path().to_owned());
                self.raise(reader, node, &mut def);
                let hiding = shown::show(&mut def);
                for at in hiding {
                    let message = format!("`{at}` holds characters that nobody sees: take them out");
                    reader.problem(line, "hidden-character", message);
                }
            }
            self.admit(reader, def, line);
        }
    }

    /// Raises a risk that is less than that of the code behind the tool. Where the definition states it, that is told.
    fn raise(&mut self, reader: &FileReader, node: &node::Node, def: &mut ToolDef) {
        let Some(least) = self.least(def).filter(|least| def.risk < *least) else { return };
        if node.entry("risk").is_some() {
            let line = node.line_at("/risk");
            self.catalogue.problems.push(too_low(reader.path(), line, def, least));
        }
        def.risk = least;
    }

    /// What the code behind a tool can do at worst; nothing where that is not known here, or where no code runs it.
    fn least(&self, def: &ToolDef) -> Option<Risk> {
        if let Some(runs) = &def.runs {
            return matches!(runs, Runs::Command { .. }).then_some(Risk::Execute);
        }
        let name = def.activity.as_deref().filter(|name| !name.is_empty())?;
        let own = name.split('@').next().unwrap_or(name);
        let built_in = self.catalogue.tools.iter().find(|tool| tool.source.is_none() && tool.name == own);
        // Code of no tool of ours may do anything.
        Some(built_in.map_or(Risk::Execute, |tool| tool.risk))
    }

    /// Takes the definition in, unless one of its names is taken.
    fn admit(&mut self, reader: &mut FileReader, def: ToolDef, line: u32) {
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

/// The name that a line of a definition gives, read without the rest of it.
fn named(line: &str) -> Option<&str> {
    let rest = line.trim_start().trim_start_matches("- ").trim_start().strip_prefix("name:")?;
    let name = rest.trim().trim_matches(['"', '\'']);
    (!name.is_empty() && name.len() <= 64).then_some(name)
}
