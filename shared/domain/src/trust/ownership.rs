//! Proves that a caller owns the domain of a listing. The owner signs a challenge with a key that the domain publishes.
//! This registry issues each challenge for one action. The challenge is valid for 15 minutes and can be used once.

use futures::future::{join, join_all};
use http::StatusCode;
use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::Serialize;

use registry_app::App;
use registry_app::domain_keys::{Did, DomainKeys, PublicKey, Signature, auth_document_url};
use registry_fetch::Target;
use registry_model::error::Problem;
use registry_model::{Caller, HostName, KeySource, LimitedAction, Listing, Reach};
use registry_store::Challenge;

const CHALLENGE_LIFE: SignedDuration = SignedDuration::from_mins(15);
const MAX_NONCE_CHARS: usize = 64;

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

#[derive(Clone, Debug)]
pub struct SignedChallenge {
    pub nonce: String,
    pub signature: Signature,
    /// The key that made the signature, if the owner names it.
    pub key: Option<PublicKey>,
    pub did: Option<Did>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proven {
    pub domain: HostName,
    pub method: KeySource,
    pub key: PublicKey,
}

/// Creates a challenge for an act on a listing. Errors: 409 listing without a domain, 429.
pub async fn challenge(
    app: &App,
    caller: &Caller,
    listing: &Listing,
    act: &str,
) -> Result<Challenge, Problem> {
    domains_of(listing)?;
    let now = app.clock.now();
    let (nonce, expires_at) = (app.random.hex(16), now + CHALLENGE_LIFE);
    let text = text(app, act, &nonce, &expires_at.to_string());
    let challenge = Challenge { nonce, text, expires_at };
    // Not counted against the host, because nothing is sent there: strangers must not lock an owner out.
    let name = app.caller_digest(caller).await?;
    let allowance = app.allowance(LimitedAction::OwnerChallenge, &name, None);
    match app.store.keep_challenge(&challenge, allowance.as_ref(), now).await? {
        None => Ok(challenge),
        Some(used_up) => Err(used_up.into()),
    }
}

/// Where the domain of a listing may publish a key. Error: 409 for a listing without a domain.
pub fn ways(app: &App, listing: &Listing, key: Option<&PublicKey>) -> Result<Vec<Way>, Problem> {
    let domains = domains_of(listing)?;
    let host = &domains.host;
    let record = key.and_then(PublicKey::record);
    let record =
        record.unwrap_or_else(|| "v=MCPv1; k=ed25519; p=<public key, 32 bytes in base64>".to_owned());
    let jwk = "a key of the kind Ed25519 (OKP) or P-256 (EC)";
    let mut ways = vec![
        Way { method: KeySource::Dns, place: format!("TXT record at {host}"), holds: record.clone() },
        Way { method: KeySource::Http, place: auth_document_url(app, host.as_str()), holds: record },
    ];
    if let Some(origin) = &domains.origin {
        let place = format!("{origin}/.well-known/jwks.json");
        ways.push(Way { method: KeySource::KeySet, place, holds: format!("{{\"keys\": [...]}} with {jwk}") });
    }
    ways.push(Way {
        method: KeySource::DidWeb,
        place: format!("https://{host}/.well-known/did.json"),
        holds: format!("the document of did:web:{host} with {jwk} among its verification methods"),
    });
    Ok(ways)
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
    let domains = domains_of(listing)?;
    let now = app.clock.now();
    let nonce = Some(offered.nonce.as_str()).filter(|nonce| nonce.len() <= MAX_NONCE_CHARS).unwrap_or("-");
    let Some(challenge) = app.store.challenge(nonce, now).await? else {
        let detail = "This challenge is unknown, expired or already used. To get a new challenge, send the \
            same call without `nonce` and `signature`.";
        return Err(Problem::unproven("nonce", "unknown_challenge", detail));
    };
    if challenge.text != text(app, act, nonce, &challenge.expires_at.to_string()) {
        let detail = "This challenge was issued for another act. To get a new challenge, send the same call \
            without `nonce` and `signature`.";
        return Err(Problem::invalid("nonce", "challenge_of_another_act", detail));
    }
    let name = app.caller_digest(caller).await?;
    app.count(LimitedAction::OwnerProof, &name, Some(domains.host.as_str())).await?;
    let proven = find(app, &domains, &challenge.text, offered).await?;
    if !app.store.spend_challenge(nonce, now).await? {
        let detail = "Another call used this challenge at the same time. Get a new challenge.";
        return Err(Problem::new(StatusCode::CONFLICT, "challenge_spent", detail));
    }
    Ok(proven)
}

/// The text of a challenge: four lines.
fn text(app: &App, act: &str, nonce: &str, expires_at: &str) -> String {
    format!("{}\n{act}\n{nonce}\n{expires_at}", app.settings.base_url)
}

struct Domains {
    /// The host of its URL; without a URL, the domain that its name reverses.
    host: HostName,
    /// The registrable domain of the host, if it is another one.
    registrable: Option<HostName>,
    origin: Option<String>,
}

impl Domains {
    fn all(&self) -> impl Iterator<Item = &HostName> {
        std::iter::once(&self.host).chain(&self.registrable)
    }
}

fn domains_of(listing: &Listing) -> Result<Domains, Problem> {
    // Stored URLs were validated once; development reach accepts loopback hosts here.
    let target = listing.url.as_deref().and_then(|url| Target::parse(url, Reach::Development).ok());
    let host = match &target {
        Some(target) => HostName::of_url(target.as_str()),
        None => listing.server_name.as_deref().and_then(HostName::of_server_name),
    };
    let host = host.ok_or_else(|| {
        let detail =
            "The listing has no host, and its name is not a reversed domain name. So nobody can prove to be \
             its owner.";
        Problem::new(StatusCode::CONFLICT, "no_domain", detail)
    })?;
    let registrable =
        target.as_ref().and_then(Target::registrable_domain).and_then(|domain| domain.parse().ok());
    let registrable = registrable.filter(|registrable| *registrable != host);
    Ok(Domains { host, registrable, origin: target.map(|target| target.origin()) })
}

/// The key of the domain that made the signature. Records are read first because most domains have them, then the key
/// set. For a `did:web` only its own document is read, because only that connects the DID with the key.
async fn find(
    app: &App,
    domains: &Domains,
    text: &str,
    offered: &SignedChallenge,
) -> Result<Proven, Problem> {
    let mut read = Vec::new();
    if let Some(did) = offered.did.as_ref().filter(|did| did.key().is_none()) {
        let named = |domain: &&HostName| did.domain() == Some(domain) && did.is_at(domains.origin.as_deref());
        let domain = domains.all().find(named).ok_or_else(|| did_of_another_domain(did, domains))?;
        read.push((domain, DomainKeys::by_did(app, did).await));
    } else {
        let records = join_all(domains.all().map(|domain| async move {
            let dns = DomainKeys::by_dns(app, domain.as_str());
            let (dns, http) = join(dns, DomainKeys::by_http(app, domain.as_str())).await;
            [(domain, dns), (domain, http)]
        }));
        read.extend(records.await.into_iter().flatten());
        if let (None, Some(origin)) = (proven_by(&read, text, offered), &domains.origin) {
            read.push((&domains.host, DomainKeys::by_key_set(app, origin).await));
        }
    }
    proven_by(&read, text, offered).ok_or_else(|| refusal(&domains.host, &read, text, offered))
}

fn did_of_another_domain(did: &Did, domains: &Domains) -> Problem {
    let detail = format!("{did} does not belong to the domain of the listing, {}.", domains.host);
    Problem::invalid("did", "did_of_another_domain", detail)
}

fn proven_by(places: &[(&HostName, DomainKeys)], text: &str, offered: &SignedChallenge) -> Option<Proven> {
    places.iter().find_map(|(domain, keys)| {
        let key = keys.signer(text, &offered.signature)?;
        let is_named = offered.key.as_ref().is_none_or(|named| named == key);
        is_named.then(|| Proven { domain: (*domain).clone(), method: keys.source, key: key.clone() })
    })
}

fn refusal(
    host: &HostName,
    read: &[(&HostName, DomainKeys)],
    text: &str,
    offered: &SignedChallenge,
) -> Problem {
    let reasons: Vec<&str> = read.iter().filter_map(|(_, keys)| keys.why_none()).collect();
    let signed_by_named = offered.key.as_ref().is_some_and(|key| key.signed(text, &offered.signature));
    let (field, code, what) = if signed_by_named {
        let what = format!("The signature is valid, but {host} does not publish the key.");
        ("public_jwk", "key_not_of_domain", what)
    } else if reasons.len() == read.len() {
        ("signature", "no_domain_key", format!("{host} publishes no key."))
    } else {
        let what = format!(
            "No key of {host} made this signature. Sign the four lines of `signed_text`, joined by line feeds."
        );
        ("signature", "signature_mismatch", what)
    };
    let detail = std::iter::once(what.as_str()).chain(reasons).collect::<Vec<_>>().join(" ");
    Problem::unproven(field, code, detail).with("signed_text", text)
}
