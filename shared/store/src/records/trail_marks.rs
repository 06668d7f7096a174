//! Marks: texts that callers leave at a listing. A mark and the amounts that it adds to the trail (deposits)
//! are written in one transaction. Marks are read for one listing or for all listings, the newest first. The
//! source of a recent deposit is stored as a digest. If the same source repeats the deposit, the mark is
//! written, but nothing is added to the trail.

use super::listing_items::not_withdrawn;
use super::trail_edges::{self, Edge, strengthen};
use super::trails::{TRAIL, trail_of};
use crate::prelude::*;
use registry_model::{Trail, TrailMark};

/// A mark at a listing, by time.
pub(super) const MARK: Record<TrailMark> = Record::new(TRAIL.prefix, "MARK#", "mark");
/// Exists where a source, known by a digest, recently deposited at a listing.
pub(super) const SOURCE: KeyPattern = KeyPattern::new("TRACED#", "");

/// The index partition of all marks by time.
const ALL: &str = "MARKS";

#[derive(Clone, Debug)]
pub struct NewTrace<'a> {
    pub mark: &'a TrailMark,
    /// A deposit with 0 times only counts the mark.
    pub deposits: &'a [Deposit],
    /// The source, which may not repeat the deposit for some time; `None` if nothing is added.
    pub source: Option<TraceSource<'a>>,
    /// The second listing, where two were used together.
    pub used_with: Option<UsedWith<'a>>,
    pub act: Act<'a>,
}

#[derive(Clone, Copy, Debug)]
pub struct TraceSource<'a> {
    /// The listing under which it is stored.
    pub at: &'a ListingId,
    pub act: &'a str,
    pub digest: &'a str,
    /// Until this time, the same act adds nothing.
    pub until: Moment,
}

#[derive(Clone, Copy, Debug)]
pub struct UsedWith<'a> {
    pub with: &'a ListingId,
    /// How much this strengthens their edge.
    pub by: f64,
    pub known: Option<&'a Edge>,
}

/// How leaving a mark ended. Nothing is written unless it was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceOutcome {
    Left,
    Repeated,
    /// The edge was created since it was read.
    Known,
    /// A listing is withdrawn or deleted.
    Closed,
}

/// The item that remembers a source.
pub(super) fn source_of(id: &ListingId, act: &str, digest: &str) -> Key {
    SOURCE.one_of(id, format_args!("{act}#{digest}"))
}

fn to_item(mark: &TrailMark) -> Result<Item> {
    let [pk, sk] = table::SHOWN.key;
    let time = key::at(mark.at, &mark.id);
    let key = MARK.one_of(&mark.listing_id, &time);
    Ok(key.with([(pk, s(ALL)), (sk, s(time)), MARK.value(mark)?, ttl(mark.gone_at(), 1)]))
}

/// Marks that have not decayed completely: DynamoDB removes expired items with a delay.
fn marks_of(items: &[Item], now: Moment) -> Result<Vec<TrailMark>> {
    let mut marks = MARK.read_all(items)?;
    marks.retain(|mark| mark.strength(now) > 0.0);
    Ok(marks)
}

impl Store {
    pub async fn leave_trace(&self, trace: &NewTrace<'_>, now: Moment) -> Result<TraceOutcome> {
        self.count_allowed(trace.act, now).await?;
        let mark = trace.mark;
        let mut transaction = Transaction::default();
        let both = std::iter::once(&mark.listing_id).chain(trace.used_with.map(|used| used.with));
        for id in both {
            transaction.check(LISTING.of(id), not_withdrawn());
        }
        transaction.put(to_item(mark)?);
        let source = trace.source.map(|source| {
            let change = Expression::default().set("until", ms(source.until)).expires(source.until, 1);
            let change = change.if_missing_or("until", "<=", ms(now));
            transaction.update(source_of(source.at, source.act, source.digest), change)
        });
        if let Some(used) = trace.used_with.filter(|used| used.known.is_none()) {
            for edge in self.surplus_edges((&mark.listing_id, used.with), now).await? {
                trail_edges::remove(&mut transaction, &edge);
            }
        }
        let edge = trace.used_with.map(|used| {
            strengthen(&mut transaction, (&mark.listing_id, used.with), used.by, used.known, now)
        });
        let is_new_pair =
            trace.used_with.is_some_and(|used| used.known.as_ref().is_none_or(|edge| edge.count == 0));
        deposits::add_with_pairs(&mut transaction, trace.deposits, u32::from(is_new_pair), now);
        Ok(match self.transact(transaction).await? {
            Outcome::Written => TraceOutcome::Left,
            Outcome::Refused(refused) => {
                if source.is_some_and(|write| refused.includes(write)) {
                    TraceOutcome::Repeated
                } else if edge.is_some_and(|write| refused.includes(write)) {
                    TraceOutcome::Known
                } else {
                    TraceOutcome::Closed
                }
            }
        })
    }

    /// The trail of a listing, where it has one, and its marks, the newest first; by one query.
    pub async fn traces_at(
        &self,
        id: &ListingId,
        limit: usize,
        now: Moment,
    ) -> Result<(Option<Trail>, Vec<TrailMark>)> {
        let range = Range::From(MARK.sort.to_owned());
        let query = Query::of(TRAIL.partition(id)).range(range).descending().limit(limit + 1);
        let mut items = self.query(query).await?.items;
        let trail = items.first().filter(|item| TRAIL.matches(item)).map(|item| trail_of(item, now));
        items.retain(|item| text(item, "sk") != TRAIL.sort);
        items.truncate(limit);
        Ok((trail, marks_of(&items, now)?))
    }

    /// The latest marks at all listings, the newest first.
    pub async fn latest_marks(&self, limit: usize, now: Moment) -> Result<Vec<TrailMark>> {
        let query = Query::of(ALL).index(table::SHOWN).descending().limit(limit);
        marks_of(&self.query(query).await?.items, now)
    }
}
