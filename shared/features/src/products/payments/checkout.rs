//! Starts a purchase. The purchase is stored before Stripe is called. It is stored under a key that identifies a
//! repeated request. So a crash loses nothing, and each payment page that a buyer sees belongs to a stored purchase.

use std::collections::BTreeMap;

use jiff::SignedDuration;

use crate::funnel;
use crate::prelude::*;
use crate::products::payments::refusals;
use crate::products::payments::request::{CheckoutRequest, Request};
use crate::products::payments::sessions::{self, SessionFailure};
use registry_model::{
    AccessToken, DiscountCode, Grant, GrantSource, GrantSubject, PaymentSession, Purchase, PurchaseId,
    PurchaseState, Secret,
};
use registry_products::Profile;
use registry_store::{BeginOutcome, DiscountUse, NewPurchase, StoredPurchase};

/// How long Stripe's event about the end of a purchase can still arrive: Stripe repeats an event for three days. Until
/// then the discount code stays reserved, and the same request begins no second purchase.
const EVENT_GRACE: SignedDuration = SignedDuration::from_hours(73);

#[derive(Clone, Debug)]
pub struct Begun {
    pub purchase: Purchase,
    pub paid: bool,
    pub session: PaymentSession,
    pub token: AccessToken,
}

/// Begins a purchase, or returns the one that the same request began. Errors: 409 `payments_not_open`, 409 for a code
/// that is held or used or a purchase that may have been paid, 503 `payments_not_configured`, 404, 422, 429, and 502 or
/// 503 if Stripe fails.
pub async fn checkout(app: &App, caller: &Caller, sku: Sku, form: CheckoutRequest) -> Result<Begun, Problem> {
    let goals = form.goals.clone().parse()?;
    let counts = app.store.live().await?.funnel;
    let meter = funnel::unlock(&app.settings, &counts);
    if !meter.payments_open {
        let ids: Vec<ListingId> = form.listing_id.iter().filter_map(|id| id.parse().ok()).collect();
        let rewarded = app
            .store
            .listings(&ids)
            .await?
            .iter()
            .any(|listing| listing.feedbacked && listing.lane != Lane::Withdrawn);
        return Err(refusals::not_open(&app.settings, &meter, rewarded));
    }
    let key = app.settings.stripe_secret_key.as_ref().ok_or_else(refusals::not_configured)?;
    let request = Request::parse(app, sku, form, goals)?;
    let fingerprint = request.key.fingerprint(&request.canonical());
    // A second try: another request with the same key may have begun the purchase at the same moment.
    for _ in 0..2 {
        let known = known(app, caller, &request, &fingerprint).await?;
        if let Known::Same(stored) = known {
            return finish(app, key, &request, *stored).await;
        }
        let (name, snapshot) = match &request.subject {
            GrantSubject::Listing(id) => {
                let (name, profile) = snapshot(app, id, &request.goals).await?;
                (Some(name), Some(snapshot_text(profile)?))
            }
            GrantSubject::Described { .. } => (None, None),
        };
        let purchase = new_purchase(app, &request, name, &fingerprint, is_live(key)).await?;
        match begin(app, caller, &request, &purchase, snapshot.as_deref(), &known).await? {
            BeginOutcome::Begun => {
                let stored = StoredPurchase { purchase, state: PurchaseState::Pending, session: None };
                return finish(app, key, &request, stored).await;
            }
            BeginOutcome::Repeated => {}
            BeginOutcome::CodeTaken => return Err(code_taken(app, &request).await?),
        }
    }
    Err(Problem::unavailable("another request with this key is in progress"))
}

enum Known {
    /// The request began this purchase, which is still valid.
    Same(Box<StoredPurchase>),
    /// The key led to a purchase that has ended.
    Ended {
        id: PurchaseId,
        /// It can no longer be paid, so its discount code is free.
        given_up: bool,
    },
    New,
}

/// What the key of the request led to. A known key counts as an attempt, too, so that nobody can try many keys.
async fn known(app: &App, caller: &Caller, request: &Request, fingerprint: &str) -> Result<Known, Problem> {
    let Some(id) = app.store.repeated_purchase(&request.key.digest()).await? else {
        return Ok(Known::New);
    };
    let Some(stored) = app.store.purchase(&id).await? else { return Ok(Known::Ended { id, given_up: true }) };
    let (now, purchase) = (app.clock.now(), &stored.purchase);
    let has_no_page = stored.session.is_none();
    let is_valid = match stored.state {
        PurchaseState::Paid => true,
        PurchaseState::Pending if has_no_page => now < sessions::latest_opening(purchase),
        // It can be paid in the last second, and the event arrives later.
        PurchaseState::Pending => now < purchase.expires_at + EVENT_GRACE,
        PurchaseState::Expired | PurchaseState::Closed => false,
    };
    if !is_valid {
        return Ok(Known::Ended { id, given_up: has_no_page || stored.state == PurchaseState::Expired });
    }
    app.count(LimitedAction::Checkout, &app.caller_digest(caller).await?, None).await?;
    if purchase.request == *fingerprint {
        if stored.state == PurchaseState::Pending && now >= purchase.expires_at {
            return Err(refusals::may_be_paid(purchase.expires_at + EVENT_GRACE));
        }
        return Ok(Known::Same(Box::new(stored)));
    }
    Err(match &request.code {
        Some(code) if purchase.code == Some(code.digest()) => code_taken(app, request).await?,
        _ => refusals::key_reused(),
    })
}

