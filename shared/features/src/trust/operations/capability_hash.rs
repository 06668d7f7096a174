//! The hash of capabilities. It is calculated from the arguments, or from what the registry observed of a
//! listing. The registry compares the arguments but never stores them. Otherwise anyone could register
//! capabilities for other listings.

use crate::prelude::*;
use crate::trust::capability::{Capability, CapabilityKind};
use crate::trust::facts::nothing_observed;
use registry_formats::argument_text;

const MAX_NAME_CHARS: usize = 200;
const MAX_DESCRIPTION_CHARS: usize = 4000;
const MAX_ENTRY_CHARS: usize = 128;
const MAX_ENTRIES: usize = 256;

pub struct CapabilityHash;

/// The capabilities to hash, or the listing that has them.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = [argument_schema::all_of(&["name"]), { "allOf": [argument_schema::all_of(&["listing_id"]), argument_schema::none_of(&["description", "tools", "skills", "tags"])] }]))]
pub struct Arguments {
    /// The name of the agent or server. Optional if you send only `listing_id`.
    #[schemars(regex(pattern = argument_schema::LINE), length(max = MAX_NAME_CHARS))]
    name: Option<String>,
    /// What has these capabilities; a listing is `agent` or `mcp`. Default: `agent`.
    #[schemars(extend("default" = "agent"))]
    kind: Option<CapabilityKind>,
    /// What the agent or server does. Only the first 500 characters are hashed.
    #[schemars(regex(pattern = argument_schema::TEXT_OR_BLANK), length(max = MAX_DESCRIPTION_CHARS))]
    description: Option<String>,
    /// The names of its tools, in any order.
    #[schemars(length(max = MAX_ENTRIES), inner(regex(pattern = argument_schema::LINE), length(max = MAX_ENTRY_CHARS)))]
    tools: Option<Vec<String>>,
    /// The ids of its skills, in any order.
    #[schemars(length(max = MAX_ENTRIES), inner(regex(pattern = argument_schema::LINE), length(max = MAX_ENTRY_CHARS)))]
    skills: Option<Vec<String>>,
    /// The tags of the agent or server, in any order.
    #[schemars(length(max = MAX_ENTRIES), inner(regex(pattern = argument_schema::LINE), length(max = MAX_ENTRY_CHARS)))]
    tags: Option<Vec<String>>,
    /// The id of a listing. Alone: hashes what the registry observed. With `name`: compares your capabilities with
    /// that.
    listing_id: Option<String>,
    /// This argument is ignored. The registry never stores capabilities that callers send.
    #[expect(dead_code, reason = "the contract has it")]
    register: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// `cap_` and 24 hexadecimal digits.
    capability_hash: String,
    algorithm: &'static str,
    /// The capabilities in normal form.
    normalised: Capability,
    /// The text that was hashed (RFC 8785).
    canonical: String,
    /// The listing from the arguments, if any.
    listing_id: Option<ListingId>,
    /// The hash of what the registry observed of the listing. Null if you sent no listing, or if nothing was observed.
    observed_hash: Option<String>,
    /// The time of the probe that read the tools or skills.
    observed_at: Option<Moment>,
    /// Whether the capabilities that you sent equal the observed capabilities. Null if there is nothing to compare.
    matches: Option<bool>,
    /// Always false, because capabilities that callers send are never stored.
    registered: bool,
    note: &'static str,
}

impl Operation for CapabilityHash {
    const NAME: &'static str = "capability_hash";
    const TITLE: &'static str = "Capability hash";
    const DESCRIPTION: &'static str = "Returns a short id (cap_...) for what an agent or server can do: a \
        hash of its name, kind, description, tags, names of tools and ids of skills, not of their schemas. \
        Use it to compare agents. With listing_id, hashes what the registry observed. With listing_id and \
        name, compares both (`matches`).";
    const PHRASES: &'static [&'static str] =
        &["what is the capability hash of {id}?", "capability hash of {id}", "hash the capabilities of {id}"];
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str =
        r#"{"name": "adder", "kind": "mcp", "description": "Adds two numbers.", "tools": ["add"]}"#;
    const SUMMARY: &'static [&'static str] = &[
        "The capability hash is {capability_hash}.",
        "The hash of what the registry observed is {observed_hash} | ; both {matches?are equal|differ}.",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Hashes capabilities into a short id. The order of the capabilities does not matter. \
            The tool can also compare them with those that a probe found at a listing.",
        &["registry", "trust", "capability"],
    )];
    const FAMILY: Option<Family> = Some(Family::TRUST);
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let given = given(&arguments)?;
        let found = match &arguments.listing_id {
            Some(id) => Some(lookup::visible_listing_with_evidence(app, id).await?),
            None => None,
        };
        let observed = found.as_ref().and_then(|found| {
            let evidence = found.1.as_ref()?;
            Some((Capability::observed(&found.0, evidence)?, evidence.probed_at))
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
            algorithm: "cap_ + first 24 hex digits of SHA-256 over RFC 8785 JSON of {description (first 500 characters), \
                kind, name, skills, tags, tools}; texts trimmed, lists sorted by code point without repetition; \
                of a listing, only what its status shows",
            canonical: hashed.canonical()?,
            normalised: hashed,
            listing_id: found.as_ref().map(|found| found.0.id.clone()),
            matches: observed_hash.as_ref().filter(|_| compared).map(|observed| *observed == capability_hash),
            observed_hash,
            observed_at: observed.map(|(_, at)| at),
            capability_hash,
            registered: false,
            note: "Nothing was stored. `attest` with type capability signs an observed hash.",
        })
    }
}

/// The capabilities in the arguments; `None` without a name.
fn given(arguments: &Arguments) -> Result<Option<Capability>, Problem> {
    let Some(name) = &arguments.name else {
        let lists = [&arguments.tools, &arguments.skills, &arguments.tags].map(Option::is_some);
        if arguments.description.is_some() || lists.contains(&true) {
            let detail = "`name` is required: the name of the agent or server with these capabilities.";
            return Err(Problem::invalid("name", Code::NameMissing, detail));
        }
        return Ok(None);
    };
    let description = match arguments.description.as_deref().map(str::trim) {
        None | Some("") => String::new(),
        Some(text) => argument_text::text("description", text, MAX_DESCRIPTION_CHARS)?,
    };
    let capability = Capability {
        name: argument_text::line("name", name, MAX_NAME_CHARS)?,
        kind: arguments.kind.unwrap_or_default(),
        description,
        tools: entries("tools", arguments.tools.as_deref())?,
        skills: entries("skills", arguments.skills.as_deref())?,
        tags: entries("tags", arguments.tags.as_deref())?,
    };
    Ok(Some(capability.normalised()))
}

fn entries(field: &str, list: Option<&[String]>) -> Result<Vec<String>, Problem> {
    let list = list.unwrap_or_default();
    if list.len() > MAX_ENTRIES {
        let detail = format!("`{field}` may contain at most {MAX_ENTRIES} entries.");
        return Err(Problem::invalid(field, Code::TooMany, detail));
    }
    let line = |text: &String| argument_text::line(field, text, MAX_ENTRY_CHARS);
    list.iter().map(|text| line(text).map_err(Problem::in_entry)).collect()
}

fn nothing_to_hash(listed: bool) -> Problem {
    if listed {
        return nothing_observed();
    }
    let detail = "Send the `name` with description, tools, skills and tags, or a `listing_id`.";
    Problem::invalid("name", Code::NameMissing, detail)
}
