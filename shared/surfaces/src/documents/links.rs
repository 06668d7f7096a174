//! The links by which a client that knows only the host name finds the documents (RFC 8288). One list, sent with the
//! root, whatever that shows, and with the discovery map.

use super::ai_catalog::CATALOGUE_LINKS;

/// RFC 9727 §2.
pub const API_CATALOG_LINK: (&str, &str) =
    ("link", "</.well-known/api-catalog>; rel=\"api-catalog\"; type=\"application/linkset+json\"");

/// Sent with the root, whatever it shows, and with the discovery map (RFC 8288): a client that knows only the
/// host name finds the documents through them.
pub const ROOT_LINKS: [(&str, &str); 8] = [
    ("link", "</llms.txt>; rel=\"describedby\"; type=\"text/plain\""),
    ("link", "</discovery.json>; rel=\"alternate\"; type=\"application/json\""),
    ("link", "</.well-known/agent-card.json>; rel=\"agent-card\"; type=\"application/json\""),
    CATALOGUE_LINKS[0],
    CATALOGUE_LINKS[1],
    API_CATALOG_LINK,
    ("link", "</agentmap.json>; rel=\"agentmap\"; type=\"application/json\""),
    ("link", "</openapi.json>; rel=\"service-desc\"; type=\"application/json\""),
];
