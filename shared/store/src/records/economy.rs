//! The data from which the economy figures are computed: hourly samples for curves, and the amounts
//! that the operator added by hand. Also reads the data for the boost of a listing, a number that can move
//! the listing up in search results.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::deposit::{add_scaled, sum_left};
use super::outcomes::tally_of;
use super::trail_totals::{EventTotal, TrailTotals};
use super::trails::{listing_of, trail_of};
use crate::table::prelude::*;
use registry_model::{Decay, EconomyTotals, OutcomeTally, Trail};

const SAMPLE_RETENTION: i64 = 40 * 86_400;

/// The attribute with the sum of what the operator added.
const BUMPS: &str = "adds";

/// The registry at a full hour.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EconomySample {
    pub at: Moment,
    pub acceleration_index: f64,
    pub counts: EconomyTotals,
}

/// What boosts are computed from; listings without a trail or an outcome are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoostInputs {
    pub trails: BTreeMap<ListingId, Trail>,
    pub outcomes: BTreeMap<ListingId, OutcomeTally>,
    pub totals: TrailTotals,
    pub bumps: EventTotal,
}

impl Store {
    pub async fn has_economy_sample(&self, at: Moment) -> Result<bool> {
        let key = Key::new(keys::ECONOMY, keys::millis(at.rounded_down(3600)));
        Ok(self.read(&key, Consistency::Eventual).await?.is_some())
    }

    /// Stores the sample of an hour; false if the hour already has a sample, for example if a tick is delivered twice.
    pub async fn keep_economy_sample(&self, sample: &EconomySample) -> Result<bool> {
        let key = Key::new(keys::ECONOMY, keys::millis(sample.at.rounded_down(3600)));
        self.put_new(key.with([("sample", to_blob(sample)?), ttl(sample.at, SAMPLE_RETENTION)])).await
    }

    /// The latest samples, the newest first.
    pub async fn economy_samples(&self, limit: u32) -> Result<Vec<EconomySample>> {
        self.query_blobs(Query::of(keys::ECONOMY).descending().limit(limit), "sample").await
    }

    /// Adds an amount of the operator to the acceleration index. The sum of these amounts falls with time like the sum
    /// of the events, and is stored separately.
    pub async fn add_bump(&self, adds: f64, now: Moment) -> Result<()> {
        let change = add_scaled(Expression::default(), BUMPS, Decay::RECENT, adds, now).add("count", 1);
        self.update(&keys::ECONOMY_BUMPS.key(), &change, None).await.map(drop)
    }

    /// How often the operator added an amount, and what is left of the sum. Contains the amount that was just added.
    pub async fn bumps(&self, now: Moment) -> Result<EventTotal> {
        let item = self.read(&keys::ECONOMY_BUMPS.key(), Consistency::Strong).await?;
        Ok(bumps_of(&item.unwrap_or_default(), now))
    }

    /// The data from which the boosts of these listings are computed, by one batch read. A search shows a boost with
    /// each hit, so there must not be one read per listing.
    pub async fn boost_inputs(&self, ids: &[ListingId], now: Moment) -> Result<BoostInputs> {
        let bumps = keys::ECONOMY_BUMPS.key();
        let of_listings = ids.iter().flat_map(|id| [keys::TRAIL.of(id), keys::OUTCOME_TALLY.of(id)]);
        let keys = of_listings.chain(keys::all_trail_totals()).chain([bumps.clone()]).collect();
        let read = |missing| self.batch_get(missing, Consistency::Eventual);
        let items = self.read_cache.boosts(keys, read).await?;
        let of_partition =
            |pk: &str| items.iter().filter(|item| text(item, "pk") == pk).cloned().collect::<Vec<Item>>();
        Ok(BoostInputs {
            trails: items.iter().filter_map(|item| Some((listing_of(item)?, trail_of(item, now)))).collect(),
            outcomes: items.iter().filter_map(tally_of).collect(),
            totals: TrailTotals::of_items(&of_partition(keys::TRAILS), now),
            bumps: of_partition(&bumps.pk).first().map(|item| bumps_of(item, now)).unwrap_or_default(),
        })
    }
}

fn bumps_of(item: &Item, now: Moment) -> EventTotal {
    let recent = sum_left(std::slice::from_ref(item), BUMPS, Decay::RECENT, now);
    EventTotal { count: count(item, "count"), recent }
}
