//! Cleans a working set up: selects the files that leave it, with the reasons.

use crate::protocol::{HintKind, HintOutcome, Outcome, WorkingFile};

/// The reason why it is cleaned up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CleanupOccasion {
    /// It holds more tokens than its budget.
    Budget,
    /// A person or an agent asked.
    Request,
}

impl CleanupOccasion {
    /// The hotness from which a file stays.
    fn least_hotness(self) -> f64 {
        match self {
            Self::Budget => 0.1,
            Self::Request => 0.3,
        }
    }
}

/// The files of a set that leave it, the coolest first. What is pinned, open, hinted at or under review stays, and so does
/// what is warm. On request all that has cooled goes; for the budget only as much as is over it.
pub(crate) fn leaving_files(
    files: &[WorkingFile],
    budget: u64,
    occasion: CleanupOccasion,
) -> Vec<HintOutcome> {
    let mut held: u64 = files.iter().filter_map(|file| file.tokens).sum();
    let mut leaving = Vec::new();
    for file in files.iter().rev() {
        let over = held > budget;
        let free = !file.pinned
            && !file.open
            && file.pending_hunks == 0
            && file.advice.is_none()
            && file.priority.is_none();
        let cool = file.hotness
            < if over { occasion.least_hotness() } else { CleanupOccasion::Budget.least_hotness() };
        if !free || !cool || (occasion == CleanupOccasion::Budget && !over) {
            continue;
        }
        let tokens = file.tokens.unwrap_or_default();
        let reason = match over {
            true => format!(
                "it has cooled to {}, and the set holds about {held} tokens of {budget}: {tokens} of them its",
                file.hotness
            ),
            false => format!("it has cooled to {}", file.hotness),
        };
        held -= tokens;
        let (path, advice) = (file.path.clone(), HintKind::Drop);
        leaving.push(HintOutcome { path, advice, outcome: Outcome::Dropped, reason });
    }
    leaving
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Role, Truncate};

    fn file(path: &str, hotness: f64, tokens: u64) -> WorkingFile {
        WorkingFile {
            path: path.into(),
            hotness,
            reasons: Vec::new(),
            pinned: false,
            advice: None,
            role: Role::Source,
            priority: None,
            truncate_strategy: Truncate::End,
            open: false,
            unsaved: false,
            pending_hunks: 0,
            tokens: Some(tokens),
        }
    }

    fn paths(files: &[WorkingFile], budget: u64, occasion: CleanupOccasion) -> Vec<String> {
        leaving_files(files, budget, occasion).into_iter().map(|dropped| dropped.path).collect()
    }

    #[test]
    fn what_has_cooled_leaves_and_what_is_held_stays() {
        let open = WorkingFile { open: true, ..file("open", 0.2, 100) };
        let files = [
            file("hot", 0.8, 100),
            open,
            file("warm", 0.2, 100),
            file("cool", 0.09, 100),
            file("cold", 0.03, 100),
        ];
        assert_eq!(paths(&files, 1000, CleanupOccasion::Budget), Vec::<String>::new());
        assert_eq!(paths(&files, 450, CleanupOccasion::Budget), ["cold"]);
        assert_eq!(paths(&files, 0, CleanupOccasion::Budget), ["cold", "cool"]);
        assert_eq!(paths(&files, 1000, CleanupOccasion::Request), ["cold", "cool"]);
        assert_eq!(paths(&files, 250, CleanupOccasion::Request), ["cold", "cool", "warm"]);
        let why = leaving_files(&files, 450, CleanupOccasion::Budget);
        assert_eq!(
            why[0].reason,
            "it has cooled to 0.03, and the set holds about 500 tokens of 450: 100 of them its"
        );
    }
}
