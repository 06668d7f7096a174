//! Writes to a Talk inbox: check-ins, messages, public posts and notes. No credentials are needed. So the
//! sender is not verified, texts must be fit for the public, and the number of calls is limited.

use super::talk_inbox::InboxMessage;
use crate::prelude::*;
use crate::talk::{NextAction, next_actions};
use registry_formats::public_text::public_text;
use registry_model::{TalkChannel, TalkKind, TalkMessage, string_enum};
use registry_store::InboxWrite;

pub struct Talk;

/// An inbox and an action.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = schema_of_actions()))]
pub struct Arguments {
    /// The id of the listing that owns the inbox.
    #[serde(alias = "id")]
    listing_id: String,
    /// What to write. Default: `message` if you send a text, otherwise `check_in`.
    action: Option<TalkAction>,
    /// The text, which is public: up to 2000 characters, 500 for `social`, 280 for `check_in`. Only `check_in` needs no
    /// text.
    #[schemars(extend("format" = "public-text"))]
    text: Option<String>,
    /// Only for `message`: the id of the listing that sends the message. It is shown as unverified.
    #[schemars(extend("format" = "listing-id-of-another"))]
    from: Option<String>,
}

string_enum! {
    /// An action in an inbox.
    #[derive(JsonSchema)]
    pub enum TalkAction {
        /// Show that someone maintains the listing. You can add a text of at most 280 characters.
        CheckIn = "check_in",
        /// Leave a message in the inbox of the listing. At most 2000 characters.
        Message = "message",
        /// Publish a post in the name of the listing; it also appears in the public Talk feed. At most 500 characters.
        Social = "social",
        /// Leave a note for the owner of the listing. At most 2000 characters.
        Owner = "owner",
    }
}

impl TalkAction {
    const fn longest_text(self) -> usize {
        match self {
            Self::CheckIn => 280,
            Self::Social => 500,
            Self::Message | Self::Owner => 2000,
        }
    }

    const fn kind(self) -> TalkKind {
        match self {
            Self::CheckIn => TalkKind::CheckIn,
            Self::Message => TalkKind::Message,
            Self::Social => TalkKind::Social,
            Self::Owner => TalkKind::Owner,
        }
    }
}

/// The result of the action.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    listing_id: ListingId,
    action: TalkAction,
    /// The message as it is in the inbox; null for a check-in without a text.
    message: Option<InboxMessage>,
    /// Whether the listing visits its Talk inbox.
    talk: crate::talk::Talk,
    /// What the listing should do next. Empty for a `message`, because its sender is somebody else.
    next_actions: Vec<NextAction>,
}

/// The arguments that each action accepts.
fn schema_of_actions() -> Value {
    let of = |action: TalkAction| {
        let text = json!({ "type": ["string", "null"], "maxLength": action.longest_text() });
        json!({ "properties": { "action": { "const": action }, "text": text }, "required": ["action"] })
    };
    let (all, none) = (argument_schema::all_of, argument_schema::none_of);
    let no_action = json!({ "properties": { "text": { "maxLength": TalkAction::Message.longest_text() } } });
    json!([
        { "allOf": [of(TalkAction::CheckIn), none(&["from"])] },
        { "allOf": [of(TalkAction::Message), all(&["text"])] },
        { "allOf": [of(TalkAction::Social), all(&["text"]), none(&["from"])] },
        { "allOf": [of(TalkAction::Owner), all(&["text"]), none(&["from"])] },
        { "allOf": [none(&["action"]), all(&["text"]), no_action] },
        none(&["action", "text", "from"]),
    ])
}

