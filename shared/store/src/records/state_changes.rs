//! Writes the outcome of a probe and everything that follows from it in one transaction. If the process
//! crashes before this transaction, the listing is still due. If the same job is delivered a second time, it
//! no longer has the lease, so it writes nothing.

use std::collections::{BTreeSet, HashMap};

use super::deposit::Deposit;
use super::evidence_item::evidence_item;
use super::inbox::deliver;
use super::leaves::verdict_leaf;
use super::listing_item::{changed, if_as_read, pointers};
use super::listings::{rename, yield_name};
use super::outreach::queue_for_outreach;
use super::search_index::mark_dirty;
use super::seen::leaf_evidence_item;
use super::trails::trail_of;
use super::{delistings, feed, hosts, probes, trails};
use crate::table::prelude::*;
use registry_model::{Amounts, Handshake, Kind, Lane, LiveChange, StateChange, TrailEvent};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    Written,
    /// Another worker took over the listing, or its owner changed it; nothing was written.
    LeaseLost,
    /// Another listing took the endpoint at the same time; nothing was written.
    EndpointHeld,
}

impl Store {
    /// The other listing that has this endpoint, and the values of the trail of `asking`, by one read.
    pub async fn endpoint_holder_and_trail(
        &self,
        url: &str,
        asking: &ListingId,
        now: Moment,
    ) -> Result<(Option<ListingId>, Amounts)> {
        let keys = vec![keys::endpoint(url), keys::TRAIL.of(asking)];
        let items = self.batch_get(keys, Consistency::Strong).await?;
        let holder = items.iter().find_map(|item| text(item, "listing_id").parse().ok());
        let trail = items.iter().find(|item| keys::TRAIL.is_place_of(item));
        let trail = trail.map(|item| trail_of(item, now).values).unwrap_or_default();
        Ok((holder.filter(|holder| holder != asking), trail))
    }

    /// The listings that hold these endpoints, by one batch read. Endpoints that no listing holds are left out.
    pub async fn endpoint_holders(&self, urls: &[String]) -> Result<HashMap<String, ListingId>> {
        if urls.is_empty() {
            return Ok(HashMap::new());
        }
        let keys: BTreeSet<Key> = urls.iter().map(|url| keys::endpoint(url)).collect();
        let items = self.batch_get(keys.into_iter().collect(), Consistency::Strong).await?;
        let holder = |url: &String| {
            let key = keys::endpoint(url);
            let item = items.iter().find(|item| text(item, "pk") == key.pk)?;
            Some((url.clone(), text(item, "listing_id").parse().ok()?))
        };
        Ok(urls.iter().filter_map(holder).collect())
    }

    pub async fn endpoint_holder(&self, url: &str, asking: &ListingId) -> Result<Option<ListingId>> {
        let item = self.read(&keys::endpoint(url), Consistency::Strong).await?;
        let holder = item.and_then(|item| text(&item, "listing_id").parse().ok());
        Ok(holder.filter(|holder| holder != asking))
    }

