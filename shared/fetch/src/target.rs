//! A `Target` is a URL that passed every check that needs no DNS look-up, so the registry may try to connect to it. Each URL
//! that enters the program becomes a `Target` first, so that later code need not check it again.

#[cfg(test)]
mod tests;

use registry_model::Reach;
use registry_model::error::Code;
use registry_model::protocol::MAX_URL_BYTES;
use std::fmt;

use url::{Host, ParseError, Url};

const PUBLIC_PORTS: [u16; 2] = [443, 8443];

/// Top-level labels that no public host has: those of RFC 6761, 6762, 7686 and 9476, ICANN's `.internal`, those of
/// Kubernetes, and those that ICANN does not assign because private networks use them.
const RESERVED: &str = "alt arpa corp example home internal intranet invalid lan local localdomain localhost mail onion \
                        private svc test";

/// A URL that passed the static rules of `specification.md#guarded-fetcher`. Resolving its host checks the addresses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Target(Url);

/// Why a URL is not a target, one variant for each rule. The messages never repeat the URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    #[error("This is not an absolute URL. Send the whole URL, with https://.")]
    NotAUrl,
    #[error("The URL does not begin with https://. Send the https URL of the card or endpoint.")]
    Scheme,
    #[error("The URL contains a user name or password. Send the URL without the part before the @.")]
    UserInfo,
    #[error("The host is an IP address. Give a URL with a public host name.")]
    IpLiteral,
    #[error("The host name is reserved for private or test use. Give a URL with a public host name.")]
    ReservedName,
    #[error("The host name has no dot. Give the full public host name, such as agents.example.org.")]
    NoDot,
    /// An empty or overlong label, a wildcard, a placeholder.
    #[error("The host name is not a valid DNS name. Check its spelling, and fill in any placeholder.")]
    BadName,
    #[error("Only the ports 443 and 8443 are accepted. Use one of these ports.")]
    Port,
    #[error("The URL is longer than 2048 bytes. Give a shorter one.")]
    TooLong,
    #[error("The URL contains a control character. Remove the character.")]
    ControlCharacter,
    /// The name resolves to an address that is not on the public internet.
    #[error(
        "The host name resolves to an address that is not public. Point its DNS records at public addresses only."
    )]
    PrivateAddress,
}

impl TargetError {
    pub const fn code(&self) -> Code {
        match self {
            Self::NotAUrl => Code::NotAUrl,
            Self::Scheme => Code::NotHttps,
            Self::UserInfo => Code::UserInfoInUrl,
            Self::IpLiteral => Code::IpLiteral,
            Self::ReservedName => Code::ReservedName,
            Self::NoDot => Code::NameWithoutDot,
            Self::BadName => Code::BadHostName,
            Self::Port => Code::PortNotAllowed,
            Self::TooLong => Code::UrlTooLong,
            Self::ControlCharacter => Code::ControlCharacter,
            Self::PrivateAddress => Code::PrivateAddress,
        }
    }
}

impl Target {
    /// Parses an absolute URL. Surrounding spaces are ignored. The fragment and the final dot of the host are
    /// dropped, because servers never see them. The error is the first rule that the URL breaks.
    pub fn parse(text: &str, reach: Reach) -> Result<Self, TargetError> {
        Self::parse_url(Url::parse(readable(text)?).map_err(unreadable)?, reach)
    }

