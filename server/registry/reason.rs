//! Judges whether a reason states the purpose of the call, or only repeats the call.
//!
//! A reason is empty in substance when every word of it is one of these: a word of grammar, a verb of calling tools
//! (read, run), a noun of the objects of tools (file, content), a word of mere need, or a word that the call itself
//! already holds (its tool's name, its path, its query). The word lists are English; a word that no list holds counts
//! as substance, so that a reason in another language passes.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde_json::Value;

use super::CompiledTool;
use super::sentences::count_sentences;
use crate::protocol::Why;

/// Characters above which a reason is no single short sentence.
const LONG: usize = 300;
/// Bytes of an argument above which it is content, not a name or a query.
const SHORT_ARGUMENT: usize = 200;

/// A remark on a reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ReasonRemark {
    /// The reason adds nothing to the call: strict settings refuse it.
    Empty(String),
    /// The reason has substance, but is not one short sentence.
    Form(String),
}

/// Returns the remarks on `why`.
pub(super) fn reason_remarks(why: &Why, tool: &CompiledTool, args: &Value) -> Vec<ReasonRemark> {
    let text = why.as_str();
    if text.len() > LONG {
        let length = text.chars().count();
        if length > LONG {
            return vec![ReasonRemark::Form(format!(
                "`why` has {length} characters; one sentence of at most {LONG} is enough"
            ))];
        }
    }
    let mut remarks = Vec::new();
    let count = count_sentences(text);
    if count > 1 {
        remarks.push(ReasonRemark::Form(format!("`why` has {count} sentences; one is enough")));
    }
    if let Some(lack) = find_lack(text, tool.name(), args) {
        let ends = match lack {
            ReasonLack::Words => "has no words".to_owned(),
            ReasonLack::Intent => format!("only says what the call does ({})", quote_reason(text)),
            ReasonLack::Reason => format!("only says that the call is needed ({})", quote_reason(text)),
        };
        remarks.push(ReasonRemark::Empty(format!("`why` {ends}; say what you want to accomplish")));
    }
    remarks
}

fn quote_reason(text: &str) -> String {
    Value::String(text.trim().chars().take(80).collect()).to_string()
}

/// The part that a reason lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReasonLack {
    /// There are only signs.
    Words,
    /// It is mechanical: it restates the call.
    Intent,
    /// It is circular: the call is made because it is.
    Reason,
}

fn find_lack(text: &str, tool: &str, args: &Value) -> Option<ReasonLack> {
    let text = text.to_lowercase().replace('\u{2019}', "'");
    let words: Vec<&str> = reason_words(&text).collect();
    if words.is_empty() {
        return Some(ReasonLack::Words);
    }
    // A single word names a topic, no intent; in a language without spaces between words, one may be a sentence.
    let enough = words.len() > 1 || !text.is_ascii();
    let mut classes = Vec::with_capacity(words.len());
    for word in &words {
        let class = word_class(word);
        if class.is_none() && enough && !is_of_call(word, tool, args) {
            return None;
        }
        classes.push(class);
    }
    if has_question(&words, &classes) {
        return None;
    }
    let circular = classes.contains(&Some(WordClass::Need));
    Some(if circular { ReasonLack::Reason } else { ReasonLack::Intent })
}

/// Runs of letters and digits; an apostrophe belongs to its word.
fn reason_words(text: &str) -> impl Iterator<Item = &str> {
    let inner = |c: char| c.is_alphanumeric() || c == '\'';
    let parts = text.split(move |c| !inner(c)).map(|word| word.trim_matches('\''));
    parts.filter(|word| !word.is_empty())
}

/// Returns whether it asks something of what it looks at: "where it is called" is an intent, though each of its words
/// is plain.
fn has_question(words: &[&str], classes: &[Option<WordClass>]) -> bool {
    let Some(at) = words.iter().position(|word| QUESTIONS.contains(word)) else {
        return false;
    };
    let rest = &classes[at + 1..];
    rest.len() >= 2 && rest.iter().any(|class| !matches!(class, Some(WordClass::Grammar | WordClass::Need)))
}

/// The lists of words that say nothing of any purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WordClass {
    Grammar,
    Calling,
    Need,
    Object,
}

