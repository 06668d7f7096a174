//! Sells a product through Stripe once payments are open (`specification.md#payments`). A GET buys nothing.
//! It returns the prices, and how much feedback is missing before payments open.

use futures::future::OptionFuture;

use crate::funnel::{self, Unlock};
use crate::listing::ProductEntry;
use crate::operation::{Parameters, examples};
use crate::prelude::*;
use crate::products::payments::{self, Begun, CheckoutRequest};
use registry_model::{PurchaseId, PurchaseState, dollars};

const PATH: &str = "/api/products/checkout";

pub struct Checkout;

/// The purchase, or the products and prices.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    #[serde(flatten)]
    content: Content,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Content {
    Purchase(Box<Purchase>),
    Offer(Box<Offer>),
}

/// A purchase, and where to pay for it.
#[derive(Debug, Serialize, JsonSchema)]
struct Purchase {
    purchase_id: PurchaseId,
    status: PurchaseState,
    sku: Sku,
    name: &'static str,
    /// The price to pay, in US cents.
    price_cents: u32,
    /// The price with a currency symbol and two decimals.
    price: String,
    percent_off: u32,
    /// The page where you pay by card.
    checkout_url: String,
    /// The access token. It opens the product after the payment. Keep it: only answers to this request contain it.
    access_token: String,
    /// The URL for the token. It returns 402 before the payment and the product after the payment.
    access_url: String,
    /// The deadline for the payment.
    expires_at: Moment,
    next: NextStep,
}

/// The products and prices, and how much feedback is missing until payments open.
#[derive(Debug, Serialize, JsonSchema)]
struct Offer {
    payments_open: bool,
    /// Whether the operator has set up and allowed payments.
    payments_configured: bool,
    /// How much feedback is missing until payments open.
    unlock: Unlock,
    skus: Vec<ProductEntry>,
    usage: Usage,
    /// The purchase with the given `purchase_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    purchase: Option<PurchaseStatus>,
    next: NextStep,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Usage {
    /// `POST`.
    method: &'static str,
    url: String,
    /// An example body.
    #[schemars(with = "Map<String, Value>")]
    body: Value,
    /// The steps from the request to the product.
    steps: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct PurchaseStatus {
    purchase_id: PurchaseId,
    status: PurchaseState,
    sku: Sku,
    price_cents: u32,
    price: String,
    expires_at: Moment,
}

impl Operation for Checkout {
    const NAME: &'static str = "checkout";
    const TITLE: &'static str = "Buy a product";
    const DESCRIPTION: &'static str = "Starts the purchase of a product, if payments are open. Pass sku, and \
        either listing_id or agent_name. Returns a page for card payment, and an access \
        token that works after the payment. Without sku (over HTTP with GET), returns prices, and the \
        feedback missing until payments open.";
    const PHRASES: &'static [&'static str] =
        &["checkout", "pay for a product", "show the prices of the products"];
    const EFFECT: Effect = Effect { open_world: true, ..Effect::WRITES };
    const EXAMPLE: &'static str = r#"{"sku": "alive", "listing_id": "agtpub_0123456789abcdef0123", "idempotency_key": "0b9f2f6e-8c1d-4f0e-9d59-3f6f0a6d2c11"}"#;
    const SUMMARY: &'static [&'static str] = &[
        "The purchase {purchase.purchase_id} is {purchase.status}.",
        "{unlock.message}",
        "Prices: [skus]{name} costs {price}",
        "The price of {name} is {price}; the purchase is {status}. The payment page is {checkout_url} . Your access token is {access_token}.",
    ];
    const ROUTES: &'static [Route] = &[
        Route::get_as(PATH, purchase_query).taking(purchase_id_only),
        Route::post_as(PATH, require_sku).taking(sku_required),
    ];
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Conflict, ErrorKind::BadGateway];
    type Arguments = CheckoutRequest;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, request: CheckoutRequest) -> Result<Answer, Problem> {
        let content = match request.sku {
            None => Content::Offer(Box::new(offer(app, request.purchase_id.as_deref()).await?)),
            Some(sku) => {
                examples::refuse("idempotency_key", request.idempotency_key.as_deref())?;
                let begun = payments::checkout(app, caller, sku, request).await?;
                Content::Purchase(Box::new(purchase(&app.settings, begun)))
            }
        };
        Ok(Answer { content })
    }
}

/// A GET buys nothing: only `purchase_id` of its query is read.
fn purchase_query(query: Parameters) -> Parameters {
    query.only("purchase_id")
}

fn purchase_id_only(mut schema: Value) -> Value {
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.retain(|name, _| name == "purchase_id");
    }
    schema
}

