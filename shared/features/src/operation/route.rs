//! The REST routes of an operation, declared next to the code of the operation. The deployment template
//! contains the same paths, and a test compares the two.

use serde_json::Value;

use super::arguments::Parameters;
use crate::economy;
use registry_model::error::Problem;

#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// A literal path, without parameters.
    pub path: &'static str,
    pub input: RouteInput,
    /// For how many seconds a cache may keep the answer. `None`: it must not store the answer, because most answers
    /// describe this moment, belong to one caller, or changed something.
    pub max_age_s: Option<u32>,
    /// A GET that changes something, because the contract demands it. It is refused if a foreign page caused it.
    pub acts: bool,
    /// Derives the schema of this route's input from the schema of the arguments, if they differ.
    pub schema: fn(Value) -> Value,
}

/// The method of a route, and where the arguments are.
#[derive(Clone, Copy, Debug)]
pub enum RouteInput {
    /// GET, with the arguments in the query.
    Query,
    /// GET, with a query that the function completes.
    QueryAs(fn(Parameters) -> Parameters),
    /// POST, with a JSON body that the function converts to arguments.
    BodyAs(fn(Value) -> Result<Value, Problem>),
    /// POST to a family's endpoint: the body's `action` names the operation.
    BodyByAction,
}

/// An action of a family's endpoint (`specification.md#family-endpoints`): operations share the
/// path, and `action` in the body selects one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    pub path: &'static str,
    /// The value of `action` that selects the operation.
    pub name: &'static str,
}

/// Operations that share the path of an endpoint and a version (`specification.md#family-endpoints`).
#[derive(Clone, Copy, Debug)]
pub struct Family {
    pub path: &'static str,
    pub version: &'static str,
}

impl Family {
    pub const TRAILS: Self = Self::of("/api/products/stigmergy", crate::trails::VERSION);
    pub const TRUST: Self = Self::of("/api/products/first-principles", crate::trust::VERSION);
    pub const INTEROP: Self = Self::of("/api/products/interop", crate::interop::VERSION);
    pub const FEDERATION: Self = Self::of("/api/products/federation", crate::interop::VERSION);
    pub const AUTOCATALYSIS: Self = Self::of(economy::AUTOCATALYSIS_PATH, economy::AUTOCATALYSIS_VERSION);
    pub const EXONOMICS: Self = Self::of(economy::EXONOMICS_PATH, economy::EXONOMICS_VERSION);

    const fn of(path: &'static str, version: &'static str) -> Self {
        Self { path, version }
    }
}

impl Route {
    pub const fn get(path: &'static str) -> Self {
        Self::of(path, RouteInput::Query)
    }

    const fn of(path: &'static str, input: RouteInput) -> Self {
        Self { path, input, max_age_s: None, acts: false, schema: std::convert::identity }
    }

    pub const fn get_as(path: &'static str, complete: fn(Parameters) -> Parameters) -> Self {
        Self::of(path, RouteInput::QueryAs(complete))
    }

    pub const fn post_as(path: &'static str, read: fn(Value) -> Result<Value, Problem>) -> Self {
        Self::of(path, RouteInput::BodyAs(read))
    }

    /// The endpoint of a family, for the operation that describes the family: GET runs it, POST runs the other operations
    /// of the family.
    pub const fn family(path: &'static str) -> [Self; 2] {
        [Self::get(path), Self::of(path, RouteInput::BodyByAction)]
    }

    #[must_use]
    pub const fn is_post(self) -> bool {
        matches!(self.input, RouteInput::BodyAs(_) | RouteInput::BodyByAction)
    }

    /// Sets how the schema of the input is derived from the schema of the arguments.
    #[must_use]
    pub const fn taking(self, schema: fn(Value) -> Value) -> Self {
        Self { schema, ..self }
    }

    /// Marks a GET that changes something.
    #[must_use]
    pub const fn acting(self) -> Self {
        Self { acts: true, ..self }
    }

    /// Lets every cache keep the answer, so it must be the same for all callers and change nothing.
    #[must_use]
    pub const fn cached_for(self, seconds: u32) -> Self {
        Self { max_age_s: Some(seconds), ..self }
    }
}
