//! Stores the order of a demo, and a field of the listing that points to this order. If the request for the
//! demo is repeated, it returns the same order. The count of demos is stored next to the count of Live
//! listings, because the active list shows both counts.

use super::counters::{UNCONFIRMED, live};
use super::evidence::EVIDENCE;
use super::listings::with_evidence;
use super::trails::{TRAIL, trail_of};
use crate::counts::by_kind;
use crate::prelude::*;
use crate::table::read_cache::NamedListing;
use registry_model::{Amounts, FeedItem, Lane, Order, OrderId, Sku, TrailEvent};

pub(super) const ORDER: Record<Order> = Record::new("ORDER#", "ORDER", "order");

/// A listing with its evidence, and the orders of its demos.
#[derive(Debug)]
pub struct ListingWithOrders {
    pub listing: NamedListing,
    /// One for each product.
    pub orders: Vec<Order>,
    pub trail: Amounts,
}

/// How taking a demo ended. Nothing is written unless it was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemoOutcome {
    Taken,
    AlreadyTaken,
    NotActive,
}

impl Store {
    /// A listing with its evidence and its orders, by one read.
    pub async fn listing_with_orders(&self, id: &ListingId, at: Moment) -> Result<Option<ListingWithOrders>> {
        let orders = Sku::ALL.map(|sku| ORDER.of(OrderId::of(id, sku)));
        let keys = [LISTING.of(id), EVIDENCE.of(id), TRAIL.of(id)].into_iter().chain(orders);
        let items = self.batch_get(keys.collect(), Consistency::Strong).await?;
        let (orders, others) = ORDER.split(items);
        let (trail, listing) = TRAIL.split(others);
        let Some(listing) = with_evidence(listing)?.pop() else { return Ok(None) };
        let trail = trail.first().map(|item| trail_of(item, at).values).unwrap_or_default();
        Ok(Some(ListingWithOrders { listing, orders: ORDER.read_all(&orders)?, trail }))
    }

    pub async fn order(&self, id: &OrderId) -> Result<Option<Order>> {
        self.get(&ORDER, &ORDER.of(id)).await
    }

    /// Takes a demo: the order, the mark at the listing, its count, its feed item and its deposit on the `trail` that was
    /// read, in one transaction and once only.
    pub async fn take_demo(
        &self,
        listing: &Listing,
        order: &Order,
        trail: Amounts,
        act: Act<'_>,
        news: &FeedItem,
    ) -> Result<DemoOutcome> {
        self.count_allowed(act, order.at).await?;
        let mut transaction = Transaction::default();
        let new_order = transaction.put_new(ORDER.of(&order.order_id).with([ORDER.value(order)?]));
        let mark = Expression::default().set("demoed", yes()).if_equal("lane", s(Lane::Active.as_str()));
        transaction.update(LISTING.of(&listing.id), mark);
        let counter = by_kind(listing.likely_kind(), "demos_agents", "demos_mcps");
        let unconfirmed = i64::from(!order.is_real());
        let count = Expression::default().add("version", 1).add(counter, 1).add(UNCONFIRMED, unconfirmed);
        transaction.update(live(&listing.id), count);
        feed::add(&mut transaction, news)?;
        let deposit = Deposit::of(&listing.id, TrailEvent::TakeDemo).on(Some(trail));
        deposits::add(&mut transaction, &[deposit], order.at);
        Ok(match self.transact(transaction).await? {
            Outcome::Written => DemoOutcome::Taken,
            Outcome::Refused(refused) if refused.includes(new_order) => DemoOutcome::AlreadyTaken,
            Outcome::Refused(_) => DemoOutcome::NotActive,
        })
    }

    /// Replaces an order that did not count as real by one that does. False where another request was faster.
    pub async fn confirm_order(&self, before: &Order, after: &Order) -> Result<bool> {
        let (name, value) = ORDER.value(after)?;
        let change = Expression::default().set(name, value).if_equal(name, to_blob(before)?);
        let mut transaction = Transaction::updating(ORDER.of(&after.order_id), change);
        let count = Expression::default().add("version", 1).add(UNCONFIRMED, -1);
        transaction.update(live(&after.listing_id), count);
        self.commit(transaction).await
    }
}
