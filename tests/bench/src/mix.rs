//! A mix of requests: 80 % are reads by people, crawlers and polling clients, 15 % are MCP and A2A, and 5 %
//! are writes. The order is random, but with a fixed seed, and repeats. So two runs send the same requests.

use std::sync::{Arc, Mutex, PoisonError};

use registry::model::{ListingId, Random};
use serde_json::{Value, json};

use crate::client;
use crate::search::QUESTIONS;

/// The family of a request kind, for the shares of the mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Read,
    Protocol,
    Write,
}

/// Requests per 1,000 of each family.
pub(crate) const SHARES: [(Family, &str, usize); 3] =
    [(Family::Read, "reads", 800), (Family::Protocol, "MCP and A2A", 150), (Family::Write, "writes", 50)];

const INTEROP: &str = "/api/products/interop";
/// The order of kinds repeats after this many requests.
const CYCLE: usize = 1000;
/// Listings that take their demo before the load, so that no feedback comes before its demo.
pub(crate) const DEMOS_BEFORE_LOAD: usize = 100;

/// A kind of request.
pub(crate) struct Kind {
    /// Its name in the report.
    pub(crate) name: &'static str,
    /// Its family.
    pub(crate) family: Family,
    /// Requests per 1,000.
    share: usize,
    /// Builds the request with this number, from 0.
    request: Box<dyn Fn(usize) -> Vec<u8> + Send + Sync>,
    /// The expected statuses.
    expected: &'static [u16],
    /// The validator of the last reply, for the next request.
    validator: Option<Arc<Mutex<String>>>,
}

impl Kind {
    /// Whether a reply has an expected status. Stores its validator for the next request.
    pub(crate) fn is_expected(&self, answer: &client::Answer<'_>) -> bool {
        if let (Some(stored), Some(tag)) = (&self.validator, answer.header("etag")) {
            tag.clone_into(&mut stored.lock().unwrap_or_else(PoisonError::into_inner));
        }
        self.expected.contains(&answer.status)
    }
}

/// The targets of the mix.
#[derive(Clone, Debug)]
pub(crate) struct MixTargets {
    /// Live listings that have not taken a demo.
    pub(crate) ids: Arc<[ListingId]>,
    /// Cursors of the active list.
    pub(crate) cursors: Vec<String>,
    /// Origins whose agents and servers are published in turn.
    pub(crate) origins: Vec<String>,
}

pub(crate) struct Mix {
    pub(crate) kinds: Vec<Kind>,
    /// For each request of a cycle: its kind, and the number of earlier requests of that kind.
    order: Vec<(usize, usize)>,
}

impl Mix {
    /// A mix for these targets.
    pub(crate) fn new(targets: &MixTargets) -> Self {
        let kinds = [read_kinds(targets), protocol_kinds(targets), write_kinds(targets)]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>();
        let mut order: Vec<usize> =
            kinds.iter().enumerate().flat_map(|(at, kind)| std::iter::repeat_n(at, kind.share)).collect();
        let random = Random::seeded(1);
        for last in (1..order.len()).rev() {
            let other = usize::try_from(random.below(last as u64 + 1)).unwrap_or(last);
            order.swap(last, other);
        }
        let mut seen = vec![0; kinds.len()];
        let numbered = |kind: usize| {
            seen[kind] += 1;
            (kind, seen[kind] - 1)
        };
        Self { order: order.into_iter().map(numbered).collect(), kinds }
    }

    /// The kind and the bytes of a request.
    pub(crate) fn request(&self, number: usize) -> (usize, Vec<u8>) {
        let (kind, rank) = self.order[number % CYCLE];
        let of_kind = &self.kinds[kind];
        (kind, (of_kind.request)(number / CYCLE * of_kind.share + rank))
    }
}

