//! Fuzz tests of the parsers. A valid document is damaged at random: values are swapped, repeated, nested, or
//! cut off, and bytes are changed. Every parser must finish in time and must not panic. It must not store
//! more than its limits allow.
//!
//! The long form also limits the memory of the process:
//! `FUZZ_CASES=1000000 cargo test --release -p registry-probe --lib fuzz -- --nocapture`. The variable
//! `FUZZ_SEED` repeats a run.

mod damage;
mod samples;

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::handshake::findings::bounded;
use crate::handshake::jsonrpc::{RpcOutcome, parse_reply};
use crate::handshake::mcp::eras::Era;
use crate::handshake::mcp::opening;
use crate::handshake::mcp::tools;
use crate::handshake::sse;
use damage::damaged;
use registry_formats::agent_card::{self, AgentCard};
use registry_formats::document_texts;
use registry_formats::limits::{LONGEST_DESCRIPTION, LONGEST_NAME, MAX_SKILLS};
use registry_formats::server_json;
use registry_model::json;
use registry_model::{Facts, Random, Reach};
use samples::{ID, Reader, SAMPLES};

/// Cases of the short form, which runs with all tests.
const SHORT: usize = 20_000;
/// The maximum time of one case. Other probes wait while a document is parsed.
const LONGEST: Duration = Duration::from_secs(2);
/// The most memory of the process in the long form, in KiB.
const MOST_MEMORY: u64 = 512 * 1024;

#[test]
fn parsers_finish_in_time_on_damaged_documents() {
    let long: Option<usize> = std::env::var("FUZZ_CASES").ok().map(|cases| cases.parse().unwrap());
    let seed: u64 = std::env::var("FUZZ_SEED").map_or(20_261_122, |seed| seed.parse().unwrap());
    let cases = long.unwrap_or(SHORT);
    println!("{cases} cases from seed {seed}");
    let random = Random::seeded(seed);
    let (began, mut slowest, mut bytes) = (Instant::now(), Duration::ZERO, 0);
    let mut read = [(0, 0); SAMPLES];
    for case in 0..cases {
        let (reader, sample) = samples::any(&random);
        let body = damaged(&sample, &random);
        let one = Instant::now();
        let taken = takes(reader, &body, &random);
        let took = one.elapsed();
        assert!(
            took < LONGEST,
            "case {case} of seed {seed}: {reader:?} took {took:?} for {} bytes",
            body.len()
        );
        slowest = slowest.max(took);
        bytes += body.len();
        let counts = &mut read[reader as usize];
        *counts = (counts.0 + 1, counts.1 + usize::from(taken));
    }
    println!("{} MB in {:?}, the slowest case {slowest:?}", bytes / 1_000_000, began.elapsed());
    for (reader, (cases, taken)) in Reader::ALL.into_iter().zip(read) {
        println!("{reader:?}: {cases} cases, {taken} taken");
        assert!(
            taken > 0 && taken < cases,
            "{reader:?}: damage that is always or never noticed proves little"
        );
    }
    if long.is_some() {
        let peak = peak_memory();
        println!("peak memory {} MiB", peak / 1024);
        assert!(peak < MOST_MEMORY, "{peak} KiB");
    }
}

/// Reads a body, and holds what is kept of it against the bounds. True where it was taken.
fn takes(reader: Reader, body: &[u8], random: &Random) -> bool {
    match reader {
        Reader::Card => {
            let Ok(document) = agent_card::document(body) else { return false };
            hold_short(&document_texts::of_card(&document));
            agent_card::read(&document).is_ok_and(is_bounded)
        }
        Reader::ServerJson => {
            let Ok(document) = json::read(body, &mut 100_000) else { return false };
            let looks_like_one = document.as_object().is_some_and(server_json::looks_like);
            match server_json::read(&document, Reach::Public) {
                Ok(server) => {
                    assert!(server.name.len() <= 200 && server.description.chars().count() <= 100);
                    looks_like_one
                }
                Err(violations) => {
                    assert!(!violations.is_empty() && violations.len() <= 60);
                    false
                }
            }
        }
        Reader::Opening => {
            let Some(result) = result(body, "application/json") else { return false };
            hold_short(&document_texts::of_opening(&result));
            opening::misshapen_discover(&result).is_none() && opening::misshapen_initialize(&result).is_none()
        }
        Reader::Tools => {
            let Some(mut result) = result(body, "application/json") else { return false };
            let Some((kept, hash)) = tools::of_page(&mut result, Era::Modern) else { return false };
            assert!(kept.len() <= 200 && hash.len() < 100);
            let longest = |tool: &registry_model::Tool| tool.description.chars().count() <= 501;
            assert!(kept.iter().all(longest));
            let facts = bounded(Facts { tools: kept, ..Facts::default() });
            assert!(serde_json::to_vec(&facts.tools).unwrap().len() < 100 * 1024);
            true
        }
        Reader::Stream => {
            // In whatever pieces it arrives, the reply is found or not found.
            let whole = sse::until_reply(ID)(body);
            let mut until = sse::until_reply(ID);
            let mut at = 0;
            let mut found = until(&body[..0]);
            while at < body.len() && !found {
                let piece = 1 + random.below(1 + body.len() as u64 / 4);
                at = body.len().min(at + usize::try_from(piece).unwrap());
                found = until(&body[..at]);
            }
            assert_eq!(found, whole, "{}", String::from_utf8_lossy(body));
            sse::endpoint(body);
            result(body, "text/event-stream").is_some()
        }
    }
}

fn result(body: &[u8], content_type: &str) -> Option<Value> {
    match parse_reply(Some(content_type), body, ID, &mut 100_000).outcome {
        RpcOutcome::Result(result) => Some(result),
        _ => None,
    }
}

fn is_bounded(card: AgentCard) -> bool {
    assert!(!card.name.is_empty() && card.name.chars().count() <= LONGEST_NAME + 1);
    assert!(card.description.chars().count() <= LONGEST_DESCRIPTION + 1);
    assert!(card.skills.len() <= MAX_SKILLS && !card.interfaces.is_empty());
    assert!(card.broken.len() <= 40 && card.warnings.len() <= 40);
    let facts = bounded(Facts { skills: card.skills, ..Facts::default() });
    assert!(serde_json::to_vec(&facts.skills).unwrap().len() < 100 * 1024);
    card.broken.is_empty()
}

fn hold_short(faults: &registry_model::TextFaults) {
    for told in [&faults.not_plain, &faults.injection].into_iter().flatten() {
        assert!(told.chars().count() < 400, "{told}");
    }
}

fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
