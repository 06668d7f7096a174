//! The outcome of a probe, written as one transaction: the listing, its evidence, the record, the tallies, the
//! Live counters, the holder of the endpoint, its place in the outreach queue, the news and the messages to its inbox.
//! A crash before it leaves the listing due; a second delivery finds the lease gone and writes nothing.

use super::attributes::{n, s, text};
use super::batch_get::Consistency;
use super::client::Store;
use super::deposit::Deposit;
use super::error::StoreError;
use super::evidence_item::evidence_item;
use super::expression::Expression;
use super::feed;
use super::keys;
use super::leaf::verdict_leaf;
use super::listing_item::changed;
use super::probes;
use super::trails::trail_of;
use super::transaction::{Outcome, Transaction};
use registry_model::{
    Amounts, Handshake, Kind, Lane, Listing, ListingId, LiveChange, Moment, StateChange, TrailEvent,
};

/// The outcome of writing a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    /// The change was written.
    Written,
    /// The lease was lost: another worker judged the listing; nothing was written.
    LeaseLost,
    /// Another listing took the endpoint at the same moment; nothing was written.
    EndpointHeld,
}

impl Store {
    /// Which other listing holds an endpoint, and the values of the trail of the one that asks; by one read.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn endpoint_holder_and_trail(
        &self,
        url: &str,
        asking: &ListingId,
        now: Moment,
    ) -> Result<(Option<ListingId>, Amounts), StoreError> {
        let keys = vec![keys::endpoint(url).item(), keys::trail(asking).item()];
        let items = self.batch_get(keys, Consistency::Strong).await?;
        let holder = items.iter().find_map(|item| text(item, "listing_id").parse().ok());
        let trail = items.iter().find(|item| text(item, "sk") == keys::TRAIL);
        let trail = trail.map(|item| trail_of(item, now).values()).unwrap_or_default();
        Ok((holder.filter(|holder| holder != asking), trail))
    }

    /// Which other listing holds an endpoint.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn endpoint_holder(
        &self,
        url: &str,
        asking: &ListingId,
    ) -> Result<Option<ListingId>, StoreError> {
        let key = keys::endpoint(url).item();
        let answer = self
            .client
            .get_item()
            .table_name(&*self.table)
            .set_key(Some(key))
            .consistent_read(true)
            .send()
            .await?;
        let holder = answer.item.and_then(|item| text(&item, "listing_id").parse().ok());
        Ok(holder.filter(|holder| holder != asking))
    }

    /// Writes a state change.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written and the lease runs out by itself.
    pub async fn record(&self, change: &StateChange) -> Result<WriteOutcome, StoreError> {
        let StateChange { before, after, assessment, record, .. } = change;
        let id = &after.id;
        let mut transaction = Transaction::default();

        let update = changed(before, after)?.set("asked_at", n(record.probed_at.as_millisecond())).only_if(
            "lease = :mark",
            [],
            [(":mark", s(before.lease.as_deref().unwrap_or_default()))],
        );
        self.update(&mut transaction, &keys::listing(id), &update)?;
        let endpoint_at = self.hold_endpoint(&mut transaction, before, after)?;

        if change.is_shown() {
            let evidence = evidence_item(id, assessment)?;
            if let Some(leaf) = verdict_leaf(change, &evidence) {
                self.log_entry(&mut transaction, &leaf)?;
            }
            // A change of its item, so that what changed at an earlier probe stays.
            let whole = [("evidence", s(text(&evidence, "evidence")))];
            let changed = assessment.changed.as_ref().map(serde_json::to_string).transpose()?;
            let changed = changed.map(|changed| (keys::CHANGED, s(changed)));
            let write = whole.into_iter().chain(changed);
            let write = write.fold(Expression::default(), |write, (name, value)| write.set(name, value));
            self.update(&mut transaction, &keys::evidence(id), &write)?;
        }
        self.count_probe(&mut transaction, change)?;
        self.update(&mut transaction, &keys::live(id), &live(change.live_change(), after.shown_kind()))?;
        if change.recheck {
            let week = keys::week_tally(record.probed_at, id);
            self.update(&mut transaction, &week, &week_tally(change))?;
        }
        self.rename(&mut transaction, before, after)?;
        self.file_by_hosts(&mut transaction, Some(before), after)?;
        if change.is_searched_anew() {
            self.mark_dirty(&mut transaction, id, record.probed_at)?;
        }
        self.tell_fall(&mut transaction, before, after, record.probed_at)?;
        // A tick that finds a Live listing alive has nothing to add to the queue; the weekly recheck makes it whole.
        if change.recheck || change.live_change() != LiveChange::Kept {
            self.queue_for_outreach(&mut transaction, id, change.live_change(), record.probed_at)?;
        }
        if let Some(news) = &change.news {
            self.put(&mut transaction, feed::to_item(news)?, None)?;
        }
        for message in &change.messages {
            self.deliver(&mut transaction, message)?;
        }
        if let Some(deposit) = deposit(change) {
            self.deposit(&mut transaction, &deposit, record.probed_at)?;
        }

        Ok(match self.transact(transaction).await? {
            Outcome::Written => WriteOutcome::Written,
            Outcome::Refused(positions) if endpoint_at.is_some_and(|at| positions == [at]) => {
                WriteOutcome::EndpointHeld
            }
            Outcome::Refused(_) => WriteOutcome::LeaseLost,
        })
    }

    /// Keeps the record of a probe and counts it among those of its day.
    pub(super) fn count_probe(
        &self,
        transaction: &mut Transaction,
        change: &StateChange,
    ) -> Result<(), StoreError> {
        let StateChange { before, record, .. } = change;
        self.put(transaction, probes::to_item(record)?, None)?;
        let last = before.probe.as_ref().map(|probe| keys::day(probe.at));
        let first_today = last.is_none_or(|day| day != keys::day(record.probed_at));
        let tally = probes::tally(record, first_today, change.preflight_reject);
        self.update(transaction, &keys::day_tally(record.probed_at, &before.id), &tally)
    }

    /// A Live listing holds its endpoint, and lets go of it when it falls or moves. Gives the position of the
    /// write that takes hold.
    pub(super) fn hold_endpoint(
        &self,
        transaction: &mut Transaction,
        before: &Listing,
        after: &Listing,
    ) -> Result<Option<usize>, StoreError> {
        let held = before.endpoint.as_deref().filter(|_| before.lane == Lane::Active).map(keys::endpoint);
        let wanted = after.endpoint.as_deref().filter(|_| after.lane == Lane::Active).map(keys::endpoint);
        // By their keys: one item may not be released and taken in one transaction.
        if held == wanted {
            return Ok(None);
        }
        let mine = || (":me", s(after.id.as_str()));
        if let Some(held) = held {
            let only_mine =
                Expression::default().only_if("attribute_not_exists(pk) OR listing_id = :me", [], [mine()]);
            self.delete(transaction, &held, Some(&only_mine))?;
        }
        let Some(wanted) = wanted else { return Ok(None) };
        let take = Expression::default().set("listing_id", s(after.id.as_str())).only_if(
            "attribute_not_exists(pk) OR listing_id = :me",
            [],
            [mine()],
        );
        self.update(transaction, &wanted, &take)?;
        Ok(Some(transaction.len() - 1))
    }
}

/// What a probe deposits. One that came to no judgement, or met something that is there but closed to it, deposits nothing.
fn deposit(change: &StateChange) -> Option<Deposit> {
    let id = &change.before.id;
    match change.record.handshake {
        Handshake::Ok => Some(Deposit::of_answered_probe(id, change.trail)),
        Handshake::Fail if !change.assessment.verdict.inconclusive => {
            Some(Deposit::of(id, TrailEvent::ProbeFail).on(change.trail))
        }
        Handshake::Fail | Handshake::Partial | Handshake::Skip => None,
    }
}

/// What a change does to the counters of what is Live.
pub(super) fn live(change: LiveChange, kind: Kind) -> Expression {
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

fn week_tally(change: &StateChange) -> Expression {
    let ok = change.record.ok;
    Expression::default()
        .add("rechecked", 1)
        .add("still_ok", i64::from(ok))
        .add("demoted", i64::from(change.live_change() == LiveChange::Fallen))
        .set("ttl", n(change.record.probed_at.as_second() + 60 * 86_400))
}
