//! Messages and news about listings: messages in Talk inboxes (`specification.md#talk`), first messages to
//! listings (`specification.md#outreach`), and items of the activity feed (`specification.md#feed`). A sender
//! is a listing or the registry, never a person.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Kind, Listing, ListingId, Moment, Severity};

/// One message of an inbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TalkMessage {
    /// The id; ids sort by time.
    pub id: String,
    /// When it was left.
    #[schemars(with = "String")]
    pub at: Moment,
    /// The listing whose inbox it is in.
    pub to: ListingId,
    /// The listing that sent it; not verified. Absent for messages of the registry and of unnamed senders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<ListingId>,
    /// How it came: `registry` or `talk`.
    pub channel: TalkChannel,
    /// The kind of message.
    pub kind: TalkKind,
    /// Its text.
    pub text: String,
}

impl TalkMessage {
    /// A message of the registry about an event at `at`. Its id is made from `kind` and `at`: a repetition has the same id.
    pub fn of_registry(to: &ListingId, kind: TalkKind, at: Moment, text: String) -> Self {
        let id = Self::id_at(at, kind.as_str());
        Self { id, at, to: to.clone(), from: None, channel: TalkChannel::Registry, kind, text }
    }

    /// The id of a message; `mark` distinguishes messages of the same millisecond.
    pub fn id_at(at: Moment, mark: &str) -> String {
        format!("msg_{:013}_{mark}", at.as_millisecond())
    }
}

/// How a message arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TalkChannel {
    /// The registry wrote it.
    Registry,
    /// It was sent to `/api/talk`.
    Talk,
}

string_enum! {
    /// The kind of a message.
    #[derive(JsonSchema)]
    pub enum TalkKind {
        /// From the registry: the listing went Live, or is gated now.
        Welcome = "welcome",
        /// From the registry: an invitation to take the demo.
        DemoInvitation = "demo_invitation",
        /// From the registry: the weekly recheck passed or failed.
        Recheck = "recheck",
        /// From the registry: a probe found something to fix.
        NeedsFix = "needs_fix",
        /// From the registry: the tools changed since the last probe.
        Drift = "drift",
        /// From the registry: an introduction to the connector of the day.
        Connector = "connector",
        /// A message from another listing or from any caller.
        Message = "message",
        /// A greeting or offer to all readers of the public talk feed.
        Social = "social",
        /// A note for the owner of the listing.
        Owner = "owner",
        /// A check-in: a sign that someone maintains the listing.
        CheckIn = "check_in",
    }
}

/// An outreach message: the registry wrote to a listing that had not written to it. The effect of the message is not
/// stored here; the listing itself shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Touch {
    /// The listing that was written to.
    pub listing_id: ListingId,
    /// When it was sent.
    #[schemars(with = "String")]
    pub at: Moment,
    /// The reason.
    pub kind: TouchKind,
    /// Whether the listing had taken its demo before. If true, the message cannot lead to a demo.
    #[serde(default)]
    pub after_demo: bool,
    /// The result of the A2A message that was also sent: `delivered`, or why not. Absent if none was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub a2a: Option<String>,
}

/// The purpose of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TouchKind {
    /// To invite a Live listing to its demo.
    Invitation,
    /// To introduce the registry to the connector of the day.
    Connector,
}

/// One line of the public activity feed. It contains nothing about any person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FeedItem {
    /// `listing_queued`, `listing_live`, `listing_needs_fix`, `listing_demoted`, `listing_withdrawn`, `host_blocked`,
    /// ...
    #[serde(rename = "type")]
    pub what: String,
    #[schemars(with = "String")]
    pub at: Moment,
    /// Absent where it happened to a host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing_id: Option<ListingId>,
    /// Absent until the kind of the listing is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    pub name: String,
    /// One sentence for people.
    pub text: String,
    /// How much a change of tools matters to clients, with `listing_tools_changed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
}

impl FeedItem {
    /// The types that `changes` returns.
    pub const CHANGES: [&str; 9] = [
        "listing_live",
        "listing_gated",
        "listing_demoted",
        "listing_overdue",
        "listing_withdrawn",
        "listing_restored",
        "listing_renamed",
        "listing_name_proven",
        "listing_tools_changed",
    ];

    pub fn of_listing(listing: &Listing, what: &str, text: String, at: Moment) -> Self {
        let (listing_id, name) = (Some(listing.id.clone()), listing.texts.name.clone());
        Self { what: what.to_owned(), at, listing_id, kind: listing.kind, name, text, severity: None }
    }

    /// Whether it is one of the [changes](Self::CHANGES).
    pub fn is_change(&self) -> bool {
        self.listing_id.is_some() && Self::CHANGES.contains(&self.what.as_str())
    }

    /// A new or newly proven name of a listing that stays Live or gated.
    pub fn of_name(before: &Listing, after: &Listing, at: Moment) -> Option<Self> {
        if !before.was_proven() {
            return None;
        }
        let proves = !before.has_proven_name() && after.has_proven_name();
        let (what, text) = if let Some(name) = after.ownership.server_name.as_deref().filter(|_| proves) {
            ("listing_name_proven", format!("{} proved that it may use the name {name}.", after.texts.name))
        } else if before.texts.name != after.texts.name && before.texts.name != before.id.as_str() {
            (
                "listing_renamed",
                format!("{} was renamed; its name was {}.", after.texts.name, before.texts.name),
            )
        } else {
            return None;
        };
        Some(Self::of_listing(after, what, text, at))
    }
}

/// A change of a listing in the order in which all followers see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Its number: each change has the number of the one before plus 1. Pass it as `since` to get later changes.
    pub cursor: u64,
    #[serde(flatten)]
    pub item: FeedItem,
}
