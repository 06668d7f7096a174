//! Demos: the order of one, and the mark at the listing that took it. Taken twice, it is the same order; counted with the
//! counters of what is Live, because the active list shows both.

use aws_sdk_dynamodb::types::AttributeValue;

use super::attributes::{Item, s, text};
use super::batch_get::Consistency;
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use super::listing_item::{NamedListing, joined};
use super::rates::Allowance;
use super::transaction::{Outcome, Transaction};
use crate::model::{FeedItem, Lane, Listing, ListingId, Moment, Order, OrderId, Sku};

/// A listing with its evidence, and the order of its demo where it took one.
#[derive(Debug)]
pub struct Demoed {
    /// The listing and its evidence.
    pub listing: NamedListing,
    /// The order of the product that was asked for.
    pub order: Option<Order>,
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
    /// An allowance is used up: whose, and the seconds until the next.
    Limited(&'static str, u32),
}

impl Order {
    fn item(&self) -> Result<Item, StoreError> {
        let mut item = keys::order(&self.order_id).item();
        item.insert("order".to_owned(), s(serde_json::to_string(self)?));
        Ok(item)
    }
}

fn order_of(item: &Item) -> Result<Order, StoreError> {
    Ok(serde_json::from_str(text(item, "order"))?)
}

impl Store {
    /// A listing with its evidence and the order of this product, by one read.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn listing_with_order(&self, id: &ListingId, sku: Sku) -> Result<Option<Demoed>, StoreError> {
        let order = keys::order(&OrderId::of(id, sku));
        let keys = [keys::listing(id), keys::evidence(id), order].map(|key| key.item());
        let items = self.batch_get(keys.into(), Consistency::Strong).await?;
        let (orders, listing): (Vec<Item>, Vec<Item>) =
            items.into_iter().partition(|item| text(item, "sk") == "ORDER");
        let Some(listing) = joined(listing)?.pop() else { return Ok(None) };
        Ok(Some(Demoed { listing, order: orders.first().map(order_of).transpose()? }))
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

    /// Takes a demo: the order, the mark at the listing, its count and its news, in one transaction and once only.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
    pub async fn take_demo(
        &self,
        listing: &Listing,
        order: &Order,
        allowance: Option<Allowance<'_>>,
        news: &FeedItem,
    ) -> Result<DemoOutcome, StoreError> {
        let mut transaction = Transaction::default();
        self.put(&mut transaction, order.item()?, Some("attribute_not_exists(pk)"))?;
        let mark = Expression::default().set("demoed", AttributeValue::Bool(true)).only_if(
            "lane = :active",
            [],
            [(":active", s(Lane::Active.as_str()))],
        );
        self.update(&mut transaction, &keys::listing(&listing.id), &mark)?;
        let counted = match listing.shown_kind() {
            crate::model::Kind::Agent => "demos_agents",
            crate::model::Kind::Mcp => "demos_mcps",
        };
        let count = Expression::default().add("version", 1).add(counted, 1);
        self.update(&mut transaction, &keys::live(&listing.id), &count)?;
        self.put(&mut transaction, news.item()?, None)?;
        let allowances_from = transaction.len();
        let counted = match &allowance {
            Some(allowance) => self.allow(&mut transaction, allowance, order.at)?,
            None => Vec::new(),
        };
        Ok(match self.transact(transaction).await? {
            Outcome::Written => DemoOutcome::Taken,
            Outcome::Refused(positions) if positions.contains(&0) => DemoOutcome::AlreadyTaken,
            Outcome::Refused(positions) if positions.contains(&1) => DemoOutcome::NotActive,
            Outcome::Refused(positions) => {
                let used_up = positions.first().and_then(|at| counted.get(at - allowances_from));
                let (whose, wait) = (used_up.copied().unwrap_or("caller"), super::rates::wait(order.at));
                DemoOutcome::Limited(whose, wait)
            }
        })
    }

    /// Confirms an invited demo. False where there is no such order.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn confirm_demo(&self, order: &Order, now: Moment) -> Result<bool, StoreError> {
        let confirmed = Order { confirmed_at: order.confirmed_at.or(Some(now)), ..order.clone() };
        let mut transaction = Transaction::default();
        self.put(&mut transaction, confirmed.item()?, Some("attribute_exists(pk)"))?;
        Ok(self.transact(transaction).await? == Outcome::Written)
    }
}
