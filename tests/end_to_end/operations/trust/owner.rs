//! Tests `manage_listing`: the actions that only the owner of a listing may take.

use aws_sdk_dynamodb::types::AttributeValue;
use insta::assert_snapshot;
use tests::peers::domains::{Owner, TextSite};
use tests::prelude::*;

use crate::fixtures::{members, refused_arguments, server_json, shown};

/// A Live server with a description, and the document with the key of its domain.
struct OwnerSetup {
    owner: Owner,
    registry: TestRegistry,
    server: Peer,
    site: TextSite,
    id: ListingId,
}

const NAME: &str = "org.example/adder";

impl OwnerSetup {
    async fn start() -> Self {
        Self::start_with(TestOptions::default()).await
    }

    async fn start_with(options: TestOptions) -> Self {
        let owner = Owner::new(1);
        let site = TextSite::with_key("127.0.0.1", &owner).await;
        let registry = TestRegistry::start_with(options.with_domain_proofs(&site.peer.origin)).await;
        let server = Peer::start(servers::modern).await;
        let id = id_of(&registry.publish(&server_json(NAME, &server.url("/mcp"))).await);
        registry.deliver_to_live(&id).await;
        Self { owner, registry, server, site, id }
    }

    /// Runs an act that the owner signs.
    async fn act(&self, act: &str) -> Value {
        self.run_act(&self.owner, &self.arguments(act)).await
    }

    fn arguments(&self, act: &str) -> Value {
        json!({ "listing_id": self.id, "act": act })
    }

    async fn run_act(&self, owner: &Owner, arguments: &Value) -> Value {
        let call = owner.with_signature(&self.registry, "manage_listing", arguments).await;
        self.registry.call_tool("manage_listing", &call).await
    }

    async fn bind(&self, owner: &Owner) {
        let listing = json!({ "listing_id": self.id });
        let call = owner.with_signature(&self.registry, "bind_identity", &listing).await;
        assert_eq!(self.registry.call_tool("bind_identity", &call).await["bound"], true);
    }

    async fn signed_refusal(&self, owner: &Owner, act: &str) -> Value {
        let call = owner.with_signature(&self.registry, "manage_listing", &self.arguments(act)).await;
        self.refusal_code(&call).await
    }

    async fn refusal_code(&self, arguments: &Value) -> Value {
        self.registry.refused_tool("manage_listing", arguments).await["code"].clone()
    }
}

#[tokio::test]
async fn act_in_words_waits_for_its_signature() {
    let OwnerSetup { owner, registry, id, server: _server, site: _site } = OwnerSetup::start().await;
    let send = async |message: Value| {
        registry.rpc("/api/a2a", "message/send", json!({ "message": message })).await["result"].clone()
    };
    let text = json!({ "kind": "text", "text": format!("withdraw {id}") });
    let asked = send(json!({ "role": "user", "messageId": "m", "parts": [text] })).await;
    assert_eq!(asked["status"]["state"], "input-required", "{asked}");
    assert_eq!(registry.lane(&id).await, "active");
    let withdrawal = json!({ "listing_id": id, "act": "withdraw" });
    let signed = owner.with_signature(&registry, "manage_listing", &withdrawal).await;
    let proof = json!({ "nonce": signed["nonce"], "signature": signed["signature"] });
    let parts = json!([{ "kind": "data", "data": proof }]);
    let done = send(json!({ "role": "user", "messageId": "n", "taskId": asked["id"], "parts": parts })).await;
    assert_eq!(done["status"]["state"], "completed", "{done}");
    assert_eq!(registry.lane(&id).await, "withdrawn");
}

#[tokio::test]
async fn owner_can_withdraw_and_restore_a_listing() {
    let setup = OwnerSetup::start().await;
    let registry = &setup.registry;
    let early = setup.refusal_code(&setup.arguments("restore")).await;
    let done = setup.act("withdraw").await;
    assert_eq!(registry.live_counts().await, (0, 0));
    let again = registry.post("/api/publish", &server_json(NAME, &setup.server.url("/mcp"))).await;
    let rename = with_members(setup.arguments("rename"), &json!({ "name": "Other" }));
    let status = members(&registry.status(&setup.id).await, &["lane_reason", "withdrawal", "next"]);
    let acts = ["done", "changed", "lane", "proven_domain"];
    let withdrawn = json!({
        "early_restore": early, "withdrawal": members(&done, &acts), "status": status, "publish": again.refusal(),
        "rename": setup.refusal_code(&rename).await,
        "reprobe": setup.refusal_code(&setup.arguments("reprobe")).await,
    });
    registry.advance(TICK);
    let restored = setup.act("restore").await;
    assert_snapshot!(shown(
        registry,
        &json!({ "withdrawn": withdrawn, "restored": members(&restored, &acts) })
    ));
    registry.deliver_events().await;
    assert_eq!((registry.lane(&setup.id).await.as_str(), registry.live_counts().await), ("active", (0, 1)));
}

