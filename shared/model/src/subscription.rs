//! A subscription: who wants to be told about which changes of listings, and how far the registry has come.

use std::fmt;

use jiff::SignedDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Change, HostName, Kind, ListingId, Moment, Random, is_lower_hex};

/// `sub_` and 32 hexadecimal digits. Whoever knows it can confirm and end the subscription, so only its recipient gets it.
#[derive(Clone, PartialEq, Eq)]
pub struct SubscriptionToken(String);

secret_type!(
    SubscriptionToken,
    InvalidSubscriptionToken,
    "not the token of a subscription; it is sub_ and 32 hexadecimal digits",
    |text: &str| is_lower_hex(text.strip_prefix("sub_")?, 32).then(|| text.to_owned())
);

impl SubscriptionToken {
    pub fn new(random: &Random) -> Self {
        Self(format!("sub_{}", random.hex(16)))
    }

    /// A token from the table, which is not checked again.
    pub fn of_table(text: &str) -> Self {
        Self(text.to_owned())
    }
}

/// Where changes are sent.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "channel", rename_all = "snake_case")]
pub enum Recipient {
    Webhook {
        url: String,
        /// The key of its signatures in base64, without the prefix `whsec_`.
        key: String,
    },
    Email {
        address: String,
    },
}

/// Neither keys nor addresses belong in a log.
impl fmt::Debug for Recipient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Webhook { .. } => "Webhook(…)",
            Self::Email { .. } => "Email(…)",
        })
    }
}

/// Which changes a subscription is about: those that satisfy all members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Topic {
    /// Only changes of this listing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing_id: Option<ListingId>,
    /// Only changes of listings at this host name or below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub domain: Option<HostName>,
    /// Only changes of agents or of MCP servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
}

impl Topic {
    /// `is_at` returns whether a listing is at a host or below it.
    pub fn includes(&self, change: &Change, is_at: impl Fn(&ListingId, &HostName) -> bool) -> bool {
        let id = change.item.listing_id.as_ref();
        self.listing_id.as_ref().is_none_or(|wanted| id == Some(wanted))
            && self.kind.is_none_or(|wanted| change.item.kind == Some(wanted))
            && self.domain.as_ref().is_none_or(|domain| id.is_some_and(|id| is_at(id, domain)))
    }
}

#[derive(Clone, Debug)]
pub struct Subscription {
    pub token: SubscriptionToken,
    pub recipient: Recipient,
    pub topic: Topic,
    pub made_at: Moment,
    /// The number of the last change that was sent or needed not be sent. `None` until the recipient has confirmed.
    pub since: Option<u64>,
    /// When the registry sends something next, if it waits for that: the request to confirm, a retry, or the next e-mail.
    /// `None`: at the next change.
    pub next_at: Option<Moment>,
    /// Deliveries that failed in succession.
    pub failures: u32,
    pub failing_since: Option<Moment>,
}

impl Subscription {
    /// A recipient must confirm within this time.
    pub const CONFIRMED_WITHIN: SignedDuration = SignedDuration::from_hours(48);
    /// A subscription ends when all deliveries of this time have failed.
    pub const ENDS_AFTER: SignedDuration = SignedDuration::from_hours(5 * 24);

    pub fn new(token: SubscriptionToken, recipient: Recipient, topic: Topic, now: Moment) -> Self {
        let next_at = Some(now);
        Self { token, recipient, topic, made_at: now, since: None, next_at, failures: 0, failing_since: None }
    }

    /// Whether it was not confirmed in time.
    pub fn is_lost(&self, now: Moment) -> bool {
        self.since.is_none() && now.duration_since(self.made_at) > Self::CONFIRMED_WITHIN
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FeedItem;

    #[test]
    fn topic_includes_changes_that_satisfy_all_its_members() {
        let id: ListingId = "mcp-a".parse().unwrap();
        let item = FeedItem {
            what: "listing_live".to_owned(),
            at: Moment::UNIX_EPOCH,
            listing_id: Some(id.clone()),
            kind: Some(Kind::Mcp),
            name: "A".to_owned(),
            text: String::new(),
            severity: None,
        };
        let change = Change { cursor: 1, item };
        let host = |name: &str| HostName::of_url(&format!("https://{name}/"));
        let includes = |topic: &Topic| {
            topic.includes(&change, |_, domain| host("mcp.example.org").is_some_and(|at| domain.covers(&at)))
        };
        assert!(includes(&Topic::default()));
        let at = |name: &str| Topic { domain: host(name), ..Topic::default() };
        assert!(includes(&at("example.org")) && includes(&at("mcp.example.org")));
        assert!(!includes(&at("other.example.org")) && !includes(&at("ample.org")));
        let all = Topic { listing_id: Some(id), kind: Some(Kind::Mcp), ..at("example.org") };
        assert!(includes(&all));
        assert!(!includes(&Topic { kind: Some(Kind::Agent), ..all.clone() }));
        assert!(!includes(&Topic { listing_id: "mcp-b".parse().ok(), ..all }));
    }

    #[test]
    fn recipient_is_never_printed() {
        let email = Recipient::Email { address: "a@example.org".to_owned() };
        let webhook = Recipient::Webhook { url: "https://x.example/secret".to_owned(), key: "k".to_owned() };
        assert_eq!(format!("{email:?} {webhook:?}"), "Email(…) Webhook(…)");
    }
}
