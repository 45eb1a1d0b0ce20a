//! A symbol found by its address, and the text with it changed.

use std::ops::Range;

use tree_sitter::{Node, Tree};
use wherefore_base::nearest::nearest_names;

use super::indent::reindent;
use super::language::Language;
use super::symbols::{Symbol, collect_symbols};
use crate::address::PartChange;
use crate::error::{StructureError, StructureErrorCode, placed, unreadable, unsound};
use crate::lines::{Splice, apply_splices, begins_line, indent_at, line_break, line_end, lines_to_remove};

/// Returns the bytes of a symbol, with its comment and attributes.
pub(crate) fn find_symbol(
    language: Language,
    text: &str,
    address: &str,
) -> Result<Range<usize>, StructureError> {
    let tree = language.parse(text)?;
    let symbols = collect_symbols(language, tree.root_node(), text);
    find(language, text, &tree, &symbols, address).map(|symbol| symbol.range.clone())
}

/// Reads an address: names between `.` or `::`, with `<Type as Trait>` as one name.
fn read_address(address: &str) -> Result<Vec<String>, StructureError> {
    let mut names = vec![String::new()];
    let mut depth = 0;
    let mut chars = address.trim().trim_end_matches("()").chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        let separates =
            depth == 0 && (c == '.' || (c == ':' && chars.next_if_eq(&':').is_some()) || c == '#');
        match names.last_mut() {
            Some(name) if !separates => name.push(c),
            _ => names.push(String::new()),
        }
    }
    let private = names.len() == 2 && names[0].is_empty();
    if private {
        // A private member of JavaScript begins with `#`.
        names = vec![format!("#{}", names[1])];
    }
    match names.iter().any(|name| name.trim().is_empty()) {
        true => Err(StructureError::new(
            StructureErrorCode::BadAddress,
            format!("`{address}` names no symbol"),
            "write it as `Parser.next` or `Parser::next`",
        )),
        false => Ok(names.into_iter().map(|name| name.trim().to_owned()).collect()),
    }
}

fn find<'s>(
    language: Language,
    text: &str,
    tree: &Tree,
    symbols: &'s [Symbol],
    address: &str,
) -> Result<&'s Symbol, StructureError> {
    let asked = read_address(address)?;
    let fits = |symbol: &&Symbol| {
        let at = symbol.path.len().checked_sub(asked.len());
        at.is_some_and(|at| symbol.path[at..].iter().zip(&asked).all(|(names, asked)| names.contains(asked)))
    };
    let mut found: Vec<&Symbol> = symbols.iter().filter(fits).collect();
    let narrow = |found: &mut Vec<&'s Symbol>, keep: &dyn Fn(&Symbol) -> bool| {
        if found.len() > 1 && found.iter().any(|symbol| keep(symbol)) {
            found.retain(|symbol| keep(symbol));
        }
    };
    narrow(&mut found, &|symbol| symbol.path.len() == asked.len());
    narrow(&mut found, &|symbol| !symbol.declaration);
    let problem = first_problem(tree.root_node());
    match found.as_slice() {
        [symbol] if symbol.broken => {
            let at = problem.map_or(symbol.range.start, |node| node.start_byte());
            Err(unreadable(language.name(), text, at, "the definition cannot be read"))
        }
        [symbol] => Ok(symbol),
        [] => {
            let all: Vec<String> = symbols.iter().map(Symbol::address).collect();
            let last = asked.last().map_or(address, String::as_str);
            let mut near: Vec<&str> = Vec::new();
            let ends = |name: &&String| name.rsplit('.').next() == Some(last);
            near.extend(all.iter().filter(ends).map(String::as_str));
            near.extend(nearest_names(address, all.iter().map(String::as_str), 6));
            near.truncate(8);
            let mut seen = std::collections::HashSet::new();
            near.retain(|name| seen.insert(*name));
            if near.is_empty() {
                near.extend(all.iter().map(String::as_str).take(12));
            }
            let place = |name: &str| {
                let symbol = symbols.iter().find(|symbol| symbol.address() == name);
                symbol.map_or_else(|| name.to_owned(), |symbol| placed(text, &symbol.range, name))
            };
            let unread = match problem {
                Some(node) => format!("; line {} cannot be read", node.start_position().row + 1),
                None => String::new(),
            };
            Err(StructureError::new(
                StructureErrorCode::NotThere,
                format!("no symbol `{address}` is there{unread}"),
                "send a symbol that is there, as `Parser.next`; what defines no name is changed with `find` and `replace`",
            )
            .with_hints(near.into_iter().map(place)))
        }
        several => Err(StructureError::new(
            StructureErrorCode::Ambiguous,
            format!("`{address}` fits {} symbols", several.len()),
            "name what it stands in, as `Parser.next` or `<Parser as Iterator>::next`; where that is equal too, use `find` and `replace` alone",
        )
        .with_hints(several.iter().take(12).map(|symbol| {
            let path: Vec<&str> = symbol.path.iter().filter_map(|names| names.last()).map(String::as_str).collect();
            placed(text, &symbol.range, &path.join("."))
        }))),
    }
}

