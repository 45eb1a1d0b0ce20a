//! Unicode normalisation of lines: composed letters, plain quotes, dashes and spaces.

use std::borrow::Cow;

use icu_normalizer::ComposingNormalizerBorrowed;

/// Normalises a line: letters in composed form (NFC), typographic signs as a keyboard writes them.
pub(super) fn normalize_line(line: &str) -> Cow<'_, str> {
    if line.is_ascii() {
        return Cow::Borrowed(line);
    }
    let composed = ComposingNormalizerBorrowed::new_nfc().normalize(line);
    if !composed.chars().any(|c| plain_sign(c).is_some()) {
        return composed;
    }
    let mut plainer = String::with_capacity(composed.len());
    for c in composed.chars() {
        match plain_sign(c) {
            Some(plain) => plainer.push_str(plain),
            None => plainer.push(c),
        }
    }
    Cow::Owned(plainer)
}

/// The keyboard's form of a typographic sign; empty for one that does not show.
pub(super) fn plain_sign(c: char) -> Option<&'static str> {
    Some(match c {
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2035}' | '\u{02bc}' | '\u{ff07}' => "'",
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{2036}' | '\u{00ab}' | '\u{00bb}' | '\u{ff02}' => "\"",
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}' => "-",
        '\u{2026}' => "...",
        '\u{00a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => " ",
        '\u{00ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => "",
        _ => return None,
    })
}