/// Only the operator can undo a withdrawal by the operator, also if the owner withdrew the listing first.
#[tokio::test]
async fn withdrawal_by_the_operator_overrides_the_owner() {
    let setup = OwnerSetup::start().await;
    let (owner, registry) = (&setup.owner, &setup.registry);
    setup.act("withdraw").await;
    let signed = owner.with_signature(registry, "manage_listing", &setup.arguments("restore")).await;
    let operator = json!({ "command": "withdraw", "listing_id": setup.id, "reason": "Spam." });
    for changed in [true, false] {
        assert_eq!(registry.run("operator", operator.clone()).await["changed"], changed);
    }
    for call in [setup.arguments("restore"), signed] {
        let problem = registry.refused_tool("manage_listing", &call).await;
        assert_members(&problem, &json!({ "status": 409, "code": "withdrawn_by_operator" }));
        assert_eq!(problem.get("next"), None, "the arguments were correct");
    }
    let done = setup.act("withdraw").await;
    assert_members(&done, &json!({ "changed": false, "note": "It is withdrawn: see its status." }));
    assert_eq!(registry.status(&setup.id).await["withdrawal"]["reason"], "Spam.");
}

#[tokio::test]
async fn owner_can_rename_a_listing_within_the_rules_of_names() {
    let setup = OwnerSetup::start().await;
    let (owner, registry) = (&setup.owner, &setup.registry);
    let arguments = setup.arguments("rename");
    let rename = with_members(arguments.clone(), &json!({ "name": "Sums" }));
    let agent = Peer::start(agents::newest).await;
    let card = registry.live_card(&agent.card()).await;
    let invalid = [
        json!({ "name": "com.stripe/payments" }),
        json!({ "name": "two\nlines" }),
        json!({ "name": "" }),
        json!({}),
        json!({ "listing_id": card, "name": "Sums" }),
    ];
    assert_snapshot!(refused_arguments(registry, "manage_listing", &arguments, invalid).await);
    // A signature is valid for one name only.
    let mut call = owner.with_signature(registry, "manage_listing", &rename).await;
    call["name"] = json!("Bank");
    assert_eq!(setup.refusal_code(&call).await, "challenge_of_another_act");

    let done = setup.run_act(owner, &rename).await;
    assert_members(&done, &json!({ "changed": true, "name": "Sums" }));
    assert_eq!(registry.first_row("mcps").await["name"], "Sums");
    registry.index().await;
    let hits = registry.get("/api/match?q=sums").await.body["hits"].clone();
    assert_eq!(hits[0]["listing_id"], setup.id.as_str(), "{hits}");
    // A probe does not undo it.
    let renamed = json!({ "name": "Sums", "/name_standing/standing": "claimed" });
    assert_members(&registry.status(&setup.id).await, &renamed);
    registry.advance(TICK);
    registry.first_probe(&setup.id).await;
    assert_members(&registry.status(&setup.id).await, &renamed);
}

#[tokio::test]
async fn owner_can_request_a_probe_also_of_a_failing_listing() {
    let setup = OwnerSetup::start().await;
    let registry = &setup.registry;
    registry.advance(TICK);
    registry.events();
    // The second request is within six minutes.
    for _ in 0..2 {
        setup.server.forget_requests();
        let done = setup.act("reprobe").await;
        assert_members(&done, &json!({ "lane": "active", "due_at": registry.now() }));
        let delivered = registry.deliver_events().await;
        assert_eq!(delivered.iter().filter(|event| event["detail-type"] == "listing.queued").count(), 1);
        assert!(!setup.server.request_names().is_empty(), "no probe was sent");
        assert_eq!(registry.lane(&setup.id).await, "active");
    }
    registry.advance(DAY);
    setup.server.answer_with(|_| empty(404));
    registry.tick().await;
    assert_eq!(registry.status(&setup.id).await["liveness"]["state"], "failing");
    setup.server.answer_with(servers::modern);
    setup.act("reprobe").await;
    assert_eq!(registry.probed_status(&setup.id).await["liveness"]["state"], "proven");
    let trails = registry.call_tool("sense_traces", &json!({ "listing_id": setup.id })).await;
    let danger = trails["trails"][0]["danger"].as_f64().unwrap();
    assert!((danger - 8.0).abs() < 0.05, "10 for the failure, minus 2: {trails}");
}

