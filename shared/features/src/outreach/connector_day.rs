//! The connector of the day (`specification.md#connector-daily-pick`): a Live listing that connects other listings. A read of a UTC day
//! picks the connector and stores the pick, if the day has none. Only the job sends a message to the connector. If
//! no candidate reaches the thresholds, the day is a "research day" without a message.

use super::a2a_delivery::TouchedListing;
use super::budget::DayBudget;
use super::connectors::{self, Candidate};
use super::texts;
use crate::feed_item;
use crate::prelude::*;
use registry_model::{ConnectorPick, Draft, FirstStep, Partner, QueuedPartner, TalkKind};
use registry_store::{ConnectorDay, NewTouch, StoreError, TouchOutcome};

/// The least connector likeness of a pick (`specification.md#connector-daily-pick`).
pub const MIN_LIKENESS: u8 = 14;
/// The least live score of a pick (`specification.md#connector-daily-pick`).
pub const MIN_LIVE_SCORE: u8 = 5;
pub const SHOWN_DAYS: u32 = 30;
/// Candidates shown after the pick.
const MAX_QUEUE_AFTER: usize = 5;

/// Today's pick and the days before, the newest first. Chooses again while today has no connector.
pub async fn days(app: &App) -> Result<(ConnectorDay, Vec<ConnectorDay>), StoreError> {
    let now = app.clock.now();
    let today = now.utc_day();
    let of_today = |days: &[ConnectorDay]| days.iter().find(|day| day.pick.day == today).cloned();
    let read_days = SHOWN_DAYS.max(app.settings.outreach_pause_days) + 1;
    let days = app.store.connector_days(read_days).await?;
    let known = of_today(&days);
    if let Some(today) = known.clone().filter(|day| day.pick.partner.is_some()) {
        return Ok((today, days));
    }
    let pick = choose(app, &days, now).await?;
    if let Some(today) = known.filter(|_| pick.partner.is_none()) {
        return Ok((ConnectorDay { pick, ..today }, days));
    }
    app.store.keep_connector(&pick, now).await?;
    // Another process may have stored its pick first.
    let days = app.store.connector_days(read_days).await?;
    let today =
        of_today(&days).ok_or_else(|| StoreError::Busy("the pick of the day was not found".to_owned()))?;
    Ok((today, days))
}

async fn choose(app: &App, days: &[ConnectorDay], now: Moment) -> Result<ConnectorPick, StoreError> {
    let candidates = connectors::candidates(app).await?;
    let pause = app.settings.outreach_pause();
    let since = (now - pause).utc_day();
    let is_recent = |candidate: &Candidate| {
        let partners =
            days.iter().filter(|day| day.pick.day > since).filter_map(|day| day.pick.partner.as_ref());
        partners.into_iter().any(|partner| partner.id == candidate.listing.id)
    };
    let free: Vec<&Candidate> = candidates
        .iter()
        .filter(|candidate| candidate.may_be_touched(now, pause) && !is_recent(candidate))
        .collect();
    let is_eligible = |candidate: &&&Candidate| {
        candidate.likeness.points >= MIN_LIKENESS && candidate.live_score >= MIN_LIVE_SCORE
    };
    let chosen = free.iter().find(is_eligible).copied();
    let after = free.iter().filter(|one| chosen.is_none_or(|chosen| chosen.listing.id != one.listing.id));
    let queued = |candidate: &&Candidate| QueuedPartner {
        id: candidate.listing.id.clone(),
        name: candidate.listing.texts.name.clone(),
        score: candidate.likeness.points,
    };
    let queue_after = after.take(MAX_QUEUE_AFTER).map(queued).collect();
    Ok(match chosen {
        Some(chosen) => picked(app, chosen, now, queue_after),
        None => research(&free, candidates.len(), now, queue_after),
    })
}

