//! Stores a trace, an endorsement or a report of use. All three use this code. It reads the facts in one batch and
//! decides whether the mark counts. Then it writes the mark, and what the mark adds to trails, in one transaction.

use super::trail::{MarkRow, TrailRow};
use super::{is_itself, source_digest};
use crate::prelude::*;
use registry_model::{Amounts, MarkKind, TrailEvent, TrailMark};
use registry_store::{Deposit, Edge, NewTrace, TraceOutcome, TraceSource, TrailFacts, TrailQuery, UsedWith};

pub(crate) const PATH: &str = Family::TRAILS.path;

const MAX_FROM_CHARS: usize = 120;
const MAX_BODY_CHARS: usize = 2000;
/// How long another trace of the same source at the same listing, or its report of the same pair, adds nothing. Otherwise
/// one caller with a loop could make any listing the strongest.
const TRACE_INTERVAL: jiff::SignedDuration = jiff::SignedDuration::from_hours(24);
/// If two listings are used together, a small amount is also added to listings that were used with one of the two
/// before. This is the maximum number of such listings; the strongest pairs are chosen first.
const CONTAGION: usize = 8;
/// How much a use strengthens a composition: as much as it adds to attraction.
const EDGE_STRENGTH: f64 = 4.0;
/// How often the transaction is tried when another request changed the same trail.
const MAX_ATTEMPTS: u32 = 4;

pub(crate) struct Trace {
    pub(super) event: TrailEvent,
    /// What it adds to the trail of the listing.
    pub(super) amounts: Amounts,
    pub(super) kind: MarkKind,
    pub(super) intensity: u8,
    pub(super) from: String,
    pub(super) body: String,
    pub(super) tags: Vec<String>,
    /// How long the same source adds nothing more.
    pub(super) repeat_after: jiff::SignedDuration,
}

impl Trace {
    pub(crate) fn new(
        event: TrailEvent,
        intensity: u8,
        from: Option<&str>,
        body: Option<&str>,
    ) -> Result<Self, Problem> {
        let from = optional_line("from", from, MAX_FROM_CHARS)?;
        Ok(Self {
            event,
            amounts: event.amounts(),
            kind: MarkKind::Mark,
            intensity,
            from: from.unwrap_or_else(|| "anonymous".to_owned()),
            body: optional_text("body", body, MAX_BODY_CHARS)?.unwrap_or_default(),
            tags: Vec::new(),
            repeat_after: TRACE_INTERVAL,
        })
    }
}

/// The mark that was left.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    listing_id: ListingId,
    /// The mark. It is shown until its strength has decreased to almost 0.
    mark: MarkRow,
    /// Whether the mark added to the listing's trail.
    counted: bool,
    /// Why the mark did not count. Absent if it counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_counted_because: Option<&'static str>,
    /// The listing's trail, including this mark.
    trail: TrailRow,
    /// The call that returns the mark.
    next: NextStep,
}

/// Leaves a trace at the listing `id`; `other` is the listing that was used with it.
pub(crate) async fn leave(
    app: &App,
    caller: &Caller,
    id: &str,
    other: Option<&str>,
    trace: Trace,
) -> Result<Answer, Problem> {
    let parsed = |id: &str| id.parse().map_err(|_| Problem::listing_not_found(&app.settings.base_url, id));
    let id: ListingId = parsed(id)?;
    let other: Option<ListingId> = other.map(parsed).transpose()?;
    let now = app.clock.now();
    let act = trace.event.as_str();
    let mut is_repeated = false;
    let callers = app.caller_digests(caller).await?;
    // A pair has no order: "A with B" and "B with A" are the same report.
    let (at, what) = match &other {
        Some(other) if *other < id => (other, id.as_str()),
        Some(other) => (&id, other.as_str()),
        None => (&id, act),
    };
    let digests: Vec<String> = callers.iter().map(|caller| source_digest(caller, at, what)).collect();
    let mut allowance = app.allowance(LimitedAction::Trace, &callers.current, Some(id.as_str()));
    for _ in 0..MAX_ATTEMPTS {
        let neighbours = neighbours(app, &id, other.as_ref(), now).await?;
        let listing_ids: Vec<&ListingId> = std::iter::once(&id).chain(&other).collect();
        let wanted = TrailQuery {
            trails: listing_ids.iter().copied().chain(&neighbours).collect(),
            listings: listing_ids.iter().copied().chain(&neighbours).collect(),
            pair: other.as_ref().map(|other| (&id, other)),
            source: Some((at, act, &digests)),
            with_totals: false,
        };
        let found = app.store.trail_facts(&wanted, now).await?;
        let missing = listing_ids.iter().find(|id| !found.listings.contains_key(*id));
        if let Some(missing) = missing {
            return Err(lookup::missing(app, missing.as_str()).await);
        }
        let is_own =
            listing_ids.iter().any(|id| found.listings.get(*id).is_some_and(|l| is_itself(&trace.from, l)));
        let why = not_counted(trace.event, is_own, found.is_repeated || is_repeated);
        let deposits = deposits(&trace, &id, other.as_ref(), &neighbours, &found, why.is_none());
        let mark = TrailMark {
            id: TrailMark::new_id(&app.random),
            kind: trace.kind,
            listing_id: id.clone(),
            listing_b: other.clone(),
            from: trace.from.clone(),
            body: trace.body.clone(),
            intensity: trace.intensity,
            at: now,
            tags: trace.tags.clone(),
        };
        let source = TraceSource { at, act, digest: &digests[0], until: now + trace.repeat_after };
        let known = found.edges.first();
        let used_with = other.as_ref().map(|with| UsedWith { with, by: EDGE_STRENGTH, known });
        let new = NewTrace {
            mark: &mark,
            deposits: &deposits,
            source: Some(source).filter(|_| why.is_none()),
            used_with: used_with.filter(|_| why.is_none()),
            act: allowance.take(),
        };
        match app.store.leave_trace(&new, now).await? {
            TraceOutcome::Left => return answer(app, &id, mark, why, &found, &deposits, now),
            TraceOutcome::Repeated => is_repeated = true,
            TraceOutcome::Known => {}
            TraceOutcome::Closed => return Err(Problem::listing_withdrawn(&app.settings.base_url, &id)),
        }
    }
    Err(Problem::unavailable("the trail of the listing changes too often; the trace was not stored"))
}

