//! Stores the result of a probe as one state change, and sends an event if the lane changed. If another
//! listing took the endpoint in the meantime, the result is a failed check and not an error. The tools of a server, and what
//! else it offers, are stored before, if they differ from what is stored.

use std::collections::HashMap;

use super::transition::{self, Job};
use super::{assess, explain, inbox_messages};
use registry_app::App;
use registry_formats::limits::MAX_SKILLS;
use registry_formats::tool_diff;
use registry_model::{
    AbilityChange, Amounts, Assessment, Facts, FeedItem, Handshake, Kind, Lane, ListedTool, Listing,
    ListingId, LiveChange, NameHold, ObservedServer, ObservedTool, ProbeRecord, Proof, StateChange,
    TalkMessage, ToolChange, ToolSet, Verdict, sha256_hex,
};
use registry_search::IndexedText;
use registry_store::events::{Event, What};
use registry_store::{SeenTools, StoreError, WriteOutcome};

pub(super) async fn record(
    app: &App,
    before: &Listing,
    verdict: Verdict,
    job: Job,
    rejected: bool,
    trail: Option<Amounts>,
) -> Result<Option<Handshake>, StoreError> {
    let (assessment, read) = assess::listed(app, before, verdict).await?;
    let trail = read.or(trail);
    let mut change = StateChange { trail, ..state_change(app, before, &assessment, job, rejected) };
    let is_stored = store_tools(app, &mut change).await?;
    if change.assessment.changed.is_none() {
        change.assessment.changed = skill_change(app, &change).await?;
    }
    change.news.extend(further_news(&change));
    change.messages = messages(&change);
    if let Some(yielding) = yielding(app, &change).await? {
        change.after.ownership.name_hold = Some(NameHold::Held);
        change.yielding = Some(yielding);
    }
    if change.is_expired() {
        return Ok(match app.store.expire(&change).await? {
            WriteOutcome::Written => {
                app.store.remove_rest(&before.id).await?;
                Some(change.record.handshake)
            }
            WriteOutcome::LeaseLost | WriteOutcome::EndpointHeld => None,
        });
    }
    let recorded = app.store.record(&change).await?;
    let change = match recorded {
        WriteOutcome::Written => change,
        WriteOutcome::LeaseLost => {
            if is_stored {
                remove_tools_if_gone(app, &before.id).await?;
            }
            return Ok(None);
        }
        WriteOutcome::EndpointHeld => {
            let endpoint = change.after.endpoint.clone().unwrap_or_default();
            let holder = app.store.endpoint_holder(&endpoint, &before.id).await?;
            let holder = holder.map_or_else(|| "another listing".to_owned(), |id| id.to_string());
            let assessment =
                assess::with_endpoint_holder(app, before, change.assessment.verdict.clone(), holder);
            let (stored_tools, stored_contents) =
                (change.after.proof.stored_tools, change.after.proof.stored_contents);
            let changed = change.assessment.changed;
            let mut change = StateChange { trail, ..state_change(app, before, &assessment, job, rejected) };
            change.after = Listing {
                proof: Proof { stored_tools, stored_contents, ..change.after.proof },
                ..change.after
            };
            change.assessment.changed = changed;
            // Only the next probe deletes it.
            if change.is_expired() {
                change.news.clear();
            }
            change.news.extend(further_news(&change));
            change.messages = messages(&change);
            if app.store.record(&change).await? != WriteOutcome::Written {
                return Ok(None);
            }
            change
        }
    };
    app.uncount_expired(&change.before, &change.after).await;
    announce(app, &change).await;
    Ok(Some(change.record.handshake))
}

/// The listing that must give up its name. It has the id that is made from the name, but only claims the name. The probed
/// listing proved the name and is Live for the first time.
async fn yielding(app: &App, change: &StateChange) -> Result<Option<Listing>, StoreError> {
    let after = &change.after;
    let may_take = change.live_change() == LiveChange::Risen && after.ownership.name_proof.is_some();
    let Some(name) =
        after.ownership.server_name.as_deref().filter(|_| may_take && after.ownership.name_hold.is_none())
    else {
        return Ok(None);
    };
    let first = ListingId::of_name(Kind::Mcp, name);
    if first == after.id {
        return Ok(None);
    }
    let first = app.store.listing(&first).await?;
    let is_claim = |first: &Listing| first.is_name_claimed() && first.ownership.name_hold.is_none();
    Ok(first.filter(|first| first.ownership.server_name == after.ownership.server_name && is_claim(first)))
}