fn picked(app: &App, chosen: &Candidate, now: Moment, queue_after: Vec<QueuedPartner>) -> ConnectorPick {
    let Candidate { listing, likeness, live_score, .. } = chosen;
    let settings = &app.settings;
    let reasons: Vec<&str> = likeness.traits.iter().filter_map(|one| one.split(" (").next()).collect();
    ConnectorPick {
        day: now.utc_day(),
        partner: Some(Partner {
            id: listing.id.clone(),
            name: listing.texts.name.clone(),
            kind: listing.likely_kind(),
            role: likeness.role.unwrap_or("peer").to_owned(),
            engage: settings.url(&format!("/api/talk?listing_id={}", listing.id)),
            status: "chosen".to_owned(),
        }),
        connector_likeness: likeness.points,
        traits: likeness.traits.clone(),
        why: format!(
            "Of the connectors that could be contacted and had a live score of at least {MIN_LIVE_SCORE}, {} fitted best \
             ({} points). Its live score was {live_score} of 10.",
            listing.texts.name, likeness.points
        ),
        action: FirstStep {
            step: "The hourly job sends the draft at most once.".to_owned(),
            do_not: owned(&[
                "Do not write to another connector today.",
                "Do not write to this connector again before the pause after this message is over.",
                "Do not write to a listing that has opted out.",
                "Do not send e-mail.",
            ]),
            draft: texts::connector_draft(settings, listing, &reasons.join("; ")),
        },
        queue_after,
    }
}

fn research(
    free: &[&Candidate],
    candidates: usize,
    now: Moment,
    queue_after: Vec<QueuedPartner>,
) -> ConnectorPick {
    let best = free.first();
    let why = match best {
        Some(best) => format!(
            "No candidate that may be contacted has at least {MIN_LIKENESS} points as a connector and a live score of at \
             least {MIN_LIVE_SCORE}. The best is {} with {} points and a live score of {}.",
            best.listing.texts.name, best.likeness.points, best.live_score
        ),
        None if candidates > 0 => {
            "Each Live connector was chosen or contacted recently, or has opted out.".to_owned()
        }
        None => "No Live listing is a connector yet.".to_owned(),
    };
    ConnectorPick {
        day: now.utc_day(),
        partner: None,
        connector_likeness: best.map_or(0, |best| best.likeness.points),
        traits: Vec::new(),
        why,
        action: FirstStep {
            step:
                "Research: look for connectors in the places that the playbook lists, and publish what you \
                find."
                    .to_owned(),
            do_not: owned(&[
                "Do not write to another listing today instead.",
                "Do not lower the thresholds.",
            ]),
            draft: Draft::default(),
        },
        queue_after,
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Leaves today's draft in the partner's inbox, unless that has been done or the partner may no longer be written to.
pub async fn touch(app: &App, today: &ConnectorDay) -> Result<Option<TouchedListing>, StoreError> {
    let Some(partner) = today.pick.partner.as_ref().filter(|_| today.touched_at.is_none()) else {
        return Ok(None);
    };
    let (store, now, pause) = (&app.store, app.clock.now(), app.settings.outreach_pause());
    if now.utc_day() != today.pick.day {
        // Midnight has passed: the next day has its own pick.
        return Ok(None);
    }
    let ids = std::slice::from_ref(&partner.id);
    let (listings, mut states, budget) =
        futures::try_join!(store.listings(ids), store.outreach_states(ids), DayBudget::read(app))?;
    let Some(listing) = listings.into_iter().next().filter(|one| one.is_live(app.oldest_proof())) else {
        return Ok(None);
    };
    let state =
        states.pop().map(|(_, state)| state).filter(|state| connectors::may_be_touched(state, now, pause));
    let Some(place) = state.and_then(|state| state.place) else { return Ok(None) };
    let draft = &today.pick.action.draft;
    let text = format!("{}\n\n{}", draft.subject, draft.body);
    let message = texts::message(app, &listing.id, TalkKind::Connector, text, now);
    let news = feed_item(&listing, "connector_of_the_day", now, "is the connector of the day.");
    let news = FeedItem { kind: Some(listing.likely_kind()), ..news };
    let touch = NewTouch {
        place: &place,
        message: &message,
        after_demo: listing.demoed,
        again: now + pause,
        cap: budget.cap,
        connector_of: Some(&today.pick.day),
        news: Some(&news),
    };
    let made = store.touch(&touch).await? == TouchOutcome::Made;
    Ok(made.then_some(TouchedListing { listing, message }))
}
