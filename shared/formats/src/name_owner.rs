//! Finds the owner of the name in a server description: the name `com.example/weather` belongs to
//! `example.com`. The rules need only the texts, so that publishing and probing give the same result.

use url::{Host, Url};

use registry_model::{Moment, NameProof, NameProofMethod, registrable_domain};

/// The domain whose owner may use a name: `mcp.example.com` for `com.example.mcp/weather`.
pub fn domain(name: &str) -> Option<String> {
    let (namespace, _) = name.split_once('/')?;
    let labels: Vec<&str> = namespace.split('.').rev().collect();
    (labels.len() > 1).then(|| labels.join(".").to_ascii_lowercase())
}

/// Whether the domain of a name is that of a remote's host, or above it. A sibling host may be somebody else's.
pub fn covers(name: &str, remote: &str) -> bool {
    let host = Url::parse(remote).ok().and_then(|url| url.host_str().map(str::to_ascii_lowercase));
    let (Some(host), Some(domain)) = (host, domain(name)) else { return false };
    let host = host.trim_end_matches('.');
    registrable_domain(&domain).is_some() && (host == domain || host.ends_with(&format!(".{domain}")))
}

/// The proof by the remote's domain: its registrable domain (by the Public Suffix List) is that of the name.
pub fn proof_by_domain(name: &str, remote: &str, at: Moment) -> Option<NameProof> {
    let Some(Host::Domain(host)) = Url::parse(remote).ok()?.host().map(|host| host.to_owned()) else {
        return None;
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let domain = domain(name)?;
    let same = registrable_domain(&domain)? == registrable_domain(&host)?;
    same.then_some(NameProof { how: NameProofMethod::Domain, at })
}

/// The GitHub account of a name: `acme` for `io.github.acme/weather`.
pub fn github_owner(name: &str) -> Option<&str> {
    let (namespace, _) = name.split_once('/')?;
    let (forge, owner) = (namespace.get(..10)?, namespace.get(10..)?);
    (forge.eq_ignore_ascii_case("io.github.") && !owner.is_empty() && !owner.contains('.')).then_some(owner)
}

pub fn leaf(name: &str) -> &str {
    name.split_once('/').map_or(name, |(_, leaf)| leaf)
}

#[cfg(test)]
mod tests;
