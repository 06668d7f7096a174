//! Tests `checkout`: the purchase of products after payments have opened. A fake of Stripe checks the
//! requests that it receives.

mod codes;
mod failures;
mod payments;
mod repeated;

use std::time::Duration;

use insta::assert_snapshot;
use registry::model::LimitedAction;
use tests::peers::stripe::{self, Stripe};
use tests::prelude::*;

use crate::fixtures::{LivePair, live_pair_with, members, refused_bodies, shown, values_of};

const PATH: &str = "/api/products/checkout";

const KEY: &str = "6a0e7f0c-2f5d-4a44-9a0e-6a7b1e1c9d10";

/// A registry with open payments. Its agent has the only founding seat; its MCP server has a discount code.
struct Shop {
    registry: TestRegistry,
    stripe: Stripe,
    agent: ListingId,
    server: ListingId,
    code: String,
    _peers: [Peer; 2],
}

impl Shop {
    async fn open() -> Self {
        Self::open_with(TestOptions::default()).await
    }

    async fn open_with(options: TestOptions) -> Self {
        let stripe = Stripe::start().await;
        let options = stripe.options(options);
        Self::open_at(stripe, options).await
    }

    async fn open_at(stripe: Stripe, options: TestOptions) -> Self {
        let options = options
            .with_setting("PAYMENTS", "on")
            .with(|settings| settings.payments_open_after = 1)
            .with(|settings| settings.founding_seats = 1);
        let LivePair { registry, agent, server, peers } = live_pair_with(options).await;
        stripe.keep_time(&registry.app.clock);
        let seat = registry.complete(&agent).await;
        assert_eq!(seat["founding_free"]["granted"], true, "{seat}");
        let discount = registry.complete(&server).await;
        let code = discount["discount"]["code"].as_str().unwrap().to_owned();
        let is_open = registry.app.settings.sells();
        assert_eq!(discount["unlock"]["payments_open"], is_open, "{discount}");
        registry.advance(Duration::from_secs(1));
        Self { registry, stripe, agent, server, code, _peers: peers }
    }

    async fn buy(&self, body: &Value) -> Reply {
        self.registry.post(PATH, body).await
    }

    /// Sends a purchase that must succeed.
    async fn buy_ok(&self, body: &Value) -> Value {
        self.buy(body).await.ok()
    }

    /// A purchase of the agent's product `kernel`.
    async fn buy_kernel(&self) -> Value {
        self.buy_ok(&json!({ "sku": "kernel", "listing_id": self.agent })).await
    }

    /// Delivers an event; returns how it was received.
    async fn receive(&self, event: &Value) -> Value {
        self.stripe.deliver(&self.registry, event).await.body["received"].clone()
    }

    /// Delivers the event that the latest session was paid; returns how it was received.
    async fn pay(&self) -> Value {
        self.stripe.pay(&self.registry).await.body["received"].clone()
    }

    /// Requests the product with the token of a purchase.
    async fn get_product(&self, bought: &Value) -> Reply {
        self.registry.access(&bought["access_token"]).await
    }

    /// Runs a command of the operator.
    async fn command(&self, command: Value) -> Value {
        self.registry.run("operator", command).await
    }

    /// The flags of all purchases, the newest first.
    async fn flags(&self) -> Vec<String> {
        values_of(&self.command(json!({ "command": "flagged_purchases" })).await["flagged"], "flag")
    }

    async fn purchase_status(&self, bought: &Value) -> String {
        let id = bought["purchase_id"].as_str().unwrap();
        let reply = self.registry.get(&format!("{PATH}?purchase_id={id}")).await.ok();
        reply["purchase"]["status"].as_str().unwrap().to_owned()
    }

    /// The stored items of purchases.
    async fn stored_purchases(&self) -> usize {
        self.registry.items("PURCHASE#pur_").await.len()
    }

    /// A purchase of the MCP server's product with its discount code.
    fn with_code(&self) -> Value {
        json!({ "sku": "mcp_mesh", "listing_id": self.server, "code": self.code })
    }

    /// A purchase that can be repeated.
    fn with_key(&self) -> Value {
        json!({ "sku": "alive", "listing_id": self.agent, "idempotency_key": KEY })
    }
}

#[tokio::test]
async fn prices_are_shown_but_nothing_is_sold_before_payments_open() {
    let stripe = Stripe::start().await;
    for options in [TestOptions::default(), stripe.options(TestOptions::default())] {
        let registry = TestRegistry::start_with(options).await;
        let offer = registry.get(&format!("{PATH}?sku=kernel&agent_name=Ada")).await.ok();
        let offer = members(&offer, &["ok", "payments_open", "skus", "unlock", "next"]);
        assert_snapshot!("offer_before_payments_open", shown(&registry, &offer));
        let purchases = [
            json!({ "sku": "alive", "agent_name": "Ada" }),
            json!({ "sku": "alive", "listing_id": "mcp-x", "code": "D25-AAAAA-AAAAA-AAAAA-AAAAA" }),
            json!({}),
            json!({ "sku": "gold" }),
        ];
        let refused = refused_bodies(&registry, PATH, &json!({}), purchases).await;
        assert_snapshot!("refusals_before_payments_open", refused);
        let kernel =
            registry.refused_tool("checkout", &json!({ "sku": "kernel", "agent_name": "Ada" })).await;
        assert_members(&kernel, &json!({ "unlock": offer["unlock"], "/next/action": "take_demo" }));
        assert_eq!(registry.table().await.without(&["LIVE", "RATE#"]).keys(), [""; 0]);
    }
    assert_eq!(stripe.peer.requests().len(), 0, "a request was sent to Stripe");
}

