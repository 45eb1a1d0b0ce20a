//! Spellings of one path that a file system may take for the same file.

/// Folds `text`, without regard to case and to invisible characters. Upper-casing first also folds letters that have no
/// lower-case pair of their own, as the long s.
pub(super) fn fold_text(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let visible = text.chars().filter(|char| !is_ignorable(*char));
    visible.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

/// The parts of a path as rules match them: folded, and folded with what NTFS and FAT ignore taken off (dots
/// and spaces at the end, a stream after a colon). The second is left out where it is the same.
pub(super) fn path_spellings(path: &str) -> Vec<String> {
    let folded = fold_text(path);
    let bare: Vec<&str> = folded.split('/').map(bare_name).collect();
    let bare = bare.join("/");
    if bare == folded { vec![folded] } else { vec![folded, bare] }
}

fn bare_name(part: &str) -> &str {
    let name = part.split(':').next().unwrap_or(part).trim_end_matches(['.', ' ']);
    if name.is_empty() { part } else { name }
}

/// Characters that file systems which fold case also leave out when they compare names.
fn is_ignorable(char: char) -> bool {
    matches!(char,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}
