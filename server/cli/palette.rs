//! The colours of a change on a terminal: of its lines, of the words that changed in them, and of its language.

use std::env;
use std::io::{self, IsTerminal};
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use anstyle::{Ansi256Color, AnsiColor, Color, RgbColor, Style};
use terminal_colorsaurus::{QueryOptions, ThemeMode, theme_mode};

/// The environment variable for the background, if the terminal does not report it: `dark` or `light`.
const BACKGROUND: &str = "WHEREFORE_BACKGROUND";

/// The longest time to wait for the terminal to report its background: one that cannot answers at once.
const TELLS: Duration = Duration::from_millis(300);

/// A piece of a line, its hidden characters as escapes, with how it looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StyledPiece {
    pub(super) text: String,
    pub(super) style: Style,
}

/// The side of a line in a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineSide {
    /// It stays.
    Context,
    /// It goes.
    Old,
    /// It comes.
    New,
}

/// The kind of a part of a line in its language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SyntaxToken {
    Plain,
    Comment,
    Keyword,
    /// A literal text.
    Text,
    /// A number, or a constant of the language.
    Number,
    /// The name of a function or an attribute.
    Name,
    /// The name of a type.
    Kind,
}

/// The colours that the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DiffPalette {
    /// No colours.
    None,
    /// The 16 colours of the person's own scheme, which suit a dark and a light background: changed lines are red and green.
    Sixteen,
    /// 256 colours or all: changed lines have a background of their own, and their language shows.
    Many {
        /// True if the terminal's background is dark.
        dark: bool,
        /// True if it shows all colours.
        rgb: bool,
    },
}

/// A colour as red, green and blue, and the one of 256 that comes near.
type ColourShade = ((u8, u8, u8), u8);

/// The colours for one background.
struct ColourScheme {
    old: ColourShade,
    old_word: ColourShade,
    new: ColourShade,
    new_word: ColourShade,
    comment: ColourShade,
    keyword: ColourShade,
    text: ColourShade,
    number: ColourShade,
    name: ColourShade,
    kind: ColourShade,
}

const DARK: ColourScheme = ColourScheme {
    old: ((58, 22, 26), 52),
    old_word: ((128, 38, 48), 88),
    new: ((18, 48, 28), 22),
    new_word: ((30, 100, 52), 28),
    comment: ((146, 155, 165), 247),
    keyword: ((255, 132, 124), 210),
    text: ((165, 214, 255), 153),
    number: ((121, 192, 255), 117),
    name: ((210, 178, 255), 183),
    kind: ((255, 176, 104), 215),
};

const LIGHT: ColourScheme = ColourScheme {
    old: ((255, 232, 230), 224),
    old_word: ((255, 188, 184), 217),
    new: ((220, 246, 226), 194),
    new_word: ((158, 228, 174), 157),
    comment: ((96, 104, 112), 241),
    keyword: ((190, 28, 40), 124),
    text: ((10, 48, 105), 18),
    number: ((5, 76, 168), 25),
    name: ((98, 54, 180), 55),
    kind: ((140, 52, 0), 94),
};

impl DiffPalette {
    /// The palette of standard output. The terminal is asked for its background if no variable names it; if it does not
    /// answer, the 16 colours are used.
    pub(super) fn stdout() -> Self {
        let few = Self::few_colours();
        if few == Self::None || !io::stdout().is_terminal() || !io::stdin().is_terminal() {
            return few;
        }
        let is = |name: &str, wanted: &[&str]| {
            env::var(name).is_ok_and(|value| wanted.iter().any(|one| value.contains(one)))
        };
        let rgb = is("COLORTERM", &["truecolor", "24bit"]);
        if !rgb && !is("TERM", &["256color", "kitty", "alacritty", "ghostty", "direct"]) {
            return few;
        }
        has_dark_background().map_or(few, |dark| Self::Many { dark, rgb })
    }

    /// The 16 colours, where standard output shows colours.
    pub(super) fn few_colours() -> Self {
        match AutoStream::choice(&io::stdout()) {
            ColorChoice::Never => Self::None,
            _ => Self::Sixteen,
        }
    }

    /// The look of a part of a line.
    pub(super) fn token_style(self, side: LineSide, token: SyntaxToken, changed: bool) -> Style {
        match self {
            Self::None => Style::new(),
            Self::Sixteen => style_of_sixteen(side, token, changed),
            Self::Many { dark, rgb } => {
                style_of_many(if dark { &DARK } else { &LIGHT }, rgb, side, token, changed)
            }
        }
    }

