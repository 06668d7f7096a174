//! Tests four rules for every product. Most of its text is specific to the listing. Each file is valid in its
//! format. Texts of strangers are escaped. The same listing gives the same bytes.

mod formats;
mod hostile;
mod real;

use std::collections::HashSet;

use serde_json::{Value, json};

use super::*;
use real::settings;
use registry_formats::server_json;
use registry_model::{ClientRegistration, Kind, Reach, SignIn, Sku, Tool};

/// The files of a product by their role: folders that are named after the listing get the same name.
fn by_role(sku: Sku, profile: &Profile) -> Vec<(String, String)> {
    let slug = profile.slug();
    let files = tree(sku, profile, &settings());
    files.into_iter().map(|file| (file.path.replace(&slug, "<slug>"), file.content)).collect()
}

/// The lines of a page without its code.
fn lines(text: &str) -> Vec<&str> {
    let mut fenced = false;
    let prose = text.lines().map(str::trim).filter(|line| {
        fenced ^= line.starts_with("```");
        !fenced && !line.is_empty() && !line.starts_with("```")
    });
    prose.collect()
}

/// The number of lines of one text that are not in the other text, and the number of all its lines.
fn own_lines(text: &str, other: &str) -> (usize, usize) {
    let others: HashSet<&str> = lines(other).into_iter().collect();
    let all = lines(text);
    (all.iter().filter(|line| !others.contains(*line)).count(), all.len())
}

