//! Profiles of real listings of different kinds. Each was made from the listing's own documents and from a
//! proof like that of a probe. The listings have different faults, so that each listing needs other fixes.

use serde_json::{Value, json};

use super::super::{Peer, Profile, Proof};
use registry_model::settings::{Mode, Settings};
use registry_model::{
    Assessment, Check, Facts, Handshake, Kind, ListingId, Moment, Score, ScorePart, Skill, Tool, Verdict,
};

pub(super) fn settings() -> Settings {
    Settings::from_env(Mode::Public, |name| {
        (name == "BASE_URL").then(|| "https://registry.example.com".to_owned())
    })
    .unwrap()
}

fn document(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn text(document: &Value, member: &str) -> Option<String> {
    document[member].as_str().map(str::to_owned)
}

fn part(id: &str, points: u8, of: u8, why: &str) -> ScorePart {
    ScorePart { id: id.to_owned(), points, of, why: why.to_owned() }
}

fn proof(
    kind: Kind,
    at: &str,
    latency_ms: u32,
    hints: &[&str],
    parts: Vec<ScorePart>,
    checks: Vec<Check>,
) -> Proof {
    Proof::of(&Assessment {
        verdict: Verdict {
            handshake: Handshake::Ok,
            reasons: Vec::new(),
            inconclusive: false,
            retry_after: None,
            speaks: true,
            answers: None,
            latency_ms: Some(latency_ms),
            signals: Vec::new(),
            protocol_hints: hints.iter().map(|hint| (*hint).to_owned()).collect(),
            facts: Facts { kind: Some(kind), ..Facts::default() },
        },
        checks,
        score: Score { value: parts.iter().map(|part| part.points).sum(), breakdown: parts },
        probed_at: at.parse::<Moment>().unwrap(),
        changed: None,
    })
}

fn peer(kind: Kind, name: &str, description: &str, url: &str) -> Peer {
    Peer {
        listing_id: ListingId::of_name(kind, name),
        kind,
        name: name.to_owned(),
        description: description.to_owned(),
        url: url.to_owned(),
    }
}

fn agent(card: &str, host: &str) -> Profile {
    let card = document(card);
    let skills: Vec<Skill> = serde_json::from_value(card["skills"].clone()).unwrap();
    let name = text(&card, "name").unwrap();
    Profile {
        listing_id: Some(ListingId::of_name(Kind::Agent, &name)),
        version: text(&card, "version"),
        endpoint: Some(format!("https://{host}/")),
        card_url: Some(format!("https://{host}/.well-known/agent-card.json")),
        website: text(&card, "homepage"),
        skills,
        ..Profile::unlisted(Kind::Agent, &name, card["description"].as_str(), Vec::new())
    }
}

fn server(described: &str, host: &str) -> Profile {
    let server = document(described);
    let tools: Vec<Tool> = serde_json::from_value(server["tools"].clone()).unwrap();
    let name = text(&server, "name").unwrap();
    let shown = text(&server, "title").unwrap_or_else(|| name.clone());
    Profile {
        listing_id: Some(ListingId::of_name(Kind::Mcp, &name)),
        server_name: Some(name),
        version: text(&server, "version"),
        endpoint: Some(format!("https://{host}/mcp")),
        website: text(&server, "websiteUrl"),
        ..Profile::unlisted(Kind::Mcp, &shown, server["description"].as_str(), tools)
    }
}

/// An agent with three skills, each well described.
pub(super) fn governance() -> Profile {
    Profile {
        category: "Operations & automation".to_owned(),
        protocol_versions: vec!["0.3".to_owned()],
        proof: Some(proof(
            Kind::Agent,
            "2026-11-20T12:00:00Z",
            412,
            &["a2a/0.3", "jsonrpc"],
            vec![
                part("handshake", 40, 40, "The handshake was completed."),
                part("answers", 10, 10, "A message was answered."),
                part("latency", 10, 10, "The handshake took 412 ms."),
                part("protocol", 7, 10, "The newest version spoken is 0.3."),
                part("description", 5, 5, "The description has 197 characters."),
                part("abilities", 8, 8, "3 of 3 skills are described."),
                part("identity", 7, 7, "Name, version and a page about it are given."),
                part("checks", 10, 10, "Every check holds."),
            ],
            Vec::new(),
        )),
        peers: vec![
            peer(
                Kind::Mcp,
                "Audit Log",
                "Append-only audit records for compliance teams.",
                "https://audit.example.org/mcp",
            ),
            peer(
                Kind::Agent,
                "Policy Check",
                "Analyses return, shipping and warranty policies.",
                "https://policycheck.tools/",
            ),
        ],
        ..agent(include_str!("governance_card.json"), "governance.taskhawktech.com")
    }
}

/// An agent with one skill, which says little.
pub(super) fn air_tickets() -> Profile {
    Profile {
        category: "Personal assistant".to_owned(),
        protocol_versions: vec!["1.0".to_owned(), "0.3".to_owned()],
        proof: Some(proof(
            Kind::Agent,
            "2026-11-21T03:30:00Z",
            2310,
            &["a2a/1.0", "http+json"],
            vec![
                part("handshake", 40, 40, "The handshake was completed."),
                part("answers", 5, 10, "No message was sent this time."),
                part("latency", 5, 10, "The handshake took 2310 ms."),
                part("protocol", 10, 10, "The newest version spoken is 1.0."),
                part("description", 3, 5, "The description has 38 characters."),
                part("abilities", 8, 8, "1 of 1 skills are described."),
                part("identity", 4, 7, "Missing: a page about it."),
                part("checks", 10, 10, "Every check holds."),
            ],
            Vec::new(),
        )),
        peers: vec![peer(
            Kind::Agent,
            "Hotel Booking Agent",
            "Books hotels.",
            "https://hotels.example.org/a2a",
        )],
        ..agent(include_str!("air_ticketing_card.json"), "tickets.example.net")
    }
}

/// A server whose tools have names and nothing else.
pub(super) fn papers() -> Profile {
    Profile {
        category: "Research & analysis".to_owned(),
        protocol_versions: vec!["2025-06-18".to_owned()],
        proof: Some(proof(
            Kind::Mcp,
            "2026-11-19T18:45:10.250Z",
            730,
            &["mcp/2025-06-18", "jsonrpc"],
            vec![
                part("handshake", 40, 40, "The handshake was completed."),
                part("answers", 10, 10, "The tools were listed."),
                part("latency", 8, 10, "The handshake took 730 ms."),
                part("protocol", 7, 10, "The newest version spoken is 2025-06-18."),
                part("description", 5, 5, "The description has 87 characters."),
                part("abilities", 2, 8, "0 of 4 tools are described."),
                part("identity", 4, 7, "Missing: a page about it."),
                part("checks", 7, 10, "Failed: tools_unchanged."),
            ],
            vec![Check {
                id: "tools_unchanged".to_owned(),
                ok: false,
                blocking: false,
                detail: "The tools changed: 5e1f0a to 77ab12.".to_owned(),
            }],
        )),
        peers: vec![peer(
            Kind::Mcp,
            "Citation Graph",
            "Citations between papers.",
            "https://citations.example.org/mcp",
        )],
        ..server(include_str!("arxiv_server.json"), "arxiv.example.dev")
    }
}

/// A server with two described tools, not probed yet.
pub(super) fn reversed_text() -> Profile {
    Profile {
        category: "Developer tools".to_owned(),
        ..server(include_str!("reverse_text_server.json"), "mcp.nimbletools.ai")
    }
}

/// A server whose tools have schemas and declare their effects, some of them wrongly.
pub(super) fn browser() -> Profile {
    let tool = |name: &str, description: &str, annotations: Value, properties: Value, required: Value| {
        json!({
            "name": name, "description": description, "annotations": annotations,
            "inputSchema": { "type": "object", "properties": properties, "required": required },
        })
    };
    let none = || json!({});
    let mut search = tool(
        "search_history",
        "Finds visited pages by words in their titles. Use it to open a page again.",
        json!({ "readOnlyHint": true }),
        json!({
            "words": { "type": "string", "examples": ["tide tables"], "description": "Words of the title." },
            "limit": { "type": "integer", "minimum": 1, "default": 10, "description": "Pages to return." },
        }),
        json!(["words"]),
    );
    search["outputSchema"] = json!({
        "type": "object", "required": ["pages"],
        "properties": { "pages": { "type": "array", "items": { "type": "object", "required": ["url"],
            "properties": { "url": { "type": "string" }, "title": { "type": "string" } } } } },
    });
    let definitions = [
        tool("browser_close", "Closes the page.", json!({ "destructiveHint": true }), none(), json!([])),
        tool(
            "browser_evaluate",
            "Evaluates a JavaScript expression on the page.",
            none(),
            json!({ "expression": { "type": "string", "description": "The expression." } }),
            json!(["expression"]),
        ),
        tool("browser_hover", "Moves the pointer over an element.", none(), none(), json!([])),
        tool("browser_resize", "Resizes the window.", json!({ "readOnlyHint": false }), none(), json!([])),
        tool(
            "browser_snapshot",
            "Returns the accessibility tree of the page.",
            json!({ "readOnlyHint": true, "openWorldHint": true }),
            none(),
            json!([]),
        ),
        tool("delete_history", "Deletes visited pages.", json!({ "readOnlyHint": true }), none(), json!([])),
        search,
    ];
    let tools = definitions.iter().map(|definition| Tool {
        name: text(definition, "name").unwrap(),
        description: text(definition, "description").unwrap(),
        ..Tool::default()
    });
    let named =
        definitions.iter().map(|definition| (text(definition, "name").unwrap(), definition.to_string()));
    let named: Vec<(String, String)> = named.collect();
    let profile = Profile {
        endpoint: Some("https://browser.example.com/mcp".to_owned()),
        version: Some("1.4.2".to_owned()),
        tools_hash: Some(format!("sha256:{}", "ab".repeat(32))),
        category: "Developer tools".to_owned(),
        proof: Some(proof(
            Kind::Mcp,
            "2026-11-22T09:12:44Z",
            1810,
            &["mcp/2025-06-18", "jsonrpc"],
            vec![
                part("handshake", 40, 40, "The handshake was completed."),
                part("latency", 5, 10, "The handshake took 1810 ms."),
                part("description", 1, 5, "The description has 19 characters."),
                part("abilities", 8, 8, "7 of 7 tools are described."),
                part("identity", 4, 7, "Missing: a website."),
            ],
            Vec::new(),
        )),
        protocol_versions: vec!["2025-06-18".to_owned()],
        listing_id: Some(ListingId::of_name(Kind::Mcp, "browser")),
        ..Profile::unlisted(Kind::Mcp, "Browser", Some("Controls a browser."), tools.collect())
    };
    profile.with_definitions(named.iter().map(|(name, text)| (name.as_str(), text.as_str())))
}

pub(super) fn all() -> Vec<Profile> {
    vec![governance(), air_tickets(), papers(), reversed_text(), browser()]
}
