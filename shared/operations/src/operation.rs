//! What an operation is: its names and texts, its arguments and answer, its routes, and what it does. A trait where it
//! is written, so that arguments are typed; a struct of functions where it is served, so that any can be called by
//! name.

use std::ops::Deref;

use futures::future::BoxFuture;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::arguments::RawArguments;
use crate::attachment::Attachment;
use crate::route::{Action, Route};
use registry_app::App;
use registry_model::Caller;
use registry_model::cache::CacheValidator;
use registry_model::error::Problem;

/// The side effects of an operation, for a model that must choose (MCP tool annotations).
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
    /// Its name in every protocol.
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
    const SKILLS: &'static [AdvertisedSkill] = &[];
    /// Where it is reached by REST.
    const ROUTES: &'static [Route] = &[];
    /// The actions that it is of families' endpoints.
    const ACTIONS: &'static [Action] = &[];
    /// It takes an argument `action` itself, which is the name by which a family's endpoint called it.
    const TAKES_ACTION: bool = false;
    /// The statuses of its own refusals. Those that any request may meet (what cannot be read, too many of them, a busy
    /// table) are not said here.
    const REFUSALS: &'static [u16] = &[];
    /// The media types of the file that may stand in the place of an answer.
    const FILES: &'static [&'static str] = &[];
    /// What it takes.
    type Arguments: DeserializeOwned + JsonSchema + Send;
    /// What it answers.
    type Answer: Serialize + JsonSchema + Send;

    /// The version of the data that answers are made from, where they may be cached: while it is unchanged, the same
    /// arguments have the same answer.
    fn cache_validator(_: &App) -> impl Future<Output = Result<Option<CacheValidator>, Problem>> + Send {
        async { Ok(None) }
    }

    /// The file in an answer, which REST sends in the place of the answer.
    fn attachment(_: &mut Self::Answer) -> Option<Attachment> {
        None
    }

    /// Runs it.
    fn run(
        app: &App,
        caller: &Caller,
        arguments: Self::Arguments,
    ) -> impl Future<Output = Result<Self::Answer, Problem>> + Send;
}

/// The future of an operation whose types are erased.
type Answering<T> = BoxFuture<'static, Result<T, Problem>>;

/// An answer as REST sends it.
#[derive(Clone, Debug)]
pub enum Rendered {
    /// As JSON text.
    Json(Box<RawValue>),
    /// As a file.
    File(Attachment),
}

/// What is said of an operation. It is apart from what it does, so that a function that only tells of operations holds
/// none of their code.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// Its name in every protocol.
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
    /// Where it is reached by REST.
    pub routes: &'static [Route],
    /// The actions that it is of families' endpoints.
    pub actions: &'static [Action],
    /// It takes an argument `action` itself.
    pub takes_action: bool,
    /// The statuses of its own refusals.
    pub refusals: &'static [u16],
    /// The media types of the file that may stand in the place of an answer.
    pub files: &'static [&'static str],
    /// JSON Schema 2020-12 of its arguments.
    pub input_schema: fn() -> Value,
    /// JSON Schema 2020-12 of its answer.
    pub output_schema: fn() -> Value,
}

impl Description {
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
            routes: O::ROUTES,
            actions: O::ACTIONS,
            takes_action: O::TAKES_ACTION,
            refusals: O::REFUSALS,
            files: O::FILES,
            input_schema: || schema_for!(O::Arguments).to_value(),
            output_schema: schema_of_answer::<O::Answer>,
        }
    }
}

/// An operation as functions serve it.
#[derive(Clone, Copy, Debug)]
pub struct AnyOperation {
    /// What is said of it.
    pub described: &'static Description,
    /// The version of the data that answers are made from, where they may be cached.
    pub cache_validator: fn(App) -> Answering<Option<CacheValidator>>,
    /// Runs it and returns the answer as JSON.
    pub run: fn(App, Caller, RawArguments) -> Answering<Value>,
    /// Runs it and returns the answer as JSON text, for a caller that only forwards it.
    pub render: fn(App, Caller, RawArguments) -> Answering<Box<RawValue>>,
    /// Runs it and returns the answer as REST sends it.
    pub respond: fn(App, Caller, RawArguments) -> Answering<Rendered>,
}

impl AnyOperation {
    pub(super) const fn of<O: Operation>() -> Self {
        Self {
            described: &const { Description::of::<O>() },
            cache_validator: |app| Box::pin(async move { O::cache_validator(&app).await }),
            run: |app, caller, arguments| {
                Box::pin(async move {
                    let answer = O::run(&app, &caller, arguments.read()?).await?;
                    serde_json::to_value(answer).map_err(|error| Problem::fault(error.to_string()))
                })
            },
            render: |app, caller, arguments| {
                Box::pin(async move {
                    let answer = O::run(&app, &caller, arguments.read()?).await?;
                    to_raw_value(&answer).map_err(|error| Problem::fault(error.to_string()))
                })
            },
            respond: |app, caller, arguments| {
                Box::pin(async move {
                    let mut answer = O::run(&app, &caller, arguments.read()?).await?;
                    if let Some(file) = O::attachment(&mut answer) {
                        return Ok(Rendered::File(file));
                    }
                    let text = to_raw_value(&answer).map_err(|error| Problem::fault(error.to_string()))?;
                    Ok(Rendered::Json(text))
                })
            },
        }
    }
}

impl Deref for AnyOperation {
    type Target = Description;

    fn deref(&self) -> &Description {
        self.described
    }
}

/// JSON Schema 2020-12 of what is answered. Serialised fields may be left out although they are read with a default, so an answer has the schema of serialising.
pub fn schema_of_answer<A: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<A>().to_value()
}
