//! The sentences of a prose text that say most: those that share most with the others, and stand well.

use std::collections::{HashMap, HashSet};

use rust_stemmers::{Algorithm, Stemmer};

use super::{first_sentence, new_statement};
use crate::ports::{Statement, Style};

/// Sentences that are compared; of a longer text every so many.
const COMPARED: usize = 400;
/// Statements of one text.
const MOST: usize = 12;
/// Headings of an outline.
const HEADINGS: usize = 60;
/// The share of words in common from which a sentence adds nothing new.
const SAME: f64 = 0.6;
const STOP: &str = " about above after again all also although always and any are because been before being below both but \
    can cannot could did does doing down during each either every few for from further had has have having her here him \
    his how however into its itself just like made make many may more most much must near not now off once one only other \
    our out over own per rather same she should since some such than that the their them then there these they this those \
    through too under until upon use used uses using very was way were what when where whether which while who why will \
    with within without would you your ";

/// A sentence with the line it begins on.
struct ProseSentence {
    text: String,
    line: usize,
    /// True where a paragraph begins with it.
    leads: bool,
    words: HashSet<String>,
}

/// Returns the statements of a prose text, in its own order.
pub(super) fn prose_statements(text: &str, style: Style) -> Vec<Statement> {
    let blocks = split_blocks(text);
    if style == Style::Schema && blocks.iter().any(|block| block.heading > 0) {
        return heading_outline(&blocks);
    }
    let mut sentences: Vec<ProseSentence> =
        blocks.iter().filter(|block| block.heading == 0).flat_map(split_sentences).collect();
    sentences.retain(|sentence| !sentence.words.is_empty());
    let step = sentences.len().div_ceil(COMPARED).max(1);
    let sentences: Vec<ProseSentence> = sentences.into_iter().step_by(step).collect();
    let scores = sentence_scores(&sentences);
    let mut order: Vec<usize> = (0..sentences.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most 400"
    )]
    let wanted = ((sentences.len() as f64).sqrt() * 1.3).ceil() as usize;
    let mut chosen: Vec<usize> = Vec::new();
    for at in order {
        if chosen.len() >= wanted.clamp(1, MOST) {
            break;
        }
        let known =
            chosen.iter().any(|other| shared_words(&sentences[at].words, &sentences[*other].words) > SAME);
        if !known {
            chosen.push(at);
        }
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|at| new_statement(&*sentences[at].text, sentences[at].line, 0)).collect()
}

/// A paragraph, an item of a list, or a heading with its level.
struct ProseBlock {
    lines: Vec<(usize, String)>,
    heading: usize,
}

fn split_blocks(text: &str) -> Vec<ProseBlock> {
    let mut blocks: Vec<ProseBlock> = Vec::new();
    let mut open = false;
    let mut fence: Option<&str> = None;
    let mut lines = text.lines().enumerate().peekable();
    if lines.peek().is_some_and(|(_, line)| line.trim_end() == "---") {
        // Front matter is no prose.
        lines.next();
        if text.lines().skip(1).any(|line| line.trim_end() == "---") {
            lines.by_ref().find(|(_, line)| line.trim_end() == "---");
        }
    }
    for (at, line) in lines {
        let body = line.trim();
        if let Some(mark) = fence {
            fence = (!body.starts_with(mark)).then_some(mark);
            open = false;
            continue;
        }
        if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| body.starts_with(mark)) {
            (fence, open) = (Some(mark), false);
            continue;
        }
        let heading = body.len() - body.trim_start_matches('#').len();
        if (1..=6).contains(&heading) && body[heading..].starts_with(' ') {
            let text = body[heading..].trim().trim_end_matches('#').trim().to_owned();
            blocks.push(ProseBlock { lines: vec![(at + 1, text)], heading });
            open = false;
            continue;
        }
        // Tables, rules, pictures and markup are no sentences.
        if body.is_empty()
            || !body.chars().any(char::is_alphabetic)
            || body.starts_with(['|', '<'])
            || body.starts_with("![")
        {
            open = false;
            continue;
        }
        // A block indented by four, and no part of a list, is code.
        if !open && (line.starts_with("    ") || line.starts_with('\t')) && !body.starts_with(['-', '*', '+'])
        {
            continue;
        }
        let item = ["- ", "* ", "+ ", "> "].iter().find_map(|mark| body.strip_prefix(mark));
        let numbered = body.split_once(". ").filter(|(number, _)| number.chars().all(|c| c.is_ascii_digit()));
        let (begins, body) = match (item, numbered) {
            (Some(rest), _) | (None, Some((_, rest))) => (true, rest),
            _ => (!open, body),
        };
        match blocks.last_mut().filter(|_| !begins) {
            Some(block) => block.lines.push((at + 1, body.to_owned())),
            None => blocks.push(ProseBlock { lines: vec![(at + 1, body.to_owned())], heading: 0 }),
        }
        open = true;
    }
    blocks
}

fn split_sentences(block: &ProseBlock) -> Vec<ProseSentence> {
    let mut text = String::new();
    let mut starts = Vec::new();
    for (line, part) in &block.lines {
        starts.push((text.len(), *line));
        text.push_str(part);
        text.push(' ');
    }
    let mut found = Vec::new();
    let mut at = 0;
    while !text[at..].trim().is_empty() {
        at += text[at..].len() - text[at..].trim_start().len();
        let sentence = first_sentence(&text[at..]);
        let line = starts.iter().rev().find(|(start, _)| *start <= at).map_or(0, |(_, line)| *line);
        found.push(ProseSentence {
            text: sentence.to_owned(),
            line,
            leads: found.is_empty(),
            words: stem_words(sentence),
        });
        at += sentence.len();
    }
    found
}

