//! `/.well-known/agent-skills/index.json`: which Agent Skills there are (discovery RFC 0.2.0). A digest is that of the
//! bytes which are served, because both are made by the same function.

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::contents::SKILL_INDEX;
use super::skill_file;
use super::skills::{self, SKILLS};
use crate::documents::{Document, DocumentRequest, NoQuery, json};
use registry_app::App;
use registry_model::error::Problem;

const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// The index.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct SkillIndex {
    #[serde(rename = "$schema")]
    schema: &'static str,
    skills: Vec<Indexed>,
}

/// A skill in the index.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Indexed {
    name: &'static str,
    /// `skill-md`: one file of Markdown.
    #[serde(rename = "type")]
    of_type: &'static str,
    description: &'static str,
    url: String,
    /// `sha256:` and the digest of the file in hexadecimal digits.
    digest: String,
}

impl Document for SkillIndex {
    const PATHS: &'static [&'static str] = SKILL_INDEX.paths;
    const SUMMARY: &'static str = SKILL_INDEX.summary;
    const MAX_AGE_S: Option<u32> = Some(3600);
    type Query = NoQuery;
    type Answer = Self;

    async fn render(app: &App, _: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        let skills = SKILLS.iter().map(|skill| {
            let digest = Sha256::digest(skill_file::text(skill, &app.settings));
            let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
            Indexed {
                name: skill.name,
                of_type: "skill-md",
                description: skill.description,
                url: app.settings.url(&skills::path(skill)),
                digest: format!("sha256:{digest}"),
            }
        });
        json(&Self { schema: SCHEMA, skills: skills.collect() })
    }
}
