//! Defines what an operation is: its name and texts, its arguments and answer, its routes, and the code to
//! run. Authors implement a trait, so that arguments have types. The server uses a struct of functions, so
//! that it can call any operation by its name.

pub mod arguments;
pub mod catalogue;
pub mod examples;
pub mod lookup;
pub mod operator_token;
mod phrase;
mod route;
pub mod short;
pub mod toolsets;

use std::ops::Deref;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::future::BoxFuture;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, schema_for};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

pub use arguments::{Parameters, RawArguments};
pub(crate) use catalogue::operations;
pub use catalogue::{count_served, served};
pub use phrase::Phrase;
pub(crate) use route::Family;
pub use route::{Action, Route, RouteInput};

use self::short::{cut, pick};
use registry_app::App;
use registry_model::Caller;
use registry_model::cache::CacheValidator;
use registry_model::error::{Code, ErrorKind, Problem, shorten};

/// The side effects of an operation, for a model that must choose (MCP tool annotations).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Effect {
    pub read_only: bool,
    /// Calling it twice with the same arguments has the same effect as calling it once.
    pub idempotent: bool,
    /// It sends requests to servers outside this registry.
    pub open_world: bool,
    /// It can take something away, such as a listing or the validity of a statement.
    pub destructive: bool,
}

impl Effect {
    pub const READS: Self = Self { read_only: true, idempotent: true, open_world: false, destructive: false };
    pub const WRITES: Self = Self { read_only: false, idempotent: false, ..Self::READS };
}

/// A way in which the agent card advertises an operation (`specification.md#agent-skills`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdvertisedSkill {
    /// With hyphens or underscores.
    pub id: &'static str,
    pub name: &'static str,
    /// For an agent that looks for a skill.
    pub description: &'static str,
    /// Search words.
    pub tags: &'static [&'static str],
}

impl AdvertisedSkill {
    /// The skill with the name and the title of an operation.
    pub(crate) const fn of<O: Operation>(description: &'static str, tags: &'static [&'static str]) -> Self {
        Self { id: O::NAME, name: O::TITLE, description, tags }
    }

    /// The specified id of the skill (`specification.md#agent-skills`).
    pub fn id(&self) -> String {
        self.id.replace('_', "-")
    }
}

/// The arguments of an operation that takes none.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Arguments", description = "Takes no arguments.")]
pub struct NoArguments {}

pub trait Operation: 'static {
    /// Its name in every protocol.
    const NAME: &'static str;
    /// Other names under which it can be called.
    const ALIASES: &'static [&'static str] = &[];
    /// Its name for people.
    const TITLE: &'static str;
    /// The family in whose endpoint it is an action.
    const FAMILY: Option<Family> = None;
    /// The name of this action.
    const ACTION: &'static str = Self::NAME;
    /// The version in its answer, if the answer contains one.
    const VERSION: Option<&'static str> = match Self::FAMILY {
        Some(family) => Some(family.version),
        None => None,
    };
    /// What it does and when to use it, for a model that must choose.
    const DESCRIPTION: &'static str;
    /// Plain requests that mean it, the best example first, see [`Phrase`]. They are also the examples on the agent card and
    /// in documents. `[quick-demo]` before a phrase makes it the example of this skill only.
    const PHRASES: &'static [&'static str];
    const EFFECT: Effect;
    /// Arguments of a typical call, as JSON.
    const EXAMPLE: &'static str = "{}";
    /// The sentences of the answer in words, see `summary.rs`. Empty: the sentences are made from the members that many
    /// answers have in common.
    const SUMMARY: &'static [&'static str] = &[];
    const SKILLS: &'static [AdvertisedSkill] = &[];
    const ROUTES: &'static [Route] = &[];
    const ACTIONS: &'static [Action] = match Self::FAMILY {
        Some(family) => &[Action { path: family.path, name: Self::ACTION }],
        None => &[],
    };
    /// Whether it has an argument `action` of its own: the name under which a family's endpoint called it.
    const TAKES_ACTION: bool = false;
    /// The kinds of its own errors, without those of any request (unreadable, rate limit, busy table).
    const REFUSALS: &'static [ErrorKind] = &[];
    /// The media types of a file that REST may send instead of a JSON answer.
    const FILES: &'static [&'static str] = &[];
    /// The members of the short answer, such as `hits.name`. Empty: the whole answer is short enough.
    const SHORT: &'static [&'static str] = &[];
    type Arguments: DeserializeOwned + JsonSchema + Send;
    type Answer: Serialize + JsonSchema + Send;

    /// The version of the data that answers are made from, if they may be cached: while it is unchanged, the same
    /// arguments have the same answer.
    fn cache_validator(_: &App) -> impl Future<Output = Result<Option<CacheValidator>, Problem>> + Send {
        async { Ok(None) }
    }

    /// The file in an answer, which REST sends instead of the answer.
    fn attachment(_: &mut Self::Answer) -> Option<Attachment> {
        None
    }

    fn run(
        app: &App,
        caller: &Caller,
        arguments: Self::Arguments,
    ) -> impl Future<Output = Result<Self::Answer, Problem>> + Send;
}

