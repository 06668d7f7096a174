//! Whether files that an owner kept are as the registry makes them today: a product follows its listing, so a kept tree
//! grows stale, and may have been tampered with. The full product's files are compared for its token only.

mod comparison;

use crate::prelude::*;
use comparison::{Comparison, KeptFile, Made, compare, parse};
use registry_domain::funnel::{self, Opened};
use registry_formats::argument_schema;
use registry_model::{Lane, OrderId, Sku};

pub struct VerifyProduct;

/// The files, and whose they are.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = [argument_schema::all_of(&["token"]), argument_schema::all_of(&["listing_id"]), { "required": ["usage"], "properties": { "usage": { "const": true } } }, { "properties": { "files": { "maxItems": 0 } } }]))]
pub struct Arguments {
    /// The access token of the full product.
    #[serde(alias = "access_token")]
    token: Option<String>,
    /// Without a token: the listing whose demo the files are of.
    #[serde(alias = "id")]
    listing_id: Option<String>,
    /// The demo's product; without one, that of the listing's kind.
    sku: Option<Sku>,
    /// The files as they were kept; without any, the answer lists what there should be.
    #[serde(default)]
    #[schemars(length(max = 200))]
    files: Vec<KeptFile>,
    /// Only tell how it is called.
    #[serde(default)]
    usage: bool,
}

/// How the files compare.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    name: &'static str,
    /// How it is called.
    usage: String,
    /// The comparison, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<Comparison>,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<NextStep>,
}

impl Operation for VerifyProduct {
    const NAME: &'static str = "verify_product";
    const TITLE: &'static str = "Compare kept files with today's";
    const DESCRIPTION: &'static str = "Tells file by file whether a kept product is as the registry makes it today: \
        same, changed, missing or unknown. Give the token for the full product, or a listing_id for its demo, with \
        files as {path, sha256} or {path, content}. Stores nothing.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "files": [{"path": "AGENTS.md", "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}]}"#;
    const PHRASES: &'static [&'static str] =
        &["verify the product files of {id}", "compare the kept product files of {id} with today's"];
    const ROUTES: &'static [Route] = &[
        Route::get_as("/api/products/verify", usage_by_default).never_kept(),
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
        let asks_nothing =
            arguments.token.is_none() && arguments.listing_id.is_none() && arguments.files.is_empty();
        if arguments.usage || asks_nothing {
            return Ok(answer);
        }
        let kept = parse(arguments.files)?;
        let made = match (&arguments.token, &arguments.listing_id) {
            (Some(token), _) => of_token(app, token).await?,
            (None, Some(id)) => of_demo(app, id, arguments.sku).await?,
            (None, None) => {
                return Err(Problem::invalid(
                    "token",
                    "which_product",
                    "Say which product: its access `token`, or the `listing_id` whose demo it is.",
                ));
            }
        };
        let comparison = compare(made, kept);
        let next = Some(next(app, &comparison));
        Ok(Answer { comparison: Some(comparison), next, ..answer })
    }
}

/// A GET without arguments asks how it is called.
fn usage_by_default(query: &str) -> String {
    if query.is_empty() { "usage=true".to_owned() } else { query.to_owned() }
}

async fn of_token(app: &App, token: &str) -> Result<Made, Problem> {
    let Opened { grant, profile, files } = funnel::open(app, token).await?;
    Ok(Made { sku: grant.sku, scope: "product", profile, files, withheld: Vec::new() })
}

async fn of_demo(app: &App, id: &str, sku: Option<Sku>) -> Result<Made, Problem> {
    let unknown = || Problem::listing_not_found(id);
    let known = id.parse::<ListingId>().map_err(|_| unknown())?;
    let found = app.store.listing_with_orders(&known, app.clock.now()).await?.ok_or_else(unknown)?;
    let core = &found.listing.0;
    if core.lane == Lane::Withdrawn {
        return Err(unknown());
    }
    let sku = sku.unwrap_or_else(|| Sku::of_kind(core.shown_kind()));
    let order = OrderId::of(&core.id, sku);
    let goals = found.orders.into_iter().find(|taken| taken.order_id == order).map(|order| order.goals);
    let profile = funnel::profile_of_listing(app, &found.listing, &goals.unwrap_or_default()).await?;
    let files = registry_products::sample(sku, &profile, &app.settings);
    let withheld = registry_products::tree(sku, &profile, &app.settings).into_iter().map(|file| file.path);
    let withheld = withheld.filter(|path| files.iter().all(|file| file.path != *path)).collect();
    Ok(Made { sku, scope: "demo", profile, files, withheld })
}

fn next(app: &App, comparison: &Comparison) -> NextStep {
    let settings = &app.settings;
    match (comparison.is_current, comparison.scope) {
        (true, _) => NextStep::open(
            "none",
            settings.url("/api/products/verify"),
            "Nothing to do. Verify again after the listing's next proof.",
        ),
        // The answer does not repeat the token, without which the arguments would be none.
        (false, "product") => NextStep {
            tool: Some("export_product"),
            ..NextStep::open(
                "export_product",
                settings.url("/api/products/export?format=zip"),
                "Add the same token to take today's files.",
            )
        },
        (false, _) => NextStep::post(
            "take_demo",
            settings.url("/api/products/demo"),
            json!({ "listing_id": comparison.listing_id, "sku": comparison.sku }),
            "Take the demo again: it shows today's files.",
        ),
    }
}
