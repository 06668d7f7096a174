//! A sweep: a run over the due listings. Each listing goes through the preflight, the budget, and the probe.
//! Each step may safely run twice: a claim is a conditional write, and a result is written only if its claim
//! is still valid. If the process dies, the listing is due again when its lease ends.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};
use jiff::SignedDuration;
use serde::Serialize;
use tokio::sync::OnceCell;
use tokio::time::Instant;

use super::due_queue::{DueListing, DueQueue, budget_share};
use super::handshake::{self, Depth, Findings, PreflightResult, Slots, Subject};
use super::packages;
use super::record;
use super::transition::{Job, is_light_enough, renewable_until};
use crate::reasons::{ConnectError, ProbeFault, Stage};
use crate::withdrawal::withdraw_blocked;
use registry_app::App;
use registry_fetch::{Answer, Target};
use registry_model::metrics::Metric;
use registry_model::{
    Amounts, BlockedHost, BlockedHosts, Handshake, HostName, Kind, Listing, ListingId, Obstacle, Reach,
    Verdict,
};
use registry_store::{Caps, Claim, Share, StoreError};

/// Each probe may keep a tool list of 1 MiB, and a sweep must stay under 128 MB.
pub(super) const MAX_CONCURRENT: usize = 64;
/// A listing that waits longer for a slot at a slow host is released, so that a tick ends within the time of its function.
const MAX_SLOT_WAIT: Duration = Duration::from_secs(15);
/// How long a listing stays claimed if the worker crashes: several times the duration of the longest probe.
pub const LEASE: Duration = Duration::from_secs(60);
/// The longest pause of a listing whose claims end without a result: a second try fits in before its proof expires.
const MAX_CLAIM_PAUSE: SignedDuration = SignedDuration::from_hours(6);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SweepReport {
    pub claimed: u32,
    pub rejected: u32,
    pub probed: u32,
    pub ok: u32,
    /// Of these, the old proofs that the tick renewed because it had budget to spare.
    #[serde(skip_serializing_if = "registry_model::is_zero")]
    pub renewed: u32,
    /// The budget was used up, or the host was too slow for all its listings.
    pub released: u32,
    pub unrecorded: u32,
}

impl SweepReport {
    pub fn metrics(&self) -> [(Metric, i64); 4] {
        [
            (Metric::ProbesOk, self.ok.into()),
            (Metric::ProbesNotOk, self.probed.saturating_sub(self.ok).into()),
            (Metric::PreflightRejects, self.rejected.into()),
            (Metric::VerdictsUnrecorded, self.unrecorded.into()),
        ]
    }

    pub(super) fn add_renewals(&mut self, other: Self) {
        self.renewed += other.ok;
        self.claimed += other.claimed;
        self.rejected += other.rejected;
        self.probed += other.probed;
        self.ok += other.ok;
        self.released += other.released;
        self.unrecorded += other.unrecorded;
    }

    fn count(&mut self, done: &ProbeOutcome) {
        match done {
            ProbeOutcome::NotClaimed => return,
            ProbeOutcome::Released => self.released += 1,
            ProbeOutcome::Unrecorded => self.unrecorded += 1,
            ProbeOutcome::Rejected => self.rejected += 1,
            ProbeOutcome::Probed(outcome) => {
                self.probed += 1;
                self.ok += u32::from(*outcome == Handshake::Ok);
            }
        }
        self.claimed += 1;
    }
}

enum ProbeOutcome {
    NotClaimed,
    Released,
    Unrecorded,
    Rejected,
    Probed(Handshake),
}

struct Ready {
    listing: Listing,
    subject: Subject,
    card: Option<Answer>,
    slot_until: Instant,
}

/// The outcome of a listing that needs no handshake.
type Prepared = Result<Box<Ready>, ProbeOutcome>;

#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) probes: u32,
    /// The budget from which probes are taken.
    pub(super) caps: Caps,
    /// Whether the part of the budget for unproven listings is used up already.
    pub(super) skips_unproven: bool,
    pub(super) taking: Duration,
}

/// The listings that a sweep skips, because their part of the budget is used up. They stay in the queue.
#[derive(Debug)]
struct Skipped {
    unproven: bool,
    domains: HashSet<String>,
}

impl Skipped {
    fn covers(&self, share: &Share) -> bool {
        (self.unproven && share.is_unproven)
            || share.domain.as_ref().is_some_and(|domain| self.domains.contains(domain))
    }

