//! Imports that most modules use.

pub(crate) use registry_app::App;
pub(crate) use registry_formats::argument_schema;
pub(crate) use registry_model::error::{Code, ErrorKind, Problem, shorten};
pub(crate) use registry_model::{
    Caller, FeedItem, Kind, Lane, LimitedAction, Listing, ListingId, Moment, NextStep, Sku, counted,
};
pub(crate) use registry_settings::Settings;
pub(crate) use schemars::JsonSchema;
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::{Map, Value, json};

pub(crate) use crate::operation::arguments::{bounded_number, optional_line, optional_text};
pub(crate) use crate::operation::{AdvertisedSkill, Effect, Family, NoArguments, Operation, Route, lookup};
