//! Proves that a caller owns the domain of a listing or of a name. The owner signs a challenge with a key that the
//! domain publishes. This registry issues each challenge for one action. The challenge is valid for 15 minutes and can be
//! used once. If the server of the domain is down, a key that was bound to the listing before counts, too.

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};
use jiff::SignedDuration;

use crate::prelude::*;
use registry_app::domain_keys::{DomainKeys, PublicKey, Signature, auth_document_url};
use registry_fetch::Target;
use registry_model::{HostName, Identity, KeySource, NameServers, Reach};
use registry_store::Challenge;

const CHALLENGE_LIFE: SignedDuration = SignedDuration::from_mins(15);
const MAX_NONCE_CHARS: usize = 64;
/// Domains are registered by the year: a bound key must not speak for a later owner for longer.
const BOUND_KEY_LIFE: SignedDuration = SignedDuration::from_hours(365 * 24);

/// One way in which a domain publishes a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Way {
    /// The kind of place.
    pub method: KeySource,
    /// Where the registry reads it.
    pub place: String,
    /// What the place must contain.
    pub holds: String,
}

/// A challenge to sign.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ShownChallenge {
    /// The nonce. Send it back together with the signature.
    nonce: String,
    /// The text to sign. It has four lines, joined by line feeds, and no line feed at the end.
    text: String,
    /// The challenge is valid until this time. It can be used only once.
    expires_at: Moment,
    /// How to sign it.
    how: &'static str,
}

#[derive(Clone, Debug)]
pub struct SignedChallenge {
    pub nonce: String,
    pub signature: Signature,
    /// The key that made the signature, if the owner names it.
    pub key: Option<PublicKey>,
}

