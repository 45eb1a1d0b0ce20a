//! The names that a line of code defines, recognized by its form alone: enough to rank by, in any language.

mod keyword;

use keyword::by_keyword;

use super::language::SourceLanguage;

/// The kinds of definitions, the weightiest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum DefinitionKind {
    /// Said to be elsewhere: a prototype, an implementation for a type.
    Mention,
    /// A constant, a variable, a field.
    Value,
    /// A function inside something.
    Method,
    /// A function of the file's own.
    Function,
    /// A class, a struct, a trait, a type, a module.
    Type,
}

const MODIFIERS: &[&str] = &[
    "pub",
    "export",
    "default",
    "async",
    "static",
    "public",
    "private",
    "protected",
    "internal",
    "abstract",
    "final",
    "override",
    "open",
    "sealed",
    "data",
    "inline",
    "extern",
    "unsafe",
    "virtual",
    "partial",
    "readonly",
    "declare",
    "suspend",
    "companion",
    "case",
    "implicit",
    "lazy",
    "local",
    "constexpr",
    "inner",
    "annotation",
    "value",
    "fileprivate",
    "mutating",
    "required",
    "convenience",
    "indirect",
    "noinline",
    "tailrec",
    "operator",
    "infix",
    "external",
    "expect",
    "actual",
    "new",
    "late",
    "covariant",
    "comptime",
    "noexcept",
    "explicit",
    "friend",
    "given",
    "transparent",
    "recursive",
    "elemental",
    "pure",
    "typedef",
    "volatile",
    "synchronized",
    "global",
    "nonisolated",
    "unowned",
    "weak",
    "crate",
];

/// Words before a parenthesis that define nothing.
const CONTROL: &[&str] = &[
    "if",
    "for",
    "while",
    "switch",
    "return",
    "catch",
    "else",
    "sizeof",
    "new",
    "throw",
    "assert",
    "await",
    "case",
    "super",
    "this",
    "do",
    "try",
    "in",
    "of",
    "and",
    "or",
    "not",
    "when",
    "match",
    "foreach",
    "using",
    "lock",
    "defined",
    "typeof",
    "delete",
    "yield",
    "elif",
    "unless",
    "until",
    "with",
    "require",
    "import",
    "print",
    "echo",
    "function",
    "synchronized",
    "guard",
    "select",
    "constructor",
    "goto",
    "raise",
    "fixed",
    "def",
    "static_assert",
    "__attribute__",
    "decltype",
    "alignas",
    "fn",
    "func",
    "where",
];

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The name at the start of some text, and what follows it.
fn leading_name(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c| !is_name(c)).unwrap_or(text.len()))
}

/// The name that a line defines, as the language writes it; the line comes with the spaces before it.
pub(super) fn find_definition(line: &str, language: SourceLanguage) -> Option<(&str, DefinitionKind)> {
    if !language.is_code() {
        return None;
    }
    let text = line.trim_start();
    let indent = line.len() - text.len();
    if text.is_empty() || indent > 24 || language.is_comment(text) {
        return None;
    }
    let text = if language == SourceLanguage::Lisp { text.strip_prefix('(')? } else { text };
    by_keyword(text, indent, language).or_else(|| by_form(text, indent, language))
}

/// Returns the name that is defined with no keyword.
fn by_form(text: &str, indent: usize, language: SourceLanguage) -> Option<(&str, DefinitionKind)> {
    match language {
        SourceLanguage::Functional => return signature_name(text, indent),
        SourceLanguage::Python => return python_variable(text, indent),
        _ => {}
    }
    let open = text.find('(');
    let assigned = text.find(" = ").or_else(|| text.find(": function"));
    if let Some(at) = assigned
        && open.is_none_or(|open| at < open)
        && matches!(language, SourceLanguage::Script | SourceLanguage::Keywords)
    {
        return assignment_name(text, indent, at);
    }
    let call = CallLine::at_parenthesis(text, open?)?;
    match language {
        SourceLanguage::C => call.in_c(indent),
        SourceLanguage::Classes => call.in_class(indent),
        SourceLanguage::Script => call.in_script(indent),
        SourceLanguage::Shell => call.in_shell(),
        SourceLanguage::Keywords => call.in_erlang(indent),
        _ => None,
    }
}

/// The function of a type signature: `name :: Type`.
fn signature_name(text: &str, indent: usize) -> Option<(&str, DefinitionKind)> {
    let (name, rest) = leading_name(text);
    let is_one = indent == 0 && !name.is_empty() && rest.trim_start().starts_with("::");
    is_one.then_some((name, DefinitionKind::Function))
}

