//! This crate contains only tests. `cargo test -p repository` checks rules that Cargo and the compiler cannot check.
