//! Lists everything in a directory. Publishing what is listed already adds no second listing, so an import can be repeated after
//! it stopped.

use serde_json::{Value, json};

use crate::Exit;
use crate::client::Client;
use crate::print::Printer;
use crate::problem::Failure;

/// Pages that are read of a registry, so that a faulty cursor does not read for ever.
const MAX_PAGES: usize = 10_000;

pub(crate) fn import(client: &Client, printer: &Printer, source: &str) -> Result<Exit, Failure> {
    let mut counts = Counts::default();
    if source.trim_end_matches('/').ends_with("/v0.1/servers") {
        let mut cursor: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let page = client.get_url(&page_url(source, cursor.as_deref()))?;
            for entry in page["servers"].as_array().into_iter().flatten() {
                counts.publish(
                    client,
                    printer,
                    &json!({ "server_json": entry["server"] }),
                    &name_of(entry),
                )?;
            }
            cursor =
                page["metadata"]["nextCursor"].as_str().filter(|next| !next.is_empty()).map(str::to_owned);
            if cursor.is_none() {
                break;
            }
        }
    } else {
        let list = if source.contains("://") { client.get_url(source)? } else { read(source)? };
        for url in card_urls(&list) {
            counts.publish(client, printer, &json!({ "url": url }), &url)?;
        }
    }
    let Counts { accepted, refused } = counts;
    let answer = json!({ "ok": true, "accepted": accepted, "refused": refused });
    let done = format!("{accepted} accepted, {refused} refused.");
    printer.answer(&answer, &[done]);
    Ok(if refused > 0 { Exit::NeedsFix } else { Exit::Ok })
}

#[derive(Debug, Default)]
struct Counts {
    accepted: u32,
    refused: u32,
}

impl Counts {
    /// A refused entry does not stop the import.
    fn publish(
        &mut self,
        client: &Client,
        printer: &Printer,
        body: &Value,
        name: &str,
    ) -> Result<(), Failure> {
        match client.post("/api/publish", body) {
            Ok(_) => self.accepted += 1,
            Err(Failure::Refused(problem)) => {
                self.refused += 1;
                printer.progress(&format!("{name}: {}", Failure::Refused(problem).text()));
            }
            Err(failure) => return Err(failure),
        }
        Ok(())
    }
}

fn read(path: &str) -> Result<Value, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| Failure::File(format!("{path}: {error}.")))?;
    serde_json::from_str(&text).map_err(|error| Failure::File(format!("{path} is not JSON: {error}.")))
}

fn page_url(source: &str, cursor: Option<&str>) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("limit", "100").append_pair("version", "latest");
    if let Some(cursor) = cursor {
        query.append_pair("cursor", cursor);
    }
    format!("{}?{}", source.trim_end_matches('/'), query.finish())
}

fn name_of(entry: &Value) -> String {
    entry["server"]["name"].as_str().unwrap_or("an entry without a name").to_owned()
}

/// The card URLs of a list of texts or of objects, which directories name differently.
fn card_urls(list: &Value) -> Vec<String> {
    let rows =
        ["agents", "items", "results"].iter().find_map(|name| list[*name].as_array()).or(list.as_array());
    let url = |row: &Value| {
        let named = ["agent_card_url", "agentCardUrl", "wellKnownURI", "card_url", "cardUrl", "url"];
        row.as_str().or_else(|| named.iter().find_map(|name| row[*name].as_str())).map(str::to_owned)
    };
    rows.into_iter().flatten().filter_map(url).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_of_every_form_of_directory_are_found() {
        for list in [
            json!(["https://a.example/card.json"]),
            json!({ "agents": [{ "wellKnownURI": "https://a.example/card.json" }, { "name": "no card" }] }),
            json!([{ "name": "A", "agentCardUrl": "https://a.example/card.json", "url": "https://a.example" }]),
        ] {
            assert_eq!(card_urls(&list), ["https://a.example/card.json"], "{list}");
        }
        assert!(card_urls(&json!({ "x": 1 })).is_empty());
    }

    #[test]
    fn cursor_is_encoded() {
        assert_eq!(
            page_url("https://r.example/v0.1/servers/", Some("a/b&c")),
            "https://r.example/v0.1/servers?limit=100&version=latest&cursor=a%2Fb%26c"
        );
    }
}
