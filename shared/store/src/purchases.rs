//! Purchases: what waits for its payment, kept before anybody is asked to pay. A purchase, what its token will open, the
//! code that it holds and the request that began it are one transaction; what is never paid leaves by its TTL.

use super::attributes::{Item, n, s, text};
use super::client::Store;
use super::discounts;
use super::error::StoreError;
use super::expression::Expression;
use super::grants;
use super::keys;
use super::rates::{Allowance, UsedUp};
use super::transaction::{Outcome, Transaction};
use registry_model::{Moment, PaymentSession, Purchase, PurchaseId, PurchaseState, TokenDigest};

/// Seconds for which an unpaid purchase is kept after its end: the provider repeats its events for days.
const KEPT: i64 = 30 * 86_400;

/// A purchase, and how far it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptPurchase {
    /// What was asked for.
    pub purchase: Purchase,
    /// How far it is.
    pub state: PurchaseState,
    /// Where it is paid, once the provider has said so.
    pub session: Option<PaymentSession>,
}

/// A purchase to be begun.
#[derive(Clone, Copy, Debug)]
pub struct NewPurchase<'a> {
    /// The purchase.
    pub purchase: &'a Purchase,
    /// The digest of what makes a request the same.
    pub repeat: &'a str,
    /// The purchase that the same request began before, and that is over.
    pub replaces: Option<&'a PurchaseId>,
    /// Of that, the hold on the code may be taken over: it cannot be paid any more.
    pub given_up: Option<&'a PurchaseId>,
    /// Until when its code is held.
    pub held_until: Moment,
}

/// How beginning a purchase ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BeginOutcome {
    /// Written.
    Begun,
    /// The same request began one already; nothing was written.
    Repeated,
    /// Its discount code is held or used; nothing was written.
    CodeTaken,
    /// An allowance is used up; nothing was written.
    Limited(UsedUp),
}

impl Store {
    /// A purchase by its id.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn purchase(&self, id: &PurchaseId) -> Result<Option<KeptPurchase>, StoreError> {
        self.item_at(&keys::purchase(id)).await?.as_ref().map(kept).transpose()
    }

    /// The purchase that a request began, by the digest of what makes it the same.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn repeated_purchase(&self, repeat: &str) -> Result<Option<PurchaseId>, StoreError> {
        let item = self.item_at(&keys::repeat(repeat)).await?;
        Ok(item.and_then(|item| text(&item, "purchase_id").parse().ok()))
    }

    /// Writes a purchase with what its token will open, and holds its code.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was written.
    pub async fn begin_purchase(
        &self,
        new: NewPurchase<'_>,
        allowance: Option<Allowance<'_>>,
    ) -> Result<BeginOutcome, StoreError> {
        let NewPurchase { purchase, repeat, replaces, given_up, held_until } = new;
        let (id, now) = (&purchase.id, purchase.grant.at);
        let ttl = || n(purchase.expires_at.as_second() + KEPT);
        let mut transaction = Transaction::default();
        let pointer = Expression::default().set("purchase_id", s(id.as_str())).set("ttl", ttl()).only_if(
            "attribute_not_exists(purchase_id) OR purchase_id = :replaced",
            [],
            [(":replaced", s(replaces.map_or("-", PurchaseId::as_str)))],
        );
        self.update(&mut transaction, &keys::repeat(repeat), &pointer)?;
        let mut item = keys::purchase(id).item();
        item.insert("purchase".to_owned(), s(serde_json::to_string(purchase)?));
        item.insert("state".to_owned(), s(PurchaseState::Pending.as_str()));
        item.insert("ttl".to_owned(), ttl());
        self.put(&mut transaction, item, Some("attribute_not_exists(pk)"))?;
        let mut grant = grants::to_item(&purchase.grant, &TokenDigest::of_table(&purchase.token))?;
        grant.insert("ttl".to_owned(), ttl());
        self.put(&mut transaction, grant, Some("attribute_not_exists(pk)"))?;
        let counted = allowance.map(|allowance| self.allow(&mut transaction, &allowance, now)).transpose()?;
        if let Some(code) = &purchase.code {
            let hold = discounts::hold(id, given_up, now, held_until);
            self.update(&mut transaction, &keys::discount_code(code), &hold)?;
        }
        Ok(match self.transact(transaction).await? {
            Outcome::Written => BeginOutcome::Begun,
            Outcome::Refused(positions) if positions.iter().any(|position| *position < 3) => {
                BeginOutcome::Repeated
            }
            Outcome::Refused(positions) => counted
                .and_then(|counted| counted.used_up(&positions))
                .map_or(BeginOutcome::CodeTaken, BeginOutcome::Limited),
        })
    }

    /// Notes where a purchase is paid; false where it is gone, or paid elsewhere.
    ///
    /// # Errors
    /// The table is busy or refused.
    pub async fn note_session(&self, id: &PurchaseId, session: &PaymentSession) -> Result<bool, StoreError> {
        let mut transaction = Transaction::default();
        let note = Expression::default()
            .set("session", s(&session.id))
            .set("checkout_url", s(&session.url))
            .only_if(
                "attribute_exists(pk) AND (attribute_not_exists(#session) OR #session = :session)",
                [("#session", "session")],
                [(":session", s(&session.id))],
            );
        self.update(&mut transaction, &keys::purchase(id), &note)?;
        Ok(self.transact(transaction).await? == Outcome::Written)
    }

    /// Takes a purchase back that nobody can pay, because no session came about: with what its token would have opened,
    /// and its hold on the code. One that has a session by now stays.
    ///
    /// # Errors
    /// The table is busy or refused; then nothing was changed.
    pub async fn forget_purchase(&self, purchase: &Purchase) -> Result<(), StoreError> {
        let mut transaction = Transaction::default();
        let unasked =
            Expression::default().only_if("attribute_not_exists(#session)", [("#session", "session")], []);
        self.delete(&mut transaction, &keys::purchase(&purchase.id), Some(&unasked))?;
        self.delete(&mut transaction, &keys::grant(&TokenDigest::of_table(&purchase.token)), None)?;
        if let Some(code) = &purchase.code {
            self.update(&mut transaction, &keys::discount_code(code), &discounts::release(&purchase.id))?;
        }
        self.transact(transaction).await.map(drop)
    }

    async fn item_at(&self, key: &keys::Key) -> Result<Option<Item>, StoreError> {
        let request = self.client.get_item().table_name(&*self.table).set_key(Some(key.item()));
        Ok(request.consistent_read(true).send().await?.item)
    }
}

fn kept(item: &Item) -> Result<KeptPurchase, StoreError> {
    let state = text(item, "state");
    let all = [PurchaseState::Pending, PurchaseState::Paid, PurchaseState::Expired];
    let state = all.into_iter().find(|known| known.as_str() == state);
    let state = state.ok_or_else(|| StoreError::Fault("a purchase has no state".to_owned()))?;
    let (id, url) = (text(item, "session").to_owned(), text(item, "checkout_url").to_owned());
    let session = (!id.is_empty()).then_some(PaymentSession { id, url });
    Ok(KeptPurchase { purchase: serde_json::from_str(text(item, "purchase"))?, state, session })
}