/// The variable or field that a line of Python sets or annotates.
fn python_variable(text: &str, indent: usize) -> Option<(&str, DefinitionKind)> {
    let (name, rest) = leading_name(text);
    let rest = rest.trim_start();
    let is_set = rest.starts_with('=') && !rest.starts_with("==") || rest.starts_with(':') && indent > 0;
    let is_one = indent <= 4 && is_set && !name.is_empty() && !CONTROL.contains(&name) && name != "else";
    is_one.then_some((name, DefinitionKind::Value))
}

/// Returns the name that an assignment at `at` defines: `exports.name = …`, `Type.prototype.name = function`, `name:
/// function`.
fn assignment_name(text: &str, indent: usize, at: usize) -> Option<(&str, DefinitionKind)> {
    let target = text[..at].trim_end();
    let last = target.rsplit(['.', ' ']).next()?;
    let is_one = indent <= 4 && !last.is_empty() && last.chars().all(is_name) && indent + target.len() < 80;
    let is_function = text[at..].contains("function") || text[at..].contains("=>");
    let is_own = target.contains("exports") || target.contains("prototype") || is_function;
    let kind = if is_function { DefinitionKind::Method } else { DefinitionKind::Value };
    (is_one && is_own).then_some((last, kind))
}

/// A line with a name before its first parenthesis: a call, or the head of a function.
struct CallLine<'t> {
    name: &'t str,
    /// The text before the name: modifiers and a type.
    types: &'t str,
    /// The line from the parenthesis on.
    rest: &'t str,
    /// True if there is a type before the name.
    has_type: bool,
}

impl<'t> CallLine<'t> {
    fn at_parenthesis(text: &'t str, open: usize) -> Option<Self> {
        let before = text[..open].trim_end();
        let start = before
            .rfind(|c| !is_name(c))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let (types, found) = before.split_at(start);
        let is_word = found.starts_with(|c: char| c.is_alphabetic() || c == '_') && !CONTROL.contains(&found);
        if !is_word || before.contains(['=', '"', '\'', ';', '{', '}', '(', ')']) {
            return None;
        }
        let has_type = !types.trim().is_empty() && !CONTROL.contains(&leading_name(text).0);
        Some(Self { name: found, types, rest: &text[open..], has_type })
    }

    fn ends_with(&self, end: &str) -> bool {
        self.rest.trim_end().ends_with(end)
    }

    fn in_c(&self, indent: usize) -> Option<(&'t str, DefinitionKind)> {
        let is_prototype = self.ends_with(";");
        let is_one = (indent == 0 && !self.ends_with(":") && self.name.to_uppercase() != self.name)
            || (indent <= 8 && self.ends_with("{") && self.has_type)
            || (indent <= 4 && is_prototype && self.has_type);
        let kind = if is_prototype {
            DefinitionKind::Mention
        } else if indent == 0 {
            DefinitionKind::Function
        } else {
            DefinitionKind::Method
        };
        (is_one && !self.types.trim_end().ends_with(['.', '>', ',', '-'])).then_some((self.name, kind))
    }

    fn in_class(&self, indent: usize) -> Option<(&'t str, DefinitionKind)> {
        let goes_on = self.types.trim_end().ends_with(['.', ',', '-', '+', '!', '&', '|']);
        let kind = if self.ends_with(";") { DefinitionKind::Mention } else { DefinitionKind::Method };
        (indent <= 8 && self.has_type && !goes_on).then_some((self.name, kind))
    }

    fn in_script(&self, indent: usize) -> Option<(&'t str, DefinitionKind)> {
        let is_one = self.ends_with("{")
            && indent <= 4
            && indent > 0
            && (self.types.is_empty() || is_modified(self.types));
        is_one.then_some((self.name, DefinitionKind::Method))
    }

    fn in_shell(&self) -> Option<(&'t str, DefinitionKind)> {
        let is_one = self.types.is_empty() && self.rest.starts_with("()");
        is_one.then_some((self.name, DefinitionKind::Function))
    }

    fn in_erlang(&self, indent: usize) -> Option<(&'t str, DefinitionKind)> {
        let is_one = indent == 0 && self.types.is_empty() && self.ends_with("->");
        is_one.then_some((self.name, DefinitionKind::Function))
    }
}

fn is_modified(types: &str) -> bool {
    types
        .split_whitespace()
        .all(|word| MODIFIERS.contains(&word) || matches!(word, "get" | "set" | "*" | "#"))
}

#[cfg(test)]
mod tests;
