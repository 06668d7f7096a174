//! What others take for the same, measured once on two shared cores (20 November 2026, medians of three); good for
//! the order of magnitude. The official registry held 471 servers in memory, and this one holds 10,000 in a file.

use std::fmt::Write as _;

use crate::load::{Taken, Target};

/// Who, doing what, at one connection: requests a second, p50 and p99 in milliseconds.
const RIVALS: [(&str, f64, f64, f64); 6] = [
    ("official MCP registry (Go, in memory): list of 30, 12 KB", 3552.0, 0.24, 1.6),
    ("official MCP registry (Go, in memory): by id", 13575.0, 0.07, 1.0),
    ("a2a-registry (FastAPI, PostgreSQL): list of 50, 105 KB", 39.0, 24.0, 63.0),
    ("a2a-registry (FastAPI, PostgreSQL): by id", 1302.0, 0.73, 2.3),
    ("origin system (Node, JSON files): active list, 311 KB", 1.0, 924.0, 1340.0),
    ("origin system (Node, JSON files): status", 18.0, 55.0, 99.0),
];

/// The comparison as a paragraph, ours first.
pub(crate) fn text(targets: &[Target], taken: &[Taken]) -> String {
    let ours = targets.iter().zip(taken).map(|(target, taken)| {
        (format!("here: {}", target.name), taken.rate(), taken.quantile(0.5), taken.quantile(0.99))
    });
    let rivals = RIVALS.iter().map(|(name, rate, half, most)| ((*name).to_owned(), *rate, *half, *most));
    let mut text = "One connection, beside others as they were measured on two shared cores:".to_owned();
    for (name, rate, half, most) in ours.chain(rivals) {
        // Writing to a text cannot fail.
        let _ = write!(text, "\n  {name:<60} {rate:>7.0} rps  p50 {half:>7.2} ms  p99 {most:>7.2} ms");
    }
    text
}
