//! A batch of listings on its way through preflight, budget and probe. Each step is safe to be done twice: a claim is
//! conditional, a verdict needs the claim's mark, and a process that dies in between leaves the listing due again when
//! its lease ends.

use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::{self, FuturesUnordered};

use super::handshake::{self, Depth, PreflightResult, Subject};
use super::host_slots::HostSlots;
use super::transition::Job;
use super::{not_probed, record};
use crate::app::App;
use crate::fetch::{Answer, Target};
use crate::model::{BlockedHost, BlockedHosts, Handshake, HostName, Listing, ListingId, Verdict};
use crate::store::{Caps, Claim};
use crate::takedown;

/// Concurrent probes; each may hold a tool list of 1 MiB, and a sweep stays under 128 MB.
pub(super) const AT_ONCE: usize = 64;
/// No probe of a batch starts later than this: a listing that still waits for a slot at a slow host is released, so
/// that a tick of two batches ends within its function's minute.
const TURNS: Duration = Duration::from_secs(15);
/// A claim outlives the longest probe several times over.
const LEASE: Duration = Duration::from_secs(60);

pub(super) enum ProbeOutcome {
    NotClaimed,
    Released,
    Unrecorded,
    Rejected(ListingId, Handshake),
    Probed(ListingId, Handshake),
}

/// A claimed listing that passed its preflight, and the card where that fetched one.
struct Ready {
    listing: Listing,
    subject: Subject,
    card: Option<Answer>,
}

/// A claimed listing on its way through a sweep.
enum Prepared {
    Ready(Box<Ready>),
    /// Nothing more is to be done.
    Ended(ProbeOutcome),
}

/// Takes a batch through preflight, budget and probe. No listing waits for another's preflight: budget is requested
/// for all that passed at the same moment.
pub(super) async fn probe_batch(app: &App, batch: Vec<ListingId>, job: Job) -> Vec<ProbeOutcome> {
    let hosts = HostSlots::until(tokio::time::Instant::now() + TURNS);
    let blocked = match app.store.blocked_hosts().await {
        Ok(blocked) => blocked,
        Err(error) => {
            tracing::warn!(%error, "which hosts are blocked could not be read; nothing is asked now");
            return Vec::new();
        }
    };
    let mut prepared = stream::iter(batch)
        .map(|id| prepare(app, id, job, &hosts, &blocked))
        .buffer_unordered(AT_ONCE)
        .ready_chunks(AT_ONCE);
    let mut probes = FuturesUnordered::new();
    let mut done = Vec::new();
    loop {
        tokio::select! {
            Some(passed) = prepared.next() => {
                let mut ready = Vec::new();
                for prepared in passed {
                    match prepared {
                        Prepared::Ended(one) => done.push(one),
                        Prepared::Ready(one) => ready.push(*one),
                    }
                }
                let granted = granted(app, job, ready.len()).await;
                for one in ready.split_off(granted) {
                    done.push(release(app, &one.listing).await);
                }
                probes.extend(ready.into_iter().map(|one| probe(app, one, job, &hosts, &blocked)));
            }
            Some(one) = probes.next() => done.push(one),
            else => return done,
        }
    }
}

/// How many of `wanted` probes the budget allows; none where the table cannot say.
async fn granted(app: &App, job: Job, wanted: usize) -> usize {
    if wanted == 0 || job == Job::Recheck {
        return wanted;
    }
    let asked = u32::try_from(wanted).unwrap_or(u32::MAX);
    match app.store.take_probes(asked, caps(app), app.clock.now()).await {
        Ok(granted) => granted as usize,
        Err(error) => {
            tracing::warn!(%error, "the budget could not be read; the claimed listings are released");
            0
        }
    }
}

/// Takes a listing at a blocked host off instead of asking it.
async fn withdraw(app: &App, listing: &Listing, block: &BlockedHost) -> ProbeOutcome {
    if let Err(error) = takedown::withdraw_blocked(app, listing, block).await {
        tracing::warn!(listing_id = %listing.id, %error, "a listing at a blocked host was not withdrawn");
        return ProbeOutcome::Unrecorded;
    }
    ProbeOutcome::NotClaimed
}

async fn release(app: &App, listing: &Listing) -> ProbeOutcome {
    // Left to its lease where the table is busy: the others were granted their probes and get them.
    if let Err(error) = app.store.release(listing, app.clock.now()).await {
        tracing::warn!(listing_id = %listing.id, %error, "a listing was not released");
    }
    ProbeOutcome::Released
}

