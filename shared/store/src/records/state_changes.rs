//! Writes the outcome of a probe, or the decision to withdraw, restore or move a listing, and everything that follows from it
//! in one transaction. If the process crashes before this transaction, the listing is still due. If the same job is
//! delivered a second time, it no longer has the lease, so it writes nothing.

use super::counters::{WEEK, by_kind, live_counter};
use super::economy::OUTCOME_TALLY;
use super::evidence::{CHANGED, EVIDENCE, decision_leaf, evidence_text, leaf_evidence_item, verdict_leaf};
use super::inbox::MESSAGE;
use super::listings::{EARLIER_SERVER, SERVER, all_contacts, listing_change};
use super::proofs::IDENTITIES;
use crate::prelude::*;
use registry_model::{FeedItem, Handshake, Kind, Lane, LiveChange, StateChange, TrailEvent};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    Written,
    /// Another worker took over the listing, or its owner changed it; nothing was written.
    LeaseLost,
    /// Another listing took the endpoint at the same time; nothing was written.
    EndpointHeld,
}

impl Store {
    /// Writes a state change. After an error the lease expires by itself.
    pub async fn record(&self, change: &StateChange) -> Result<WriteOutcome> {
        let StateChange { before, after, assessment, record, .. } = change;
        let (id, at) = (&after.id, record.probed_at);
        let mut transaction = Transaction::default();
        let mut leaf = None;

        let update = listing_change(before, after)?.set("asked_at", ms(at));
        transaction.update(LISTING.of(id), if_leased(update, before));
        let endpoint = transaction.hold_endpoint(before, after);

        // An update, not a put, so that the change found by an earlier probe stays.
        let mut update = Expression::default();
        if change.is_shown() {
            let evidence = evidence_text(id, assessment)?;
            leaf = verdict_leaf(change, &evidence);
            if leaf.is_some() {
                transaction.put(leaf_evidence_item(id, &evidence, at)?);
            }
            update = update.set(EVIDENCE.attribute, s(evidence));
        }
        if let Some(changed) = &assessment.changed {
            update = update.set(CHANGED, to_blob(changed)?);
        }
        transaction.update(EVIDENCE.of(id), update);
        transaction.count_probe(change)?;
        transaction.update(live_counter(id), live_count_change(change.live_change(), after.likely_kind()));
        if let Some(tally) = week_tally(change).filter(|_| change.recheck) {
            transaction.update(WEEK.one_of(at.iso_week(), key::shard(id)), tally);
        }
        transaction.move_pointers(Some(before), Some(after));
        if change.needs_indexing() {
            transaction.mark_dirty(id, at);
        }
        transaction.put_delisting(before, after, at)?;
        // A probe that is not routine restores a missing place in the queue.
        if !change.is_routine() {
            transaction.queue_for_outreach(id, change.live_change(), at);
        }
        if let Some(yielding) = &change.yielding {
            transaction.yield_name(yielding, at)?;
        }
        transaction.add_to_feed(&change.news)?;
        for message in &change.messages {
            transaction.put_message(message)?;
        }
        transaction.add_deposits(probe_deposit(change).as_slice(), at);

        Ok(match self.transact_with_leaf(transaction, leaf).await? {
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

    /// Withdraws or restores a listing, or ends Live because its owner moves it, as in `after`. A decision ends the lease of
    /// a probe in progress, so that its result is not written. Returns false and writes nothing if the listing was probed,
    /// published or changed by its owner since it was read.
    pub async fn decide(&self, before: &Listing, after: &Listing, news: &FeedItem) -> Result<bool> {
        let mut transaction = Transaction::default();
        let change = listing_change(before, after)?
            .if_equal("lane", s(before.lane.as_str()))
            .if_equal("due_at", s(before.schedule.due_at.to_string()));
        // If it was claimed since it was read, `before` does not contain the lease.
        let change = if before.schedule.lease.token.is_none() { change.remove("lease") } else { change };
        let change = match &before.withdrawal {
            None => change,
            // A second withdrawal, by somebody else, changes neither lane nor due time.
            Some(withdrawal) => change.if_equal("withdrawal", serde_dynamo::to_attribute_value(withdrawal)?),
        };
        transaction.update(LISTING.of(&after.id), change);
        if before.proof.stored_tools.is_some() && after.proof.stored_tools.is_none() {
            transaction.update(EVIDENCE.of(&after.id), Expression::default().remove(CHANGED));
        }
        transaction.hold_endpoint(before, after);
        let live_change = LiveChange::between(before, after);
        transaction.update(live_counter(&after.id), live_count_change(live_change, after.likely_kind()));
        transaction.move_pointers(Some(before), Some(after));
        let is_delisted = before.lane.is_proven() && !after.lane.is_proven();
        if is_delisted || before.lane == Lane::Package {
            transaction.mark_dirty(&after.id, news.at);
            transaction.put_delisting(before, after, news.at)?;
        }
        transaction.queue_for_outreach(&after.id, live_change, news.at);
        if after.lane == Lane::Withdrawn {
            transaction.take_off_boards(&after.id);
        }
        transaction.add_to_feed([news])?;
        let leaf = decision_leaf(before, after, news.at);
        let written = self.transact_with_leaf(transaction, leaf).await?.is_written();
        if written {
            self.release_card(before, after).await;
        }
        Ok(written)
    }

    /// Deletes a listing that was never Live and has failed for too long, with what is stored about it and with its
    /// last verdict, in one transaction: a TTL would remove the items one by one and count nothing. The records of its
    /// probes expire after 91 days, as all do. [`Store::remove_rest`] removes what one transaction cannot contain. After an
    /// error the lease expires by itself.
    pub async fn expire(&self, change: &StateChange) -> Result<WriteOutcome> {
        let (before, id) = (&change.before, &change.before.id);
        let mut transaction = Transaction::default();
        transaction.delete_if(LISTING.of(id), if_leased(Expression::default(), before));
        let others = [EVIDENCE.of(id), IDENTITIES.of(id), SERVER.of(id)];
        for key in others.into_iter().chain(all_contacts(id)) {
            transaction.delete(key);
        }
        transaction.move_pointers(Some(before), None);
        transaction.count_probe(change)?;
        transaction.update(live_counter(id), Expression::default().add("expired", 1));
        transaction.add_to_feed(&change.news)?;
        Ok(match self.transact(transaction).await? {
            Outcome::Written => WriteOutcome::Written,
            Outcome::Refused(_) => WriteOutcome::LeaseLost,
        })
    }

    /// Removes what the transaction that deletes a listing leaves, so that the next publisher of its id inherits nothing:
    /// earlier descriptions, what probes saw, messages, outcomes and marks. Records of probes expire; sources of traces and
    /// requests not to be called stay stored.
    pub async fn remove_rest(&self, id: &ListingId) -> Result<()> {
        self.remove_seen(id).await?;
        let earlier = Range::Prefix(EARLIER_SERVER.sort.to_owned());
        self.delete_all(EARLIER_SERVER.query_of(id).range(earlier)).await?;
        self.delete_all(MESSAGE.query_of(id)).await?;
        self.delete_all(OUTCOME_TALLY.query_of(id)).await?;
        self.remove_trail(id).await.map(|_| ())
    }
}

/// Requires the lease under which the listing was read.
fn if_leased(change: Expression, before: &Listing) -> Expression {
    change.if_equal("lease", s(before.schedule.lease.token.as_deref().unwrap_or_default()))
}

/// What a probe deposits: nothing if it is inconclusive, if the endpoint answers but is closed to the probe or fails a check,
/// or if it is routine: a listing must not look used because the registry probes it.
fn probe_deposit(change: &StateChange) -> Option<Deposit> {
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
fn live_count_change(change: LiveChange, kind: Kind) -> Expression {
    let counter = by_kind(kind, "agents", "mcps");
    match change {
        LiveChange::Risen => Expression::default().add(counter, 1).add("version", 1),
        LiveChange::Fallen => Expression::default().add(counter, -1).add("version", 1),
        LiveChange::StaysLive => Expression::default().add("version", 1),
        LiveChange::NotLive => Expression::default(),
    }
}

/// Each listing counts once in a week, however often it is probed.
fn week_tally(change: &StateChange) -> Option<Expression> {
    let (before, after) = (&change.before, &change.after);
    let is_first = !before.proof.rechecked_at.is_some_and(|at| change.is_same_week(at));
    let passes = after.proof.still_ok_at != before.proof.still_ok_at;
    let passes_first = passes && !before.proof.still_ok_at.is_some_and(|at| change.is_same_week(at));
    let falls = before.lane == Lane::Active && after.lane == Lane::Demoted;
    let tally = Expression::default()
        .add("rechecked", is_first)
        .add("still_ok", passes_first)
        .add("demoted", falls)
        .expires(change.record.probed_at, 60 * 86_400);
    (is_first || passes_first || falls).then_some(tally)
}
