//! The probe budget (`specification.md#probe-budget`). It limits the probes of each window of two minutes, of
//! each hour, and of each UTC day. A sweep takes probes from the budget with a conditional add. So several
//! sweeps at the same time never exceed a limit.

use super::attributes::{count, n, text};
use super::batch_get::Consistency;
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys::Key;
use super::transaction::Transaction;
use registry_model::Moment;

/// The maximum numbers of probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// In a window of two minutes.
    pub window: u32,
    pub hour: u32,
    /// In a UTC day.
    pub day: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    /// For a window, the number of such windows since the epoch: `1495132` began 1495132 x 120 s after the epoch.
    pub name: String,
    /// Probes used in it.
    pub used: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BudgetState {
    pub window: Bucket,
    pub hour: Bucket,
    pub day: Bucket,
}

impl BudgetState {
    pub fn left(&self, caps: Caps) -> u32 {
        let left = |bucket: &Bucket, cap: u32| cap.saturating_sub(bucket.used);
        left(&self.window, caps.window).min(left(&self.hour, caps.hour)).min(left(&self.day, caps.day))
    }
}

impl Store {
    /// Takes up to `wanted` probes from the budget and returns how many it took.
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

    /// The budget used in the current buckets.
    pub async fn budget(&self, now: Moment) -> Result<BudgetState, StoreError> {
        let buckets = buckets(now);
        let keys = buckets.iter().map(|bucket| bucket.key.clone()).collect();
        let items = self.batch_get(keys, Consistency::Strong).await?;
        let [window, hour, day] = buckets.map(|StoredBucket { name, key, .. }| {
            let item = items.iter().find(|item| text(item, "pk") == key.pk);
            Bucket { name, used: item.map_or(0, |item| count(item, "used")) }
        });
        Ok(BudgetState { window, hour, day })
    }

    async fn take_exactly(&self, amount: u32, caps: Caps, now: Moment) -> Result<bool, StoreError> {
        let mut transaction = Transaction::default();
        for (bucket, cap) in buckets(now).into_iter().zip([caps.window, caps.hour, caps.day]) {
            let take =
                Expression::default().add("used", amount.into()).set("ttl", n(bucket.expires)).only_if(
                    "attribute_not_exists(#used) OR #used <= :room",
                    [("#used", "used")],
                    [(":room", n(cap.saturating_sub(amount)))],
                );
            transaction.update(bucket.key, take);
        }
        Ok(self.transact(transaction).await?.is_written())
    }
}

struct StoredBucket {
    name: String,
    key: Key,
    /// Seconds since the epoch.
    expires: i64,
}

fn buckets(now: Moment) -> [StoredBucket; 3] {
    let second = now.as_second();
    let bucket = |span: &str, name: String, seconds: i64| StoredBucket {
        key: Key::new(format!("BUDGET#{span}#{name}"), "BUDGET"),
        name,
        expires: second + 2 * seconds,
    };
    [
        bucket("window", (second / 120).to_string(), 3600),
        bucket("hour", (second / 3600).to_string(), 86_400),
        bucket("day", now.utc_day(), 7 * 86_400),
    ]
}
