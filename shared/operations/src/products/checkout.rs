//! Buying a product once payments are open: what there is to buy and how far payments are, and the purchase itself, which
//! is paid at Stripe (contract "States and transitions"). Asked by GET it only tells.

use crate::goals::Goals;
use crate::prelude::*;
use registry_domain::funnel::{self, Unlock};
use registry_domain::payments::{self, Begun, Wanted};
use registry_model::settings::Settings;
use registry_model::{Kind, PurchaseId, PurchaseState, Sku, dollars};

const PATH: &str = "/api/products/checkout";

pub struct Checkout;

/// What to buy. Without a `sku` nothing is bought: the answer tells what there is, and how far payments are.
#[derive(Deserialize, JsonSchema)]
pub struct Arguments {
    /// The product.
    sku: Option<Sku>,
    /// The listing that it is made for. It goes before a description.
    listing_id: Option<String>,
    /// Where it is not for a listing: the name of the agent or MCP server.
    agent_name: Option<String>,
    /// What that is for.
    description: Option<String>,
    /// `agent` or `mcp`, where it is described; without it the product says.
    kind: Option<Kind>,
    /// What the product is to reach, a line each; without any, its skills or tools say.
    #[serde(default)]
    goals: Goals,
    /// A discount code, with the `listing_id` whose feedback brought it. It is good for one purchase.
    code: Option<String>,
    /// Where Stripe sends its receipt; it is passed on and not kept.
    #[serde(alias = "email")]
    contact_email: Option<String>,
    /// 16 to 200 characters that nobody can guess, such as a UUID: the same request with the same key is answered the
    /// same, and begins nothing anew. Without one the discount code serves as it.
    idempotency_key: Option<String>,
    /// Without a `sku`: the purchase to tell of.
    #[schemars(length(max = 200))]
    purchase_id: Option<String>,
}

/// The purchase, or what there is to buy.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    #[serde(flatten)]
    told: Told,
}

/// What was asked for.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Told {
    /// A purchase that was begun.
    Purchase(Box<Purchase>),
    /// What there is to buy.
    Offer(Box<Offer>),
}

/// A purchase that was begun, to be paid.
#[derive(Debug, Serialize, JsonSchema)]
struct Purchase {
    purchase_id: PurchaseId,
    status: PurchaseState,
    sku: Sku,
    name: &'static str,
    /// What is to be paid, in US cents.
    price_cents: u32,
    /// The same with a currency symbol and two decimals.
    price: String,
    /// Off the usual price, by the code.
    percent_off: u32,
    /// The page where it is paid by card.
    checkout_url: String,
    /// Opens the product once it is paid; keep it, for it is shown to this request only.
    access_token: String,
    /// Where the token is used: 402 before the payment, the product after it.
    access_url: String,
    /// Until when it can be paid.
    expires_at: Moment,
    /// What to do next.
    next: NextStep,
}

/// What there is to buy, and how far payments are.
#[derive(Debug, Serialize, JsonSchema)]
struct Offer {
    payments_open: bool,
    /// Whether this registry is set up to take payments.
    payments_configured: bool,
    /// How far payments are from opening.
    unlock: Unlock,
    skus: Vec<Product>,
    usage: Usage,
    /// The purchase that was asked about.
    #[serde(skip_serializing_if = "Option::is_none")]
    purchase: Option<Standing>,
    /// What to do next.
    next: NextStep,
}

/// A product.
#[derive(Debug, Serialize, JsonSchema)]
struct Product {
    sku: Sku,
    name: &'static str,
    price_cents: u32,
    /// With a currency symbol and two decimals.
    price: String,
}

/// How to pay.
#[derive(Debug, Serialize, JsonSchema)]
struct Usage {
    /// `POST`.
    method: &'static str,
    url: String,
    /// A body that can be sent.
    #[schemars(with = "Map<String, Value>")]
    body: Value,
    /// The way from the request to the product.
    steps: Vec<String>,
}

/// How far a purchase is.
#[derive(Debug, Serialize, JsonSchema)]
struct Standing {
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
    const DESCRIPTION: &'static str = "Begins the purchase of a product (kernel, recursive, alive or mcp_mesh) for a \
        listing, or for an agent that you describe, once payments are open: answers a page where it is paid by card \
        and an access token that opens the product after that. Without a sku it only tells what there is to buy and \
        how far payments are. Founding seats are free and need no checkout.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: false, open_world: true };
    const EXAMPLE: &'static str = r#"{"sku": "alive", "listing_id": "agtpub_0123456789abcdef0123", "idempotency_key": "0b9f2f6e-8c1d-4f0e-9d59-3f6f0a6d2c11"}"#;
    const PHRASES: &'static [&'static str] =
        &["checkout", "pay for a product", "show the prices of the products"];
    const ROUTES: &'static [Route] = &[
        Route::get_as(PATH, asked).taking(only_a_purchase),
        Route::post_as(PATH, bought).taking(a_product).never_kept(),
    ];
    const REFUSALS: &'static [u16] = &[404, 409];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let told = match arguments.sku {
            None => Told::Offer(Box::new(offer(app, arguments.purchase_id.as_deref()).await?)),
            Some(sku) => {
                let begun = payments::checkout(app, caller, sku, wanted(arguments)?).await?;
                Told::Purchase(Box::new(purchase(&app.settings, begun)))
            }
        };
        Ok(Answer { ok: true, told })
    }
}

