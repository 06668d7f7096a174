//! The REST routes of an operation. Part of the operation, so that its path is declared beside its code; the
//! deployment template names the same paths, and a test compares the two.

use serde_json::Value;

use registry_model::error::Problem;

/// A REST route of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// The path, without parameters in it.
    pub path: &'static str,
    /// The method, and where it finds the arguments.
    pub input: RouteInput,
    /// Whether an answer may be kept.
    pub cache: CacheRule,
    /// Makes the schema of what this route takes out of that of the arguments, where they differ.
    pub schema: fn(Value) -> Value,
}

/// The schema of the arguments is that of what a route takes.
const fn as_it_is(schema: Value) -> Value {
    schema
}

/// The method of a route, and where it finds the arguments.
#[derive(Clone, Copy, Debug)]
pub enum RouteInput {
    /// GET, with the arguments in the query.
    Query,
    /// GET, with a query that is completed before it is read.
    QueryAs(fn(&str) -> String),
    /// POST, with a JSON body that is brought into the form of the arguments first.
    BodyAs(fn(Value) -> Result<Value, Problem>),
    /// GET of a family's endpoint: the query's `action` names an operation that reads; without one it is this
    /// operation.
    QueryByAction,
    /// POST to a family's endpoint: the body's `action` names the operation.
    BodyByAction,
}

/// An action of a family's endpoint (contract "Other product-family endpoints"): the path is shared by operations, and
/// `action` in the query or body tells which one is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// The path of the family.
    pub path: &'static str,
    /// The names by which the action is called there.
    pub names: &'static [&'static str],
}

/// Whether a client may cache an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheRule {
    /// Not said: it is about this moment, or something was done.
    Unspecified,
    /// For this many seconds, then revalidated by its entity tag.
    MaxAge(u32),
    /// By nobody: it holds a token or a product.
    NoStore,
}

impl Route {
    /// GET with the arguments in the query.
    #[must_use]
    pub const fn get(path: &'static str) -> Self {
        Self { path, input: RouteInput::Query, cache: CacheRule::Unspecified, schema: as_it_is }
    }

    /// GET with a query that is completed before it is read.
    #[must_use]
    pub const fn get_as(path: &'static str, complete: fn(&str) -> String) -> Self {
        Self { path, input: RouteInput::QueryAs(complete), cache: CacheRule::Unspecified, schema: as_it_is }
    }

    /// POST with a body that is brought into the form of the arguments first.
    #[must_use]
    pub const fn post_as(path: &'static str, read: fn(Value) -> Result<Value, Problem>) -> Self {
        Self { path, input: RouteInput::BodyAs(read), cache: CacheRule::Unspecified, schema: as_it_is }
    }

    /// GET and POST of a family's endpoint, for the operation that tells what the family is.
    #[must_use]
    pub const fn family(path: &'static str) -> [Self; 2] {
        let get =
            Self { path, input: RouteInput::QueryByAction, cache: CacheRule::Unspecified, schema: as_it_is };
        [get, Self { input: RouteInput::BodyByAction, ..get }]
    }

    /// Whether the method is POST; else it is GET.
    #[must_use]
    pub const fn is_post(self) -> bool {
        matches!(self.input, RouteInput::BodyAs(_) | RouteInput::BodyByAction)
    }

    /// The route of which `schema` tells what it takes, given the schema of the arguments.
    #[must_use]
    pub const fn taking(self, schema: fn(Value) -> Value) -> Self {
        Self { schema, ..self }
    }

    /// The route with answers that may be cached for `seconds`.
    #[must_use]
    pub const fn kept_for(self, seconds: u32) -> Self {
        Self { cache: CacheRule::MaxAge(seconds), ..self }
    }

    /// The route with answers that nobody may keep: they hold a token or a product.
    #[must_use]
    pub const fn never_kept(self) -> Self {
        Self { cache: CacheRule::NoStore, ..self }
    }
}
