//! The clockwork: claim what is due, preflight it, take the budget, probe, judge, record. Each step is safe to be
//! done twice: a claim is conditional, a verdict needs the claim's mark, and whoever dies in between leaves the
//! listing due again when its lease runs out. What others wait for is boxed: else all of it would be compiled once more
//! in each crate that does.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use futures::future::BoxFuture;
use futures::stream::{self, FuturesUnordered};
use serde::Serialize;
use tokio::sync::Semaphore;

use crate::app::App;
use crate::events::{Event, What};
use crate::listing::{Kind, Lane, Listing, ListingId, own};
use crate::moment::Moment;
use crate::probe::examine::{self, Examined};
use crate::probe::fetch::{Fetcher, Target};
use crate::probe::handshake::{self, Depth, Opening, Preflight, Subject};
use crate::probe::judge::{self, Job};
use crate::probe::unasked;
use crate::probe::verdict::{Handshake, Verdict};
use crate::store::{Caps, Change, Claim, DueClass, FeedItem, Judgement, ProbeRecord, Recorded, StoreError};

/// Probes under way at once; each may hold a tool list of 1 MiB, and a sweep stays under 128 MB.
const AT_ONCE: usize = 64;
/// Probes under way at once at one host, whoever's listings they are.
const PER_HOST: usize = 4;
/// A batch gives no more turns at hosts after this: whoever still waits behind others at a slow host is given back, so
/// that a tick of two batches ends within its function's minute.
const TURNS: Duration = Duration::from_secs(15);
/// A claim outlives the longest probe several times over.
const LEASE: Duration = Duration::from_secs(60);
/// A sweep takes no new batch after this; its function may run for a minute.
const SWEEP: Duration = Duration::from_secs(30);
/// A recheck takes no new batch after this; its function may run for fifteen minutes.
const RECHECK: Duration = Duration::from_secs(10 * 60);

/// What a sweep did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Listings claimed.
    pub claimed: u32,
    /// Of these, ended at the preflight, without budget.
    pub rejected: u32,
    /// Full probes.
    pub probed: u32,
    /// Handshakes that were `ok`.
    pub ok: u32,
    /// Given back because the budget was used up, or their host was too slow for all that is listed there.
    pub released: u32,
    /// Left to their lease because the table was busy.
    pub unrecorded: u32,
    /// The listing recorded last, and its outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<(String, String)>,
}

impl Report {
    fn count(&mut self, done: &Done) {
        match done {
            Done::NotClaimed => return,
            Done::Released => self.released += 1,
            Done::Unrecorded => self.unrecorded += 1,
            Done::Rejected(id, outcome) => {
                self.rejected += 1;
                self.last = Some((id.to_string(), outcome.as_str().to_owned()));
            }
            Done::Probed(id, outcome) => {
                self.probed += 1;
                self.ok += u32::from(*outcome == Handshake::Ok);
                self.last = Some((id.to_string(), outcome.as_str().to_owned()));
            }
        }
        self.claimed += 1;
    }
}

/// How one listing fared.
enum Done {
    NotClaimed,
    Released,
    Unrecorded,
    Rejected(ListingId, Handshake),
    Probed(ListingId, Handshake),
}

/// A claimed listing on its way through a sweep.
enum Prepared {
    /// The preflight was passed.
    Ready(Box<(Listing, Subject, Opening)>),
    /// Nothing more is to be done.
    Done(Done),
}

/// One tick: a full sweep over what is due in the contract's order of classes. A second delivery of the same
/// tick finds its slot taken and does nothing.
///
/// # Errors
/// The table is busy.
pub fn tick(app: &App) -> BoxFuture<'_, Result<Report, StoreError>> {
    Box::pin(async move {
        let now = app.clock.now();
        let slot = now.as_second() / i64::from(app.settings.probe_tick_seconds);
        if !app.store.take_slot("probe-tick", slot, now).await? {
            return Ok(Report::default());
        }
        let began = Instant::now();
        let mut report = Report::default();
        let left = app.store.budget(now).await?.left(caps(app)).min(app.settings.probes_per_tick);
        let mut seen = 0;
        while report.probed < left && began.elapsed() < SWEEP {
            let room = left - report.probed;
            let batch = due(app, &DueClass::OF_A_TICK, room.min(AT_ONCE as u32)).await?;
            if batch.is_empty() {
                break;
            }
            let before = seen;
            for done in sweep(app, batch, Job::Tick).await {
                report.count(&done);
            }
            seen = report.claimed;
            if seen == before || report.released > 0 {
                break;
            }
        }
        let last = report.last.as_ref().map(|(id, outcome)| (id.as_str(), outcome.as_str()));
        app.store.note_tick(last, report.ok > 0, report.probed, app.clock.now()).await?;
        Ok(report)
    })
}