/// A file in an answer: REST sends its bytes, the JSON of MCP and A2A contains them as base64.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Attachment {
    /// A file name for saving it: letters, digits, hyphens and dots.
    pub file_name: String,
    /// The media type, such as `application/zip`.
    pub media_type: &'static str,
    /// The contents, as base64.
    #[serde(rename = "base64", serialize_with = "as_base64")]
    #[schemars(with = "String")]
    pub bytes: Vec<u8>,
}

fn as_base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&STANDARD.encode(bytes))
}

type Answering<T> = BoxFuture<'static, Result<T, Problem>>;

/// An answer as REST sends it.
#[derive(Clone, Debug)]
pub enum Rendered {
    Json(Box<RawValue>),
    File(Attachment),
}

/// The constants of an [`Operation`] as data. Separate from the code, so that a function that only describes operations
/// links none of their code.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub title: &'static str,
    /// The toolset that contains it.
    pub toolset: &'static str,
    pub description: &'static str,
    /// With the marks of skills and the arguments that they imply.
    pub stated_phrases: &'static [&'static str],
    pub effect: Effect,
    pub example: &'static str,
    pub summary: &'static [&'static str],
    pub skills: &'static [AdvertisedSkill],
    pub routes: &'static [Route],
    pub actions: &'static [Action],
    pub takes_action: bool,
    pub refusals: &'static [ErrorKind],
    pub files: &'static [&'static str],
    pub short: &'static [&'static str],
    /// `None`: all names are accepted.
    pub argument_names: fn() -> Option<&'static [&'static str]>,
    /// JSON Schema 2020-12 of the arguments.
    pub input_schema: fn() -> Value,
    /// JSON Schema 2020-12 of the answer.
    pub output_schema: fn() -> Value,
}

impl Description {
    pub(crate) const fn new<O: Operation>(toolset: &'static str) -> Self {
        Self {
            name: O::NAME,
            aliases: O::ALIASES,
            title: O::TITLE,
            toolset,
            description: O::DESCRIPTION,
            stated_phrases: O::PHRASES,
            effect: O::EFFECT,
            example: O::EXAMPLE,
            summary: O::SUMMARY,
            skills: O::SKILLS,
            routes: O::ROUTES,
            actions: O::ACTIONS,
            takes_action: O::TAKES_ACTION,
            refusals: O::REFUSALS,
            files: O::FILES,
            short: O::SHORT,
            argument_names: arguments::argument_names::<O::Arguments>,
            input_schema: || schema_for!(O::Arguments).to_value(),
            output_schema: output_schema::<O>,
        }
    }

    pub fn all_phrases(&self) -> impl DoubleEndedIterator<Item = Phrase> + use<> {
        self.stated_phrases.iter().copied().map(Phrase::parse)
    }

    /// Plain requests that mean this operation, with slots such as `{url}`, the best first.
    pub fn phrases(&self) -> impl DoubleEndedIterator<Item = &'static str> + use<> {
        self.all_phrases().map(|phrase| phrase.text())
    }

    /// The phrases that are the examples of one of its skills.
    pub fn examples_of(&self, skill: &AdvertisedSkill) -> Vec<&'static str> {
        phrase::examples_of_skill(&self.all_phrases().collect::<Vec<_>>(), &skill.id())
    }
}

/// What every answer begins with.
#[derive(Serialize)]
struct Envelope<'a, A> {
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<&'static str>,
    #[serde(flatten)]
    answer: &'a A,
}

/// The schema of an answer in its [`Envelope`].
fn output_schema<O: Operation>() -> Value {
    let mut schema = schema_of_answer::<O::Answer>();
    let version = O::VERSION.map(|_| ("version", "string"));
    let added = [("ok", "boolean")].into_iter().chain(version);
    let added: Map<_, _> =
        added.map(|(name, of_type)| (name.to_owned(), json!({ "type": of_type }))).collect();
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    schema["required"] = added.keys().map(|name| json!(name)).chain(required).collect();
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    schema["properties"] = added.into_iter().chain(properties).collect();
    schema
}

/// The argument that selects the form of an answer.
pub const DETAIL: &str = "detail";

/// What a caller wants of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum View {
    #[default]
    Full,
    Short,
}

impl View {
    /// Takes the argument `detail` out of the arguments of a tool. Without it, the answer is short.
    pub fn of_arguments(
        operation: &Description,
        arguments: &mut Map<String, Value>,
    ) -> Result<Self, Problem> {
        if operation.short.is_empty() {
            return Ok(Self::Full);
        }
        match arguments.remove(DETAIL) {
            None | Some(Value::Null) => Ok(Self::Short),
            Some(Value::String(detail)) => Self::named(&detail),
            Some(_) => Err(invalid_detail()),
        }
    }

    /// The view with this `detail`. Without it, the answer is whole.
    pub fn chosen(detail: Option<&str>) -> Result<Self, Problem> {
        detail.map_or(Ok(Self::Full), Self::named)
    }

