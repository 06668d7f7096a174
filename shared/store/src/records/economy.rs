//! The data from which the economy figures are computed: hourly samples for curves, and the amounts
//! that the operator added by hand. Also reads the data for the boost of a listing, a number that can move
//! the listing up in search results.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::outcomes::{TALLY, tally_of};
use super::trail_totals::{EventTotal, TOTALS, TrailTotals, all_totals};
use super::trails::{TRAIL, add_scaled, listing_of, sum_left, trail_of};
use crate::prelude::*;
use registry_model::{Decay, EconomyTotals, OutcomeTally, Trail};

/// The samples of full hours, by time.
pub(super) const SAMPLE: Record<EconomySample> = Record::new("ECONOMY", "", "sample").stored_for(40 * 86_400);
/// What the operator added to the acceleration index.
pub(super) const ECONOMY_BUMPS: KeyPattern = KeyPattern::new("ECONOMY#BUMPS", "BUMPS");

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
        Ok(self.read_with(&key_of(at), Consistency::Eventual).await?.is_some())
    }

    /// Stores the sample of an hour; false if the hour already has a sample, for example if a tick is delivered twice.
    pub async fn keep_economy_sample(&self, sample: &EconomySample) -> Result<bool> {
        self.put_new(SAMPLE.item(&key_of(sample.at), sample, sample.at)?).await
    }

    /// The latest samples, the newest first.
    pub async fn economy_samples(&self, limit: u32) -> Result<Vec<EconomySample>> {
        self.list(&SAMPLE, Query::of(SAMPLE.prefix).descending().limit(limit)).await
    }

    /// Adds an amount of the operator to the acceleration index. The sum of these amounts falls with time like the sum
    /// of the events, and is stored separately.
    pub async fn add_bump(&self, adds: f64, now: Moment) -> Result<()> {
        let change = add_scaled(Expression::default(), BUMPS, Decay::RECENT, adds, now).add("count", 1);
        self.update(&ECONOMY_BUMPS.key(), &change, None).await.map(drop)
    }

    /// How often the operator added an amount, and what is left of the sum. Contains the amount that was just added.
    pub async fn bumps(&self, now: Moment) -> Result<EventTotal> {
        let item = self.read(&ECONOMY_BUMPS.key()).await?;
        Ok(bumps_of(&item.unwrap_or_default(), now))
    }

    /// The data from which the boosts of these listings are computed, by one batch read. A search shows a boost with
    /// each hit, so there must not be one read per listing.
    pub async fn boost_inputs(&self, ids: &[ListingId], now: Moment) -> Result<BoostInputs> {
        let bumps = ECONOMY_BUMPS.key();
        let of_listings = ids.iter().flat_map(|id| [TRAIL.of(id), TALLY.of(id)]);
        let keys = of_listings.chain(all_totals()).chain([bumps.clone()]).collect();
        let read = |missing| self.batch_get(missing, Consistency::Eventual);
        let items = self.read_cache.boosts(keys, read).await?;
        let of_partition =
            |pk: &str| items.iter().filter(|item| text(item, "pk") == pk).cloned().collect::<Vec<Item>>();
        Ok(BoostInputs {
            trails: items.iter().filter_map(|item| Some((listing_of(item)?, trail_of(item, now)))).collect(),
            outcomes: items.iter().filter_map(tally_of).collect(),
            totals: TrailTotals::of_items(&of_partition(TOTALS.prefix), now),
            bumps: of_partition(&bumps.pk).first().map(|item| bumps_of(item, now)).unwrap_or_default(),
        })
    }
}

fn key_of(at: Moment) -> Key {
    SAMPLE.one(key::millis(at.rounded_down(3600)))
}

fn bumps_of(item: &Item, now: Moment) -> EventTotal {
    let recent = sum_left(std::slice::from_ref(item), BUMPS, Decay::RECENT, now);
    EventTotal { count: unsigned(item, "count"), recent }
}
