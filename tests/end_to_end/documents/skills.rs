//! Tests the Agent Skills: the index contains the served files and their digests.

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tests::test_registry::TestRegistry;

#[tokio::test]
async fn index_digests_match_the_skill_files() {
    let registry = TestRegistry::start().await;
    let index = registry.get("/.well-known/agent-skills/index.json").await.body;
    assert_eq!(index["$schema"], "https://schemas.agentskills.io/discovery/0.2.0/schema.json");
    let skills = index["skills"].as_array().unwrap();
    assert!(!skills.is_empty());
    for skill in skills {
        let url = skill["url"].as_str().unwrap();
        let file = registry.get(url.strip_prefix(&registry.url("")).unwrap()).await;
        assert_eq!(file.header("content-type"), "text/markdown; charset=utf-8");
        let text = file.body.as_str().unwrap();
        let digest: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(skill["digest"], format!("sha256:{digest}"), "{url}");
        let name = skill["name"].as_str().unwrap();
        assert!(text.starts_with(&format!("---\nname: {name}\n")), "{url}");
        assert!(url.ends_with(&format!("/skills/{name}.md")), "{url}");
    }
}

#[tokio::test]
async fn unknown_skill_is_not_found_and_links_the_index() {
    let registry = TestRegistry::start().await;
    for path in ["/skills/nothing.md", "/skills/list-yourself", "/skills/.md"] {
        let reply = registry.get(path).await;
        assert_eq!((reply.status, &reply.body["code"]), (404, &Value::from("no_such_skill")), "{path}");
        let next = reply.body["next"]["url"].as_str().unwrap().strip_prefix(&registry.url("")).unwrap();
        assert_eq!(registry.get(next).await.status, 200);
    }
}
