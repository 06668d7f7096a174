//! Tests `/for-agents` and `/products`: the commands on these pages work unchanged.

use std::collections::BTreeSet;

use registry::features::CATALOGUE;
use registry::model::Sku;
use tests::test_registry::{Reply, TestRegistry};

use crate::fixtures::{live_pair, own_words, unescaped};

/// Problem codes of requests that the registry cannot parse.
const PARSE_ERRORS: [&str; 8] = [
    "action_needs_post",
    "invalid_argument",
    "invalid_arguments",
    "malformed",
    "method_not_allowed",
    "no_such_path",
    "not_json",
    "unknown_action",
];

/// The commands on a page, split into words as a shell does.
fn commands(page: &Reply) -> Vec<Vec<String>> {
    let html = page.body.as_str().unwrap();
    let blocks =
        html.split("<pre").skip(1).filter_map(|rest| rest.split_once("<code>")?.1.split("</code>").next());
    let commands = blocks.map(unescaped).filter(|text| text.starts_with("curl "));
    commands.map(|text| shell_words::split(&text).unwrap()).collect()
}

/// Sends the request of a `curl` command.
async fn run(registry: &TestRegistry, words: &[String]) -> Reply {
    let after = |flag: &str| {
        words
            .iter()
            .enumerate()
            .filter(|(_, word)| *word == flag)
            .map(|(index, _)| words[index + 1].clone())
            .collect::<Vec<_>>()
    };
    let url = words.iter().find(|word| word.starts_with("http")).unwrap();
    let path =
        url.strip_prefix(&registry.url("")).unwrap_or_else(|| panic!("{url} is not a URL of this registry"));
    let headers = after("-H");
    let headers: Vec<_> = headers.iter().map(|header| header.split_once(": ").unwrap()).collect();
    let method = after("-X").pop().unwrap_or_else(|| "GET".to_owned());
    registry.send(&method, path, &headers, &after("-d").pop().unwrap_or_default()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_on_the_pages_can_be_parsed() {
    let pair = live_pair().await;
    let (mut sent, mut refused) = (BTreeSet::new(), Vec::new());
    for path in ["/", "/for-agents", "/products"] {
        let page = pair.registry.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        for words in commands(&page) {
            let words: Vec<String> =
                words.iter().map(|word| word.replace("<listing_id>", pair.agent.as_str())).collect();
            if !sent.insert(words.clone()) {
                continue;
            }
            let answer = run(&pair.registry, &words).await;
            // The listing may not support what an example does, but the request must be parsed.
            let problem = answer.body["code"].as_str().unwrap_or_default();
            let is_parsed = answer.status < 500 || answer.status == 503;
            if !is_parsed || PARSE_ERRORS.contains(&problem) {
                refused.push(format!("{path}: {words:?}: {answer:?}"));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(sent.len() > 50, "{}", sent.len());
}

#[tokio::test]
async fn guide_page_contains_every_operation() {
    let registry = TestRegistry::start().await;
    let guide = registry.get("/for-agents").await;
    let html = guide.body.as_str().unwrap();
    for operation in CATALOGUE {
        let shown = html.matches(&format!("<code>{}</code></summary>", operation.name)).count();
        assert_eq!(shown, 1, "{}", operation.name);
    }
    let place = |text: &str| html.find(text).unwrap_or_else(|| panic!("{text} is not on the page"));
    assert!(place("<code>match_capability</code></summary>") < place("<details class=\"family\">"));
    assert!(place("<details class=\"family\">") < place("<code>evaporate</code></summary>"));
    assert!(html.contains(&registry.app.settings.user_agent()), "no user agent of the probes");
    let filled = registry.get("/for-agents?url=https%3A%2F%2Fa.example.org%2F%22%3Ecard.json").await;
    assert!(filled.body.as_str().unwrap().contains("value=\"https://a.example.org/&#34;&#62;card.json\""));
}

#[tokio::test]
async fn products_page_shows_prices_and_current_counts() {
    let pair = live_pair().await;
    let page = async || pair.registry.get("/products").await.body.as_str().unwrap().to_owned();
    let before = page().await;
    for sku in Sku::ALL {
        assert!(before.contains(&sku.price()) && before.contains(sku.title()), "{sku:?}");
    }
    assert!(before.contains("made for an example server"), "{before}");
    assert!(before.contains("registry-watch.sh") && !before.contains("offer nothing"), "{before}");
    assert!(before.contains("100 of 100 left") && before.contains("Payments are not open yet"), "{before}");
    let feedback = own_words(&pair.registry.draft(&pair.agent).await);
    pair.registry.post("/api/products/feedback", &feedback).await;
    let after = page().await;
    assert!(after.contains("99 of 100 left") && after.contains("1 of 250"), "{after}");
}
