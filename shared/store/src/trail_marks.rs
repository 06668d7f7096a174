//! Marks: left with what they deposit in one transaction, read the newest first by listing and over all. A source that
//! deposited of late is remembered by a digest, so that saying the same again leaves a mark and adds nothing.

use super::attributes::{Item, n, s, text};
use super::client::Store;
use super::deposit::Deposit;
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use super::rates::{Allowance, UsedUp};
use super::table;
use super::trail_edges::Edge;
use super::trails::trail_of;
use super::transaction::{Outcome, Transaction};
use registry_model::{ListingId, Moment, Trail, TrailMark};

/// All marks by time.
const ALL: &str = "MARKS";

/// What somebody leaves.
#[derive(Clone, Debug)]
pub struct NewTrace<'a> {
    /// The mark.
    pub mark: &'a TrailMark,
    /// What it deposits; one without times only counts the mark.
    pub deposits: &'a [Deposit],
    /// Who may not deposit the same again for a while; none where nothing is added.
    pub source: Option<TraceSource<'a>>,
    /// That its two listings were used together, with what was read of that before.
    pub used_with: Option<UsedWith<'a>>,
    /// Whose allowance it counts against.
    pub act: Option<Allowance<'a>>,
}

/// Who leaves something.
#[derive(Clone, Copy, Debug)]
pub struct TraceSource<'a> {
    /// What is done.
    pub act: &'a str,
    /// A digest of who does it.
    pub digest: &'a str,
    /// Until when the same adds nothing.
    pub until: Moment,
}

/// Two listings that were used together.
#[derive(Clone, Copy, Debug)]
pub struct UsedWith<'a> {
    /// The other listing.
    pub with: &'a ListingId,
    /// How much stronger that makes their composition.
    pub by: f64,
    /// What was read of it before.
    pub known: Option<&'a Edge>,
}

/// How leaving a trace ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceOutcome {
    /// It was left.
    Left,
    /// This source added the same of late; nothing was written.
    Repeated,
    /// The composition is there already; nothing was written.
    Known,
    /// A listing is withdrawn or gone; nothing was written.
    Closed,
    /// An allowance is used up; nothing was written.
    UsedUp(UsedUp),
}

fn to_item(mark: &TrailMark) -> Result<Item, StoreError> {
    let mut item = keys::mark(&mark.listing_id, mark.at, &mark.id).item();
    let [pk, sk] = table::SHOWN.key;
    item.insert(pk.to_owned(), s(ALL));
    item.insert(sk.to_owned(), s(keys::at(mark.at, &mark.id)));
    item.insert("mark".to_owned(), s(serde_json::to_string(mark)?));
    item.insert("ttl".to_owned(), n(mark.gone_at().as_second() + 1));
    Ok(item)
}

/// Marks of which something is left: expired items are taken away in DynamoDB's own time.
fn marks_of(items: &[Item], now: Moment) -> Result<Vec<TrailMark>, StoreError> {
    let marks = items.iter().map(|item| Ok(serde_json::from_str::<TrailMark>(text(item, "mark"))?));
    let marks: Vec<TrailMark> = marks.collect::<Result<_, StoreError>>()?;
    Ok(marks.into_iter().filter(|mark| mark.strength(now) > 0.0).collect())
}

impl Store {
    /// Leaves a mark with what it deposits.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
    pub async fn leave_trace(&self, trace: &NewTrace<'_>, now: Moment) -> Result<TraceOutcome, StoreError> {
        let mark = trace.mark;
        let mut transaction = Transaction::default();
        let open = || {
            let withdrawn = [(":withdrawn", s("withdrawn"))];
            Expression::default().only_if("attribute_exists(pk) AND lane <> :withdrawn", [], withdrawn)
        };
        let both = std::iter::once(&mark.listing_id).chain(trace.used_with.map(|used| used.with));
        for id in both {
            self.check(&mut transaction, &keys::listing(id), &open())?;
        }
        self.put(&mut transaction, to_item(mark)?, None)?;
        let source_at = match &trace.source {
            None => None,
            Some(source) => {
                let key = keys::trace_source(&mark.listing_id, source.act, source.digest);
                let noted = Expression::default()
                    .set("until", n(source.until.as_millisecond()))
                    .set("ttl", n(source.until.as_second() + 1))
                    .only_if(
                        "attribute_not_exists(#until) OR #until <= :now",
                        [("#until", "until")],
                        [(":now", n(now.as_millisecond()))],
                    );
                self.update(&mut transaction, &key, &noted)?;
                Some(transaction.len() - 1)
            }
        };
        let edge_at = match &trace.used_with {
            None => None,
            Some(used) => {
                let pair = (&mark.listing_id, used.with);
                Some(self.strengthen(&mut transaction, pair, used.by, used.known, now)?)
            }
        };
        let is_new_pair =
            trace.used_with.is_some_and(|used| used.known.as_ref().is_none_or(|edge| edge.count == 0));
        self.deposit_all_with(&mut transaction, trace.deposits, u32::from(is_new_pair), now)?;
        let counted = trace.act.as_ref().map(|act| self.allow(&mut transaction, act, now)).transpose()?;
        Ok(match self.transact(transaction).await? {
            Outcome::Written => TraceOutcome::Left,
            Outcome::Refused(positions) => {
                let is_refused = |at: Option<usize>| at.is_some_and(|at| positions.contains(&at));
                match counted.and_then(|counted| counted.used_up(&positions)) {
                    Some(used_up) => TraceOutcome::UsedUp(used_up),
                    None if is_refused(source_at) => TraceOutcome::Repeated,
                    None if is_refused(edge_at) => TraceOutcome::Known,
                    None => TraceOutcome::Closed,
                }
            }
        })
    }

    /// The trail of a listing, where it has one, and the marks at it, the newest first; by one query.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn traces_at(
        &self,
        id: &ListingId,
        limit: usize,
        now: Moment,
    ) -> Result<(Option<Trail>, Vec<TrailMark>), StoreError> {
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :trail AND sk >= :marks")
            .expression_attribute_values(":trail", s(keys::trail_partition(id)))
            .expression_attribute_values(":marks", s(keys::MARK_AT))
            .scan_index_forward(false)
            .limit(i32::try_from(limit + 1).unwrap_or(50))
            .send()
            .await?;
        let mut items = answer.items.unwrap_or_default();
        let trail =
            items.first().filter(|item| text(item, "sk") == keys::TRAIL).map(|item| trail_of(item, now));
        items.retain(|item| text(item, "sk") != keys::TRAIL);
        items.truncate(limit);
        Ok((trail, marks_of(&items, now)?))
    }

    /// The latest marks at all listings, the newest first.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn latest_marks(&self, limit: usize, now: Moment) -> Result<Vec<TrailMark>, StoreError> {
        let [pk, _] = table::SHOWN.key;
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .index_name(table::SHOWN.name)
            .key_condition_expression(format!("{pk} = :marks"))
            .expression_attribute_values(":marks", s(ALL))
            .scan_index_forward(false)
            .limit(i32::try_from(limit).unwrap_or(50))
            .send()
            .await?;
        marks_of(&answer.items.unwrap_or_default(), now)
    }
}
