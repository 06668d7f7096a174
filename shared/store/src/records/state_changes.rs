//! Writes the outcome of a probe, or the decision to withdraw, restore or move a listing, and everything that follows from it
//! in one transaction. If the process crashes before this transaction, the listing is still due. If the same job is
//! delivered a second time, it no longer has the lease, so it writes nothing.

use super::contacts::all_contacts;
use super::counters::{WEEK, live};
use super::endpoints::hold_endpoint;
use super::evidence::{CHANGED, EVIDENCE, evidence_item};
use super::identities::IDENTITIES;
use super::inbox::deliver;
use super::leaves::{moved_leaf, restored_leaf, verdict_leaf, withdrawal_leaf};
use super::listing_items::{changed, if_as_read};
use super::names::{pointers, rename, yield_name};
use super::outreach::queue_for_outreach;
use super::search_index::mark_dirty;
use super::seen::leaf_evidence_item;
use super::server_documents::SERVER;
use super::trails::take_off_boards;
use super::{delistings, hosts, probes};
use crate::counts::by_kind;
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

        let update = changed(before, after)?.set("asked_at", ms(at));
        transaction.update(LISTING.of(id), if_leased(if_as_read(update, before), before));
        let endpoint = hold_endpoint(&mut transaction, before, after);

        // An update, not a put, so that the change found by an earlier probe stays.
        let mut update = Expression::default();
        if change.is_shown() {
            let evidence = evidence_item(id, assessment)?;
            leaf = verdict_leaf(change, &evidence);
            if leaf.is_some() {
                transaction.put(leaf_evidence_item(id, text(&evidence, EVIDENCE.attribute), at)?);
            }
            update = update.set(EVIDENCE.attribute, s(text(&evidence, EVIDENCE.attribute)));
        }
        if let Some(changed) = &assessment.changed {
            update = update.set(CHANGED, to_blob(changed)?);
        }
        transaction.update(EVIDENCE.of(id), update);
        count_probe(&mut transaction, change)?;
        transaction.update(live(id), counted(change.live_change(), after.likely_kind()));
        let is_routine = change.is_routine();
        if let Some(tally) = week_tally(change).filter(|_| change.recheck) {
            transaction.update(WEEK.one_of(at.iso_week(), key::shard(id)), tally);
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
            feed::add(&mut transaction, news)?;
        }
        for message in &change.messages {
            deliver(&mut transaction, message)?;
        }
        if let Some(deposit) = deposit(change) {
            deposits::add(&mut transaction, &[deposit], at);
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

    /// Withdraws or restores a listing, or ends Live because its owner moves it, as in `after`. A decision ends the lease of
    /// a probe in progress, so that its result is not written. Returns false and writes nothing if the listing was probed,
    /// published or changed by its owner since it was read.
    pub async fn decide(&self, before: &Listing, after: &Listing, news: &FeedItem) -> Result<bool> {
        let mut transaction = Transaction::default();
        let change = changed(before, after)?;
        // If it was claimed since it was read, `before` does not contain the lease.
        let change = if before.schedule.lease.token.is_none() { change.remove("lease") } else { change };
        let change = if_as_read(change, before)
            .if_equal("lane", s(before.lane.as_str()))
            .if_equal("due_at", s(before.schedule.due_at.to_string()));
        let change = match &before.withdrawal {
            None => change,
            // A second withdrawal, by somebody else, changes neither lane nor due time.
            Some(withdrawal) => change.if_equal("withdrawal", serde_dynamo::to_attribute_value(withdrawal)?),
        };
        transaction.update(LISTING.of(&after.id), change);
        if before.proof.stored_tools.is_some() && after.proof.stored_tools.is_none() {
            transaction.update(EVIDENCE.of(&after.id), Expression::default().remove(CHANGED));
        }
        hold_endpoint(&mut transaction, before, after);
        let live_change = LiveChange::between(before, after);
        transaction.update(live(&after.id), counted(live_change, after.likely_kind()));
        rename(&mut transaction, before, after);
        hosts::move_pointers(&mut transaction, Some(before), after);
        let is_delisted = before.lane.is_proven() && !after.lane.is_proven();
        if is_delisted || before.lane == Lane::Package {
            mark_dirty(&mut transaction, &after.id, news.at);
            delistings::record(&mut transaction, before, after, news.at)?;
        }
        queue_for_outreach(&mut transaction, &after.id, live_change, news.at);
        if after.lane == Lane::Withdrawn {
            take_off_boards(&mut transaction, &after.id);
        }
        feed::add(&mut transaction, news)?;
        let is_restored = before.lane == Lane::Withdrawn && after.lane != Lane::Withdrawn;
        let leaf = withdrawal_leaf(after)
            .or_else(|| is_restored.then(|| restored_leaf(after, news.at)))
            .or_else(|| is_delisted.then(|| moved_leaf(after, news.at)));
        let leaves = leaf.into_iter().collect();
        let written = self.transact_with_leaves(transaction, leaves).await?.is_written();
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
        for key in others.into_iter().chain(all_contacts(id)).chain(pointers(before)) {
            transaction.delete(key);
        }
        hosts::remove_pointers(&mut transaction, before);
        count_probe(&mut transaction, change)?;
        transaction.update(live(id), Expression::default().add("expired", 1));
        for news in &change.news {
            feed::add(&mut transaction, news)?;
        }
        Ok(match self.transact(transaction).await? {
            Outcome::Written => WriteOutcome::Written,
            Outcome::Refused(_) => WriteOutcome::LeaseLost,
        })
    }
}

/// Requires the lease under which the listing was read.
fn if_leased(change: Expression, before: &Listing) -> Expression {
    change.if_equal("lease", s(before.schedule.lease.token.as_deref().unwrap_or_default()))
}

/// Stores the record of a probe and counts it in the tally of its day.
fn count_probe(transaction: &mut Transaction, change: &StateChange) -> Result<()> {
    let StateChange { before, record, .. } = change;
    transaction.put(probes::to_item(record)?);
    let last_day = before.last_asked().map(Moment::utc_day);
    let first_today = last_day.is_none_or(|day| day != record.probed_at.utc_day());
    let tally = probes::tally(change, first_today);
    transaction.update(probes::DAY.one_of(record.probed_at.utc_day(), key::shard(&before.id)), tally);
    Ok(())
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
fn counted(change: LiveChange, kind: Kind) -> Expression {
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
