//! The hash of what something can do, from its arguments or from what the registry saw of a listing. What a caller says is
//! compared and never kept: else anybody could register abilities in another's name.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lookup;
use crate::operation::{AdvertisedSkill, Effect, Operation};
use crate::route::Action;
use registry_app::App;
use registry_domain::trust::capability::{Capability, CapabilityKind};
use registry_formats::{argument_schema, argument_text};
use registry_model::error::Problem;
use registry_model::{Caller, Lane, ListingId, Moment};
use registry_store::NamedListing;

const LONGEST_NAME: usize = 200;
const LONGEST_DESCRIPTION: usize = 4000;
const LONGEST_ENTRY: usize = 128;
const MOST_ENTRIES: usize = 256;

/// Hashes abilities.
#[derive(Debug)]
pub struct CapabilityHash;

/// The abilities, or the listing that has them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = [argument_schema::all_of(&["name"]), { "allOf": [argument_schema::all_of(&["listing_id"]), argument_schema::none_of(&["description", "tools", "skills", "tags"])] }]))]
pub struct Arguments {
    /// Its name; may be left out with `listing_id`.
    #[schemars(regex(pattern = argument_schema::LINE), length(max = LONGEST_NAME))]
    name: Option<String>,
    /// What it is; `agent` where it is left out.
    kind: Option<CapabilityKind>,
    /// What it is for; the first 500 characters count.
    #[schemars(regex(pattern = argument_schema::TEXT_OR_BLANK), length(max = LONGEST_DESCRIPTION))]
    description: Option<String>,
    /// The names of its tools, in any order.
    #[schemars(length(max = MOST_ENTRIES), inner(regex(pattern = argument_schema::LINE), length(max = LONGEST_ENTRY)))]
    tools: Option<Vec<String>>,
    /// The ids of its skills, in any order.
    #[schemars(length(max = MOST_ENTRIES), inner(regex(pattern = argument_schema::LINE), length(max = LONGEST_ENTRY)))]
    skills: Option<Vec<String>>,
    /// Its tags, in any order.
    #[schemars(length(max = MOST_ENTRIES), inner(regex(pattern = argument_schema::LINE), length(max = LONGEST_ENTRY)))]
    tags: Option<Vec<String>>,
    /// A listing: without `name` its own abilities are hashed, as they were seen when it was last probed; with `name` the
    /// given ones are compared with those.
    listing_id: Option<String>,
    /// Taken for compatibility. Nothing that a caller says is kept: the registry knows only what it saw.
    register: Option<bool>,
}

/// The hash.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    /// `cap_` and 24 hexadecimal digits.
    capability_hash: String,
    /// How it is made.
    algorithm: &'static str,
    /// The abilities in their normal form.
    normalised: Capability,
    /// The text that was hashed (RFC 8785).
    canonical: String,
    /// The listing, where one was named.
    listing_id: Option<ListingId>,
    /// The hash of what the registry saw of the listing; null where it was not probed, or none was named.
    observed_hash: Option<String>,
    /// When it was seen.
    observed_at: Option<Moment>,
    /// Whether what was given is what was seen; null where there is nothing to compare.
    matches: Option<bool>,
    /// Always false: nothing that a caller says is kept.
    registered: bool,
    note: &'static str,
}

