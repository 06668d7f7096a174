//! Turns the result of a probe into an assessment: it runs the checks and computes the score. The same code
//! assesses listings and URLs that are not listed, so that the free score of a URL predicts its real score.

use crate::checks::{self, Context};
use crate::handshake::{self, Subject};
use crate::{explain, score, transition};
use registry_app::App;
use registry_formats::injection;
use registry_model::{
    Amounts, Assessment, Facts, Handshake, Kind, Lane, Listing, ListingId, ProbeStep, Verdict,
};
use registry_store::StoreError;

/// Probes a URL that need not be listed; `id` is its listing, or the one that it would get. Also returns each request of the
/// probe with its answer.
pub async fn stranger(
    app: &App,
    subject: &Subject,
    id: &ListingId,
) -> Result<(Assessment, Vec<ProbeStep>), StoreError> {
    let (verdict, mut steps) = handshake::probe_with_transcript(&app.fetcher, subject, &app.random).await;
    let holder = match &verdict.facts.endpoint {
        Some(endpoint) => app.store.endpoint_holder(endpoint, id).await?,
        None => None,
    };
    let context = Context {
        reach: app.settings.reach(),
        card_url: verdict.facts.card_url.clone().or_else(|| Some(subject.url.as_str().to_owned())),
        endpoint_holder: holder.map(|id| id.to_string()),
        listing: None,
    };
    let assessment = assessed(app, verdict, &context);
    explain::explain_steps(&mut steps, &assessment);
    Ok((assessment, steps))
}

/// Assesses what a probe of a listing found. If the handshake was `ok` or proved a sign-in, one read finds out which listing
/// has the endpoint; it also returns the values of its trail.
pub async fn listed(
    app: &App,
    listing: &Listing,
    mut verdict: Verdict,
) -> Result<(Assessment, Option<Amounts>), StoreError> {
    // A light handshake sends no message, and only an agent that answered the last message is Live.
    let is_light = verdict.facts.kind == Some(Kind::Agent) && verdict.answers.is_none();
    if is_light && verdict.handshake == Handshake::Ok && listing.lane == Lane::Active {
        verdict.signals.push(score::MESSAGE_ANSWERED_BEFORE.to_owned());
    }
    let is_good = verdict.handshake == Handshake::Ok || verdict.facts.sign_in.is_some();
    // After a failure, a passed probe reduces the danger of the trail; a probe that was requested has not read the trail.
    let is_steady = listing.lane.is_proven() && listing.schedule.failures == 0;
    let (holder, trail) = match verdict.facts.endpoint.as_deref().filter(|_| is_good) {
        Some(endpoint) if !is_steady || listing.endpoint.as_deref() != Some(endpoint) => {
            let (holder, trail) =
                app.store.endpoint_holder_and_trail(endpoint, &listing.id, app.clock.now()).await?;
            (holder, Some(trail))
        }
        _ => (None, None),
    };
    let context = context(app, listing, &verdict, holder.map(|id| id.to_string()));
    Ok((assessed(app, verdict, &context), trail))
}

pub fn with_endpoint_holder(app: &App, listing: &Listing, verdict: Verdict, holder: String) -> Assessment {
    let context = context(app, listing, &verdict, Some(holder));
    assessed(app, verdict, &context)
}

fn context(app: &App, listing: &Listing, verdict: &Verdict, endpoint_holder: Option<String>) -> Context {
    // The texts as they will be shown: texts that this probe replaced no longer count.
    let mut shown = listing.clone();
    transition::apply_texts(&mut shown, &verdict.facts);
    let card_url = listing.card_url.as_ref().filter(|_| verdict.facts.kind != Some(Kind::Mcp));
    Context {
        reach: app.settings.reach(),
        card_url: card_url
            .or(listing.url.as_ref().filter(|_| listing.ownership.server_name.is_none()))
            .cloned(),
        endpoint_holder,
        listing: Some(shown),
    }
}

fn assessed(app: &App, mut verdict: Verdict, context: &Context) -> Assessment {
    let checks = checks::run_all(&verdict, context);
    let score = score::compute_score(&verdict, &checks, context.listing.as_ref());
    withhold(&mut verdict.facts);
    Assessment { verdict, checks, score, probed_at: app.clock.now(), changed: None }
}

/// What looks like an instruction to a model or hides something was checked, and nobody else gets to read it.
fn withhold(facts: &mut Facts) {
    let skills = facts.skills.iter_mut().flat_map(|skill| {
        [&mut skill.id, &mut skill.name, &mut skill.description].into_iter().chain(&mut skill.tags)
    });
    let tools = facts.tools.iter_mut().flat_map(|tool| {
        let parameters = tool.parameters.iter_mut().map(|parameter| &mut parameter.name);
        [&mut tool.name, &mut tool.description].into_iter().chain(parameters)
    });
    let own = [&mut facts.name, &mut facts.description, &mut facts.version, &mut facts.website];
    for text in own.into_iter().flatten().chain(skills).chain(tools) {
        if !injection::is_fit(text) {
            injection::WITHHELD.clone_into(text);
        }
    }
}