/// The first probe of a listing that was just published, under the same caps as the tick.
///
/// # Errors
/// The table is busy.
pub fn first_probe<'a>(app: &'a App, id: &'a ListingId) -> BoxFuture<'a, Result<Report, StoreError>> {
    Box::pin(async move {
        let mut report = Report::default();
        for done in sweep(app, vec![id.clone()], Job::Tick).await {
            report.count(&done);
        }
        Ok(report)
    })
}

/// The weekly recheck over what is due now; unlimited by the budget, as the contract wants it.
///
/// # Errors
/// The table is busy.
pub fn recheck(app: &App) -> BoxFuture<'_, Result<Report, StoreError>> {
    Box::pin(async move {
        let began = Instant::now();
        let mut report = Report::default();
        while began.elapsed() < RECHECK {
            let batch = due(app, &DueClass::OF_A_RECHECK, AT_ONCE as u32).await?;
            if batch.is_empty() {
                break;
            }
            let before = report.claimed;
            for done in sweep(app, batch, Job::Recheck).await {
                report.count(&done);
            }
            if report.claimed == before {
                break;
            }
        }
        Ok(report)
    })
}

fn caps(app: &App) -> Caps {
    let settings = &app.settings;
    Caps {
        window: settings.probe_window_cap,
        hour: settings.probe_hourly_cap,
        day: settings.probe_daily_budget,
    }
}

/// What is due, class by class.
async fn due(app: &App, classes: &[DueClass], limit: u32) -> Result<Vec<ListingId>, StoreError> {
    let mut batch = Vec::new();
    for class in classes {
        let room = limit.saturating_sub(u32::try_from(batch.len()).unwrap_or(limit));
        if room == 0 {
            break;
        }
        batch.extend(app.store.due(*class, app.clock.now(), room).await?);
    }
    Ok(batch)
}

/// Takes a batch through preflight, budget and probe. Nobody waits for anybody else's preflight: whoever passed is
/// granted budget together with those who passed at the same moment.
async fn sweep(app: &App, batch: Vec<ListingId>, job: Job) -> Vec<Done> {
    let hosts = Hosts::until(tokio::time::Instant::now() + TURNS);
    let mut prepared = stream::iter(batch)
        .map(|id| prepare(app, id, job, &hosts))
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
                        Prepared::Done(one) => done.push(one),
                        Prepared::Ready(one) => ready.push(*one),
                    }
                }
                let granted = granted(app, job, ready.len()).await;
                for (listing, ..) in ready.split_off(granted) {
                    done.push(give_back(app, &listing).await);
                }
                probes.extend(ready.into_iter().map(|one| ask(app, one, job, &hosts)));
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
            tracing::warn!(%error, "the budget did not answer; what was claimed is given back");
            0
        }
    }
}

async fn give_back(app: &App, listing: &Listing) -> Done {
    // Left to its lease where the table is busy: the others were granted their probes and get them.
    if let Err(error) = app.store.release(listing, app.clock.now()).await {
        tracing::warn!(listing_id = %listing.id, %error, "a listing was not given back");
    }
    Done::Released
}

async fn ask(app: &App, one: (Listing, Subject, Opening), job: Job, hosts: &Hosts) -> Done {
    let (listing, subject, opening) = one;
    let Some(_turn) = hosts.turn(&subject.url).await else { return give_back(app, &listing).await };
    let verdict = handshake::probe(&fetcher(app, &listing), &subject, opening, &app.random).await;
    settle(app, listing, verdict, job, false).await
}

