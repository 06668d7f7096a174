//! What the owner of a listing can do: withdraw, restore, rename or reprobe it, opt it in again, reclaim its reward, and read
//! its feedback. The caller proves ownership for each action: it signs a challenge for that action with a key of the
//! listing's domain.

use registry_model::{Schedule, Texts};
use std::collections::BTreeMap;

use crate::funnel::operations::leave_feedback::Discount;
use crate::funnel::{self, Rewarded};
use crate::operator::takedown;
use crate::outreach;
use crate::prelude::*;
use crate::publish::listing::changed_meanwhile;
use crate::trust::owner::{named_key, public_jwk_schema};
use crate::trust::ownership::{self, Domains, ShownChallenge, SignedChallenge, Way};
use registry_formats::limits::LONGEST_NAME;
use registry_formats::plain_text::{self, TextKind};
use registry_formats::public_text::public_text;
use registry_formats::{argument_text, injection};
use registry_model::Contact;
use registry_store::events::{Event, What};

pub struct ManageListing;

/// What to do with the listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OwnerAct {
    /// Removes the listing from all lists and searches. You can undo this with `restore`.
    Withdraw,
    /// Restores a listing that its owner withdrew. A new probe decides its state.
    Restore,
    /// Changes the displayed name.
    Rename,
    /// Requests a new probe.
    Reprobe,
    /// Allows invitations again, after somebody opted the listing out.
    OptIn,
    /// Gets the reward of the listing's feedback, whoever sent the feedback. The earlier token or code stops working.
    Reclaim,
    /// Reads the feedback that was sent for the listing.
    ReadFeedback,
}

/// The listing, the action, and the signed challenge.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = argument_schema::together(&["nonce", "signature"])))]
#[schemars(extend("oneOf" = [
    { "required": ["name"], "properties": { "act": { "const": "rename" }, "name": { "type": "string" } } },
    { "properties": { "act": { "not": { "const": "rename" } }, "name": { "type": "null" } } },
]))]
pub struct Arguments {
    /// The id of the listing.
    #[serde(alias = "id")]
    listing_id: String,
    /// What to do with the listing.
    act: OwnerAct,
    /// The new name; only with act `rename`.
    #[schemars(regex(pattern = argument_schema::LINE), length(max = LONGEST_NAME))]
    name: Option<String>,
    /// The public key as a JWK, if the registry must use exactly this key.
    #[serde(default)]
    #[schemars(schema_with = "public_jwk_schema")]
    public_jwk: Option<Map<String, Value>>,
    /// The nonce of the challenge that you signed. Send it together with `signature`.
    nonce: Option<String>,
    /// The signature of the challenge's text, in hexadecimal or base64.
    #[schemars(extend("format" = "signature"))]
    signature: Option<String>,
}

/// The result of the action, or the challenge to sign.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    listing_id: ListingId,
    act: OwnerAct,
    /// Whether the action was done. It is false if you must sign the challenge first.
    done: bool,
    changed: bool,
    /// The state of the listing now.
    lane: Lane,
    name: String,
    /// The domain whose key is bound to the listing, as in its status.
    proven_domain: Option<String>,
    /// When the next probe is due, after `restore` and `reprobe`.
    due_at: Option<Moment>,
    /// The new access token, after `reclaim`; shown in this answer only.
    #[serde(skip_serializing_if = "Option::is_none")]
    access_token: Option<String>,
    /// The new discount code, after `reclaim`, if the listing has a code; shown in this answer only.
    #[serde(skip_serializing_if = "Option::is_none")]
    discount: Option<Discount>,
    /// The feedback, after `read_feedback`. Its texts were written by whoever sent it.
    #[serde(skip_serializing_if = "Option::is_none")]
    feedback: Option<GivenAnswers>,
    /// The challenge to sign. Null if you sent a signature.
    challenge: Option<ShownChallenge>,
    /// The places where the domain can publish a key. One place is enough.
    ways: Vec<Way>,
    note: &'static str,
}

/// Feedback that was sent for a listing.
#[derive(Debug, Serialize, JsonSchema)]
struct GivenAnswers {
    sku: Sku,
    /// 1 to 5.
    rating: u8,
    /// By question; empty a year after the feedback.
    answers: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    at: Moment,
}

