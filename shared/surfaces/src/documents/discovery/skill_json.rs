//! `/skill.json`: the steps of an agent in this registry. The agent lists itself, goes Live, takes the
//! founding offer and works with other listings. Each step contains a complete request, so that an agent
//! needs no other document.

use super::skills::SKILLS;
use super::{DISCOVERY_MAP, LLMS, LLMS_FULL};
use crate::call::{self, Call, EXAMPLE_LISTING_ID};
use crate::documents::{json, reused_for};
use crate::prelude::*;
use registry_features::funnel::{self, Deal, Stage};
use registry_features::funnel::{GET_ACCESS, LEAVE_FEEDBACK, TAKE_DEMO};
use registry_features::interop::JOIN_AND_CONTRIBUTE;
use registry_features::listing::active_page::Counts;
use registry_features::listing::badge;
use registry_features::listing::{CHECK_STATUS, MATCH_CAPABILITY};
use registry_features::publish::LIST_YOURSELF;
use registry_features::talk::TALK_INBOX;
use registry_features::trails::LEAVE_TRACE;
use registry_model::POLL_SECONDS;

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
        Box::pin(async { json(&skill_json(&app.settings, request.live, app.clock.now())) })
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
