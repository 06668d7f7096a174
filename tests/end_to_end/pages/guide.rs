//! Tests `/for-agents` and `/products`: the commands on these pages work unchanged.

use std::collections::BTreeSet;

use registry::features::CATALOGUE;
use registry::model::Sku;
use tests::prelude::*;

use crate::fixtures::{live_pair, own_words, unescaped};

/// Problem codes of requests that the registry cannot parse.
const PARSE_ERRORS: &str = "action_needs_post invalid_argument invalid_arguments malformed method_not_allowed \
                            no_such_path not_json unknown_action";

/// The commands on a page, split into words as a shell does.
fn commands(html: &str) -> Vec<Vec<String>> {
    let blocks =
        html.split("<pre").skip(1).filter_map(|rest| rest.split_once("<code>")?.1.split("</code>").next());
    let commands = blocks.map(unescaped).filter(|text| text.starts_with("curl "));
    commands.map(|text| shell_words::split(&text).unwrap()).collect()
}

/// Sends the request of a `curl` command.
async fn run(registry: &TestRegistry, words: &[String]) -> Reply {
    let after = |flag: &str| -> Vec<&str> {
        words.windows(2).filter(|pair| pair[0] == flag).map(|pair| pair[1].as_str()).collect()
    };
    let url = words.iter().find(|word| word.starts_with("http")).unwrap();
    let path =
        url.strip_prefix(&registry.url("")).unwrap_or_else(|| panic!("{url} is not a URL of this registry"));
    let headers = after("-H");
    let headers: Vec<_> = headers.iter().map(|header| header.split_once(": ").unwrap()).collect();
    let method = after("-X").pop().unwrap_or("GET");
    registry.send(method, path, &headers, after("-d").pop().unwrap_or_default()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_on_the_pages_can_be_parsed() {
    let pair = live_pair().await;
    let (mut sent, mut refused) = (BTreeSet::new(), Vec::new());
    for path in ["/", "/for-agents", "/products"] {
        for words in commands(&pair.registry.text(path).await) {
            let words: Vec<String> =
                words.iter().map(|word| word.replace("<listing_id>", pair.agent.as_str())).collect();
            if !sent.insert(words.clone()) {
                continue;
            }
            let answer = run(&pair.registry, &words).await;
            // The listing may not support what an example does, but the request must be parsed.
            let problem = answer.body["code"].as_str().unwrap_or_default();
            let is_parsed = answer.status < 500 || answer.status == 503;
            if !is_parsed || PARSE_ERRORS.split(' ').any(|code| code == problem) {
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
    let html = registry.text("/for-agents").await;
    for operation in CATALOGUE {
        let shown = html.matches(&format!("<code>{}</code></summary>", operation.name)).count();
        assert_eq!(shown, 1, "{}", operation.name);
    }
    let place = |text: &str| html.find(text).unwrap_or_else(|| panic!("{text} is not on the page"));
    assert!(place("<code>match_capability</code></summary>") < place("<details class=\"family\">"));
    assert!(place("<details class=\"family\">") < place("<code>evaporate</code></summary>"));
    assert!(html.contains(&registry.app.settings.user_agent()), "no user agent of the probes");
    let filled = registry.text("/for-agents?url=https%3A%2F%2Fa.example.org%2F%22%3Ecard.json").await;
    assert_contains(&filled, &["value=\"https://a.example.org/&#34;&#62;card.json\""]);
}

#[tokio::test]
async fn products_page_shows_prices_and_current_counts() {
    let pair = live_pair().await;
    let before = pair.registry.text("/products").await;
    for sku in Sku::ALL {
        assert_contains(&before, &[&sku.price(), sku.title()]);
    }
    assert_contains(&before, &["made for an example server", "registry-watch.sh"]);
    assert_contains(&before, &["100 of 100 left", "Payments are not open yet"]);
    assert!(!before.contains("offer nothing"), "{before}");
    let feedback = own_words(&pair.registry.draft(&pair.agent).await);
    pair.registry.post("/api/products/feedback", &feedback).await;
    assert_contains(&pair.registry.text("/products").await, &["99 of 100 left", "1 of 250"]);
}
