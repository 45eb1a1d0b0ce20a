//! Ways past the guard, the review and the sandbox that were seen in the field, one module a kind.

mod apart;
mod commits;
mod direct;
mod door;
mod hook_input;
mod layers;
mod masks;
mod parts;
mod results;
mod waits;
mod watch;