/// Returns the first node that could not be read.
fn first_problem(node: Node) -> Option<Node> {
    let mut problems = problems_in(node);
    (!problems.is_empty()).then(|| problems.remove(0))
}

/// Returns the nodes that could not be read, and those that were missed, in their order.
fn problems_in(root: Node) -> Vec<Node> {
    let mut problems = Vec::new();
    walk_nodes(root, |node| {
        if node.is_error() || node.is_missing() {
            problems.push(node);
        }
        node.has_error()
    });
    problems
}

/// Counts the classes and functions of Python that hold nothing, which its grammar lets pass.
fn bodiless_in(root: Node) -> usize {
    let mut count = 0;
    walk_nodes(root, |node| {
        if matches!(node.kind(), "class_definition" | "function_definition") {
            let body = node.child_by_field_name("body");
            count += usize::from(body.is_none_or(|body| body.byte_range().is_empty()));
        }
        true
    });
    count
}

/// Visits the nodes of a tree of any depth; those inside of a node only where `enter` says so.
fn walk_nodes<'t>(root: Node<'t>, mut enter: impl FnMut(Node<'t>) -> bool) {
    let mut cursor = root.walk();
    let mut inside = 0_usize;
    loop {
        if enter(cursor.node()) && cursor.goto_first_child() {
            inside += 1;
            continue;
        }
        while inside > 0 && !cursor.goto_next_sibling() {
            cursor.goto_parent();
            inside -= 1;
        }
        if inside == 0 {
            return;
        }
    }
}

