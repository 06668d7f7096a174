//! Imports that many modules use.

pub(crate) use std::sync::Arc;

pub(crate) use base64::Engine as _;
pub(crate) use base64::engine::general_purpose::{STANDARD as BASE64, URL_SAFE_NO_PAD as BASE64URL};
pub(crate) use jiff::SignedDuration;
pub(crate) use registry_model::error::{Code, Problem, chain};
pub(crate) use registry_model::{Caller, ListingId, Moment};
pub(crate) use registry_store::StoreError;
pub(crate) use serde::Deserialize;
pub(crate) use serde_json::{Map, Value, json};

pub(crate) use crate::App;
