//! The Agent Skills of this registry (agentskills.io): `/skills/<name>.md`, and the index of these files with digests
//! (discovery RFC 0.2.0). Each skill has one purpose. The requests in a skill come from the catalog of operations.

use crate::call::Call;
use crate::documents::json as json_bytes;
use crate::prelude::*;
use registry_model::protocol::MCP_ENDPOINT;
use registry_model::{NextStep, sha256_hex};

#[derive(Debug, Deserialize)]
pub(super) struct Skill {
    pub(super) name: String,
    pub(super) title: String,
    /// What it does and when to use it.
    pub(super) description: String,
    /// What to know before the first step.
    before: String,
    /// The names of its operations.
    operations: Vec<String>,
    /// Error codes, and what to do.
    errors: Vec<(String, String)>,
    done: String,
}

#[expect(clippy::expect_used, reason = "a file of this crate, parsed by the tests")]
pub(super) static SKILLS: LazyLock<Vec<Skill>> =
    LazyLock::new(|| serde_json::from_str(include_str!("skills.json")).expect("valid JSON"));

impl Skill {
    fn file_name(&self) -> String {
        format!("{}.md", self.name)
    }

    pub(super) fn path(&self) -> String {
        format!("/skills/{}", self.file_name())
    }
}

pub fn skill_files() -> impl Iterator<Item = String> {
    SKILLS.iter().map(Skill::file_name)
}

pub static SKILL_FILE: AnyDocument = AnyDocument {
    paths: &["/skills/{name}"],
    summary: "An Agent Skill: how an agent does one thing with this registry, step by step.",
    media_type: "text/markdown; charset=utf-8",
    max_age_s: Some(3600),
    refusals: &[ErrorKind::NotFound],
    ..AnyDocument::fixed::<String>(|app, request| {
        Box::pin(async { skill_file(&app.settings, request.path.rsplit('/').next().unwrap_or_default()) })
    })
};

fn skill_file(settings: &Settings, file: &str) -> Result<Bytes, Problem> {
    let named = SKILLS.iter().find(|skill| skill.file_name() == file);
    named.map(|skill| text(skill, settings).into()).ok_or_else(|| {
        let names: Vec<String> = skill_files().collect();
        let detail = format!("No such skill: `{}`. Skills: {}.", shorten(file, 80), names.join(", "));
        let next = NextStep::open(
            "read_the_index",
            settings.url(&SKILL_INDEX.path()),
            "Read the index of all skills.",
        );
        Problem::not_found(Code::NoSuchSkill, detail).with_next(next)
    })
}

fn text(skill: &Skill, settings: &Settings) -> String {
    let Skill { name, title, description, before, operations, errors, done } = skill;
    let compatibility = format!("Needs network access to {}", settings.base_url);
    let named = |name: &String| DESCRIPTIONS.into_iter().find(|operation| operation.name == name);
    let operations: String = (1..)
        .zip(operations.iter().filter_map(named))
        .map(|(number, operation)| {
            let call = Call::template(operation, settings);
            let tool_call = json!({ "name": call.tool, "arguments": call.arguments });
            format!(
                "### {number}. {}\n\n{}\n\n```sh\n{}\n```\n\nOver MCP, the parameters of `tools/call`:\n\n\
                 ```json\n{tool_call}\n```\n\n",
                operation.title,
                operation.description,
                call.curl(" "),
            )
        })
        .collect();
    let errors: String = errors.iter().map(|(code, advice)| format!("- `{code}`: {advice}\n")).collect();
    let (mcp, a2a) = (settings.url(MCP_ENDPOINT), settings.url("/api/a2a"));
    format!(
        "---\nname: {name}\ndescription: {}\ncompatibility: {}\nmetadata:\n  version: {}\n---\n\n# \
         {title}\n\n{before}\n\n## Steps\n\nReplace names in braces with your own values. In a URL, \
         percent-encode the values. MCP clients connect to `{mcp}`. A2A agents connect to `{a2a}`. Both need \
         no key. If there is a next step, the response contains it in `next`: a call that is complete, or whose note \
         says what to add.\n\n{operations}## Errors\n\nAn error is a problem document (RFC 9457) with `code` and \
         `detail`, and often `field` or `next`.\n\n{errors}- `rate_limited`: Wait \
         `retry_after_s` seconds, then send the same request again.\n\n## Done when\n\n{done}\n",
        json!(description),
        json!(compatibility),
        json!(registry_model::VERSION),
    )
}

/// The Agent Skills of this registry.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct SkillIndex {
    #[serde(rename = "$schema")]
    schema: &'static str,
    skills: Vec<IndexEntry>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct IndexEntry {
    name: &'static str,
    /// `skill-md`: one Markdown file.
    #[serde(rename = "type")]
    of_type: &'static str,
    description: &'static str,
    url: String,
    /// `sha256:` and the digest of the file in hexadecimal digits.
    digest: String,
}

pub static SKILL_INDEX: AnyDocument = AnyDocument {
    paths: &["/.well-known/agent-skills/index.json"],
    summary: "The Agent Skills of this registry with their digests (discovery RFC 0.2.0).",
    max_age_s: Some(3600),
    ..AnyDocument::fixed::<SkillIndex>(|app, _| Box::pin(async { json_bytes(&index(&app.settings)) }))
};

fn index(settings: &Settings) -> SkillIndex {
    let skills = SKILLS.iter().map(|skill| IndexEntry {
        name: &skill.name,
        of_type: "skill-md",
        description: &skill.description,
        url: settings.url(&skill.path()),
        digest: format!("sha256:{}", sha256_hex(text(skill, settings))),
    });
    SkillIndex {
        schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
        skills: skills.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::settings::Mode;

    /// The rules of <https://agentskills.io/specification>.
    #[test]
    fn every_skill_follows_the_agent_skills_specification() {
        let settings = Settings::from_env(Mode::Public, |_| None).unwrap();
        for skill in SKILLS.iter() {
            let text = text(skill, &settings);
            let (front, body) = text.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
            let front: Value = serde_yaml_ng::from_str(front).unwrap();
            let name = front["name"].as_str().unwrap();
            assert_eq!(name, skill.name);
            assert!(name.len() <= 64 && name.split('-').all(|part| !part.is_empty()), "{name}");
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{name}");
            let length = |member: &str| front[member].as_str().unwrap().chars().count();
            assert!((1..=1024).contains(&length("description")), "{name}");
            assert!((1..=500).contains(&length("compatibility")), "{name}");
            assert!(front["metadata"]["version"].is_string(), "{name}");
            assert!(body.lines().count() < 500, "{name}");
            assert!(body.lines().all(|line| !line.ends_with(' ')), "{name}");
            for operation in &skill.operations {
                assert!(body.contains(&format!("\"name\":\"{operation}\"")), "{name}: {operation}");
            }
        }
    }
}
