//! Downloads a product (`specification.md#endpoints`) as a tree of Agent Skills, as zip or as tar.gz. The
//! product is generated from the current state of the listing.

use crate::funnel::{self, Opened};
use crate::operation::Attachment;
use crate::prelude::*;
use registry_products::File;
use registry_products::export::{self, ExportError};

pub struct ExportProduct;

/// The product and its format.
#[derive(Deserialize, JsonSchema)]
pub struct Arguments {
    /// The access token that `leave_feedback` or `checkout` returned.
    #[serde(alias = "access_token")]
    token: String,
    /// `skills` (default) returns folders of Agent Skills. `zip` and `tar.gz` return an archive.
    #[schemars(extend("enum" = ["skills", "zip", "tar.gz"]))]
    #[serde(default = "skills")]
    format: String,
}

fn skills() -> String {
    "skills".to_owned()
}

/// An exported product. Over REST an archive is sent as a file, without this JSON.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    sku: Sku,
    name: &'static str,
    /// `skills`, `zip` or `tar.gz`.
    format: &'static str,
    message: String,
    /// The listing that the product was made for, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    listing_id: Option<ListingId>,
    /// When a probe last proved the listing, in the data from which the files are made.
    #[serde(skip_serializing_if = "Option::is_none")]
    proved_at: Option<Moment>,
    /// The skills in the files or in the archive, one per folder.
    skills: Vec<Skill>,
    /// The files, if the format is `skills`. A file is in each skill that names it.
    files: Vec<File>,
    /// The archive, if the format is `zip` or `tar.gz`.
    #[serde(skip_serializing_if = "Option::is_none")]
    archive: Option<Attachment>,
}

#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Skill {
    /// The name of its folder.
    name: String,
    /// The path of its `SKILL.md`.
    path: String,
    /// The number of files in its folder.
    files: usize,
}

impl Operation for ExportProduct {
    const NAME: &'static str = "export_product";
    const TITLE: &'static str = "Export a product";
    const DESCRIPTION: &'static str = "Returns the full product that an access token opens, as files to \
        save. Pass the token that leave_feedback or checkout returned. Format `skills` returns folders of \
        Agent Skills, as paths and contents. `zip` and `tar.gz` return an archive: over REST a file, else \
        base64.";
    const PHRASES: &'static [&'static str] = &[
        "export the skills of my product with the access token {token}",
        "export my product as a zip with the access token {token}",
        "download the skill tree of my product with the access token {token}",
    ];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str =
        r#"{"token": "at_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "format": "skills"}"#;
    const SUMMARY: &'static [&'static str] = &["{message}", "Files: [files]{path}"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "export-skills",
        name: "Export a product as skills",
        description: "Returns the product of an access token: as folders of Agent Skills in JSON, or as a zip \
            or tar.gz archive.",
        tags: &["products", "export", "agent-skills"],
    }];
    const ROUTES: &'static [Route] = &[Route::get("/api/products/export")];
    const REFUSALS: &'static [ErrorKind] = funnel::OPENING_REFUSALS;
    const FILES: &'static [&'static str] = &["application/zip", "application/gzip"];
    type Arguments = Arguments;
    type Answer = Answer;

    fn attachment(answer: &mut Answer) -> Option<Attachment> {
        answer.archive.take()
    }

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        app.count(LimitedAction::Product, &app.caller_digest(caller).await?, None).await?;
        // The token is checked first, so that a caller without one learns nothing else.
        let Opened { grant, profile, files } = funnel::open(app, &arguments.token).await?;
        let (name, packing) = packing(&arguments.format)?;
        let tree = export::skills(&files);
        let attach = |(media_type, pack): Archive| -> Result<Attachment, Problem> {
            let bytes = pack(&files).map_err(Problem::fault)?;
            Ok(Attachment { file_name: file_name(grant.sku, &profile.name, name), media_type, bytes })
        };
        let archive = packing.map(attach).transpose()?;
        let shown = if archive.is_none() { &tree } else { &files };
        Ok(Answer {
            sku: grant.sku,
            name: grant.sku.title(),
            format: name,
            message: format!("{} for {}: {}.", grant.sku.title(), profile.name, counted(shown.len(), "file")),
            listing_id: profile.listing_id,
            proved_at: profile.proven_at,
            skills: skills_of(shown),
            files: if archive.is_none() { tree } else { Vec::new() },
            archive,
        })
    }
}

/// The media type of an archive, and how to make it.
type Archive = (&'static str, fn(&[File]) -> Result<Vec<u8>, ExportError>);

fn packing(format: &str) -> Result<(&'static str, Option<Archive>), Problem> {
    Ok(match format {
        "skills" => ("skills", None),
        "zip" => ("zip", Some(("application/zip", export::zip))),
        "tar.gz" => ("tar.gz", Some(("application/gzip", export::tar_gz))),
        other => {
            let detail = format!("`format` must be skills, zip or tar.gz, not `{}`.", shorten(other, 60));
            return Err(Problem::invalid("format", Code::UnknownFormat, detail));
        }
    })
}

fn skills_of(tree: &[File]) -> Vec<Skill> {
    let skill = |file: &File| {
        let folder = file.path.strip_suffix("SKILL.md")?;
        let name = folder.strip_suffix('/')?.rsplit('/').next()?;
        let files = tree.iter().filter(|other| other.path.starts_with(folder)).count();
        Some(Skill { name: name.to_owned(), path: file.path.clone(), files })
    };
    tree.iter().filter_map(skill).collect()
}

/// The product and the name of the listing, in letters, digits and hyphens.
fn file_name(sku: Sku, name: &str, ending: &str) -> String {
    let plain = name.to_ascii_lowercase();
    let words: Vec<&str> =
        plain.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).take(8).collect();
    let stem = [&[sku.as_str()], words.as_slice()].concat().join("-");
    format!("{}.{ending}", stem.chars().take(80).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> File {
        File { path: path.to_owned(), media_type: "text/markdown", content: String::new() }
    }

    #[test]
    fn file_name_has_only_safe_characters() {
        assert_eq!(file_name(Sku::McpMesh, "Ünïcode \"Bot\"\r\n../x", "zip"), "mcp_mesh-n-code-bot-x.zip");
        assert_eq!(file_name(Sku::Kernel, "天気", "tar.gz"), "kernel.tar.gz");
    }

    #[test]
    fn skill_is_named_after_its_folder() {
        let tree = [file("skills/tides/SKILL.md"), file("skills/tides/references/a.md"), file("skills/x.md")];
        let expected = Skill { name: "tides".to_owned(), path: "skills/tides/SKILL.md".to_owned(), files: 2 };
        assert_eq!(skills_of(&tree), [expected]);
    }
}