    /// Writes a state change. After an error the lease expires by itself.
    pub async fn record(&self, change: &StateChange) -> Result<WriteOutcome> {
        let StateChange { before, after, assessment, record, .. } = change;
        let (id, at) = (&after.id, record.probed_at);
        let mut transaction = Transaction::default();
        let mut leaf = None;

        let update = changed(before, after)?.set("asked_at", n(at.as_millisecond()));
        transaction.update(keys::listing(id), if_leased(if_as_read(update, before), before));
        let endpoint = hold_endpoint(&mut transaction, before, after);

        // An update, not a put, so that the change found by an earlier probe stays.
        let mut update = Expression::default();
        if change.is_shown() {
            let evidence = evidence_item(id, assessment)?;
            leaf = verdict_leaf(change, &evidence);
            if leaf.is_some() {
                transaction.put(leaf_evidence_item(id, text(&evidence, "evidence"), at)?);
            }
            update = update.set("evidence", s(text(&evidence, "evidence")));
        }
        if let Some(changed) = &assessment.changed {
            update = update.set(keys::CHANGED, to_blob(changed)?);
        }
        transaction.update(keys::EVIDENCE.of(id), update);
        count_probe(&mut transaction, change)?;
        transaction.update(keys::live(id), live(change.live_change(), after.shown_kind()));
        let is_routine = change.is_routine();
        if let Some(tally) = week_tally(change).filter(|_| change.recheck) {
            transaction.update(keys::week_tally(at, id), tally);
        }
        rename(&mut transaction, before, after);
        hosts::move_pointers(&mut transaction, Some(before), after);
        if change.needs_indexing() {
            mark_dirty(&mut transaction, id, at);
        }
        delistings::record(&mut transaction, before, after, at)?;
        // A probe that is not routine restores a missing place in the queue.
        if !is_routine {
            queue_for_outreach(&mut transaction, id, change.live_change(), at);
        }
        if let Some(yielding) = &change.yielding {
            yield_name(&mut transaction, yielding, at)?;
        }
        for news in &change.news {
            feed::tell(&mut transaction, news)?;
        }
        for message in &change.messages {
            deliver(&mut transaction, message)?;
        }
        if let Some(deposit) = deposit(change) {
            trails::deposit(&mut transaction, &[deposit], at);
        }

        Ok(match self.transact_with_leaves(transaction, leaf.into_iter().collect()).await? {
            Outcome::Written => {
                self.release_card(before, after).await;
                WriteOutcome::Written
            }
            Outcome::Refused(refused) if endpoint.is_some_and(|write| refused.is_only(write)) => {
                WriteOutcome::EndpointHeld
            }
            Outcome::Refused(_) => WriteOutcome::LeaseLost,
        })
    }

    /// Releases the URL of a card that a listing holds no longer. A transaction would fail where another listing holds it.
    pub(crate) async fn release_card(&self, before: &Listing, after: &Listing) {
        let ([endpoint, Some(card)], kept) = (held(before), held(after)) else { return };
        if endpoint.iter().chain(kept.iter().flatten()).any(|other| *other == card) {
            return;
        }
        let mut release = Transaction::default();
        release.delete_if(card, Expression::default().if_equal("listing_id", s(before.id.as_str())));
        if let Err(error) = self.transact(release).await {
            tracing::warn!(listing_id = %before.id, %error, "the URL of a card could not be released");
        }
    }

    /// Deletes a listing that was never Live and has failed for too long, with what is stored about it and with its
    /// last verdict, in one transaction: a TTL would remove the items one by one and count nothing. The records of its
    /// probes expire after 91 days, as all do. [`Store::remove_rest`] removes what one transaction cannot contain. After an
    /// error the lease expires by itself.
    pub async fn expire(&self, change: &StateChange) -> Result<WriteOutcome> {
        let (before, id) = (&change.before, &change.before.id);
        let mut transaction = Transaction::default();
        transaction.delete_if(keys::listing(id), if_leased(Expression::default(), before));
        let others = [keys::EVIDENCE.of(id), keys::IDENTITIES.of(id), keys::SERVER.of(id)];
        for key in others.into_iter().chain(keys::contacts(id)).chain(pointers(before)) {
            transaction.delete(key);
        }
        hosts::remove_pointers(&mut transaction, before);
        count_probe(&mut transaction, change)?;
        transaction.update(keys::live(id), Expression::default().add("expired", 1));
        for news in &change.news {
            feed::tell(&mut transaction, news)?;
        }
        Ok(match self.transact(transaction).await? {
            Outcome::Written => WriteOutcome::Written,
            Outcome::Refused(_) => WriteOutcome::LeaseLost,
        })
    }
}

/// Requires the lease under which the listing was read.
fn if_leased(change: Expression, before: &Listing) -> Expression {
    change.if_equal("lease", s(before.lease.as_deref().unwrap_or_default()))
}

