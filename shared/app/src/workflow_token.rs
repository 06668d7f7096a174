//! Tokens that GitHub Actions gives to a workflow (`OpenID` Connect). A token names the account that owns the repository
//! of the workflow, so it proves names of this account. It is made for one audience, is valid for minutes, and counts once.

use ring::signature::{RSA_PKCS1_2048_8192_SHA256, RsaPublicKeyComponents};
use tokio::sync::Mutex;

use crate::prelude::*;
use registry_fetch::{Follow, Request, Target};
use registry_model::cache::CachedValue;
use registry_model::sha256_hex;

/// A token of GitHub has about 2 KB.
const MAX_TOKEN_BYTES: usize = 8 * 1024;
/// The longest life of a token. GitHub's tokens live for some minutes.
const MAX_LIFE_S: i64 = 3600;
/// By how much the clock of the issuer may be ahead.
const MAX_SKEW_S: i64 = 60;
/// The keys are read again after this time, or earlier for an unknown key.
const KEYS_LIFE_MS: i64 = 3_600_000;
const KEYS_MIN_LIFE_MS: i64 = 60_000;
const MAX_KEYS: usize = 20;
const MAX_JSON_VALUES: usize = 2000;
/// Where the issuer publishes its keys.
const KEYS_PATH: &str = "/.well-known/jwks";

/// The keys of the issuer as this process last read them.
#[derive(Debug, Default)]
pub struct WorkflowKeys {
    keys: CachedValue<Vec<Key>>,
    reading: Mutex<()>,
}

/// A public RSA key (RFC 7518 §6.3).
#[derive(Clone, Debug, Deserialize)]
struct Key {
    kid: String,
    kty: String,
    n: String,
    e: String,
}

/// What a token states about its workflow. The signature, the issuer, the audience and the time are verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowToken {
    /// The login of the account that owns the repository.
    pub owner: String,
    /// The number of this account, which stays when the account is renamed.
    pub owner_id: u64,
    /// A digest of the id of the token.
    pub id: String,
    pub expires_at: Moment,
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: String,
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    aud: Audience,
    iat: i64,
    exp: i64,
    jti: String,
    repository_owner: String,
    /// GitHub writes the number as text.
    repository_owner_id: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Many(Vec<String>),
}

impl Audience {
    fn contains(&self, audience: &str) -> bool {
        match self {
            Self::One(one) => one == audience,
            Self::Many(many) => many.iter().any(|one| one == audience),
        }
    }
}

/// Verifies a token. Errors: 403 with the reason, 503 while the issuer does not answer.
pub async fn verified_token(app: &App, token: &str) -> Result<WorkflowToken, Problem> {
    let Some(issuer) = app.settings.github_actions_issuer.as_deref() else {
        return Err(token_refused(
            Code::TokensOff,
            "This registry does not accept tokens of GitHub Actions.",
        ));
    };
    let malformed =
        || token_refused(Code::MalformedToken, "The token is not a JWT of GitHub Actions (RS256).");
    if token.len() > MAX_TOKEN_BYTES {
        return Err(malformed());
    }
    let (signed, signature) = token.rsplit_once('.').ok_or_else(malformed)?;
    let (header, payload) = signed.split_once('.').ok_or_else(malformed)?;
    let decoded = |part: &str| BASE64URL.decode(part).map_err(|_| malformed());
    let header: Header = serde_json::from_slice(&decoded(header)?).map_err(|_| malformed())?;
    if header.alg != "RS256" {
        return Err(malformed());
    }
    let claims: Claims = serde_json::from_slice(&decoded(payload)?).map_err(|_| malformed())?;
    if claims.iss != issuer {
        return Err(token_refused(Code::WrongIssuer, format!("The issuer of the token must be {issuer}.")));
    }
    let keys = issuer_keys(app, issuer, &header.kid).await?;
    let key = keys.iter().find(|key| key.kid == header.kid);
    let signature = decoded(signature)?;
    if !key.is_some_and(|key| key.signed(signed.as_bytes(), &signature)) {
        return Err(token_refused(
            Code::WrongSignature,
            "The token is not signed with a published key of its issuer.",
        ));
    }
    checked_claims(claims, &app.settings.base_url, app.clock.now())
}

