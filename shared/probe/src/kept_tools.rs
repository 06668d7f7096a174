//! Stores the tools of a server, and what else it offers, if they differ from what is stored. Compares the new tools with
//! the stored ones. If nothing changed, nothing is read or written.

use std::collections::HashMap;

use registry_app::App;
use registry_formats::tool_diff;
use registry_model::{
    AbilityChange, Handshake, Lane, ListedTool, Listing, ListingId, ObservedServer, ObservedTool,
    StateChange, ToolChange, ToolSet, sha256_hex,
};
use registry_store::{SeenTools, StoreError};

/// Stores what the probe of a change saw, and adds the changes of tools to the assessment. The definitions are stored
/// before the decision that commits to them. Returns whether anything was stored.
pub(super) async fn store_changes(app: &App, change: &mut StateChange) -> Result<bool, StoreError> {
    let verdict = &change.assessment.verdict;
    // Also if a check fails: clients with pins need to know at once that tools now contain instructions to models.
    let is_sound = verdict.handshake == Handshake::Ok && !change.is_expired();
    let Some(server) = verdict.facts.seen.clone().filter(|_| is_sound) else { return Ok(false) };
    let mut is_stored = false;
    if let Some(contents) = &server.contents {
        let hash = sha256_hex(serde_json::to_string(contents)?);
        let is_known = change.before.proof.kept_contents.as_ref() == Some(&hash);
        let is_absent = contents.is_empty() && change.before.proof.kept_contents.is_none();
        if !is_known && !is_absent {
            app.store.keep_contents(&change.after.id, contents).await?;
            change.after.proof.kept_contents = Some(hash);
            is_stored = true;
        }
    }
    if change.before.proof.kept_tools.as_ref() == Some(&server.set) {
        return Ok(is_stored);
    }
    let stored = app.store.seen_tools(&change.after.id).await?;
    let at = change.assessment.probed_at;
    let number = stored.sets.first().map_or(0, |latest| latest.number.saturating_add(1));
    let listed = |tool: &ObservedTool| ListedTool { name: tool.name.clone(), hash: tool.hash.clone() };
    let tools = server.tools.iter().map(listed).collect();
    let set = ToolSet { number, at, hash: server.set.clone(), tools, unlisted: server.unlisted };
    // Not the latest set, but the one of the last decision: a process may have died between the two.
    let known = stored.sets.iter().find(|set| change.before.proof.kept_tools.as_ref() == Some(&set.hash));
    if let Some(known) = known {
        let changes = changes(known, &set, &stored, &server);
        // A later probe that failed read no tools.
        let answered = change.before.proof.probe.as_ref().filter(|probe| probe.handshake == Handshake::Ok);
        let since = answered.map_or(known.at, |probe| probe.at).max(known.at);
        let since = change.before.proof.last_ok_at.map_or(since, |at| at.max(since));
        describe(change, &changes);
        change.assessment.changed = Some(AbilityChange::of_tools(&changes, since, at));
    }
    if stored.sets.first().is_none_or(|latest| latest.hash != set.hash) {
        app.store.keep_tools(&change.after.id, &stored, &server, &set).await?;
    }
    change.after.proof.kept_tools = Some(server.set.clone());
    Ok(true)
}

fn changes(known: &ToolSet, set: &ToolSet, stored: &SeenTools, server: &ObservedServer) -> Vec<ToolChange> {
    let mut definitions: HashMap<&str, &str> =
        stored.definitions.iter().map(|(hash, definition)| (hash.as_str(), definition.as_str())).collect();
    let new = server.tools.iter().filter_map(|tool| Some((tool.hash.as_str(), tool.definition.as_deref()?)));
    definitions.extend(new);
    tool_diff::between_sets(known, set, |hash| definitions.get(hash).copied())
}

/// Names the changed tools and arguments in the check.
fn describe(change: &mut StateChange, changes: &[ToolChange]) {
    let words = tool_diff::in_words(changes);
    let failed = change.assessment.checks.iter_mut().find(|check| check.id == "tools_unchanged" && !check.ok);
    if let Some(check) = failed.filter(|_| !words.is_empty()) {
        check.detail = format!("{} {words}", check.detail);
    }
}

/// Removes what was stored for a decision that could not be written, if the listing was withdrawn or deleted meanwhile.
pub(super) async fn remove_if_gone(app: &App, id: &ListingId) -> Result<(), StoreError> {
    let listing = app.store.listing(id).await?;
    let is_gone = |listing: Listing| {
        listing.lane == Lane::Withdrawn && !listing.withdrawal.is_some_and(|withdrawal| withdrawal.by_owner)
    };
    if listing.is_none_or(is_gone) {
        app.store.remove_seen(id).await?;
    }
    Ok(())
}
