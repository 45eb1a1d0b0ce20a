//! HTML pages as Markdown.
//!
//! html5gum reads the tags and characters; what stands here pairs the tags and says what each means. There is no tree:
//! trees as browsers build them take time and memory by the square of a page that wants it so, and recursion over one
//! ends the process. This takes time by the length of the page.

mod element;
mod writer;

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Token, Tokenizer};
use url::Url;

use element::{Effect, Tag, effect, ends, is_void};
use writer::Writer;

/// Elements within each other that are told apart.
const DEEPEST: usize = 256;

/// Bytes of the text in `main` that make it the whole of the page.
const ENOUGH: usize = 200;

/// Bytes of a title at most.
const LONGEST_TITLE: usize = 500;

/// A page as a reader sees it.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) title: Option<String>,
    pub(crate) markdown: String,
    /// Whether the Markdown was cut.
    pub(crate) cut: bool,
}

/// Reads a page that stood at a URL; its Markdown has at most so many bytes.
pub(crate) fn read(html: &str, url: Url, most: usize) -> Page {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut reader =
        Reader { url, writer: Writer::default(), open: Vec::new(), hidden: 0, title: None, main: None };
    let mut cut = false;
    for token in Tokenizer::new_with_emitter(html, emitter) {
        match token {
            Ok(Token::StartTag(tag)) => reader.start(&tag),
            Ok(Token::EndTag(tag)) => reader.end(&tag.name),
            Ok(Token::String(text)) => reader.text(&String::from_utf8_lossy(&text)),
            Ok(Token::Comment(_) | Token::Doctype(_) | Token::Error(_)) => {}
        }
        if reader.writer.length() > most {
            cut = true;
            break;
        }
    }
    reader.page(cut, most)
}

struct Open {
    name: Vec<u8>,
    effect: Effect,
}

struct Reader {
    url: Url,
    writer: Writer,
    open: Vec<Open>,
    /// How many of the open elements are not shown.
    hidden: usize,
    title: Option<String>,
    /// Where the text of `main` begins and ends.
    main: Option<(usize, usize)>,
}

impl Reader {
    fn start(&mut self, tag: &Tag) {
        let name: &[u8] = &tag.name;
        if let Some((ended, within)) = ends(name) {
            self.close_within(ended, within);
        }
        if name == b"base" && self.hidden == 0 {
            self.url = self.joined(tag, b"href").unwrap_or_else(|| self.url.clone());
        }
        if is_void(name) {
            return self.void(tag);
        }
        let effect = if self.hidden > 0 { Effect::None } else { effect(tag) };
        if self.open.len() >= DEEPEST && !matches!(effect, Effect::Hidden) {
            return;
        }
        let effect = self.begun(tag, effect);
        self.open.push(Open { name: name.to_vec(), effect });
    }

    /// An element that holds nothing.
    fn void(&mut self, tag: &Tag) {
        if self.hidden > 0 {
            return;
        }
        match tag.name.as_slice() {
            b"br" => self.writer.line(),
            b"hr" => self.writer.rule(),
            b"img" => {
                let alt = attribute(tag, b"alt").unwrap_or_default();
                let alt = alt.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
                if let Some(source) = self.joined(tag, b"src").filter(|_| !alt.is_empty()) {
                    self.writer.image(&alt, &address(&source));
                }
            }
            _ => {}
        }
    }

    /// Begins what an element does, and says what its end does.
    fn begun(&mut self, tag: &Tag, effect: Effect) -> Effect {
        if self.writer.is_raw() {
            return self.begun_in_code(tag, effect);
        }
        match effect {
            Effect::Hidden => self.hidden += 1,
            Effect::Block | Effect::Definition => self.writer.block(),
            Effect::Main => {
                self.writer.block();
                self.main.get_or_insert((self.writer.length(), usize::MAX));
            }
            Effect::Described => self.writer.described(),
            Effect::Heading(level) => return self.writer.heading(level),
            Effect::Mark(mark) => self.writer.mark(mark),
            Effect::Link(_) => {
                let Some(target) = self.joined(tag, b"href") else { return Effect::None };
                self.writer.link();
                return Effect::Link(address(&target));
            }
            Effect::Quote => self.writer.quote(),
            Effect::List(next) => self.writer.list(next),
            Effect::Item => self.writer.item(),
            Effect::Code => self.writer.code(),
            Effect::Preformatted => self.writer.preformatted(attribute(tag, b"class").as_deref()),
            Effect::Table => self.table(),
            Effect::Cell if !self.writer.cell() => {
                self.writer.block();
                return Effect::Block;
            }
            Effect::Cell | Effect::Row | Effect::Title | Effect::None => {}
        }
        effect
    }