#[test]
fn two_thirds_of_each_page_are_specific_to_the_listing() {
    let profiles = real::all();
    let mut compared = 0;
    for sku in Sku::ALL {
        for (at, one) in profiles.iter().enumerate() {
            for (_, other) in profiles.iter().enumerate().filter(|(other, _)| *other != at) {
                let others = by_role(sku, other);
                // A script or a configuration has the same form for each listing.
                let pages = by_role(sku, one).into_iter().filter(|(role, _)| role.ends_with(".md"));
                for (role, content) in pages {
                    let Some((_, theirs)) = others.iter().find(|(path, _)| *path == role) else { continue };
                    let (own, all) = own_lines(&content, theirs);
                    compared += 1;
                    assert!(
                        own * 3 >= all * 2,
                        "{sku:?} {role} of {}: {own} of {all} lines differ from those of {}\n{content}",
                        one.name,
                        other.name
                    );
                }
            }
        }
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn every_file_is_valid_in_its_format() {
    for profile in real::all() {
        for sku in Sku::ALL {
            formats::check(&tree(sku, &profile, &settings()));
            formats::check(&sample(sku, &profile, &settings()));
        }
    }
}

/// A demo as one text.
fn shown(sku: Sku, profile: &Profile) -> String {
    let files = sample(sku, profile, &settings());
    files.iter().map(|file| format!("=== {}\n{}", file.path, file.content)).collect()
}

#[test]
fn demos_of_three_real_listings_match_their_snapshots() {
    insta::assert_snapshot!("alive_for_an_agent_with_three_skills", shown(Sku::Alive, &real::governance()));
    insta::assert_snapshot!(
        "recursive_for_an_agent_with_one_skill",
        shown(Sku::Recursive, &real::air_tickets())
    );
    insta::assert_snapshot!(
        "mcp_mesh_for_a_server_without_descriptions",
        shown(Sku::McpMesh, &real::papers())
    );
}

#[test]
fn trees_are_deterministic_and_sorted_by_path() {
    for profile in real::all() {
        for sku in Sku::ALL {
            let files = tree(sku, &profile, &settings());
            assert_eq!(files, tree(sku, &profile, &settings()));
            assert!(files.is_sorted_by_key(|file| file.path.clone()));
        }
    }
}

#[test]
fn demo_contains_some_real_files_and_a_list_of_the_other_files() {
    for profile in real::all() {
        for sku in Sku::ALL {
            let (whole, mut part) = (tree(sku, &profile, &settings()), sample(sku, &profile, &settings()));
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
    let paths = |sku, profile: &Profile| -> Vec<String> {
        tree(sku, profile, &settings()).into_iter().map(|file| file.path).collect()
    };
    let kernel = [
        "AGENTS.md",
        "CHARTER.md",
        "evaluation.jsonl",
        "promptfooconfig.yaml",
        "provider.mjs",
        "skills/arxiv-mcp-server/SKILL.md",
    ];
    assert_eq!(paths(Sku::Kernel, &real::papers()), kernel);
    let recursive = paths(Sku::Recursive, &real::papers());
    assert!(kernel.iter().all(|path| recursive.iter().any(|other| other == path)));
    let alive = paths(Sku::Alive, &real::papers());
    assert!(recursive.iter().all(|path| alive.contains(path)) && alive.len() == recursive.len() + 4);
    let patch = "fixes/agent-card.patch.json".to_owned();
    assert!(paths(Sku::Recursive, &real::air_tickets()).contains(&patch));
    assert_eq!(
        paths(Sku::McpMesh, &real::papers()),
        [
            ".codex/config.toml",
            ".cursor/mcp.json",
            ".gemini/settings.json",
            ".mcp.json",
            ".vscode/mcp.json",
            ".zed/settings.json",
            "claude_desktop_config.json",
            "clients/cline.json",
            "clients/goose.yaml",
            "clients/lm-studio.json",
            "clients/openai.py",
            "clients/windsurf.json",
            "descriptions.md",
            "install.md",
            "server-card.json",
            "server.json",
            "skills/arxiv-mcp-server/SKILL.md",
            "tools.jsonl",
        ]
    );
}

#[test]
fn mcp_documents_match_the_official_schemas() {
    let schema: Value =
        serde_json::from_str(include_str!("../../../tests/harness/fixtures/server-card.schema.json"))
            .unwrap();
    let schema: Value =
        json!({ "$schema": schema["$schema"], "$defs": schema["$defs"], "$ref": "#/$defs/ServerCard" });
    let card_rules = jsonschema::draft202012::options().should_validate_formats(true).build(&schema).unwrap();
    let long = Profile {
        server_name: Some("not a name".to_owned()),
        version: Some("^1.2".to_owned()),
        description: Some("Finds papers and their citations. ".repeat(9)),
        website: Some("http://papers.example".to_owned()),
        ..real::papers()
    };
    let bare = Profile { server_name: None, version: None, description: None, ..real::papers() };
    let local = Profile { endpoint: Some("http://localhost:9000/mcp".to_owned()), ..real::papers() };
    for profile in [real::papers(), real::reversed_text(), long, bare, local] {
        let files = tree(Sku::McpMesh, &profile, &settings());
        let read = |path: &str| -> Value {
            serde_json::from_str(&files.iter().find(|file| file.path == path).unwrap().content).unwrap()
        };
        let described = server_json::read(&read("server.json"), Reach::Public).unwrap();
        assert!(!described.description.is_empty());
        let card = read("server-card.json");
        assert!(card_rules.is_valid(&card), "{card}");
    }
}

#[test]
fn install_page_reports_corrected_values() {
    let profile = Profile {
        server_name: Some("not a name".to_owned()),
        version: Some("latest".to_owned()),
        endpoint: Some("http://localhost:9000/mcp".to_owned()),
        ..real::papers()
    };
    let files = tree(Sku::McpMesh, &profile, &settings());
    let install = &files.iter().find(|file| file.path == "install.md").unwrap().content;
    for words in ["is not valid", "version 0.0.0 is a placeholder", "remotes left out"] {
        assert!(install.contains(words), "{words}\n{install}");
    }
}

#[test]
fn profile_without_a_listing_gets_no_invented_facts() {
    let tools = vec![Tool { name: "add".to_owned(), description: String::new(), ..Tool::default() }];
    let bare = Profile::unlisted(Kind::Agent, "Ada", None, Vec::new());
    let described = Profile::unlisted(Kind::Mcp, "Ada", Some("Adds numbers."), tools);
    for profile in [bare, described] {
        for sku in Sku::ALL {
            let files = tree(sku, &profile, &settings());
            formats::check(&files);
            let all: String = files.iter().map(|file| file.content.as_str()).collect();
            assert!(all.contains("Ada") && all.contains("described by hand"), "{sku:?}\n{all}");
            let urls = all.split("https://").skip(1);
            assert!(
                urls.into_iter().all(|url| url.starts_with("registry.example.com") || url.starts_with("URL")),
                "{all}"
            );
            assert!(!all.contains("score 9") && !files.iter().any(|file| file.path == "server.json"));
        }
    }
}

#[test]
fn goals_come_from_the_owner_a_preset_or_the_listing() {
    let charter = |profile: &Profile| sample(Sku::Kernel, profile, &settings())[0].content.clone();
    assert!(!charter(&real::governance()).contains("| G1 |"), "a description is no goal of the owner");
    assert_eq!(goals_of(&real::governance())[0], "Verify a proposed action against policy bounds");

    let with_goals = Profile {
        goals: vec!["Prove what was intended".to_owned(), "Bake bread".to_owned()],
        ..real::governance()
    };
    let page = charter(&with_goals);
    assert!(page.contains("| G1 | Prove what was intended | `intent-bind`"), "{page}");
    assert!(page.contains("| G2 | Bake bread | no skill serves it | first add a skill"), "{page}");

    for preset in Preset::ALL {
        let one = charter(&Profile { preset: Some(preset), ..real::governance() });
        let other = charter(&Profile { preset: Some(preset), ..real::papers() });
        let (rows, _) = (one.lines().filter(|line| line.starts_with("| G")).count(), ());
        assert_eq!(rows, 4, "{one}");
        let others: HashSet<&str> = other.lines().collect();
        assert!(
            one.lines().filter(|line| line.starts_with("| G")).all(|line| !others.contains(line)),
            "{one}"
        );
    }
}

#[test]
fn proof_of_a_listing_lists_weaknesses_and_their_fixes() {
    let proof = real::papers().proof.unwrap();
    let weaknesses: Vec<(&str, u8)> =
        proof.weaknesses.iter().map(|weakness| (weakness.id.as_str(), weakness.points)).collect();
    // The part `checks` lacks points only for the check that is named itself.
    assert_eq!(
        weaknesses,
        [("abilities", 6), ("tools_unchanged", 3), ("protocol", 3), ("identity", 3), ("latency", 2)]
    );
    assert!(proof.weaknesses.iter().all(|weakness| !weakness.fix.is_empty() && !weakness.seen.is_empty()));
    let files = tree(Sku::Recursive, &real::papers(), &settings());
    let regression = &files.iter().find(|file| file.path == "regression.md").unwrap().content;
    assert!(
        proof.weaknesses.iter().all(|weakness| regression.contains(&format!("- [ ] `{}`:", weakness.id)))
    );
}

#[test]
fn only_tools_that_are_declared_read_only_need_no_confirmation() {
    let charter = sample(Sku::Kernel, &real::browser(), &settings()).remove(0);
    assert_eq!(charter.path, "CHARTER.md");
    let line = |start: &str| charter.content.lines().find(|line| line.starts_with(start)).unwrap_or_default();
    assert_eq!(
        line("- No confirmation:"),
        "- No confirmation: `browser_snapshot`, `search_history`. The server declares that they only read \
         (`readOnlyHint: true`)."
    );
    assert!(line("- Ask first: `browser_hover`. No effect").contains("MCP assumes"), "{}", charter.content);
    for (tool, reason) in [
        ("browser_evaluate", "declares no effect, and its text says “evaluate”"),
        ("browser_close", "is declared destructive"),
        ("browser_resize", "is declared as not read-only"),
        ("delete_history", "is declared read-only, but also “delete”"),
    ] {
        assert_eq!(line(&format!("- Ask first: `{tool}`")), format!("- Ask first: `{tool}` {reason}."));
    }
    for row in charter.content.lines().filter(|line| line.starts_with("| `")) {
        let free = row.starts_with("| `browser_snapshot`") || row.starts_with("| `search_history`");
        assert_eq!(row.contains("| nothing |"), free, "{row}");
    }
    // A verb that sounds harmless declares nothing.
    let undeclared = sample(Sku::Kernel, &real::papers(), &settings()).remove(0).content;
    assert!(!undeclared.contains("No confirmation:") && !undeclared.contains("without confirmation"));
}

#[test]
fn evaluation_calls_only_tools_that_are_declared_read_only() {
    let files = tree(Sku::Kernel, &real::browser(), &settings());
    let cases = &files.iter().find(|file| file.path == "evaluation.jsonl").unwrap().content;
    let requests: Vec<Value> = cases
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|case| serde_json::from_str(case["vars"]["request"].as_str().unwrap()).unwrap())
        .collect();
    let called: HashSet<&str> = requests.iter().filter_map(|request| request["tool"].as_str()).collect();
    assert_eq!(
        called,
        HashSet::from(["no_such_tool_of_this_server", "browser_snapshot", "search_history"]),
        "{cases}"
    );
    let schema = &real::browser().definitions["search_history"]["inputSchema"];
    let rules = jsonschema::validator_for(schema).unwrap();
    let search: Vec<bool> = requests
        .iter()
        .filter(|request| request["tool"] == "search_history")
        .map(|request| rules.is_valid(&request["arguments"]))
        .collect();
    // The example is valid, the call without arguments is not, and the hostile text is.
    assert_eq!(search, [true, false, true], "{cases}");
    let config = &files.iter().find(|file| file.path == "promptfooconfig.yaml").unwrap().content;
    let config: serde_yaml_ng::Value = serde_yaml_ng::from_str(config).unwrap();
    assert_eq!(config["providers"][0]["config"]["url"], "https://browser.example.com/mcp");
    assert_eq!(config["providers"][0]["config"]["protocolVersion"], "2025-06-18");
}

#[test]
fn files_of_a_server_with_sign_in_name_the_variable_for_the_token() {
    for sku in [Sku::Kernel, Sku::Alive] {
        let files = tree(sku, &gated(ClientRegistration::ByHand), &settings());
        for path in ["AGENTS.md", "skills/browser/SKILL.md", "promptfooconfig.yaml"] {
            let content = &files.iter().find(|file| file.path == path).unwrap().content;
            assert!(content.contains("BROWSER_TOKEN"), "{path}\n{content}");
        }
    }
}

/// A server with tools that are declared read-only and have no arguments.
fn reading(name: &str, tools: &[(&str, &str)]) -> Profile {
    let definition = |(tool, description): &(&str, &str)| {
        json!({ "name": tool, "description": description, "annotations": { "readOnlyHint": true },
            "inputSchema": { "type": "object" } })
    };
    let definitions: Vec<(&str, String)> =
        tools.iter().map(|tool| (tool.0, definition(tool).to_string())).collect();
    let named = |(name, description): &(&str, &str)| Tool {
        name: (*name).to_owned(),
        description: (*description).to_owned(),
        ..Tool::default()
    };
    let tools = tools.iter().map(named).collect();
    let profile =
        Profile { endpoint: real::browser().endpoint, ..Profile::unlisted(Kind::Mcp, name, None, tools) };
    profile.with_definitions(definitions.iter().map(|(name, text)| (*name, text.as_str())))
}

#[test]
fn tool_that_may_return_secrets_needs_a_confirmation_and_is_not_called() {
    let variables = "Returns all environment variables, helpful for debugging MCP server configuration";
    let tools = [
        ("get-env", variables),
        ("dump", variables),
        ("list_tokens", "Lists them."),
        ("add", "Adds numbers."),
    ];
    for file in tree(Sku::Kernel, &reading("everything", &tools), &settings()) {
        let content = &file.content;
        match file.path.as_str() {
            "CHARTER.md" => {
                assert!(content.contains("- No confirmation: `add`. The server"), "{content}");
                assert!(
                    content
                        .contains("- Ask first: `get-env` may return secrets, because its text says “env”.")
                );
                assert_eq!(content.matches("| ask first |").count(), 3, "{content}");
            }
            "evaluation.jsonl" => {
                assert!(content.contains(r#"\"tool\":\"add\""#), "{content}");
                for (tool, _) in &tools[..3] {
                    assert!(!content.contains(&format!(r#"\"tool\":\"{tool}\""#)), "{content}");
                }
            }
            path if path.starts_with("skills/") => {
                assert_eq!(content.matches("call it without asking").count(), 1, "{content}");
            }
            _ => {}
        }
    }
}

#[test]
fn skill_names_every_tool() {
    let names: Vec<String> = (0..50).map(|at| format!("read_{at}")).collect();
    let tools: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "Reads a page.")).collect();
    let mut profile = reading("Reader", &tools);
    profile.definitions.remove("read_0");
    let files = tree(Sku::Kernel, &profile, &settings());
    let skill = &files.iter().find(|file| file.path == "skills/reader/SKILL.md").unwrap().content;
    let (_, others) = skill.split_once("## Other tools of Reader").unwrap();
    assert!(others.contains("ask before each call: `read_0`,"), "{others}");
    for name in &names {
        let is_detailed = skill.contains(&format!("## Tool `{name}`"));
        assert!(is_detailed != others.contains(&format!("`{name}`")), "{name}\n{skill}");
    }
}

#[test]
fn lowercase_name_is_code_in_sentences() {
    for sku in Sku::ALL {
        for file in tree(sku, &reading("everything", &[("add", "Adds numbers.")]), &settings()) {
            let page = file.content.rsplit("\n---\n").next().unwrap();
            if file.path.ends_with(".md") {
                let prose: String =
                    lines(page).join("\n").replace(".browser/everything", "").split('`').step_by(2).collect();
                assert!(!prose.contains("everything"), "{}\n{prose}", file.path);
            }
        }
    }
}

#[test]
fn repository_rules_name_no_program_of_another_project() {
    for profile in real::all() {
        let files = tree(Sku::Kernel, &profile, &settings());
        let rules = &files.iter().find(|file| file.path == "AGENTS.md").unwrap().content;
        assert!(!rules.contains("registry-cli"), "{rules}");
        assert!(rules.contains("EVALUATION_URL="), "{rules}");
    }
}

#[test]
fn failed_or_empty_answer_of_an_agent_passes_no_case() {
    let files = tree(Sku::Kernel, &real::governance(), &settings());
    let cases = &files.iter().find(|file| file.path == "evaluation.jsonl").unwrap().content;
    let passes = |case: &Value, output: &Value| {
        let schema = &case["assert"][0]["value"];
        jsonschema::validator_for(schema).unwrap().is_valid(output)
    };
    let output =
        |state: &str, text: &str| json!({ "error": null, "code": null, "state": state, "text": text });
    let cases: Vec<Value> = cases.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(cases.len() == 4 && cases[1]["vars"]["request"] == "method:NoSuchMethod");
    for case in cases.iter().filter(|case| case["vars"]["request"] != "method:NoSuchMethod") {
        assert!(passes(case, &output("TASK_STATE_COMPLETED", "I verify actions.")), "{case}");
        assert!(!passes(case, &output("TASK_STATE_COMPLETED", "")), "{case}");
        assert!(!passes(case, &output("TASK_STATE_FAILED", "Out of memory.")), "{case}");
    }
    assert!(!passes(
        &cases[1],
        &json!({ "error": "Unauthorized", "code": -32001, "state": null, "text": "" })
    ));
    assert!(passes(&cases[1], &json!({ "error": "No method", "code": -32601, "state": null, "text": "" })));
    // The output of the provider has a member `text`, so a skill about texts would always be mentioned.
    assert_eq!(cases[0]["assert"][1]["transform"], "JSON.parse(output).text");
}

/// A server that asks for sign-in, by hand or with dynamic registration.
fn gated(registration: ClientRegistration) -> Profile {
    let sign_in = SignIn { issuer: "https://id.example.com".to_owned(), scopes: Vec::new(), registration };
    Profile { sign_in: Some(sign_in), ..real::browser() }
}

#[test]
fn configurations_refer_to_the_secret_of_a_server_without_containing_one() {
    let files = tree(Sku::McpMesh, &gated(ClientRegistration::ByHand), &settings());
    let content = |path: &str| &files.iter().find(|file| file.path == path).unwrap().content;
    let read = |path: &str| -> Value { serde_json::from_str(content(path)).unwrap() };
    let entry = |path: &str| read(path)["mcpServers"]["browser"].clone();
    let code = read(".vscode/mcp.json");
    assert_eq!(code["servers"]["browser"]["headers"]["Authorization"], "Bearer ${input:browser_token}");
    assert_eq!(
        (&code["inputs"][0]["id"], &code["inputs"][0]["password"]),
        (&json!("browser_token"), &json!(true))
    );
    assert_eq!(entry(".cursor/mcp.json")["headers"]["Authorization"], "Bearer ${env:BROWSER_TOKEN}");
    assert_eq!(entry(".mcp.json")["headers"]["Authorization"], "Bearer ${BROWSER_TOKEN}");
    let desktop = entry("claude_desktop_config.json");
    assert_eq!(desktop["args"][4], "Authorization:${BROWSER_TOKEN}");
    assert_eq!(desktop["env"]["BROWSER_TOKEN"], "Bearer <BROWSER_TOKEN>");
    assert!(content(".codex/config.toml").contains("bearer_token_env_var = \"BROWSER_TOKEN\""));
    assert!(content("clients/openai.py").contains("\"authorization\": os.environ[\"BROWSER_TOKEN\"]"));
    assert!(
        content("clients/anthropic.py").contains("\"authorization_token\": os.environ[\"BROWSER_TOKEN\"]")
    );
    assert!(content("install.md").contains("The files contain no secret: set `BROWSER_TOKEN`"));

    // A client that registers itself opens the sign-in page. A header would prevent this.
    let files = tree(Sku::McpMesh, &gated(ClientRegistration::Dynamic), &settings());
    let content = |path: &str| &files.iter().find(|file| file.path == path).unwrap().content;
    for path in [".vscode/mcp.json", ".cursor/mcp.json", ".mcp.json", ".zed/settings.json"] {
        assert!(!content(path).contains("TOKEN"), "{path}");
    }
    assert!(content("clients/lm-studio.json").contains("Bearer <BROWSER_TOKEN>"));
    assert!(content("install.md").contains("sign-in at `https://id.example.com/`"));
}

#[test]
fn header_that_a_server_json_requires_is_in_each_configuration() {
    let remote = json!({ "type": "streamable-http", "url": "https://browser.example.com/mcp",
        "headers": [{ "name": "X-Api-Key", "isRequired": true, "isSecret": true }, { "name": "X-Trace" }] });
    let document = json!({ "name": "com.example/browser", "remotes": [remote] });
    let profile = Profile { server_json: document.as_object().cloned(), ..real::browser() };
    let files = tree(Sku::McpMesh, &profile, &settings());
    let content = |path: &str| &files.iter().find(|file| file.path == path).unwrap().content;
    assert!(content(".cursor/mcp.json").contains("\"X-Api-Key\": \"${env:BROWSER_X_API_KEY}\""));
    assert!(
        content(".codex/config.toml")
            .contains("env_http_headers = { \"X-Api-Key\" = \"BROWSER_X_API_KEY\" }")
    );
    assert!(!files.iter().any(|file| file.path == "clients/anthropic.py"), "that API sends no other header");
    let configured = files.iter().filter(|file| file.path != "server.json");
    assert!(
        configured.clone().count() > 12 && !configured.clone().any(|file| file.content.contains("X-Trace"))
    );
}

#[test]
fn links_contain_the_configuration_of_the_client() {
    let install = tree(Sku::McpMesh, &real::browser(), &settings());
    let install = &install.iter().find(|file| file.path == "install.md").unwrap().content;
    let link = |start: &str| {
        let at = install.find(start).unwrap_or_else(|| panic!("{start}\n{install}"));
        url::Url::parse(install[at..].split('`').next().unwrap()).unwrap()
    };
    let decoded = |url: &url::Url| -> Value {
        let config = url.query_pairs().find(|(key, _)| key == "config").unwrap().1.into_owned();
        let bytes = base64::Engine::decode(&base64::engine::general_purpose::STANDARD, config).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    };
    let endpoint = json!({ "url": "https://browser.example.com/mcp" });
    assert_eq!(decoded(&link("cursor://anysphere.cursor-deeplink/mcp/install?")), endpoint);
    assert_eq!(decoded(&link("lmstudio://add_mcp?")), endpoint);
    let code = link("vscode:mcp/install?");
    let (added, _) = url::form_urlencoded::parse(code.query().unwrap().as_bytes()).next().unwrap();
    let added: Value = serde_json::from_str(&added).unwrap();
    assert_eq!((&added["name"], &added["type"]), (&json!("browser"), &json!("http")));
    let goose = link("goose://extension?");
    assert!(
        goose.query_pairs().any(|(key, value)| key == "url" && value == "https://browser.example.com/mcp")
    );
}

#[test]
fn skill_contains_the_arguments_of_each_tool_and_a_call() {
    let files = tree(Sku::McpMesh, &real::browser(), &settings());
    let skill = &files.iter().find(|file| file.path == "skills/browser/SKILL.md").unwrap().content;
    for line in [
        "| `words` | string | yes | Words of the title. Example: `\"tide tables\"`. |",
        "| `limit` | integer | no | Pages to return. Default: `10`. |",
        "{ \"name\": \"search_history\", \"arguments\": { \"words\": \"tide tables\" } }",
        "The result has the fields `pages`.",
        "{ \"name\": \"browser_evaluate\", \"arguments\": { \"expression\": \"<expression>\" } }",
    ] {
        assert!(skill.contains(line), "{line}\n{skill}");
    }
}

fn document() -> Value {
    json!({
        "$schema": registry_model::protocol::SERVER_DESCRIPTION_SCHEMA,
        "name": "com.example/browser", "title": "Browser", "version": "1.4.2", "description": "Controls a browser.",
        "repository": { "url": "https://github.com/example/browser", "source": "github" },
        "packages": [{ "registryType": "npm", "identifier": "@example/browser", "version": "1.4.2",
            "transport": { "type": "stdio" }, "environmentVariables": [{ "name": "BROWSER" }] }],
        "remotes": [{ "type": "streamable-http", "url": "https://browser.example.com/mcp" }],
        "icons": [{ "src": "https://browser.example.com/icon.png", "sizes": ["48x48"] }],
    })
}

#[test]
fn corrected_server_json_keeps_every_member_of_the_owner_and_raises_the_version() {
    let own = document();
    let profile = Profile {
        server_name: Some("com.example/browser".to_owned()),
        server_json: own.as_object().cloned(),
        ..real::browser()
    };
    for sku in [Sku::Recursive, Sku::McpMesh] {
        let files = tree(sku, &profile, &settings());
        let content = &files.iter().find(|file| file.path == "server.json").unwrap().content;
        let corrected: Value = serde_json::from_str(content).unwrap();
        server_json::read(&corrected, Reach::Public).unwrap();
        let mut expected = own.clone();
        expected["version"] = json!("1.4.3");
        expected["websiteUrl"] = json!("https://browser.example.com/");
        expected["description"] = corrected["description"].clone();
        assert_eq!(corrected, expected);
        let length = corrected["description"].as_str().unwrap().chars().count();
        assert!((80..=100).contains(&length), "{corrected}");
    }
    let files = tree(Sku::Recursive, &profile, &settings());
    let list = &files.iter().find(|file| file.path == "regression.md").unwrap().content;
    assert!(list.contains("It raises the score by 7 points, from 58 to 65."), "{list}");
    assert!(
        list.contains("(4 of 7 points) → ") && list.contains("**+3**, of which the patch gains 3"),
        "{list}"
    );
    // A complete document gets no patch, and no new version.
    let complete =
        json!({ "name": "com.example/browser", "version": "1.4.2", "description": "x".repeat(90) });
    let profile = Profile {
        description: Some("x".repeat(90)),
        website: Some("https://browser.example.com/".to_owned()),
        server_json: complete.as_object().cloned(),
        ..profile
    };
    let files = tree(Sku::Recursive, &profile, &settings());
    assert!(!files.iter().any(|file| file.path.starts_with("fixes/") || file.path == "server.json"));
}