/// The list that holds the word, or what it is a form of; a number is grammar.
fn word_class(word: &str) -> Option<WordClass> {
    static CLASSES: LazyLock<HashMap<&str, WordClass>> = LazyLock::new(|| {
        let lists = [
            (OBJECTS, WordClass::Object),
            (CALLING, WordClass::Calling),
            (GRAMMAR, WordClass::Grammar),
            (NEED, WordClass::Need),
        ];
        lists.iter().flat_map(|(list, class)| list.iter().map(|word| (*word, *class))).collect()
    });
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(WordClass::Grammar);
    }
    let find = |word: &str| CLASSES.get(word).copied();
    // "uses" is a noun in "find all uses".
    if word == "uses" {
        return None;
    }
    find(word).or_else(|| {
        let stem = |ending: &&str| word.strip_suffix(*ending).filter(|stem| stem.len() > 1);
        let stems = ENDINGS.iter().filter_map(stem).find_map(find);
        stems.or_else(|| stem(&"ing").and_then(|stem| find(&format!("{stem}e"))))
    })
}

/// The endings of a word's forms, some with the doubled letter.
const ENDINGS: &[&str] = &["s", "es", "ed", "d", "ing", "ning", "ting", "ping", "ped"];

/// Returns whether the call itself already holds the word: in its tool's name, or in arguments that are names or
/// queries.
fn is_of_call(word: &str, tool: &str, args: &Value) -> bool {
    let holds = |text: &str| reason_words(text).any(|one| one.eq_ignore_ascii_case(word));
    let argument = |(name, value): (&String, &Value)| {
        let text = value.as_str().filter(|text| name != "why" && text.len() <= SHORT_ARGUMENT);
        (name != "why" && holds(name)) || text.is_some_and(holds)
    };
    holds(tool) || args.as_object().is_some_and(|args| args.iter().any(argument))
}

/// The words that begin a question within a sentence.
const QUESTIONS: &[&str] = &["where", "how", "why", "whether", "if", "who", "when"];

/// Words that carry a sentence, and no meaning of their own.
#[rustfmt::skip]
const GRAMMAR: &[&str] = &[
    "a", "an", "the", "this", "that", "these", "those", "it", "its", "it's", "is", "are", "was", "were", "be",
    "been", "being", "i", "i'm", "i'll", "me", "my", "we", "we'll", "us", "our", "you", "your", "he", "she", "they",
    "them", "their", "to", "of", "in", "on", "at", "for", "from", "with", "by", "as", "and", "or", "but", "so",
    "then", "than", "into", "out", "up", "all", "any", "some", "each", "there", "here", "do", "does", "did", "will",
    "would", "should", "can", "could", "may", "might", "have", "has", "had", "not", "no", "please", "now", "just",
    "only", "also", "again", "first", "next", "let", "let's", "lets", "what", "which", "who", "whom", "where", "how",
    "why", "when", "if", "whether", "about", "inside", "within", "through", "using", "via", "per", "one", "more",
    "given", "current", "currently", "following", "before", "after", "later", "order",
];

/// The verbs of every call.
#[rustfmt::skip]
const CALLING: &[&str] = &[
    "read", "open", "look", "view", "see", "get", "list", "show", "display", "print", "cat", "run", "execute", "write",
    "edit", "patch", "apply", "call", "use", "invoke", "search", "find", "grep", "query", "create", "make", "add",
    "append", "insert", "update", "change", "modify", "modification", "save", "copy", "move", "fetch", "load", "check",
    "inspect", "examine", "review", "explore", "understand", "know", "learn", "test", "try", "perform", "go", "gather",
    "obtain", "retrieve", "access", "contain", "hold", "examination", "analyze", "analyse", "reading",
];

/// The words that state only that the call is wanted, or that work goes on.
#[rustfmt::skip]
const NEED: &[&str] = &[
    "because", "need", "necessary", "require", "requirement", "want", "ask", "told", "tell", "request", "instruct",
    "instruction", "suppose", "must", "reason", "purpose", "goal", "objective", "task", "job", "step", "proceed",
    "continue", "finish", "complete", "completion", "start", "begin", "done", "progress", "useful", "helpful",
    "important", "user", "since", "work", "prompt", "todo",
];

/// The nouns that every tool works on.
#[rustfmt::skip]
const OBJECTS: &[&str] = &[
    "file", "folder", "directory", "directories", "dir", "subdirectory", "path", "content", "text", "data", "code",
    "line", "source", "tool", "command", "parameter", "argument", "input", "output", "result", "info", "information",
    "detail", "thing", "something", "anything", "everything", "stuff", "item", "entry", "entries", "value", "project",
    "repo", "repository", "repositories", "workspace", "codebase", "document", "shell", "terminal", "call", "n", "na",
    "none", "null",
];

#[cfg(test)]
mod tests;