fn state_change(
    app: &App,
    before: &Listing,
    assessment: &Assessment,
    job: Job,
    preflight_reject: bool,
) -> StateChange {
    let after = transition::after_probe(before, assessment, job, &app.settings);
    let verdict = &assessment.verdict;
    let Facts { endpoint, card_url, .. } = &verdict.facts;
    let reasons = explain::reasons(assessment);
    // A Live listing that asks for a sign-in fails.
    let is_proof = after.lane == Lane::Gated && assessment.proves_sign_in();
    let proof = is_proof.then_some(ProbeRecord::SIGN_IN_PROVEN);
    let record = ProbeRecord {
        id: before.id.clone(),
        kind: after.likely_kind(),
        target: endpoint.as_ref().or(card_url.as_ref()).map_or(before.target(), String::as_str).to_owned(),
        ok: verdict.handshake == Handshake::Ok,
        latency_ms: verdict.latency_ms,
        score: assessment.score.value,
        signals: verdict.signals.iter().cloned().chain(proof.map(str::to_owned)).collect(),
        handshake: verdict.handshake,
        protocol_hints: verdict.protocol_hints.clone(),
        probed_at: assessment.probed_at,
        code: reasons.first().map(|reason| reason.code.clone()),
        reason: reasons.first().map(|reason| reason.reason.clone()),
    };
    let was_overdue = before.lane.is_proven() && !before.public_lane(app.oldest_proof()).is_proven();
    let news = news(before, &after, &record, was_overdue).into_iter().collect();
    let change = StateChange {
        before: before.clone(),
        after,
        assessment: assessment.clone(),
        record,
        preflight_reject,
        recheck: before.lane == Lane::Active,
        was_overdue,
        news,
        messages: Vec::new(),
        trail: None,
        yielding: None,
    };
    if !change.is_expired() {
        return change;
    }
    let text = format!("{} was never Live and failed for thirty days; it was deleted.", before.texts.name);
    let expired = FeedItem::of_listing(before, "listing_expired", text, change.record.probed_at);
    StateChange { news: vec![expired], ..change }
}

/// What else changed about a listing that is or was Live or gated: its tools or skills, and its name.
fn further_news(change: &StateChange) -> impl Iterator<Item = FeedItem> + use<> {
    let StateChange { before, after, record, .. } = change;
    let changed = change.assessment.changed.as_ref();
    let is_followed = before.lane.is_proven() || after.lane.is_proven();
    let changed = changed.filter(|changed| changed.at == record.probed_at && is_followed);
    let changed = changed.map(|changed| {
        let what = if after.likely_kind() == Kind::Mcp { "tools" } else { "skills" };
        let AbilityChange { added, removed, redescribed, severity, .. } = changed;
        let text = format!(
            "{} changed its {what}: {} added, {} removed, {} changed.",
            after.texts.name, added.count, removed.count, redescribed.count
        );
        FeedItem {
            severity: *severity,
            ..FeedItem::of_listing(after, "listing_tools_changed", text, record.probed_at)
        }
    });
    changed.into_iter().chain(FeedItem::of_name(before, after, record.probed_at))
}

fn messages(change: &StateChange) -> Vec<TalkMessage> {
    inbox_messages::messages(change, explain::reasons(&change.assessment).first())
}

fn news(before: &Listing, after: &Listing, record: &ProbeRecord, was_overdue: bool) -> Option<FeedItem> {
    let name = &after.texts.name;
    let is_proven_again = was_overdue && after.schedule.failures == 0;
    let (what, text) = match (before.lane, after.lane) {
        (was, now) if was == now && !is_proven_again => return None,
        (_, Lane::Active) => ("listing_live", format!("{name} answered a real handshake and is Live.")),
        (_, Lane::Gated) => (
            "listing_gated",
            format!("{name} asks for a sign-in, and the metadata of the sign-in is correct."),
        ),
        (was, Lane::Demoted) => {
            let was = if was == Lane::Gated { "listed as gated" } else { "Live" };
            let why = if record.ok { "answers, but a check failed" } else { "failed its recheck" };
            (
                "listing_demoted",
                format!("{name} {why}. It is demoted, so it is not {was} until a probe passes."),
            )
        }
        (_, Lane::NeedsFix) => {
            let reason = record.reason.as_deref().unwrap_or("a check is not clean");
            ("listing_needs_fix", format!("{name} was probed and needs a fix: {reason}."))
        }
        _ => return None,
    };
    Some(FeedItem::of_listing(after, what, text, record.probed_at))
}

async fn announce(app: &App, change: &StateChange) {
    let after = &change.after;
    let what = match (change.live_change(), after.lane) {
        (LiveChange::Risen, _) => What::Live,
        (_, Lane::Gated) if change.before.lane != Lane::Gated => What::Gated,
        (LiveChange::Fallen, _) => What::Demoted,
        (_, Lane::Demoted) if change.before.lane != Lane::Demoted => What::Demoted,
        (_, Lane::NeedsFix) if change.before.lane != Lane::NeedsFix => What::NeedsFix,
        _ => return,
    };
    let event = Event { what, listing_id: after.id.clone(), kind: after.kind, at: change.record.probed_at };
    app.bus.send(&event).await;
}

/// What changed in the skills of an agent since the last probe; `None` if nothing did, or if the two cannot be compared.
async fn skill_change(app: &App, change: &StateChange) -> Result<Option<AbilityChange>, StoreError> {
    let (before, after, now) = (&change.before, &change.after, &change.assessment);
    // An agent's skills have no hash of their own. The listing keeps the old hash of its words while a check fails.
    let words = IndexedText::of(after, Some(now)).content_hash();
    let other_words = before.texts.content_hash.as_ref().is_some_and(|known| *known != words);
    let is_answered = change.is_shown() && now.verdict.handshake == Handshake::Ok;
    if !is_answered || after.kind != Some(Kind::Agent) || !other_words {
        return Ok(None);
    }
    let earlier = app.store.listing_with_evidence(&before.id).await?;
    Ok(earlier.and_then(|earlier| compare(earlier.1.as_ref()?, now)))
}

