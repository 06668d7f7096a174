//! End-to-end tests of the registry. They send requests through its gateway, move its clock, and use real
//! peers on loopback. All tests are in one program, so that it is linked only once.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that finds a fault has to fail"
)]

mod agreement;
mod documents;
mod dumps;
mod economy;
mod faults;
mod fixtures;
mod hostile_corpus;
mod interop;
mod lambda_binaries;
mod lambda_events;
mod mirror;
mod observability;
mod operations;
mod operator;
mod own_ports;
mod pages;
mod personal_data;
mod properties;
mod protocols;
mod real_documents;
mod relevance;
mod rights;
mod schedules;
mod search_backend;
mod second_engine;
mod shared_reads;
mod strangers;
mod template;
mod trails;
