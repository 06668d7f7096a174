//! End-to-end tests of the registry: requests through its gateway, a clock that the tests move, and real peers on the
//! loopback. They are one program, so that it is linked once. Tests that need a program of their own are in `tests/tests`.

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
