//! The Talk inboxes: callers can read an inbox, write to an inbox, and read the public feed of messages.

use axum::Router;
use registry::app::App;
use registry::documents;
use registry::http::{rest, with_middleware};
use registry::operations;

/// The routes of this function.
pub fn router(app: App) -> Router {
    let operations = rest::operations(&[&operations::TALK_INBOX, &operations::TALK]);
    let documents = rest::documents(&[&documents::TALK_FEED]);
    with_middleware(operations.merge(documents), app)
}
