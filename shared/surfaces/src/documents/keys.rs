//! The public keys of this registry. There are four documents:
//!
//! - the JWK set for attestations and cards (RFC 7517);
//! - the signature directory (draft-meunier-webbotauth-httpsig-directory);
//! - the signature agent card, which describes the bot that sends the probes
//!   (draft-meunier-webbotauth-registry);
//! - the key that proves names of this domain to the official MCP registry (official registry,
//!   `auth/http.go`).

use url::Url;

use super::document::json as json_bytes;
use crate::prelude::*;
use registry_app::message_key::message_key;
use registry_features::trust::keys;

pub static KEY_SET: AnyDocument = AnyDocument {
    paths: &["/.well-known/jwks.json"],
    summary: "The public keys that verify attestations and cards (RFC 7517).",
    max_age_s: Some(600),
    ..AnyDocument::of::<Map<String, Value>>(|app, _| {
        Box::pin(async { json_bytes(&keys::published(app).await?) })
    })
};

const DIRECTORY: &str = "/.well-known/http-message-signatures-directory";
const CARD: &str = "/.well-known/signature-agent-card.json";

/// The answer is signed with the key in it.
pub static SIGNATURE_DIRECTORY: AnyDocument = AnyDocument {
    paths: &[DIRECTORY],
    summary: "The public keys of the requests that this registry sends, in a signed response.",
    media_type: "application/http-message-signatures-directory+json",
    max_age_s: Some(3600),
    headers_now: |app| {
        Box::pin(async { message_key(app).await?.sign_directory(app, &authority(app)?).await })
    },
    ..AnyDocument::of::<Map<String, Value>>(|app, _| {
        Box::pin(async { json_bytes(&json!({ "keys": [message_key(app).await?.public()] })) })
    })
};

/// RFC 9421 §2.2.3: lower case, without the default port.
fn authority(app: &App) -> Result<String, Problem> {
    let url = Url::parse(&app.settings.base_url).map_err(Problem::fault)?;
    let host = url.host_str().unwrap_or_default();
    Ok(url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")))
}

pub static SIGNATURE_AGENT_CARD: AnyDocument = AnyDocument {
    paths: &[CARD],
    summary: "The bot that probes other servers, and why it probes them.",
    max_age_s: Some(3600),
    ..AnyDocument::fixed::<Map<String, Value>>(|app, _| Box::pin(async { bot(&app.settings) }))
};

fn bot(settings: &Settings) -> Result<Bytes, Problem> {
    let user_agent = settings.user_agent();
    let known_urls = ["/discovery.json", "/.well-known/agent-card.json", "/.well-known/mcp/server-card.json"];
    json_bytes(&json!({
        "client_id": settings.url(CARD),
        "client_name": settings.brand,
        "client_uri": settings.base_url,
        "jwks_uri": settings.url(DIRECTORY),
        "web_bot_auth": {
            "trigger": "fetcher",
            "purpose": format!(
                "Probes agents and MCP servers whose URL was sent here. A probe reads the card and makes a handshake. A \
                     Live listing is probed at least once in {}. One that fails is probed again, later less often.",
                settings.recheck_in_words()
            ),
            "expected-user-agent": user_agent,
            "rfc9309-product-token": user_agent.split('/').next(),
            // It requests only what the publisher named, and follows no links.
            "rfc9309-compliance": [],
        },
        "known_urls": known_urls.map(|path| settings.url(path)),
    }))
}

pub static REGISTRY_AUTH: AnyDocument = AnyDocument {
    paths: &["/.well-known/mcp-registry-auth"],
    summary: "The key that proves to the official MCP registry who owns the names of this domain.",
    media_type: "text/plain; charset=utf-8",
    max_age_s: Some(600),
    ..AnyDocument::of::<String>(|app, _| {
        Box::pin(async { Ok(message_key(app).await?.domain_key().record().unwrap_or_default().into()) })
    })
};