fn sku_required(mut schema: Value) -> Value {
    schema["required"] = json!(["sku"]);
    schema["properties"]["sku"] = json!({ "$ref": "#/$defs/Sku" });
    schema
}

fn require_sku(body: Value) -> Result<Value, Problem> {
    if body.is_object() && body["sku"].is_null() {
        let all = Sku::ALL.map(Sku::as_str).join(", ");
        let detail = format!("`sku` is required. Send one of {all}.");
        return Err(Problem::invalid("sku", Code::WhichProduct, detail));
    }
    Ok(body)
}

fn purchase(settings: &Settings, begun: Begun) -> Purchase {
    let Begun { purchase, paid, session, token } = begun;
    let access_url = settings.url(&format!("/api/products/access?token={}", token.reveal()));
    let next = if paid {
        let note = "The purchase is paid. The token opens the full product.";
        NextStep::get("get_access", access_url.clone(), json!({ "token": token.reveal() }), note)
    } else {
        let note = "Open checkout_url in a browser, or pass it to the person who pays. The token opens the product as \
                    soon as the payment is confirmed.";
        NextStep::open("pay", session.url.clone(), note)
    };
    let sku = purchase.grant.sku;
    Purchase {
        purchase_id: purchase.id,
        status: if paid { PurchaseState::Paid } else { PurchaseState::Pending },
        sku,
        name: sku.title(),
        price_cents: purchase.amount_cents,
        price: dollars(purchase.amount_cents),
        percent_off: purchase.code.map_or(0, |_| funnel::DISCOUNT_PERCENT),
        checkout_url: session.url,
        access_token: token.reveal().to_owned(),
        access_url,
        expires_at: purchase.expires_at,
        next,
    }
}

async fn offer(app: &App, purchase_id: Option<&str>) -> Result<Offer, Problem> {
    let settings = &app.settings;
    let unlock = funnel::unlock(settings, &app.store.live().await?.funnel);
    let found = OptionFuture::from(purchase_id.map(|id| payments::purchase(app, id))).await.transpose()?;
    let purchase = found.map(|found| PurchaseStatus {
        status: found.state,
        sku: found.purchase.grant.sku,
        price_cents: found.purchase.amount_cents,
        price: dollars(found.purchase.amount_cents),
        expires_at: found.purchase.expires_at,
        purchase_id: found.purchase.id,
    });
    Ok(Offer {
        payments_open: unlock.payments_open,
        payments_configured: settings.sells(),
        skus: ProductEntry::all(),
        usage: usage(settings),
        next: next(settings, &unlock, purchase.as_ref()),
        unlock,
        purchase,
    })
}

fn usage(settings: &Settings) -> Usage {
    let steps = [
        "Send a POST with a sku, and with a listing_id, or an agent_name (better with a description). If you \
            got a discount code for your feedback, add it",
        "Keep the access_token of the answer. Open its checkout_url to pay by card",
        "Use the token with /api/products/access. It returns 402 before the payment is confirmed, and the \
            product after that",
        "If an answer was lost, repeat the request with the same idempotency_key or code. It returns the \
            same purchase",
    ];
    Usage {
        method: "POST",
        url: settings.url(PATH),
        body: json!({ "sku": Sku::Alive, "listing_id": "<listing_id>", "idempotency_key": "<a new UUID>" }),
        steps: steps.map(str::to_owned).into(),
    }
}

fn next(settings: &Settings, unlock: &Unlock, purchase: Option<&PurchaseStatus>) -> NextStep {
    match purchase.map(|purchase| (purchase.status, &purchase.purchase_id)) {
        // The answer does not contain the token, so the step has no arguments.
        Some((PurchaseState::Paid, _)) => {
            let note = "The purchase is paid. Add the access token from the checkout answer as `token`.";
            let step = NextStep::open("get_access", settings.url("/api/products/access"), note);
            NextStep { tool: Some("get_access"), ..step }
        }
        Some((PurchaseState::Pending, id)) => NextStep::get(
            "checkout",
            settings.url(&format!("{PATH}?purchase_id={id}")),
            json!({ "purchase_id": id }),
            "The payment is not confirmed yet. Until `expires_at`, you can pay at checkout_url of the first answer. This \
             call reads the state again.",
        ),
        _ if unlock.payments_open => NextStep::post_own(
            "checkout",
            settings.url(PATH),
            "Send usage.body with your own listing_id and a new idempotency_key.",
        ),
        _ => {
            let note = format!("{} Take a demo: send the `listing_id` of a Live listing.", unlock.message);
            NextStep::take_demo(&settings.base_url, None, note)
        }
    }
}