/// Claims a listing and preflights it; whatever ends there is recorded at once.
async fn prepare(app: &App, id: ListingId, job: Job, hosts: &Hosts) -> Prepared {
    let now = app.clock.now();
    let mark = app.random.hex(8);
    let lease_ms = i64::try_from(LEASE.as_millis()).unwrap_or(i64::MAX);
    let apart_ms = i64::from(app.settings.probe_tick_seconds) * 1000;
    let claimed = app.store.claim(&Claim { id: &id, mark: &mark, now, lease_ms, apart_ms }).await;
    let listing = match claimed {
        Ok(Some(listing)) => listing,
        Ok(None) => return Prepared::Done(Done::NotClaimed),
        Err(error) => {
            tracing::warn!(listing_id = %id, %error, "a due listing was not claimed");
            return Prepared::Done(Done::NotClaimed);
        }
    };
    let subject = match subject(app, &listing) {
        Ok(subject) => subject,
        Err(verdict) => return Prepared::Done(settle(app, listing, *verdict, job, true).await),
    };
    let Some(turn) = hosts.turn(&subject.url).await else {
        return Prepared::Done(give_back(app, &listing).await);
    };
    let preflight = handshake::preflight(&fetcher(app, &listing), &subject, &app.random).await;
    drop(turn);
    match preflight {
        Preflight::Pass(opening) => Prepared::Ready(Box::new((listing, subject, opening))),
        Preflight::Reject(verdict) => Prepared::Done(settle(app, listing, verdict, job, true).await),
    }
}

/// What is to be asked of a listing, or the verdict where nothing can be.
fn subject(app: &App, listing: &Listing) -> Result<Subject, Box<Verdict>> {
    if let Some(obstacle) = listing.obstacle {
        return Err(Box::new(unasked::hindered(obstacle, listing.kind)));
    }
    let url = Target::parse(listing.target(), app.settings.reach())
        .map_err(|error| Box::new(unasked::refused(&error, listing.kind)))?;
    // A Live listing is only ever due for its weekly recheck, whichever job gets to it first.
    let proves_itself = listing.last_ok_at.is_none() || listing.lane == Lane::Active;
    let depth = if proves_itself { Depth::Message } else { Depth::Question };
    Ok(Subject { kind: listing.kind, url, depth, last_era: listing.era.clone(), declared: listing.declared })
}

/// The registry asks nothing of its own host, but for its own listings.
fn fetcher(app: &App, listing: &Listing) -> Fetcher {
    if own::is(app, &listing.id) { app.fetcher.without_own_host_rule() } else { app.fetcher.clone() }
}

/// Judges a verdict and writes it down, and tells the bus where the lane changed.
async fn settle(app: &App, before: Listing, verdict: Verdict, job: Job, rejected: bool) -> Done {
    match judge_and_record(app, &before, verdict, job, rejected).await {
        Ok(Some(outcome)) if rejected => Done::Rejected(before.id, outcome),
        Ok(Some(outcome)) => Done::Probed(before.id, outcome),
        Ok(None) => Done::NotClaimed,
        Err(error) => {
            tracing::warn!(listing_id = %before.id, %error, "a verdict was not recorded; its lease will run out");
            Done::Unrecorded
        }
    }
}

async fn judge_and_record(
    app: &App,
    before: &Listing,
    verdict: Verdict,
    job: Job,
    rejected: bool,
) -> Result<Option<Handshake>, StoreError> {
    let examined = examine::listed(app, before, verdict).await?;
    let judgement = judgement(app, before, &examined, job, rejected);
    let recorded = app.store.record(&judgement).await?;
    let judgement = match recorded {
        Recorded::Written => judgement,
        Recorded::LeaseLost => return Ok(None),
        Recorded::EndpointHeld => {
            let endpoint = judgement.after.endpoint.clone().unwrap_or_default();
            let holder = app.store.endpoint_holder(&endpoint, &before.id).await?;
            let holder = holder.map_or_else(|| "another listing".to_owned(), |id| id.to_string());
            let examined = examine::held_by(app, before, examined.evidence.verdict, holder);
            let judgement = self::judgement(app, before, &examined, job, rejected);
            if app.store.record(&judgement).await? != Recorded::Written {
                return Ok(None);
            }
            judgement
        }
    };
    announce(app, &judgement).await;
    Ok(Some(judgement.record.handshake))
}