fn not_counted(event: TrailEvent, is_own: bool, is_repeated: bool) -> Option<&'static str> {
    match (is_own, is_repeated, event) {
        (true, ..) => Some("`from` is the id, the name or a domain of the listing itself."),
        (_, true, TrailEvent::Endorse) => {
            Some("This source endorsed the same listing within the last 30 days.")
        }
        (_, true, TrailEvent::UsedWith) => {
            Some("This source reported the same two listings within the last 24 hours.")
        }
        (_, true, _) => Some("This source left a trace at the same listing within the last 24 hours."),
        _ => None,
    }
}

/// The listings that were used with either of the two before, strongest first.
async fn neighbours(
    app: &App,
    id: &ListingId,
    other: Option<&ListingId>,
    now: Moment,
) -> Result<Vec<ListingId>, Problem> {
    let Some(other) = other else { return Ok(Vec::new()) };
    let edges = |id| app.store.edges_of(id, CONTAGION + 1, now);
    let (of_one, of_other) = futures::try_join!(edges(id), edges(other))?;
    let ends = |at: &ListingId, edges: Vec<Edge>| {
        edges.into_iter().map(|edge| (edge.other(at).clone(), edge.intensity)).collect::<Vec<_>>()
    };
    let mut all = ends(id, of_one);
    all.extend(ends(other, of_other));
    all.retain(|(end, _)| end != id && end != other);
    all.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let mut neighbours: Vec<ListingId> = Vec::new();
    for (end, _) in all {
        if !neighbours.contains(&end) && neighbours.len() < CONTAGION {
            neighbours.push(end);
        }
    }
    Ok(neighbours)
}

fn deposits(
    trace: &Trace,
    id: &ListingId,
    other: Option<&ListingId>,
    neighbours: &[ListingId],
    found: &TrailFacts,
    is_counted: bool,
) -> Vec<Deposit> {
    let known = |id: &ListingId| Some(found.trails.get(id).map(|trail| trail.values).unwrap_or_default());
    let own =
        Deposit { amounts: trace.amounts, with_mark: true, ..Deposit::of(id, trace.event).on(known(id)) };
    if !is_counted {
        return vec![Deposit { times: 0, amounts: Amounts::NONE, ..own }];
    }
    let mut deposits = vec![own];
    if let Some(other) = other {
        let deposit = Deposit::of(other, trace.event).on(known(other));
        deposits.push(Deposit { counted_elsewhere: true, ..deposit });
        let there = neighbours.iter().filter(|id| found.listings.contains_key(*id));
        deposits.extend(there.map(|id| Deposit::of(id, TrailEvent::Contagion).on(known(id))));
    }
    deposits
}

fn answer(
    app: &App,
    id: &ListingId,
    mark: TrailMark,
    why: Option<&'static str>,
    found: &TrailFacts,
    deposits: &[Deposit],
    now: Moment,
) -> Result<Answer, Problem> {
    let missing = || Problem::listing_not_found(&app.settings.base_url, id.as_str());
    let listing = found.listings.get(id).ok_or_else(missing)?;
    let mut trail = found.trails.get(id).cloned().unwrap_or_default();
    for deposit in deposits.iter().filter(|deposit| deposit.listing == *id) {
        trail.add(deposit.event, deposit.times, deposit.amounts);
        trail.marks += u32::from(deposit.with_mark);
    }
    Ok(Answer {
        listing_id: id.clone(),
        mark: MarkRow::of(mark, now),
        counted: why.is_none(),
        not_counted_because: why,
        trail: TrailRow::of(listing, &trail, app.oldest_proof()),
        next: sense_step(app, id, "Read the trail, marks and compositions of this listing."),
    })
}

pub(super) fn sense_step(app: &App, id: &ListingId, note: &str) -> NextStep {
    let body = json!({ "action": "sense_traces", "listing_id": id });
    NextStep::post("sense_traces", app.settings.url(PATH), body, note)
}
