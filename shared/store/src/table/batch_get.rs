//! Reads many items by their keys. One request returns at most 16 MB, or less if the table throttles. It
//! reports the other keys as unprocessed, and this module requests them again. Every batch read uses this
//! module, so that no caller takes a partial answer for a complete one.

use std::time::Duration;

use aws_sdk_dynamodb::types::KeysAndAttributes;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};

use super::attributes::Item;
use super::client::Store;
use super::error::{Result, StoreError};
use super::key::Key;
use registry_model::Random;

/// The most keys in one request (DynamoDB API reference, `BatchGetItem`).
pub(crate) const MAX_KEYS: usize = 100;
/// Requests in flight at the same time.
const CONCURRENCY: usize = 4;
/// Requests for one batch before the table counts as busy.
pub(crate) const MAX_ATTEMPTS: u32 = 8;
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const MAX_PAUSE: Duration = Duration::from_millis(320);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consistency {
    /// Sees every earlier write. For values that are written back, or that a decision depends on.
    Strong,
    /// May miss the newest writes, but costs half as much. For values that are only displayed.
    Eventual,
}

impl Store {
    /// The items under these keys, in no order; keys without an item are left out. No key may be given twice.
    pub(crate) async fn batch_get(&self, keys: Vec<Key>, consistency: Consistency) -> Result<Vec<Item>> {
        let batches: Vec<Vec<Item>> =
            keys.chunks(MAX_KEYS).map(|batch| batch.iter().map(Key::item).collect()).collect();
        let reads = stream::iter(batches)
            .map(|batch| self.one_batch(batch, consistency))
            .buffer_unordered(CONCURRENCY);
        Ok(reads.try_collect::<Vec<_>>().await?.into_iter().flatten().collect())
    }

    async fn one_batch(&self, keys: Vec<Item>, consistency: Consistency) -> Result<Vec<Item>> {
        let mut items = Vec::with_capacity(keys.len());
        let strong = consistency == Consistency::Strong;
        let mut requested =
            KeysAndAttributes::builder().set_keys(Some(keys)).consistent_read(strong).build()?;
        for attempt in 0..MAX_ATTEMPTS {
            if attempt > 0 {
                tokio::time::sleep(pause_before(attempt)).await;
            }
            let answer = self.client.batch_get_item().request_items(&*self.table, requested).send().await?;
            items.extend(answer.responses.unwrap_or_default().remove(&*self.table).unwrap_or_default());
            match answer.unprocessed_keys.unwrap_or_default().remove(&*self.table) {
                None => return Ok(items),
                Some(rest) => requested = rest,
            }
        }
        Err(StoreError::Busy("a batch read left keys unprocessed at every attempt".into()))
    }
}

/// Doubles with each retry and is randomized, so that readers throttled together do not retry together. No outcome
/// depends on it, so it comes from the system even where an app's randomness is seeded.
pub(crate) fn pause_before(retry: u32) -> Duration {
    let longest = FIRST_PAUSE.saturating_mul(1 << (retry - 1).min(16)).min(MAX_PAUSE);
    let micros = u64::try_from(longest.as_micros()).unwrap_or(0);
    longest / 2 + Duration::from_micros(Random::System.below(micros / 2 + 1))
}

#[cfg(test)]
mod tests;
