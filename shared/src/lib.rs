//! All layers of the registry under one name, lowest first. This crate contains no code. With it, a function
//! names only one dependency and enables the layers that it uses. Each layer is a crate in a folder next to
//! this crate. Cargo enforces the order: a layer cannot import a layer that is listed after it.
//! `shared/docs/architecture.md` contains the graph.

pub use registry_model::{self as model, VERSION, cache, error, json, metrics};

pub use registry_settings as settings;

pub use registry_formats as formats;

pub use registry_fetch as fetch;

pub use registry_store::{self as store, events};

pub use registry_search as search;

pub use registry_app::{self as app, domain_keys};

#[cfg(feature = "probe")]
pub use registry_probe as probe;

#[cfg(feature = "features")]
pub use registry_products as products;

#[cfg(feature = "features")]
pub use registry_features::{
    self as features, economy, federation, funnel, interop, listing, log, operator, outreach, publish,
    review, talk, trails, trust,
};

#[cfg(feature = "surfaces")]
pub use registry_surfaces::documents::discovery;
#[cfg(feature = "surfaces")]
pub use registry_surfaces::{a2a, ard, documents, mcp, openapi, pages, registry_api, rest};

#[cfg(feature = "lambda")]
pub use registry_lambda as lambda;
