//! Parses the values of settings that are texts; `None` for an invalid one.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::str::FromStr as _;

use registry_model::{LogWitness, NameServers};
use url::{Position, Url};

use crate::types::Mode;

/// Registries and lists that this registry reads, at most.
const MAX_REGISTRIES: usize = 10;

pub(super) fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

/// For a setting whose default is empty.
pub(super) fn none_if_empty(value: &str) -> Option<Option<String>> {
    Some(Some(value.to_owned()).filter(|value| !value.is_empty()))
}

/// Whether the value has one of these prefixes, and something after it.
pub(super) fn begins(value: &str, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| value.strip_prefix(prefix).is_some_and(|rest| !rest.is_empty()))
}

/// A token (RFC 9110 §5.6.2).
pub(super) fn header_name(value: &str) -> Option<String> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    (!value.is_empty() && value.bytes().all(is_token)).then(|| value.to_owned())
}

/// A URL with a host, without its trailing slashes.
fn url(value: &str, is_valid: impl FnOnce(&Url) -> bool) -> Option<String> {
    let url = Url::parse(value).ok().filter(Url::has_host)?;
    is_valid(&url).then(|| value.trim_end_matches('/').to_owned())
}

fn is_http(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// Without a path: pages, headers and well-known paths are at the root of the host.
pub(super) fn base_url(value: &str) -> Option<String> {
    url(value, |url| is_http(url) && url[Position::BeforePath..].trim_end_matches('/').is_empty())
}

/// `off`, or a rate limit in percent of the default.
pub(super) fn rate_percent(value: &str, mode: Mode) -> Option<Option<u32>> {
    match value {
        "on" => Some(Some(100)),
        "off" => (mode == Mode::Development).then_some(None),
        percent => {
            let percent = u32::from_str(percent).ok().filter(|percent| (1..=1_000_000).contains(percent));
            percent.map(Some)
        }
    }
}

#[derive(Debug)]
pub(super) struct NameProofs {
    /// Contains `{domain}`.
    pub(super) domain: String,
    /// `None` if repositories prove no names.
    pub(super) github: Option<String>,
    /// `None` if workflows prove no names.
    pub(super) github_actions: Option<String>,
}

pub(super) fn name_proofs(value: &str) -> Option<NameProofs> {
    let mut proofs = NameProofs {
        domain: "https://{domain}/.well-known/mcp-registry-auth".to_owned(),
        github: Some("https://raw.githubusercontent.com".to_owned()),
        github_actions: Some("https://token.actions.githubusercontent.com".to_owned()),
    };
    for pair in value.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        match pair.split_once('=')? {
            ("domain", of_domain) => proofs.domain = url_of_domain(of_domain)?,
            ("github", source) => proofs.github = url_or_off(source)?,
            ("github-actions", issuer) => proofs.github_actions = url_or_off(issuer)?,
            _ => return None,
        }
    }
    Some(proofs)
}

fn url_or_off(value: &str) -> Option<Option<String>> {
    if value == "off" { Some(None) } else { url(value, |_| true).map(Some) }
}

fn url_of_domain(value: &str) -> Option<String> {
    let example = Url::parse(&value.replace("{domain}", "example.com"));
    (value.contains("{domain}") && example.is_ok_and(|url| url.has_host())).then(|| value.to_owned())
}

pub(super) fn name_servers(value: &str) -> Option<NameServers> {
    match value {
        "" => Some(NameServers::System),
        "off" => Some(NameServers::Off),
        address => {
            let address = SocketAddr::from_str(address).ok().filter(|address| address.port() != 0);
            address.map(NameServers::Only)
        }
    }
}

/// A link on pages: an https URL.
pub(super) fn https_link(value: &str) -> Option<String> {
    let url = Url::parse(value).ok()?;
    let is_link = url.scheme() == "https" && url.has_host();
    (is_link && value.bytes().all(|byte| byte.is_ascii_graphic())).then(|| value.to_owned())
}

/// A link on pages: an https URL or an e-mail address.
pub(super) fn contact(value: &str) -> Option<String> {
    let url = Url::parse(value).ok()?;
    let is_mail = url.scheme() == "mailto" && url.path().contains('@');
    let is_mail = is_mail && value.bytes().all(|byte| byte.is_ascii_graphic());
    if is_mail { Some(value.to_owned()) } else { https_link(value) }
}

/// The form of an SPDX identifier. The list of all licenses changes, so it is not checked.
pub(super) fn license(value: &str) -> Option<String> {
    let is_license =
        value.len() <= 64 && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.+".contains(&byte));
    is_license.then(|| value.to_owned())
}

/// URLs of other registries, separated by commas.
pub(super) fn registries(value: &str) -> Option<Vec<String>> {
    let urls = value.split(',').map(|url| url.trim().trim_end_matches('/')).filter(|url| !url.is_empty());
    let is_valid = |url: &Url| {
        is_http(url) && url.username().is_empty() && url.query().is_none() && url.fragment().is_none()
    };
    let urls: Vec<String> = urls.map(|text| url(text, is_valid)).collect::<Option<_>>()?;
    (urls.len() <= MAX_REGISTRIES).then_some(urls)
}

pub(super) fn package_registries(value: &str) -> Option<BTreeMap<String, String>> {
    let pairs = value.split(',').map(str::trim).filter(|pair| !pair.is_empty()).map(|pair| {
        let (registry_type, base) = pair.split_once('=')?;
        url(base, |url| is_http(url) && url.query().is_none())?;
        let is_known = matches!(registry_type, "npm" | "pypi");
        is_known.then(|| (registry_type.to_owned(), base.to_owned()))
    });
    pairs.collect()
}

/// The token must not be sent in plain text over a network.
pub(super) fn search_backend(value: &str, may_be_plain: bool) -> Option<String> {
    url(value, |url| {
        let is_allowed = url.scheme() == "https" || url.scheme() == "http" && may_be_plain;
        is_allowed && url.query().is_none() && url.username().is_empty() && url.password().is_none()
    })
}

pub(super) fn log_witnesses(value: &str, mode: Mode) -> Option<Vec<LogWitness>> {
    let texts = value.split(',').filter(|text| !text.trim().is_empty());
    let witnesses: Vec<LogWitness> = texts.map(LogWitness::parse).collect::<Option<_>>()?;
    let is_allowed = |witness: &LogWitness| mode == Mode::Development || witness.is_https();
    (witnesses.len() <= 10 && witnesses.iter().all(is_allowed)).then_some(witnesses)
}
