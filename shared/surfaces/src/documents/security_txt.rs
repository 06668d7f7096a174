//! `/.well-known/security.txt`: where to report a vulnerability (RFC 9116).

use crate::prelude::*;

/// The document expires after this time. RFC 9116 recommends less than a year.
const LIFETIME: SignedDuration = SignedDuration::from_hours(24 * 180);

pub static SECURITY_TXT: AnyDocument = AnyDocument {
    paths: &["/.well-known/security.txt"],
    summary: "Where to report a vulnerability (RFC 9116), if the operator has set a contact.",
    media_type: "text/plain; charset=utf-8",
    max_age_s: Some(3600),
    refusals: &[404],
    ..AnyDocument::of::<String>(|app, _| Box::pin(async { text(app) }))
};

fn text(app: &App) -> Result<Bytes, Problem> {
    let Some(contact) = &app.settings.operator_contact else {
        let detail = "The operator of this registry has set no contact.";
        return Err(Problem::not_found(Code::NoContact, detail));
    };
    // The same text all day, so that its entity tag stays the same.
    let days = app.clock.now().as_second().div_euclid(86_400) * 86_400;
    let expires = registry_model::Moment::from_second(days).unwrap_or(app.clock.now()) + LIFETIME;
    let canonical = app.settings.url(SECURITY_TXT.paths[0]);
    let policy = app.settings.url("/terms");
    Ok(format!(
        "Contact: {contact}\nExpires: {expires}\nPreferred-Languages: en\nCanonical: {canonical}\nPolicy: \
             {policy}\n"
    )
    .into())
}