    /// In code nothing counts but its language, and where its lines end.
    fn begun_in_code(&mut self, tag: &Tag, effect: Effect) -> Effect {
        match effect {
            Effect::Hidden => {
                self.hidden += 1;
                Effect::Hidden
            }
            Effect::Code => {
                self.writer.language(attribute(tag, b"class").as_deref());
                Effect::None
            }
            Effect::Block => Effect::Block,
            _ => Effect::None,
        }
    }

    /// A table in a cell makes the outer one mere layout.
    fn table(&mut self) {
        if self.writer.table() {
            let cell = self.open.iter_mut().rev().find(|open| matches!(open.effect, Effect::Cell));
            if let Some(cell) = cell {
                cell.effect = Effect::Block;
            }
        }
    }

    fn end(&mut self, name: &[u8]) {
        let of_table = matches!(name, b"table" | b"tbody" | b"thead" | b"tfoot" | b"tr" | b"td" | b"th");
        let within: &[&[u8]] = if of_table { &[b"table"] } else { &[b"td", b"th"] };
        if !self.close_within(&[name], within) && self.hidden == 0 {
            match name {
                b"br" => self.writer.line(),
                b"p" => self.writer.block(),
                _ => {}
            }
        }
    }

    /// Closes the innermost element of one of these names, with all in it; none outside of `within`.
    fn close_within(&mut self, names: &[&[u8]], within: &[&[u8]]) -> bool {
        for at in (0..self.open.len()).rev() {
            let name = self.open[at].name.as_slice();
            if names.contains(&name) {
                self.close(at);
                return true;
            }
            if within.contains(&name) {
                return false;
            }
        }
        false
    }

    fn close(&mut self, from: usize) {
        while self.open.len() > from {
            let Some(Open { effect, .. }) = self.open.pop() else { return };
            match effect {
                Effect::Hidden => self.hidden -= 1,
                Effect::Main => {
                    if let Some((_, end)) = &mut self.main {
                        *end = (*end).min(self.writer.length());
                    }
                    self.writer.block();
                }
                Effect::None | Effect::Title => {}
                other => self.writer.end(other),
            }
        }
    }

    fn text(&mut self, text: &str) {
        if self.hidden > 0 {
            return;
        }
        if !matches!(self.open.last(), Some(Open { effect: Effect::Title, .. })) {
            return self.writer.text(text);
        }
        let title = self.title.get_or_insert_default();
        if title.len() + text.len() <= LONGEST_TITLE {
            title.push_str(text);
        }
    }

    /// The URL that an attribute names, where it is of the web.
    fn joined(&self, tag: &Tag, name: &[u8]) -> Option<Url> {
        let text = attribute(tag, name)?;
        let text = text.trim();
        // A place in the same page is no place to go to.
        if text.is_empty() || text.starts_with('#') {
            return None;
        }
        let url = self.url.join(text).ok()?;
        matches!(url.scheme(), "http" | "https" | "mailto").then_some(url)
    }

    fn page(mut self, cut: bool, most: usize) -> Page {
        self.close(0);
        let mut markdown = self.writer.done();
        if let Some((start, end)) = self.main {
            let main = markdown.get(start..end.min(markdown.len())).unwrap_or_default();
            if main.trim().len() >= ENOUGH {
                markdown = main.to_owned();
            }
        }
        let cut = cut || markdown.len() > most;
        markdown.truncate(markdown.floor_char_boundary(most));
        let title = self.title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "));
        Page { title: title.filter(|title| !title.is_empty()), markdown: trimmed(&markdown), cut }
    }
}

/// Without empty lines around it. A first line keeps its indent.
fn trimmed(markdown: &str) -> String {
    markdown.trim_start_matches('\n').trim_end().to_owned()
}

fn attribute(tag: &Tag, name: &[u8]) -> Option<String> {
    tag.attributes.get(name).map(|value| String::from_utf8_lossy(value).into_owned())
}

/// A URL as Markdown has it in brackets.
fn address(url: &Url) -> String {
    url.as_str().replace('(', "%28").replace(')', "%29")
}