    pub fn parse_url(mut url: Url, reach: Reach) -> Result<Self, TargetError> {
        if url.as_str().len() > MAX_URL_BYTES {
            return Err(TargetError::TooLong);
        }
        if !matches!(url.scheme(), "https" | "http") {
            return Err(TargetError::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(TargetError::UserInfo);
        }
        if reach == Reach::Public || !is_loopback(&url) {
            check_public(&url)?;
        }
        if let Some(name) = url.domain().and_then(|name| name.strip_suffix('.')).map(str::to_owned) {
            url.set_host(Some(&name)).map_err(unreadable)?;
        }
        url.set_fragment(None);
        Ok(Self(url))
    }
    pub const fn url(&self) -> &Url {
        &self.0
    }
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// In lower case and Punycode; an IPv6 loopback address is in brackets.
    pub fn host(&self) -> &str {
        self.0.host_str().unwrap_or_default()
    }
    pub fn port(&self) -> u16 {
        self.0.port_or_known_default().unwrap_or_default()
    }

    /// `host`, or `host:port` if the port is not the default one, as in the header `Host`.
    pub fn authority(&self) -> String {
        self.0.port().map_or_else(|| self.host().to_owned(), |port| format!("{}:{port}", self.host()))
    }

    /// `scheme://host:port`, always with the port: the key by which requests are grouped and limited.
    pub fn origin(&self) -> String {
        format!("{}://{}:{}", self.0.scheme(), self.host(), self.port())
    }

    /// Resolves a reference found at this target (RFC 3986 §5), such as a redirect or a URL in a card. A reference
    /// found on the public internet never leads to loopback, whatever the reach.
    pub fn join(&self, reference: &str, reach: Reach) -> Result<Self, TargetError> {
        let reach = if self.is_loopback() { reach } else { Reach::Public };
        Self::parse_url(self.0.join(readable(reference)?).map_err(unreadable)?, reach)
    }
    /// By the Public Suffix List: `example.org` for `agents.example.org`. `None` for an address or a public suffix.
    pub fn registrable_domain(&self) -> Option<String> {
        self.0.domain().and_then(registry_model::registrable_domain).map(str::to_owned)
    }

    pub fn is_loopback(&self) -> bool {
        is_loopback(&self.0)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// RFC 6761: these names are never looked up in the DNS.
pub(super) fn is_localhost(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost")
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => is_localhost(name.strip_suffix('.').unwrap_or(name)),
        None => false,
    }
}

fn readable(text: &str) -> Result<&str, TargetError> {
    let text = text.trim();
    if text.len() > MAX_URL_BYTES {
        return Err(TargetError::TooLong);
    }
    // The URL standard drops tabs and line breaks silently; the shown and the fetched URL must be the same text.
    if text.chars().any(char::is_control) {
        return Err(TargetError::ControlCharacter);
    }
    Ok(text)
}

const fn unreadable(error: ParseError) -> TargetError {
    match error {
        ParseError::InvalidIpv4Address | ParseError::InvalidIpv6Address => TargetError::IpLiteral,
        ParseError::IdnaError | ParseError::InvalidDomainCharacter => TargetError::BadName,
        ParseError::InvalidPort => TargetError::Port,
        _ => TargetError::NotAUrl,
    }
}

fn check_public(url: &Url) -> Result<(), TargetError> {
    match url.host() {
        None => return Err(TargetError::NotAUrl),
        // The URL standard has already read hex, octal, decimal and short spellings into an address, and the
        // HTTP client asks no resolver about one: this is the only place that sees them.
        Some(Host::Ipv4(_) | Host::Ipv6(_)) => return Err(TargetError::IpLiteral),
        Some(Host::Domain(name)) => check_name(name.strip_suffix('.').unwrap_or(name))?,
    }
    if url.scheme() != "https" {
        return Err(TargetError::Scheme);
    }
    if !url.port_or_known_default().is_some_and(|port| PUBLIC_PORTS.contains(&port)) {
        return Err(TargetError::Port);
    }
    Ok(())
}

fn is_reserved(top_level: &str) -> bool {
    RESERVED.split(' ').any(|label| label == top_level)
}

/// Lengths: RFC 1035 §2.3.4. Letters, digits, hyphen and, because it occurs in practice, the underscore.
fn check_name(name: &str) -> Result<(), TargetError> {
    let sound = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    if name.len() > 253 || !name.split('.').all(sound) {
        return Err(TargetError::BadName);
    }
    let (rest, last) = name.rsplit_once('.').unwrap_or(("", name));
    if is_reserved(last) {
        return Err(TargetError::ReservedName);
    }
    if rest.is_empty() { Err(TargetError::NoDot) } else { Ok(()) }
}
