//! `/.well-known/security.txt`: where to report a vulnerability (RFC 9116).

use bytes::Bytes;
use http::StatusCode;
use jiff::SignedDuration;

use super::document::{Document, DocumentRequest, NoQuery};
use registry_app::App;
use registry_model::error::Problem;

/// The document expires after this time. RFC 9116 recommends less than a year.
const LIFETIME: SignedDuration = SignedDuration::from_hours(24 * 180);

#[derive(Debug)]
pub(super) struct SecurityTxt;

impl Document for SecurityTxt {
    const PATHS: &'static [&'static str] = &["/.well-known/security.txt"];
    const SUMMARY: &'static str =
        "Where to report a vulnerability (RFC 9116), if the operator has set a contact.";
    const MEDIA_TYPE: &'static str = "text/plain; charset=utf-8";
    const MAX_AGE_S: Option<u32> = Some(3600);
    const REFUSALS: &'static [u16] = &[404];
    type Query = NoQuery;
    type Answer = String;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        let Some(contact) = &app.settings.operator_contact else {
            let detail = "The operator of this registry has set no contact.";
            return Err(Problem::new(StatusCode::NOT_FOUND, "no_contact", detail));
        };
        // The same text all day, so that its entity tag stays the same.
        let days = app.clock.now().as_second().div_euclid(86_400) * 86_400;
        let expires = registry_model::Moment::from_second(days).unwrap_or(app.clock.now()) + LIFETIME;
        let canonical = app.settings.url(Self::PATHS[0]);
        let policy = app.settings.url("/terms");
        Ok(format!(
            "Contact: {contact}\nExpires: {expires}\nPreferred-Languages: en\nCanonical: {canonical}\nPolicy: \
             {policy}\n"
        )
        .into())
    }
}
