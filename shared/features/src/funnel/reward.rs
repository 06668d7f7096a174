//! The reward for feedback: a founding seat while seats are left, then a discount code. The reward is shown once, and
//! only its digest is stored. If a caller has lost the answer, the registry can issue the reward again.

use crate::feed_item;
use crate::prelude::*;
use registry_model::{
    AccessToken, Completion, DiscountCode, Feedback, Grant, GrantSource, GrantSubject, HostName, Reward,
    TokenDigest, registrable_domain,
};
use registry_settings::Mode;
use registry_store::{Allowance, Claimant, CompletionOutcome, FunnelCounts, NewFeedback, NewReward};

/// The discount after the founding seats are gone (`specification.md#discount-codes`).
pub const DISCOUNT_PERCENT: u32 = 25;

#[derive(Clone, Debug)]
pub struct FeedbackGiven {
    pub feedback: Feedback,
    pub reward: Rewarded,
    pub counts: FunnelCounts,
}

#[derive(Clone, Debug)]
pub enum Rewarded {
    Seat(AccessToken),
    Code(DiscountCode),
}

/// Stores the completion with a seat, or with a discount code once the seats are gone.
pub(super) async fn complete(
    app: &App,
    given: NewFeedback<'_>,
    goals: Vec<String>,
    listing: &Listing,
    mut allowance: Option<Allowance<'_>>,
) -> Result<Rewarded, Problem> {
    let feedback = given.feedback;
    let (seats, grant) = (app.settings.founding_seats, seat(feedback, goals));
    let domain = limited_domain(app, listing);
    let mut seat_left = app.store.live().await?.funnel.seats_claimed < seats;
    loop {
        let rewarded = if seat_left {
            Rewarded::Seat(AccessToken::new(&app.random))
        } else {
            Rewarded::Code(DiscountCode::new(&app.random))
        };
        let token;
        let item =
            |what, did| FeedItem { kind: Some(feedback.kind), ..feed_item(listing, what, feedback.at, did) };
        let mut news = vec![item("feedback_given", "gave feedback on its demo.")];
        let reward = match &rewarded {
            Rewarded::Seat(new) => {
                token = new.digest();
                news.push(item("founding_seat_claimed", "claimed a founding seat."));
                NewReward::Seat { seats, token: &token, grant: &grant, domain: domain.as_deref() }
            }
            Rewarded::Code(code) => NewReward::Code(code),
        };
        match app.store.complete(&given, reward, allowance.take(), &news).await? {
            CompletionOutcome::Done => return Ok(rewarded),
            CompletionOutcome::SeatsGone | CompletionOutcome::DomainSeated => seat_left = false,
            CompletionOutcome::NotDemoed => return Err(demo_first(app, &feedback.listing_id)),
            CompletionOutcome::AlreadyDone if is_ours(app, &feedback.listing_id, &rewarded).await? => {
                return Ok(rewarded);
            }
            CompletionOutcome::AlreadyDone => return Err(already_completed(app, &feedback.listing_id)),
        }
    }
}

/// The registrable domain of a listing, which can have one seat. In development, peers are on one machine and are not
/// limited.
fn limited_domain(app: &App, listing: &Listing) -> Option<String> {
    if app.settings.mode == Mode::Development {
        return None;
    }
    let host = match &listing.url {
        Some(url) => HostName::of_url(url)?,
        None => HostName::of_server_name(listing.ownership.server_name.as_deref()?)?,
    };
    Some(registrable_domain(host.as_str()).unwrap_or(host.as_str()).to_owned())
}

fn seat(feedback: &Feedback, goals: Vec<String>) -> Grant {
    Grant {
        sku: feedback.sku,
        subject: GrantSubject::Listing(feedback.listing_id.clone()),
        goals: Vec::new(),
        seat_goals: goals,
        at: feedback.at,
        source: GrantSource::FoundingSeat,
    }
}

