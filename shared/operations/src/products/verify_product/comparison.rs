//! Compares kept files with those of a product as it is generated today: by path and digest.

use std::collections::BTreeMap;

use http::StatusCode;
use sha2::{Digest, Sha256};

use crate::prelude::*;
use registry_products::{File, Profile};

const MAX_FILES: usize = 200;
const MAX_PATH_BYTES: usize = 300;

/// A kept file: its path, and its digest or its content.
#[derive(Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = argument_schema::one_of(&["sha256", "content"])))]
pub(super) struct KeptFile {
    /// The path within the product.
    #[schemars(length(min = 1, max = MAX_PATH_BYTES))]
    path: String,
    /// The SHA-256 of its bytes, in hexadecimal digits.
    #[schemars(regex(pattern = "^[0-9a-fA-F]{64}$"))]
    sha256: Option<String>,
    /// Its text, instead of the digest.
    content: Option<String>,
}

/// The comparison of the files of a product.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Comparison {
    pub(super) sku: Sku,
    /// `product` for all files, `demo` for the files of the demo.
    pub(super) scope: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) listing_id: Option<ListingId>,
    /// The time of the probe whose evidence today's files contain.
    #[serde(skip_serializing_if = "Option::is_none")]
    proved_at: Option<Moment>,
    /// Whether every expected file was sent and is the same.
    pub(super) is_current: bool,
    counts: BTreeMap<FileStatus, usize>,
    files: Vec<ComparedFile>,
}

/// The result for one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum FileStatus {
    /// Equal, byte for byte.
    Same,
    /// Different from today's file: stale or modified.
    Changed,
    /// Expected, but not sent.
    Missing,
    /// Not a file of the product.
    Unknown,
    /// A file of the full product, which is compared only with its token.
    NeedsToken,
}

/// A compared file.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ComparedFile {
    path: String,
    status: FileStatus,
    /// The SHA-256 of the file as it is generated today.
    #[serde(skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
}

/// A product as it is generated today.
pub(super) struct GeneratedProduct {
    pub(super) sku: Sku,
    pub(super) scope: &'static str,
    pub(super) profile: Profile,
    pub(super) files: Vec<File>,
    /// Paths of files that are compared only with the token.
    pub(super) withheld: Vec<String>,
}

/// The digests of the kept files by path.
pub(super) fn parse(files: Vec<KeptFile>) -> Result<BTreeMap<String, String>, Problem> {
    if files.len() > MAX_FILES {
        let detail = format!("`files` accepts at most {MAX_FILES} files.");
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
                let detail = format!("`{field}` requires `sha256` or `content`.");
                return Err(Problem::invalid(field, "missing_digest", detail));
            }
        };
        let path = path.strip_prefix("./").unwrap_or(&path).to_owned();
        if path.is_empty() || path.len() > MAX_PATH_BYTES {
            let field = format!("files[{number}].path");
            let detail = format!("`{field}` must have 1 to {MAX_PATH_BYTES} characters.");
            return Err(Problem::invalid(field, "bad_length", detail));
        }
        if kept.insert(path.clone(), digest).is_some() {
            let detail = format!("`files` contains `{}` twice.", shorten(&path, 120));
            let mut problem = Problem::invalid("files", "twice", detail);
            problem.status = StatusCode::CONFLICT;
            return Err(problem);
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

pub(super) fn compare(product: GeneratedProduct, mut kept: BTreeMap<String, String>) -> Comparison {
    let GeneratedProduct { sku, scope, profile, files, withheld } = product;
    let today = files.into_iter().map(|file| {
        let sha256 = digest(&file.content);
        let status = match kept.remove(&file.path) {
            None => FileStatus::Missing,
            Some(digest) if digest == sha256 => FileStatus::Same,
            Some(_) => FileStatus::Changed,
        };
        ComparedFile { path: file.path, status, sha256: Some(sha256), bytes: Some(file.content.len()) }
    });
    let mut files: Vec<ComparedFile> = today.collect();
    files.extend(kept.into_keys().map(|path| {
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
        proved_at: profile.proof.map(|proof| proof.probed_at),
        is_current,
        counts,
        files,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::Kind;

    fn file(path: &str, content: &str) -> File {
        File { path: path.to_owned(), media_type: "text/plain", content: content.to_owned() }
    }

    fn kept(files: &[(&str, &str)]) -> BTreeMap<String, String> {
        files.iter().map(|(path, content)| ((*path).to_owned(), digest(content))).collect()
    }

    #[test]
    fn each_file_has_a_status() {
        let made = GeneratedProduct {
            sku: Sku::Kernel,
            scope: "demo",
            profile: Profile::unlisted(Kind::Agent, "x", None, Vec::new()),
            files: vec![file("a", "1"), file("b", "2"), file("c", "3")],
            withheld: vec!["d".to_owned()],
        };
        let compared = compare(made, kept(&[("a", "1"), ("b", "other"), ("d", "4"), ("e", "5")]));
        let shown: Vec<(&str, FileStatus, bool)> = compared
            .files
            .iter()
            .map(|file| (file.path.as_str(), file.status, file.sha256.is_some()))
            .collect();
        assert_eq!(
            shown,
            [
                ("a", FileStatus::Same, true),
                ("b", FileStatus::Changed, true),
                ("c", FileStatus::Missing, true),
                ("d", FileStatus::NeedsToken, false),
                ("e", FileStatus::Unknown, false),
            ]
        );
        assert!(!compared.is_current);
    }

    #[test]
    fn file_is_given_by_digest_or_content() {
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
