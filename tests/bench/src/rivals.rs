//! Speeds of other registries for the same requests. They were measured once on two shared cores (20 November
//! 2026, medians of three) and show only the order of magnitude. The official registry had 471 servers in
//! memory. This registry has 10,000 listings in a file.

use std::fmt::Write as _;

use crate::load::{Samples, Target};

/// System and request at one connection: requests per second, p50 and p99 in milliseconds.
const RIVALS: [(&str, f64, f64, f64); 6] = [
    ("official MCP registry (Go, in memory): list of 30, 12 KB", 3552.0, 0.24, 1.6),
    ("official MCP registry (Go, in memory): by id", 13575.0, 0.07, 1.0),
    ("a2a-registry (FastAPI, PostgreSQL): list of 50, 105 KB", 39.0, 24.0, 63.0),
    ("a2a-registry (FastAPI, PostgreSQL): by id", 1302.0, 0.73, 2.3),
    ("origin system (Node, JSON files): active list, 311 KB", 1.0, 924.0, 1340.0),
    ("origin system (Node, JSON files): status", 18.0, 55.0, 99.0),
];

/// The comparison as text, with this registry first.
pub(crate) fn text(targets: &[Target], samples: &[Samples]) -> String {
    let ours = targets.iter().zip(samples).map(|(target, samples)| {
        (format!("here: {}", target.name), samples.rate(), samples.quantile(0.5), samples.quantile(0.99))
    });
    let rivals = RIVALS.iter().map(|(name, rate, p50, p99)| ((*name).to_owned(), *rate, *p50, *p99));
    let mut text =
        "One connection, compared with earlier measurements of other registries on two shared cores:"
            .to_owned();
    for (name, rate, p50, p99) in ours.chain(rivals) {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "\n  {name:<60} {rate:>7.0} rps  p50 {p50:>7.2} ms  p99 {p99:>7.2} ms");
    }
    text
}
