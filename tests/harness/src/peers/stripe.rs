//! A fake of Stripe's API, written from Stripe's documentation. It checks the key, the headers and every
//! field of a Checkout Session. It stores replies by idempotency key and signs events. Like Stripe, it
//! refuses unknown fields, so that a misspelled field makes the test fail.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use registry::model::{Clock, Moment};
use ring::hmac;
use serde_json::{Value, json};

use super::{Peer, PeerRequest, json_answer, locked};
use crate::assertions::with_members;
use crate::test_registry::{Reply, TestOptions, TestRegistry};

/// The accepted API key.
pub const KEY: &str = "sk_test_stand_in";

/// The secret that signs events.
pub const WEBHOOK_SECRET: &str = "whsec_stand_in";

/// The path that receives events.
pub const WEBHOOK: &str = "/api/products/checkout/webhook";

/// Accepted fields of a session, without metadata.
const FIELDS: &str = "mode payment_method_types[0] adaptive_pricing[enabled] line_items[0][quantity] \
    line_items[0][price_data][currency] line_items[0][price_data][unit_amount] \
    line_items[0][price_data][product_data][name] client_reference_id success_url cancel_url expires_at \
    customer_email payment_intent_data[metadata][purchase_id]";

/// How the fake fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failing {
    Never,
    /// Returns this status without a session. Stores a 5xx for the idempotency key, as Stripe does.
    Status(u16),
    /// Creates the session, and breaks the connection before the reply is complete.
    AnswerLost,
    /// Never completes the reply.
    Hanging,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    pub id: String,
    pub fields: BTreeMap<String, String>,
}

impl Session {
    /// A field of the request; empty if it is absent.
    pub fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    pub fn payment(&self) -> String {
        format!("pi_{}", self.id)
    }

    /// The session object of an event, with these members changed.
    pub fn object(&self, changed: &Value) -> Value {
        let amount: i64 = self.field("line_items[0][price_data][unit_amount]").parse().unwrap_or_default();
        let object = json!({
            "id": self.id, "object": "checkout.session", "mode": "payment", "status": "complete",
            "payment_status": "paid", "amount_subtotal": amount, "amount_total": amount, "currency": "usd",
            "client_reference_id": self.field("client_reference_id"), "payment_intent": self.payment(),
            "customer_details": { "email": "buyer@example.org", "name": "A. Buyer" },
            "metadata": { "purchase_id": self.field("metadata[purchase_id]") },
        });
        with_members(object, changed)
    }
}

type Hook = Arc<dyn Fn() + Send + Sync>;

#[derive(Default)]
struct Account {
    clock: Option<Clock>,
    failing: Option<Failing>,
    sessions: Vec<Session>,
    /// By idempotency key: request body, status and reply.
    answers: BTreeMap<String, (String, u16, Value)>,
    events: u32,
    when_asked: Option<Hook>,
}

pub struct Stripe {
    /// The peer that serves the API.
    pub peer: Peer,
    account: Arc<Mutex<Account>>,
}

impl fmt::Debug for Stripe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stripe").field("peer", &self.peer).finish_non_exhaustive()
    }
}

impl Stripe {
    /// A new account.
    pub async fn start() -> Self {
        let account = Arc::new(Mutex::new(Account::default()));
        let shared = Arc::clone(&account);
        let peer = Peer::start(move |request| answer(&shared, request)).await;
        Self { peer, account }
    }

    /// Options of a registry that uses this account.
    pub fn options(&self, options: TestOptions) -> TestOptions {
        options
            .with_stripe(&self.peer.origin)
            .with_setting("STRIPE_SECRET_KEY", KEY)
            .with_setting("STRIPE_WEBHOOK_SECRET", WEBHOOK_SECRET)
    }

    /// Uses the clock of a registry from now on, for the limits of `expires_at`.
    pub fn keep_time(&self, clock: &Clock) {
        self.with(|account| account.clock = Some(clock.clone()));
    }

    /// Sets how the fake fails from now on.
    pub fn fail(&self, failing: Failing) {
        self.with(|account| account.failing = Some(failing));
    }

