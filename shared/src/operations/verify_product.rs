//! Whether files that an owner kept are as the registry makes them today: a product follows its listing, so a kept tree
//! grows stale, and may have been tampered with. The full product's files are compared for its token only.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::operation::{AdvertisedSkill, Effect, Operation};
use super::route::Route;
use crate::app::App;
use crate::error::{Problem, shorten};
use crate::funnel::{self, Opened};
use crate::model::{Caller, Lane, ListingId, Moment, OrderId, Sku};
use crate::products::{self, File, Profile};
use crate::views::NextStep;

const MOST_FILES: usize = 200;
const LONGEST_PATH: usize = 300;

/// Compares kept files with today's.
#[derive(Debug)]
pub struct VerifyProduct;

/// The files, and whose they are.
#[derive(Default, Deserialize, JsonSchema)]
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
    files: Vec<KeptFile>,
    /// Only tell how it is called.
    #[serde(default)]
    usage: bool,
}

/// A file as it was kept: its path, and its digest or its content.
#[derive(Deserialize, JsonSchema)]
struct KeptFile {
    path: String,
    /// SHA-256 of its bytes, in hexadecimal digits.
    sha256: Option<String>,
    /// Its text, in the place of the digest.
    content: Option<String>,
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

#[derive(Debug, Serialize, JsonSchema)]
struct Comparison {
    sku: Sku,
    /// `product` for all its files, `demo` for those that a demo shows.
    scope: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    listing_id: Option<ListingId>,
    /// When the proof was made that today's files show; an older tree shows an older one.
    #[serde(skip_serializing_if = "Option::is_none")]
    proved_at: Option<Moment>,
    /// Every file that there should be is here, and is the same.
    is_current: bool,
    counts: BTreeMap<Standing, usize>,
    files: Vec<ComparedFile>,
}

/// How a kept file stands to today's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Standing {
    /// The same, byte for byte.
    Same,
    /// Another than today's: stale, or changed by somebody.
    Changed,
    /// It should be there, and was not sent.
    Missing,
    /// It is no file of the product.
    Unknown,
    /// It is a file of the full product, which is compared for its token only.
    NeedsToken,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ComparedFile {
    path: String,
    status: Standing,
    /// Of the file as it is made today.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
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
    const SKILLS: &'static [AdvertisedSkill] = &[];
    const ROUTES: &'static [Route] = &[
        Route::get_as("/api/products/verify", usage_by_default).never_kept(),
        Route::post_as("/api/products/verify", Ok).never_kept(),
    ];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let usage = format!(
            "POST {} {{\"token\": …}} or {{\"listing_id\": …, \"sku\": …}}, with files[] of {{path, sha256}} or \
             {{path, content}}.",
            app.settings.url("/api/products/verify")
        );
        let answer = Answer { ok: true, name: "Product verification", usage, ..Answer::default() };
        if arguments.usage {
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

/// A product as it is made today.
struct Made {
    sku: Sku,
    scope: &'static str,
    profile: Profile,
    /// What is compared.
    files: Vec<File>,
    /// Paths of what is compared for a token only.
    withheld: Vec<String>,
}

async fn of_token(app: &App, token: &str) -> Result<Made, Problem> {
    let Opened { grant, profile, files } = funnel::open(app, token).await?;
    Ok(Made { sku: grant.sku, scope: "product", profile, files, withheld: Vec::new() })
}

async fn of_demo(app: &App, id: &str, sku: Option<Sku>) -> Result<Made, Problem> {
    let unknown = || Problem::listing_not_found(id);
    let known = id.parse::<ListingId>().map_err(|_| unknown())?;
    let found = app.store.listing_with_orders(&known).await?.ok_or_else(unknown)?;
    let core = &found.listing.0;
    if core.lane == Lane::Withdrawn {
        return Err(unknown());
    }
    let sku = sku.unwrap_or_else(|| Sku::of_kind(core.shown_kind()));
    let order = OrderId::of(&core.id, sku);
    let goals = found.orders.into_iter().find(|taken| taken.order_id == order).map(|order| order.goals);
    let profile = funnel::profile_of_listing(app, &found.listing, &goals.unwrap_or_default()).await?;
    let files = products::sample(sku, &profile, &app.settings);
    let withheld = products::tree(sku, &profile, &app.settings).into_iter().map(|file| file.path);
    let withheld = withheld.filter(|path| files.iter().all(|file| file.path != *path)).collect();
    Ok(Made { sku, scope: "demo", profile, files, withheld })
}

/// The digests of the kept files by their paths.
fn parse(files: Vec<KeptFile>) -> Result<BTreeMap<String, String>, Problem> {
    if files.len() > MOST_FILES {
        let detail = format!("`files` may hold {MOST_FILES} files.");
        return Err(Problem::invalid("files", "too_many", detail));
    }
    let mut kept = BTreeMap::new();
    for (number, file) in files.into_iter().enumerate() {
        let KeptFile { path, sha256, content } = file;
        let digest = match (sha256, content) {
            (_, Some(content)) => digest(&content),
            (Some(digest), None) => parse_digest(&digest).ok_or_else(|| {
                let field = format!("files[{number}].sha256");
                let detail =
                    format!("`{field}` must be 64 hexadecimal digits: the SHA-256 of the file's bytes.");
                Problem::invalid(field, "bad_digest", detail)
            })?,
            (None, None) => {
                let field = format!("files[{number}]");
                let detail = format!("`{field}` needs its sha256 or its content.");
                return Err(Problem::invalid(field, "missing_digest", detail));
            }
        };
        let path = path.strip_prefix("./").unwrap_or(&path).to_owned();
        if path.is_empty() || path.len() > LONGEST_PATH {
            let field = format!("files[{number}].path");
            let detail = format!("`{field}` must have 1 to {LONGEST_PATH} characters.");
            return Err(Problem::invalid(field, "bad_length", detail));
        }
        if kept.insert(path.clone(), digest).is_some() {
            let detail = format!("`files` holds `{}` twice.", shorten(&path, 120));
            return Err(Problem::invalid("files", "twice", detail));
        }
    }
    Ok(kept)
}

fn parse_digest(text: &str) -> Option<String> {
    let digits = text.trim().to_ascii_lowercase();
    let digits = digits.strip_prefix("sha256:").unwrap_or(&digits);
    (digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| digits.to_owned())
}

fn digest(content: &str) -> String {
    Sha256::digest(content).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn compare(made: Made, mut kept: BTreeMap<String, String>) -> Comparison {
    let Made { sku, scope, profile, files, withheld } = made;
    let today = files.into_iter().map(|file| {
        let sha256 = digest(&file.content);
        let status = match kept.remove(&file.path) {
            None => Standing::Missing,
            Some(digest) if digest == sha256 => Standing::Same,
            Some(_) => Standing::Changed,
        };
        ComparedFile { path: file.path, status, sha256: Some(sha256), bytes: Some(file.content.len()) }
    });
    let mut files: Vec<ComparedFile> = today.collect();
    files.extend(kept.into_keys().map(|path| {
        let status = if withheld.contains(&path) { Standing::NeedsToken } else { Standing::Unknown };
        ComparedFile { path, status, sha256: None, bytes: None }
    }));
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let mut counts = BTreeMap::new();
    for file in &files {
        *counts.entry(file.status).or_insert(0) += 1;
    }
    let is_current = !counts.contains_key(&Standing::Changed) && !counts.contains_key(&Standing::Missing);
    Comparison {
        sku,
        scope,
        listing_id: profile.listing_id,
        proved_at: profile.proof.map(|proof| proof.probed_at),
        is_current,
        counts,
        files,
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Kind;

    fn file(path: &str, content: &str) -> File {
        File { path: path.to_owned(), media_type: "text/plain", content: content.to_owned() }
    }

    fn kept(files: &[(&str, &str)]) -> BTreeMap<String, String> {
        files.iter().map(|(path, content)| ((*path).to_owned(), digest(content))).collect()
    }

    #[test]
    fn each_file_has_its_standing() {
        let made = Made {
            sku: Sku::Kernel,
            scope: "demo",
            profile: Profile::described(Kind::Agent, "x".to_owned(), None, Vec::new()),
            files: vec![file("a", "1"), file("b", "2"), file("c", "3")],
            withheld: vec!["d".to_owned()],
        };
        let compared = compare(made, kept(&[("a", "1"), ("b", "other"), ("d", "4"), ("e", "5")]));
        let shown: Vec<(&str, Standing, bool)> = compared
            .files
            .iter()
            .map(|file| (file.path.as_str(), file.status, file.sha256.is_some()))
            .collect();
        assert_eq!(
            shown,
            [
                ("a", Standing::Same, true),
                ("b", Standing::Changed, true),
                ("c", Standing::Missing, true),
                ("d", Standing::NeedsToken, false),
                ("e", Standing::Unknown, false),
            ]
        );
        assert!(!compared.is_current);
    }

    #[test]
    fn a_file_is_read_by_its_digest_or_its_content() {
        let of = |text: &str| parse(serde_json::from_str(text).unwrap());
        let by_digest = format!(r#"[{{"path": "./a", "sha256": "SHA256:{}"}}]"#, digest("1").to_uppercase());
        assert_eq!(of(&by_digest).unwrap(), of(r#"[{"path": "a", "content": "1"}]"#).unwrap());
        for (files, code) in [
            (r#"[{"path": "a", "sha256": "12"}]"#, "bad_digest"),
            (r#"[{"path": "a"}]"#, "missing_digest"),
            (r#"[{"path": "", "content": ""}]"#, "bad_length"),
            (r#"[{"path": "a", "content": ""}, {"path": "./a", "content": ""}]"#, "twice"),
        ] {
            assert_eq!(of(files).unwrap_err().code, code, "{files}");
        }
    }
}
