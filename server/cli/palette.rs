//! The colours of a change on a terminal: of its lines, of the words that changed in them, and of its language.

use std::env;
use std::io::{self, IsTerminal};
use std::time::Duration;

use anstream::{AutoStream, ColorChoice};
use anstyle::{Ansi256Color, AnsiColor, Color, RgbColor, Style};
use terminal_colorsaurus::{QueryOptions, ThemeMode, theme_mode};

/// Names the background where the terminal does not tell it: `dark` or `light`.
const BACKGROUND: &str = "WHEREFORE_BACKGROUND";

/// How long a terminal may take to tell its background: one that cannot says so at once.
const TELLS: Duration = Duration::from_millis(300);

/// A piece of a line, its hidden characters as escapes, with how it looks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StyledPiece {
    pub(super) text: String,
    pub(super) style: Style,
}

/// What a line of a hunk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineSide {
    /// It stays.
    Context,
    /// It goes.
    Old,
    /// It comes.
    New,
}

/// What a part of a line is in its language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
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

/// What the terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Palette {
    /// No colours.
    None,
    /// The 16 colours of the person's own scheme, which suit a dark and a light background: changed lines are red and green.
    Sixteen,
    /// 256 colours or all: changed lines have a background of their own, and their language shows.
    Many {
        /// Whether the terminal's background is dark.
        dark: bool,
        /// Whether it shows all colours.
        rgb: bool,
    },
}

/// A colour as red, green and blue, and the one of 256 that comes near.
type Shade = ((u8, u8, u8), u8);

/// The colours for one background.
struct Scheme {
    old: Shade,
    old_word: Shade,
    new: Shade,
    new_word: Shade,
    comment: Shade,
    keyword: Shade,
    text: Shade,
    number: Shade,
    name: Shade,
    kind: Shade,
}

const DARK: Scheme = Scheme {
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

const LIGHT: Scheme = Scheme {
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

impl Palette {
    /// That of standard output. The background is asked of the terminal where nothing names it; of one that does not tell
    /// it the 16 colours are used.
    pub(super) fn stdout() -> Self {
        let few = Self::few();
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
        background().map_or(few, |dark| Self::Many { dark, rgb })
    }

    /// The 16 colours, where standard output shows colours.
    pub(super) fn few() -> Self {
        match AutoStream::choice(&io::stdout()) {
            ColorChoice::Never => Self::None,
            _ => Self::Sixteen,
        }
    }

    /// The look of a part of a line.
    pub(super) fn style(self, side: LineSide, token: Token, changed: bool) -> Style {
        match self {
            Self::None => Style::new(),
            Self::Sixteen => sixteen(side, token, changed),
            Self::Many { dark, rgb } => many(if dark { &DARK } else { &LIGHT }, rgb, side, token, changed),
        }
    }

    /// The look of the sign before a line.
    pub(super) fn sign(self, side: LineSide) -> Style {
        match (self, side) {
            (Self::None, _) | (_, LineSide::Context) => Style::new(),
            (Self::Sixteen, side) => sixteen(side, Token::Plain, false),
            (_, LineSide::Old) => self.style(side, Token::Plain, true).bold(),
            (_, LineSide::New) => self.style(side, Token::Plain, true).bold(),
        }
    }
}

fn sixteen(side: LineSide, token: Token, changed: bool) -> Style {
    let style = match (side, token) {
        (LineSide::Old, _) => AnsiColor::Red.on_default(),
        (LineSide::New, _) => AnsiColor::Green.on_default(),
        (LineSide::Context, Token::Plain) => Style::new(),
        (LineSide::Context, Token::Comment) => Style::new().dimmed(),
        (LineSide::Context, Token::Keyword) => AnsiColor::Magenta.on_default(),
        (LineSide::Context, Token::Text) => AnsiColor::Yellow.on_default(),
        (LineSide::Context, Token::Number | Token::Kind) => AnsiColor::Cyan.on_default(),
        (LineSide::Context, Token::Name) => AnsiColor::Blue.on_default(),
    };
    if changed { style.invert() } else { style }
}

fn many(scheme: &Scheme, rgb: bool, side: LineSide, token: Token, changed: bool) -> Style {
    let colour = |((red, green, blue), index): Shade| match rgb {
        true => Color::Rgb(RgbColor(red, green, blue)),
        false => Color::Ansi256(Ansi256Color(index)),
    };
    let token = match token {
        Token::Plain => None,
        Token::Comment => Some(scheme.comment),
        Token::Keyword => Some(scheme.keyword),
        Token::Text => Some(scheme.text),
        Token::Number => Some(scheme.number),
        Token::Name => Some(scheme.name),
        Token::Kind => Some(scheme.kind),
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

/// Whether the terminal's background is dark; nothing where that cannot be told.
fn background() -> Option<bool> {
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
    use super::{LineSide, Palette, Token};

    #[test]
    fn a_changed_line_differs_from_its_context_and_a_changed_word_from_its_line() {
        let many = [(true, true), (true, false), (false, true), (false, false)]
            .map(|(dark, rgb)| Palette::Many { dark, rgb });
        for palette in many.into_iter().chain([Palette::Sixteen]) {
            for side in [LineSide::Old, LineSide::New] {
                let plain = palette.style(side, Token::Plain, false);
                assert_ne!(plain, palette.style(LineSide::Context, Token::Plain, false), "{palette:?}");
                assert_ne!(plain, palette.style(side, Token::Plain, true), "{palette:?}");
            }
            let [old, new] =
                [LineSide::Old, LineSide::New].map(|side| palette.style(side, Token::Text, true));
            assert_ne!(old, new, "{palette:?}");
        }
        assert!(Palette::None.style(LineSide::Old, Token::Comment, true).is_plain());
        assert!(Palette::None.sign(LineSide::New).is_plain());
    }
}