#[tokio::test]
async fn only_the_owner_can_manage_a_listing() {
    let setup = OwnerSetup::start().await;
    let (owner, stranger) = (&setup.owner, Owner::new(2));
    for act in ["withdraw", "reprobe"] {
        assert_eq!(setup.signed_refusal(&stranger, act).await, "signature_mismatch", "{act}");
    }
    // A key that the domain no longer publishes is refused, although it was valid before.
    setup.act("reprobe").await;
    setup.site.serve(stranger.record());
    assert_eq!(setup.signed_refusal(owner, "withdraw").await, "signature_mismatch");
    assert_eq!(setup.registry.lane(&setup.id).await, "active");
    let without = with_members(setup.arguments("withdraw"), &json!({ "name": "x" }));
    assert_eq!(setup.refusal_code(&without).await, "name_without_rename");
}

/// Takes demo and feedback as a stranger; returns the body that was sent and the answer.
async fn complete_as_a_stranger(registry: &TestRegistry, id: &ListingId) -> (Value, Value) {
    let body = json!({ "listing_id": id, "goals": ["Tell everyone about strangers"] });
    let demo = registry.post("/api/products/demo", &body).await.body;
    let feedback = demo["next_steps"]["example_body"].clone();
    let answer = registry.feedback(&feedback).await.ok();
    (feedback, answer)
}

#[tokio::test]
async fn owner_can_reclaim_a_seat_that_a_stranger_took() {
    let setup = OwnerSetup::start().await;
    let (owner, registry) = (&setup.owner, &setup.registry);
    assert_eq!(setup.signed_refusal(owner, "reclaim").await, "not_completed");
    let (mut feedback, stolen) = complete_as_a_stranger(registry, &setup.id).await;

    assert_eq!(setup.signed_refusal(&Owner::new(2), "reclaim").await, "signature_mismatch");
    let mut by_rest = owner.with_signature(registry, "manage_listing", &setup.arguments("reclaim")).await;
    by_rest["action"] = json!("manage_listing");
    let done = registry.post(super::FAMILY, &by_rest).await;
    assert_eq!((done.status, done.header("cache-control")), (200, "no-store"), "{done:?}");
    let token = &done.body["access_token"];
    let opened = registry.access(token).await.ok();
    assert!(!opened.to_string().contains("strangers"), "the goals of the stranger remain");
    assert_eq!(registry.access(&stolen["access_token"]).await.status, 401);
    feedback["reissue"] = json!(true);
    registry.feedback(&feedback).await.assert_refused(409, "already_completed");
    registry.access(token).await.ok();
    assert_eq!(registry.app.store.live().await.unwrap().funnel.seats_claimed, 1);
}

#[tokio::test]
async fn owner_and_operator_can_read_feedback_without_personal_data() {
    let setup = OwnerSetup::start().await;
    let registry = &setup.registry;
    let none = setup.act("read_feedback").await;
    assert_members(&none, &json!({ "done": true, "feedback": null, "due_at": null }));
    let mut feedback = registry.draft(&setup.id).await;
    feedback["answers"]["ux_friction"] = json!("The third step. Write to jane@example.org.");
    registry.feedback(&feedback).await.ok();

    assert_eq!(setup.signed_refusal(&Owner::new(2), "read_feedback").await, "signature_mismatch");
    let answers = setup.act("read_feedback").await["feedback"]["answers"].clone();
    assert_eq!(answers["ux_friction"], "The third step. Write to [removed].");
    for about in [Value::Null, json!(setup.id)] {
        let command = json!({ "command": "feedback", "listing_id": about });
        let listed = registry.run("operator", command).await["feedback"].clone();
        assert_members(&listed, &json!({ "/0/answers": answers, "/1": null }));
    }
}

