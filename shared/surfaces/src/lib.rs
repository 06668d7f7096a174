//! What clients see.

pub mod a2a;
pub mod ard;
pub mod discovery;
pub mod documents;
pub mod http;
pub mod openapi;
pub mod pages;
pub mod registry_api;
