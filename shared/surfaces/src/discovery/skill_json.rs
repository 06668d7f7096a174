//! `/skill.json`: the steps by which an agent lists itself and claims the founding offer. Everything that it must send
//! stands in it, so that it needs no other document.

use bytes::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::contents::{LLMS, LLMS_FULL, MAP, SKILL_JSON};
use super::skills::{self, SKILLS};
use super::steps::{Step, steps};
use crate::documents::{Document, DocumentRequest, NoQuery, json};
use registry_app::App;
use registry_domain::funnel::{self, Deal, Stage};
use registry_domain::views::active_page::Counts;
use registry_domain::views::badge;
use registry_model::ListingId;
use registry_model::error::Problem;
use registry_model::settings::Settings;
use registry_store::Live;

/// An id that only stands for one.
const EXAMPLE: &str = "agtpub_0123456789abcdef0123";

/// The steps, and what one should know before.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(super) struct SkillJson {
    name: String,
    description: &'static str,
    version: &'static str,
    homepage: String,
    /// The map of this registry.
    discovery: String,
    /// This document.
    skill_url: String,
    llms_txt: String,
    llms_full_txt: String,
    /// The founding offer.
    deal: Deal,
    /// The stages of a listing's life.
    stages: Vec<Stage>,
    /// What is to be filled in in the steps.
    fill_in: FillIn,
    steps: Vec<Step>,
    /// What is Live.
    network: Counts,
    /// A badge for your README; put the id of your listing in.
    badge_template: Option<String>,
    /// Skills that explain more, as Agent Skills.
    skills: Vec<SkillLink>,
    /// The steps as lines for a shell: `curl_list`, `curl_status` and so on.
    #[serde(flatten)]
    curl: Map<String, Value>,
}

/// What stands for what only the caller knows.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
struct FillIn {
    listing_id: &'static str,
    access_token: &'static str,
    url: &'static str,
}

/// Where a skill is read.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct SkillLink {
    name: &'static str,
    description: &'static str,
    url: String,
}

impl Document for SkillJson {
    const PATHS: &'static [&'static str] = SKILL_JSON.paths;
    const SUMMARY: &'static str = SKILL_JSON.summary;
    const MAX_AGE_S: Option<u32> = Some(60);
    const SHOWS_LIVE: bool = true;
    type Query = NoQuery;
    type Answer = Self;

    async fn render(app: &App, request: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        json(&skill_json(&app.settings, request.live))
    }
}

fn skill_json(settings: &Settings, live: Live) -> SkillJson {
    let steps = steps(settings);
    let curl = steps.iter().map(|step| (format!("curl_{}", step.id), Value::from(step.curl.clone())));
    SkillJson {
        name: settings.brand.clone(),
        description: SKILL_JSON.summary,
        version: registry_model::VERSION,
        homepage: settings.base_url.clone(),
        discovery: settings.url(&MAP.path()),
        skill_url: settings.url(&SKILL_JSON.path()),
        llms_txt: settings.url(&LLMS.path()),
        llms_full_txt: settings.url(&LLMS_FULL.path()),
        deal: funnel::deal(settings, live.funnel.seats_claimed),
        stages: funnel::stages(settings),
        fill_in: FillIn {
            listing_id: "What the answer of the step `list` calls listing_id.",
            access_token: "What the answer of the step `feedback` calls access_token, where it grants a seat.",
            url: "Your card URL, site or MCP endpoint.",
        },
        curl: curl.collect(),
        steps,
        network: live.into(),
        badge_template: badge_template(settings),
        skills: SKILLS
            .iter()
            .map(|skill| SkillLink {
                name: skill.name,
                description: skill.description,
                url: settings.url(&skills::path(skill)),
            })
            .collect(),
    }
}

/// The badge of a listing, with its id to be filled in.
fn badge_template(settings: &Settings) -> Option<String> {
    let id: ListingId = EXAMPLE.parse().ok()?;
    Some(badge::markdown(settings, &id).replace(EXAMPLE, "{listing_id}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::settings::Mode;

    #[test]
    fn every_step_can_be_sent() {
        let settings = Settings::from_env(Mode::Public, |_| None).unwrap();
        let skill = serde_json::to_value(skill_json(&settings, Live::default())).unwrap();
        let steps = skill["steps"].as_array().unwrap();
        assert_eq!(steps.len(), 10);
        for step in steps {
            let id = step["id"].as_str().unwrap();
            assert!(step["url"].as_str().unwrap().starts_with(&settings.base_url), "{id}");
            assert_eq!(step["body"].is_object(), step["method"] == "POST", "{id}");
            assert_eq!(skill[format!("curl_{id}")], step["curl"], "{id}");
        }
        let badge = skill["badge_template"].as_str().unwrap();
        assert!(badge.contains("/badge/clean.svg?id={listing_id}"), "{badge}");
        assert_eq!(skill["deal"]["remaining"], settings.founding_seats);
    }
}