    /// The look of the sign before a line.
    pub(super) fn sign_style(self, side: LineSide) -> Style {
        match (self, side) {
            (Self::None, _) | (_, LineSide::Context) => Style::new(),
            (Self::Sixteen, side) => style_of_sixteen(side, SyntaxToken::Plain, false),
            (_, LineSide::Old) => self.token_style(side, SyntaxToken::Plain, true).bold(),
            (_, LineSide::New) => self.token_style(side, SyntaxToken::Plain, true).bold(),
        }
    }
}

fn style_of_sixteen(side: LineSide, token: SyntaxToken, changed: bool) -> Style {
    let style = match (side, token) {
        (LineSide::Old, _) => AnsiColor::Red.on_default(),
        (LineSide::New, _) => AnsiColor::Green.on_default(),
        (LineSide::Context, SyntaxToken::Plain) => Style::new(),
        (LineSide::Context, SyntaxToken::Comment) => Style::new().dimmed(),
        (LineSide::Context, SyntaxToken::Keyword) => AnsiColor::Magenta.on_default(),
        (LineSide::Context, SyntaxToken::Text) => AnsiColor::Yellow.on_default(),
        (LineSide::Context, SyntaxToken::Number | SyntaxToken::Kind) => AnsiColor::Cyan.on_default(),
        (LineSide::Context, SyntaxToken::Name) => AnsiColor::Blue.on_default(),
    };
    if changed { style.invert() } else { style }
}

fn style_of_many(
    scheme: &ColourScheme,
    rgb: bool,
    side: LineSide,
    token: SyntaxToken,
    changed: bool,
) -> Style {
    let colour = |((red, green, blue), index): ColourShade| match rgb {
        true => Color::Rgb(RgbColor(red, green, blue)),
        false => Color::Ansi256(Ansi256Color(index)),
    };
    let token = match token {
        SyntaxToken::Plain => None,
        SyntaxToken::Comment => Some(scheme.comment),
        SyntaxToken::Keyword => Some(scheme.keyword),
        SyntaxToken::Text => Some(scheme.text),
        SyntaxToken::Number => Some(scheme.number),
        SyntaxToken::Name => Some(scheme.name),
        SyntaxToken::Kind => Some(scheme.kind),
    };
    let back = match (side, changed) {
        (LineSide::Context, _) => None,
        (LineSide::Old, false) => Some(scheme.old),
        (LineSide::Old, true) => Some(scheme.old_word),
        (LineSide::New, false) => Some(scheme.new),
        (LineSide::New, true) => Some(scheme.new_word),
    };
    Style::new().fg_color(token.map(colour)).bg_color(back.map(colour))
}

/// Returns whether the terminal's background is dark; none if that is not known.
fn has_dark_background() -> Option<bool> {
    match env::var(BACKGROUND).as_deref() {
        Ok("dark") => return Some(true),
        Ok("light") => return Some(false),
        _ => {}
    }
    let mut options = QueryOptions::default();
    options.timeout = TELLS;
    theme_mode(options).ok().map(|mode| mode == ThemeMode::Dark)
}

#[cfg(test)]
mod tests {
    use super::{DiffPalette, LineSide, SyntaxToken};

    #[test]
    fn a_changed_line_differs_from_its_context_and_a_changed_word_from_its_line() {
        let many = [(true, true), (true, false), (false, true), (false, false)]
            .map(|(dark, rgb)| DiffPalette::Many { dark, rgb });
        for palette in many.into_iter().chain([DiffPalette::Sixteen]) {
            for side in [LineSide::Old, LineSide::New] {
                let plain = palette.token_style(side, SyntaxToken::Plain, false);
                assert_ne!(
                    plain,
                    palette.token_style(LineSide::Context, SyntaxToken::Plain, false),
                    "{palette:?}"
                );
                assert_ne!(plain, palette.token_style(side, SyntaxToken::Plain, true), "{palette:?}");
            }
            let [old, new] =
                [LineSide::Old, LineSide::New].map(|side| palette.token_style(side, SyntaxToken::Text, true));
            assert_ne!(old, new, "{palette:?}");
        }
        assert!(DiffPalette::None.token_style(LineSide::Old, SyntaxToken::Comment, true).is_plain());
        assert!(DiffPalette::None.sign_style(LineSide::New).is_plain());
    }
}
