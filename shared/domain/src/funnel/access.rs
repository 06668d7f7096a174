//! Opening a product with its access token. The tree is made anew from what the registry knows now, so that a product
//! follows its listing; nothing of it is stored.

use http::StatusCode;
use serde_json::json;

use super::profile;
use registry_app::App;
use registry_model::error::Problem;
use registry_model::{AccessToken, Grant, GrantSubject, Lane};
use registry_products::{File, Profile};

#[derive(Clone, Debug)]
pub struct Opened {
    pub grant: Grant,
    pub profile: Profile,
    pub files: Vec<File>,
}

/// Opens the product of an access token. Errors: 401 unknown token, 402 not paid yet, 410 listing withdrawn.
pub async fn open(app: &App, token: &str) -> Result<Opened, Problem> {
    let token: AccessToken = token.parse().map_err(|_| bad_token(app))?;
    let grant = app.store.grant(&token.digest()).await?.ok_or_else(|| bad_token(app))?;
    if !grant.is_open() {
        let detail = "This purchase is not paid yet. It opens as soon as its payment is confirmed.";
        return Err(Problem::new(StatusCode::PAYMENT_REQUIRED, "not_paid", detail));
    }
    let profile = match &grant.subject {
        GrantSubject::Listing(id) => {
            let listing = app.store.listing_with_evidence(id).await?;
            let listing = listing.filter(|listing| listing.0.lane != Lane::Withdrawn);
            let listing = listing.ok_or_else(|| {
                let detail = "The listing that this product is made from was withdrawn.";
                Problem::new(StatusCode::GONE, "listing_withdrawn", detail)
            })?;
            profile::of_listing(app, &listing, &grant.goals).await?
        }
        GrantSubject::Described { kind, name, description } => {
            let said = Profile::unlisted(*kind, name, description.as_deref(), Vec::new());
            profile::of_description(app, Profile { goals: grant.goals.clone(), ..said }).await?
        }
    };
    let files = registry_products::tree(grant.sku, &profile, &app.settings);
    Ok(Opened { grant, profile, files })
}

pub(super) fn bad_token(app: &App) -> Problem {
    let detail = "`token` opens nothing: it is mistyped, or was revoked.";
    let mut problem = Problem::new(StatusCode::UNAUTHORIZED, "bad_token", detail);
    problem.field = Some("token".to_owned());
    problem.with_next(json!({
        "action": "take_demo", "method": "POST", "url": app.settings.url("/api/products/demo"), "tool": "take_demo",
        "note": "A token comes with feedback after a demo while founding seats remain, or with a purchase.",
    }))
}