#[tokio::test]
async fn checkout_requires_both_stripe_secrets() {
    let keyless = TestOptions::default();
    for options in [
        keyless.clone(),
        keyless.clone().with_setting("STRIPE_SECRET_KEY", stripe::KEY),
        keyless.with_setting("STRIPE_WEBHOOK_SECRET", stripe::WEBHOOK_SECRET),
    ] {
        // Opening the shop grants the founding seat and the code: these need no payment.
        let stripe = Stripe::start().await;
        let options = options.with_stripe(&stripe.peer.origin);
        let shop = Shop::open_at(stripe, options).await;
        let offer = shop.registry.get(PATH).await.body;
        assert_members(&offer, &json!({ "payments_open": false, "payments_configured": false }));
        for body in [shop.with_key(), shop.with_code()] {
            let reply = shop.buy(&body).await;
            reply.assert_refused(409, "payments_not_open");
            assert_eq!(
                reply.body["next"]["action"], "checkout",
                "its feedback has earned its reward: {reply:?}"
            );
        }
        let order = json!({ "tool": "buy_product", "sku": "mcp_mesh", "listing_id": shop.server });
        let order = shop.registry.post("/api/products/agent", &order).await.body;
        assert_eq!(order["next"]["action"], "checkout", "{order}");
        assert_eq!((shop.stored_purchases().await, shop.stripe.peer.requests().len()), (0, 0));
    }
    // On AWS, only the function of the webhook has its secret.
    let options = TestOptions::default().with(|settings| {
        settings.payments = registry::settings::Payments::Elsewhere;
        settings.stripe_webhook_secret = None;
    });
    Shop::open_with(options).await.buy_kernel().await;
}

#[tokio::test]
async fn events_are_refused_without_a_webhook_secret() {
    let registry = TestRegistry::start().await;
    let body =
        json!({ "id": "evt_1", "type": "checkout.session.completed", "data": { "object": {} } }).to_string();
    let signature = stripe::signature("", registry.now(), &body);
    stripe::send(&registry, &signature, &body).await.assert_refused(503, "payments_not_configured");
    registry.get(stripe::WEBHOOK).await.assert_refused(405, "method_not_allowed");
}

#[tokio::test]
async fn order_of_the_product_agent_can_be_sent_to_the_checkout() {
    let shop = Shop::open().await;
    let order = async |more: Value| {
        let order = with_members(json!({ "tool": "buy_product", "sku": "kernel" }), &more);
        shop.registry.post("/api/products/agent", &order).await
    };
    let goals = json!({ "goals": ["answer mail"], "agent_name": "Ada" });
    shop.buy_ok(&order(goals).await.body["next"]["body"]).await;
    let for_nobody = order(json!({})).await.body;
    assert!(for_nobody["next"]["body"].is_null(), "the checkout refuses this body: {for_nobody}");
    order(json!({ "listing_id": "mcp-unknown" })).await.assert_refused(404, "listing_not_found");
    let many = json!({ "agent_name": "Ada", "preset": "ops", "goals": vec!["answer mail"; 11] });
    order(many).await.assert_refused(422, "too_many");
}

#[tokio::test]
async fn error_for_an_invalid_purchase_contains_the_field() {
    let shop = Shop::open().await;
    let invalid = [
        json!({ "agent_name": null }),
        json!({ "agent_name": null, "listing_id": "mcp-unknown" }),
        json!({ "contact_email": "x" }),
        json!({ "code": "D25" }),
        json!({ "idempotency_key": "1" }),
    ];
    let order = json!({ "sku": "alive", "agent_name": "Ada" });
    assert_snapshot!(refused_bodies(&shop.registry, PATH, &order, invalid).await);
    let unknown = shop.registry.get(&format!("{PATH}?purchase_id=pur_0123456789abcdef01234567")).await;
    unknown.assert_refused(404, "purchase_not_found");
    assert_eq!((shop.stored_purchases().await, shop.stripe.peer.requests().len()), (0, 0));
}

#[tokio::test]
async fn repeated_purchases_count_for_the_rate_limit() {
    let options = TestOptions::default().with_rate(LimitedAction::Checkout, |rate| rate.caller = 3);
    let shop = Shop::open_with(options).await;
    for status in [200, 200, 200, 429] {
        assert_eq!(shop.buy(&shop.with_key()).await.status, status);
    }
    assert_eq!(shop.stripe.sessions().len(), 1);
}