impl SignedChallenge {
    /// Parses what the owner sends back. `None` without nonce and signature: the call asks for a challenge.
    pub fn parse(
        nonce: Option<&str>,
        signature: Option<&str>,
        key: Option<PublicKey>,
    ) -> Result<Option<Self>, Problem> {
        match (nonce, signature) {
            (None, None) => Ok(None),
            (Some(nonce), Some(signature)) => {
                let signature = Signature::parse(signature).ok_or_else(|| {
                    let detail =
                        "`signature` must be 64 bytes in hexadecimal or base64, or a P-256 signature in DER.";
                    Problem::invalid("signature", Code::BadSignature, detail)
                })?;
                Ok(Some(Self { nonce: nonce.to_owned(), signature, key }))
            }
            (Some(_), None) => {
                let detail = "`signature` is required with `nonce`.";
                Err(Problem::invalid("signature", Code::SignatureMissing, detail))
            }
            (None, Some(_)) => {
                let detail =
                    "`nonce` is required with `signature`. To get a challenge, send the call without both.";
                Err(Problem::invalid("nonce", Code::NonceMissing, detail))
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proven {
    pub domain: HostName,
    pub method: KeySource,
    pub key: PublicKey,
    /// When the domain was seen to publish the key: now, or when the key was bound.
    pub at: Moment,
    /// The keys that this place contains now; empty if the place could not be read and a bound key signed.
    pub published: Vec<PublicKey>,
}

/// Creates a challenge for an act. Error: 429.
pub async fn challenge(app: &App, caller: &Caller, act: &str) -> Result<ShownChallenge, Problem> {
    let now = app.clock.now();
    let (nonce, expires_at) = (app.random.hex(16), now + CHALLENGE_LIFE);
    let text = text(app, act, &nonce, &expires_at.to_string());
    let challenge = Challenge { nonce, text, expires_at };
    // Not counted against the host, because nothing is sent there: strangers must not lock an owner out.
    let name = app.caller_digest(caller).await?;
    let allowance = app.allowance(LimitedAction::OwnerChallenge, &name, None);
    app.store.keep_challenge(&challenge, allowance, now).await?;
    let Challenge { nonce, text, expires_at } = challenge;
    let how = "Sign the UTF-8 bytes of `text` with a key that the domain publishes (see `ways`). Use Ed25519, or \
        ECDSA on P-256 with SHA-256. Then send the same call again with `nonce` and `signature`, in `proof` if the \
        call has it. The signature is in hexadecimal or base64; for P-256, DER is also accepted.";
    Ok(ShownChallenge { nonce, text, expires_at, how })
}

/// Verifies that a key of the listing's domain signed the challenge for this act, and spends the challenge. Errors:
/// 403 proof invalid, 422 challenge of another act, 409 listing without a domain or challenge already spent, 429.
pub async fn prove(
    app: &App,
    caller: &Caller,
    listing: &Listing,
    act: &str,
    offered: &SignedChallenge,
) -> Result<Proven, Problem> {
    let domains = [Domains::of(listing)?];
    prove_one_of(app, caller, &domains, act, offered).await.map(|(_, proven)| proven)
}

/// Like [`prove`], with the keys of several owners. Returns also whose key it is. Their keys are read in this order.
pub async fn prove_one_of(
    app: &App,
    caller: &Caller,
    owners: &[Domains],
    act: &str,
    offered: &SignedChallenge,
) -> Result<(usize, Proven), Problem> {
    let now = app.clock.now();
    let nonce = Some(offered.nonce.as_str()).filter(|nonce| nonce.len() <= MAX_NONCE_CHARS).unwrap_or("-");
    let Some(challenge) = app.store.challenge(nonce, now).await? else {
        let detail = "This challenge is unknown, expired or already used. To get a new challenge, send the \
            same call without `nonce` and `signature`.";
        return Err(Problem::unproven("nonce", Code::UnknownChallenge, detail));
    };
    if challenge.text != text(app, act, nonce, &challenge.expires_at.to_string()) {
        let detail = "This challenge was issued for other arguments. To get a new challenge, send the same \
            call without `nonce` and `signature`.";
        return Err(Problem::invalid("nonce", Code::ChallengeOfAnotherAct, detail));
    }
    let name = app.caller_digest(caller).await?;
    let mut refused: Option<Problem> = None;
    for (index, domains) in owners.iter().enumerate() {
        app.count(LimitedAction::OwnerProof, &name, Some(domains.limited().as_str())).await?;
        match find(app, domains, &challenge.text, offered).await {
            Ok(proven) if app.store.spend_challenge(nonce, now).await? => return Ok((index, proven)),
            Ok(_) => {
                let detail = "Another call used this challenge at the same time. Get a new challenge.";
                return Err(Problem::conflict(Code::ChallengeSpent, detail));
            }
            Err(problem) => match &mut refused {
                Some(first) => first.detail = format!("{} {}", first.detail, problem.detail),
                None => refused = Some(problem),
            },
        }
    }
    Err(refused.unwrap_or_else(no_domain))
}

/// The text of a challenge: four lines.
fn text(app: &App, act: &str, nonce: &str, expires_at: &str) -> String {
    format!("{}\n{act}\n{nonce}\n{expires_at}", app.settings.base_url)
}

/// The domains that speak for a listing or a name, and where they publish their keys.
#[derive(Clone, Debug)]
pub struct Domains {
    /// The host of a listing's URL, or the domain that a name reverses.
    host: HostName,
    /// The registrable domain of the host, if it is another one.
    registrable: Option<HostName>,
    /// The host of the endpoint, if its card is at another one: who is called there can end what others list about it.
    endpoint: Option<HostName>,
    origin: Option<String>,
    /// The listing whose bound keys count if no place can be read.
    listing: Option<ListingId>,
}

impl Domains {
    /// The domains of a listing. Error: 409 for a listing without a domain.
    pub fn of(listing: &Listing) -> Result<Self, Problem> {
        // Stored URLs were validated once; development reach accepts loopback hosts here.
        let target = listing.url.as_deref().and_then(|url| Target::parse(url, Reach::Development).ok());
        let host = match &target {
            Some(target) => HostName::of_url(target.as_str()),
            None => listing.ownership.server_name.as_deref().and_then(HostName::of_server_name),
        };
        let host = host.ok_or_else(no_domain)?;
        // The Public Suffix List decides, with its private section: for `a.user.github.io` it is `user.github.io`.
        let registrable =
            target.as_ref().and_then(Target::registrable_domain).and_then(|domain| domain.parse().ok());
        let registrable = registrable.filter(|registrable| *registrable != host);
        let endpoint = listing.endpoint.as_deref().and_then(HostName::of_url);
        let endpoint = endpoint.filter(|at| *at != host && Some(at) != registrable.as_ref());
        let origin = target.map(|target| target.origin());
        Ok(Self { host, registrable, endpoint, origin, listing: Some(listing.id.clone()) })
    }

    /// The domain that a server name reverses. Only that domain itself speaks for the name.
    pub fn of_name(name: &str) -> Option<Self> {
        let host = HostName::of_server_name(name)?;
        Some(Self { host, registrable: None, endpoint: None, origin: None, listing: None })
    }

    /// The domain whose proofs are limited: a check reads places of it, whichever of its hosts the listing has.
    fn limited(&self) -> &HostName {
        self.registrable.as_ref().unwrap_or(&self.host)
    }

    fn all(&self) -> impl Iterator<Item = &HostName> {
        std::iter::once(&self.host).chain(&self.registrable).chain(&self.endpoint)
    }

    /// Where the domain may publish a key.
    pub fn ways(&self, app: &App, key: Option<&PublicKey>) -> Vec<Way> {
        let host = &self.host;
        let record = key.and_then(PublicKey::record);
        let record =
            record.unwrap_or_else(|| "v=MCPv1; k=ed25519; p=<public key, 32 bytes in base64>".to_owned());
        let jwk = "a key of the kind Ed25519 (OKP) or P-256 (EC)";
        let mut ways = vec![
            Way { method: KeySource::Dns, place: format!("TXT record at {host}"), holds: record.clone() },
            Way { method: KeySource::Http, place: auth_document_url(app, host.as_str()), holds: record },
        ];
        if let Some(origin) = &self.origin {
            let place = format!("{origin}/.well-known/jwks.json");
            let holds = format!("{{\"keys\": [...]}} with {jwk}");
            ways.push(Way { method: KeySource::KeySet, place, holds });
        }
        // An address has no TXT records.
        let is_address = host.as_str().trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok();
        let reads_dns = !is_address && app.settings.name_servers != NameServers::Off;
        ways.retain(|way| way.method != KeySource::Dns || reads_dns);
        ways
    }
}

fn no_domain() -> Problem {
    let detail = "The listing has no host, and its name is not a reversed domain name. So no key can prove \
         its owner.";
    Problem::conflict(Code::NoDomain, detail)
}

/// The keys that were read at one place where a domain may publish them.
struct Place<'a> {
    domain: &'a HostName,
    keys: DomainKeys,
}

/// The records of the domains, over DNS and HTTP.
fn records<'f, 'a: 'f>(app: &'f App, domains: &'a Domains) -> impl Iterator<Item = BoxFuture<'f, Place<'a>>> {
    let place = |domain, keys| Place { domain, keys };
    domains.all().flat_map(move |domain| {
        let dns = DomainKeys::by_dns(app, domain.as_str()).map(move |keys| place(domain, keys));
        let http = DomainKeys::by_http(app, domain.as_str()).map(move |keys| place(domain, keys));
        [dns.boxed(), http.boxed()]
    })
}

async fn key_set<'a>(app: &App, domains: &'a Domains) -> Option<Place<'a>> {
    let keys = DomainKeys::by_key_set(app, domains.origin.as_deref()?).await;
    Some(Place { domain: &domains.host, keys })
}

