//! Imports that many modules use.

pub(crate) use std::sync::Arc;

pub(crate) use askama::Template;
pub(crate) use axum::extract::State;
pub(crate) use axum::response::{IntoResponse, Response};
pub(crate) use bytes::Bytes;
pub(crate) use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
pub(crate) use registry_app::App;
pub(crate) use registry_features::{DESCRIPTIONS, Description};
pub(crate) use registry_model::cache::CacheValidator;
pub(crate) use registry_model::error::{Problem, shorten};
pub(crate) use registry_model::settings::Settings;
pub(crate) use registry_model::{Caller, Kind, Listing, ListingId, Moment, counted};
pub(crate) use registry_store::Live;
pub(crate) use schemars::JsonSchema;
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::value::RawValue;
pub(crate) use serde_json::{Map, Value, json};

pub(crate) use crate::documents::{AnyDocument, DocumentRequest};
