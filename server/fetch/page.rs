//! HTML pages as Markdown.
//!
//! html5gum reads the tags and characters; this module pairs the tags and handles each by its meaning. There is no
//! tree: the trees of browsers can be made to take time and memory by the square of a page's length, and recursion
//! over one ends the process. This takes time by the length of the page.

mod element;
mod writer;

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Token, Tokenizer};
use url::Url;

use element::{ElementEffect, HtmlTag, effect_of, elements_ended_by, is_void};
use writer::MarkdownWriter;

/// The deepest nesting of elements that is tracked.
const DEEPEST: usize = 256;

/// Bytes of the text in `main` that make it the whole of the page.
const ENOUGH: usize = 200;

/// Bytes of a title at most.
const LONGEST_TITLE: usize = 500;

/// A page as a reader sees it.
#[derive(Debug)]
pub(crate) struct MarkdownPage {
    pub(crate) title: Option<String>,
    pub(crate) markdown: String,
    /// True if the Markdown was cut.
    pub(crate) cut: bool,
}

/// Reads a page that stood at a URL; its Markdown has at most so many bytes.
pub(crate) fn read_page(html: &str, url: Url, most: usize) -> MarkdownPage {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut reader = PageReader {
        url,
        writer: MarkdownWriter::default(),
        open: Vec::new(),
        hidden: 0,
        title: None,
        main: None,
    };
    let mut cut = false;
    for token in Tokenizer::new_with_emitter(html, emitter) {
        match token {
            Ok(Token::StartTag(tag)) => reader.start_element(&tag),
            Ok(Token::EndTag(tag)) => reader.end_element(&tag.name),
            Ok(Token::String(text)) => reader.add_text(&String::from_utf8_lossy(&text)),
            Ok(Token::Comment(_) | Token::Doctype(_) | Token::Error(_)) => {}
        }
        if reader.writer.length() > most {
            cut = true;
            break;
        }
    }
    reader.into_page(cut, most)
}

struct OpenElement {
    name: Vec<u8>,
    effect: ElementEffect,
}

struct PageReader {
    url: Url,
    writer: MarkdownWriter,
    open: Vec<OpenElement>,
    /// The number of open elements that are not shown.
    hidden: usize,
    title: Option<String>,
    /// The start and the end of the text of `main`.
    main: Option<(usize, usize)>,
}

impl PageReader {
    fn start_element(&mut self, tag: &HtmlTag) {
        let name: &[u8] = &tag.name;
        if let Some((ended, within)) = elements_ended_by(name) {
            self.close_within(ended, within);
        }
        if name == b"base" && self.hidden == 0 {
            self.url = self.join_url(tag, b"href").unwrap_or_else(|| self.url.clone());
        }
        if is_void(name) {
            return self.void_element(tag);
        }
        let effect = if self.hidden > 0 { ElementEffect::None } else { effect_of(tag) };
        if self.open.len() >= DEEPEST && !matches!(effect, ElementEffect::Hidden) {
            return;
        }
        let effect = self.begin_effect(tag, effect);
        self.open.push(OpenElement { name: name.to_vec(), effect });
    }

    /// Writes a void element: a line break, a rule, or an image that has an `alt` text. Others are dropped.
    fn void_element(&mut self, tag: &HtmlTag) {
        if self.hidden > 0 {
            return;
        }
        match tag.name.as_slice() {
            b"br" => self.writer.end_line(),
            b"hr" => self.writer.write_rule(),
            b"img" => {
                let alt = attribute_of(tag, b"alt").unwrap_or_default();
                let alt = alt.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
                if let Some(source) = self.join_url(tag, b"src").filter(|_| !alt.is_empty()) {
                    self.writer.write_image(&alt, &markdown_address(&source));
                }
            }
            _ => {}
        }
    }

    /// Applies the effect of an element's start tag, and returns the effect of its end tag.
    fn begin_effect(&mut self, tag: &HtmlTag, effect: ElementEffect) -> ElementEffect {
        if self.writer.is_raw() {
            return self.begin_in_code(tag, effect);
        }
        match effect {
            ElementEffect::Hidden => self.hidden += 1,
            ElementEffect::Block | ElementEffect::Definition => self.writer.end_paragraph(),
            ElementEffect::Main => {
                self.writer.end_paragraph();
                self.main.get_or_insert((self.writer.length(), usize::MAX));
            }
            ElementEffect::Described => self.writer.begin_description(),
            ElementEffect::Heading(level) => return self.writer.begin_heading(level),
            ElementEffect::Mark(mark) => self.writer.push_mark(mark),
            ElementEffect::Link(_) => {
                let Some(target) = self.join_url(tag, b"href") else { return ElementEffect::None };
                self.writer.begin_link();
                return ElementEffect::Link(markdown_address(&target));
            }
            ElementEffect::Quote => self.writer.begin_quote(),
            ElementEffect::List(next) => self.writer.begin_list(next),
            ElementEffect::Item => self.writer.begin_item(),
            ElementEffect::Code => self.writer.begin_code(),
            ElementEffect::Preformatted => {
                self.writer.begin_code_block(attribute_of(tag, b"class").as_deref())
            }
            ElementEffect::Table => self.start_table(),
            ElementEffect::Cell if !self.writer.begin_cell() => {
                self.writer.end_paragraph();
                return ElementEffect::Block;
            }
            ElementEffect::Cell | ElementEffect::Row | ElementEffect::Title | ElementEffect::None => {}
        }
        effect
    }