fn compare(earlier: &Assessment, now: &Assessment) -> Option<AbilityChange> {
    let (old, new) = (&earlier.verdict.facts, &now.verdict.facts);
    let comparable = earlier.verdict.handshake == Handshake::Ok && is_whole(old) && is_whole(new);
    let difference = AbilityChange::of_skills((old, earlier.probed_at), (new, now.probed_at));
    (comparable && difference.names_any()).then_some(difference)
}

/// A list that is full may have been cut off, and then an added entry would look like a removed one.
fn is_whole(facts: &Facts) -> bool {
    facts.skills.len() < MAX_SKILLS
}

/// Stores what the probe of a change saw, and adds the changes of tools to the assessment. The definitions are stored
/// before the decision that commits to them. Returns whether anything was stored.
async fn store_tools(app: &App, change: &mut StateChange) -> Result<bool, StoreError> {
    let verdict = &change.assessment.verdict;
    // Also if a check fails: clients with pins need to know at once that tools now contain instructions to models.
    let is_sound = verdict.handshake == Handshake::Ok && !change.is_expired();
    let Some(server) = verdict.facts.seen.clone().filter(|_| is_sound) else { return Ok(false) };
    let mut is_stored = false;
    if let Some(contents) = &server.contents {
        let hash = sha256_hex(serde_json::to_string(contents)?);
        let is_known = change.before.proof.stored_contents.as_ref() == Some(&hash);
        let is_absent = contents.is_empty() && change.before.proof.stored_contents.is_none();
        if !is_known && !is_absent {
            app.store.keep_contents(&change.after.id, contents).await?;
            change.after.proof.stored_contents = Some(hash);
            is_stored = true;
        }
    }
    if change.before.proof.stored_tools.as_ref() == Some(&server.set) {
        return Ok(is_stored);
    }
    let stored = app.store.seen_tools(&change.after.id).await?;
    let at = change.assessment.probed_at;
    let number = stored.sets.first().map_or(0, |latest| latest.number.saturating_add(1));
    let listed = |tool: &ObservedTool| ListedTool { name: tool.name.clone(), hash: tool.hash.clone() };
    let tools = server.tools.iter().map(listed).collect();
    let set = ToolSet { number, at, hash: server.set.clone(), tools, unlisted: server.unlisted };
    // Not the latest set, but the one of the last decision: a process may have died between the two.
    let known = stored.sets.iter().find(|set| change.before.proof.stored_tools.as_ref() == Some(&set.hash));
    if let Some(known) = known {
        let changes = tool_changes(known, &set, &stored, &server);
        // A later probe that failed read no tools.
        let answered = change.before.proof.probe.as_ref().filter(|probe| probe.handshake == Handshake::Ok);
        let since = answered.map_or(known.at, |probe| probe.at).max(known.at);
        let since = change.before.proof.last_ok_at.map_or(since, |at| at.max(since));
        name_changes(change, &changes);
        change.assessment.changed = Some(AbilityChange::of_tools(&changes, since, at));
    }
    if stored.sets.first().is_none_or(|latest| latest.hash != set.hash) {
        app.store.keep_tools(&change.after.id, &stored, &server, &set).await?;
    }
    change.after.proof.stored_tools = Some(server.set.clone());
    Ok(true)
}

fn tool_changes(
    known: &ToolSet,
    set: &ToolSet,
    stored: &SeenTools,
    server: &ObservedServer,
) -> Vec<ToolChange> {
    let mut definitions: HashMap<&str, &str> =
        stored.definitions.iter().map(|(hash, definition)| (hash.as_str(), definition.as_str())).collect();
    let new = server.tools.iter().filter_map(|tool| Some((tool.hash.as_str(), tool.definition.as_deref()?)));
    definitions.extend(new);
    tool_diff::between_sets(known, set, |hash| definitions.get(hash).copied())
}

/// Names the changed tools and arguments in the check.
fn name_changes(change: &mut StateChange, changes: &[ToolChange]) {
    let words = tool_diff::in_words(changes);
    let failed = change.assessment.checks.iter_mut().find(|check| check.id == "tools_unchanged" && !check.ok);
    if let Some(check) = failed.filter(|_| !words.is_empty()) {
        check.detail = format!("{} {words}", check.detail);
    }
}

/// Removes what was stored for a decision that could not be written, if the listing was withdrawn or deleted meanwhile.
async fn remove_tools_if_gone(app: &App, id: &ListingId) -> Result<(), StoreError> {
    let listing = app.store.listing(id).await?;
    let is_gone = |listing: Listing| {
        listing.lane == Lane::Withdrawn && !listing.withdrawal.is_some_and(|withdrawal| withdrawal.by_owner)
    };
    if listing.is_none_or(is_gone) {
        app.store.remove_seen(id).await?;
    }
    Ok(())
}