fn checked_claims(claims: Claims, audience: &str, now: Moment) -> Result<WorkflowToken, Problem> {
    if !claims.aud.contains(audience) {
        let detail = format!("The audience of the token must be {audience}.");
        return Err(token_refused(Code::WrongAudience, detail));
    }
    let now = now.as_second();
    let is_timely = claims.iat <= now + MAX_SKEW_S
        && now < claims.exp
        && claims.exp.checked_sub(claims.iat).is_some_and(|life| life <= MAX_LIFE_S);
    let expires_at = Moment::from_second(claims.exp).filter(|_| is_timely);
    let Some(expires_at) = expires_at else {
        let detail =
            "The token has expired, is not valid yet, or is valid for more than an hour. Get a new one.";
        return Err(token_refused(Code::ExpiredToken, detail));
    };
    let owner_id = claims.repository_owner_id.parse().ok().filter(|id| *id > 0);
    let (Some(owner_id), false) = (owner_id, claims.jti.is_empty()) else {
        let detail = "The token has no valid `repository_owner_id` or no `jti`.";
        return Err(token_refused(Code::MalformedToken, detail));
    };
    Ok(WorkflowToken { owner: claims.repository_owner, owner_id, id: sha256_hex(&claims.jti), expires_at })
}

impl Key {
    fn signed(&self, text: &[u8], signature: &[u8]) -> bool {
        let part = |text: &str| BASE64URL.decode(text).ok();
        let (Some(n), Some(e)) = (part(&self.n), part(&self.e)) else { return false };
        RsaPublicKeyComponents { n, e }.verify(&RSA_PKCS1_2048_8192_SHA256, text, signature).is_ok()
    }
}

/// The keys of the issuer. They are read again if they are old, or at most once a minute if `kid` is unknown.
async fn issuer_keys(app: &App, issuer: &str, kid: &str) -> Result<Arc<Vec<Key>>, Problem> {
    let now = app.clock.now().as_millisecond();
    let cached = || {
        let known = app.workflow_keys.keys.get(now, KEYS_LIFE_MS);
        let known = known.filter(|keys| keys.iter().any(|key| key.kid == kid));
        known.or_else(|| app.workflow_keys.keys.get(now, KEYS_MIN_LIFE_MS))
    };
    if let Some(keys) = cached() {
        return Ok(keys);
    }
    let _reading = app.workflow_keys.reading.lock().await;
    if let Some(keys) = cached() {
        return Ok(keys);
    }
    let Some(keys) = published_keys(app, issuer).await else {
        let mut problem = Problem::unavailable("the keys of GitHub Actions cannot be read");
        problem.detail = "The keys of GitHub Actions cannot be read now. Try again later.".to_owned();
        return Err(problem);
    };
    Ok(app.workflow_keys.keys.put(now, keys))
}

async fn published_keys(app: &App, issuer: &str) -> Option<Vec<Key>> {
    let target = Target::parse(&format!("{issuer}{KEYS_PATH}"), app.settings.reach()).ok()?;
    let answer = app.fetcher.send(Request::get(target).with_follow(Follow::Never)).await.ok()?;
    let mut left = MAX_JSON_VALUES;
    let document = answer.json(&mut left).ok().filter(|_| answer.status == 200)?;
    let keys = document.get("keys")?.as_array()?.iter().take(MAX_KEYS);
    let keys = keys.filter_map(|key| serde_json::from_value(key.clone()).ok());
    Some(keys.filter(|key: &Key| key.kty == "RSA").collect())
}

fn token_refused(code: Code, detail: impl Into<String>) -> Problem {
    Problem::new(code, detail).with_field("token")
}
