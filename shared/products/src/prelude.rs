//! Imports that most modules use.

pub(crate) use registry_model::Kind;
pub(crate) use registry_settings::Settings;
pub(crate) use serde_json::{Map, Value, json};

pub(crate) use crate::ability::{self, Ability, Effect, MAX_ROWS};
pub(crate) use crate::about;
pub(crate) use crate::page::{File, Page, fence, items, table};
pub(crate) use crate::profile::Profile;
pub(crate) use crate::text::{address, capital, code, codes, plain, prose, quoted, scalar};
