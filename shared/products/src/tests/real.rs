//! Profiles of an agent and of two servers, each made from documents and from a proof like that of a probe.

use serde_json::{Value, json};

use super::super::{Peer, Profile, Proof};
use registry_model::{
    Assessment, Check, Facts, Handshake, Kind, ListingId, Score, ScorePart, Skill, Tool, Verdict,
};
use registry_settings::{Mode, Settings};

pub(super) fn settings() -> Settings {
    Settings::from_env(Mode::Public, |name| {
        (name == "BASE_URL").then(|| "https://registry.example.com".to_owned())
    })
    .unwrap()
}

fn text(document: &Value, member: &str) -> Option<String> {
    document[member].as_str().map(str::to_owned)
}

fn proof(kind: Kind, hint: &str, parts: &[(&str, u8, u8, &str)], checks: Vec<Check>) -> Proof {
    let part = |(id, points, of, why): &(&str, u8, u8, &str)| ScorePart {
        id: (*id).to_owned(),
        points: *points,
        of: *of,
        why: (*why).to_owned(),
    };
    let parts: Vec<ScorePart> = parts.iter().map(part).collect();
    Proof::of(&Assessment {
        verdict: Verdict {
            latency_ms: Some(730),
            protocol_hints: vec![hint.to_owned()],
            handshake: Handshake::Ok,
            speaks: true,
            facts: Facts { kind: Some(kind), ..Facts::default() },
            ..Verdict::default()
        },
        checks,
        score: Score { value: parts.iter().map(|part| part.points).sum(), breakdown: parts },
        probed_at: "2026-11-19T18:45:10.250Z".parse().unwrap(),
        changed: None,
    })
}

/// An agent with three skills, each well described.
pub(super) fn governance() -> Profile {
    let card: Value = serde_json::from_str(include_str!("governance_card.json")).unwrap();
    let skills: Vec<Skill> = serde_json::from_value(card["skills"].clone()).unwrap();
    let name = text(&card, "name").unwrap();
    let host = "https://governance.taskhawktech.com";
    let peer = Peer {
        listing_id: ListingId::of_name(Kind::Mcp, "Audit Log"),
        kind: Kind::Mcp,
        name: "Audit Log".to_owned(),
        description: "Append-only audit records for compliance teams.".to_owned(),
        url: "https://audit.example.org/mcp".to_owned(),
    };
    let parts = [
        ("handshake", 40, 40, "The handshake was completed."),
        ("protocol", 7, 10, "The newest version spoken is 0.3."),
    ];
    Profile {
        listing_id: Some(ListingId::of_name(Kind::Agent, &name)),
        version: text(&card, "version"),
        endpoint: Some(format!("{host}/")),
        card_url: Some(format!("{host}/.well-known/agent-card.json")),
        skills,
        protocol_versions: vec!["0.3".to_owned()],
        proof: Some(proof(Kind::Agent, "jsonrpc", &parts, Vec::new())),
        peers: vec![peer],
        ..Profile::unlisted(Kind::Agent, &name, card["description"].as_str(), Vec::new())
    }
}

/// A server whose tools have names and nothing else.
pub(super) fn papers() -> Profile {
    let server: Value = serde_json::from_str(include_str!("arxiv_server.json")).unwrap();
    let tools: Vec<Tool> = serde_json::from_value(server["tools"].clone()).unwrap();
    let name = text(&server, "name").unwrap();
    let parts = [
        ("latency", 8, 10, "The handshake took 730 ms."),
        ("protocol", 7, 10, "The newest version spoken is 2025-06-18."),
        ("abilities", 2, 8, "Stored tools with a description: 0 of 4."),
        ("identity", 4, 7, "Missing: a page about it."),
        ("checks", 7, 10, "Did not pass: tools_unchanged."),
    ];
    let check = Check {
        id: "tools_unchanged".to_owned(),
        ok: false,
        blocking: false,
        applies: true,
        detail: "The tools changed: 5e1f0a to 77ab12.".to_owned(),
    };
    Profile {
        listing_id: Some(ListingId::of_name(Kind::Mcp, &name)),
        version: text(&server, "version"),
        endpoint: Some("https://arxiv.example.dev/mcp".to_owned()),
        protocol_versions: vec!["2025-06-18".to_owned()],
        proof: Some(proof(Kind::Mcp, "mcp/2025-06-18", &parts, vec![check])),
        server_name: Some(name),
        ..Profile::unlisted(Kind::Mcp, "arxiv-mcp-server", server["description"].as_str(), tools)
    }
}

/// A server whose tools have schemas and declare their effects, some of them wrongly.
pub(super) fn browser() -> Profile {
    let words = json!({
        "required": ["words"],
        "properties": {
            "words": { "type": "string", "examples": ["tide tables"], "description": "Words of the title." },
            "limit": { "type": "integer", "default": 10, "description": "Pages to return." },
        },
    });
    let expression =
        json!({ "required": ["expression"], "properties": { "expression": { "type": "string" } } });
    let history = "Finds visited pages by words in their titles. Use it to open a page again.";
    let profile = server(&[
        ("browser_close", "Closes the page.", None, json!({})),
        ("browser_evaluate", "Evaluates a JavaScript expression on the page.", None, expression),
        ("browser_hover", "Moves the pointer over an element.", None, json!({})),
        ("browser_resize", "Resizes the window.", Some(false), json!({})),
        ("browser_snapshot", "Returns the accessibility tree of the page.", Some(true), json!({})),
        ("delete_history", "Deletes visited pages.", Some(true), json!({})),
        ("search_history", history, Some(true), words),
    ]);
    let close = Tool { destructive: Some(true), ..profile.tools[0].clone() };
    let tools = [&[close], &profile.tools[1..]].concat();
    Profile { tools, ..profile }
}

/// The server `Browser` with these tools: name, description, whether it is declared to only read, and input schema.
pub(super) fn server(tools: &[(&str, &str, Option<bool>, Value)]) -> Profile {
    let tool = |(name, description, read_only, _): &(&str, &str, Option<bool>, Value)| Tool {
        name: (*name).to_owned(),
        description: (*description).to_owned(),
        read_only: *read_only,
        ..Tool::default()
    };
    let definitions = tools.iter().map(|tool| (tool.0.to_owned(), json!({ "inputSchema": tool.3 })));
    Profile {
        endpoint: Some("https://browser.example.com/mcp".to_owned()),
        version: Some("1.4.2".to_owned()),
        tools_hash: Some(format!("sha256:{}", "ab".repeat(32))),
        listing_id: Some(ListingId::of_name(Kind::Mcp, "browser")),
        definitions: definitions.collect(),
        ..Profile::unlisted(
            Kind::Mcp,
            "Browser",
            Some("Controls a browser."),
            tools.iter().map(tool).collect(),
        )
    }
}

pub(super) fn profiles() -> Vec<Profile> {
    vec![governance(), papers(), browser()]
}