fn judgement(
    app: &App,
    before: &Listing,
    examined: &Examined,
    job: Job,
    preflight_reject: bool,
) -> Judgement {
    let evidence = &examined.evidence;
    let after = judge::judge(before, evidence, examined.clean, job, &app.settings);
    let verdict = &evidence.verdict;
    let record = ProbeRecord {
        id: before.id.clone(),
        kind: after.shown_kind(),
        target: verdict.facts.endpoint.clone().unwrap_or_else(|| before.target().to_owned()),
        ok: verdict.handshake == Handshake::Ok,
        latency_ms: verdict.latency_ms,
        score: evidence.score.value,
        signals: verdict.signals.clone(),
        handshake: verdict.handshake,
        protocol_hints: verdict.protocol_hints.clone(),
        probed_at: evidence.probed_at,
        reason: judge::reasons(evidence).into_iter().next().map(|reason| reason.reason),
    };
    let news = news(before, &after, &record, evidence.probed_at);
    let recheck = before.lane == Lane::Active;
    let evidence = evidence.clone();
    Judgement { before: before.clone(), after, evidence, record, preflight_reject, recheck, news }
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
    let (listing_id, name) = (after.id.clone(), after.name.clone());
    Some(FeedItem { what: what.to_owned(), at, listing_id, kind: after.kind, name, text })
}

async fn announce(app: &App, judgement: &Judgement) {
    let after = &judgement.after;
    let what = match (judgement.change(), after.lane) {
        (Change::Risen, _) => What::Live,
        (Change::Fallen, _) => What::Demoted,
        (_, Lane::NeedsFix) if judgement.before.lane != Lane::NeedsFix => What::NeedsFix,
        _ => return,
    };
    let kind: Option<Kind> = after.kind;
    let event = Event { what, listing_id: after.id.clone(), kind, at: judgement.record.probed_at };
    app.bus.send(&event).await;
}

/// Turns at strangers' hosts, so that many listings at one host do not add up to a flood.
struct Hosts {
    turns: std::sync::Mutex<HashMap<String, Arc<Semaphore>>>,
    until: tokio::time::Instant,
}

impl Hosts {
    fn until(until: tokio::time::Instant) -> Self {
        Self { turns: std::sync::Mutex::default(), until }
    }

    /// A turn at a host; none when it comes too late.
    async fn turn(&self, url: &Target) -> Option<tokio::sync::OwnedSemaphorePermit> {
        let host = {
            let mut hosts = self.turns.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            Arc::clone(hosts.entry(url.origin()).or_insert_with(|| Arc::new(Semaphore::new(PER_HOST))))
        };
        tokio::time::timeout_at(self.until, host.acquire_owned()).await.ok()?.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::probe::fetch::Reach;

    #[tokio::test(start_paused = true)]
    async fn whoever_waits_too_long_at_a_slow_host_gets_no_turn() {
        let began = tokio::time::Instant::now();
        let hosts = Hosts::until(began + TURNS);
        let at = |url: &str| Target::parse(url, Reach::Public).unwrap();
        let (slow, other) = (at("https://slow.example.org/a"), at("https://other.example.org/"));
        let mut held = Vec::new();
        for _ in 0..PER_HOST {
            held.push(hosts.turn(&slow).await.unwrap());
        }
        assert!(hosts.turn(&other).await.is_some(), "others do not wait with it");
        assert_eq!(began.elapsed(), Duration::ZERO);
        let next = async {
            tokio::time::sleep(TURNS / 2).await;
            held.pop();
        };
        let (second, ()) = tokio::join!(hosts.turn(&slow), next);
        assert!(second.is_some() && began.elapsed() < TURNS, "a turn that comes in time is taken");
        assert!(hosts.turn(&slow).await.is_none());
        assert_eq!(began.elapsed(), TURNS);
    }
}
