//! Tests the rules of the products: each file is valid in its format, texts of strangers are escaped, nothing is
//! invented, and only tools that are declared read-only are called without a question.

mod formats;
mod hostile;
mod real;

use std::collections::HashSet;

use serde_json::{Value, json};

use super::*;
use real::settings;
use registry_formats::server_json;
use registry_model::{
    Assessment, ClientRegistration, Handshake, Kind, Reach, Reason, Score, ScorePart, SignIn, Sku, Tool,
    Verdict,
};

fn paths(sku: Sku, profile: &Profile) -> Vec<String> {
    tree(sku, profile, &settings()).into_iter().map(|file| file.path).collect()
}

fn content(sku: Sku, profile: &Profile, path: &str) -> String {
    let files = tree(sku, profile, &settings()).into_iter();
    files.filter(|file| file.path == path).map(|file| file.content).next().unwrap()
}

fn json_of(sku: Sku, profile: &Profile, path: &str) -> Value {
    serde_json::from_str(&content(sku, profile, path)).unwrap()
}

#[test]
fn demo_contains_some_files_unchanged_and_names_the_others() {
    for profile in real::profiles() {
        for sku in Sku::ALL {
            let (whole, mut part) = (tree(sku, &profile, &settings()), sample(sku, &profile, &settings()));
            formats::check(&whole);
            assert_eq!(whole, tree(sku, &profile, &settings()), "the same listing gives the same bytes");
            assert!(whole.is_sorted_by_key(|file| file.path.clone()));
            let more = part.pop().unwrap();
            assert!(!part.is_empty() && part.iter().all(|file| whole.contains(file)));
            for file in whole.iter().filter(|file| !part.contains(file)) {
                assert!(more.content.contains(&format!("`{}`", file.path)), "{}", more.content);
            }
        }
    }
}

#[test]
fn each_product_has_its_files() {
    let kernel = ["AGENTS.md", "CHARTER.md", "evaluation.jsonl", "skills/arxiv-mcp-server/SKILL.md"];
    assert_eq!(paths(Sku::Kernel, &real::papers()), kernel);
    let recursive = paths(Sku::Recursive, &real::papers());
    assert!(kernel.iter().all(|path| recursive.iter().any(|other| other == path)));
    let alive = paths(Sku::Alive, &real::papers());
    assert!(recursive.iter().all(|path| alive.contains(path)) && alive.len() == recursive.len() + 4);
    let skill = "skills/arxiv-mcp-server/SKILL.md";
    let mesh = ["descriptions.md", "install.md", "mcp.json", "server-card.json", "server.json", skill];
    assert_eq!(paths(Sku::McpMesh, &real::papers()), mesh);
    assert!(paths(Sku::McpMesh, &real::governance()).contains(&"tools.jsonl".to_owned()));
}

#[test]
fn mcp_documents_match_the_official_schemas() {
    let schema: Value =
        serde_json::from_str(include_str!("../../../tests/harness/fixtures/server-card.schema.json"))
            .unwrap();
    let schema: Value =
        json!({ "$schema": schema["$schema"], "$defs": schema["$defs"], "$ref": "#/$defs/ServerCard" });
    let card_rules = jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap();
    let wrong = Profile {
        server_name: Some("not a name".to_owned()),
        version: Some("^1.2".to_owned()),
        description: Some("Finds papers and their citations. ".repeat(9)),
        website: Some("http://papers.example".to_owned()),
        endpoint: Some("http://localhost:9000/mcp".to_owned()),
        ..real::papers()
    };
    let bare = Profile { server_name: None, version: None, description: None, ..real::papers() };
    let install = content(Sku::McpMesh, &wrong, "install.md");
    for words in ["is not valid", "version 0.0.0 is a placeholder", "remotes left out"] {
        assert!(install.contains(words), "{words}\n{install}");
    }
    for profile in [real::papers(), wrong, bare] {
        server_json::parse_server_json(&json_of(Sku::McpMesh, &profile, "server.json"), Reach::Public)
            .unwrap();
        let card = json_of(Sku::McpMesh, &profile, "server-card.json");
        assert!(card_rules.is_valid(&card), "{card}");
    }
    let own = json!({ "name": "com.example/browser", "packages": [] });
    let profile = Profile { server_json: own.as_object().cloned(), ..real::papers() };
    assert_eq!(json_of(Sku::McpMesh, &profile, "server.json"), own, "a published document was changed");
    assert_eq!(json_of(Sku::Alive, &profile, "registry-watch.json")["publish"], own);
}

