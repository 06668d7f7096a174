//! Leaving something at a listing: a trace, an endorsement, a use together. All three read what is there by one batch, decide
//! what counts, and write the mark with what it deposits in one transaction.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use registry_app::App;
use registry_app::talk::public_text;
use registry_app::trails::{CONTAGION, is_itself, source_digest};
use registry_domain::views::NextStep;
use registry_domain::views::trail::{MarkRow, TrailRow};
use registry_model::error::Problem;
use registry_model::{
    Amounts, Caller, LimitedAction, Listing, ListingId, MarkKind, Moment, Trail, TrailEvent, TrailMark,
};
use registry_store::{Deposit, Edge, Found, NewTrace, TraceOutcome, TraceSource, UsedWith, Wanted};

/// The path of the family.
pub(crate) const PATH: &str = "/api/products/stigmergy";

const LONGEST_FROM: usize = 120;
const LONGEST_BODY: usize = 2000;
/// How much stronger a use makes a composition: as much as it attracts.
const EDGE_STRENGTH: f64 = 4.0;
/// How often a transaction is begun anew where somebody was quicker.
const ATTEMPTS: u32 = 4;

/// What is to be left.
#[derive(Debug)]
pub(crate) struct Trace {
    /// The listing as the caller wrote it.
    pub(super) listing_id: String,
    /// The listing that was used with it.
    pub(super) listing_b: Option<String>,
    /// What leaves it.
    pub(super) event: TrailEvent,
    /// What it deposits at the listing.
    pub(super) amounts: Amounts,
    pub(super) kind: MarkKind,
    pub(super) intensity: u8,
    pub(super) from: String,
    pub(super) body: String,
    pub(super) tags: Vec<String>,
    /// For how long the same of the same source adds nothing more.
    pub(super) anew_after: jiff::SignedDuration,
}

/// What was left.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    listing_id: ListingId,
    /// The mark; it stays until it has decayed.
    mark: MarkRow,
    /// Whether it added to the trail of the listing.
    counted: bool,
    /// Why it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_counted_because: Option<&'static str>,
    /// The trail of the listing with it.
    trail: TrailRow,
    /// How to read it again.
    next: NextStep,
}

impl Answer {
    /// Whether it added to the trail of the listing.
    pub(crate) const fn is_counted(&self) -> bool {
        self.counted
    }
}

/// Who leaves it, as they say.
pub(crate) fn from(given: Option<&str>) -> Result<String, Problem> {
    match given.map(str::trim) {
        None | Some("") => Ok("anonymous".to_owned()),
        Some(from) => {
            let from = registry_formats::argument_text::line("from", from, LONGEST_FROM)?;
            public_text("from", &from, LONGEST_FROM)
        }
    }
}

/// What they say.
pub(crate) fn body(given: Option<&str>) -> Result<String, Problem> {
    match given.map(str::trim) {
        None | Some("") => Ok(String::new()),
        Some(body) => public_text("body", body, LONGEST_BODY),
    }
}

