//! Loads every definition.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::definition::folded_name;
use super::own_nodes;
use super::reader::DefinitionReader;
use super::tree::OntologyTree;
use super::{
    DefinitionProblem, Risk, StandIn, ToolDef, ToolRunner, broken_file, check, file_form, function_form,
    is_of_project, node, short_form, show_hidden, tool_protocol,
};

/// The catalogue of loaded tools, with the problems of their definitions.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCatalogue {
    /// The definitions that are right: the built-in ones first.
    pub tools: Vec<ToolDef>,
    /// The problems of the others, by file and line.
    pub problems: Vec<DefinitionProblem>,
    /// The names of tools that are missing for that, folded, each with the first problem of its definition.
    pub refused: HashMap<String, DefinitionProblem>,
    /// The activities of tools in environments, as the definitions name them.
    pub stand_ins: Vec<StandIn>,
    /// The nodes that tools stand under.
    pub tree: Arc<OntologyTree>,
}

impl Default for ToolCatalogue {
    fn default() -> Self {
        let (tools, problems, refused, stand_ins) = Default::default();
        Self { tools, problems, refused, stand_ins, tree: OntologyTree::built_in() }
    }
}

/// Loads the built-in definitions and then the user's, each a path and its text. `known` returns whether an activity of
/// that name is registered. A file that breaks a rule is left out, and the others load.
///
/// The schemas and examples of the built-in ones are not run here but in a test: every start would pay for it.
pub fn load_catalogue(
    built_in: &[(&str, &str)],
    user: &[(String, String)],
    known: &dyn Fn(&str) -> bool,
) -> ToolCatalogue {
    let built_in = built_in.iter().map(|(path, text)| (*path, *text, false));
    let user = user.iter().map(|(path, text)| (path.as_str(), text.as_str(), true));
    load_files(built_in.chain(user), known)
}

impl ToolCatalogue {
    /// Raises the risk of definitions over servers' tools to the `risk` of a server's tool.
    pub fn raise_remote(&mut self, risk: &dyn Fn(&str, &str) -> Risk) {
        for def in &mut self.tools {
            let Some(ToolRunner::Remote { mcp_server, remote_tool }) = &def.runs else { continue };
            let last = def.name.rsplit('.').next().unwrap_or(&def.name);
            let least = risk(mcp_server, remote_tool.as_deref().unwrap_or(last));
            if def.risk < least {
                // A definition that states no risk already counts as running a program.
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
    pub fn import_definitions(&mut self, definitions: Vec<ToolDef>) -> Vec<(String, String)> {
        let own = |def: &ToolDef| {
            let names = std::iter::once(&def.name).chain(def.aliases.iter().map(|alias| &alias.name));
            names.map(|name| (folded_name(name), def.name.clone())).collect::<Vec<_>>()
        };
        let mut taken: HashMap<String, String> = self.tools.iter().flat_map(own).collect();
        let mut left_out = Vec::new();
        for mut def in definitions {
            def.nodes.iter_mut().for_each(|node| self.place(node));
            match taken.get(&folded_name(&def.name)) {
                Some(by) => left_out.push((def.name, by.clone())),
                None => {
                    taken.insert(folded_name(&def.name), def.name.clone());
                    self.tools.push(def);
                }
            }
        }
        left_out
    }
}

impl ToolCatalogue {
    /// Moves a node below Custom to the root, where the tree has it there.
    fn place(&self, node: &mut Vec<String>) {
        let is_own = |name: &String| self.tree.nodes.iter().any(|root| root.name == *name);
        if node.first().is_some_and(|first| first == "Custom") && node.get(1).is_some_and(is_own) {
            node.remove(0);
        }
    }
}

/// Returns the problem of a definition that states a lower risk than its tool has.
fn too_low(path: &str, line: u32, def: &ToolDef, least: Risk) -> DefinitionProblem {
    let message = format!(
        "`{}` states the risk {}, and what runs it can do more: it counts as {}",
        def.name,
        def.risk.as_str(),
        least.as_str()
    );
    DefinitionProblem { path: path.to_owned(), line, rule: "risk", message, is_warning: true }
}

/// Loads files in order, each with its path, its text, and whether it is a user's.
pub(super) fn load_files<'a>(
    files: impl Iterator<Item = (&'a str, &'a str, bool)>,
    known: &dyn Fn(&str) -> bool,
) -> ToolCatalogue {
    let mut loading = CatalogueLoader {
        catalogue: ToolCatalogue::default(),
        taken: HashMap::new(),
        missing_nodes: Vec::new(),
        misplaced_tools: 0,
        known,
    };
    let (trees, files): (Vec<_>, Vec<_>) =
        files.partition(|(path, _, user)| *user && own_nodes::is_tree(path));
    let broken = trees.into_iter().filter(|(path, text, _)| !loading.tree(path, text));
    let broken = broken.map(|(path, ..)| path).collect::<Vec<_>>();
    let told = loading.catalogue.problems.len();
    for (path, text, user) in files {
        loading.load_file(path, text, user);
    }
    loading.tell_missing_nodes(broken.first().copied(), told);
    loading.catalogue
}

/// The tool that has a name.
#[derive(Clone)]
struct TakenName {
    tool: String,
    /// The file and line that define it; nothing for a built-in one.
    place: Option<(String, u32)>,
}

impl fmt::Display for TakenName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some((path, line)) => write!(f, "{} in {path}, line {line}", self.tool),
            None => write!(f, "the built-in tool {}", self.tool),
        }
    }
}

