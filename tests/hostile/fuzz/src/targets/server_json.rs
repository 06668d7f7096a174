//! Fuzz target: `server.json` documents, parsed as the publish operation parses them. Accepted documents keep
//! the limits of the schema. The fetcher's address guard checks the URL of each remote server.

use registry::formats::server_card;
use registry::formats::server_json::{self, ServerDescription};
use registry::json;
use registry::model::Reach;
use registry::model::protocol::MAX_URL_BYTES;

use super::{Verdict, url};

/// Maximum number of values in a request body.
const MAX_VALUES: usize = 100_000;

pub(super) fn read(body: &[u8]) -> Verdict {
    let Ok(document) = json::parse_limited(body, &mut { MAX_VALUES }) else {
        return Verdict::refused(["not_json"]);
    };
    if let Some(members) = document.as_object() {
        let _ = server_json::looks_like(members);
    }
    let _ = server_card::read(&document);
    match server_json::read(&document, Reach::Public) {
        Ok(server) => {
            assert_limits(&server);
            // A document that is valid in public mode is valid in development mode.
            assert_eq!(server_json::read(&document, Reach::Development).as_ref(), Ok(&server));
            Verdict::Accepted
        }
        Err(violations) => {
            assert!(!violations.is_empty() && violations.len() <= 60);
            for violation in &violations {
                assert!(!violation.message.is_empty() && violation.message.chars().count() <= 1000);
                assert!(violation.path.chars().count() <= 400, "{}", violation.path);
            }
            Verdict::refused(violations.iter().map(|violation| violation.rule))
        }
    }
}

fn assert_limits(server: &ServerDescription) {
    assert!(server_json::is_name(&server.name) && server.name.chars().count() <= 200);
    assert!((1..=100).contains(&server.description.chars().count()));
    assert!(server.version.chars().count() <= 255);
    assert!(server.title.as_deref().is_none_or(|title| title.chars().count() <= 100));
    for text in [&server.website_url, &server.repository_url, &server.repository_subfolder] {
        assert!(text.as_deref().is_none_or(|text| text.len() <= MAX_URL_BYTES), "{text:?}");
    }
    for link in server.website_url.iter().chain(&server.repository_url) {
        let scheme = link.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        assert!(matches!(scheme.as_deref(), Some("https" | "http")), "{link}");
    }
    for remote in &server.remotes {
        url::judge(&remote.filled_in());
    }
}
