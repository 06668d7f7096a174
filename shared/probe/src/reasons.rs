//! Why a handshake was not `ok`: one fault per row of the decision table, in the contract's words, with its cure.
//! Codes and words live here only, because owners, statistics and tests all read them.

mod class;
mod fault;
mod known;
mod reason;
mod rows;
#[cfg(test)]
mod tests;

pub use class::Class;
pub use fault::{ConformanceRule, ConnectError, ProbeFault, ProbedResource, Stage};
pub use known::cure_of;
pub use reason::{advice, of_card};
