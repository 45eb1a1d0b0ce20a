//! Proposals: cut into hunks, queued, decided, applied, reported.

mod adopt;
mod allowed;
mod answer;
mod apply;
mod client;
mod cut;
mod decide;
mod edit;
mod follow;
mod follower;
mod hand_over;
mod handing;
mod interrupted;
mod item;
mod items;
mod keep;
mod lifecycle;
mod outcome;
mod place;
mod put;
mod queue;
mod record;
mod recover;
mod report;
mod sound;
mod turns;
mod undo;
mod waiting;
mod whole;

pub(crate) use answer::Answer;
pub(crate) use hand_over::FileAsRead;
pub(crate) use queue::ProposalQueue;
pub(crate) use report::{answer, unchanged};
pub(crate) use waiting::for_person;
