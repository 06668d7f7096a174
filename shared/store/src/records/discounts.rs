//! Discount codes, stored under the digest of the code. An item contains the listing that earned the code,
//! and whether a purchase has reserved or used the code. A reservation expires, so that an abandoned purchase
//! does not block its code forever.

use crate::table::prelude::*;
use registry_model::PurchaseId;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discount {
    /// The listing whose feedback earned the code; `None` if this cannot be read.
    pub listing_id: Option<ListingId>,
    pub usage: DiscountUse,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiscountUse {
    Free,
    /// An unpaid purchase holds it until this time.
    Held(PurchaseId, Moment),
    /// A purchase was paid with it.
    Used,
}

impl Store {
    pub async fn discount(&self, digest: &str) -> Result<Option<Discount>> {
        let item = self.read(&keys::DISCOUNT_CODE.of(digest), Consistency::Strong).await?;
        Ok(item.map(|item| {
            let usage = match (text(&item, "held_by").parse(), moment(&item, "held_until")) {
                _ if !text(&item, "used_by").is_empty() => DiscountUse::Used,
                (Ok(purchase), Some(until)) => DiscountUse::Held(purchase, until),
                _ => DiscountUse::Free,
            };
            Discount { listing_id: text(&item, "listing_id").parse().ok(), usage }
        }))
    }
}

/// Reserves a code if it is free, if its reservation has ended, or if the reservation belongs to `given_up`.
pub(crate) fn hold(
    purchase: &PurchaseId,
    given_up: Option<&PurchaseId>,
    now: Moment,
    until: Moment,
) -> Expression {
    unused().set("held_by", s(purchase.as_str())).set("held_until", n(until.as_millisecond())).only_if(
        "(attribute_not_exists(held_by) OR held_until < :now OR held_by = :given_up)",
        [],
        [(":now", n(now.as_millisecond())), (":given_up", s(given_up.map_or("-", PurchaseId::as_str)))],
    )
}

/// A condition: no purchase holds or has used the code.
pub(crate) fn unspent(now: Moment) -> Expression {
    unused().if_missing_or("held_until", "<", n(now.as_millisecond()))
}

/// A condition: no purchase has used the code.
pub(crate) fn unused() -> Expression {
    Expression::default().if_exists().if_missing("used_by")
}

pub(crate) fn release(purchase: &PurchaseId) -> Expression {
    let released = Expression::default().remove("held_by").remove("held_until");
    released.if_equal("held_by", s(purchase.as_str()))
}

/// Marks a code as used by this purchase, also where another purchase holds the code by now. So a payment that is
/// confirmed late does not leave the code free for a second one.
pub(crate) fn use_up(purchase: &PurchaseId, now: Moment) -> Expression {
    let used = unused().set("used_by", s(purchase.as_str())).set("used_at", n(now.as_millisecond()));
    used.remove("held_by").remove("held_until")
}
