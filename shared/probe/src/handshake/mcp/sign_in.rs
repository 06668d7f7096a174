//! Follows the sign-in of a server as a client does (MCP 2026-07-28, basic/authorization): from the challenge to the
//! protected-resource metadata (RFC 9728), and from there to the metadata of the authorization server (RFC 8414 or
//! `OpenID` Connect Discovery). No token is requested, and no client is registered.
//!
//! It takes at most five requests: two for the first document and three for the second. Each may follow one redirect. The
//! authorization server may be on any host. It is a stranger's server, too: its requests have the same guards, slots and
//! limits as all others of the probe.

use serde_json::Value;
use url::{Host, Url};

use crate::checks::{is_this_machine, same_owner};
use crate::handshake::conversation::{Conversation, excerpt};
use crate::handshake::jsonrpc::texts;
use crate::reasons::SignInFlaw;
use registry_fetch::{Answer, FetchError, Follow, Request, Target, TargetError};
use registry_model::protocol::MAX_URL_BYTES;
use registry_model::{ClientRegistration, Reach, SignIn};

const RESOURCE_METADATA: &str = "/.well-known/oauth-protected-resource";
const SERVER_METADATA: &str = "/.well-known/oauth-authorization-server";
const OPENID_METADATA: &str = "/.well-known/openid-configuration";

const MAX_SCOPES: usize = 20;
const MAX_SCOPE_CHARS: usize = 100;

/// What is wrong, and what was seen.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) flaw: SignInFlaw,
    pub(super) seen: String,
    pub(super) temporary: bool,
}

impl Broken {
    fn new(flaw: SignInFlaw, seen: impl Into<String>) -> Self {
        Self { flaw, seen: seen.into(), temporary: false }
    }
}

/// Why a document is not there.
enum Absent {
    Redirected(String),
    /// The host does not answer.
    Unreached {
        seen: String,
        temporary: bool,
    },
    /// The host answers with something else.
    Missing {
        seen: String,
        temporary: bool,
    },
    NotJson(String),
}

impl Absent {
    fn into_broken(self, not_json: SignInFlaw, missing: SignInFlaw, unreached: SignInFlaw) -> Broken {
        match self {
            Self::Redirected(seen) => Broken::new(SignInFlaw::Redirected, seen),
            Self::NotJson(seen) => Broken::new(not_json, seen),
            Self::Missing { seen, temporary } => Broken { flaw: missing, seen, temporary },
            Self::Unreached { seen, temporary } => Broken { flaw: unreached, seen, temporary },
        }
    }
}

/// Where the protected-resource metadata of an endpoint may be: at `reference` of the challenge, else at the well-known
/// paths. Metadata on another domain could send the registry to a stranger.
fn resource_metadata_urls(
    endpoint: &Target,
    reference: Option<&str>,
    reach: Reach,
) -> Result<Vec<Target>, Broken> {
    if let Some(reference) = reference {
        let url = endpoint.join(reference, reach).ok();
        let own = url.filter(|url| same_owner(endpoint.as_str(), url.as_str()));
        return own.map(|url| vec![url]).ok_or_else(|| Broken::new(SignInFlaw::Redirected, reference));
    }
    let path = endpoint.url().path().trim_end_matches('/');
    let mut paths = vec![format!("{RESOURCE_METADATA}{path}"), RESOURCE_METADATA.to_owned()];
    paths.dedup();
    Ok(paths.iter().filter_map(|path| endpoint.join(path, reach).ok()).collect())
}

/// Where the metadata of an authorization server may be, in the order in which clients look.
fn server_metadata_urls(issuer: &Target, reach: Reach) -> Vec<Target> {
    let path = issuer.url().path().trim_end_matches('/');
    let mut paths = vec![
        format!("{SERVER_METADATA}{path}"),
        format!("{OPENID_METADATA}{path}"),
        format!("{path}{OPENID_METADATA}"),
    ];
    paths.dedup();
    paths.iter().filter_map(|path| issuer.join(path, reach).ok()).collect()
}