/// Reading buys nothing: of a query only the question after a purchase is taken.
fn asked(query: &str) -> String {
    let pairs = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| name == "purchase_id");
    form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish()
}

fn only_a_purchase(mut schema: Value) -> Value {
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.retain(|name, _| name == "purchase_id");
    }
    schema
}

fn a_product(mut schema: Value) -> Value {
    schema["required"] = json!(["sku"]);
    schema["properties"]["sku"] = json!({ "$ref": "#/$defs/Sku" });
    schema
}

/// Whoever posts wants to buy.
fn bought(body: Value) -> Result<Value, Problem> {
    if body.is_object() && body["sku"].is_null() {
        let all = Sku::ALL.map(Sku::as_str).join(", ");
        return Err(Problem::invalid("sku", "which_product", format!("Say which product as `sku`: {all}.")));
    }
    Ok(body)
}

fn wanted(arguments: Arguments) -> Result<Wanted, Problem> {
    let Arguments {
        listing_id,
        agent_name,
        description,
        kind,
        goals,
        code,
        contact_email,
        idempotency_key,
        ..
    } = arguments;
    let goals = goals.parse()?;
    Ok(Wanted { listing_id, agent_name, description, kind, goals, code, contact_email, idempotency_key })
}

fn purchase(settings: &Settings, begun: Begun) -> Purchase {
    let Begun { purchase, paid, session, token } = begun;
    let access_url = settings.url(&format!("/api/products/access?token={}", token.reveal()));
    let next = if paid {
        let arguments = json!({ "token": token.reveal() });
        NextStep::get(
            "get_access",
            access_url.clone(),
            arguments,
            "It is paid: the token opens the full product.",
        )
    } else {
        let note = "Open checkout_url in a browser, or hand it to whoever pays. The token opens the product as soon as \
                    the payment is confirmed.";
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
    let purchase = match purchase_id {
        None => None,
        Some(id) => {
            let kept = payments::purchase(app, id).await?;
            let (state, purchase) = (kept.state, kept.purchase);
            Some(Standing {
                status: state,
                sku: purchase.grant.sku,
                price_cents: purchase.amount_cents,
                price: dollars(purchase.amount_cents),
                expires_at: purchase.expires_at,
                purchase_id: purchase.id,
            })
        }
    };
    let product =
        |sku: Sku| Product { sku, name: sku.title(), price_cents: sku.price_cents(), price: sku.price() };
    Ok(Offer {
        payments_open: unlock.payments_open,
        payments_configured: payments::is_configured(settings),
        skus: Sku::ALL.map(product).into(),
        usage: usage(settings),
        next: next(settings, &unlock, purchase.as_ref()),
        unlock,
        purchase,
    })
}

fn usage(settings: &Settings) -> Usage {
    let steps = [
        "POST a sku with a listing_id, or with an agent_name and a description; add the code that feedback brought, if \
         you have one",
        "Keep the access_token of the answer, and open its checkout_url to pay by card",
        "Use the token with /api/products/access: 402 before the payment is confirmed, the product after it",
        "If an answer was lost, send the same request with the same idempotency_key or code: it is the same purchase",
    ];
    Usage {
        method: "POST",
        url: settings.url(PATH),
        body: json!({ "sku": Sku::Alive, "listing_id": "<listing_id>", "idempotency_key": "<a new UUID>" }),
        steps: steps.map(str::to_owned).into(),
    }
}

fn next(settings: &Settings, unlock: &Unlock, purchase: Option<&Standing>) -> NextStep {
    match purchase.map(|purchase| purchase.status) {
        Some(PurchaseState::Paid) => NextStep::get(
            "get_access",
            settings.url("/api/products/access"),
            json!({}),
            "It is paid: add the access token of the checkout's answer as `token`.",
        ),
        Some(PurchaseState::Pending) => NextStep::open(
            "pay",
            settings.url(PATH),
            "It waits for its payment, at the checkout_url of the answer that began it.",
        ),
        _ if unlock.payments_open => NextStep::post_own(
            "checkout",
            settings.url(PATH),
            "Send usage.body with your own listing_id and a new idempotency_key.",
        ),
        _ => NextStep::post_own("take_demo", settings.url("/api/products/demo"), unlock.message.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_get_never_buys_and_a_post_says_what() {
        assert_eq!(asked("sku=alive&listing_id=x&purchase_id=pur_1"), "purchase_id=pur_1");
        assert_eq!(bought(json!({})).unwrap_err().code, "which_product");
        assert_eq!(bought(json!({ "sku": null })).unwrap_err().field.as_deref(), Some("sku"));
        assert!(bought(json!({ "sku": "alive" })).is_ok());
    }
}
