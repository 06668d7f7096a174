//! `/skills/<name>.md`: an Agent Skill as a file (agentskills.io), with the requests of its operations as they stand.

use bytes::Bytes;
use http::StatusCode;
use serde_json::json;

use super::call::Call;
use super::contents::{SKILL_FILE, SKILL_INDEX};
use super::skills::{SKILLS, Skill};
use crate::documents::{Document, DocumentRequest, NoQuery};
use registry_app::App;
use registry_model::error::{Problem, shorten};
use registry_model::protocol::MCP_ENDPOINT;
use registry_model::settings::Settings;

/// A skill.
#[derive(Debug)]
pub(super) struct SkillFile;

impl Document for SkillFile {
    const PATHS: &'static [&'static str] = SKILL_FILE.paths;
    const SUMMARY: &'static str = SKILL_FILE.summary;
    const MEDIA_TYPE: &'static str = SKILL_FILE.media_type;
    const MAX_AGE_S: Option<u32> = Some(3600);
    const REFUSALS: &'static [u16] = &[404];
    type Query = NoQuery;
    type Answer = String;

    async fn render(app: &App, request: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        let file = request.path.rsplit('/').next().unwrap_or_default();
        let named = SKILLS.iter().find(|skill| file.strip_suffix(".md") == Some(skill.name));
        named.map(|skill| text(skill, &app.settings).into()).ok_or_else(|| {
            let names: Vec<&str> = SKILLS.iter().map(|skill| skill.name).collect();
            let detail = format!(
                "There is no skill `{}`. The skills are {}, each with the ending .md.",
                shorten(file, 80),
                names.join(", ")
            );
            let next = json!({ "action": "read_the_index", "method": "GET", "url": SKILL_INDEX.path() });
            Problem::new(StatusCode::NOT_FOUND, "no_such_skill", detail).with_next(next)
        })
    }
}

/// The file of a skill.
pub(super) fn text(skill: &Skill, settings: &Settings) -> String {
    let Skill { name, title, description, before, operations, refusals, done } = skill;
    let compatibility = format!("Needs network access to {}", settings.base_url);
    let operations: String = operations
        .iter()
        .enumerate()
        .map(|(index, operation)| {
            let call = Call::of(operation, settings);
            format!(
                "### {}. {}\n\n{}\n\n```sh\n{}\n```\n\nThe same by MCP, as the parameters of `tools/call`:\n\n\
                 ```json\n{}\n```\n\n",
                index + 1,
                operation.title,
                operation.description,
                call.curl(),
                call.by_mcp()
            )
        })
        .collect();
    let refusals: String = refusals.iter().map(|(code, advice)| format!("- `{code}`: {advice}\n")).collect();
    let (mcp, a2a) = (settings.url(MCP_ENDPOINT), settings.url("/api/a2a"));
    format!(
        "---\nname: {name}\ndescription: {}\ncompatibility: {}\nmetadata:\n  version: {}\n---\n\n\
         # {title}\n\n{before}\n\n## Steps\n\nPut your own values in the place of names in braces, percent-encoded where they stand in a URL. MCP \
         clients connect to `{mcp}`, A2A agents to `{a2a}`; both need no key. Where something follows, the answer holds \
         `next`: that call, complete.\n\n{operations}## When a step is refused\n\nA refusal is a problem document (RFC 9457) with `code`, \
         `detail`, `field` and `next`.\n\n{refusals}\n## Done when\n\n{done}\n",
        json!(description),
        json!(compatibility),
        json!(registry_model::VERSION),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use registry_model::settings::Mode;

    /// The rules of <https://agentskills.io/specification>.
    #[test]
    fn every_skill_is_a_sound_agent_skill() {
        let settings = Settings::from_env(Mode::Public, |_| None).unwrap();
        for skill in &SKILLS {
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
            for operation in skill.operations {
                assert!(body.contains(&format!("\"name\":\"{}\"", operation.name)), "{name}");
            }
        }
    }
}
