//! Stores what a probe found, as one state change, and sends an event where the lane changed.
//! An endpoint that another listing took in the meantime turns the change into a failed check, not into an error.

use super::transition::{self, Job};
use super::{assess, drift, explain};
use registry_app::App;
use registry_app::talk;
use registry_model::{
    Amounts, Assessment, FeedItem, Handshake, Kind, Lane, Listing, LiveChange, Moment, ProbeRecord,
    StateChange, Verdict,
};
use registry_store::events::{Event, What};
use registry_store::{StoreError, WriteOutcome};

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
    change.assessment.changed = drift::of(app, &change).await?;
    if change.is_expired() {
        return Ok(match app.store.expire(&change).await? {
            WriteOutcome::Written => Some(change.record.handshake),
            WriteOutcome::LeaseLost | WriteOutcome::EndpointHeld => None,
        });
    }
    let recorded = app.store.record(&change).await?;
    let change = match recorded {
        WriteOutcome::Written => change,
        WriteOutcome::LeaseLost => return Ok(None),
        WriteOutcome::EndpointHeld => {
            let endpoint = change.after.endpoint.clone().unwrap_or_default();
            let holder = app.store.endpoint_holder(&endpoint, &before.id).await?;
            let holder = holder.map_or_else(|| "another listing".to_owned(), |id| id.to_string());
            let assessment = assess::held_by(app, before, assessment.verdict, holder);
            let change = StateChange { trail, ..state_change(app, before, &assessment, job, rejected) };
            if app.store.record(&change).await? != WriteOutcome::Written {
                return Ok(None);
            }
            change
        }
    };
    announce(app, &change).await;
    Ok(Some(change.record.handshake))
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
    let reasons = explain::reasons(assessment);
    let record = ProbeRecord {
        id: before.id.clone(),
        kind: after.shown_kind(),
        target: verdict.facts.endpoint.clone().unwrap_or_else(|| before.target().to_owned()),
        ok: verdict.handshake == Handshake::Ok,
        latency_ms: verdict.latency_ms,
        score: assessment.score.value,
        signals: verdict.signals.clone(),
        handshake: verdict.handshake,
        protocol_hints: verdict.protocol_hints.clone(),
        probed_at: assessment.probed_at,
        reason: reasons.first().map(|reason| reason.reason.clone()),
    };
    let news = news(before, &after, &record, assessment.probed_at);
    let recheck = before.lane == Lane::Active;
    let was_overdue = recheck && !before.is_live(app.oldest_proof());
    let assessment = assessment.clone();
    let change = StateChange {
        before: before.clone(),
        after,
        assessment,
        record,
        preflight_reject,
        recheck,
        was_overdue,
        news,
        messages: Vec::new(),
        trail: None,
    };
    let messages = talk::messages(&change, reasons.first());
    let expired = change.is_expired().then(|| end_of(before, change.record.probed_at));
    StateChange { news: expired.or(change.news), messages, ..change }
}

fn end_of(listing: &Listing, at: Moment) -> FeedItem {
    FeedItem {
        what: "listing_expired".to_owned(),
        at,
        listing_id: Some(listing.id.clone()),
        kind: listing.kind,
        name: listing.name.clone(),
        text: format!("{} never went Live and failed for thirty days; it was deleted.", listing.name),
    }
}

fn news(before: &Listing, after: &Listing, record: &ProbeRecord, at: Moment) -> Option<FeedItem> {
    let (what, text) = match (before.lane, after.lane) {
        (was, now) if was == now => return None,
        (_, Lane::Active) => {
            ("listing_live", format!("{} answered a real handshake and is Live.", after.name))
        }
        (_, Lane::Demoted) => {
            ("listing_demoted", format!("{} failed its weekly recheck and is no longer Live.", after.name))
        }
        (_, Lane::NeedsFix) => {
            let reason = record.reason.as_deref().unwrap_or("a check is not clean");
            ("listing_needs_fix", format!("{} was probed and needs a fix: {reason}.", after.name))
        }
        _ => return None,
    };
    let (listing_id, name) = (Some(after.id.clone()), after.name.clone());
    Some(FeedItem { what: what.to_owned(), at, listing_id, kind: after.kind, name, text })
}

async fn announce(app: &App, change: &StateChange) {
    let after = &change.after;
    let what = match (change.live_change(), after.lane) {
        (LiveChange::Risen, _) => What::Live,
        (LiveChange::Fallen, _) => What::Demoted,
        (_, Lane::NeedsFix) if change.before.lane != Lane::NeedsFix => What::NeedsFix,
        _ => return,
    };
    let kind: Option<Kind> = after.kind;
    let event = Event { what, listing_id: after.id.clone(), kind, at: change.record.probed_at };
    app.bus.send(&event).await;
}
