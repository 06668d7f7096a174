//! Compares the files of a product that an owner saved with the files that the registry would generate today.
//! A product depends on its listing, so a saved copy can be out of date. Somebody may also have changed it.
//! To compare the files of the full product, the caller needs its access token.

use std::collections::BTreeMap;

use crate::funnel::{self, Goals, Opened};
use crate::prelude::*;
use crate::products::subject::demo_step;
use registry_model::sha256_hex;
use registry_products::{File, Profile};

const MAX_FILES: usize = 200;
const MAX_PATH_BYTES: usize = 300;

pub struct VerifyProduct;

/// The files, and the product that they belong to.
#[derive(Default, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = [argument_schema::all_of(&["token"]), argument_schema::all_of(&["listing_id"]), { "required": ["usage"], "properties": { "usage": { "const": true } } }, { "properties": { "files": { "maxItems": 0 } } }]))]
pub struct Arguments {
    /// The access token of the full product.
    #[serde(alias = "access_token")]
    token: Option<String>,
    /// The id of the listing that the demo was made for. Send it if you have no token.
    #[serde(alias = "id")]
    listing_id: Option<String>,
    /// The product of the demo. Default: the product for the kind of the listing.
    sku: Option<Sku>,
    /// The goals that you sent with the demo.
    #[serde(default)]
    goals: Goals,
    /// The saved files. Without files, the answer lists the expected files.
    #[serde(default)]
    #[schemars(length(max = 200))]
    files: Vec<KeptFile>,
    /// Send true to get only the instructions for this tool.
    #[serde(default)]
    usage: bool,
}

/// The result of the comparison.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Answer {
    name: &'static str,
    /// How to call this tool.
    usage: String,
    /// The comparison, if one was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<Comparison>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<NextStep>,
}

/// A saved file: its path, and its digest or its content.
#[derive(Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = argument_schema::one_of(&["sha256", "content"])))]
struct KeptFile {
    /// The path within the product, as in `get_access` and in the archives.
    #[schemars(length(min = 1, max = MAX_PATH_BYTES))]
    path: String,
    /// The SHA-256 of the file's bytes, in hexadecimal digits.
    #[schemars(regex(pattern = "^[0-9a-fA-F]{64}$"))]
    sha256: Option<String>,
    /// The text of the file, instead of the digest.
    content: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Comparison {
    sku: Sku,
    /// `product` for all files, `demo` for the files of the demo.
    scope: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    listing_id: Option<ListingId>,
    /// When a probe last proved the listing, in the data from which the files are made.
    #[serde(skip_serializing_if = "Option::is_none")]
    proved_at: Option<Moment>,
    /// Whether every expected file was sent and is the same.
    is_current: bool,
    counts: BTreeMap<FileStatus, usize>,
    files: Vec<ComparedFile>,
}

/// The result for one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FileStatus {
    /// Equal, byte for byte.
    Same,
    /// Different from today's file: stale or modified.
    Changed,
    /// Expected, but not sent.
    Missing,
    /// Not a file of the product.
    Unknown,
    /// A file of the full product. To compare it, send the token.
    NeedsToken,
}

/// A compared file.
#[derive(Debug, Serialize, JsonSchema)]
struct ComparedFile {
    path: String,
    status: FileStatus,
    /// The SHA-256 of the file as it is generated today.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
}

struct GeneratedProduct {
    sku: Sku,
    scope: &'static str,
    profile: Profile,
    files: Vec<File>,
    /// Paths of files that are compared only with the token.
    withheld: Vec<String>,
}

