//! The probes of a day and of a listing: a record of each, indexed by outcome and time, and tallies by reason. Records
//! are kept for the ninety days that a listing's page shows, tallies for the days that are compared.

use std::collections::BTreeMap;

use super::attributes::{Item, n, number, s, text};
use super::client::Store;
use super::counters::sum;
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use registry_model::{Handshake, Kind, ListingId, Moment, ProbeRecord};

/// Seconds for which a record is kept: a day more than the ninety that are shown, for the one that is not over.
const KEPT: i64 = 91 * 86_400;
/// Seconds for which the tally of a day is kept.
const TALLY_KEPT: i64 = 37 * 86_400;
const REASON: &str = "reason:";

pub(super) fn to_item(record: &ProbeRecord) -> Result<Item, StoreError> {
    let mut item = keys::probe(&record.id, record.probed_at).item();
    item.insert("gsi1pk".to_owned(), s(keys::shown_probed(record.handshake)));
    item.insert("gsi1sk".to_owned(), s(keys::at(record.probed_at, record.id.as_str())));
    item.insert("record".to_owned(), s(serde_json::to_string(record)?));
    item.insert("ttl".to_owned(), n(record.probed_at.as_second() + KEPT));
    Ok(item)
}

/// What this probe adds to the tally of its day; `first_today` where the listing was not yet asked today.
pub(super) fn tally(record: &ProbeRecord, first_today: bool, preflight_reject: bool) -> Expression {
    let kind = match record.kind {
        Kind::Agent => "agents",
        Kind::Mcp => "mcps",
    };
    let mut tally = Expression::default()
        .add(kind, 1)
        .add(record.handshake.as_str(), 1)
        .add("unique", i64::from(first_today))
        .add("rejects", i64::from(preflight_reject))
        .set("ttl", n(record.probed_at.as_second() + TALLY_KEPT));
    if record.handshake == Handshake::Fail {
        tally = tally.add(&format!("fail_{}", record.kind.as_str()), 1);
    }
    match &record.reason {
        Some(reason) if record.handshake != Handshake::Ok => tally.add(&format!("{REASON}{reason}"), 1),
        _ => tally,
    }
}

/// A day's probes in sum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Probes of agents, and of MCP servers.
    pub agents: u32,
    /// Probes of MCP servers.
    pub mcps: u32,
    /// Different listings probed.
    pub unique: u32,
    /// Probes that ended at the preflight, without spending budget.
    pub rejects: u32,
    /// By outcome: ok, partial, fail, skip.
    pub handshakes: [u32; 4],
    /// Failed agents.
    pub failed_agents: u32,
    /// Failed MCP servers.
    pub failed_mcps: u32,
    /// How often each reason, the most frequent first.
    pub reasons: Vec<(String, u32)>,
}

const OUTCOMES: [Handshake; 4] = [Handshake::Ok, Handshake::Partial, Handshake::Fail, Handshake::Skip];

impl Store {
    /// The tally of the UTC day of `now`.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn tally(&self, now: Moment) -> Result<Tally, StoreError> {
        let shards = self.partition(&keys::day_partition(now)).await?;
        let mut reasons: BTreeMap<String, u32> = BTreeMap::new();
        for shard in &shards {
            for name in shard.keys().filter_map(|name| name.strip_prefix(REASON)) {
                let count = u32::try_from(number(shard, &format!("{REASON}{name}"))).unwrap_or(0);
                *reasons.entry(name.to_owned()).or_default() += count;
            }
        }
        let mut reasons: Vec<(String, u32)> = reasons.into_iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Ok(Tally {
            agents: sum(&shards, "agents"),
            mcps: sum(&shards, "mcps"),
            unique: sum(&shards, "unique"),
            rejects: sum(&shards, "rejects"),
            handshakes: OUTCOMES.map(|outcome| sum(&shards, outcome.as_str())),
            failed_agents: sum(&shards, "fail_agent"),
            failed_mcps: sum(&shards, "fail_mcp"),
            reasons,
        })
    }

    /// The probes of a listing from `since` on, the newest first, at most `limit`; by one query.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn probes_of(
        &self,
        id: &ListingId,
        since: Moment,
        limit: i32,
    ) -> Result<Vec<ProbeRecord>, StoreError> {
        let (first, last) = (keys::probe(id, since), format!("{}:", keys::PROBE_AT));
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .key_condition_expression("pk = :listing AND sk BETWEEN :first AND :last")
            .expression_attribute_values(":listing", s(first.pk))
            .expression_attribute_values(":first", s(first.sk))
            .expression_attribute_values(":last", s(last))
            .scan_index_forward(false)
            .limit(limit)
            .send()
            .await?;
        let items = answer.items.unwrap_or_default();
        items.iter().map(|item| Ok(serde_json::from_str(text(item, "record"))?)).collect()
    }

    /// The latest probes of one outcome.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn latest_probes(
        &self,
        outcome: Handshake,
        limit: i32,
    ) -> Result<Vec<ProbeRecord>, StoreError> {
        let answer = self
            .client
            .query()
            .table_name(&*self.table)
            .index_name(super::table::SHOWN.name)
            .key_condition_expression("gsi1pk = :outcome")
            .expression_attribute_values(":outcome", s(keys::shown_probed(outcome)))
            .scan_index_forward(false)
            .limit(limit)
            .send()
            .await?;
        let items = answer.items.unwrap_or_default();
        items.iter().map(|item| Ok(serde_json::from_str(text(item, "record"))?)).collect()
    }
}