impl Operation for CapabilityHash {
    const NAME: &'static str = "capability_hash";
    const TITLE: &'static str = "Capability hash";
    const DESCRIPTION: &'static str = "Hashes abilities (name, kind, description, tools, skills, tags) into a short id \
        that does not depend on order: the same abilities, the same cap_... With listing_id it hashes what the registry \
        saw of a listing, or compares what you give with that.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str =
        r#"{"name": "adder", "kind": "mcp", "description": "Adds two numbers.", "tools": ["add"]}"#;
    const PHRASES: &'static [&'static str] =
        &["capability hash of {id}", "hash the capabilities of {id}", "what is the capability hash of {id}?"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "capability-hash",
        name: "Capability hash",
        description: "Hashes abilities into a short id that does not depend on order, or compares them with what the \
            registry saw of a listing.",
        tags: &["registry", "trust", "capability"],
    }];
    const ACTIONS: &'static [Action] =
        &[Action { path: "/api/products/first-principles", names: &["capability_hash", "capabilities"] }];
    const REFUSALS: &'static [u16] = &[404, 409];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let given = given(&arguments)?;
        let found = match &arguments.listing_id {
            Some(id) => Some(shown(lookup::listing_with_evidence(app, id).await?)?),
            None => None,
        };
        let observed = found.as_ref().and_then(|found| {
            let evidence = found.1.as_ref()?;
            Some((Capability::observed(&found.0, evidence), evidence.probed_at))
        });
        let compared = given.is_some();
        let hashed = match (given, &observed) {
            (Some(given), _) => given,
            (None, Some((observed, _))) => observed.clone(),
            (None, None) => return Err(nothing_to_hash(found.is_some())),
        };
        let capability_hash = hashed.hash()?;
        let observed_hash = observed.as_ref().map(|(observed, _)| observed.hash()).transpose()?;
        Ok(Answer {
            ok: true,
            version: registry_domain::trust::VERSION,
            algorithm: "cap_ + first 24 hex digits of SHA-256 over RFC 8785 JSON of {description (first 500 characters), \
                kind, name, skills, tags, tools}; texts trimmed, lists sorted by code point without repetition",
            canonical: hashed.canonical()?,
            normalised: hashed,
            listing_id: found.as_ref().map(|found| found.0.id.clone()),
            matches: observed_hash.as_ref().filter(|_| compared).map(|observed| *observed == capability_hash),
            observed_hash,
            observed_at: observed.map(|(_, at)| at),
            capability_hash,
            registered: false,
            note: if arguments.register == Some(true) {
                "Nothing was kept: the registry knows abilities by what it sees when it probes, not by what it is told."
            } else {
                "A statement of the hash that the registry saw is signed by `attest` with type capability."
            },
        })
    }
}

/// What the caller gave, where a name says that it was meant.
fn given(arguments: &Arguments) -> Result<Option<Capability>, Problem> {
    let Some(name) = &arguments.name else {
        let lists = [&arguments.tools, &arguments.skills, &arguments.tags].map(Option::is_some);
        if arguments.description.is_some() || lists.contains(&true) {
            let detail = "`name` is missing: abilities are hashed with the name of what has them.";
            return Err(Problem::invalid("name", "name_missing", detail));
        }
        return Ok(None);
    };
    let description = match arguments.description.as_deref().map(str::trim) {
        None | Some("") => String::new(),
        Some(text) => argument_text::text("description", text, LONGEST_DESCRIPTION)?,
    };
    let capability = Capability {
        name: argument_text::line("name", name, LONGEST_NAME)?,
        kind: arguments.kind.unwrap_or_default(),
        description,
        tools: entries("tools", arguments.tools.as_deref())?,
        skills: entries("skills", arguments.skills.as_deref())?,
        tags: entries("tags", arguments.tags.as_deref())?,
    };
    Ok(Some(capability.normalised()))
}

/// What was withdrawn shows nothing of what it said.
fn shown(found: Arc<NamedListing>) -> Result<Arc<NamedListing>, Problem> {
    let listing = &found.0;
    if listing.lane == Lane::Withdrawn {
        return Err(Problem::listing_not_found(listing.id.as_str()));
    }
    Ok(found)
}

fn entries(field: &str, list: Option<&[String]>) -> Result<Vec<String>, Problem> {
    let list = list.unwrap_or_default();
    if list.len() > MOST_ENTRIES {
        let detail = format!("`{field}` may have {MOST_ENTRIES} entries.");
        return Err(Problem::invalid(field, "too_many", detail));
    }
    list.iter().map(|text| argument_text::line(field, text, LONGEST_ENTRY)).collect()
}

fn nothing_to_hash(listed: bool) -> Problem {
    if listed {
        let detail = "This listing was not probed yet, so its abilities are not known. Ask again after its first probe.";
        return Problem::new(http::StatusCode::CONFLICT, "nothing_observed", detail);
    }
    let detail = "Give the `name` of what has the abilities, with its description, tools, skills and tags; or a \
        `listing_id`.";
    Problem::invalid("name", "name_missing", detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abilities_without_a_name_are_refused() {
        let of = |arguments: Arguments| given(&arguments).map_err(|problem| problem.code);
        assert_eq!(of(Arguments::default()), Ok(None));
        let tools = Some(vec!["add".to_owned()]);
        assert_eq!(of(Arguments { tools, ..Arguments::default() }), Err("name_missing"));
        let name = Some("adder".to_owned());
        let tools = Some(vec!["x".to_owned(); 257]);
        assert_eq!(of(Arguments { name, tools, ..Arguments::default() }), Err("too_many"));
    }
}
