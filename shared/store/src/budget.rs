//! The probe budget in time buckets: a window of two minutes, an hour, a UTC day (contract "Limits"). It is taken by a
//! conditional add, so that concurrent sweeps together never exceed a cap.

use super::attributes::{Item, n, number, text};
use super::batch_get::Consistency;
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys::{self, Key};
use super::transaction::{Outcome, Transaction};
use registry_model::Moment;

/// The three caps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Probes in a window of two minutes.
    pub window: u32,
    /// Probes in an hour.
    pub hour: u32,
    /// Probes in a UTC day.
    pub day: u32,
}

/// One bucket of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    /// Which one, such as `1495132` for the window that began that many times 120 s after the epoch.
    pub name: String,
    /// Probes spent in it.
    pub used: u32,
}

/// What is spent at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BudgetState {
    /// The window of two minutes.
    pub window: Bucket,
    /// The hour.
    pub hour: Bucket,
    /// The day.
    pub day: Bucket,
}

impl BudgetState {
    /// How many probes may still be spent now.
    #[must_use]
    pub fn left(&self, caps: Caps) -> u32 {
        let left = |bucket: &Bucket, cap: u32| cap.saturating_sub(bucket.used);
        left(&self.window, caps.window).min(left(&self.hour, caps.hour)).min(left(&self.day, caps.day))
    }
}

impl Store {
    /// Takes up to `wanted` probes from the budget and says how many it got.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn take_probes(&self, wanted: u32, caps: Caps, now: Moment) -> Result<u32, StoreError> {
        let mut wanted = wanted.min(caps.window).min(caps.hour).min(caps.day);
        for _ in 0..4 {
            if wanted == 0 {
                return Ok(0);
            }
            if self.take_exactly(wanted, caps, now).await? {
                return Ok(wanted);
            }
            wanted = wanted.min(self.budget(now).await?.left(caps));
        }
        Ok(0)
    }

    /// What is spent now.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn budget(&self, now: Moment) -> Result<BudgetState, StoreError> {
        let buckets = buckets(now);
        let keys = buckets.iter().map(|bucket| bucket.key.item()).collect();
        let items = self.batch_get(keys, Consistency::Strong).await?;
        let [window, hour, day] =
            buckets.map(|bucket| Bucket { used: used(&items, &bucket.key), name: bucket.name });
        Ok(BudgetState { window, hour, day })
    }

    async fn take_exactly(&self, amount: u32, caps: Caps, now: Moment) -> Result<bool, StoreError> {
        let mut transaction = Transaction::default();
        for (bucket, cap) in buckets(now).iter().zip([caps.window, caps.hour, caps.day]) {
            let take =
                Expression::default().add("used", amount.into()).set("ttl", n(bucket.forgotten)).only_if(
                    "attribute_not_exists(#used) OR #used <= :room",
                    [("#used", "used")],
                    [(":room", n(cap.saturating_sub(amount)))],
                );
            self.update(&mut transaction, &bucket.key, &take)?;
        }
        Ok(self.transact(transaction).await? == Outcome::Written)
    }
}

struct Place {
    name: String,
    key: Key,
    /// The second (epoch) after which the bucket may go.
    forgotten: i64,
}

fn buckets(now: Moment) -> [Place; 3] {
    let second = now.as_second();
    let place = |word: &str, name: String, seconds: i64| Place {
        key: Key::new(format!("BUDGET#{word}#{name}"), "BUDGET"),
        name,
        forgotten: second + 2 * seconds,
    };
    [
        place("window", (second / 120).to_string(), 3600),
        place("hour", (second / 3600).to_string(), 86_400),
        place("day", keys::day(now), 7 * 86_400),
    ]
}

fn used(items: &[Item], key: &Key) -> u32 {
    let found = items.iter().find(|item| text(item, "pk") == key.pk);
    found.map_or(0, |item| u32::try_from(number(item, "used")).unwrap_or(0))
}
