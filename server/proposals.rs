//! Proposals: cut into hunks, queued, decided, applied, reported.
//!
//! # Invariants
//!
//! - No edit is forced onto text that changed.
//!   Test: `hunks_follow_the_text_and_go_stale_where_it_changes`
//! - No answer to a change is untrue, and no decision missing in the log, if another client decides meanwhile.
//!   Test: `no_answer_is_untrue_and_every_decision_is_in_the_log`,
//!   `every_decision_is_told_and_logged_however_many_there_are`
//! - No end of a process takes a hunk that no person looked at out of the review.
//!   Test: `what_nobody_looked_at_is_shown_by_a_later_process_until_somebody_does`

mod adopt;
mod ask_client;
mod call_outcome;
mod decide;
mod decision_log;
mod decision_turns;
mod deliveries;
mod desktop_notice;
mod follow_disk;
mod follow_texts;
mod held_elsewhere;
mod interrupted_calls;
mod new_proposal;
mod place_hunks;
mod place_whole;
mod proposal_folder;
mod proposal_index;
mod proposal_report;
mod queue;
mod recovery;
mod store;
#[cfg(test)]
mod tests;
mod undo;
mod wait_for_person;
mod write_file;

pub(crate) use proposal_folder::FOLDER as PROPOSALS;
use proposal_report::proposal_answer;
pub(crate) use proposal_report::unchanged_answer;
pub(crate) use queue::ProposalQueue;
pub(crate) use wait_for_person::person_message;
