//! Verifies the signatures of Stripe's webhooks (scheme v1). A signature covers the time and the raw body
//! (docs.stripe.com/webhooks, "Verify webhook signatures manually").

use ring::hmac;

use registry_model::{Moment, Secret, from_hex};

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum SignatureError {
    #[error("the Stripe-Signature header is missing, or contains no valid time or v1 signature")]
    Malformed,
    #[error("no signature in the Stripe-Signature header matches the body")]
    Wrong,
    #[error("the time of the signature is more than five minutes from now")]
    Stale,
}

pub(super) fn verify(
    secret: &Secret,
    header: Option<&str>,
    body: &[u8],
    now: Moment,
) -> Result<(), SignatureError> {
    let parts = || header.unwrap_or_default().split(',').filter_map(|part| part.trim().split_once('='));
    let time = parts().find_map(|(name, value)| (name == "t").then_some(value));
    let time = time.ok_or(SignatureError::Malformed)?;
    let seconds: i64 = time.parse().map_err(|_| SignatureError::Malformed)?;
    let signatures = parts().filter(|(name, _)| *name == "v1").filter_map(|(_, value)| from_hex(value));
    let mut signatures = signatures.filter(|signature| signature.len() == 32).peekable();
    if signatures.peek().is_none() {
        return Err(SignatureError::Malformed);
    }
    let signed = [time.as_bytes(), b".", body].concat();
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.reveal().as_bytes());
    // Compares in constant time.
    // Stripe sends two signatures while a secret is being replaced.
    if !signatures.take(8).any(|signature| hmac::verify(&key, &signed, &signature).is_ok()) {
        return Err(SignatureError::Wrong);
    }
    // As in Stripe's own libraries.
    if seconds.abs_diff(now.as_second()) > 300 {
        return Err(SignatureError::Stale);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
