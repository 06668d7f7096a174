//! What to do about a failed check or about lost points. The fixes are found by the stable ids of the checks
//! and of the parts of the score. The reasons of a failed handshake already contain a fix.

use std::sync::LazyLock;

use serde_json::Value;

use registry_model::Kind;
use registry_model::protocol::MCP_NEWEST_REVISION;

/// Of checks, and of parts of the score of an agent, of a server, and of both.
#[expect(clippy::expect_used, reason = "a file of this crate, parsed by the tests")]
static FIXES: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../files/fixes.json")).expect("valid JSON"));

pub(super) fn fix_of_check(id: &str) -> &'static str {
    FIXES["checks"][id].as_str().unwrap_or("See the detail of this check in the listing's status.")
}

pub(super) fn fix_of_part(id: &str, kind: Kind, why: &str) -> String {
    let fix = [kind.as_str(), "any"].into_iter().find_map(|kind| FIXES[kind][id].as_str());
    match fix {
        Some(fix) => fix.replace("{revision}", MCP_NEWEST_REVISION),
        None => format!("Fix this: {why}"),
    }
}