async fn new_purchase(
    app: &App,
    request: &Request,
    listing_name: Option<String>,
    fingerprint: &str,
    is_live: Option<bool>,
) -> Result<Purchase, Problem> {
    let (id, at) = (PurchaseId::new(&app.random), app.clock.now());
    let percent = match &request.code {
        Some(code) => discount(app, code, &request.subject).await.map(|_| funnel::DISCOUNT_PERCENT)?,
        None => 0,
    };
    let salt = app.random.hex(32);
    Ok(Purchase {
        grant: Grant {
            sku: request.sku,
            subject: request.subject.clone(),
            goals: request.goals.clone(),
            seat_goals: Vec::new(),
            at,
            source: GrantSource::Purchase { id: id.clone(), paid_at: None },
        },
        id,
        listing_name,
        amount_cents: request.sku.price_cents() * (100 - percent) / 100,
        token: request.key.token(&salt).digest().as_str().to_owned(),
        salt,
        request: fingerprint.to_owned(),
        code: request.code.as_ref().map(DiscountCode::digest),
        is_live,
        // Stripe allows at most a day.
        expires_at: at + SignedDuration::from_hours(23),
    })
}

/// Whether a key takes real payments; `None` if the key does not show it.
fn is_live(key: &Secret) -> Option<bool> {
    match key.reveal().split('_').nth(1) {
        Some("live") => Some(true),
        Some("test") => Some(false),
        _ => None,
    }
}

/// The data from which the files are made today, for the time after the listing is withdrawn.
async fn snapshot(app: &App, id: &ListingId, goals: &[String]) -> Result<(String, Profile), Problem> {
    let listing = app.store.listing_with_evidence(id).await?;
    let listing = listing.ok_or_else(|| Problem::listing_not_found(&app.settings.base_url, id.as_str()))?;
    if listing.0.lane == Lane::Withdrawn {
        return Err(Problem::listing_withdrawn(&app.settings.base_url, id));
    }
    let profile = funnel::profile_of_listing(app, &listing, goals).await?;
    Ok((listing.0.texts.name.clone(), profile))
}

fn snapshot_text(profile: Profile) -> Result<String, Problem> {
    let text =
        |profile: &Profile| serde_json::to_string(profile).map_err(|error| Problem::fault(error.to_string()));
    let whole = text(&profile)?;
    // A longer one does not fit into the item of a purchase together with the rest.
    if whole.len() <= 300 * 1024 {
        return Ok(whole);
    }
    text(&Profile { peers: Vec::new(), definitions: BTreeMap::new(), ..profile })
}

/// The use of a code, which must be that of this listing. The transaction checks that it is free.
async fn discount(app: &App, code: &DiscountCode, subject: &GrantSubject) -> Result<DiscountUse, Problem> {
    let discount = app.store.discount(&code.digest()).await?.ok_or_else(refusals::unknown_code)?;
    match subject {
        GrantSubject::Listing(id) if discount.listing_id.as_ref() == Some(id) => Ok(discount.usage),
        _ => Err(refusals::code_of_another_listing()),
    }
}

async fn begin(
    app: &App,
    caller: &Caller,
    request: &Request,
    purchase: &Purchase,
    snapshot: Option<&str>,
    known: &Known,
) -> Result<BeginOutcome, Problem> {
    let (replaces, given_up) = match known {
        Known::Ended { id, given_up } => (Some(id), given_up.then_some(id)),
        _ => (None, None),
    };
    let repeat = &request.key.digest();
    let held_until = purchase.expires_at + EVENT_GRACE;
    let new = NewPurchase { purchase, repeat, replaces, given_up, held_until, snapshot };
    let name = app.caller_digest(caller).await?;
    let allowance = app.allowance(LimitedAction::Checkout, &name, None);
    Ok(app.store.begin_purchase(new, allowance).await?)
}

/// Opens the payment page at Stripe if there is none, and stores it before the buyer sees it.
async fn finish(
    app: &App,
    key: &Secret,
    request: &Request,
    stored: StoredPurchase,
) -> Result<Begun, Problem> {
    let StoredPurchase { purchase, state, session } = stored;
    let token = request.key.token(&purchase.salt);
    let session = match session {
        Some(session) => session,
        None => match sessions::open(app, key, &purchase, request.email.as_deref()).await {
            Ok(session) => {
                if !app.store.note_session(&purchase.id, &session).await? {
                    return Err(Problem::unavailable("another request cancelled the purchase meanwhile"));
                }
                session
            }
            Err(failure) => return Err(failed(app, &purchase, failure).await?),
        },
    };
    Ok(Begun { paid: state == PurchaseState::Paid, purchase, session, token })
}

pub async fn purchase(app: &App, id: &str) -> Result<StoredPurchase, Problem> {
    let purchase: PurchaseId = id.parse().map_err(|_| refusals::purchase_not_found(id))?;
    app.store.purchase(&purchase).await?.ok_or_else(|| refusals::purchase_not_found(id))
}

async fn failed(app: &App, purchase: &Purchase, failure: SessionFailure) -> Result<Problem, Problem> {
    if !matches!(failure, SessionFailure::NoAnswer(_)) {
        app.store.forget_purchase(purchase).await?;
    }
    Ok(match failure {
        SessionFailure::NoAnswer(error) | SessionFailure::Failed(error) => {
            refusals::provider_unavailable(&error)
        }
        SessionFailure::Refused(error) => refusals::provider_refused(&error),
    })
}

async fn code_taken(app: &App, request: &Request) -> Result<Problem, Problem> {
    let Some(code) = &request.code else { return Ok(refusals::unknown_code()) };
    Ok(refusals::code_taken(&discount(app, code, &request.subject).await?))
}