#[test]
fn profile_without_a_listing_gets_no_invented_facts() {
    let tools = vec![Tool { name: "add".to_owned(), ..Tool::default() }];
    let bare = Profile::unlisted(Kind::Agent, "Ada", None, Vec::new());
    let described = Profile::unlisted(Kind::Mcp, "Ada", Some("Adds numbers."), tools);
    for profile in [bare, described] {
        for sku in Sku::ALL {
            let files = tree(sku, &profile, &settings());
            formats::check(&files);
            let all: String = files.iter().map(|file| file.content.as_str()).collect();
            assert!(all.contains("Ada") && all.contains("described by hand"), "{sku:?}\n{all}");
            let mut urls = all.split("https://").skip(1);
            assert!(urls.all(|url| url.starts_with("registry.example.com")), "{all}");
            assert!(!all.contains("score 9") && !files.iter().any(|file| file.path == "server.json"));
            assert!(!all.contains("is public") && !all.contains("evidence of Ada"), "{all}");
            assert!(!all.contains("match?q='"), "a search needs words: {all}");
        }
    }
}

#[test]
fn goals_come_from_the_owner_or_a_preset() {
    let charter = |profile: &Profile| content(Sku::Kernel, profile, "CHARTER.md");
    assert!(!charter(&real::governance()).contains("| G1 |"), "a description is no goal of the owner");
    assert!(!charter(&real::governance()).contains("MCP assumes"), "a rule of MCP for an A2A agent");
    assert!(chosen_goals(Sku::Kernel, &real::governance()).is_empty(), "a purpose is no goal of the owner");
    let long = format!("Bake {}bread", "fresh ".repeat(48));
    let page = charter(&Profile { goals: vec![long.clone()], ..real::governance() });
    assert!(long.len() > 290 && page.contains(&long), "a goal is cut: {page}");
    let goals = vec!["Prove what was intended".to_owned(), "Bake bread".to_owned()];
    let page = charter(&Profile { goals, ..real::governance() });
    assert!(page.contains("| G1 | Prove what was intended | `intent-bind`"), "{page}");
    assert!(page.contains("| G2 | Bake bread | no skill mentions it |"), "{page}");
    for preset in Preset::ALL {
        let papers = Profile { preset: Some(preset), ..real::papers() };
        let page = charter(&papers);
        assert_eq!(page.matches("\n| G").count(), 3, "{page}");
        let chosen = [Sku::Kernel, Sku::McpMesh].map(|sku| chosen_goals(sku, &papers).len());
        assert_eq!(chosen, [3, 0], "only a charter contains the goals of a preset");
    }
}

#[test]
fn proof_of_a_listing_lists_weaknesses_and_their_fixes() {
    let weaknesses = real::papers().proof.unwrap().weaknesses;
    // The part `checks` lacks points only for the check that is named itself.
    let found: Vec<(&str, u8)> = weaknesses.iter().map(|one| (one.id.as_str(), one.points)).collect();
    let expected =
        [("abilities", 6), ("tools_unchanged", 3), ("protocol", 3), ("identity", 3), ("latency", 2)];
    assert_eq!(found, expected);
    let regression = content(Sku::Recursive, &real::papers(), "regression.md");
    for Weakness { id, seen, fix, points, .. } in &weaknesses {
        assert!(!fix.is_empty() && !seen.is_empty());
        let line = regression.lines().find(|line| line.starts_with(&format!("- [ ] `{id}`:"))).unwrap();
        assert!(line.ends_with(&format!("**+{points}**")), "{line}");
    }
}

#[test]
fn reason_is_marked_only_if_it_must_be_fixed_to_be_live() {
    let text = str::to_owned;
    let marked = |handshake| {
        let (code, reason, seen, fix) = (text("a_code"), text("skip"), text("npm"), text("Nothing to fix."));
        let fault = Reason { code, reason, seen, fix };
        let reasons = vec![fault.clone(), Reason { code: text("a_warning"), ..fault }];
        let verdict = Verdict { handshake, reasons, ..Verdict::default() };
        let part = ScorePart { id: text("checks"), points: 0, of: 10, why: text("No answer to check.") };
        let score = Score { value: 0, breakdown: vec![part] };
        let probed_at = "2026-11-19T18:45:10.250Z".parse().unwrap();
        let evidence = Assessment { verdict, checks: Vec::new(), score, probed_at, changed: None };
        let weaknesses = Proof::of(&evidence).weaknesses;
        assert_eq!(weaknesses.len(), 2, "a part that repeats the reason is listed: {weaknesses:?}");
        assert!(!weaknesses[1].blocking, "a warning: {weaknesses:?}");
        weaknesses[0].blocking
    };
    assert!(marked(Handshake::Fail) && marked(Handshake::Partial));
    assert!(!marked(Handshake::Skip), "a package that cannot be checked");
}

