//! Imports that many modules use.

pub(crate) use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
pub(crate) use std::sync::{Arc, LazyLock};

pub(crate) use askama::Template;
pub(crate) use axum::extract::State;
pub(crate) use axum::response::{IntoResponse, Response};
pub(crate) use axum::{Json, Router};
pub(crate) use bytes::Bytes;
pub(crate) use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
pub(crate) use jiff::SignedDuration;
pub(crate) use registry_app::App;
pub(crate) use registry_features::operation::Parameters;
pub(crate) use registry_features::{DESCRIPTIONS, Description};
pub(crate) use registry_model::cache::CacheValidator;
pub(crate) use registry_model::error::{Code, ErrorKind, Problem, shorten};
pub(crate) use registry_model::{Caller, Kind, Listing, ListingId, Moment, counted};
pub(crate) use registry_settings::Settings;
pub(crate) use registry_store::Live;
pub(crate) use schemars::JsonSchema;
pub(crate) use serde::{Deserialize, Serialize};
pub(crate) use serde_json::value::{RawValue, to_raw_value};
pub(crate) use serde_json::{Map, Value, json};

pub(crate) use crate::documents::{AnyDocument, DocumentRequest};
pub(crate) use crate::errors::Refused;
