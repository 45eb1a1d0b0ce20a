//! Bytes as text: by the byte order mark, the header, the page's own word, and else by what they look like.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use html5gum::{Token, Tokenizer};

use crate::exchange::BodyStart;

/// Bytes of a page in which it may say its encoding.
const PRESCAN: usize = 1024;

/// A text with how it was read.
#[derive(Debug)]
pub(crate) struct DecodedBody {
    pub(crate) text: String,
    /// The encoding's name, as the Encoding Standard has it.
    pub(crate) charset: &'static str,
    /// True if bytes that are no characters were replaced by U+FFFD.
    pub(crate) replaced: bool,
}

/// Reads a body as text. `said` is the header's charset.
pub(crate) fn decode_body(body: &BodyStart, said: Option<&str>, is_page: bool) -> DecodedBody {
    let bytes = body.bytes.as_slice();
    let encoding = choose_encoding(body, said, is_page);
    let mut decoder = encoding.new_decoder_with_bom_removal();
    let room = decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len());
    let mut text = String::with_capacity(room);
    // Half a character at the place where the body was cut is left out.
    let (_, _, replaced) = decoder.decode_to_string(bytes, &mut text, !body.cut);
    text.shrink_to_fit();
    DecodedBody { text, charset: encoding.name(), replaced }
}

fn choose_encoding(body: &BodyStart, said: Option<&str>, is_page: bool) -> &'static Encoding {
    let bytes = body.bytes.as_slice();
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let named = || Encoding::for_label(said?.as_bytes());
    let own = || if is_page { page_encoding(bytes) } else { None };
    marked.or_else(named).or_else(own).unwrap_or_else(|| guess_encoding(body))
}

/// UTF-8 if it is that, else what browsers take for the West's older pages.
fn guess_encoding(body: &BodyStart) -> &'static Encoding {
    match std::str::from_utf8(&body.bytes) {
        Err(error) if error.error_len().is_some() || !body.cut => WINDOWS_1252,
        _ => UTF_8,
    }
}

/// Returns the encoding that the page's `meta` names.
fn page_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(PRESCAN)]);
    let tokens = Tokenizer::new(start.as_ref()).map_while(Result::ok);
    let metas = tokens.filter_map(|token| match token {
        Token::StartTag(tag) if tag.name.as_slice() == b"meta" => Some(tag),
        _ => None,
    });
    let encoding = metas.into_iter().find_map(|meta| {
        let attribute = |name: &[u8]| meta.attributes.get(name).map(|value| value.to_vec());
        let label = attribute(b"charset").or_else(|| {
            let content = String::from_utf8(attribute(b"content")?).ok()?.to_ascii_lowercase();
            let (_, after) = content.split_once("charset=")?;
            let label = after.trim_start_matches([' ', '"', '\'']);
            Some(label.split([';', ' ', '"', '\'']).next()?.as_bytes().to_vec())
        })?;
        Encoding::for_label(&label)
    })?;
    // A page that could be read so far is in neither.
    Some(match encoding {
        wide if wide == UTF_16LE || wide == UTF_16BE => UTF_8,
        odd if odd == X_USER_DEFINED => WINDOWS_1252,
        other => other,
    })
}
