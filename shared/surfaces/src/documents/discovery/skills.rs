//! `/skill.json`: the steps of an agent in this registry. The agent lists itself, goes Live, takes the founding offer and works
//! with other listings. Each step contains a complete request, so that an agent needs no other document.
//!
//! Also the Agent Skills of this registry (agentskills.io): `/skills/<name>.md`, and the index of these files with digests
//! (discovery RFC 0.2.0). Each skill has one purpose. The requests in a skill come from the catalog of operations.

use super::{DISCOVERY_MAP, LLMS, LLMS_FULL};
use crate::call::{self, Call, EXAMPLE_LISTING_ID};
use crate::documents::{json as json_bytes, reused_for};
use crate::prelude::*;
use registry_features::funnel::operations::{GET_ACCESS, LEAVE_FEEDBACK, TAKE_DEMO};
use registry_features::funnel::{self, Deal, Stage};
use registry_features::interop::operations::JOIN_AND_CONTRIBUTE;
use registry_features::listing::active_page::Counts;
use registry_features::listing::badge;
use registry_features::listing::operations::{CHECK_STATUS, MATCH_CAPABILITY};
use registry_features::publish::operations::LIST_YOURSELF;
use registry_features::talk::operations::TALK_INBOX;
use registry_features::trails::operations::LEAVE_TRACE;
use registry_model::protocol::MCP_ENDPOINT;
use registry_model::{NextStep, POLL_SECONDS, sha256_hex};

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
        Problem::new(Code::NoSuchSkill, detail).with_next(next)
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

/// The steps after `discover`, in their order.
const STEPS: [(&str, &Description); 9] = [
    ("list", LIST_YOURSELF.described),
    ("status", CHECK_STATUS.described),
    ("talk_inbox_daily", TALK_INBOX.described),
    ("demo", TAKE_DEMO.described),
    ("feedback", LEAVE_FEEDBACK.described),
    ("use", GET_ACCESS.described),
    ("leave_trace", LEAVE_TRACE.described),
    ("match_capability", MATCH_CAPABILITY.described),
    ("join_and_contribute", JOIN_AND_CONTRIBUTE.described),
];

/// The steps by which an agent lists itself and takes the founding offer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct SkillJson {
    name: String,
    description: &'static str,
    version: &'static str,
    homepage: String,
    /// The URL of the discovery map.
    discovery: String,
    skill_url: String,
    llms_txt: String,
    llms_full_txt: String,
    /// The founding offer.
    deal: Deal,
    /// The stages of a listing's life.
    stages: Vec<Stage>,
    /// Where to find the values for the names in braces.
    fill_in: FillIn,
    steps: Vec<Step>,
    /// The number of Live listings.
    network: Counts,
    /// A badge for your README; replace `{listing_id}` by the id of your listing.
    badge_template: Option<String>,
    /// Agent Skills that explain more.
    skills: Vec<SkillLink>,
    /// The steps as shell commands: `curl_list`, `curl_status` and so on.
    #[serde(flatten)]
    curl: Map<String, Value>,
}

/// Where to find the values that only the caller knows.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
struct FillIn {
    listing_id: &'static str,
    access_token: &'static str,
    url: &'static str,
}

#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(super) struct Step {
    /// The id of the step; its shell command is the member `curl_` + id.
    pub(super) id: &'static str,
    /// The title of the step, for people.
    pub(super) name: &'static str,
    /// `GET` or `POST`.
    pub(super) method: &'static str,
    /// The URL of the request. Replace names in braces by your own values.
    pub(super) url: String,
    pub(super) headers: Map<String, Value>,
    /// The body of a POST.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub(super) body: Option<Value>,
    /// The MCP tool and A2A operation that does the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub(super) arguments: Option<Value>,
    /// A request for it in plain words, as an A2A message. The answer says what is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) words: Option<String>,
    /// What the step does and what follows.
    pub(super) note: &'static str,
    /// Repeat the request until this is true, `wait_s` seconds apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    until: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wait_s: Option<u32>,
    /// The same as a shell command.
    pub(super) curl: String,
}

/// An Agent Skill and where to read it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct SkillLink {
    name: &'static str,
    description: &'static str,
    url: String,
}

pub static SKILL_JSON: AnyDocument = AnyDocument {
    paths: &["/skill.json"],
    summary: "The steps to list an agent and to take the founding offer. Each step is a complete request.",
    max_age_s: Some(60),
    shows_live: true,
    // It contains the time of its counts.
    validator: |app, request| reused_for(app, 5, &format!("skill/{:?}", request.live)),
    ..AnyDocument::of::<SkillJson>(|app, request| {
        Box::pin(async { json_bytes(&skill_json(&app.settings, request.live, app.clock.now())) })
    })
};

fn skill_json(settings: &Settings, live: Live, now: Moment) -> SkillJson {
    let steps = steps(settings);
    let curl = steps.iter().map(|step| (format!("curl_{}", step.id), Value::from(step.curl.clone())));
    SkillJson {
        name: settings.brand.clone(),
        description: SKILL_JSON.summary,
        version: registry_model::VERSION,
        homepage: settings.base_url.clone(),
        discovery: settings.url(&DISCOVERY_MAP.path()),
        skill_url: settings.url(&SKILL_JSON.path()),
        llms_txt: settings.url(&LLMS.path()),
        llms_full_txt: settings.url(&LLMS_FULL.path()),
        deal: funnel::deal(settings, live.funnel.seats_claimed),
        stages: funnel::stages(settings),
        fill_in: FillIn {
            listing_id: "The `listing_id` in the response to the step `list`.",
            access_token: "The `access_token` in the response to the step `feedback`, if the listing got a \
                seat.",
            url: "The URL of your card, site or MCP endpoint.",
        },
        curl: curl.collect(),
        steps,
        network: Counts::of(live, now),
        badge_template: badge_template(settings),
        skills: SKILLS
            .iter()
            .map(|skill| SkillLink {
                name: &skill.name,
                description: &skill.description,
                url: settings.url(&skill.path()),
            })
            .collect(),
    }
}

pub(super) fn steps(settings: &Settings) -> Vec<Step> {
    let url = settings.url(&DISCOVERY_MAP.path());
    let discover = Step {
        id: "discover",
        name: "Discover this registry",
        method: "GET",
        headers: [("accept".to_owned(), Value::from("application/json"))].into_iter().collect(),
        curl: call::curl(&url, &[], None, " "),
        url,
        note: DISCOVERY_MAP.summary,
        ..Step::default()
    };
    let others = STEPS.into_iter().map(|(id, operation)| {
        let call = Call::template(operation, settings);
        let is_polled = operation.name == CHECK_STATUS.name;
        Step {
            id,
            name: operation.title,
            headers: call.headers(),
            curl: call.curl(" "),
            method: call.method,
            url: call.url,
            body: call.body,
            tool: Some(call.tool),
            arguments: Some(call.arguments),
            words: Some(call.words),
            until: is_polled.then_some("`lane` is not `queued`"),
            wait_s: is_polled.then_some(POLL_SECONDS),
            note: operation.description,
        }
    });
    std::iter::once(discover).chain(others).collect()
}

fn badge_template(settings: &Settings) -> Option<String> {
    let id: ListingId = EXAMPLE_LISTING_ID.parse().ok()?;
    Some(badge::markdown(settings, badge::DEFAULT, &id).replace(EXAMPLE_LISTING_ID, "{listing_id}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_settings::Mode;

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