impl Operation for ManageListing {
    const NAME: &'static str = "manage_listing";
    const TITLE: &'static str = "Manage your own listing";
    const DESCRIPTION: &'static str = "Changes a listing that you own: withdraw, restore, rename (if it has a \
        server.json), reprobe (unless Live or gated, publish again), opt_in, reclaim (its reward) or read_feedback. Call it with listing_id and act, \
        sign the challenge with a key of the domain, and call again with nonce and signature.";
    const PHRASES: &'static [&'static str] = &[
        "manage my listing {id}",
        "manage listing {id}",
        "probe {id} again => act=reprobe",
        "withdraw the listing {id} => act=withdraw",
        "remove the listing {id} => act=withdraw",
        "delete the listing {id} => act=withdraw",
        "restore the listing {id} => act=restore",
        "take down the listing {id} => act=withdraw",
        "rename {id} to {Weather Bot} => act=rename",
    ];
    const EFFECT: Effect = Effect { open_world: true, destructive: true, ..Effect::WRITES };
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "act": "reprobe"}"#;
    const SUMMARY: &'static [&'static str] = &[
        "{act} of {listing_id} {done?is done|was not done: it needs a signature of the owner}. The listing is {lane}. {note}",
        "The challenge to sign is: {challenge.text} {challenge.how}",
    ];
    const FAMILY: Option<Family> = Some(Family::TRUST);
    const REFUSALS: &'static [ErrorKind] =
        &[ErrorKind::Unauthenticated, ErrorKind::Forbidden, ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let Arguments { listing_id, act, name, public_jwk, nonce, signature } = arguments;
        let key = named_key(public_jwk.as_ref(), None)?;
        let offered = SignedChallenge::parse(nonce.as_deref(), signature.as_deref(), key)?;
        let listing = lookup::listing(app, &listing_id).await?;
        let name = new_name(act, name.as_deref(), &listing)?;
        check_allowed(app, act, &listing)?;
        let ways = Domains::of(&listing)?.ways(app, None);
        let text = text_of(act, &listing.id, name.as_deref());
        let mut answer = Answer {
            listing_id: listing.id.clone(),
            act,
            done: false,
            changed: false,
            lane: listing.public_lane(app.oldest_proof()),
            name: listing.texts.name.clone(),
            proven_domain: listing.valid_domain().map(ToString::to_string),
            due_at: None,
            access_token: None,
            discount: None,
            feedback: None,
            challenge: None,
            ways,
            note: match act {
                OwnerAct::Reprobe => {
                    "Sign the challenge, and send the same call with `nonce` and `signature`. If the listing is neither Live \
                     nor gated, publishing its URL again also asks for a probe, without a signature."
                }
                _ => "Sign the challenge, and send the same call with `nonce` and `signature`.",
            },
        };
        let Some(offered) = offered else {
            answer.challenge = Some(ownership::challenge(app, caller, &text).await?);
            return Ok(answer);
        };
        ownership::prove(app, caller, &listing, &text, &offered).await?;
        answer.carry_out(app, &listing, name).await?;
        let after = lookup::listing(app, listing.id.as_str()).await?;
        answer.done = true;
        answer.lane = after.public_lane(app.oldest_proof());
        answer.due_at =
            Some(after.schedule.due_at).filter(|_| matches!(act, OwnerAct::Restore | OwnerAct::Reprobe));
        answer.proven_domain = after.valid_domain().map(ToString::to_string);
        answer.name = after.texts.name;
        Ok(answer)
    }
}

impl Answer {
    async fn carry_out(&mut self, app: &App, listing: &Listing, name: Option<String>) -> Result<(), Problem> {
        let id = &listing.id;
        (self.changed, self.note) = match self.act {
            OwnerAct::Withdraw => match takedown::withdraw_by_owner(app, id).await? {
                true => (
                    true,
                    "Withdrawn. The listing is no longer in lists and searches. You can undo this with `restore`.",
                ),
                false => (false, "It is withdrawn: see its status."),
            },
            OwnerAct::Restore => (
                takedown::restore_by_owner(app, id, true).await?,
                "Restored. A probe is due now. check_status shows the result.",
            ),
            OwnerAct::Rename => {
                let after = Listing {
                    texts: Texts {
                        name: name.unwrap_or_else(|| listing.texts.name.clone()),
                        ..listing.texts.clone()
                    },
                    ..listing.clone()
                };
                let changed = after.texts.name != listing.texts.name;
                if changed {
                    rewrite(app, listing, &after).await?;
                }
                (
                    changed,
                    "The new name is shown (in searches within minutes, not in `/v0.1`) until a server.json with a \
                     proof replaces it.",
                )
            }
            OwnerAct::Reprobe => {
                let now = app.clock.now();
                let (due_at, probe_requested_at) = (listing.schedule.due_at.min(now), Some(now));
                let after = Listing {
                    schedule: Schedule {
                        due_at,
                        at_once: true,
                        probe_requested_at,
                        ..listing.schedule.clone()
                    },
                    ..listing.clone()
                };
                rewrite(app, listing, &after).await?;
                // The event starts the probe.
                app.bus.send(&Event::of(&after, What::Queued, app.clock.now())).await;
                (true, "A probe is due now. check_status shows the result.")
            }
            OwnerAct::OptIn => (
                outreach::opt_in(app, listing).await?,
                "Invitations are allowed, under the same rules and pauses as for other listings.",
            ),
            OwnerAct::Reclaim => {
                match funnel::reclaim(app, id).await? {
                    Rewarded::Seat(token) => self.access_token = Some(token.reveal().to_owned()),
                    Rewarded::Code(code) => {
                        let counts = app.store.live().await?.funnel;
                        let is_open = funnel::unlock(&app.settings, &counts).payments_open;
                        self.discount = Some(Discount::of(&code, is_open));
                    }
                }
                (true, "The reward is yours. The earlier token or code and its key no longer work.")
            }
            OwnerAct::ReadFeedback => {
                self.feedback = takedown::feedback_of(app, id).await?.map(|given| GivenAnswers {
                    sku: given.sku,
                    rating: given.rating,
                    answers: given.answers,
                    body: given.body,
                    at: given.at,
                });
                let shown = "Somebody sent this feedback. Its texts are shown for at most a year, without \
                    addresses, phone numbers and secrets.";
                let none = "No feedback for this listing is stored.";
                (false, if self.feedback.is_some() { shown } else { none })
            }
        };
        Ok(())
    }
}

