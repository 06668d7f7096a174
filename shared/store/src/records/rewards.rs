//! What feedback earns. A grant is the right to use a product. It is stored under the digest of its access token, not under
//! the token. A discount code is stored under its digest, too, with the listing that earned it, and whether a purchase has
//! reserved or used it. A reservation expires, so that an abandoned purchase does not block its code forever.

use crate::prelude::*;
use registry_model::{Grant, PurchaseId, TokenDigest};

pub(super) const GRANT: Record<Grant> = Record::new("TOKEN#", "GRANT", "grant");
pub(super) const DISCOUNT_CODE: KeyPattern = KeyPattern::new("CODE#", "CODE");

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
    pub async fn grant(&self, token: &TokenDigest) -> Result<Option<Grant>> {
        let item = self.read(&GRANT.of(token)).await?;
        item.filter(|item| item.contains_key(GRANT.attribute)).map(|item| GRANT.read(&item)).transpose()
    }

    /// Revokes the grant of a token; false where there was none.
    pub async fn revoke_grant(&self, token: &TokenDigest) -> Result<bool> {
        self.change(GRANT.of(token), revocation().if_present(GRANT.attribute)).await
    }

    pub async fn discount(&self, digest: &str) -> Result<Option<Discount>> {
        Ok(self.read(&DISCOUNT_CODE.of(digest)).await?.map(|item| {
            let usage = match (text(&item, "held_by").parse(), moment(&item, "held_until")) {
                _ if !text(&item, "used_by").is_empty() => DiscountUse::Used,
                (Ok(purchase), Some(until)) => DiscountUse::Held(purchase, until),
                _ => DiscountUse::Free,
            };
            Discount { listing_id: text(&item, "listing_id").parse().ok(), usage }
        }))
    }
}

/// Removes the grant of a token and leaves a mark, so that an import of an older export does not bring it back.
pub(super) fn revocation() -> Expression {
    Expression::default().set("revoked", yes()).remove(GRANT.attribute).remove("ttl")
}

pub(super) fn grant_item(grant: &Grant, token: &TokenDigest) -> Result<Item> {
    Ok(GRANT.of(token).with([GRANT.value(grant)?]))
}

/// Reserves a code if it is free, if its reservation has ended, or if the reservation belongs to `given_up`.
pub(super) fn hold(
    purchase: &PurchaseId,
    given_up: Option<&PurchaseId>,
    now: Moment,
    until: Moment,
) -> Expression {
    unused().set("held_by", s(purchase.as_str())).set("held_until", ms(until)).only_if(
        "(attribute_not_exists(held_by) OR held_until < :now OR held_by = :given_up)",
        [],
        [(":now", ms(now)), (":given_up", s(given_up.map_or("-", PurchaseId::as_str)))],
    )
}

/// A condition: no purchase holds or has used the code.
pub(super) fn unspent(now: Moment) -> Expression {
    unused().if_missing_or("held_until", "<", ms(now))
}

/// A condition: no purchase has used the code.
pub(super) fn unused() -> Expression {
    Expression::default().if_exists().if_missing("used_by")
}

pub(super) fn release(purchase: &PurchaseId) -> Expression {
    let released = Expression::default().remove("held_by").remove("held_until");
    released.if_equal("held_by", s(purchase.as_str()))
}

/// Marks a code as used by this purchase, also where another purchase holds the code by now. So a payment that is
/// confirmed late does not leave the code free for a second one.
pub(super) fn use_up(purchase: &PurchaseId, now: Moment) -> Expression {
    let used = unused().set("used_by", s(purchase.as_str())).set("used_at", ms(now));
    used.remove("held_by").remove("held_until")
}
