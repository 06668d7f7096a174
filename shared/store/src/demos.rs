//! Demos: the order of one, and the mark at the listing that took it. Taken twice, it is the same order; counted with the
//! counters of what is Live, because the active list shows both.

use aws_sdk_dynamodb::types::AttributeValue;

use super::attributes::{Item, s, text};
use super::batch_get::Consistency;
use super::client::Store;
use super::deposit::Deposit;
use super::error::StoreError;
use super::expression::Expression;
use super::feed;
use super::keys;
use super::listing_item::{NamedListing, joined};
use super::rates::{Allowance, UsedUp};
use super::trails::trail_of;
use super::transaction::{Outcome, Transaction};
use registry_model::{
    Amounts, FeedItem, Kind, Lane, Listing, ListingId, Moment, Order, OrderId, Sku, TrailEvent,
};

/// A listing with its evidence, and the orders of the demos that it took.
#[derive(Debug)]
pub struct WithOrders {
    /// The listing and its evidence.
    pub listing: NamedListing,
    /// Its orders, one for each product.
    pub orders: Vec<Order>,
    /// The values of its trail.
    pub trail: Amounts,
}

/// How taking a demo ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemoOutcome {
    /// The order was written.
    Taken,
    /// There was one already.
    AlreadyTaken,
    /// The listing is Active no longer; nothing was written.
    NotActive,
    /// An allowance is used up; nothing was written.
    Limited(UsedUp),
}

fn to_item(order: &Order) -> Result<Item, StoreError> {
    let mut item = keys::order(&order.order_id).item();
    item.insert("order".to_owned(), s(serde_json::to_string(order)?));
    Ok(item)
}

fn order_of(item: &Item) -> Result<Order, StoreError> {
    Ok(serde_json::from_str(text(item, "order"))?)
}

impl Store {
    /// A listing with its evidence and its orders, by one read.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn listing_with_orders(
        &self,
        id: &ListingId,
        now: Moment,
    ) -> Result<Option<WithOrders>, StoreError> {
        let orders = Sku::ALL.map(|sku| keys::order(&OrderId::of(id, sku)));
        let keys = [keys::listing(id), keys::evidence(id), keys::trail(id)].into_iter().chain(orders);
        let items = self.batch_get(keys.map(|key| key.item()).collect(), Consistency::Strong).await?;
        let (orders, others): (Vec<Item>, Vec<Item>) =
            items.into_iter().partition(|item| text(item, "sk") == "ORDER");
        let (trail, listing): (Vec<Item>, Vec<Item>) =
            others.into_iter().partition(|item| text(item, "sk") == keys::TRAIL);
        let Some(listing) = joined(listing)?.pop() else { return Ok(None) };
        let orders = orders.iter().map(order_of).collect::<Result<_, _>>()?;
        let trail = trail.first().map(|item| trail_of(item, now).values()).unwrap_or_default();
        Ok(Some(WithOrders { listing, orders, trail }))
    }

    /// The order of this id.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn order(&self, id: &OrderId) -> Result<Option<Order>, StoreError> {
        let answer = self
            .client
            .get_item()
            .table_name(&*self.table)
            .set_key(Some(keys::order(id).item()))
            .consistent_read(true)
            .send()
            .await?;
        answer.item.as_ref().map(order_of).transpose()
    }

    /// Takes a demo: the order, the mark at the listing, its count, its news and what it deposits on the `trail` that was
    /// read, in one transaction and once only.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
    pub async fn take_demo(
        &self,
        listing: &Listing,
        order: &Order,
        trail: Amounts,
        allowance: Option<Allowance<'_>>,
        news: &FeedItem,
    ) -> Result<DemoOutcome, StoreError> {
        let mut transaction = Transaction::default();
        self.put(&mut transaction, to_item(order)?, Some("attribute_not_exists(pk)"))?;
        let mark = Expression::default().set("demoed", AttributeValue::Bool(true)).only_if(
            "lane = :active",
            [],
            [(":active", s(Lane::Active.as_str()))],
        );
        self.update(&mut transaction, &keys::listing(&listing.id), &mark)?;
        let counter = match listing.shown_kind() {
            Kind::Agent => "demos_agents",
            Kind::Mcp => "demos_mcps",
        };
        let count = Expression::default().add("version", 1).add(counter, 1);
        self.update(&mut transaction, &keys::live(&listing.id), &count)?;
        self.put(&mut transaction, feed::to_item(news)?, None)?;
        let deposit = Deposit::of(&listing.id, TrailEvent::TakeDemo).on(Some(trail));
        self.deposit(&mut transaction, &deposit, order.at)?;
        let counted =
            allowance.map(|allowance| self.allow(&mut transaction, &allowance, order.at)).transpose()?;
        Ok(match self.transact(transaction).await? {
            Outcome::Written => DemoOutcome::Taken,
            Outcome::Refused(positions) if positions.contains(&0) => DemoOutcome::AlreadyTaken,
            Outcome::Refused(positions) => counted
                .and_then(|counted| counted.used_up(&positions))
                .map_or(DemoOutcome::NotActive, DemoOutcome::Limited),
        })
    }

    /// Writes an order in the place of what it was.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn replace_order(&self, order: &Order) -> Result<(), StoreError> {
        let mut transaction = Transaction::default();
        self.put(&mut transaction, to_item(order)?, Some("attribute_exists(pk)"))?;
        self.transact(transaction).await.map(drop)
    }
}
