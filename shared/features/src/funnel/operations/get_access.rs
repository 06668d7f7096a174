//! Returns the full product that an access token opens (`specification.md#access-tokens`). Every file is
//! generated from the current state of the listing.

use crate::funnel::Opened;
use crate::prelude::*;
use registry_model::GrantSource;
use registry_products::File;

pub struct GetAccess;

/// The access token.
#[derive(Deserialize, JsonSchema)]
pub struct Arguments {
    /// The access token that `leave_feedback` or `checkout` returned.
    #[serde(alias = "access_token")]
    #[schemars(required)]
    token: Option<String>,
}

/// The full product.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    sku: Sku,
    name: &'static str,
    /// The listing that the product was made for, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    listing_id: Option<ListingId>,
    /// `founding_seat` or `purchase`.
    source: &'static str,
    granted_at: Moment,
    message: String,
    /// When a probe last proved the listing, in the data from which the files are made.
    #[serde(skip_serializing_if = "Option::is_none")]
    proved_at: Option<Moment>,
    files: Vec<File>,
    next: NextStep,
}

impl Operation for GetAccess {
    const NAME: &'static str = "get_access";
    const TITLE: &'static str = "Get the files of a product";
    const DESCRIPTION: &'static str = "Returns all files of a full product. Pass the access token that \
        leave_feedback or checkout returned. The files are generated again for each request. \
        If you want the same files as an archive, use export_product.";
    const PHRASES: &'static [&'static str] = &[
        "open my product with the access token {token}",
        "use my access token {token}",
        "show the product that my token {token} opens",
    ];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"token": "at_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#;
    const SUMMARY: &'static [&'static str] = &["{message}", "Files: [files]{path}"];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/access")];
    const REFUSALS: &'static [ErrorKind] = crate::funnel::OPENING_REFUSALS;
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let token = arguments.token.ok_or_else(|| {
            let detail = "`token` is required: the access token that you got when you sent feedback or \
                bought a product.";
            Problem::invalid("token", Code::MissingToken, detail)
        })?;
        app.count(LimitedAction::Product, &app.caller_digest(caller).await?, None).await?;
        let Opened { grant, profile, files } = crate::funnel::open(app, &token).await?;
        let title = grant.sku.title();
        let (source, granted_at) = match grant.source {
            GrantSource::FoundingSeat => ("founding_seat", grant.at),
            GrantSource::Purchase { paid_at, .. } => ("purchase", paid_at.unwrap_or(grant.at)),
        };
        Ok(Answer {
            sku: grant.sku,
            name: title,
            listing_id: profile.listing_id,
            source,
            granted_at,
            message: format!("{title} for {}: `files` has {}.", profile.name, counted(files.len(), "file")),
            proved_at: profile.proven_at,
            files,
            next: NextStep::get(
                "export_product",
                app.settings.url(&format!("/api/products/export?token={token}&format=skills")),
                json!({ "token": token, "format": "skills" }),
                "The files as folders of Agent Skills, or as an archive (format zip or tar.gz).",
            ),
        })
    }
}
