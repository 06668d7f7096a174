//! The state of the tick (the scheduled run of probes): which time slots are taken, and how the last sweep
//! went. Each slot can be taken only once. A comparison with the time of the last tick is not enough: if the
//! scheduler is a little early, a tick would be skipped.

use serde::{Deserialize, Serialize};

use crate::prelude::*;

pub(super) const TICK_REPORT: KeyPattern = KeyPattern::new("CLOCK", "TICK");
/// Exists where a slot of the schedule is taken.
pub(super) const SLOT: KeyPattern = KeyPattern::new("SLOT#", "SLOT");

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TickReport {
    /// When the last tick ended.
    pub last_tick_at: Option<Moment>,
    /// When a tick last had an `ok` probe.
    pub last_ok_tick_at: Option<Moment>,
    /// Probes of the last tick.
    pub last_used: u32,
    pub ticks: u32,
}

impl Store {
    /// Takes a slot of the schedule; false if another delivery of the same tick has already taken it.
    pub async fn take_slot(&self, job: &str, slot: i64, now: Moment) -> Result<bool> {
        let taken = SLOT.of(format!("{job}#{slot}")).with([ttl(now, 86_400)]);
        self.put_new(taken).await
    }

    pub async fn note_tick(&self, any_ok: bool, used: u32, now: Moment) -> Result<()> {
        let mut change = Expression::default()
            .set("last_tick_at", s(now.to_string()))
            .set("last_used", n(used))
            .add("ticks", 1);
        if any_ok {
            change = change.set("last_ok_tick_at", s(now.to_string()));
        }
        self.update(&TICK_REPORT.key(), &change, None).await.map(drop)
    }

    pub async fn tick_report(&self) -> Result<TickReport> {
        let item = self.read_with(&TICK_REPORT.key(), Consistency::Eventual).await?.unwrap_or_default();
        Ok(serde_dynamo::from_item(item)?)
    }
}
