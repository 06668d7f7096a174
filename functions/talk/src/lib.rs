//! The Talk inboxes: callers can read an inbox, write to an inbox, and read the public feed of messages.

use axum::Router;
use registry::app::App;
use registry::documents::{self, AnyDocument};
use registry::operations::{self, AnyOperation};
use registry::rest::{self, with_middleware};

pub const OPERATIONS: &[&AnyOperation] = &[&operations::TALK_INBOX, &operations::TALK];

pub const DOCUMENTS: &[&AnyDocument] = &[&documents::TALK_FEED];

pub fn router(app: App) -> Router {
    with_middleware(rest::operations(OPERATIONS).merge(rest::documents(DOCUMENTS)), app)
}