#[test]
fn only_tools_that_are_declared_read_only_need_no_confirmation() {
    let charter = content(Sku::Kernel, &real::browser(), "CHARTER.md");
    let has = |line: &str| assert!(charter.lines().any(|other| other.starts_with(line)), "{line}\n{charter}");
    has("- No confirmation: `browser_snapshot`, `search_history`. The server declares");
    has("- Ask first: `browser_hover`. No effect is declared. MCP assumes");
    has("- Ask first: `browser_evaluate` declares no effect, and its text says “evaluate”.");
    has("- Ask first: `browser_close` is declared destructive.");
    has("- Ask first: `browser_resize` is not declared as read-only.");
    has("- Ask first: `delete_history` is declared read-only, but also “delete”.");
    assert_eq!(charter.matches("| nothing |").count(), 2, "{charter}");
    // A verb that sounds harmless declares nothing.
    assert!(!content(Sku::Kernel, &real::papers(), "CHARTER.md").contains("No confirmation:"));
}

/// The names of the tools that the evaluation calls.
fn called(profile: &Profile) -> HashSet<String> {
    let cases = content(Sku::Kernel, profile, "evaluation.jsonl");
    let cases = cases.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    cases.filter_map(|case| case["params"]["name"].as_str().map(str::to_owned)).collect()
}

#[test]
fn evaluation_calls_only_tools_that_are_declared_read_only() {
    let allowed = ["no_such_tool_of_this_server", "browser_snapshot", "search_history"];
    assert_eq!(called(&real::browser()), HashSet::from(allowed.map(str::to_owned)));
    let cases = content(Sku::Kernel, &real::browser(), "evaluation.jsonl");
    let case = r#""params":{"name":"search_history","arguments":{"words":"tide tables"}},"expect":"result""#;
    assert!(cases.contains(case), "{cases}");
}

fn gated(registration: ClientRegistration) -> Profile {
    let issuer = "https://id.example.com".to_owned();
    let sign_in = Some(SignIn { issuer, scopes: Vec::new(), registration });
    Profile { sign_in, ..real::browser() }
}

#[test]
fn tools_that_are_not_known_are_neither_counted_nor_expected() {
    let gated = Profile { tools: Vec::new(), ..gated(ClientRegistration::Dynamic) };
    assert!(!content(Sku::Kernel, &gated, "evaluation.jsonl").contains("tools/list"));
    assert!(!content(Sku::Recursive, &gated, "regression.md").contains("any tool"));
    let none = "# Descriptions of Browser: no tools are known\n";
    assert_eq!(content(Sku::McpMesh, &gated, "descriptions.md"), none);
    let bare = Profile { description: None, ..gated };
    assert!(!content(Sku::McpMesh, &bare, "skills/browser/SKILL.md").contains("/api/match"));
    let tool = |at: usize| Tool { name: format!("tool_{at}"), ..Tool::default() };
    let many = Profile { tools: (0..150).map(tool).collect(), ..real::browser() };
    let page = content(Sku::McpMesh, &many, "descriptions.md");
    assert!(page.starts_with("# Descriptions of Browser: 100 of the first 100 tools to improve\n"), "{page}");
    assert!(content(Sku::Recursive, &many, "regression.md").contains("\nNot shown: 60 tools.\n"));
}

#[test]
fn tool_that_may_return_secrets_needs_a_confirmation_and_is_not_called() {
    let variables = "Returns all environment variables, helpful for debugging MCP server configuration";
    let tool = |name, description| (name, description, Some(true), json!({}));
    let profile = real::server(&[
        tool("get-env", variables),
        tool("dump", variables),
        tool("list_tokens", "Lists them."),
        tool("add", "Adds numbers."),
    ]);
    let charter = content(Sku::Kernel, &profile, "CHARTER.md");
    assert!(charter.contains("- No confirmation: `add`. The server"), "{charter}");
    assert!(charter.contains("- Ask first: `get-env` may return secrets, because its text says “env”."));
    assert_eq!(charter.matches("| ask first |").count(), 3, "{charter}");
    assert_eq!(called(&profile).len(), 2);
    let skill = content(Sku::Kernel, &profile, "skills/browser/SKILL.md");
    assert_eq!(skill.matches("call it without asking").count(), 1, "{skill}");
}