async fn probe(app: &App, ready: Ready, job: Job, hosts: &HostSlots, blocked: &BlockedHosts) -> ProbeOutcome {
    let Ready { listing, subject, card } = ready;
    let fetcher = app.fetcher_for(&listing.id);
    match handshake::probe_in_turn(&fetcher, &subject, card, &app.random, hosts).await {
        Some(verdict) => {
            // Its card may lead to a blocked host.
            let hosts = [&verdict.facts.endpoint, &verdict.facts.card_url].into_iter().flatten();
            let hosts: Vec<HostName> = hosts.filter_map(|url| HostName::of_url(url)).collect();
            match blocked.covering(&hosts) {
                Some(block) => withdraw(app, &listing, block).await,
                None => conclude(app, listing, verdict, job, false).await,
            }
        }
        None => release(app, &listing).await,
    }
}

/// Claims a listing and preflights it; whatever ends there is recorded at once.
async fn prepare(app: &App, id: ListingId, job: Job, hosts: &HostSlots, blocked: &BlockedHosts) -> Prepared {
    let now = app.clock.now();
    let mark = app.random.hex(8);
    let lease_ms = i64::try_from(LEASE.as_millis()).unwrap_or(i64::MAX);
    let apart_ms = i64::from(app.settings.probe_tick_seconds) * 1000;
    let claimed = app.store.claim(&Claim { id: &id, mark: &mark, now, lease_ms, apart_ms }).await;
    let listing = match claimed {
        Ok(Some(listing)) => listing,
        Ok(None) => return Prepared::Ended(ProbeOutcome::NotClaimed),
        Err(error) => {
            tracing::warn!(listing_id = %id, %error, "a due listing was not claimed");
            return Prepared::Ended(ProbeOutcome::NotClaimed);
        }
    };
    if let Some(block) = blocked.covering(&listing.hosts()) {
        return Prepared::Ended(withdraw(app, &listing, block).await);
    }
    let subject = match subject(app, &listing) {
        Ok(subject) => subject,
        Err(verdict) => return Prepared::Ended(conclude(app, listing, *verdict, job, true).await),
    };
    let Some(slot) = hosts.slot(&subject.url).await else {
        return Prepared::Ended(release(app, &listing).await);
    };
    let preflight = handshake::preflight(&app.fetcher_for(&listing.id), &subject).await;
    drop(slot);
    match preflight {
        PreflightResult::Pass { card } => Prepared::Ready(Box::new(Ready { listing, subject, card })),
        PreflightResult::Reject(verdict) => Prepared::Ended(conclude(app, listing, verdict, job, true).await),
    }
}

/// What is to be asked of a listing, or the verdict where nothing can be.
fn subject(app: &App, listing: &Listing) -> Result<Subject, Box<Verdict>> {
    if let Some(obstacle) = listing.obstacle {
        return Err(Box::new(not_probed::for_obstacle(obstacle, listing.kind)));
    }
    let url = Target::parse(listing.target(), app.settings.reach())
        .map_err(|error| Box::new(not_probed::for_refused_url(&error, listing.kind)))?;
    // An `ok` makes or keeps the listing Live, so every probe asks for the whole proof: coming back after a demotion
    // takes the same as the first time.
    Ok(Subject {
        kind: listing.kind,
        url,
        depth: Depth::Message,
        last_era: listing.era.clone(),
        declared: listing.declared,
    })
}

async fn conclude(app: &App, before: Listing, verdict: Verdict, job: Job, rejected: bool) -> ProbeOutcome {
    match record::record(app, &before, verdict, job, rejected).await {
        Ok(Some(outcome)) if rejected => ProbeOutcome::Rejected(before.id, outcome),
        Ok(Some(outcome)) => ProbeOutcome::Probed(before.id, outcome),
        Ok(None) => ProbeOutcome::NotClaimed,
        Err(error) => {
            tracing::warn!(listing_id = %before.id, %error, "a verdict was not recorded; its lease will run out");
            ProbeOutcome::Unrecorded
        }
    }
}

pub(super) fn caps(app: &App) -> Caps {
    let settings = &app.settings;
    Caps {
        window: settings.probe_window_cap,
        hour: settings.probe_hourly_cap,
        day: settings.probe_daily_budget,
    }
}