/// The protected-resource metadata of an endpoint. It must be about the endpoint and name an authorization server.
pub(super) async fn resource_metadata(
    peer: &mut Conversation<'_>,
    endpoint: &Target,
    reference: Option<&str>,
) -> Result<Value, Broken> {
    let found = first_document(peer, resource_metadata_urls(endpoint, reference, peer.reach())?).await;
    let (not_json, missing) = (SignInFlaw::MetadataNotJson, SignInFlaw::MetadataMissing);
    let metadata = found.map_err(|absent| absent.into_broken(not_json, missing, missing))?;
    let resource = metadata["resource"].as_str().unwrap_or_default();
    if !is_resource_of(resource, endpoint.as_str()) {
        return Err(Broken::new(SignInFlaw::Resource, format!("resource is `{resource}`")));
    }
    if texts(metadata.get("authorization_servers")).is_empty() {
        return Err(Broken::new(SignInFlaw::NoServers, "no authorization_servers"));
    }
    Ok(metadata)
}

/// Whether a resource is the endpoint or a parent of it, whatever a slash at its end and capital letters in its host.
fn is_resource_of(resource: &str, endpoint: &str) -> bool {
    let Ok(resource) = Url::parse(resource) else { return false };
    let resource = resource.as_str().trim_end_matches('/');
    let rest = endpoint.trim_end_matches('/').strip_prefix(resource);
    resource.contains("://") && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
}

/// The sign-in that checked resource metadata describes. Only the first authorization server counts, as for most clients.
/// `scope` is that of the challenge.
pub(super) async fn follow(
    peer: &mut Conversation<'_>,
    endpoint: &Target,
    resource: &Value,
    scope: Option<&str>,
) -> Result<SignIn, Broken> {
    let issuer = texts(resource.get("authorization_servers")).into_iter().next().unwrap_or_default();
    let is_absolute = Url::parse(&issuer).is_ok();
    let target = if is_absolute { endpoint.join(&issuer, peer.reach()) } else { Err(TargetError::NotAUrl) };
    let target = target.map_err(|error| match error {
        TargetError::Scheme => Broken::new(SignInFlaw::PlainHttp, format!("the issuer is {issuer}")),
        other => Broken::new(SignInFlaw::ServerUnreached, format!("{issuer}: {other}")),
    })?;
    let found = first_document(peer, server_metadata_urls(&target, peer.reach())).await;
    let (missing, unreached) = (SignInFlaw::ServerMetadataMissing, SignInFlaw::ServerUnreached);
    let server = found.map_err(|absent| absent.into_broken(missing, missing, unreached))?;
    let registration = check_server(&server, &issuer, peer.reach())?;
    let scopes = match scope {
        Some(scope) => scopes(scope.split_whitespace()),
        None => scopes(texts(resource.get("scopes_supported")).iter().map(String::as_str)),
    };
    Ok(SignIn { issuer, scopes, registration })
}

/// Checks the metadata of an authorization server as the clients do.
fn check_server(server: &Value, issuer: &str, reach: Reach) -> Result<ClientRegistration, Broken> {
    let found = server["issuer"].as_str().unwrap_or_default();
    if found != issuer {
        return Err(Broken::new(
            SignInFlaw::Issuer,
            format!("issuer is `{found}`, and the entry is `{issuer}`"),
        ));
    }
    for (member, flaw) in [
        ("authorization_endpoint", SignInFlaw::NoAuthorizationEndpoint),
        ("token_endpoint", SignInFlaw::NoTokenEndpoint),
    ] {
        let endpoint = server[member].as_str().unwrap_or_default();
        if endpoint.is_empty() {
            return Err(Broken::new(flaw, format!("no {member}")));
        }
        if !is_safe(endpoint, reach) {
            return Err(Broken::new(SignInFlaw::PlainHttp, format!("{member} is {endpoint}")));
        }
    }
    let methods = texts(server.get("code_challenge_methods_supported"));
    if !methods.iter().any(|method| method == "S256") {
        let seen = format!("methods in code_challenge_methods_supported: [{}]", methods.join(", "));
        return Err(Broken::new(SignInFlaw::NoS256, seen));
    }
    let registration = server["registration_endpoint"].as_str().filter(|url| is_safe(url, reach));
    Ok(match (server["client_id_metadata_document_supported"].as_bool(), registration) {
        (Some(true), _) => ClientRegistration::MetadataDocument,
        (_, Some(_)) => ClientRegistration::Dynamic,
        _ => ClientRegistration::ByHand,
    })
}

