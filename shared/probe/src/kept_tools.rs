//! Stores the tools of a server, and what else it offers, if they differ from what is stored. Compares the new tools with
//! the stored ones. If nothing changed, nothing is read or written.

use registry_app::App;
use registry_formats::tool_diff::{self, ToolState, Tools};
use registry_model::{
    AbilityChange, Handshake, Lane, ListedTool, ListingId, SeenServer, StateChange, ToolChange, ToolChangeKind,
    ToolSet, sha256_hex,
};
use registry_store::{SeenTools, StoreError};

/// Stores what the probe of a change saw, and adds the changes of tools to the assessment. The definitions are stored
/// before the decision that commits to them. Returns whether anything was stored.
pub(super) async fn keep(app: &App, change: &mut StateChange) -> Result<bool, StoreError> {
    let verdict = &change.assessment.verdict;
    // Also if a check fails: clients with pins need to know at once that tools now contain instructions to models.
    let is_sound = verdict.handshake == Handshake::Ok && !change.is_expired();
    let Some(server) = verdict.facts.seen.clone().filter(|_| is_sound) else { return Ok(false) };
    let mut is_stored = false;
    if let Some(contents) = &server.contents {
        let hash = sha256_hex(serde_json::to_string(contents)?);
        let is_known = change.before.kept_contents.as_ref() == Some(&hash);
        if !is_known && !(contents.is_empty() && change.before.kept_contents.is_none()) {
            app.store.keep_contents(&change.after.id, contents).await?;
            change.after.kept_contents = Some(hash);
            is_stored = true;
        }
    }
    if change.before.kept_tools.as_ref() == Some(&server.set) {
        return Ok(is_stored);
    }
    let stored = app.store.seen_tools(&change.after.id).await?;
    // Not the latest set, but the one of the last decision: a process may have died between the two.
    let known = stored.sets.iter().find(|set| change.before.kept_tools.as_ref() == Some(&set.hash));
    let at = change.assessment.probed_at;
    if let Some(known) = known {
        let changes = changes(known, &stored, &server);
        let since = change.before.probe.as_ref().map_or(known.at, |probe| probe.at);
        let changed = AbilityChange::of_tools(&changes, since, at);
        describe(change, &changes);
        change.assessment.changed = Some(changed);
    }
    if stored.sets.first().is_none_or(|latest| latest.hash != server.set) {
        let number = stored.sets.first().map_or(0, |latest| latest.number.saturating_add(1));
        let listed = |tool: &registry_model::SeenTool| ListedTool { name: tool.name.clone(), hash: tool.hash.clone() };
        let tools = server.tools.iter().map(listed).collect();
        let set = ToolSet { number, at, hash: server.set.clone(), tools, unlisted: server.unlisted };
        app.store.keep_tools(&change.after.id, &stored, &server, &set).await?;
    }
    change.after.kept_tools = Some(server.set.clone());
    Ok(true)
}

fn changes(known: &ToolSet, stored: &SeenTools, server: &SeenServer) -> Vec<ToolChange> {
    let before: Tools<'_> = known
        .tools
        .iter()
        .map(|tool| {
            let definition = stored.definitions.get(&tool.hash).map(String::as_str);
            (tool.name.as_str(), ToolState { hash: &tool.hash, definition })
        })
        .collect();
    let after: Tools<'_> = server
        .tools
        .iter()
        .map(|tool| (tool.name.as_str(), ToolState { hash: &tool.hash, definition: tool.definition.as_deref() }))
        .collect();
    let mut changes = tool_diff::between(&before, &after);
    if known.unlisted > 0 || server.unlisted > 0 {
        // A tool that is missing in a list may be one of the unlisted tools.
        changes.retain(|change| {
            !matches!(
                change.kind,
                ToolChangeKind::ToolAdded | ToolChangeKind::DestructiveToolAdded | ToolChangeKind::ToolRemoved
            )
        });
    }
    changes
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
pub(super) async fn forget_if_gone(app: &App, id: &ListingId) -> Result<(), StoreError> {
    let listing = app.store.listing(id).await?;
    if listing.is_none_or(|listing| listing.lane == Lane::Withdrawn) {
        app.store.remove_seen(id).await?;
    }
    Ok(())
}
