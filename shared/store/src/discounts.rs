//! Discount codes by their digest: whose one is, and whether a purchase holds or has used it. A hold ends by itself, so
//! that a purchase of which nothing more is heard keeps no code for ever.

use super::attributes::{n, number, s, text};
use super::client::Store;
use super::error::StoreError;
use super::expression::Expression;
use super::keys;
use registry_model::{ListingId, Moment, PurchaseId};

/// A discount code as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discount {
    /// The listing whose feedback brought it; none where that cannot be read.
    pub listing_id: Option<ListingId>,
    /// What became of it.
    pub usage: DiscountUse,
}

/// What became of a discount code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiscountUse {
    /// Nothing yet.
    Free,
    /// An unpaid purchase holds it until then.
    Held(PurchaseId, Moment),
    /// A purchase was paid with it.
    Used,
}

impl Store {
    /// A discount code by its digest.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn discount(&self, digest: &str) -> Result<Option<Discount>, StoreError> {
        let answer = self
            .client
            .get_item()
            .table_name(&*self.table)
            .set_key(Some(keys::discount_code(digest).item()))
            .consistent_read(true)
            .send()
            .await?;
        Ok(answer.item.map(|item| {
            let held_until = Moment::from_millisecond(number(&item, "held_until"));
            let usage = match (text(&item, "held_by").parse(), held_until) {
                _ if !text(&item, "used_by").is_empty() => DiscountUse::Used,
                (Ok(purchase), Some(until)) => DiscountUse::Held(purchase, until),
                _ => DiscountUse::Free,
            };
            Discount { listing_id: text(&item, "listing_id").parse().ok(), usage }
        }))
    }
}

/// Holds a code that is free, or whose hold has ended or is that of `given_up`.
pub(super) fn hold(
    purchase: &PurchaseId,
    given_up: Option<&PurchaseId>,
    now: Moment,
    until: Moment,
) -> Expression {
    Expression::default()
        .set("held_by", s(purchase.as_str()))
        .set("held_until", n(until.as_millisecond()))
        .only_if(
            "attribute_exists(pk) AND attribute_not_exists(used_by) AND (attribute_not_exists(held_by) \
             OR held_until < :now OR held_by = :given_up)",
            [],
            [(":now", n(now.as_millisecond())), (":given_up", s(given_up.map_or("-", PurchaseId::as_str)))],
        )
}

/// Holds for a code that no purchase holds or has used.
pub(super) fn unspent(now: Moment) -> Expression {
    Expression::default().only_if(
        "attribute_exists(pk) AND attribute_not_exists(used_by) \
         AND (attribute_not_exists(held_by) OR held_until < :now)",
        [],
        [(":now", n(now.as_millisecond()))],
    )
}

/// Gives a code back that this purchase holds.
pub(super) fn release(purchase: &PurchaseId) -> Expression {
    held_by(Expression::default().remove("held_by").remove("held_until"), purchase)
}

/// Uses up a code that this purchase holds.
pub(super) fn use_up(purchase: &PurchaseId, now: Moment) -> Expression {
    let used =
        Expression::default().set("used_by", s(purchase.as_str())).set("used_at", n(now.as_millisecond()));
    held_by(used.remove("held_by").remove("held_until"), purchase)
}

fn held_by(change: Expression, purchase: &PurchaseId) -> Expression {
    change.only_if("held_by = :holder", [], [(":holder", s(purchase.as_str()))])
}
