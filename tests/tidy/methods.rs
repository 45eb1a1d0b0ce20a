//! The methods of each type of the server: one with many does several things.

use std::collections::BTreeMap;

use regex::Regex;

use super::rust_code;
use super::tree::{File, Finding, Tree};

/// Methods of a type in one package at most, those of its traits not counted.
const MOST: usize = 30;

/// The first method of a type, and the number of all.
struct TypeMethods<'a> {
    file: &'a File,
    line: usize,
    count: usize,
}

/// No type has more methods than a reader keeps in mind.
pub(crate) fn counts(tree: &Tree) -> Vec<Finding> {
    let mut types = BTreeMap::<(&str, String), TypeMethods<'_>>::new();
    let is_shipped = |file: &&File| !file.path.contains("/tests/") && !file.path.ends_with("tests.rs");
    for file in tree.server().filter(is_shipped) {
        for (line, name) in methods(&rust_code::code(&file.text)) {
            let key = (package(tree, &file.path), name);
            types.entry(key).or_insert(TypeMethods { file, line, count: 0 }).count += 1;
        }
    }
    let many = types.into_iter().filter(|(_, of)| of.count > MOST);
    many.map(|((_, name), of)| {
        let rule = format!(
            "`{name}` has {} methods, {MOST} are the most: make the fields that some of them work on a type of its own",
            of.count
        );
        of.file.finding(of.line, rule)
    })
    .collect()
}

/// The folder of the package that a file of the server belongs to; `server` for the program's own.
fn package<'a>(tree: &Tree, path: &'a str) -> &'a str {
    let folder = path.match_indices('/').nth(1).map_or("server", |(end, _)| &path[..end]);
    match tree.paths.iter().any(|path| *path == format!("{folder}/Cargo.toml")) {
        true => folder,
        false => "server",
    }
}

/// The methods in the inherent `impl`s of formatted code: the line of each, and its type.
fn methods(code: &str) -> Vec<(usize, String)> {
    let opening = Regex::new(r"^(\s*)impl\b").expect("a pattern");
    let method = Regex::new(r#"^(\s*)(?:pub(?:\([^)]*\))? )?(?:(?:const|async|unsafe|extern) )*fn \w"#)
        .expect("a pattern");
    let mut found = Vec::new();
    let mut lines = code.lines().enumerate();
    while let Some((_, line)) = lines.next() {
        let Some(indent) = opening.captures(line).map(|parts| parts[1].len()) else { continue };
        let mut head = line.to_owned();
        while !head.contains('{') {
            let Some((_, more)) = lines.next() else { break };
            head.push(' ');
            head.push_str(more);
        }
        let Some(name) = inherent_type(&head) else { continue };
        if head.trim_end().ends_with('}') {
            continue;
        }
        let end = format!("{}}}", " ".repeat(indent));
        for (at, line) in lines.by_ref().take_while(|(_, line)| line.trim_end() != end) {
            if method.captures(line).is_some_and(|parts| parts[1].len() == indent + 4) {
                found.push((at + 1, name.clone()));
            }
        }
    }
    found
}

/// The type that the head of an `impl` is of; nothing for a trait's.
fn inherent_type(head: &str) -> Option<String> {
    let head = head.split('{').next()?.split(" where ").next()?;
    let rest = head.trim_start().strip_prefix("impl")?;
    let rest = if rest.starts_with('<') { &rest[generics_end(rest)..] } else { rest };
    if rest.contains(" for ") {
        return None;
    }
    let path = rest.trim_start().split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').next()?;
    path.rsplit(':').next().filter(|name| !name.is_empty()).map(str::to_owned)
}

/// The end of the generics that a text begins with; `>` of an arrow does not count.
fn generics_end(text: &str) -> usize {
    let mut depth = 0_i32;
    for (at, c) in text.char_indices() {
        match c {
            '<' => depth += 1,
            '>' if !text[..at].ends_with('-') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    text.len()
}

#[test]
fn methods_count_by_their_type() {
    let code = "impl<T: Fn() -> u8> a::One<T> {\n    fn a() {}\n    pub(crate) async fn b() {\n        fn inner() {}\n    }\n}\n\
                impl Two {}\nimpl Clone for One {\n    fn clone() {}\n}\nimpl<'a>\n    Three<'a>\n{\n    const fn c() {}\n}\n";
    let found = methods(code);
    let expected = [(2, "One"), (3, "One"), (14, "Three")].map(|(line, name)| (line, name.to_owned()));
    assert_eq!(found, expected);
}
