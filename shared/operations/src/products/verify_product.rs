//! Compares files that an owner kept with the files that the registry generates today: a product follows its listing, so
//! a copy gets stale or may have been changed. The files of the full product are compared only with its token.

mod comparison;

use crate::prelude::*;
use comparison::{Comparison, GeneratedProduct, KeptFile, compare, parse};
use registry_domain::funnel::{self, Opened};
use registry_model::OrderId;

pub struct VerifyProduct;

/// The files, and the product that they belong to.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = [argument_schema::all_of(&["token"]), argument_schema::all_of(&["listing_id"]), { "required": ["usage"], "properties": { "usage": { "const": true } } }, { "properties": { "files": { "maxItems": 0 } } }]))]
pub struct Arguments {
    /// The access token of the full product.
    #[serde(alias = "access_token")]
    token: Option<String>,
    /// Without a token: the listing whose demo the files belong to.
    #[serde(alias = "id")]
    listing_id: Option<String>,
    /// The product of the demo; default: the product for the kind of the listing.
    sku: Option<Sku>,
    /// The kept files; without any, the answer lists the expected files.
    #[serde(default)]
    #[schemars(length(max = 200))]
    files: Vec<KeptFile>,
    /// Only return how to call it.
    #[serde(default)]
    usage: bool,
}

/// The result of the comparison.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    name: &'static str,
    /// How to call it.
    usage: String,
    /// The comparison, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<Comparison>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<NextStep>,
}

impl Operation for VerifyProduct {
    const NAME: &'static str = "verify_product";
    const TITLE: &'static str = "Compare kept files with today's";
    const DESCRIPTION: &'static str = "Compares kept files of a product with those that the registry generates today. \
        Returns for each file: same, changed, missing or unknown. Pass the token of the full product, or a listing_id \
        for its demo, and files as {path, sha256} or {path, content}. Stores nothing.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "files": [{"path": "AGENTS.md", "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}]}"#;
    const PHRASES: &'static [&'static str] =
        &["verify the product files of {id}", "compare the kept product files of {id} with today's"];
    const ROUTES: &'static [Route] = &[
        Route::get_as("/api/products/verify", default_to_usage).never_kept(),
        Route::post_as("/api/products/verify", Ok).never_kept(),
    ];
    const REFUSALS: &'static [u16] = &[401, 402, 404, 409, 410];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let usage = format!(
            "POST {} {{\"token\": …}} or {{\"listing_id\": …, \"sku\": …}}, with files[] of {{path, sha256}} or \
             {{path, content}}.",
            app.settings.url("/api/products/verify")
        );
        let answer = Answer { ok: true, name: "Product verification", usage, ..Answer::default() };
        let is_empty =
            arguments.token.is_none() && arguments.listing_id.is_none() && arguments.files.is_empty();
        if arguments.usage || is_empty {
            return Ok(answer);
        }
        let kept = parse(arguments.files)?;
        let product = match (&arguments.token, &arguments.listing_id) {
            (Some(token), _) => of_token(app, token).await?,
            (None, Some(id)) => of_demo(app, id, arguments.sku).await?,
            (None, None) => {
                let detail = "`token` of the product or `listing_id` of its demo is required.";
                return Err(Problem::invalid("token", "which_product", detail));
            }
        };
        let comparison = compare(product, kept);
        let next = Some(next(app, &comparison));
        Ok(Answer { comparison: Some(comparison), next, ..answer })
    }
}

/// A GET without arguments returns how to call it.
fn default_to_usage(query: &str) -> String {
    if query.is_empty() { "usage=true".to_owned() } else { query.to_owned() }
}

async fn of_token(app: &App, token: &str) -> Result<GeneratedProduct, Problem> {
    let Opened { grant, profile, files } = funnel::open(app, token).await?;
    Ok(GeneratedProduct { sku: grant.sku, scope: "product", profile, files, withheld: Vec::new() })
}

async fn of_demo(app: &App, id: &str, sku: Option<Sku>) -> Result<GeneratedProduct, Problem> {
    let unknown = || Problem::listing_not_found(id);
    let listing_id = id.parse::<ListingId>().map_err(|_| unknown())?;
    let found = app.store.listing_with_orders(&listing_id, app.clock.now()).await?.ok_or_else(unknown)?;
    let listing = &found.listing.0;
    if listing.lane == Lane::Withdrawn {
        return Err(unknown());
    }
    let sku = sku.unwrap_or_else(|| Sku::of_kind(listing.shown_kind()));
    let order = OrderId::of(&listing.id, sku);
    let goals = found.orders.into_iter().find(|taken| taken.order_id == order).map(|order| order.goals);
    let profile = funnel::profile_of_listing(app, &found.listing, &goals.unwrap_or_default()).await?;
    let files = registry_products::sample(sku, &profile, &app.settings);
    let withheld = registry_products::tree(sku, &profile, &app.settings).into_iter().map(|file| file.path);
    let withheld = withheld.filter(|path| files.iter().all(|file| file.path != *path)).collect();
    Ok(GeneratedProduct { sku, scope: "demo", profile, files, withheld })
}

fn next(app: &App, comparison: &Comparison) -> NextStep {
    let settings = &app.settings;
    match (comparison.is_current, comparison.scope) {
        (true, _) => NextStep::open(
            "none",
            settings.url("/api/products/verify"),
            "Nothing to do. Verify again after the next probe of the listing.",
        ),
        // The answer does not repeat the token, so it has no arguments.
        (false, "product") => NextStep {
            tool: Some("export_product"),
            ..NextStep::open(
                "export_product",
                settings.url("/api/products/export?format=zip"),
                "Add the same token to download today's files.",
            )
        },
        (false, _) => NextStep::post(
            "take_demo",
            settings.url("/api/products/demo"),
            json!({ "listing_id": comparison.listing_id, "sku": comparison.sku }),
            "Take the demo again to get today's files.",
        ),
    }
}