/// Leaves it.
pub(crate) async fn leave(app: &App, caller: &Caller, trace: Trace) -> Result<Answer, Problem> {
    let id = parsed(&trace.listing_id)?;
    let other = trace.listing_b.as_deref().map(parsed).transpose()?;
    let now = app.clock.now();
    let act = trace.event.as_str();
    let mut taken_as_repeated = false;
    for _ in 0..ATTEMPTS {
        let neighbours = neighbours(app, &id, other.as_ref(), now).await?;
        let listing_ids: Vec<&ListingId> = std::iter::once(&id).chain(&other).collect();
        let what = other.as_ref().map_or(act, ListingId::as_str);
        let digest = source_digest(caller, &id, what);
        let wanted = Wanted {
            trails: listing_ids.iter().copied().chain(&neighbours).collect(),
            listings: listing_ids.iter().copied().chain(&neighbours).collect(),
            pair: other.as_ref().map(|other| (&id, other)),
            source: Some((&id, act, &digest)),
            with_totals: false,
        };
        let found = app.store.trail_facts(&wanted, now).await?;
        let missing = listing_ids.iter().find(|id| !found.listings.contains_key(*id));
        if let Some(missing) = missing {
            return Err(Problem::listing_not_found(missing.as_str()));
        }
        let is_own =
            listing_ids.iter().any(|id| found.listings.get(*id).is_some_and(|l| is_itself(&trace.from, l)));
        let why = not_counted(trace.event, is_own, found.is_repeated || taken_as_repeated);
        let deposits = deposits(&trace, &id, other.as_ref(), &neighbours, &found, why.is_none());
        let mark = mark(app, &trace, &id, other.as_ref(), now);
        let name = caller.name();
        let source = TraceSource { act, digest: &digest, until: now + trace.anew_after };
        let known = found.edges.first();
        let used_with = other.as_ref().map(|with| UsedWith { with, by: EDGE_STRENGTH, known });
        let new = NewTrace {
            mark: &mark,
            deposits: &deposits,
            source: Some(source).filter(|_| why.is_none()),
            used_with: used_with.filter(|_| why.is_none()),
            act: app.allowance(LimitedAction::Trace, &name, Some(id.as_str())),
        };
        match app.store.leave_trace(&new, now).await? {
            TraceOutcome::Left => return answer(app, &id, mark, why, &found, &deposits, now),
            TraceOutcome::Repeated => taken_as_repeated = true,
            TraceOutcome::Known => {}
            TraceOutcome::Closed => return Err(Problem::listing_not_found(id.as_str())),
            TraceOutcome::UsedUp(used_up) => return Err(used_up.into()),
        }
    }
    Err(Problem::unavailable("the trail of a listing changed again and again while a trace was left"))
}

fn parsed(id: &str) -> Result<ListingId, Problem> {
    id.parse().map_err(|_| Problem::listing_not_found(id))
}

fn mark(app: &App, trace: &Trace, id: &ListingId, other: Option<&ListingId>, now: Moment) -> TrailMark {
    TrailMark {
        id: TrailMark::new_id(&app.random),
        kind: trace.kind,
        listing_id: id.clone(),
        listing_b: other.cloned(),
        from: trace.from.clone(),
        body: trace.body.clone(),
        intensity: trace.intensity,
        at: now,
        tags: trace.tags.clone(),
    }
}

fn not_counted(event: TrailEvent, is_own: bool, is_repeated: bool) -> Option<&'static str> {
    match (is_own, is_repeated, event) {
        (true, ..) => Some("It speaks of itself: `from` is the listing, its name or its domain."),
        (_, true, TrailEvent::Endorse) => Some("This source endorsed the same listing within 30 days."),
        (_, true, TrailEvent::UsedWith) => Some("This source told of the same two listings within 24 hours."),
        (_, true, _) => Some("This source left a trace at the same listing within 24 hours."),
        _ => None,
    }
}

/// The listings that were used with one of the two before, the strongest first.
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
    found: &Found,
    is_counted: bool,
) -> Vec<Deposit> {
    let known = |id: &ListingId| Some(found.trails.get(id).map(Trail::values).unwrap_or_default());
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
    found: &Found,
    deposits: &[Deposit],
    now: Moment,
) -> Result<Answer, Problem> {
    let listing: &Listing = found.listings.get(id).ok_or_else(|| Problem::listing_not_found(id.as_str()))?;
    let mut trail = found.trails.get(id).cloned().unwrap_or_default();
    for deposit in deposits.iter().filter(|deposit| deposit.listing == *id) {
        trail.add(deposit.event, deposit.times, deposit.amounts);
        trail.marks += u32::from(deposit.with_mark);
    }
    let url = app.settings.url(&format!("{PATH}?action=sense&listing_id={id}"));
    Ok(Answer {
        ok: true,
        version: registry_app::trails::VERSION,
        listing_id: id.clone(),
        mark: MarkRow::of(mark, now),
        counted: why.is_none(),
        not_counted_because: why,
        trail: TrailRow::of(listing, &trail),
        next: NextStep::get(
            "sense_traces",
            url,
            json!({ "listing_id": id }),
            "Reads the trail, the marks and the compositions of this listing.",
        ),
    })
}
