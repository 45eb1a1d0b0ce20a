//! Which nodes of each grammar define a name.

use tree_sitter::Node;

use super::language::Language;

/// A name that a node defines.
pub(super) struct Definition {
    pub name: String,
    /// Another name that it has as a parent, as `<Parser as Display>`.
    pub alias: Option<String>,
    /// The name of the type that it belongs to without standing in it, as a method in Go.
    pub owner: Option<String>,
    /// True where it is only a parent, with a name that others have.
    pub only_parent: bool,
    /// True for a declaration that a definition elsewhere completes.
    pub declaration: bool,
}

impl Definition {
    fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), alias: None, owner: None, only_parent: false, declaration: false }
    }
}

/// Returns the text of a node.
pub(super) fn text_of<'t>(node: Node, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

fn field_text(node: Node, field: &str, text: &str) -> Option<String> {
    node.child_by_field_name(field).map(|child| text_of(child, text).to_owned())
}

/// Returns the definitions of a node: several where one statement declares several names.
pub(super) fn definitions_of(
    language: Language,
    node: Node,
    text: &str,
    in_function: bool,
) -> Vec<Definition> {
    let named = || field_text(node, "name", text).map(Definition::named).into_iter().collect();
    match language {
        Language::Rust => rust_definitions(node, text),
        Language::Python => match node.kind() {
            "function_definition" | "class_definition" => named(),
            "type_alias_statement" => node
                .child_by_field_name("left")
                .map(|left| Definition::named(text_of(left, text)))
                .into_iter()
                .collect(),
            "assignment" if !in_function => {
                let left = node.child_by_field_name("left").filter(|left| left.kind() == "identifier");
                left.map(|left| Definition::named(text_of(left, text))).into_iter().collect()
            }
            _ => Vec::new(),
        },
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            script_definitions(node, text, in_function)
        }
        Language::Go => go_definitions(node, text, in_function),
        Language::Java => match node.kind() {
            "class_declaration"
            | "interface_declaration"
            | "enum_declaration"
            | "record_declaration"
            | "annotation_type_declaration"
            | "method_declaration"
            | "constructor_declaration"
            | "compact_constructor_declaration"
            | "annotation_type_element_declaration" => named(),
            "field_declaration" | "constant_declaration" => declarators(node, text, "variable_declarator"),
            _ => Vec::new(),
        },
        Language::C => c_definitions(node, text, in_function),
    }
}

fn declarators(node: Node, text: &str, kind: &str) -> Vec<Definition> {
    let mut cursor = node.walk();
    let found = node.children(&mut cursor).filter(|child| child.kind() == kind);
    found.filter_map(|child| field_text(child, "name", text)).map(Definition::named).collect()
}

fn rust_definitions(node: Node, text: &str) -> Vec<Definition> {
    match node.kind() {
        "function_item"
        | "function_signature_item"
        | "struct_item"
        | "enum_item"
        | "union_item"
        | "trait_item"
        | "type_item"
        | "associated_type"
        | "const_item"
        | "static_item"
        | "mod_item"
        | "macro_definition" => field_text(node, "name", text).map(Definition::named).into_iter().collect(),
        "impl_item" => {
            let base = |field| {
                let written = field_text(node, field, text)?;
                let plain = written.split('<').next().unwrap_or_default();
                Some(
                    plain
                        .trim_start_matches(['&', '\''])
                        .rsplit("::")
                        .next()
                        .unwrap_or_default()
                        .trim()
                        .to_owned(),
                )
            };
            let Some(of) = base("type") else { return Vec::new() };
            let alias = base("trait").map(|name| format!("<{of} as {name}>"));
            vec![Definition { alias, only_parent: true, ..Definition::named(of) }]
        }
        _ => Vec::new(),
    }
}

