//! The Talk inboxes: callers can read an inbox, write to an inbox, and read the public feed of messages.

use axum::Router;
use registry::app::App;
use registry::documents::{self, AnyDocument};
use registry::features::{self, AnyOperation};
use registry::http::{rest, with_middleware};

pub const OPERATIONS: &[&AnyOperation] = &[&features::TALK_INBOX, &features::TALK];

pub const DOCUMENTS: &[&AnyDocument] = &[&documents::TALK_FEED];

pub fn router(app: App) -> Router {
    with_middleware(rest::operations(OPERATIONS).merge(rest::documents(DOCUMENTS)), app)
}
