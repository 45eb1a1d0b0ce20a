//! The line of a piece that speaks most for it: what a preview shows first.

use super::definitions::{DefinitionKind, find_definition};
use super::digest::fold_name;
use super::features::{DEFINED, NAMED, SATURATION};
use super::language::language_of;
use super::parsed_query::ParsedQuery;
use super::words::{Term, each_run, with_terms};
use crate::base::bm25::saturate_count;

/// The first of the lines that hold most of a query, counted from 0. `worth` is what each term of the query is worth.
pub(super) fn best_line(path: &str, piece: &str, asked: &ParsedQuery, worth: &[f32]) -> u32 {
    let language = language_of(path);
    let all: f32 = worth.iter().sum();
    let mut counts = vec![0.0_f32; asked.wanted.len()];
    let mut best = (0, 0.0);
    with_terms(|terms| {
        for (at, line) in piece.lines().enumerate() {
            counts.fill(0.0);
            each_run(line, |run| {
                terms.for_each_term(run, |stem, _| count_term(&mut counts, asked, stem.to_term(), 1.0))
            });
            if counts.iter().all(|count| *count == 0.0) {
                continue;
            }
            let mut score = 0.0;
            if let Some((name, kind)) = find_definition(line.trim_end(), language)
                && kind > DefinitionKind::Mention
            {
                terms.for_each_term(name, |stem, _| count_term(&mut counts, asked, stem.to_term(), DEFINED));
                let folded = fold_name(name);
                score +=
                    if asked.names.iter().any(|asked| asked.folded == folded) { NAMED * all } else { 0.0 };
            }
            let held =
                counts.iter().zip(worth).map(|(count, worth)| worth * saturate_count(*count, SATURATION));
            score += held.sum::<f32>();
            if score > best.1 {
                best = (at, score);
            }
        }
    });
    u32::try_from(best.0).unwrap_or_default()
}

/// Counts a term, if it is asked for.
fn count_term(counts: &mut [f32], asked: &ParsedQuery, term: Term, much: f32) {
    let wanted = asked.wanted.iter().position(|wanted| wanted.term == term);
    if let Some(count) = wanted.and_then(|wanted| counts.get_mut(wanted)) {
        *count += much;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_where_the_query_is_answered() {
        let check = |query: &str, piece: &str, expected: u32| {
            let asked = ParsedQuery::from_query(query);
            let worth: Vec<f32> = asked.wanted.iter().map(|wanted| wanted.weight).collect();
            assert_eq!(best_line("a.rs", piece, &asked, &worth), expected, "{query}");
        };
        let piece = "use std::fs;\n\nconst LIMIT: u32 = 3;\n\n/// Tries again.\nfn retry(limit: u32) {}\n\nfn last() {}\n";
        check("retry limit", piece, 5);
        check("fn last", piece, 7);
        check("what is tried again", piece, 4);
        check("the LIMIT", piece, 2);
        check("giraffe", piece, 0);
        check("anything", "", 0);
    }
}
