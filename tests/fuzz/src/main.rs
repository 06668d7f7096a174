//! libFuzzer around the readers of untrusted input. It is one program for all readers, because linking is slow. `FUZZ_TARGET`
//! names the reader; the arguments are options of libFuzzer.

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
