//! The catalogue: every capability of the registry, written once. REST routes, MCP tools, A2A skills and every
//! document are derived from it. A new capability is one file below and one line in [`CATALOGUE`].

pub mod ard_search;
mod check_liveness;
mod check_status;
mod get_founding_deal;
pub mod list_yourself;
mod match_capability;
mod probe_clean;
mod score;
pub mod search_active;

use std::sync::Arc;

use futures::future::BoxFuture;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::app::App;
use crate::error::Problem;
use crate::http::{Caller, Validator};
use crate::listing::{Listing, ListingId};
use crate::store::{Allowance, NamedListing};

pub use ard_search::ArdSearch;
pub use check_liveness::CheckLiveness;
pub use check_status::CheckStatus;
pub use get_founding_deal::GetFoundingDeal;
pub use list_yourself::ListYourself;
pub use match_capability::MatchCapability;
pub use probe_clean::ProbeClean;
pub use score::ScoreCard;
pub use search_active::SearchActive;

/// What an operation does to the world, told to a model that must choose (MCP tool annotations).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Effect {
    /// It changes nothing.
    pub read_only: bool,
    /// Done twice, it is as if done once.
    pub idempotent: bool,
    /// It speaks with a server outside this registry.
    pub open_world: bool,
}

impl Effect {
    /// Reads the registry.
    pub const READS: Self = Self { read_only: true, idempotent: true, open_world: false };
}

/// A way in which the agent card advertises an operation (contract "Agent card", skill ids).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdvertisedSkill {
    /// The contract's id of the skill.
    pub id: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// What it does, as an agent that looks for a skill would read it.
    pub description: &'static str,
    /// Words to find it by.
    pub tags: &'static [&'static str],
}

/// A capability of the registry.
pub trait Operation: 'static {
    /// Its name at every door.
    const NAME: &'static str;
    /// Other names it answers to.
    const ALIASES: &'static [&'static str] = &[];
    /// Its name for people.
    const TITLE: &'static str;
    /// What it does and when to use it, written for a model that must choose.
    const DESCRIPTION: &'static str;
    /// What it does to the world.
    const EFFECT: Effect;
    /// Arguments of a typical call, as JSON.
    const EXAMPLE: &'static str;
    /// Plain requests that mean this operation. `{url}`, `{id}` and `{text}` stand for what is picked out of a
    /// message; they are also the examples that documents and cards show.
    const PHRASES: &'static [&'static str];
    /// The skills by which the agent card advertises it.
    const SKILLS: &'static [AdvertisedSkill];
    /// What it takes.
    type Arguments: DeserializeOwned + JsonSchema + Send;
    /// What it answers.
    type Answer: Serialize + JsonSchema + Send;

    /// What its answers are made from at this moment, where a door may remember them: while the validator is the
    /// same, the same arguments have the same answer.
    fn made_from(_: &App) -> impl Future<Output = Result<Option<Validator>, Problem>> + Send {
        async { Ok(None) }
    }

    /// Does it.
    fn run(
        app: &App,
        caller: &Caller,
        arguments: Self::Arguments,
    ) -> impl Future<Output = Result<Self::Answer, Problem>> + Send;
}

/// An operation as the doors and documents see it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name at every door.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// Its name for people.
    pub title: &'static str,
    /// What it does and when to use it.
    pub description: &'static str,
    /// What it does to the world.
    pub effect: Effect,
    /// Arguments of a typical call, as JSON.
    pub example: &'static str,
    /// Plain requests that mean it, with `{url}`, `{id}` and `{text}` for what is picked out of a message.
    pub phrases: &'static [&'static str],
    /// The skills by which the agent card advertises it.
    pub skills: &'static [AdvertisedSkill],
    /// JSON Schema 2020-12 of its arguments.
    pub input_schema: fn() -> Value,
    /// JSON Schema 2020-12 of its answer.
    pub output_schema: fn() -> Value,
    /// What its answers are made from at this moment, where a door may remember them.
    pub made_from: fn(App) -> BoxFuture<'static, Result<Option<Validator>, Problem>>,
    /// Does it, with arguments and answer as JSON.
    pub run: fn(App, Caller, Value) -> BoxFuture<'static, Result<Value, Problem>>,
}

