//! The table of cases, hostile input, what is found in a script, and what a person allows for always.

mod allow;
mod fuzz;
mod reading;
mod table;
