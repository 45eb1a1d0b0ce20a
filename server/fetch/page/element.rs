//! The meaning of HTML's elements for a reader.

use html5gum::StartTag;

/// A start tag, without its place in the page.
pub(super) type HtmlTag = StartTag<()>;

/// Names of elements.
type ElementNames = &'static [&'static [u8]];

/// The effect of an element on the text in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ElementEffect {
    None,
    /// Neither it nor what is in it is shown.
    Hidden,
    Title,
    Main,
    Block,
    Heading(usize),
    Mark(&'static str),
    /// A link with its address, once that is known.
    Link(String),
    Quote,
    /// A list with the number of its next item, if it is numbered.
    List(Option<u64>),
    Item,
    /// A term that is defined.
    Definition,
    /// The description of a term.
    Described,
    Code,
    Preformatted,
    Table,
    Row,
    Cell,
}

/// Returns whether an element is always empty.
pub(super) fn is_void(name: &[u8]) -> bool {
    matches!(
        name,
        b"area"
            | b"base"
            | b"br"
            | b"col"
            | b"embed"
            | b"hr"
            | b"img"
            | b"input"
            | b"link"
            | b"meta"
            | b"param"
            | b"source"
            | b"track"
            | b"wbr"
    )
}

/// The elements that the start of another ends, though no tag does, and those in which they are looked for.
pub(super) fn elements_ended_by(name: &[u8]) -> Option<(ElementNames, ElementNames)> {
    Some(match name {
        b"li" => (&[b"li"], &[b"ul", b"ol", b"menu", b"td", b"th"]),
        b"dt" | b"dd" => (&[b"dt", b"dd"], &[b"dl", b"td", b"th"]),
        b"td" | b"th" => (&[b"td", b"th"], &[b"tr", b"table"]),
        b"tr" => (&[b"tr"], &[b"table"]),
        b"tbody" | b"thead" | b"tfoot" => (&[b"tbody", b"thead", b"tfoot", b"caption"], &[b"table"]),
        _ if is_block(name) => (&[b"p"], &[b"td", b"th", b"table", b"li", b"blockquote", b"div"]),
        _ => return None,
    })
}

/// Returns the effect of an element.
pub(super) fn effect_of(tag: &HtmlTag) -> ElementEffect {
    if is_hidden(tag) {
        return ElementEffect::Hidden;
    }
    match tag.name.as_slice() {
        b"title" => ElementEffect::Title,
        b"main" => ElementEffect::Main,
        b"h1" => ElementEffect::Heading(1),
        b"h2" => ElementEffect::Heading(2),
        b"h3" => ElementEffect::Heading(3),
        b"h4" => ElementEffect::Heading(4),
        b"h5" => ElementEffect::Heading(5),
        b"h6" => ElementEffect::Heading(6),
        b"b" | b"strong" => ElementEffect::Mark("**"),
        b"i" | b"em" => ElementEffect::Mark("*"),
        b"s" | b"del" | b"strike" => ElementEffect::Mark("~~"),
        b"q" => ElementEffect::Mark("\""),
        b"a" => ElementEffect::Link(String::new()),
        b"blockquote" => ElementEffect::Quote,
        b"ul" | b"menu" => ElementEffect::List(None),
        b"ol" => ElementEffect::List(Some(first_number(tag))),
        b"li" => ElementEffect::Item,
        b"dt" => ElementEffect::Definition,
        b"dd" => ElementEffect::Described,
        b"code" | b"samp" | b"kbd" | b"tt" => ElementEffect::Code,
        b"pre" | b"listing" | b"xmp" => ElementEffect::Preformatted,
        b"table" => ElementEffect::Table,
        b"tr" => ElementEffect::Row,
        b"td" | b"th" => ElementEffect::Cell,
        name if is_block(name) => ElementEffect::Block,
        _ => ElementEffect::None,
    }
}

fn is_block(name: &[u8]) -> bool {
    matches!(
        name,
        b"address"
            | b"article"
            | b"aside"
            | b"blockquote"
            | b"body"
            | b"caption"
            | b"center"
            | b"details"
            | b"div"
            | b"dl"
            | b"fieldset"
            | b"figcaption"
            | b"figure"
            | b"footer"
            | b"form"
            | b"h1"
            | b"h2"
            | b"h3"
            | b"h4"
            | b"h5"
            | b"h6"
            | b"header"
            | b"hgroup"
            | b"hr"
            | b"legend"
            | b"main"
            | b"menu"
            | b"ol"
            | b"p"
            | b"pre"
            | b"search"
            | b"section"
            | b"summary"
            | b"table"
            | b"ul"
    )
}

/// Returns whether an element is hidden: scripts, drawings, controls, navigation, and elements that the page itself
/// hides.
fn is_hidden(tag: &HtmlTag) -> bool {
    let named = matches!(
        tag.name.as_slice(),
        b"audio"
            | b"button"
            | b"canvas"
            | b"datalist"
            | b"iframe"
            | b"map"
            | b"nav"
            | b"noembed"
            | b"noframe"
            | b"noframes"
            | b"noscript"
            | b"object"
            | b"script"
            | b"select"
            | b"style"
            | b"svg"
            | b"template"
            | b"textarea"
            | b"video"
    );
    named || tag.attributes.contains_key(b"hidden".as_slice()) || is_styled_away(tag) || is_anchor(tag)
}

fn is_styled_away(tag: &HtmlTag) -> bool {
    let Some(style) = tag.attributes.get(b"style".as_slice()) else { return false };
    let style: Vec<u8> = style.iter().filter(|byte| !byte.is_ascii_whitespace()).copied().collect();
    let style = style.to_ascii_lowercase();
    let has = |what: &[u8]| style.windows(what.len()).any(|window| window == what);
    has(b"display:none") || has(b"visibility:hidden")
}

/// Returns whether an element is the mark next to a heading that links to it.
fn is_anchor(tag: &HtmlTag) -> bool {
    let has =
        |name: &[u8], test: &dyn Fn(&[u8]) -> bool| tag.attributes.get(name).is_some_and(|value| test(value));
    tag.name.as_slice() == b"a"
        && has(b"href", &|href| href.starts_with(b"#"))
        && has(b"class", &|class| {
            class
                .split(u8::is_ascii_whitespace)
                .any(|word| matches!(word, b"headerlink" | b"anchor" | b"hash-link"))
        })
}

fn first_number(tag: &HtmlTag) -> u64 {
    let start = tag.attributes.get(b"start".as_slice());
    start.and_then(|start| std::str::from_utf8(start).ok()?.trim().parse().ok()).unwrap_or(1)
}
