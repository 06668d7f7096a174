//! Only tests: `cargo test -p repository` checks what Cargo and the compiler cannot see.
