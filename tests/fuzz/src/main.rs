//! The fuzzer: libFuzzer around the readers of what strangers send, as one program, because linking it takes longer than
//! most bugs do. `FUZZ_TARGET` names the reader; everything else are libFuzzer's own options.

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
            let known: Vec<&str> = targets::TARGETS.iter().map(|(name, _)| *name).collect();
            eprintln!("FUZZ_TARGET is one of {}", known.join(", "));
            std::process::exit(2)
        }
    }
}

fuzz_target!(|data: &[u8]| {
    READER.get_or_init(reader)(data);
});
