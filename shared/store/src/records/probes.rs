//! Stores a record of each probe, and the counts of the probes of each day. The records can be read by
//! listing, or by outcome and time. The counts are separate for each outcome and each reason.

use std::collections::BTreeMap;

use crate::counts::by_kind;
use crate::prelude::*;
use registry_model::{Handshake, LiveChange, ProbeRecord, StateChange};

/// A probe of a listing, by time; stored for the ninety days that a listing's page shows, and the current one.
pub(super) const PROBE: Record<ProbeRecord> =
    Record::new(LISTING.prefix, "PROBE#", "record").stored_for(91 * 86_400);
/// The tally of a UTC day.
pub(super) const DAY: KeyPattern = KeyPattern::new("DAY#", "");

/// Seconds for which the tally of a day is stored.
const TALLY_RETENTION: i64 = 37 * 86_400;
/// How the attribute of a reason begins; its code and its words follow.
const FAULT: &str = "fault:";

/// The index partition of the probes with this outcome, by time.
fn shown(outcome: Handshake) -> String {
    format!("PROBED#{}", outcome.as_str())
}

pub(super) fn to_item(record: &ProbeRecord) -> Result<Item> {
    let [pk, sk] = table::SHOWN.key;
    Ok(PROBE.one_of(&record.id, key::millis(record.probed_at)).with([
        (pk, s(shown(record.handshake))),
        (sk, s(key::at(record.probed_at, record.id.as_str()))),
        PROBE.value(record)?,
        PROBE.ttl(record.probed_at),
    ]))
}

/// How this probe changes the tally of its day; `first_today` where the listing was not yet probed that day.
pub(super) fn tally(change: &StateChange, first_today: bool) -> Expression {
    let record = &change.record;
    let kind = by_kind(record.kind, "agents", "mcps");
    let returns = change.live_change() == LiveChange::StaysLive && change.was_overdue && record.ok;
    let mut tally = Expression::default()
        .add(kind, 1)
        .add(record.handshake.as_str(), 1)
        .add("unique", first_today)
        .add("rejects", change.preflight_reject)
        .add("risen", returns || change.live_change() == LiveChange::Risen)
        .expires(record.probed_at, TALLY_RETENTION);
    if record.handshake == Handshake::Fail {
        tally = tally.add(&format!("fail_{}", record.kind.as_str()), 1);
    }
    match (&record.code, &record.reason) {
        // A correct sign-in needs no fix.
        (Some(code), Some(reason)) if !record.is_proof() => tally.add(&format!("{FAULT}{code} {reason}"), 1),
        _ => tally,
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub agents: u32,
    pub mcps: u32,
    pub unique: u32,
    /// Probes that ended at the preflight, without using budget.
    pub rejects: u32,
    /// Listings that became Live.
    pub risen: u32,
    /// By outcome: ok, partial, fail, skip.
    pub handshakes: [u32; 4],
    pub failed_agents: u32,
    pub failed_mcps: u32,
    /// The reasons of the probes that proved nothing, the most frequent first.
    pub reasons: Vec<CountedReason>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedReason {
    pub code: String,
    /// In the words of `reasons[].reason`.
    pub reason: String,
    pub count: u32,
}

const OUTCOMES: [Handshake; 4] = [Handshake::Ok, Handshake::Partial, Handshake::Fail, Handshake::Skip];

impl Store {
    pub async fn tally(&self, now: Moment) -> Result<Tally> {
        let shards = self.partition(&DAY.partition(now.utc_day())).await?;
        let mut counted: BTreeMap<(&str, &str), u32> = BTreeMap::new();
        for shard in &shards {
            for name in shard.keys() {
                if let Some(fault) = name.strip_prefix(FAULT).and_then(|fault| fault.split_once(' ')) {
                    *counted.entry(fault).or_default() += unsigned::<u32>(shard, name);
                }
            }
        }
        let mut reasons: Vec<CountedReason> = counted
            .into_iter()
            .map(|((code, reason), count)| CountedReason {
                code: code.to_owned(),
                reason: reason.to_owned(),
                count,
            })
            .collect();
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.count));
        Ok(Tally {
            agents: sum(&shards, "agents"),
            mcps: sum(&shards, "mcps"),
            unique: sum(&shards, "unique"),
            rejects: sum(&shards, "rejects"),
            risen: sum(&shards, "risen"),
            handshakes: OUTCOMES.map(|outcome| sum(&shards, outcome.as_str())),
            failed_agents: sum(&shards, "fail_agent"),
            failed_mcps: sum(&shards, "fail_mcp"),
            reasons,
        })
    }

    /// The probes of a listing from `since` on, the newest first, at most `limit`; by one query.
    pub async fn probes_of(&self, id: &ListingId, since: Moment, limit: i32) -> Result<Vec<ProbeRecord>> {
        let first = PROBE.one_of(id, key::millis(since));
        let range = Range::Between(first.sk, format!("{}:", PROBE.sort));
        self.list(&PROBE, Query::of(first.pk).range(range).descending().limit(limit)).await
    }

    pub async fn latest_probes(&self, outcome: Handshake, limit: i32) -> Result<Vec<ProbeRecord>> {
        let query = Query::of(shown(outcome)).index(table::SHOWN).descending().limit(limit);
        self.list(&PROBE, query).await
    }
}