/// The stems of the words that say something.
fn stem_words(text: &str) -> HashSet<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words
        .filter(|word| word.chars().count() > 2 && !STOP.contains(&format!(" {word} ")))
        .map(|word| stemmer.stem(&word).into_owned())
        .collect()
}

/// The share of words that two sentences have in common.
fn shared_words(a: &HashSet<String>, b: &HashSet<String>) -> f64 {
    ratio_of(a.intersection(b).count(), a.len().min(b.len()).max(1))
}

#[allow(clippy::cast_precision_loss, reason = "words of a sentence")]
fn ratio_of(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}

/// Scores how central each sentence is: by how often a walk from sentence to sentence along their shared words stops
/// there; more where it leads its paragraph, and where it is early.
fn sentence_scores(sentences: &[ProseSentence]) -> Vec<f64> {
    let count = sentences.len();
    let mut rare: HashMap<&str, f64> = HashMap::new();
    for word in sentences.iter().flat_map(|sentence| &sentence.words) {
        *rare.entry(word).or_default() += 1.0;
    }
    let weight =
        |word: &String| (1.0 + ratio_of(count, 1) / rare.get(word.as_str()).copied().unwrap_or(1.0)).ln();
    let mut links: Vec<Vec<(usize, f64)>> = vec![Vec::new(); count];
    for a in 0..count {
        for b in a + 1..count {
            let common: f64 = sentences[a].words.intersection(&sentences[b].words).map(weight).sum();
            if common > 0.0 {
                let length = ratio_of(sentences[a].words.len() + 1, 1).ln()
                    + ratio_of(sentences[b].words.len() + 1, 1).ln();
                links[a].push((b, common / length));
                links[b].push((a, common / length));
            }
        }
    }
    let totals: Vec<f64> = links.iter().map(|links| links.iter().map(|(_, weight)| weight).sum()).collect();
    let mut rank = vec![1.0; count];
    for _ in 0..25 {
        let next = links.iter().map(|links| {
            let from: f64 = links.iter().map(|(other, weight)| rank[*other] * weight / totals[*other]).sum();
            0.15 + 0.85 * from
        });
        rank = next.collect();
    }
    for (at, sentence) in sentences.iter().enumerate() {
        let early = 1.0 + 0.5 * (1.0 - ratio_of(at, count));
        let leads = if sentence.leads { 1.2 } else { 1.0 };
        // A fragment of three words matters little, however central they are.
        let short = if sentence.words.len() < 4 { 0.5 } else { 1.0 };
        rank[at] *= early * leads * short;
    }
    rank
}

/// The headings, each with the first sentence below it.
fn heading_outline(blocks: &[ProseBlock]) -> Vec<Statement> {
    let top = blocks.iter().map(|block| block.heading).filter(|level| *level > 0).min().unwrap_or(1);
    let mut found = Vec::new();
    for (at, block) in blocks.iter().enumerate().filter(|(_, block)| block.heading > 0).take(HEADINGS) {
        let Some((line, title)) = block.lines.first() else { continue };
        let below = blocks.get(at + 1).filter(|next| next.heading == 0);
        let lead = below.and_then(|block| split_sentences(block).into_iter().next());
        let text = match lead {
            Some(lead) => format!("**{title}**: {}", lead.text),
            None => format!("**{title}**"),
        };
        found.push(new_statement(text, *line, block.heading - top));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "---\ntitle: x\n---\n# The cache\n\nThe cache keeps compiled queries in memory, so that a query\nis compiled once. It was rainy on Monday.\n\n    run --the query\n\n```\nlet cache = query();\n```\n\n## Eviction\n\n- A query leaves the cache when memory runs low, e.g. under load.\n- The oldest compiled query leaves first.\n\n| a | b |\n\nNothing else matters here.\n";

    #[test]
    fn the_sentences_that_say_most_are_taken_with_their_lines() {
        let found = prose_statements(PAGE, Style::Bullet);
        let lines: Vec<Option<u32>> = found.iter().map(|statement| statement.line).collect();
        assert_eq!(
            found[0].text,
            "The cache keeps compiled queries in memory, so that a query is compiled once."
        );
        assert_eq!(lines, [Some(6), Some(17), Some(18)], "{found:?}");
        assert_eq!(found[1].text, "A query leaves the cache when memory runs low, e.g. under load.");
    }

    #[test]
    fn an_outline_is_of_headings() {
        let found = prose_statements(PAGE, Style::Schema);
        let told: Vec<(usize, &str)> =
            found.iter().map(|statement| (statement.depth, statement.text.as_str())).collect();
        assert_eq!(
            told,
            [
                (
                    0,
                    "**The cache**: The cache keeps compiled queries in memory, so that a query is compiled once."
                ),
                (1, "**Eviction**: A query leaves the cache when memory runs low, e.g. under load."),
            ]
        );
    }

    #[test]
    fn any_text_is_survived() {
        for text in [
            "",
            "\n\n",
            "...",
            "---\n",
            "---\nno end",
            "```\nopen",
            "ü. ß! 漢字。",
            "word",
            "# \n#x\n",
            "1. ",
        ] {
            let _ = prose_statements(text, Style::Bullet);
            let _ = prose_statements(text, Style::Schema);
        }
        let long = "The same words again and again. ".repeat(20_000);
        assert_eq!(prose_statements(&long, Style::Narrative).len(), 1, "what says nothing new is left out");
    }
}
