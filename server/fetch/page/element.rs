//! What the elements of HTML mean for a reader.

use html5gum::StartTag;

/// A start tag, without its place in the page.
pub(super) type Tag = StartTag<()>;

/// Names of elements.
type Names = &'static [&'static [u8]];

/// What an element does to the text in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    None,
    /// Neither it nor what is in it is shown.
    Hidden,
    Title,
    Main,
    Block,
    Heading(usize),
    Mark(&'static str),
    /// With its address, once that is known.
    Link(String),
    Quote,
    /// With the number of its next item, where it counts them.
    List(Option<u64>),
    Item,
    /// A term that is defined.
    Definition,
    /// What is said of a term.
    Described,
    Code,
    Preformatted,
    Table,
    Row,
    Cell,
}

/// Whether an element never holds anything.
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
pub(super) fn ends(name: &[u8]) -> Option<(Names, Names)> {
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

/// What an element does.
pub(super) fn effect(tag: &Tag) -> Effect {
    if is_hidden(tag) {
        return Effect::Hidden;
    }
    match tag.name.as_slice() {
        b"title" => Effect::Title,
        b"main" => Effect::Main,
        b"h1" => Effect::Heading(1),
        b"h2" => Effect::Heading(2),
        b"h3" => Effect::Heading(3),
        b"h4" => Effect::Heading(4),
        b"h5" => Effect::Heading(5),
        b"h6" => Effect::Heading(6),
        b"b" | b"strong" => Effect::Mark("**"),
        b"i" | b"em" => Effect::Mark("*"),
        b"s" | b"del" | b"strike" => Effect::Mark("~~"),
        b"q" => Effect::Mark("\""),
        b"a" => Effect::Link(String::new()),
        b"blockquote" => Effect::Quote,
        b"ul" | b"menu" => Effect::List(None),
        b"ol" => Effect::List(Some(first_number(tag))),
        b"li" => Effect::Item,
        b"dt" => Effect::Definition,
        b"dd" => Effect::Described,
        b"code" | b"samp" | b"kbd" | b"tt" => Effect::Code,
        b"pre" | b"listing" | b"xmp" => Effect::Preformatted,
        b"table" => Effect::Table,
        b"tr" => Effect::Row,
        b"td" | b"th" => Effect::Cell,
        name if is_block(name) => Effect::Block,
        _ => Effect::None,
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

/// What runs, is drawn, is operated, or leads elsewhere; and what the page itself hides.
fn is_hidden(tag: &Tag) -> bool {
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

fn is_styled_away(tag: &Tag) -> bool {
    let Some(style) = tag.attributes.get(b"style".as_slice()) else { return false };
    let style: Vec<u8> = style.iter().filter(|byte| !byte.is_ascii_whitespace()).copied().collect();
    let style = style.to_ascii_lowercase();
    let has = |what: &[u8]| style.windows(what.len()).any(|window| window == what);
    has(b"display:none") || has(b"visibility:hidden")
}

/// The mark beside a heading that links to it.
fn is_anchor(tag: &Tag) -> bool {
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

fn first_number(tag: &Tag) -> u64 {
    let start = tag.attributes.get(b"start".as_slice());
    start.and_then(|start| std::str::from_utf8(start).ok()?.trim().parse().ok()).unwrap_or(1)
}
