//! Binds a key to the domain of a listing. The caller signs a challenge with a key that the domain
//! publishes. The result shows who controls the domain. It does not show how good the listing is.

use crate::prelude::*;
use crate::trust::facts;
use crate::trust::owner::{named_key, public_jwk_schema};
use crate::trust::ownership::{self, Domains, Proven, ShownChallenge, SignedChallenge, Way};
use registry_model::{Identity, KeySource};

/// When a listing has more, the oldest is removed.
const MAX_IDENTITIES: usize = 8;
/// How often the write is tried when another request changed the identities.
const MAX_ATTEMPTS: u32 = 5;

pub struct BindIdentity;

/// The listing, the key, and the signed challenge.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("allOf" = [
    { "anyOf": argument_schema::together(&["nonce", "signature"]) },
    { "anyOf": [argument_schema::none_of(&["public_jwk"]), argument_schema::none_of(&["public_key_pem"])] },
]))]
pub struct Arguments {
    /// The id of the listing.
    #[serde(alias = "id")]
    listing_id: String,
    /// The public key as a JWK: Ed25519 (OKP) or P-256 (EC).
    #[serde(default)]
    #[schemars(schema_with = "public_jwk_schema")]
    public_jwk: Option<Map<String, Value>>,
    /// The public key as PEM (`-----BEGIN PUBLIC KEY-----`).
    #[schemars(extend("format" = "public-key-pem"))]
    public_key_pem: Option<String>,
    /// The nonce of the challenge that you signed. Send it together with `signature`.
    nonce: Option<String>,
    /// The signature of the challenge's text, in hexadecimal or base64.
    #[schemars(extend("format" = "signature"))]
    signature: Option<String>,
}

/// The bound key, or the challenge to sign.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    listing_id: ListingId,
    /// Whether this call bound a key.
    bound: bool,
    /// The domain that publishes the key.
    proven_domain: Option<String>,
    /// Where the domain publishes the key.
    method: Option<KeySource>,
    /// When the key signed a challenge while the domain published it.
    at: Option<Moment>,
    /// The challenge to sign. Null if you sent a signature.
    challenge: Option<ShownChallenge>,
    /// The places where the domain can publish a key. One place is enough.
    ways: Vec<Way>,
    /// The keys that are now bound to the domain of the listing, oldest first.
    identities: Vec<Identity>,
    note: &'static str,
}

impl Operation for BindIdentity {
    const NAME: &'static str = "bind_identity";
    const TITLE: &'static str = "Bind a key to a listing's domain";
    const DESCRIPTION: &'static str = "Binds a key to the domain of a listing, to prove who controls it. \
        The domain publishes the key, for example in a file at `/.well-known/`; a call without a signature returns a \
        challenge and all such places. Then sign the challenge and send nonce and signature.";
    const PHRASES: &'static [&'static str] =
        &["bind an identity to {id}", "bind a key to {id}", "prove the domain of {id}"];
    const EFFECT: Effect = Effect { open_world: true, ..Effect::WRITES };
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123"}"#;
    const SUMMARY: &'static [&'static str] = &[
        "This call bound {bound?a|no} key to {listing_id} | , of {proven_domain}.",
        "{note}",
        "The challenge to sign is: {challenge.text} {challenge.how}",
    ];
    const FAMILY: Option<Family> = Some(Family::TRUST);
    const REFUSALS: &'static [ErrorKind] =
        &[ErrorKind::Unauthenticated, ErrorKind::Forbidden, ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let Arguments { listing_id, public_jwk, public_key_pem, nonce, signature } = arguments;
        let key = named_key(public_jwk.as_ref(), public_key_pem.as_deref())?;
        let offered = SignedChallenge::parse(nonce.as_deref(), signature.as_deref(), key.clone())?;
        let listing = lookup::listing(app, &listing_id).await?;
        if listing.lane == Lane::Withdrawn {
            let next = NextStep::check_status(
                &app.settings.base_url,
                &listing.id,
                "It says who can restore the listing.",
            );
            return Err(Problem::new(Code::Withdrawn, "This listing is withdrawn.").with_next(next));
        }
        let ways = Domains::of(&listing)?.ways(app, key.as_ref());
        let act = format!("bind_identity {}", listing.id);
        let (challenge, proven) = match &offered {
            None => (Some(ownership::challenge(app, caller, &act).await?), None),
            Some(offered) => (None, Some(bind(app, caller, &listing, &act, offered).await?)),
        };
        Ok(Answer {
            bound: proven.is_some(),
            proven_domain: proven.as_ref().map(|identity| identity.proven_domain.to_string()),
            method: proven.as_ref().map(|identity| identity.method),
            at: proven.as_ref().map(|identity| identity.at),
            note: if proven.is_some() {
                "The key is bound. This shows who controls the domain, not how good the listing is. For a \
                    signed statement, call `attest` with type identity_bind."
            } else {
                "Publish the key in one of the `ways` and sign the challenge with it. Then send the same \
                    call with `nonce` and `signature`."
            },
            challenge,
            ways,
            identities: facts::identities(app, &listing).await?,
            listing_id: listing.id,
        })
    }
}

async fn bind(
    app: &App,
    caller: &Caller,
    listing: &Listing,
    act: &str,
    offered: &SignedChallenge,
) -> Result<Identity, Problem> {
    let Proven { domain, method, key, at, published } =
        ownership::prove(app, caller, listing, act, offered).await?;
    let public_jwk = key.jwk();
    let identity =
        Identity { proven_domain: domain, method, at, thumbprint: public_jwk.thumbprint(), public_jwk };
    // It would hide the proof of the host that the listing is at.
    if !identity.is_of(listing) {
        let detail =
            "This key is of the host of the endpoint. Only a key of the host of the card can be bound.";
        return Err(Problem::new(Code::OtherHost, detail));
    }
    // A key that its place no longer contains was replaced, and must not sign while that place cannot be read.
    let is_replaced = |known: &Identity| {
        !published.is_empty()
            && (&known.proven_domain, known.method) == (&identity.proven_domain, identity.method)
            && !published.iter().any(|key| key.jwk().thumbprint() == known.thumbprint)
    };
    for _ in 0..MAX_ATTEMPTS {
        let before = app.store.identities(&listing.id).await?;
        let is_other = |known: &&Identity| {
            known.is_of(listing)
                && !is_replaced(known)
                && (&known.proven_domain, &known.thumbprint)
                    != (&identity.proven_domain, &identity.thumbprint)
        };
        let mut after: Vec<Identity> = before.all.iter().filter(is_other).cloned().collect();
        after.drain(..after.len().saturating_sub(MAX_IDENTITIES - 1));
        after.push(identity.clone());
        if app.store.keep_identities(listing, &before, &after).await? {
            return Ok(identity);
        }
    }
    Err(Problem::unavailable("the identities of the listing change too often; the key was not bound"))
}
