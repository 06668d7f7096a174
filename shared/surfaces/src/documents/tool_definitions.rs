//! `/tools/{hash}`: a tool or a tool set by its content address. The bytes of the document are
//! exactly those that have the hash, so a client can check them with any SHA-256 program.

use crate::prelude::*;
use registry_formats::tool_definition::set_document;
use registry_model::Lane;
use registry_store::Addressed;

/// Listings at which a content address is looked up, most of them only if the first are withdrawn.
const MAX_LISTINGS: usize = 200;
const AT_ONCE: usize = 10;

/// The path parameter is the hash. The document is a tool as its server defined it, or an array of hashes.
pub static TOOL_DEFINITION: AnyDocument = AnyDocument {
    paths: &["/tools/{hash}"],
    summary: "The definition of an MCP tool by its SHA-256, as canonical JSON (RFC 8785). For the hash of a tool set: \
        the JSON array of the sorted hashes of its tools.",
    // A content never changes. After a day, caches ask again, because a withdrawn listing takes its tools with it.
    max_age_s: Some(86_400),
    headers: &[("cache-control", "immutable")],
    refusals: &[ErrorKind::NotFound],
    ..AnyDocument::of::<serde_json::Value>(|app, request| Box::pin(render(app, request)))
};

async fn render(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let hash = request.path.strip_prefix("/tools/").unwrap_or_default();
    // The form of `tools_hash` in other documents.
    let hash = hash.strip_prefix("sha256:").unwrap_or(hash);
    let is_hash = hash.len() == 64 && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    if !is_hash {
        return Err(not_found(hash));
    }
    let mut ids = app.store.listings_with_address(hash, MAX_LISTINGS).await?;
    ids.sort_unstable();
    ids.dedup();
    for some in ids.chunks(AT_ONCE) {
        let mut listings = app.store.listings(some).await?;
        listings.retain(|listing| listing.lane != Lane::Withdrawn);
        listings.sort_unstable_by(|one, other| one.id.cmp(&other.id));
        for listing in listings {
            match app.store.addressed(&listing.id, hash).await? {
                Some(Addressed::Tool(definition)) => return Ok(definition.into()),
                Some(Addressed::Set(set)) => {
                    return Ok(set_document(set.tools.iter().map(|tool| tool.hash.as_str())).into());
                }
                // The index still contains an item that was removed.
                None => {}
            }
        }
    }
    Err(not_found(hash))
}

fn not_found(hash: &str) -> Problem {
    let detail = format!(
        "No tool and no tool set with the SHA-256 `{}` is available. Large tools and sets can be stored only as hashes.",
        shorten(hash, 80)
    );
    Problem::new(Code::ToolNotFound, detail)
}