/// An absolute https URL; in development, also http on this machine. The registry does not call it, so its port and host are
/// not limited.
fn is_safe(endpoint: &str, reach: Reach) -> bool {
    let Ok(url) = Url::parse(endpoint) else { return false };
    let is_local = || match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(other) => is_this_machine(&other.to_owned()),
        None => false,
    };
    endpoint.len() <= MAX_URL_BYTES
        && (url.scheme() == "https" || url.scheme() == "http" && reach == Reach::Development && is_local())
}

/// Scopes in their form (RFC 6749 §3.3); others are left out.
fn scopes<'t>(tokens: impl Iterator<Item = &'t str>) -> Vec<String> {
    let is_scope = |token: &&str| {
        !token.is_empty()
            && token.len() <= MAX_SCOPE_CHARS
            && token.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\'))
    };
    tokens.filter(is_scope).take(MAX_SCOPES).map(str::to_owned).collect()
}

/// The first of these documents that is a JSON object; else why the first is not there.
async fn first_document(peer: &mut Conversation<'_>, urls: Vec<Target>) -> Result<Value, Absent> {
    let mut first = None;
    for url in urls {
        let absent = match document(peer, url).await {
            Ok(document) => return Ok(document),
            Err(absent) => absent,
        };
        // The same host would not answer the other requests either.
        let is_last = matches!(absent, Absent::Unreached { .. });
        // A redirect or a broken document shows more than a path without one.
        first = match (first, absent) {
            (None | Some(Absent::Missing { .. }), absent) => Some(absent),
            (known, _) => known,
        };
        if is_last {
            break;
        }
    }
    Err(first.unwrap_or_else(|| Absent::Missing { seen: "no valid URL".to_owned(), temporary: false }))
}

async fn document(peer: &mut Conversation<'_>, url: Target) -> Result<Value, Absent> {
    let answer = match peer.send(Request::get(url.clone()).with_follow(Follow::Hops(1))).await {
        Ok(answer) => answer,
        Err(error) => return Err(unreached(format!("{url}: {error}"), &error)),
    };
    let seen = format!("{url}: {}", excerpt(&answer));
    if answer.target.origin() != url.origin() {
        return Err(Absent::Redirected(format!("{url} leads to {}", answer.target)));
    }
    if answer.status.is_redirection() {
        return Err(Absent::Redirected(seen));
    }
    if !answer.status.is_success() {
        let temporary = answer.status.is_server_error() || answer.status.as_u16() == 429;
        return Err(Absent::Missing { seen, temporary });
    }
    let read = peer.read(&answer, |answer: &Answer, budget| answer.json(&mut budget.values).ok());
    read.await.filter(Value::is_object).ok_or(Absent::NotJson(seen))
}

fn unreached(seen: String, error: &FetchError) -> Absent {
    match error {
        FetchError::AfterRedirect { error, .. } => unreached(seen, error),
        FetchError::BadRedirect | FetchError::TooManyRedirects => Absent::Redirected(seen),
        FetchError::TooLarge { .. } | FetchError::BadEncoding => Absent::NotJson(seen),
        FetchError::Timeout { .. } | FetchError::Broken | FetchError::NameUnresolved => {
            Absent::Unreached { seen, temporary: true }
        }
        FetchError::Blocked(_)
        | FetchError::OwnHost
        | FetchError::NameNotFound
        | FetchError::Refused
        | FetchError::Tls(_) => Absent::Unreached { seen, temporary: false },
    }
}

#[cfg(test)]
mod tests;