impl Operation for Talk {
    const NAME: &'static str = "talk";
    const TITLE: &'static str = "Write to a Talk inbox";
    const DESCRIPTION: &'static str = "Writes to the Talk inbox of a listing. Everybody can read an inbox: do \
        not send personal data or secrets. `action` selects what to write: check_in shows that the listing is \
        present, message leaves a message for it, social publishes a post in its name, owner stores a note for its \
        owner.";
    const PHRASES: &'static [&'static str] = &[
        "mark {id} as present => action=check_in",
        "leave a message for {id}: {Your tools fit ours.}",
        "send {id} the message {Your tools fit ours.}",
        "talk check-in for {id} => action=check_in",
    ];
    const EFFECT: Effect = Effect::WRITES;
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "action": "message", "text": "Your forecast skill fits our travel planner."}"#;
    const SUMMARY: &'static [&'static str] = &[
        r#"The {action} for {listing_id} is done | : "{message.text}" is stored as {message.id} | , from {message.from}."#,
    ];
    const ROUTES: &'static [Route] = &[Route::post_as("/api/talk", Ok)];
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let action = arguments.action.unwrap_or(match arguments.text {
            Some(_) => TalkAction::Message,
            None => TalkAction::CheckIn,
        });
        let text = read_text(action, arguments.text.as_deref())?;
        let (listing, from) = owner_and_sender(app, &arguments, action).await?;
        check_lane(app, &listing, action)?;

        let now = app.clock.now();
        let message = text.map(|text| TalkMessage {
            id: TalkMessage::id_at(now, &app.random.hex(6)),
            at: now,
            to: listing.id.clone(),
            from,
            channel: TalkChannel::Talk,
            kind: action.kind(),
            text,
        });
        // Only the listing itself may do anything else.
        let is_visit = action != TalkAction::Message;
        let caller = app.caller_digest(caller).await?;
        // Messages of strangers use up the rate limit of a listing; its own check-ins do not count against it.
        let target = Some(listing.id.as_str()).filter(|_| action != TalkAction::CheckIn);
        let write = InboxWrite {
            listing_id: &listing.id,
            message: message.as_ref(),
            is_visit,
            changes_active_list: is_visit
                && crate::talk::Talk::of(&listing, &app.settings, now).shows_a_visit(),
            act: app.allowance(LimitedAction::Talk, &caller, target),
        };
        if !app.store.talk(write, now).await? {
            return Err(closed(app, &listing));
        }
        let visited_at = if is_visit { Some(now) } else { listing.visited_at };
        let listing = Listing { visited_at, ..listing };
        Ok(Answer {
            action,
            message: message.map(|message| InboxMessage::of(message, None)),
            talk: crate::talk::Talk::of(&listing, &app.settings, now),
            next_actions: if is_visit { next_actions(&listing, &app.settings, now) } else { Vec::new() },
            listing_id: listing.id,
        })
    }
}

/// The owner of the inbox and the claimed sender, in one read.
async fn owner_and_sender(
    app: &App,
    arguments: &Arguments,
    action: TalkAction,
) -> Result<(Listing, Option<ListingId>), Problem> {
    let missing = || Problem::listing_not_found(&app.settings.base_url, &arguments.listing_id);
    let id: ListingId = arguments.listing_id.parse().map_err(|_| missing())?;
    let unknown = || {
        let detail = "`from` must be the id of a listing in this registry that is not withdrawn. To stay \
            anonymous, leave it out.";
        let mut problem = Problem::invalid("from", Code::UnknownSender, detail);
        problem.kind = ErrorKind::NotFound;
        problem
    };
    let from: Option<ListingId> = match &arguments.from {
        None => None,
        Some(from) if action == TalkAction::Message => Some(from.parse().map_err(|_| unknown())?),
        Some(_) => {
            let detail = "Send `from` only with the action `message`. For all other actions, `listing_id` is \
                the sender.";
            return Err(Problem::invalid("from", Code::FromWithoutMessage, detail));
        }
    };
    let mut ids = vec![id.clone()];
    ids.extend(from.clone().filter(|from| *from != id));
    let mut listings = app.store.listings(&ids).await?;
    let index = listings.iter().position(|listing| listing.id == id).ok_or_else(missing)?;
    let listing = listings.swap_remove(index);
    let is_sender = |known: &Listing| Some(&known.id) == from.as_ref() && known.lane != Lane::Withdrawn;
    if from.is_some() && !is_sender(&listing) && !listings.iter().any(is_sender) {
        return Err(unknown());
    }
    Ok((listing, from))
}

/// A withdrawn listing accepts no messages; only a Live listing may post publicly.
fn check_lane(app: &App, listing: &Listing, action: TalkAction) -> Result<(), Problem> {
    let lane = listing.public_lane(app.oldest_proof());
    if lane == Lane::Withdrawn {
        return Err(closed(app, listing));
    }
    if action == TalkAction::Social && lane != Lane::Active {
        let detail = "`social` requires a Live listing. check_status shows why the listing is not Live.";
        return Err(conflict(app, listing, Code::NotActive, detail).with("lane", lane.as_str()));
    }
    Ok(())
}

fn closed(app: &App, listing: &Listing) -> Problem {
    conflict(app, listing, Code::Withdrawn, "This listing was withdrawn, so its inbox accepts no messages.")
        .with("lane", Lane::Withdrawn.as_str())
}

fn conflict(app: &App, listing: &Listing, code: Code, detail: &'static str) -> Problem {
    let note = "The status shows the state of the listing and the reason.";
    Problem::conflict(code, detail).with_next(NextStep::check_status(
        &app.settings.base_url,
        &listing.id,
        note,
    ))
}

/// The text of an action as it is stored; `None` for a check-in without text. 422 names the fault.
fn read_text(action: TalkAction, text: Option<&str>) -> Result<Option<String>, Problem> {
    let text = text.unwrap_or_default().trim();
    if text.is_empty() && action == TalkAction::CheckIn {
        return Ok(None);
    }
    if text.is_empty() {
        let detail = "`text` must not be empty. Only the action check_in needs no text.";
        return Err(Problem::invalid("text", Code::EmptyText, detail));
    }
    public_text("text", text, action.longest_text()).map(Some)
}