fn script_definitions(node: Node, text: &str, in_function: bool) -> Vec<Definition> {
    match node.kind() {
        "function_declaration"
        | "generator_function_declaration"
        | "class_declaration"
        | "abstract_class_declaration"
        | "interface_declaration"
        | "type_alias_declaration"
        | "enum_declaration"
        | "method_definition"
        | "public_field_definition"
        | "field_definition"
        | "internal_module"
        | "module" => field_text(node, "name", text).map(Definition::named).into_iter().collect(),
        // An overload's signature; the implementation has the same name.
        "function_signature" | "method_signature" | "abstract_method_signature" => {
            field_text(node, "name", text)
                .map(|name| Definition { declaration: true, ..Definition::named(name) })
                .into_iter()
                .collect()
        }
        "lexical_declaration" | "variable_declaration" => {
            let mut cursor = node.walk();
            let found = node.children(&mut cursor).filter(|child| child.kind() == "variable_declarator");
            let is_function = |child: &Node| {
                let value = child.child_by_field_name("value").map(|value| value.kind());
                matches!(value, Some("arrow_function" | "function_expression" | "generator_function"))
            };
            let wanted = found.filter(|child| !in_function || is_function(child));
            let name = wanted.filter_map(|child| child.child_by_field_name("name"));
            name.filter(|name| name.kind() == "identifier")
                .map(|name| Definition::named(text_of(name, text)))
                .collect()
        }
        _ => Vec::new(),
    }
}

fn go_definitions(node: Node, text: &str, in_function: bool) -> Vec<Definition> {
    match node.kind() {
        "function_declaration" => field_text(node, "name", text).map(Definition::named).into_iter().collect(),
        "method_declaration" => {
            let receiver = field_text(node, "receiver", text).unwrap_or_default();
            let inner = receiver.trim_matches(['(', ')']);
            let of = inner.split('[').next().unwrap_or_default();
            let owner = of.rsplit([' ', '*']).next().map(|owner| owner.trim().to_owned());
            let name = field_text(node, "name", text);
            name.map(|name| Definition { owner, ..Definition::named(name) }).into_iter().collect()
        }
        "type_spec" | "type_alias" => {
            field_text(node, "name", text).map(Definition::named).into_iter().collect()
        }
        "const_spec" | "var_spec" if !in_function => {
            let mut cursor = node.walk();
            node.children_by_field_name("name", &mut cursor)
                .filter(|name| name.kind() == "identifier")
                .map(|name| Definition::named(text_of(name, text)))
                .collect()
        }
        _ => Vec::new(),
    }
}

fn c_definitions(node: Node, text: &str, in_function: bool) -> Vec<Definition> {
    let named =
        |name: Option<Node>| name.map(|name| Definition::named(text_of(name, text))).into_iter().collect();
    match node.kind() {
        "function_definition" => named(declared_name(node)),
        "struct_specifier" | "union_specifier" | "enum_specifier"
            if node.child_by_field_name("body").is_some() =>
        {
            named(node.child_by_field_name("name"))
        }
        "type_definition" => named(declared_name(node)),
        "preproc_def" | "preproc_function_def" => named(node.child_by_field_name("name")),
        "declaration" if !in_function => {
            let function = declares_function(node);
            let mut found: Vec<Definition> = named(declared_name(node));
            found.iter_mut().for_each(|definition| definition.declaration = function);
            found
        }
        _ => Vec::new(),
    }
}

/// Returns whether a declaration is that of a function, and not of a value.
fn declares_function(node: Node) -> bool {
    std::iter::successors(node.child_by_field_name("declarator"), |inner| {
        inner.child_by_field_name("declarator")
    })
    .any(|declarator| declarator.kind() == "function_declarator")
}

/// Follows the declarators of C to the name.
fn declared_name(node: Node) -> Option<Node> {
    let mut declarator = node.child_by_field_name("declarator")?;
    loop {
        declarator = match declarator.kind() {
            "identifier" | "type_identifier" | "field_identifier" => return Some(declarator),
            "parenthesized_declarator" => {
                let mut cursor = declarator.walk();
                declarator.named_children(&mut cursor).next()?
            }
            _ => declarator.child_by_field_name("declarator")?,
        };
    }
}

/// Returns whether names in a node are those of a function's inside.
pub(super) fn is_function(kind: &str) -> bool {
    matches!(
        kind,
        "function_item"
            | "function_definition"
            | "function_declaration"
            | "generator_function_declaration"
            | "method_definition"
            | "method_declaration"
            | "constructor_declaration"
            | "arrow_function"
            | "function_expression"
            | "func_literal"
            | "lambda_expression"
            | "statement_block"
            | "closure_expression"
    )
}
