//! Runs libFuzzer on the parsers of untrusted input. All parsers are in one program, because linking is slow.
//! `FUZZ_TARGET` contains the name of the parser. The arguments are options of libFuzzer.

#![no_main]

mod targets;

use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use targets::Reader;

static READER: OnceLock<Reader> = OnceLock::new();

fn reader() -> Reader {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    match targets::reader(&name) {
        Some(reader) => reader,
        None => {
            let names: Vec<&str> = targets::TARGETS.iter().map(|(name, _)| *name).collect();
            eprintln!("FUZZ_TARGET must be one of {}", names.join(", "));
            std::process::exit(2)
        }
    }
}

fuzz_target!(|data: &[u8]| {
    READER.get_or_init(reader)(data);
});