impl Entry {
    const fn of<O: Operation>() -> Self {
        Self {
            name: O::NAME,
            aliases: O::ALIASES,
            title: O::TITLE,
            description: O::DESCRIPTION,
            effect: O::EFFECT,
            example: O::EXAMPLE,
            phrases: O::PHRASES,
            skills: O::SKILLS,
            input_schema: || schema_for!(O::Arguments).to_value(),
            output_schema: schema_of_answer::<O::Answer>,
            made_from: |app| Box::pin(async move { O::made_from(&app).await }),
            run: |app, caller, arguments| Box::pin(run::<O>(app, caller, arguments)),
        }
    }
}

/// What is written may leave out what is read with a default, so an answer's schema is that of writing.
fn schema_of_answer<A: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<A>().to_value()
}

async fn run<O: Operation>(app: App, caller: Caller, arguments: Value) -> Result<Value, Problem> {
    let arguments = crate::http::arguments(arguments)?;
    let answer = O::run(&app, &caller, arguments).await?;
    serde_json::to_value(answer).map_err(|error| Problem::fault(error.to_string()))
}

/// Every operation, in the order in which documents list them.
pub static CATALOGUE: [Entry; 9] = [
    Entry::of::<ListYourself>(),
    Entry::of::<CheckStatus>(),
    Entry::of::<SearchActive>(),
    Entry::of::<MatchCapability>(),
    Entry::of::<ArdSearch>(),
    Entry::of::<ProbeClean>(),
    Entry::of::<CheckLiveness>(),
    Entry::of::<ScoreCard>(),
    Entry::of::<GetFoundingDeal>(),
];

/// The operation of that name or alias.
#[must_use]
pub fn named(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name || entry.aliases.contains(&name))
}

/// A listing by an id as a caller wrote it.
async fn listing(app: &App, id: &str) -> Result<Listing, Problem> {
    let known = id.parse::<ListingId>().map_err(|_| Problem::listing_not_found(id))?;
    app.store.listing(&known).await?.ok_or_else(|| Problem::listing_not_found(id))
}

/// A listing with its evidence, by an id as a caller wrote it.
async fn listing_with_evidence(app: &App, id: &str) -> Result<Arc<NamedListing>, Problem> {
    let missing = || Problem::listing_not_found(id).with("found", false);
    let known = id.parse::<ListingId>().map_err(|_| missing())?;
    app.store.listing_with_evidence(&known).await?.ok_or_else(missing)
}

/// Counts an act that costs somebody else something, and refuses it where an allowance is used up.
async fn allow(app: &App, act: Allowance<'_>) -> Result<(), Problem> {
    if !app.settings.rate_limits {
        return Ok(());
    }
    match app.store.count_act(act, app.clock.now()).await? {
        None => Ok(()),
        Some((whose, wait)) => {
            let of = match whose {
                "host" => "for this host",
                "everybody" => "for everybody together",
                _ => "from your address",
            };
            Err(Problem::too_many(
                format!("Too many requests of this sort {of} within the hour. Try again in {wait} s."),
                wait,
            )
            .with("allowance", whose))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_and_aliases_are_unique() {
        let mut seen = HashSet::new();
        for name in CATALOGUE.iter().flat_map(|entry| std::iter::once(&entry.name).chain(entry.aliases)) {
            assert!(seen.insert(name), "{name} stands twice in the catalogue");
        }
    }

    #[test]
    fn every_example_fits_its_schema() {
        for entry in &CATALOGUE {
            let schema = (entry.input_schema)();
            assert_eq!(schema["type"], "object", "{}", entry.name);
            assert_eq!((entry.output_schema)()["type"], "object", "{}", entry.name);
            let example: Value = serde_json::from_str(entry.example).unwrap();
            let validator = jsonschema::validator_for(&schema).unwrap();
            assert!(validator.is_valid(&example), "{}: {example}", entry.name);
        }
    }
}