/// The key of the domain that made the signature. Records are read first because most domains have them, then the key
/// set. If none of these places has a key, a bound key whose place cannot be read counts.
async fn find(
    app: &App,
    domains: &Domains,
    text: &str,
    offered: &SignedChallenge,
) -> Result<Proven, Problem> {
    let mut read = Vec::new();
    let mut proven = None;
    let mut pending: FuturesUnordered<_> = records(app, domains).collect();
    // The first place that proves it ends the wait: many domains do not answer at one of them.
    while proven.is_none() {
        let Some(place) = pending.next().await else { break };
        proven = proven_by(app, &place, text, offered);
        read.push(place);
    }
    if proven.is_none()
        && let Some(place) = key_set(app, domains).await
    {
        proven = proven_by(app, &place, text, offered);
        read.push(place);
    }
    if proven.is_none() {
        proven = by_bound_key(app, domains, &read, text, offered).await?;
    }
    proven.ok_or_else(|| refusal(&domains.host, &read, text, offered))
}

/// A key that was bound to the listing counts while its own place cannot be read, and only if no place has another key:
/// what a domain publishes now decides. `read` contains all places.
async fn by_bound_key(
    app: &App,
    domains: &Domains,
    read: &[Place<'_>],
    text: &str,
    offered: &SignedChallenge,
) -> Result<Option<Proven>, Problem> {
    let Some(listing) = &domains.listing else { return Ok(None) };
    let oldest = app.clock.now() - BOUND_KEY_LIFE;
    let signer = |identity: Identity| {
        let key = PublicKey::from_public_jwk(&identity.public_jwk).ok()?;
        let is_named = offered.key.as_ref().is_none_or(|named| *named == key);
        (identity.at > oldest && is_named && key.signed(text, &offered.signature)).then_some((identity, key))
    };
    let bound: Vec<_> = app.store.identities(listing).await?.all.into_iter().filter_map(signer).collect();
    let is_unread = |identity: &Identity| {
        read.iter().any(|Place { domain, keys }| {
            keys.is_unread() && keys.source == identity.method && **domain == identity.proven_domain
        })
    };
    let is_only =
        |key: &PublicKey| read.iter().all(|place| place.keys.keys().iter().all(|other| other == key));
    let found = bound.into_iter().find(|(identity, key)| is_only(key) && is_unread(identity));
    Ok(found.map(|(identity, key)| Proven {
        domain: identity.proven_domain,
        method: identity.method,
        key,
        at: identity.at,
        published: Vec::new(),
    }))
}

fn proven_by(app: &App, place: &Place<'_>, text: &str, offered: &SignedChallenge) -> Option<Proven> {
    let keys = &place.keys;
    let key = keys.signer(text, &offered.signature)?;
    let is_named = offered.key.as_ref().is_none_or(|named| named == key);
    is_named.then(|| Proven {
        domain: place.domain.clone(),
        method: keys.source,
        key: key.clone(),
        at: app.clock.now(),
        published: keys.keys().to_vec(),
    })
}

fn refusal(host: &HostName, read: &[Place<'_>], text: &str, offered: &SignedChallenge) -> Problem {
    let reasons: Vec<&str> = read.iter().filter_map(|place| place.keys.why_none()).collect();
    let signed_by_named = offered.key.as_ref().is_some_and(|key| key.signed(text, &offered.signature));
    let (field, code, what) = if signed_by_named {
        let what = format!("The signature is valid, but its key was not found at {host}.");
        ("public_jwk", Code::KeyNotOfDomain, what)
    } else if reasons.len() == read.len() {
        ("signature", Code::NoDomainKey, format!("No key was found at {host}."))
    } else {
        let what = format!(
            "No key of {host} made this signature. Sign the four lines of `signed_text`, joined by line feeds."
        );
        ("signature", Code::SignatureMismatch, what)
    };
    let detail = std::iter::once(what.as_str()).chain(reasons).collect::<Vec<_>>().join(" ");
    Problem::unproven(field, code, detail).with("signed_text", text)
}