    fn named(detail: &str) -> Result<Self, Problem> {
        match detail {
            "short" => Ok(Self::Short),
            "full" | "" => Ok(Self::Full),
            _ => Err(invalid_detail()),
        }
    }

    pub fn of(&self, operation: &Description, answer: Value) -> Value {
        self.part(operation.short, answer)
    }

    /// The part of an answer whose short form has these members.
    pub fn part(&self, short: &[&str], answer: Value) -> Value {
        match self {
            Self::Full => answer,
            Self::Short if short.is_empty() => answer,
            Self::Short => cut(pick(answer, short)),
        }
    }
}

fn invalid_detail() -> Problem {
    Problem::invalid(DETAIL, Code::InvalidArgument, "`detail` must be `short` or `full`.")
}

/// The answer of any operation. The caller decides how it is serialized, so that this happens once.
trait AnyAnswer: Send {
    /// Takes the file out of it, if it is one.
    fn file(&mut self) -> Option<Attachment>;
    fn text(&self) -> Result<Box<RawValue>, Problem>;
    fn value(&self) -> Result<Value, Problem>;
}

struct TypedAnswer<O: Operation>(O::Answer);

impl<O: Operation> TypedAnswer<O> {
    fn whole(&self) -> Envelope<'_, O::Answer> {
        Envelope { ok: true, version: O::VERSION, answer: &self.0 }
    }
}

impl<O: Operation> AnyAnswer for TypedAnswer<O> {
    fn file(&mut self) -> Option<Attachment> {
        O::attachment(&mut self.0)
    }

    fn text(&self) -> Result<Box<RawValue>, Problem> {
        json_text(&self.whole())
    }

    fn value(&self) -> Result<Value, Problem> {
        serde_json::to_value(self.whole()).map_err(Problem::fault)
    }
}

fn json_text(answer: &impl Serialize) -> Result<Box<RawValue>, Problem> {
    to_raw_value(answer).map_err(Problem::fault)
}

/// An operation as functions serve it. Only what depends on the types of an operation is compiled once for each
/// operation.
#[derive(Clone, Copy, Debug)]
pub struct AnyOperation {
    pub described: &'static Description,
    pub cache_validator: fn(App) -> Answering<Option<CacheValidator>>,
    answer: fn(App, Caller, RawArguments) -> Answering<Box<dyn AnyAnswer>>,
}

impl AnyOperation {
    pub(crate) const fn new<O: Operation>(described: &'static Description) -> Self {
        Self {
            described,
            cache_validator: |app| Box::pin(async move { O::cache_validator(&app).await }),
            answer: |app, caller, arguments| {
                Box::pin(async move {
                    let answer = O::run(&app, &caller, arguments.read()?).await?;
                    Ok(Box::new(TypedAnswer::<O>(answer)) as Box<dyn AnyAnswer>)
                })
            },
        }
    }

    /// Runs it and returns the answer as JSON text, for a caller that only forwards it.
    pub async fn render(
        &self,
        app: App,
        caller: Caller,
        arguments: RawArguments,
    ) -> Result<Box<RawValue>, Problem> {
        (self.answer)(app, caller, arguments).await?.text()
    }

    /// Runs it and returns the answer as JSON.
    pub async fn run(&self, app: App, caller: Caller, arguments: RawArguments) -> Result<Value, Problem> {
        (self.answer)(app, caller, arguments).await?.value()
    }

    /// Runs it and returns a part of the answer as REST sends it. Unknown arguments are ignored; the answer names them.
    pub async fn respond(
        &self,
        app: App,
        caller: Caller,
        arguments: RawArguments,
        view: View,
    ) -> Result<Rendered, Problem> {
        let warnings = self.warnings(&arguments);
        let mut answer = (self.answer)(app, caller, arguments).await?;
        if let Some(file) = answer.file() {
            return Ok(Rendered::File(file));
        }
        if view == View::Full && warnings.is_empty() {
            return Ok(Rendered::Json(answer.text()?));
        }
        let mut answer = view.of(self, answer.value()?);
        if !warnings.is_empty() {
            let of_answer = answer["warnings"].as_array().cloned().unwrap_or_default();
            answer["warnings"] = of_answer.into_iter().chain(warnings).collect();
        }
        Ok(Rendered::Json(json_text(&answer)?))
    }

    fn warnings(&self, arguments: &RawArguments) -> Vec<Value> {
        let unknown = self.unknown(arguments.names().into_iter().filter(|name| *name != DETAIL));
        let warning = |name: &str| {
            let (seen, fix) = (shorten(name, 60), format!("`{}` has no such argument.", self.name));
            json!({ "code": "unknown_argument", "reason": "argument ignored", "seen": seen, "fix": fix })
        };
        unknown.into_iter().take(10).map(warning).collect()
    }
}

impl Deref for AnyOperation {
    type Target = Description;

    fn deref(&self) -> &Description {
        self.described
    }
}

/// JSON Schema 2020-12 of an answer. It is a schema for serializing: a field that may be left out is not required, even
/// if reading it has a default.
pub fn schema_of_answer<A: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<A>().to_value()
}