#[tokio::test]
async fn owner_can_reclaim_a_code_until_it_is_used() {
    let options = TestOptions::default().with(|settings| settings.founding_seats = 1);
    let setup = OwnerSetup::start_with(options).await;
    let (owner, registry) = (&setup.owner, &setup.registry);
    let agent = Peer::start(agents::newest).await;
    let first = registry.live_card(&agent.card()).await;
    complete_as_a_stranger(registry, &first).await;
    let (_, stolen) = complete_as_a_stranger(registry, &setup.id).await;
    let partition = |code: &Value| {
        let code: registry::model::DiscountCode = code.as_str().unwrap().parse().unwrap();
        format!("CODE#{}", code.digest())
    };
    // The stranger reserves the code with a purchase that is never paid. This does not protect the code.
    let reserved = partition(&stolen["discount"]["code"]);
    let purchase = AttributeValue::S("pur_0123456789abcdef01234567".to_owned());
    let until = AttributeValue::N((registry.now().as_millisecond() + 3_600_000).to_string());
    registry.overwrite(&reserved, "CODE", "held_by", purchase.clone()).await;
    registry.overwrite(&reserved, "CODE", "held_until", until).await;
    let done = setup.act("reclaim").await;
    let code = &done["discount"]["code"];
    assert_ne!(code, &stolen["discount"]["code"]);
    assert_eq!((registry.items("CODE#").await.len(), &done["access_token"]), (1, &Value::Null));
    // A used code cannot be reclaimed.
    registry.overwrite(&partition(code), "CODE", "used_by", purchase).await;
    assert_eq!(setup.signed_refusal(owner, "reclaim").await, "reward_spent");
}

#[tokio::test]
async fn bound_key_manages_a_listing_while_its_server_is_down() {
    let mut setup = OwnerSetup::start().await;
    let (owner, stranger) = (&setup.owner, Owner::new(2));
    setup.site.fail(503);
    assert_eq!(setup.signed_refusal(owner, "withdraw").await, "no_domain_key", "the key is not bound yet");
    setup.site.serve(owner.record());
    setup.bind(owner).await;
    setup.site.fail(503);
    setup.server = Peer::start(|_| empty(503)).await;
    assert_eq!(setup.signed_refusal(&stranger, "withdraw").await, "no_domain_key");
    let done = setup.act("withdraw").await;
    assert_eq!((&done["lane"], &done["proven_domain"]), (&json!("withdrawn"), &json!("127.0.0.1")), "{done}");
    assert_eq!(setup.act("restore").await["changed"], true);
    // Binding the same key again works, too, but does not extend the time for which the key counts.
    setup.registry.advance(300 * DAY);
    setup.bind(owner).await;
    setup.act("withdraw").await;
    setup.registry.advance(66 * DAY);
    assert_eq!(setup.signed_refusal(owner, "restore").await, "no_domain_key");
}

/// At the place of the bound key and at other places.
#[tokio::test]
async fn published_keys_replace_bound_keys() {
    let setup = OwnerSetup::start().await;
    let (owner, next) = (&setup.owner, Owner::new(2));
    setup.bind(owner).await;
    setup.site.serve(next.record());
    assert_eq!(setup.signed_refusal(owner, "withdraw").await, "signature_mismatch");
    setup.site.fail(404);
    assert_eq!(setup.signed_refusal(owner, "withdraw").await, "no_domain_key");
    // The bound key signs again while the site is down, unless another place publishes a key.
    setup.site.fail(503);
    let serve_keys = |set: Value| {
        setup.server.answer_with(move |request| match request.path.as_str() {
            "/.well-known/jwks.json" => json_answer(200, &set),
            _ => servers::modern(request),
        });
    };
    serve_keys(json!({ "keys": [next.jwk()] }));
    assert_eq!(setup.signed_refusal(owner, "withdraw").await, "signature_mismatch");
    serve_keys(json!({ "keys": [] }));
    setup.act("reprobe").await;
    // It does so until another key is bound from the same place.
    setup.site.serve(next.record());
    setup.bind(&next).await;
    setup.site.fail(503);
    assert_eq!(setup.signed_refusal(owner, "withdraw").await, "no_domain_key");
    assert_eq!(setup.run_act(&next, &setup.arguments("withdraw")).await["lane"], "withdrawn");
}