    /// Runs this on every request, before the reply.
    pub fn when_asked(&self, hook: impl Fn() + Send + Sync + 'static) {
        self.with(|account| account.when_asked = Some(Arc::new(hook)));
    }

    pub fn sessions(&self) -> Vec<Session> {
        self.with(|account| account.sessions.clone())
    }

    #[expect(clippy::expect_used, reason = "a test without a session fails")]
    pub fn session(&self) -> Session {
        self.sessions().pop().expect("a session was made")
    }

    /// A new event about a session, with these members of its object changed.
    pub fn event(&self, what: &str, session: &Session, changed: &Value) -> Value {
        self.event_about(&format!("checkout.session.{what}"), &session.object(changed))
    }

    /// A new event about a charge of a session, such as `refunded`. Stripe copies the metadata of the payment to it.
    pub fn charge(&self, what: &str, session: &Session, changed: &Value) -> Value {
        let charge = json!({
            "id": "ch_1", "object": "charge", "payment_intent": session.payment(), "refunded": true,
            "metadata": { "purchase_id": session.field("payment_intent_data[metadata][purchase_id]") },
        });
        self.event_about(&format!("charge.{what}"), &with_members(charge, changed))
    }

    /// A new event about a dispute of a session's payment. A dispute contains no metadata of the payment.
    pub fn dispute(&self, what: &str, session: &Session, status: &str) -> Value {
        let dispute = json!({
            "id": "dp_1", "object": "dispute", "charge": "ch_1", "payment_intent": session.payment(),
            "status": status, "metadata": {},
        });
        self.event_about(&format!("charge.dispute.{what}"), &dispute)
    }

    fn event_about(&self, kind: &str, object: &Value) -> Value {
        let number = self.with(|account| {
            account.events += 1;
            account.events
        });
        json!({
            "id": format!("evt_{number}"), "object": "event", "api_version": "2025-09-30.clover", "livemode": false,
            "type": kind, "data": { "object": object },
        })
    }

    /// Sends an event to a registry, signed now.
    pub async fn deliver(&self, registry: &TestRegistry, event: &Value) -> Reply {
        let body = event.to_string();
        let signature = signature(WEBHOOK_SECRET, registry.now(), &body);
        send(registry, &signature, &body).await
    }

    /// Sends the event that the latest session was paid.
    pub async fn pay(&self, registry: &TestRegistry) -> Reply {
        self.deliver(registry, &self.event("completed", &self.session(), &json!({}))).await
    }

    fn with<T>(&self, act: impl FnOnce(&mut Account) -> T) -> T {
        act(&mut locked(&self.account))
    }
}

/// The `Stripe-Signature` header of a body.
pub fn signature(secret: &str, at: Moment, body: &str) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, format!("{}.{body}", at.as_second()).as_bytes());
    let tag: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!(
        "t={},v1={tag},v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39",
        at.as_second()
    )
}

/// Sends an event with this signature.
pub async fn send(registry: &TestRegistry, signature: &str, body: &str) -> Reply {
    let headers = [("content-type", "application/json; charset=utf-8"), ("stripe-signature", signature)];
    registry.send("POST", WEBHOOK, &headers, body).await
}

fn error(status: u16, kind: &str, code: &str, param: &str) -> (u16, Value) {
    let message = format!("{code}: {param}");
    (status, json!({ "error": { "type": kind, "code": code, "param": param, "message": message } }))
}

fn answer(account: &Mutex<Account>, request: &PeerRequest) -> Response {
    let mut account = locked(account);
    if let Some(hook) = account.when_asked.clone() {
        hook();
    }
    let (status, body) = respond(&mut account, request);
    match account.failing {
        Some(Failing::AnswerLost) if status == 200 => {
            let half = Bytes::from(body.to_string()[..40].to_owned());
            let broken = std::io::Error::from(std::io::ErrorKind::ConnectionReset);
            Body::from_stream(futures::stream::iter([Ok(half), Err(broken)])).into_response()
        }
        Some(Failing::Hanging) => {
            Body::from_stream(futures::stream::pending::<Result<Bytes, std::io::Error>>()).into_response()
        }
        _ => json_answer(status, &body),
    }
}