    /// Handles a start tag in code, where nothing counts but its language, and the ends of its lines.
    fn begin_in_code(&mut self, tag: &HtmlTag, effect: ElementEffect) -> ElementEffect {
        match effect {
            ElementEffect::Hidden => {
                self.hidden += 1;
                ElementEffect::Hidden
            }
            ElementEffect::Code => {
                self.writer.set_language(attribute_of(tag, b"class").as_deref());
                ElementEffect::None
            }
            ElementEffect::Block => ElementEffect::Block,
            _ => ElementEffect::None,
        }
    }

    /// A table in a cell makes the outer one mere layout.
    fn start_table(&mut self) {
        if self.writer.begin_table() {
            let cell = self.open.iter_mut().rev().find(|open| matches!(open.effect, ElementEffect::Cell));
            if let Some(cell) = cell {
                cell.effect = ElementEffect::Block;
            }
        }
    }

    fn end_element(&mut self, name: &[u8]) {
        let of_table = matches!(name, b"table" | b"tbody" | b"thead" | b"tfoot" | b"tr" | b"td" | b"th");
        let within: &[&[u8]] = if of_table { &[b"table"] } else { &[b"td", b"th"] };
        if !self.close_within(&[name], within) && self.hidden == 0 {
            match name {
                b"br" => self.writer.end_line(),
                b"p" => self.writer.end_paragraph(),
                _ => {}
            }
        }
    }

    /// Closes the innermost element of one of these names, with all in it; none outside of `within`.
    fn close_within(&mut self, names: &[&[u8]], within: &[&[u8]]) -> bool {
        for at in (0..self.open.len()).rev() {
            let name = self.open[at].name.as_slice();
            if names.contains(&name) {
                self.close_from(at);
                return true;
            }
            if within.contains(&name) {
                return false;
            }
        }
        false
    }

    fn close_from(&mut self, from: usize) {
        while self.open.len() > from {
            let Some(OpenElement { effect, .. }) = self.open.pop() else { return };
            match effect {
                ElementEffect::Hidden => self.hidden -= 1,
                ElementEffect::Main => {
                    if let Some((_, end)) = &mut self.main {
                        *end = (*end).min(self.writer.length());
                    }
                    self.writer.end_paragraph();
                }
                ElementEffect::None | ElementEffect::Title => {}
                other => self.writer.end_effect(other),
            }
        }
    }

    fn add_text(&mut self, text: &str) {
        if self.hidden > 0 {
            return;
        }
        if !matches!(self.open.last(), Some(OpenElement { effect: ElementEffect::Title, .. })) {
            return self.writer.write_text(text);
        }
        let title = self.title.get_or_insert_default();
        if title.len() + text.len() <= LONGEST_TITLE {
            title.push_str(text);
        }
    }

    /// The URL that an attribute names, if it is of the web.
    fn join_url(&self, tag: &HtmlTag, name: &[u8]) -> Option<Url> {
        let text = attribute_of(tag, name)?;
        let text = text.trim();
        // A place in the same page is no place to go to.
        if text.is_empty() || text.starts_with('#') {
            return None;
        }
        let url = self.url.join(text).ok()?;
        matches!(url.scheme(), "http" | "https" | "mailto").then_some(url)
    }

    fn into_page(mut self, cut: bool, most: usize) -> MarkdownPage {
        self.close_from(0);
        let mut markdown = self.writer.into_markdown();
        if let Some((start, end)) = self.main {
            let main = markdown.get(start..end.min(markdown.len())).unwrap_or_default();
            if main.trim().len() >= ENOUGH {
                markdown = main.to_owned();
            }
        }
        let cut = cut || markdown.len() > most;
        markdown.truncate(markdown.floor_char_boundary(most));
        let title = self.title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "));
        MarkdownPage { title: title.filter(|title| !title.is_empty()), markdown: trim_lines(&markdown), cut }
    }
}

/// Without empty lines around it. A first line keeps its indent.
fn trim_lines(markdown: &str) -> String {
    markdown.trim_start_matches('\n').trim_end().to_owned()
}

fn attribute_of(tag: &HtmlTag, name: &[u8]) -> Option<String> {
    tag.attributes.get(name).map(|value| String::from_utf8_lossy(value).into_owned())
}

/// A URL as Markdown has it in brackets.
fn markdown_address(url: &Url) -> String {
    url.as_str().replace('(', "%28").replace(')', "%29")
}