    /// Skips the part from which a probe was refused. False if nothing is left for any listing.
    async fn skip(&mut self, app: &App, caps: Caps, share: &Share) -> bool {
        let Ok(budget) = app.store.budget(app.clock.now()).await else { return false };
        if share.is_unproven && budget.left(caps, true) == 0 {
            self.unproven = true;
        } else {
            self.domains.extend(share.domain.clone());
        }
        budget.left(caps, false) > 0 && self.covers(share)
    }
}

/// Takes due listings through preflight, budget and probe, and starts new ones as others finish. No listing waits
/// for another's preflight: budget is requested for all that passed at the same moment. On an error of the table,
/// listings in progress are finished first.
pub(super) async fn sweep(
    app: &App,
    queue: DueQueue,
    job: Job,
    limits: &Limits,
) -> Result<SweepReport, StoreError> {
    let began = Instant::now();
    // Read for the first listing: an empty sweep does not need it.
    let blocked = OnceCell::new();
    let mut report = SweepReport::default();
    let mut skipped = Skipped { unproven: limits.skips_unproven, domains: HashSet::new() };
    let (mut preparing, mut probing) = (FuturesUnordered::new(), FuturesUnordered::new());
    // The queue is read concurrently with the probes, so that a slow table does not delay them.
    let (mut resting, mut reading) = (Some(queue), None);
    let (mut done, mut dry, mut failure) = (Vec::new(), false, None);
    let mut ended = false;
    loop {
        if let Some(queue) = &mut resting {
            dry &= done.is_empty();
            done.drain(..).for_each(|entry| queue.done(&entry));
        }
        ended |= began.elapsed() >= limits.taking;
        let under_way = preparing.len() + probing.len();
        let requested = report.probed.saturating_add(u32::try_from(under_way).unwrap_or(u32::MAX));
        if !ended
            && !dry
            && under_way < MAX_CONCURRENT
            && requested < limits.probes
            && let Some(queue) = resting.take()
        {
            reading = Some(Box::pin(next(app, queue)));
        }
        tokio::select! {
            Some((queue, next)) = async { Some(reading.as_mut()?.await) } => {
                (resting, reading) = (Some(queue), None);
                match next {
                    Ok(Some(entry)) if skipped.covers(&entry.share) => done.push(entry),
                    Ok(Some(entry)) => {
                        preparing.push(prepare(app, entry, job, &blocked));
                    }
                    Ok(None) => dry = true,
                    Err(error) => (ended, failure) = (true, Some(error)),
                }
            }
            Some(first) = preparing.next() => {
                let mut ready = BTreeMap::<Share, Vec<_>>::new();
                let mut passed = Some(first);
                while let Some((entry, prepared)) = passed {
                    match prepared {
                        Err(one) => {
                            report.count(&one);
                            done.push(entry);
                        }
                        Ok(one) => {
                            ready.entry(budget_share(&one.listing)).or_default().push((entry, *one));
                        }
                    }
                    passed = preparing.next().now_or_never().flatten();
                }
                for (share, mut ready) in ready {
                    let granted = granted(app, job, limits.caps, &share, ready.len()).await;
                    let refused = ready.split_off(granted);
                    ended |= !refused.is_empty() && !skipped.skip(app, limits.caps, &share).await;
                    for (entry, one) in refused {
                        report.count(&release(app, &one.listing).await);
                        done.push(entry);
                    }
                    probing.extend(ready.into_iter().map(|(entry, one)| probe(app, entry, one, job, &blocked)));
                }
            }
            Some((entry, one)) = probing.next() => {
                report.count(&one);
                done.push(entry);
            }
            else => break,
        }
    }
    app.release_host_slots().await;
    let unsigned = app.message_signer.take_unsigned();
    if unsigned > 0 {
        tracing::warn!(unsigned, "requests of probes were sent without a signature");
    }
    failure.map_or(Ok(report), Err)
}

async fn next(app: &App, mut queue: DueQueue) -> (DueQueue, Result<Option<DueListing>, StoreError>) {
    let next = queue.take(app).await;
    (queue, next)
}

/// How many of `requested` probes the budget allows; 0 if the table is busy.
async fn granted(app: &App, job: Job, caps: Caps, share: &Share, requested: usize) -> usize {
    if requested == 0 || job == Job::Recheck {
        return requested;
    }
    let requested = u32::try_from(requested).unwrap_or(u32::MAX);
    match app.store.take_probes(requested, share, caps, app.clock.now()).await {
        Ok(granted) => granted as usize,
        Err(error) => {
            tracing::warn!(%error, "failed to read the probe budget; releasing the claimed listings");
            0
        }
    }
}

async fn release(app: &App, listing: &Listing) -> ProbeOutcome {
    // If the table is busy, the listing waits for the end of its lease, and the sweep goes on.
    if let Err(error) = app.store.release(listing, app.clock.now()).await {
        tracing::warn!(listing_id = %listing.id, %error, "failed to release a listing; it is due again when \
            its lease ends");
    }
    ProbeOutcome::Released
}

