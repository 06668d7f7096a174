//! Nothing but tests: `cargo test -p architecture` reads the sources of every crate and checks which module uses which.
