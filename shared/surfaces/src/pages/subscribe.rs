//! `/subscribe`: the form that subscribes an e-mail address to changes, and the page on which a recipient confirms or ends a
//! subscription. A GET only reads, because mail programs open links before their users do.

use askama::Template;
use bytes::Bytes;
use schemars::JsonSchema;
use serde::Deserialize;

use super::frame::{self, Frame, Section, html};
use crate::documents::{Document, DocumentRequest};
use registry_app::App;
use registry_domain::subscriptions::{self, topic_in_words};
use registry_model::error::Problem;
use registry_model::{Recipient, Topic};

#[derive(Debug)]
pub(super) struct Subscribe;

/// What to show.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(super) struct SubscribeQuery {
    /// The token of a subscription.
    token: Option<String>,
    /// The listing to subscribe to.
    listing_id: Option<String>,
    /// What a form has just done: `asked`, `confirmed` or `ended`.
    done: Option<Done>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Done {
    Asked,
    Confirmed,
    Ended,
}

#[derive(Template)]
#[template(path = "subscribe.html")]
struct Page<'a> {
    frame: Frame<'a>,
    done: Option<Done>,
    subscription: Option<Shown>,
    listing_id: Option<&'a str>,
    sends_email: bool,
    api: String,
}

/// A subscription as its recipient sees it.
struct Shown {
    token: String,
    about: String,
    by_email: bool,
    is_confirmed: bool,
    /// Whether the last message was not delivered.
    fails: bool,
}

impl Document for Subscribe {
    const PATHS: &'static [&'static str] = &["/subscribe"];
    const SUMMARY: &'static str = "The form that subscribes an e-mail address to changes of listings, and the page on which a \
        subscription is confirmed or ended.";
    const MEDIA_TYPE: &'static str = frame::MEDIA_TYPE;
    const HEADERS: &'static [(&'static str, &'static str)] = frame::HEADERS;
    const REFUSALS: &'static [u16] = &[404];
    type Query = SubscribeQuery;
    type Answer = String;

    async fn render(app: &App, request: &DocumentRequest<SubscribeQuery>) -> Result<Bytes, Problem> {
        let SubscribeQuery { token, listing_id, done } = &request.query;
        let subscription = match token {
            Some(token) => {
                let found = subscriptions::find(app, token).await?;
                Some(Shown {
                    token: token.clone(),
                    about: topic_in_words(&found.topic),
                    by_email: matches!(found.recipient, Recipient::Email { .. }),
                    is_confirmed: found.since.is_some(),
                    fails: found.failures > 0,
                })
            }
            None => None,
        };
        let settings = &app.settings;
        let frame = Frame::of(settings, Section::None, "/subscribe", "Subscribe to changes", Self::SUMMARY);
        let is_plain = token.is_none() && listing_id.is_none() && done.is_none();
        html(&Page {
            frame: if is_plain { frame } else { frame.not_indexed() },
            done: *done,
            subscription,
            listing_id: listing_id.as_deref(),
            sends_email: settings.mail_from.is_some(),
            api: settings.url("/api/subscriptions"),
        })
    }
}

impl Page<'_> {
    /// What the form subscribes to.
    fn about(&self) -> String {
        let listing_id = self.listing_id.and_then(|id| id.parse().ok());
        topic_in_words(&Topic { listing_id, ..Topic::default() })
    }
}