#[tokio::test]
async fn bound_key_counts_only_for_the_host_that_it_was_bound_for() {
    let setup = OwnerSetup::start().await;
    let owner = &setup.owner;
    setup.bind(owner).await;
    setup.site.fail(503);
    let partition = format!("LISTING#{}", setup.id);
    let moved = AttributeValue::S("http://127.0.0.2:1/mcp".to_owned());
    setup.registry.overwrite(&partition, "CORE", "url", moved.clone()).await;
    setup.registry.overwrite(&partition, "CORE", "endpoint", moved).await;
    assert_eq!(setup.signed_refusal(owner, "withdraw").await, "no_domain_key");
    assert_eq!(setup.registry.status(&setup.id).await["proven_domain"], Value::Null);
}

#[tokio::test]
async fn proven_domain_is_shown_with_the_listing() {
    let setup = OwnerSetup::start().await;
    let (owner, registry) = (&setup.owner, &setup.registry);
    let page = format!("/list/{}", setup.id);
    let badge = format!("/badge/verified.svg?id={}", setup.id);
    let shown = async || {
        registry.index().await;
        let row = registry.get("/api/listings/active").await.body["mcps"][0]["proven_domain"].clone();
        let hit = registry.get("/api/match?q=adder").await.body["hits"][0]["proven_domain"].clone();
        let status = registry.status(&setup.id).await["proven_domain"].clone();
        json!([row, hit, status, registry.text(&page).await.contains("domain proven")])
    };
    assert_eq!(shown().await, json!([null, null, null, false]));
    assert_contains(&registry.text(&page).await, &[&format!("/prove?id={}", setup.id)]);
    assert!(!registry.text(&badge).await.contains("127.0.0.1"));
    setup.bind(owner).await;
    let unsigned = registry.call_tool("manage_listing", &setup.arguments("withdraw")).await;
    assert_members(&unsigned, &json!({ "done": false, "proven_domain": "127.0.0.1" }));
    assert_eq!(shown().await, json!(["127.0.0.1", "127.0.0.1", "127.0.0.1", true]));
    let words = "verified handshake, name claimed, 127.0.0.1";
    assert_contains(&registry.text(&badge).await, &[words]);
    // A probe and a rename keep it.
    setup.run_act(owner, &with_members(setup.arguments("rename"), &json!({ "name": "Sums" }))).await;
    registry.advance(TICK);
    registry.first_probe(&setup.id).await;
    assert_eq!(registry.status(&setup.id).await["proven_domain"], "127.0.0.1");
}

#[tokio::test]
async fn owner_can_opt_in_again() {
    let setup = OwnerSetup::start().await;
    let registry = &setup.registry;
    let opt_out = json!({ "listing_id": setup.id });
    let done = setup.act("opt_in").await;
    assert_eq!(done["changed"], false, "`opt_in` without an opt-out changed something");
    registry.call_tool("outreach_opt_out", &opt_out).await;
    assert_eq!(setup.signed_refusal(&Owner::new(2), "opt_in").await, "signature_mismatch");
    assert_eq!(registry.reach_out().await["invited"], 0);
    assert_eq!(setup.act("opt_in").await["changed"], true);
    assert_eq!(registry.reach_out().await["invited"], 1);
    // Opting in does not shorten the pause between invitations.
    registry.call_tool("outreach_opt_out", &opt_out).await;
    setup.act("opt_in").await;
    registry.advance(2 * DAY);
    assert_eq!(registry.reach_out().await["invited"], 0);
}

#[tokio::test]
async fn restored_listing_is_probed_at_once_and_says_that_it_was_not_probed_since() {
    let setup = OwnerSetup::start().await;
    let registry = &setup.registry;
    setup.act("withdraw").await;
    let tools = format!("/api/listings/tools?id={}", setup.id);
    assert_eq!(registry.get(&tools).await.status, 404, "returned while the listing is withdrawn");
    registry.events();
    setup.server.forget_requests();
    setup.server.answer_with(servers::modern_with(&["add", "remove"]));
    setup.act("restore").await;
    let waiting = registry.status(&setup.id).await;
    let waiting = members(&waiting, &["lane", "retry_at", "lane_reason", "liveness"]);
    assert_snapshot!(shown(registry, &waiting));
    registry.deliver_to_live(&setup.id).await;
    assert!(!setup.server.request_names().is_empty(), "no probe was sent");
    let changed = registry.get(&tools).await.body;
    assert_ne!(changed["changes"], json!([]), "the change of tools is unseen: {changed}");
}
