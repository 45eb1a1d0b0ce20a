//! What is known of a workspace's texts before anyone asks: which lines may hold what, and what each file is about.

pub mod lexical;
pub mod meaning;