/// Returns the text with a symbol changed.
pub(crate) fn change_symbol(
    language: Language,
    text: &str,
    address: &str,
    change: &PartChange,
) -> Result<String, StructureError> {
    let tree = language.parse(text)?;
    let symbols = collect_symbols(language, tree.root_node(), text);
    let symbol = find(language, text, &tree, &symbols, address)?;
    let newline = line_break(text);
    let range = symbol.range.clone();
    let (range, new) = match change {
        PartChange::Verbatim(new) => (range, new.clone()),
        PartChange::Remove if symbol.shared => {
            return Err(StructureError::unsupported("its statement defines other names too"));
        }
        PartChange::Remove => (removed_range(language, text, &range), String::new()),
        PartChange::Text(new) if new.trim().is_empty() => {
            return Err(StructureError::new(
                StructureErrorCode::BadValue,
                "the new text is empty",
                "send `remove: true` to take the symbol away",
            ));
        }
        PartChange::Text(new) => {
            let new = new.replace("\r\n", "\n");
            let first = new.trim_start();
            // What the new text does not begin with stays above it.
            let start = match (language.begins_comment(first), language.begins_attribute(first)) {
                (true, _) => range.start,
                (_, true) => symbol.attributes,
                _ => symbol.definition,
            };
            let range = start..range.end;
            let new = place_text(language, text, &range, &new)?;
            (range, new.replace('\n', newline))
        }
        PartChange::Value(_) => {
            return Err(StructureError::new(
                StructureErrorCode::BadValue,
                "a symbol gets its new text by `replace`, not by `value`",
                "send `replace` with the whole definition",
            ));
        }
    };
    let end = range.start + new.len();
    let after = apply_splices(text, vec![Splice::new(range.clone(), new)]);
    let read = language.parse(&after)?;
    if problems_in(read.root_node()).len() > problems_in(tree.root_node()).len() {
        let place = first_problem(read.root_node()).map_or(0, |node| node.start_position().row + 1);
        return Err(unsound(&format!(
            "the result does not parse as {}, at its line {place}",
            language.name()
        )));
    }
    if bodiless_in(read.root_node()) > bodiless_in(tree.root_node()) {
        return Err(unsound("what it stands in would have no body"));
    }
    let now = collect_symbols(language, read.root_node(), &after);
    let outside = |symbols: &[Symbol], inner: Range<usize>| -> Vec<String> {
        let apart = |symbol: &&Symbol| symbol.definition < inner.start || symbol.definition >= inner.end;
        symbols.iter().filter(apart).map(Symbol::address).collect()
    };
    if outside(&symbols, range.clone()) != outside(&now, range.start..end) {
        return Err(unsound("definitions outside of the symbol would change"));
    }
    let held = now.iter().any(|symbol| (range.start..end).contains(&symbol.definition));
    match held || *change == PartChange::Remove {
        true => Ok(after),
        false => Err(unsound("the new text defines no symbol")),
    }
}

/// The lines of a symbol, or its bytes where other code stands in them.
fn removed_range(language: Language, text: &str, range: &Range<usize>) -> Range<usize> {
    let rest = text[range.end..line_end(text, range.end)].trim_start();
    match begins_line(text, range.start) && (rest.is_empty() || language.begins_comment(rest)) {
        true => lines_to_remove(text, range),
        false => range.clone(),
    }
}

/// Indents a new text for its place. Lines inside of a text literal stay as they were sent.
fn place_text(
    language: Language,
    text: &str,
    range: &Range<usize>,
    new: &str,
) -> Result<String, StructureError> {
    let indent = if begins_line(text, range.start) { indent_at(text, range.start) } else { "" };
    let placed = reindent(new, indent);
    let sent: Vec<&str> = new.trim_matches(['\n', '\r']).trim_end().split('\n').collect();
    let after = apply_splices(text, vec![Splice::new(range.clone(), placed.clone())]);
    let tree = language.parse(&after)?;
    let literals = literals_in(tree.root_node());
    let mut at = range.start;
    let mut lines = Vec::new();
    for (line, sent) in placed.split('\n').zip(&sent) {
        let inside = at > range.start
            && literals.iter().any(|literal: &Range<usize>| literal.start < at && at < literal.end);
        lines.push(if inside { *sent } else { line });
        at += line.len() + 1;
    }
    Ok(lines.join("\n"))
}

/// Returns the texts over several lines, but for the comments of Python's definitions, which are indented with them.
fn literals_in(root: Node) -> Vec<Range<usize>> {
    let mut literals = Vec::new();
    walk_nodes(root, |node| {
        let kind = node.kind();
        let literal = kind.contains("string") || kind == "text_block";
        if !literal || node.start_position().row == node.end_position().row {
            return !literal;
        }
        let comment = node.parent().is_some_and(|parent| {
            parent.kind() == "expression_statement"
                && parent.prev_named_sibling().is_none_or(|before| before.kind() == "comment")
        });
        if !comment {
            literals.push(node.byte_range());
        }
        false
    });
    literals
}