async fn withdraw(app: &App, listing: &Listing, block: &BlockedHost) -> ProbeOutcome {
    if let Err(error) = withdraw_blocked(app, listing, block).await {
        tracing::warn!(listing_id = %listing.id, %error, "failed to withdraw a listing at a blocked host");
        return ProbeOutcome::Unrecorded;
    }
    ProbeOutcome::NotClaimed
}

async fn probe(
    app: &App,
    entry: DueListing,
    ready: Ready,
    job: Job,
    blocked: &OnceCell<BlockedHosts>,
) -> (DueListing, ProbeOutcome) {
    let Ready { listing, subject, card, slot_until } = ready;
    let slots = Slots { app, until: slot_until };
    let fetcher = app.signing_fetcher_for(&listing.id);
    let outcome = match handshake::probe_in_sweep(&fetcher, &subject, card, &app.random, slots).await {
        Some(verdict) => {
            // Its card or its sign-in may lead to a blocked host.
            let facts = &verdict.facts;
            let issuer = facts.sign_in.as_ref().map(|sign_in| &sign_in.issuer);
            let urls = [facts.endpoint.as_ref(), facts.card_url.as_ref(), issuer].into_iter().flatten();
            let hosts: Vec<HostName> = urls.filter_map(|url| HostName::of_url(url)).collect();
            match blocked.get().and_then(|blocked| blocked.covering(&hosts)) {
                Some(block) => withdraw(app, &listing, block).await,
                None => conclude(app, listing, verdict, job, false, entry.trail).await,
            }
        }
        None => release(app, &listing).await,
    };
    (entry, outcome)
}

async fn prepare(
    app: &App,
    entry: DueListing,
    job: Job,
    blocked: &OnceCell<BlockedHosts>,
) -> (DueListing, Prepared) {
    let prepared = match claim(app, &entry.id).await {
        Some(listing) => match blocked.get_or_try_init(|| app.store.blocked_hosts()).await {
            Ok(blocked) => match blocked.covering(&listing.hosts()) {
                Some(block) => Err(withdraw(app, &listing, block).await),
                None => preflight(app, listing, entry.trail, job).await,
            },
            Err(error) => {
                tracing::warn!(%error, "failed to read the blocked hosts; the listing is due again when its \
                    lease ends");
                Err(ProbeOutcome::Unrecorded)
            }
        },
        None => Err(ProbeOutcome::NotClaimed),
    };
    (entry, prepared)
}

/// `None` if the listing is not to be probed now. A listing that was claimed before without a verdict is first
/// postponed, longer each time, because it may have crashed the process and could crash the next one.
async fn claim(app: &App, id: &ListingId) -> Option<Listing> {
    let now = app.clock.now();
    let mark = app.random.hex(8);
    let lease_ms = i64::try_from(LEASE.as_millis()).unwrap_or(i64::MAX);
    let min_interval_ms = i64::from(app.settings.probe_tick_seconds) * 1000;
    // A listing that is published again is probed earlier (`at_once`).
    let live_due = renewable_until(now, &app.settings);
    let claim = Claim { id, mark: &mark, now, lease_ms, min_interval_ms, live_due };
    let claimed = async {
        let claimed = app.store.claim(&claim).await?;
        match claimed {
            Some(listing) if listing.schedule.lease.attempts > 1 => {
                let until = now + pause_after(listing.schedule.lease.attempts);
                Ok(app.store.postpone(&listing, until).await?.then_some(listing))
            }
            claimed => Ok(claimed),
        }
    };
    claimed.await.unwrap_or_else(|error: StoreError| {
        tracing::warn!(listing_id = %id, %error, "failed to claim a due listing");
        None
    })
}

/// The pause in case the `attempts`-th claim ends without a verdict too.
fn pause_after(attempts: u32) -> SignedDuration {
    let lease = SignedDuration::try_from(LEASE).unwrap_or(SignedDuration::from_mins(1));
    lease.saturating_mul(1 << attempts.saturating_sub(1).min(10)).min(MAX_CLAIM_PAUSE)
}