fn read_kinds(targets: &MixTargets) -> Vec<Kind> {
    let read = |name, share, request| Kind { expected: &[200], ..kind(name, Family::Read, share, request) };
    let of_listing = |path: &'static str| {
        let ids = Arc::clone(&targets.ids);
        move |n: usize| format!("{path}{}", listing(&ids, n))
    };
    let sensed = Arc::clone(&targets.ids);
    let validator = Arc::new(Mutex::new(String::new()));
    let polling = Arc::clone(&validator);
    let poll = Box::new(move |_: usize| {
        let tag = polling.lock().unwrap_or_else(PoisonError::into_inner);
        let header = if tag.is_empty() { String::new() } else { format!("if-none-match: {tag}\r\n") };
        client::get("/api/listings/active", &header)
    });
    let cursors: Vec<String> =
        targets.cursors.iter().map(|cursor| format!("/api/listings/active?cursor={cursor}")).collect();
    let documents = [
        "/.well-known/agent-card.json",
        "/discovery.json",
        "/llms.txt",
        "/openapi.json",
        "/.well-known/ai-catalog.json",
        "/sitemap.xml",
        "/log/checkpoint",
        "/.well-known/jwks.json",
    ];
    vec![
        read("status by id", 190, get_requests(of_listing("/api/listings/status?id="))),
        Kind {
            expected: &[200, 304],
            validator: Some(validator),
            ..kind("active, polled", Family::Read, 100, poll)
        },
        read("active, further pages", 60, get_requests(in_turn(cursors))),
        read("badge", 80, get_requests(of_listing("/badge/clean.svg?id="))),
        read("page of a listing", 60, get_requests(of_listing("/list/"))),
        read("board", 20, get_requests(|_| "/list".to_owned())),
        read("/api/ard/search", 60, get_requests(search_path("/api/ard/search?limit=10&q="))),
        read("/api/match", 40, get_requests(search_path("/api/match?limit=10&q="))),
        read("/v0.1/servers", 60, get_requests(|_| "/v0.1/servers?limit=30".to_owned())),
        read(
            "feed and statistics",
            50,
            get_requests(in_turn(["/api/feed", "/api/probes"].map(str::to_owned))),
        ),
        read("traces", 10, Box::new(move |n| sense_request(&sensed, n))),
        read("inbox", 20, get_requests(of_listing("/api/talk?listing_id="))),
        read("documents", 50, get_requests(in_turn(documents.map(str::to_owned)))),
    ]
}

fn sense_request(ids: &[ListingId], number: usize) -> Vec<u8> {
    let body = json!({ "action": "sense_traces", "listing_id": listing(ids, number) });
    client::post("/api/products/stigmergy", &body.to_string())
}

/// The listing of a read. One listing is popular: it gets every tenth read.
fn listing(ids: &[ListingId], number: usize) -> &ListingId {
    &ids[if number.is_multiple_of(10) { 0 } else { number * 7 % ids.len() }]
}

fn protocol_kinds(targets: &MixTargets) -> Vec<Kind> {
    let call =
        |name, share, request| Kind { expected: &[200], ..kind(name, Family::Protocol, share, request) };
    let ids = Arc::clone(&targets.ids);
    let status = move |n: usize| listing(&ids, n).to_string();
    let agents = json!({ "kind": "agent", "limit": 20 });
    let listed = agents.clone();
    vec![
        call("MCP tools/list", 20, mcp(|_| ("tools/list", json!({})))),
        call("MCP search_active", 30, mcp(move |_| tool("search_active", &listed))),
        call("MCP check_status", 30, mcp(move |n| tool("check_status", &json!({ "id": status(n) })))),
        call("MCP ard_search", 25, mcp(|n| tool("ard_search", &json!({ "q": question(n), "limit": 10 })))),
        call("A2A search_active", 25, a2a(move |_| data_part("search_active", &agents))),
        call("A2A as text", 20, a2a(|n| json!({ "text": format!("search for {}", question(n)) }))),
    ]
}

