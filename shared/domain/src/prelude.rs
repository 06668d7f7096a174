//! Imports that nearly every module uses.

pub(crate) use registry_app::App;
pub(crate) use registry_model::error::{Problem, shorten};
pub(crate) use registry_model::settings::Settings;
pub(crate) use registry_model::{
    Caller, Kind, Lane, LimitedAction, Listing, ListingId, Moment, NextStep, Sku,
};
pub(crate) use schemars::JsonSchema;
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::{Map, Value, json};