#[test]
fn skill_names_every_tool_and_shows_arguments_and_a_call() {
    let names: Vec<String> = (0..50).map(|at| format!("read_{at}")).collect();
    let tools: Vec<_> = names.iter().map(|name| (name.as_str(), "Reads a page.", None, json!({}))).collect();
    let skill = content(Sku::Kernel, &real::server(&tools), "skills/browser/SKILL.md");
    let (_, others) = skill.split_once("## Other tools of Browser").unwrap();
    for name in &names {
        let is_detailed = skill.contains(&format!("## Tool `{name}`"));
        assert!(is_detailed != others.contains(&format!("`{name}`")), "{name}\n{skill}");
    }
    let skill = content(Sku::McpMesh, &real::browser(), "skills/browser/SKILL.md");
    for line in [
        "| `words` | string | yes | Words of the title. | `\"tide tables\"` |",
        "| `limit` | integer | no | Pages to return. | `10` |",
        r#"{"name":"search_history","arguments":{"words":"tide tables"}}"#,
        r#"{"name":"browser_evaluate","arguments":{"expression":"<expression>"}}"#,
    ] {
        assert!(skill.contains(line), "{line}\n{skill}");
    }
}

#[test]
fn configuration_refers_to_the_secret_of_a_server_without_containing_one() {
    let entry =
        |profile: &Profile| json_of(Sku::McpMesh, profile, "mcp.json")["mcpServers"]["browser"].clone();
    let by_hand = gated(ClientRegistration::ByHand);
    assert_eq!(entry(&by_hand)["headers"], json!({ "Authorization": "Bearer ${MCP_BROWSER_TOKEN}" }));
    assert!(
        content(Sku::McpMesh, &by_hand, "install.md").contains("set `MCP_BROWSER_TOKEN` in the environment")
    );
    // A client that registers itself opens the sign-in page. A header would prevent this.
    let dynamic = gated(ClientRegistration::Dynamic);
    assert_eq!(entry(&dynamic), json!({ "type": "http", "url": "https://browser.example.com/mcp" }));
    assert!(content(Sku::Kernel, &dynamic, "AGENTS.md").contains("sign-in at `https://id.example.com/`"));
    let headers =
        json!([{ "name": "X-Api-Key", "isRequired": true, "isSecret": true }, { "name": "X-Trace" }]);
    let other = json!({ "url": "https://other.example.com", "headers": [{ "name": "Authorization", "isRequired": true }] });
    let own = json!({ "url": "https://browser.example.com/mcp", "headers": headers });
    let document = json!({ "name": "com.example/browser", "remotes": [other, own] });
    let declared = Profile { server_json: document.as_object().cloned(), ..real::browser() };
    assert_eq!(entry(&declared)["headers"], json!({ "X-Api-Key": "${MCP_BROWSER_X_API_KEY}" }));
    assert_eq!(install(&declared)[0].text, content(Sku::McpMesh, &declared, "mcp.json"));
}

#[test]
fn install_texts_of_an_agent_contain_its_card_and_a_first_message() {
    let snippets = install(&real::governance());
    let titles: Vec<&str> = snippets.iter().map(|snippet| snippet.title.as_str()).collect();
    assert_eq!(titles, ["Its card", "Ask what it can do"]);
    let card = "https://governance.taskhawktech.com/.well-known/agent-card.json";
    assert_eq!(snippets[0].text, format!("curl -fsS '{card}'"));
    assert!(snippets[1].text.contains("message/send"), "{}", snippets[1].text);
}

#[test]
fn lowercase_name_is_code_in_sentences() {
    let profile = Profile { name: "everything".to_owned(), ..real::browser() };
    for file in Sku::ALL.into_iter().flat_map(|sku| tree(sku, &profile, &settings())) {
        let page = file.content.replace(".browser/everything", "");
        let page = page.rsplit("\n---\n").next().unwrap();
        let prose: String =
            page.split("```").step_by(2).flat_map(|text| text.split('`').step_by(2)).collect();
        assert!(!file.path.ends_with(".md") || !prose.contains("everything"), "{}\n{prose}", file.path);
    }
}
