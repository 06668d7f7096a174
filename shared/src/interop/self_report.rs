//! Whether somebody speaks of itself. Nothing proves who a caller is, so this keeps out only those who say so; the rest is
//! bounded by counting a source once.

use crate::model::{HostName, Listing};

/// Whether a report that comes `from` somebody is the listing's own: by its id, its name, or a host of its own.
#[must_use]
pub fn is_self_report(listing: &Listing, from: Option<&str>) -> bool {
    let Some(from) = from.map(str::trim) else { return false };
    let names = [Some(listing.id.as_str()), Some(&listing.name), listing.server_name.as_deref()];
    let is_name = names.into_iter().flatten().any(|name| name.eq_ignore_ascii_case(from));
    let host = HostName::of_url(from).or_else(|| HostName::of_url(&format!("https://{from}")));
    is_name || host.is_some_and(|host| listing.hosts().contains(&host))
}
