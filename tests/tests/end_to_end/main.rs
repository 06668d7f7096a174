//! The registry from outside: through its gateway and its clock, with real peers on the loopback. One program, so that
//! it is linked once; what needs a program of its own stands beside it.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that finds a fault has to fail"
)]

mod documents;
mod economy;
mod faults;
mod fixtures;
mod hostile_corpus;
mod interop;
mod lambda_events;
mod mirror;
mod operations;
mod operator;
mod pages;
mod properties;
mod protocols;
mod real_documents;
mod schedules;
mod trails;