/// Issues the reward again to the caller who sends its key: a lost answer must not cost the reward. The previous
/// token or code stops working, so there are never two. Each attempt counts, so that nobody can try many keys.
pub(super) async fn reissue(
    app: &App,
    caller: &Caller,
    id: &ListingId,
    key_digest: Option<&str>,
) -> Result<FeedbackGiven, Problem> {
    app.count(LimitedAction::Reissue, &app.caller_digest(caller).await?, Some(id.as_str())).await?;
    let before = app.store.completion(id).await?.ok_or_else(|| already_completed(app, id))?;
    if key_digest.is_none() || before.key_digest.as_deref() != key_digest {
        return Err(already_completed(app, id));
    }
    // The same holder keeps the goals.
    let goals = match &before.reward {
        Reward::Seat(digest) => {
            let grant = app.store.grant(&TokenDigest::of_table(digest)).await?;
            grant.map(|grant| grant.goals().to_vec()).unwrap_or_default()
        }
        Reward::Code(_) => Vec::new(),
    };
    let reward = renew(app, &before, goals, Claimant::Key).await?;
    let reward = reward.ok_or_else(spent)?;
    Ok(FeedbackGiven { feedback: before.feedback, reward, counts: app.store.live().await?.funnel })
}

/// Issues the reward of a listing to the owner of its domain, who has proven to be the owner. What the sender of the
/// feedback has stops working: the token or code, and the key. Errors: 409 `not_completed` or `reward_spent`.
pub async fn reclaim(app: &App, id: &ListingId) -> Result<Rewarded, Problem> {
    let before = app.store.completion(id).await?.ok_or_else(|| not_completed(app, id))?;
    renew(app, &before, Vec::new(), Claimant::Owner).await?.ok_or_else(spent)
}

fn spent() -> Problem {
    let detail = "The reward was revoked by the operator, a purchase uses its discount code, or another request has just \
        replaced it. Ask the operator of this registry.";
    Problem::conflict(Code::RewardSpent, detail)
}

/// Replaces a reward; `None` if it cannot be replaced.
async fn renew(
    app: &App,
    before: &Completion,
    goals: Vec<String>,
    claimant: Claimant,
) -> Result<Option<Rewarded>, Problem> {
    let (now, id) = (app.clock.now(), &before.feedback.listing_id);
    let (reward, outcome) = match &before.reward {
        Reward::Seat(_) => {
            let (token, grant) = (AccessToken::new(&app.random), seat(&before.feedback, goals));
            let (seats, digest) = (app.settings.founding_seats, token.digest());
            let reward = NewReward::Seat { seats, token: &digest, grant: &grant, domain: None };
            let outcome = app.store.reissue(before, reward, claimant, now).await?;
            (Rewarded::Seat(token), outcome)
        }
        Reward::Code(_) => {
            let code = DiscountCode::new(&app.random);
            let outcome = app.store.reissue(before, NewReward::Code(&code), claimant, now).await?;
            (Rewarded::Code(code), outcome)
        }
    };
    let is_done = outcome == CompletionOutcome::Done || is_ours(app, id, &reward).await?;
    Ok(is_done.then_some(reward))
}

/// Whether the stored completion is the one just sent: the answer was lost on the way, and the request was sent again.
async fn is_ours(app: &App, id: &ListingId, rewarded: &Rewarded) -> Result<bool, Problem> {
    let ours = match rewarded {
        Rewarded::Seat(token) => Reward::Seat(token.digest().as_str().to_owned()),
        Rewarded::Code(code) => Reward::Code(code.digest()),
    };
    Ok(app.store.completion(id).await?.is_some_and(|stored| stored.reward == ours))
}

pub(super) fn demo_first(app: &App, id: &ListingId) -> Problem {
    let detail = "Feedback requires a demo. This listing has not taken a demo yet.";
    let note = "The response contains next_steps.example_body. Send it here.";
    Problem::conflict(Code::DemoFirst, detail).with_next(NextStep::take_demo(
        &app.settings.base_url,
        Some(id),
        note,
    ))
}

pub(super) fn already_completed(app: &App, id: &ListingId) -> Problem {
    let detail = "This listing has already sent feedback. Each listing can send feedback once. The reward \
                  was shown once, in the response. If that request had an idempotency_key, send it again with \
                  the same key and `reissue`: true. Otherwise, only the owner of the domain gets the reward, \
                  with manage_listing, act `reclaim`; after that, the key is no longer used.";
    let inbox = NextStep::talk_inbox(&app.settings.base_url, id, "Its inbox and next actions.");
    Problem::conflict(Code::AlreadyCompleted, detail).with_next(inbox)
}

fn not_completed(app: &App, id: &ListingId) -> Problem {
    let detail = "This listing has sent no feedback, so it has no reward.";
    let note = "The status contains the next step.";
    Problem::conflict(Code::NotCompleted, detail).with_next(NextStep::check_status(
        &app.settings.base_url,
        id,
        note,
    ))
}