async fn rewrite(app: &App, before: &Listing, after: &Listing) -> Result<(), Problem> {
    let now = app.clock.now();
    let written = app.store.republish(before, after, None, &Contact::default(), None, now).await?;
    if written { Ok(()) } else { Err(changed_meanwhile(true)) }
}

/// The act as it appears in the challenge's text.
fn text_of(act: OwnerAct, id: &ListingId, name: Option<&str>) -> String {
    let act = json!(act);
    let word = act.as_str().unwrap_or_default();
    match name {
        Some(name) => format!("{word} {id} to {name}"),
        None => format!("{word} {id}"),
    }
}

/// Checked before a challenge is issued.
fn check_allowed(app: &App, act: OwnerAct, listing: &Listing) -> Result<(), Problem> {
    let conflict = |code, detail: &str| {
        let problem = Problem::new(code, detail);
        Err(problem.with("lane", listing.lane.as_str()))
    };
    let withdrawn = listing.lane == Lane::Withdrawn;
    match act {
        OwnerAct::Rename | OwnerAct::Reprobe | OwnerAct::Reclaim if withdrawn => {
            let next = NextStep::check_status(
                &app.settings.base_url,
                &listing.id,
                "It says who can restore the listing.",
            );
            conflict(Code::Withdrawn, "This listing is withdrawn.").map_err(|problem| problem.with_next(next))
        }
        OwnerAct::Rename if !listing.is_described() => conflict(
            Code::NameOfTheCard,
            "Only a listing with a server description (server.json) can be renamed here. The name of this one comes from \
             its card or server, as soon as a probe can read it: change the name there, and call `reprobe`.",
        ),
        OwnerAct::Restore if listing.withdrawal.as_ref().is_some_and(|withdrawal| !withdrawal.by_owner) => {
            conflict(
                Code::WithdrawnByOperator,
                "The operator of this registry withdrew this listing; only the operator can restore it.",
            )
        }
        OwnerAct::Restore if !withdrawn => conflict(Code::NotWithdrawn, "This listing is not withdrawn."),
        _ => Ok(()),
    }
}

fn new_name(act: OwnerAct, name: Option<&str>, listing: &Listing) -> Result<Option<String>, Problem> {
    let name = match (act, name) {
        (OwnerAct::Rename, Some(name)) => argument_text::line("name", name, LONGEST_NAME)?,
        (OwnerAct::Rename, None) => {
            return Err(Problem::invalid("name", Code::NameMissing, "`rename` requires the new `name`."));
        }
        (_, Some(_)) => {
            let detail = "`name` is accepted only with act `rename`. Leave it out.";
            return Err(Problem::invalid("name", Code::NameWithoutRename, detail));
        }
        (_, None) => return Ok(None),
    };
    if let Some(fault) = plain_text::fault(&name, TextKind::Name).or_else(|| injection::fault(&name)) {
        return Err(Problem::invalid("name", Code::BadName, format!("`name` is not accepted: {fault}")));
    }
    argument_text::check_display_name("name", &name, listing.ownership.server_name.as_deref())?;
    public_text("name", &name, LONGEST_NAME).map(Some)
}
