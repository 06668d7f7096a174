//! The probe budget (`specification.md#probe-budget`). It limits the probes of each window of two minutes, of
//! each hour, and of each UTC day. A sweep takes probes from the budget with a conditional add. So several
//! sweeps at the same time never exceed a limit. Listings that anybody can publish get only a part of it, so that they
//! do not delay rechecks and listings of proven owners.

use crate::prelude::*;
use registry_settings::Settings;

pub(super) const BUDGET: KeyPattern = KeyPattern::new("BUDGET#", "BUDGET");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// In a window of two minutes.
    pub window: u32,
    pub hour: u32,
    /// In a UTC day.
    pub day: u32,
}

impl Caps {
    pub const fn of(settings: &Settings) -> Self {
        Self {
            window: settings.probe_window_cap,
            hour: settings.probe_hourly_cap,
            day: settings.probe_daily_budget,
        }
    }

    /// In an hour, for the listings of one domain that have never been Live.
    fn of_domain(self) -> u32 {
        (self.hour / 16).max(1)
    }
}

/// The part of a cap for all unproven listings together.
const fn for_unproven(cap: u32) -> u32 {
    cap.div_ceil(2)
}

/// The part of the budget from which a listing is probed. The default is that of a listing that has been Live.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share {
    /// The listing has never been Live, and no publisher has proven its name or domain.
    pub is_unproven: bool,
    /// The registrable domain of a listing that has never been Live: the proven one, otherwise that of its URL.
    pub domain: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bucket {
    /// For a window, the number of such windows since the epoch: `1495132` began 1495132 x 120 s after the epoch.
    pub name: String,
    pub used: u32,
    /// Of these, the probes of unproven listings.
    pub unproven: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BudgetState {
    pub window: Bucket,
    pub hour: Bucket,
    pub day: Bucket,
}

impl BudgetState {
    /// The probes left, for unproven listings or for others.
    pub fn left(&self, caps: Caps, is_unproven: bool) -> u32 {
        let left = |bucket: &Bucket, cap: u32| {
            let most = if is_unproven { for_unproven(cap).saturating_sub(bucket.unproven) } else { cap };
            cap.saturating_sub(bucket.used).min(most)
        };
        left(&self.window, caps.window).min(left(&self.hour, caps.hour)).min(left(&self.day, caps.day))
    }
}

impl Store {
    /// Takes up to `wanted` probes from the budget and returns how many it took.
    pub async fn take_probes(&self, wanted: u32, share: &Share, caps: Caps, now: Moment) -> Result<u32> {
        let mut wanted = wanted.min(BudgetState::default().left(caps, share.is_unproven));
        if share.domain.is_some() {
            wanted = wanted.min(caps.of_domain());
        }
        for _ in 0..4 {
            if wanted == 0 {
                return Ok(0);
            }
            if self.take_exactly(wanted, share, caps, now).await? {
                return Ok(wanted);
            }
            wanted = wanted.min(self.left(share, caps, now).await?);
        }
        Ok(0)
    }

    async fn left(&self, share: &Share, caps: Caps, now: Moment) -> Result<u32> {
        let left = self.budget(now).await?.left(caps, share.is_unproven);
        let Some(StoredBucket { key, .. }) = bucket_of_domain(share, now) else { return Ok(left) };
        let items = self.batch_get(vec![key], Consistency::Strong).await?;
        let used = items.first().map_or(0, |item| unsigned(item, "used"));
        Ok(left.min(caps.of_domain().saturating_sub(used)))
    }

    pub async fn budget(&self, now: Moment) -> Result<BudgetState> {
        let buckets = buckets(now);
        let keys = buckets.iter().map(|bucket| bucket.key.clone()).collect();
        let items = self.batch_get(keys, Consistency::Strong).await?;
        let [window, hour, day] = buckets.map(|StoredBucket { name, key, .. }| {
            let item = items.iter().find(|item| text(item, "pk") == key.pk);
            let count = |attribute| item.map_or(0, |item| unsigned(item, attribute));
            Bucket { name, used: count("used"), unproven: count(UNPROVEN) }
        });
        Ok(BudgetState { window, hour, day })
    }

    async fn take_exactly(&self, amount: u32, share: &Share, caps: Caps, now: Moment) -> Result<bool> {
        let room = |cap: u32| n(cap.saturating_sub(amount));
        let take = |expires: i64, cap: u32| {
            let take = Expression::default().add("used", amount).set("ttl", n(expires));
            take.if_missing_or("used", "<=", room(cap))
        };
        let mut transaction = Transaction::default();
        for (bucket, cap) in buckets(now).into_iter().zip([caps.window, caps.hour, caps.day]) {
            let mut take = take(bucket.expires, cap);
            if share.is_unproven {
                let take_unproven = take.add(UNPROVEN, amount);
                take = take_unproven.if_missing_or(UNPROVEN, "<=", room(for_unproven(cap)));
            }
            transaction.update(bucket.key, take);
        }
        if let Some(bucket) = bucket_of_domain(share, now) {
            transaction.update(bucket.key, take(bucket.expires, caps.of_domain()));
        }
        self.commit(transaction).await
    }
}

/// The attribute of a bucket that counts the probes of unproven listings.
const UNPROVEN: &str = "unproven";

struct StoredBucket {
    name: String,
    key: Key,
    /// Seconds since the epoch.
    expires: i64,
}

fn bucket(span: &str, name: String, seconds: i64, now: Moment) -> StoredBucket {
    let key = Key::new(format!("{}{span}#{name}", BUDGET.prefix), BUDGET.sort);
    StoredBucket { key, name, expires: now.as_second() + 2 * seconds }
}

fn buckets(now: Moment) -> [StoredBucket; 3] {
    let second = now.as_second();
    [
        bucket("window", (second / 120).to_string(), 3600, now),
        bucket("hour", (second / 3600).to_string(), 86_400, now),
        bucket("day", now.utc_day(), 7 * 86_400, now),
    ]
}

/// Strangers can publish unproven listings at any domain, so these have a bucket of their own.
fn bucket_of_domain(share: &Share, now: Moment) -> Option<StoredBucket> {
    let span = if share.is_unproven { "domain" } else { "proven" };
    let name = format!("{}#{}", share.domain.as_ref()?, now.as_second() / 3600);
    Some(bucket(span, name, 3600, now))
}