async fn preflight(app: &App, listing: Listing, trail: Option<Amounts>, job: Job) -> Prepared {
    if listing.obstacle == Some(Obstacle::StdioOnly) {
        return match packages::check(app, &listing).await {
            Ok(verdict) => Err(conclude(app, listing, verdict, job, true, trail).await),
            Err(_) => Err(release(app, &listing).await),
        };
    }
    let subject = match subject(app, &listing, job) {
        Ok(subject) => subject,
        Err(verdict) => return Err(conclude(app, listing, *verdict, job, true, trail).await),
    };
    let slot_until = Instant::now() + MAX_SLOT_WAIT;
    let Some(slot) = app.host_slot(&subject.url, slot_until).await else {
        return Err(release(app, &listing).await);
    };
    let preflight = handshake::preflight(&app.signing_fetcher_for(&listing.id), &subject).await;
    drop(slot);
    match preflight {
        PreflightResult::Pass { card } => Ok(Box::new(Ready { listing, subject, card, slot_until })),
        PreflightResult::Reject(verdict) => Err(conclude(app, listing, verdict, job, true, trail).await),
    }
}

/// What to probe, or the verdict if the listing cannot be probed: its server runs on its user's machine, needs a
/// secret, or has an address that is never called.
fn subject(app: &App, listing: &Listing, job: Job) -> Result<Subject, Box<Verdict>> {
    let not_probed = |fault: &ProbeFault, seen: &str| {
        let mut findings = Findings::without_requests(listing.kind);
        findings.fault(fault, seen);
        Box::new(findings.into_verdict())
    };
    if let Some(obstacle) = listing.obstacle {
        let fault = match obstacle {
            Obstacle::StdioOnly => ProbeFault::StdioOnly,
            Obstacle::TemplatedUrl => ProbeFault::Templated,
            Obstacle::NeedsSecret => ProbeFault::NeedsConfig,
        };
        return Err(not_probed(&fault, listing.target()));
    }
    // A URL that was stored under other rules may not be allowed now.
    let reach = app.settings.reach();
    let url = Target::parse(listing.target(), reach).map_err(|error| {
        let fault = ProbeFault::Unreached(Stage::Preflight, ConnectError::Url);
        not_probed(&fault, &error.to_string())
    })?;
    let (kind, url) = place(listing, url, reach);
    // An `ok` makes or keeps the listing Live, so every other probe requires the whole proof, also after a demotion.
    let is_light = job == Job::Renewal && is_light_enough(listing, app.clock.now(), &app.settings);
    Ok(Subject {
        kind,
        is_proven: listing.lane.is_proven(),
        url,
        depth: if is_light { Depth::Question } else { Depth::Message },
        last_era: listing.proof.era.clone(),
        declared: listing.declared,
    })
}

/// The kind to look for at a URL of a listing, and the URL to probe.
pub fn place(listing: &Listing, url: Target, reach: Reach) -> (Option<Kind>, Target) {
    let found = found_at(listing, &url).and_then(|found| Target::parse(found, reach).ok());
    let found = found.filter(|found| found.origin() == url.origin());
    // If the card was found elsewhere on the site and fails, a fixed card may be at another place.
    let is_elsewhere = listing.card_url.as_deref().is_some_and(|card| card != url.as_str());
    let may_move = is_elsewhere && !listing.lane.is_proven();
    let kind = listing.kind.filter(|kind| !(may_move && *kind == Kind::Agent));
    (kind, found.unwrap_or(url))
}

/// Where the last successful probe of a Live or gated listing found the card or the server, if only the site was published.
fn found_at<'l>(listing: &'l Listing, published: &Target) -> Option<&'l str> {
    match listing.kind.filter(|_| listing.lane.is_proven())? {
        Kind::Agent => listing.card_url.as_deref(),
        Kind::Mcp => listing.endpoint.as_deref().filter(|_| published.url().path() == "/"),
    }
}

async fn conclude(
    app: &App,
    before: Listing,
    verdict: Verdict,
    job: Job,
    rejected: bool,
    trail: Option<Amounts>,
) -> ProbeOutcome {
    let (latency_ms, inconclusive) = (verdict.latency_ms, verdict.inconclusive);
    let reason = verdict.reasons.first().map(|reason| reason.code.clone());
    let recorded = record::record(app, &before, verdict, job, rejected, trail).await;
    if let Ok(Some(outcome)) = &recorded {
        let (listing_id, outcome) = (&before.id, outcome.as_str());
        tracing::info!(%listing_id, ?job, outcome, reason, inconclusive, rejected, latency_ms, "probe recorded");
    }
    match recorded {
        Ok(Some(_)) if rejected => ProbeOutcome::Rejected,
        Ok(Some(outcome)) => ProbeOutcome::Probed(outcome),
        Ok(None) => ProbeOutcome::NotClaimed,
        Err(error) => {
            tracing::warn!(listing_id = %before.id, %error, "failed to record a probe result; the listing is \
                due again when its lease ends");
            ProbeOutcome::Unrecorded
        }
    }
}