struct CatalogueLoader<'a> {
    catalogue: ToolCatalogue,
    /// Every name and alias so far, folded, with the tool that has it.
    taken: HashMap<String, TakenName>,
    /// The remarks on nodes that are not there, and the number of tools that name one.
    missing_nodes: Vec<DefinitionProblem>,
    misplaced_tools: usize,
    known: &'a dyn Fn(&str) -> bool,
}

impl CatalogueLoader<'_> {
    /// Takes in the nodes of a file. Returns whether nothing is wrong with them.
    fn tree(&mut self, path: &str, text: &str) -> bool {
        let mut reader = DefinitionReader::new(path, true, self.catalogue.tree.clone());
        own_nodes::take(&mut reader, text, Arc::make_mut(&mut self.catalogue.tree));
        let is_right = reader.problem_count() == 0;
        self.finish_file(reader);
        is_right
    }

    /// Reports the nodes that tools name and that are not there. Where the tree is broken, that is most likely the reason, and
    /// one line at `at` says so.
    fn tell_missing_nodes(&mut self, broken: Option<&str>, at: usize) {
        let missing = std::mem::take(&mut self.missing_nodes);
        match broken {
            Some(path) if self.misplaced_tools > 1 => {
                let message = format!(
                    "{} tools name nodes that are not there while this file is wrong: they stand elsewhere until it is \
                     mended",
                    self.misplaced_tools
                );
                let path = path.to_owned();
                let folded = DefinitionProblem { path, line: 1, rule: "nodes", message, is_warning: true };
                self.catalogue.problems.insert(at, folded);
            }
            _ => self.catalogue.problems.extend(missing),
        }
    }

    fn load_file(&mut self, path: &str, text: &str, user: bool) {
        let root = match node::read_yaml(path, text) {
            Ok(root) => root,
            Err(problem) => {
                self.refuse_names(broken_file::find_names(text), &problem);
                if user {
                    self.catalogue.stand_ins.extend(broken_file::find_stand_ins(text, &problem));
                }
                return self.catalogue.problems.push(problem);
            }
        };
        let mut reader = DefinitionReader::new(path, user, self.catalogue.tree.clone());
        if root.entry("custom_tools").is_some() {
            reader.check_map(&root, "a file of custom tools", &["custom_tools"]);
            if root.stated_entry("custom_tools").is_none() {
                reader.add_problem(root.line_at("/custom_tools"), "type", "`custom_tools` is a list");
            }
            self.load_tools(path, reader.read_list(&root, "custom_tools"), user);
        } else if tool_protocol::is_schema(&root) || function_form::is_function(&root) {
            self.load_tool(&mut reader, &root, user);
        } else if let Some(tools) = file_form::unframed_tools(&root) {
            self.load_tools(path, &tools, user);
        } else {
            reader.check_map(&root, "a definition", &["tool"]);
            if let Some(entry) = reader.required_entry(&root, "tool") {
                self.load_tool(&mut reader, &short_form::expand_tool(&entry.value), user);
            }
        }
        self.finish_file(reader);
    }

    /// Takes in several tools of a file: a problem of one does not affect the others.
    fn load_tools(&mut self, path: &str, tools: &[node::YamlNode], user: bool) {
        for tool in tools {
            let mut reader = DefinitionReader::new(path, user, self.catalogue.tree.clone());
            self.load_tool(&mut reader, &short_form::expand_tool(tool), user);
            self.finish_file(reader);
        }
    }

    /// Takes in what is wrong with a definition, and which tools are missing for it.
    fn finish_file(&mut self, mut reader: DefinitionReader) {
        let names = std::mem::take(&mut reader.names);
        self.catalogue.problems.extend(reader.take_remarks());
        let missing = std::mem::take(&mut reader.missing_nodes);
        self.misplaced_tools += usize::from(!missing.is_empty());
        self.missing_nodes.extend(missing);
        let problems = reader.into_problems();
        if let Some(first) = problems.first() {
            self.refuse_names(names, first);
        }
        self.catalogue.problems.extend(problems);
    }

    fn refuse_names(&mut self, names: Vec<String>, problem: &DefinitionProblem) {
        for name in names {
            self.catalogue.refused.entry(folded_name(&name)).or_insert_with(|| problem.clone());
        }
    }

    fn load_tool(&mut self, reader: &mut DefinitionReader, node: &node::YamlNode, user: bool) {
        let mut node = tool_protocol::written_out(reader, node);
        if user {
            let undescribed = short_form::describe_arguments(node.to_mut());
            if let Some((_, line)) = undescribed.first() {
                let names: Vec<String> = undescribed.iter().map(|(name, _)| format!("`{name}`")).collect();
                let message = format!(
                    "no `description` of {}: models are told the name in its place",
                    names.join(", ")
                );
                reader.remark(*line, "property-description", message);
            }
        }
        let node = &*node;
        if user && node.entry("environment").is_some() {
            self.catalogue.stand_ins.extend(check::stand_in(reader, node, self.known));
            return;
        }
        if let Some((mut def, line)) = check::read_definition(reader, node, self.known) {
            if user {
                def.source = Some(reader.path().to_owned());
                self.raise_risk(reader, node, &mut def);
                let hiding = show_hidden::show_hidden(&mut def);
                for at in hiding {
                    let message = format!("`{at}` holds characters that nobody sees: take them out");
                    reader.add_problem(line, "hidden-character", message);
                }
            }
            self.admit_definition(reader, def, line);
        }
    }

    /// Raises a risk that is lower than that of the code behind the tool. Where the definition states it, that is
    /// reported.
    fn raise_risk(&mut self, reader: &DefinitionReader, node: &node::YamlNode, def: &mut ToolDef) {
        let Some(least) = self.least_risk(def).filter(|least| def.risk < *least) else { return };
        if node.entry("risk").is_some() {
            let line = node.line_at("/risk");
            self.catalogue.problems.push(too_low(reader.path(), line, def, least));
        }
        def.risk = least;
    }

    /// Returns the worst effect of the code behind a tool; nothing where that is not known here, or where no code runs
    /// it.
    fn least_risk(&self, def: &ToolDef) -> Option<Risk> {
        if let Some(runs) = &def.runs {
            return matches!(runs, ToolRunner::Command { .. }).then_some(Risk::Execute);
        }
        let name = def.activity.as_deref().filter(|name| !name.is_empty())?;
        let own = name.split('@').next().unwrap_or(name);
        let built_in = self.catalogue.tools.iter().find(|tool| tool.source.is_none() && tool.name == own);
        // Code that belongs to none of our tools may do anything.
        Some(built_in.map_or(Risk::Execute, |tool| tool.risk))
    }

    /// Takes the definition in, unless one of its names is taken.
    fn admit_definition(&mut self, reader: &mut DefinitionReader, def: ToolDef, line: u32) {
        let names: Vec<&str> = std::iter::once(def.name.as_str())
            .chain(def.aliases.iter().map(|alias| alias.name.as_str()))
            .collect();
        for (at, name) in names.iter().enumerate() {
            let own = names[..at].iter().any(|other| folded_name(other) == folded_name(name));
            let taken = self.taken.get(&folded_name(name));
            if let Some((path, counting)) = taken.and_then(|by| by.place.clone())
                && path != reader.path()
            {
                let message =
                    format!("{}, line {line}, defines `{name}` too; this one counts", reader.path());
                self.catalogue.problems.push(DefinitionProblem {
                    path,
                    line: counting,
                    rule: "name-taken",
                    message,
                    is_warning: true,
                });
            }
            let message = match taken {
                Some(by) if at == 0 && by.place.is_none() && is_of_project(reader.path()) => format!(
                    "the name `{name}` is taken by {by}; choose another. Only the person's own settings or definitions have \
                     something else run a built-in tool: `[activities.test]` in theirs"
                ),
                Some(by) if at == 0 => format!(
                    "the name `{name}` is taken by {by}; choose another, or say `environment: test` to have this stand \
                     in for it there"
                ),
                Some(by) => format!("the name `{name}` is taken by {by}"),
                None if own => format!("the name `{name}` is taken by this tool"),
                None => continue,
            };
            reader.add_problem(line, "name-taken", message);
        }
        if reader.problem_count() == 0 {
            self.make_category_node(&def);
            let place = def.source.clone().map(|source| (source, line));
            let by = TakenName { tool: def.name.clone(), place };
            let taken = names.iter().map(|name| (folded_name(name), by.clone()));
            self.taken.extend(taken);
            self.catalogue.tools.push(def);
        }
    }
}

impl CatalogueLoader<'_> {
    /// Makes the node below Custom of a category that no node lists, unless the tool stands under nodes of its own.
    fn make_category_node(&mut self, def: &ToolDef) {
        let category = &def.category;
        if !def.nodes.is_empty() || self.catalogue.tree.all_categories().contains(&category.as_str()) {
            return;
        }
        let named = self.catalogue.tree.named(category).into_iter().next();
        let path = named.unwrap_or_else(|| vec!["Custom".to_owned(), category.clone()]);
        if let Some(node) = Arc::make_mut(&mut self.catalogue.tree).made_at(&path) {
            node.categories.push(category.clone());
            if node.summary.is_empty() {
                node.summary = format!("Tools of the category {category}");
            }
        }
    }
}
