//! What the boosts of listings are computed from, in one batch read: their trails, their outcomes, and the totals that the
//! multiplier of all follows from. A search shows boosts beside its hits, so they may not cost it a read each.

use std::collections::BTreeMap;

use super::attributes::{Item, text};
use super::batch_get::Consistency;
use super::client::Store;
use super::economy_bumps::bumps_of;
use super::error::StoreError;
use super::keys;
use super::outcomes::tally_of;
use super::trail_totals::{EventTotal, TrailTotals};
use super::trails::{listing_of, trail_of};
use registry_model::{ListingId, Moment, OutcomeTally, Trail};

/// What boosts are computed from; listings without a trail or an outcome are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BoostInputs {
    /// By listing.
    pub trails: BTreeMap<ListingId, Trail>,
    /// By listing.
    pub outcomes: BTreeMap<ListingId, OutcomeTally>,
    /// All that was deposited.
    pub totals: TrailTotals,
    /// What the operator added.
    pub bumps: EventTotal,
}

impl Store {
    /// What the boosts of these listings are computed from.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn boost_inputs(&self, ids: &[ListingId], now: Moment) -> Result<BoostInputs, StoreError> {
        let bumps = keys::economy_bumps();
        let of_listings = ids.iter().flat_map(|id| [keys::trail(id), keys::outcomes(id)]);
        let shared = keys::all_trail_totals().into_iter().chain([bumps.clone()]);
        let keys = of_listings.chain(shared).map(|key| key.item()).collect();
        let items = self.batch_get(keys, Consistency::Eventual).await?;
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