impl Operation for VerifyProduct {
    const NAME: &'static str = "verify_product";
    const TITLE: &'static str = "Compare saved product files";
    const DESCRIPTION: &'static str = "Compares product files that you saved with the files that the \
        registry would generate today. Each file is same, changed, missing, unknown or needs_token. Pass \
        files as {path, sha256} or {path, content}, and the token of the full product. For a demo, pass the \
        listing_id instead. Stores nothing.";
    const PHRASES: &'static [&'static str] =
        &["verify the product files of {id}", "compare the saved product files of {id} with today's"];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "files": [{"path": "AGENTS.md", "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}]}"#;
    const SUMMARY: &'static [&'static str] = &[
        "{comparison.is_current?Every|Not every} expected file was sent and is the same as today's.",
        "{usage}",
    ];
    const ROUTES: &'static [Route] =
        &[Route::get("/api/products/verify"), Route::post_as("/api/products/verify", Ok)];
    const REFUSALS: &'static [ErrorKind] = funnel::OPENING_REFUSALS;
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let usage = format!(
            "POST {} with token, or with listing_id and sku, and with files[] of {{path, sha256}} or {{path, content}}.",
            app.settings.url("/api/products/verify")
        );
        let answer = Answer { name: "Product verification", usage, ..Answer::default() };
        let is_empty =
            arguments.token.is_none() && arguments.listing_id.is_none() && arguments.files.is_empty();
        let saved = parse_files(arguments.files)?;
        if arguments.usage || is_empty {
            return Ok(answer);
        }
        app.count(LimitedAction::Product, &app.caller_digest(caller).await?, None).await?;
        let product = match (&arguments.token, &arguments.listing_id) {
            (Some(token), _) => {
                let Opened { grant, profile, files } = funnel::open(app, token).await?;
                GeneratedProduct { sku: grant.sku, scope: "product", profile, files, withheld: Vec::new() }
            }
            (None, Some(id)) => product_of_demo(app, id, arguments.sku, arguments.goals).await?,
            (None, None) => {
                let detail = "Send the `token` of the product, or the `listing_id` of its demo.";
                return Err(Problem::invalid("token", Code::WhichProduct, detail));
            }
        };
        let goals = product.profile.goals.clone();
        let comparison = compare(product, saved);
        let next = Some(next(app, &comparison, &goals).await?);
        Ok(Answer { comparison: Some(comparison), next, ..answer })
    }
}

async fn product_of_demo(
    app: &App,
    id: &str,
    sku: Option<Sku>,
    goals: Goals,
) -> Result<GeneratedProduct, Problem> {
    let found = lookup::visible_listing_with_evidence(app, id).await?;
    let sku = sku.unwrap_or_else(|| Sku::of_kind(found.0.likely_kind()));
    let profile = funnel::profile_of_listing(app, &found, &goals.parse()?).await?;
    let files = registry_products::sample(sku, &profile, &app.settings);
    let withheld = registry_products::tree(sku, &profile, &app.settings).into_iter().map(|file| file.path);
    let withheld = withheld.filter(|path| files.iter().all(|file| file.path != *path)).collect();
    Ok(GeneratedProduct { sku, scope: "demo", profile, files, withheld })
}

async fn next(app: &App, comparison: &Comparison, goals: &[String]) -> Result<NextStep, Problem> {
    let settings = &app.settings;
    Ok(match (&comparison.listing_id, comparison.scope) {
        _ if comparison.is_current => NextStep::open(
            "none",
            settings.url("/api/products/verify"),
            "Nothing to do. The files can change, so verify again later.",
        ),
        (Some(id), "demo") => {
            demo_step(app, id, comparison.sku, goals, "The demo returns today's files.").await?
        }
        // The answer does not repeat the token, so it has no arguments.
        _ => {
            let url = settings.url("/api/products/export?format=zip");
            let note = "Add the same token to download today's files.";
            NextStep { tool: Some("export_product"), ..NextStep::open("export_product", url, note) }
        }
    })
}