fn respond(account: &mut Account, request: &PeerRequest) -> (u16, Value) {
    const INVALID: &str = "invalid_request_error";
    if (request.verb.as_str(), request.path.as_str()) != ("POST", "/v1/checkout/sessions") {
        return error(404, INVALID, "resource_missing", &request.name());
    }
    if request.header("authorization") != Some(&format!("Bearer {KEY}")) {
        return error(401, INVALID, "api_key", "-");
    }
    if !request.header("stripe-version").is_some_and(|version| version.starts_with("20")) {
        return error(400, INVALID, "stripe_version", "-");
    }
    if request.header("content-type") != Some("application/x-www-form-urlencoded") {
        return error(415, INVALID, "content_type", "-");
    }
    // Stripe does not require a key; this registry must always send one.
    let Some(key) = request.header("idempotency-key").filter(|key| key.len() <= 255) else {
        return error(400, INVALID, "idempotency_key", "-");
    };
    if let Some((body, status, stored)) = account.answers.get(key) {
        return if *body == request.text {
            (*status, stored.clone())
        } else {
            error(400, "idempotency_error", "idempotency_key_reused", "-")
        };
    }
    if let Some(Failing::Status(status)) = account.failing {
        let (status, body) = error(status, "api_error", "failing", "-");
        if status >= 500 {
            account.answers.insert(key.to_owned(), (request.text.clone(), status, body.clone()));
        }
        return (status, body);
    }
    let pairs: Vec<(String, String)> = form_urlencoded::parse(request.text.as_bytes()).into_owned().collect();
    if let Some(fault) = fault(account, &pairs) {
        return fault;
    }
    let id = format!("cs_test_{}", account.sessions.len() + 1);
    let url = format!("https://checkout.stripe.com/c/pay/{id}#fid");
    let session = Session { id: id.clone(), fields: pairs.into_iter().collect() };
    let open = json!({ "status": "open", "payment_status": "unpaid", "customer_details": null, "url": url });
    let body = session.object(&open);
    account.sessions.push(session);
    account.answers.insert(key.to_owned(), (request.text.clone(), 200, body.clone()));
    (200, body)
}

/// The first violated rule of a session (docs.stripe.com/api/checkout/sessions/create).
fn fault(account: &Account, pairs: &[(String, String)]) -> Option<(u16, Value)> {
    let refused = |code: &str, param: &str| Some(error(400, "invalid_request_error", code, param));
    let metadata = |name: &str| name.starts_with("metadata[") && name.ends_with(']');
    let is_known = |name: &str| FIELDS.split(' ').any(|field| field == name) || metadata(name);
    if let Some((name, _)) = pairs.iter().find(|(name, _)| !is_known(name)) {
        return refused("parameter_unknown", name);
    }
    let value = |name: &str| {
        let mut found = pairs.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        found.next().filter(|_| found.next().is_none()).unwrap_or_default()
    };
    let required = [
        ("mode", "payment"),
        ("payment_method_types[0]", "card"),
        ("line_items[0][quantity]", "1"),
        ("line_items[0][price_data][currency]", "usd"),
    ];
    if let Some((name, _)) = required.into_iter().find(|(name, expected)| value(name) != *expected) {
        return refused("parameter_invalid", name);
    }
    let amount = "line_items[0][price_data][unit_amount]";
    if !value(amount).parse::<u32>().is_ok_and(|cents| cents >= 50) {
        return refused("amount_too_small", amount);
    }
    let urls = ["success_url", "cancel_url"];
    if let Some(name) = urls.into_iter().find(|name| value(name).parse::<http::Uri>().is_err()) {
        return refused("url_invalid", name);
    }
    if value("line_items[0][price_data][product_data][name]").is_empty() {
        return refused("parameter_missing", "product_data[name]");
    }
    let now = account.clock.as_ref().map(|clock| clock.now().as_second());
    let lifetime = value("expires_at").parse::<i64>().ok().zip(now).map(|(until, now)| until - now);
    if !lifetime.is_some_and(|seconds| (30 * 60..=24 * 3600).contains(&seconds)) {
        return refused("expires_at", "expires_at");
    }
    None
}
