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
mod tests {
    use super::*;

    #[test]
    fn name_covers_the_hosts_below_its_domain() {
        for (name, remote, is_covered) in [
            ("com.stripe/x", "https://mcp.stripe.com/mcp", true),
            ("com.stripe.mcp/x", "https://mcp.stripe.com/mcp", true),
            ("com.stripe.evil/x", "https://mcp.stripe.com/mcp", false),
            ("com.stripe.mcp/x", "https://stripe.com/mcp", false),
            ("com.stripe/x", "https://notstripe.com/mcp", false),
            ("app.vercel/x", "https://acme.vercel.app/mcp", false),
        ] {
            assert_eq!(covers(name, remote), is_covered, "{name} {remote}");
        }
    }

    #[test]
    fn domain_of_the_remote_server_proves_a_name() {
        let proven = |name: &str, remote: &str| proof_by_domain(name, remote, Moment::UNIX_EPOCH).is_some();
        for (name, remote) in [
            ("com.stripe/x", "https://mcp.stripe.com/mcp"),
            ("com.stripe.mcp/x", "https://stripe.com/"),
            ("Com.Stripe/x", "https://MCP.Stripe.com./mcp"),
            ("uk.co.acme/x", "https://mcp.acme.co.uk/"),
            ("app.vercel.acme/x", "https://acme.vercel.app/mcp"),
            ("localhost.acme/x", "http://acme.localhost:9000/mcp"),
        ] {
            assert!(proven(name, remote), "{name} at {remote}");
        }
        for (name, remote) in [
            ("com.stripe/x", "https://stripe.com.evil.example.org/"),
            ("com.stripe/x", "https://notstripe.com/"),
            ("com/x", "https://mcp.stripe.com/"),
            ("uk.co/x", "https://mcp.acme.co.uk/"),
            ("app.vercel/x", "https://acme.vercel.app/mcp"),
            ("app.vercel.acme/x", "https://evil.vercel.app/mcp"),
            ("io.github.acme/x", "https://evil.github.io/"),
            ("1.0.0.127/x", "http://127.0.0.1/"),
            ("com.stripe/x", "not a url"),
            ("nothing", "https://nothing/"),
        ] {
            assert!(!proven(name, remote), "{name} at {remote}");
        }
    }

    #[test]
    fn a_name_starts_with_a_reversed_domain() {
        assert_eq!(domain("com.example.mcp/weather").as_deref(), Some("mcp.example.com"));
        assert_eq!((domain("weather"), domain("com/weather")), (None, None));
        assert_eq!(github_owner("io.GitHub.Acme/weather"), Some("Acme"));
        for name in
            ["io.github/weather", "io.github.acme.x/weather", "io.githubx.acme/weather", "weather", "é/é"]
        {
            assert_eq!(github_owner(name), None, "{name}");
        }
        assert_eq!((leaf("com.example/weather"), leaf("weather")), ("weather", "weather"));
    }
}
