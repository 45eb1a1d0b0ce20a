//! The symbols of a text: each definition with its path of names, its comment and its attributes.

use std::ops::Range;

use tree_sitter::{Node, TreeCursor};

use super::definitions::{definitions_of, is_function, text_of};
use super::language::Language;
use crate::lines::begins_line;

/// A definition with its place.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    /// The names of those around it, and its own; each with the names that it goes by.
    pub path: Vec<Vec<String>>,
    /// From its comment to its end.
    pub range: Range<usize>,
    /// The first byte of its attributes, behind a comment.
    pub attributes: usize,
    /// The first byte of the definition itself.
    pub definition: usize,
    /// True for a declaration that a definition elsewhere completes.
    pub declaration: bool,
    /// True where what stands in it could not be read.
    pub broken: bool,
    /// True where its statement defines other names too.
    pub shared: bool,
}

impl Symbol {
    /// The address of the symbol.
    pub(super) fn address(&self) -> String {
        self.path.iter().filter_map(|names| names.last()).map(String::as_str).collect::<Vec<_>>().join(".")
    }
}

/// Collects the symbols of a tree, in the order of the text.
pub(super) fn collect_symbols(language: Language, root: Node, text: &str) -> Vec<Symbol> {
    let mut collector = SymbolCollector { language, text, symbols: Vec::new() };
    collector.visit(root, &mut Vec::new(), false, 0);
    collector.symbols
}

/// Nodes inside of each other that are looked into.
const DEPTH: usize = 200;

struct SymbolCollector<'t> {
    language: Language,
    text: &'t str,
    symbols: Vec<Symbol>,
}

impl SymbolCollector<'_> {
    fn visit(&mut self, node: Node, path: &mut Vec<Vec<String>>, in_function: bool, depth: usize) {
        if depth > DEPTH {
            return;
        }
        let definitions = definitions_of(self.language, node, self.text, in_function);
        let shared = definitions.len() > 1;
        let inside = in_function || is_function(node.kind());
        let mut names = Vec::new();
        for definition in definitions {
            names = vec![definition.name];
            names.extend(definition.alias.clone());
            let parent = definition.owner.map(|owner| vec![owner]);
            if !definition.only_parent {
                let mut whole = path.clone();
                whole.extend(parent);
                whole.push(names.clone());
                let symbol = self.place(node, whole, definition.declaration, shared);
                self.symbols.push(symbol);
            }
        }
        let entered = !names.is_empty();
        if entered {
            path.push(names);
        }
        let mut cursor = node.walk();
        for child in children(node, &mut cursor) {
            self.visit(child, path, inside, depth + 1);
        }
        if entered {
            path.pop();
        }
    }

    fn place(&self, node: Node, path: Vec<Vec<String>>, declaration: bool, shared: bool) -> Symbol {
        let outer = outer_node(node);
        let mut definition = outer.start_byte();
        if outer.kind() == "decorated_definition" {
            definition = node.start_byte();
        }
        definition =
            skip_annotations(node).filter(|at| outer == node && *at > definition).unwrap_or(definition);
        let mut first = outer;
        let mut attributes = outer.start_byte();
        let mut start = attributes;
        let mut commented = false;
        while let Some(before) = first.prev_sibling() {
            let kind = before.kind();
            let comment = kind.contains("comment") && !text_of(before, self.text).starts_with("//!");
            let attribute = matches!(kind, "attribute_item" | "decorator");
            let end = before.start_byte() + text_of(before, self.text).trim_end().len();
            let gap = self.text.get(end..first.start_byte()).unwrap_or("\n\n");
            let joined = gap.trim().is_empty() && gap.matches('\n').count() <= 1;
            if !(comment || attribute) || !joined || !begins_line(self.text, before.start_byte()) {
                break;
            }
            start = before.start_byte();
            commented |= comment;
            if !commented {
                attributes = start;
            }
            first = before;
        }
        let mut end = outer.start_byte() + text_of(outer, self.text).trim_end().len();
        if self.text[end..].starts_with(';') {
            end += 1;
        }
        Symbol {
            path,
            range: start..end,
            attributes,
            definition: definition.max(attributes),
            declaration,
            broken: outer.has_error(),
            shared,
        }
    }
}

/// Returns the children of a node.
fn children<'t>(node: Node<'t>, cursor: &mut TreeCursor<'t>) -> Vec<Node<'t>> {
    node.children(cursor).collect()
}

/// Finds the outermost node of a definition: with `export`, decorators, and the keyword if it declares one name only.
fn outer_node(node: Node) -> Node {
    let Some(parent) = node.parent() else { return node };
    let alone = || parent.named_child_count() == 1;
    let wraps = match parent.kind() {
        "export_statement" | "decorated_definition" | "ambient_declaration" => true,
        "expression_statement" | "type_declaration" | "const_declaration" | "var_declaration" => alone(),
        _ => false,
    };
    if wraps { outer_node(parent) } else { node }
}

/// The first byte behind the annotations that a Java definition begins with.
fn skip_annotations(node: Node) -> Option<usize> {
    let first = node.child(0).filter(|first| first.kind() == "modifiers")?;
    let mut cursor = first.walk();
    let word = children(first, &mut cursor).into_iter().find(|child| !child.kind().ends_with("annotation"));
    word.or_else(|| first.next_sibling()).map(|word| word.start_byte())
}
