//! The name of a listing in the MCP registry API. Clients store this name, so it must not change. It comes
//! from the server name that the publisher chose, or from the URL of the listing. It never comes from the
//! display name, which may change.

use sha2::{Digest, Sha256};
use url::{Host, Url};

use crate::server_json::is_name;
use registry_model::{Kind, Listing, ListingId, NameHold};

/// Characters of the owner, so that the rest fits within the 200 characters of a name.
const LONGEST_OWNER: usize = 120;
/// Characters after the slash, without the mark.
const LONGEST_LEAF: usize = 60;

/// The registry name of a listing, valid by the official rules (`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`, 3 to 200
/// characters, both parts with letters or digits at their ends).
///
/// If the listing used the name in its server description first, or proved it, the registry name is this name.
/// Otherwise the registry name is the reversed host, a slash, the path, and a mark made from the id. A name that
/// already looks marked gets a mark, too, so that no two listings have the same name.
pub fn name_of_listing(listing: &Listing) -> String {
    // Anybody can attach a name to a listing, and clients store this one.
    let own = listing.is_described() || listing.ownership.name_hold == Some(NameHold::Held);
    match listing.ownership.server_name.as_deref().filter(|name| own && is_name(name)) {
        Some(name) if has_right_to(listing, name) && !looks_marked(name) => name.to_owned(),
        Some(name) => {
            let (owner, leaf) = name.split_once('/').unwrap_or((name, ""));
            marked(owner, leaf, &listing.id)
        }
        None => {
            let url = Url::parse(listing.target()).ok();
            let owner = url.as_ref().map(reversed_host).unwrap_or_default();
            marked(&owner, url.as_ref().map(Url::path).unwrap_or_default(), &listing.id)
        }
    }
}

/// The name of this registry as an MCP server: its host name reversed, as server names are formed (SEP-2127, `name`).
pub fn name_of_registry(base_url: &str) -> String {
    let url = Url::parse(base_url).ok();
    format!("{}/registry", url.as_ref().map_or_else(|| "localhost".to_owned(), reversed_host))
}

/// The labels of a host in reverse order, as at the start of server names: `com.example` for `example.com`. An IPv4
/// address is not reversed. An IPv6 address contains characters that are not allowed, so it becomes `localhost`.
pub fn reversed_host(url: &Url) -> String {
    match url.host() {
        Some(Host::Domain(domain)) => domain.split('.').rev().collect::<Vec<_>>().join("."),
        Some(Host::Ipv4(address)) => address.to_string(),
        Some(Host::Ipv6(_)) | None => "localhost".to_owned(),
    }
}

/// The first listing with a name gets the id that is made from the name alone. It has the right to the name until
/// another listing proves the name.
fn has_right_to(listing: &Listing, name: &str) -> bool {
    match listing.ownership.name_hold {
        None => listing.id == ListingId::of_name(Kind::Mcp, name),
        Some(hold) => hold == NameHold::Held,
    }
}

fn looks_marked(name: &str) -> bool {
    let mark = name.rsplit_once('_').map(|(_, mark)| mark);
    mark.is_some_and(|mark| mark.len() == 10 && mark.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn marked(owner: &str, leaf: &str, id: &ListingId) -> String {
    let mark: String = Sha256::digest(id.as_str()).iter().take(5).map(|b| format!("{b:02x}")).collect();
    let owner = part(owner, ".-", LONGEST_OWNER).unwrap_or_else(|| "localhost".to_owned());
    let leaf = part(leaf, "._-", LONGEST_LEAF).unwrap_or_else(|| "server".to_owned());
    format!("{owner}/{leaf}_{mark}")
}

/// The text as one part of a name: characters that are not allowed become a hyphen, or a dot for the slashes of a path.
/// `None` where fewer than two characters remain.
fn part(text: &str, inside: &str, longest: usize) -> Option<String> {
    let ends = |c: char| !c.is_ascii_alphanumeric();
    let allowed = |c: char| match c {
        '/' if inside.contains('_') => '.',
        c if c.is_ascii_alphanumeric() || inside.contains(c) => c,
        _ => '-',
    };
    let cut: String = text.trim_matches(ends).chars().map(allowed).take(longest).collect();
    let part = cut.trim_matches(ends);
    (part.len() >= 2).then(|| part.to_owned())
}

#[cfg(test)]
mod tests;