fn write_kinds(targets: &MixTargets) -> Vec<Kind> {
    let write = |name, share, path: &'static str, body: Box<dyn Fn(usize) -> Value + Send + Sync>| {
        let request = Box::new(move |n| client::post(path, &body(n).to_string()));
        Kind { expected: &[200], ..kind(name, Family::Write, share, request) }
    };
    let id_of = |ahead: usize| {
        let ids = Arc::clone(&targets.ids);
        move |n: usize| ids[(n + ahead) % ids.len()].clone()
    };
    let (demo, feedback, talk) = (id_of(DEMOS_BEFORE_LOAD), id_of(0), id_of(0));
    let (trace, outcome) = (id_of(0), id_of(0));
    let origins = targets.origins.clone();
    let answers = json!({ "tried": "It.", "ux_friction": "None.", "product_one_ship": "Less.",
        "overall": "Kept.", "would_buy": "maybe" });
    vec![
        write("publish", 10, "/api/publish", Box::new(move |n| published(&origins[n % origins.len()], n))),
        write("demo", 6, "/api/products/demo", Box::new(move |n| json!({ "listing_id": demo(n) }))),
        write(
            "feedback",
            6,
            "/api/products/feedback",
            Box::new(move |n| json!({ "listing_id": feedback(n), "rating": 4, "answers": answers })),
        ),
        write(
            "talk",
            8,
            "/api/talk",
            Box::new(
                move |n| json!({ "listing_id": talk(n), "action": "message", "text": format!("Message {n}: it works.") }),
            ),
        ),
        write(
            "leave_trace",
            8,
            "/api/products/stigmergy",
            Box::new(move |n| {
                json!({ "action": "leave_trace", "listing_id": trace(n), "from": "load",
                    "body": format!("Trace {n}: answered within a second.") })
            }),
        ),
        write(
            "outcome",
            8,
            INTEROP,
            Box::new(
                move |n| json!({ "action": "deposit_outcome", "listing_id": outcome(n), "ok": true, "latency_ms": n }),
            ),
        ),
        write(
            "session",
            4,
            INTEROP,
            Box::new(
                |n| json!({ "action": "session_open", "entry_protocol": "a2a", "agent_name": format!("Agent {n}") }),
            ),
        ),
    ]
}

/// An agent, a server, or a URL that returns 404, in turn.
fn published(origin: &str, number: usize) -> Value {
    match number % 3 {
        0 => json!({ "agent_card_url": format!("{origin}/load/{number}{}", crate::peers::CARD) }),
        1 => json!({ "mcp_url": format!("{origin}/load/{number}/mcp") }),
        _ => json!({ "agent_card_url": format!("{origin}/load/{number}/nowhere.json") }),
    }
}

fn kind(
    name: &'static str,
    family: Family,
    share: usize,
    request: Box<dyn Fn(usize) -> Vec<u8> + Send + Sync>,
) -> Kind {
    Kind { name, family, share, request, expected: &[], validator: None }
}

fn get_requests(
    path: impl Fn(usize) -> String + Send + Sync + 'static,
) -> Box<dyn Fn(usize) -> Vec<u8> + Send + Sync> {
    Box::new(move |n| client::get(&path(n), "accept-encoding: gzip\r\n"))
}

fn in_turn(paths: impl Into<Vec<String>>) -> impl Fn(usize) -> String + Send + Sync + 'static {
    let paths = paths.into();
    move |n| paths[n % paths.len()].clone()
}

fn question(number: usize) -> &'static str {
    QUESTIONS[number % QUESTIONS.len()]
}

fn search_path(path: &'static str) -> impl Fn(usize) -> String + Send + Sync + 'static {
    move |n| {
        let words: String = form_urlencoded::byte_serialize(question(n).as_bytes()).collect();
        format!("{path}{words}")
    }
}

fn mcp(
    call: impl Fn(usize) -> (&'static str, Value) + Send + Sync + 'static,
) -> Box<dyn Fn(usize) -> Vec<u8> + Send + Sync> {
    Box::new(move |n| {
        let (method, params) = call(n);
        let body = json!({ "jsonrpc": "2.0", "id": n, "method": method, "params": params });
        client::post("/api/protocol", &body.to_string())
    })
}

fn tool(name: &str, arguments: &Value) -> (&'static str, Value) {
    ("tools/call", json!({ "name": name, "arguments": arguments }))
}

fn a2a(part: impl Fn(usize) -> Value + Send + Sync + 'static) -> Box<dyn Fn(usize) -> Vec<u8> + Send + Sync> {
    Box::new(move |n| {
        let message = json!({ "messageId": format!("m{n}"), "role": "ROLE_USER", "parts": [part(n)] });
        let params = json!({ "message": message });
        let body = json!({ "jsonrpc": "2.0", "id": n, "method": "SendMessage", "params": params });
        client::post("/api/a2a", &body.to_string())
    })
}

fn data_part(operation: &str, arguments: &Value) -> Value {
    json!({ "data": { "operation": operation, "arguments": arguments } })
}