/// Stores the record of a probe and counts it in the tally of its day.
fn count_probe(transaction: &mut Transaction, change: &StateChange) -> Result<()> {
    let StateChange { before, record, .. } = change;
    transaction.put(probes::to_item(record)?);
    let last_day = before.last_asked().map(Moment::utc_day);
    let first_today = last_day.is_none_or(|day| day != record.probed_at.utc_day());
    let tally = probes::tally(change, first_today);
    transaction.update(keys::day_tally(record.probed_at, &before.id), tally);
    Ok(())
}

/// What a listing holds that is Live or gated, or was when its owner withdrew it: its endpoint, and the URL of its card.
fn held(listing: &Listing) -> [Option<Key>; 2] {
    let holds = listing.lane.is_proven() || listing.holds_endpoint;
    [&listing.endpoint, &listing.card_url].map(|url| url.as_deref().filter(|_| holds).map(keys::endpoint))
}

/// Takes the endpoint that a listing [holds](held), and releases the one that it holds no longer. Returns the write that takes
/// the new endpoint. The URL of its card leads to it, too, so that it is not published a second time by its card.
pub(crate) fn hold_endpoint(
    transaction: &mut Transaction,
    before: &Listing,
    after: &Listing,
) -> Option<WriteId> {
    let ([old, old_card], [new, new_card]) = (held(before), held(after));
    // One item may be written only once in a transaction. `release_card` releases the old one.
    let is_free = |card: &Key| Some(card) != old.as_ref() && Some(card) != new.as_ref();
    if old_card != new_card
        && let Some(card) = new_card.filter(is_free)
    {
        // What another listing holds stays its own.
        transaction.update(card, Expression::default().set_once("listing_id", s(after.id.as_str())));
    }
    // Compared by key: one item may not be released and taken in one transaction.
    if old == new {
        return None;
    }
    let if_free_or_mine = |change: Expression| change.if_missing_or("listing_id", "=", s(after.id.as_str()));
    if let Some(old) = old {
        transaction.delete_if(old, if_free_or_mine(Expression::default()));
    }
    let take = Expression::default().set("listing_id", s(after.id.as_str()));
    Some(transaction.update(new?, if_free_or_mine(take)))
}

/// What a probe deposits: nothing if it is inconclusive, if the endpoint answers but is closed to the probe or fails a check,
/// or if it is routine: a listing must not look used because the registry probes it.
fn deposit(change: &StateChange) -> Option<Deposit> {
    let id = &change.before.id;
    match change.record.handshake {
        Handshake::Ok if change.is_routine() || !change.record.is_proof() => None,
        Handshake::Ok => Some(Deposit::of_answered_probe(change)),
        Handshake::Fail if !change.assessment.verdict.inconclusive => {
            Some(Deposit::of(id, TrailEvent::ProbeFail).on(change.trail))
        }
        Handshake::Fail | Handshake::Partial | Handshake::Skip => None,
    }
}

/// How a change affects the counters of what is Live.
pub(crate) fn live(change: LiveChange, kind: Kind) -> Expression {
    let counter = match kind {
        Kind::Agent => "agents",
        Kind::Mcp => "mcps",
    };
    match change {
        LiveChange::Risen => Expression::default().add(counter, 1).add("version", 1),
        LiveChange::Fallen => Expression::default().add(counter, -1).add("version", 1),
        LiveChange::Kept => Expression::default().add("version", 1),
        LiveChange::Unseen => Expression::default(),
    }
}

/// Each listing counts once in a week, however often it is probed.
fn week_tally(change: &StateChange) -> Option<Expression> {
    let (before, after) = (&change.before, &change.after);
    let is_first = !before.rechecked_at.is_some_and(|at| change.is_same_week(at));
    let passes = after.still_ok_at != before.still_ok_at;
    let passes_first = passes && !before.still_ok_at.is_some_and(|at| change.is_same_week(at));
    let falls = before.lane == Lane::Active && after.lane == Lane::Demoted;
    let (name, expires) = ttl(change.record.probed_at, 60 * 86_400);
    let tally = Expression::default()
        .add("rechecked", i64::from(is_first))
        .add("still_ok", i64::from(passes_first))
        .add("demoted", i64::from(falls))
        .set(name, expires);
    (is_first || passes_first || falls).then_some(tally)
}