/// The digests of the saved files by path.
fn parse_files(files: Vec<KeptFile>) -> Result<BTreeMap<String, String>, Problem> {
    if files.len() > MAX_FILES {
        let detail = format!("`files` accepts at most {MAX_FILES} files.");
        return Err(Problem::invalid("files", Code::TooMany, detail));
    }
    let mut saved = BTreeMap::new();
    for (number, file) in files.into_iter().enumerate() {
        let KeptFile { path, sha256, content } = file;
        let invalid = |member: &str, code, rule: &str| {
            let field = format!("files[{number}]{member}");
            let detail = format!("`{field}` {rule}.");
            Problem::invalid(field, code, detail)
        };
        let digest = match (sha256, content) {
            (_, Some(content)) => sha256_hex(&content),
            (Some(digest), None) => parse_digest(&digest).ok_or_else(|| {
                let rule = "must be 64 hexadecimal digits: the SHA-256 of the bytes of the file";
                invalid(".sha256", Code::BadDigest, rule)
            })?,
            (None, None) => return Err(invalid("", Code::MissingDigest, "requires `sha256` or `content`")),
        };
        let path = path.strip_prefix("./").unwrap_or(&path).to_owned();
        if path.is_empty() || path.len() > MAX_PATH_BYTES {
            let rule = format!("must have 1 to {MAX_PATH_BYTES} bytes");
            return Err(invalid(".path", Code::BadLength, &rule));
        }
        if saved.insert(path.clone(), digest).is_some() {
            let detail = format!("`files` contains `{}` twice.", shorten(&path, 120));
            return Err(funnel::conflict("files", Code::Twice, &detail));
        }
    }
    Ok(saved)
}

fn parse_digest(text: &str) -> Option<String> {
    let digits = text.trim().to_ascii_lowercase();
    let digits = digits.strip_prefix("sha256:").unwrap_or(&digits);
    (digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| digits.to_owned())
}

fn compare(product: GeneratedProduct, mut saved: BTreeMap<String, String>) -> Comparison {
    let GeneratedProduct { sku, scope, profile, files, withheld } = product;
    let today = files.into_iter().map(|file| {
        let sha256 = sha256_hex(&file.content);
        let status = match saved.remove(&file.path) {
            None => FileStatus::Missing,
            Some(digest) if digest == sha256 => FileStatus::Same,
            Some(_) => FileStatus::Changed,
        };
        ComparedFile { path: file.path, status, sha256: Some(sha256), bytes: Some(file.content.len()) }
    });
    let mut files: Vec<ComparedFile> = today.collect();
    files.extend(saved.into_keys().map(|path| {
        let status = if withheld.contains(&path) { FileStatus::NeedsToken } else { FileStatus::Unknown };
        ComparedFile { path, status, sha256: None, bytes: None }
    }));
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let mut counts = BTreeMap::new();
    for file in &files {
        *counts.entry(file.status).or_insert(0) += 1;
    }
    let is_current = !counts.contains_key(&FileStatus::Changed) && !counts.contains_key(&FileStatus::Missing);
    Comparison {
        sku,
        scope,
        listing_id: profile.listing_id,
        proved_at: profile.proven_at,
        is_current,
        counts,
        files,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_is_given_by_digest_or_content() {
        let of = |text: &str| parse_files(serde_json::from_str(text).unwrap());
        let by_digest =
            format!(r#"[{{"path": "./a", "sha256": "SHA256:{}"}}]"#, sha256_hex("1").to_uppercase());
        assert_eq!(of(&by_digest).unwrap(), of(r#"[{"path": "a", "content": "1"}]"#).unwrap());
        for (files, code) in [
            (r#"[{"path": "a", "sha256": "12"}]"#, "bad_digest"),
            (r#"[{"path": "a"}]"#, "missing_digest"),
            (r#"[{"path": "", "content": ""}]"#, "bad_length"),
            (r#"[{"path": "a", "content": ""}, {"path": "./a", "content": ""}]"#, "twice"),
        ] {
            assert_eq!(of(files).unwrap_err().code.as_str(), code, "{files}");
        }
    }
}
