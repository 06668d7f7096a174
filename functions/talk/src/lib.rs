//! The Talk inboxes: callers can read an inbox, write to an inbox, and read the public feed of messages.

use axum::Router;
use registry::app::App;
use registry::documents::{self, AnyDocument};
use registry::features::{AnyOperation, count_served, served};
use registry::rest::{self, with_middleware};

/// The paths that the gateway sends to this function; a slash at the end stands for all paths below.
pub const PATHS: &[&str] = &["/api/talk", "/api/talk/"];

static OPERATIONS: [&AnyOperation; count_served(PATHS)] = served(PATHS);

const DOCUMENTS: &[&AnyDocument] = &[&documents::TALK_FEED];

pub fn router(app: App) -> Router {
    with_middleware(rest::operations(&OPERATIONS).merge(rest::documents(DOCUMENTS)), app)
}
