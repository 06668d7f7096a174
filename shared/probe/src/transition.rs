//! How an assessment changes a listing: its lane, the time of its next probe, and its count of failures. These are pure
//! rules over plain data. So every transition of `specification.md#transitions` can be read and tested in one place.

use jiff::SignedDuration;
use sha2::{Digest, Sha256};

use registry_formats::{name_owner, server_json};
use registry_model::{
    Assessment, Category, Facts, Handshake, Kind, Lane, LastProbe, Lease, Listing, Moment, Proof, Schedule,
    Verdict,
};
use registry_search::IndexedText;
use registry_settings::Settings;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// The first probe after publishing, or the tick. A failed handshake never demotes: "live counts never decrease".
    Tick,
    /// A renewal of an old proof with the rest of a tick's budget. As in a tick, a failed handshake never demotes.
    Renewal,
    /// The weekly recheck: failures in three different hours demote (`specification.md#weekly-recheck`).
    Recheck,
}

const STRIKES: usize = 3;

const MAX_PAUSE: SignedDuration = SignedDuration::from_hours(24);

/// After a failed recheck. A little less than an hour, so that the next hourly run finds the listing due.
const STRIKE_PAUSE: SignedDuration = SignedDuration::from_mins(50);
/// How often this pause doubles after the third strike: up to almost seven hours.
const MAX_DOUBLINGS: u32 = 3;

/// How long before the end of its week a listing is due for the recheck: the shortest and the longest time. The difference
/// spreads the rechecks. It is small, because the due time is also the order in which old proofs are renewed.
const EARLIEST_RECHECK: SignedDuration = SignedDuration::from_hours(24);
const LATEST_RECHECK: SignedDuration = SignedDuration::from_hours(22);

pub fn after_probe(before: &Listing, assessment: &Assessment, job: Job, settings: &Settings) -> Listing {
    let now = assessment.probed_at;
    let good = assessment.verdict.handshake == Handshake::Ok && assessment.is_clean();
    let mut after = Listing {
        proof: Proof { last_failure: None, ..before.proof.clone() },
        schedule: Schedule {
            lease: Lease::default(),
            asked_at: now.as_millisecond(),
            at_once: false,
            ..before.schedule.clone()
        },
        ..before.clone()
    };
    let rechecked_at = Some(now).filter(|_| before.lane == Lane::Active);
    after.proof.rechecked_at = rechecked_at.or(before.proof.rechecked_at);
    if good {
        after.proof.still_ok_at = rechecked_at.or(before.proof.still_ok_at);
        apply_facts(&mut after, assessment);
        set_last_probe(&mut after, assessment);
        after.lane = Lane::Active;
        let is_live = before.is_live(now - settings.recheck_interval());
        after.proof.live_since = before.proof.live_since.filter(|_| is_live).or(Some(now));
        after.proof.last_ok_at = Some(now);
        after.proof.sign_in_at = None;
        let is_whole = is_whole_handshake(assessment);
        after.proof.whole_ok_at =
            Some(now).filter(|_| is_whole).or(before.proof.whole_ok_at).or(before.proof.last_ok_at);
        pass(&mut after, assessment, settings);
        return after;
    }
    if assessment.proves_sign_in() && before.lane != Lane::Active {
        gate(&mut after, assessment, settings);
        return after;
    }
    after.schedule.failures = before.schedule.failures.saturating_add(1);
    if before.lane.is_proven() {
        if assessment.verdict.handshake == Handshake::Ok {
            // The server answered, so the check is no accident of the network and needs no confirmation.
            demote(&mut after, assessment, settings);
        } else {
            apply_failure(&mut after, assessment, job, settings);
        }
        return after;
    }
    apply_facts(&mut after, assessment);
    set_last_probe(&mut after, assessment);
    let verdict = &assessment.verdict;
    // A listing that cannot be probed does not fail.
    let fails = verdict.handshake != Handshake::Skip;
    after.schedule.failing_since = before.schedule.failing_since.or(Some(now)).filter(|_| fails);
    if before.lane != Lane::Demoted {
        after.lane = match before.lane {
            Lane::Package if verdict.inconclusive => Lane::Package,
            _ if verdict.inconclusive => Lane::Queued,
            _ if verdict.facts.has_only_named_packages() => Lane::Package,
            _ if verdict.facts.has_unchecked_packages() => Lane::Unchecked,
            _ => Lane::NeedsFix,
        };
        if after.lane == Lane::Package {
            after.texts.content_hash = Some(IndexedText::of(&after, Some(assessment)).content_hash());
        }
    }
    after.schedule.due_at = now + pause(&after, verdict, settings);
    after
}

/// A listing whose sign-in was proven: shown next to the Live ones, and proven again in a week.
fn gate(after: &mut Listing, assessment: &Assessment, settings: &Settings) {
    let now = assessment.probed_at;
    apply_facts(after, assessment);
    set_last_probe(after, assessment);
    after.lane = Lane::Gated;
    after.proof.last_failure = None;
    after.proof.live_since = None;
    after.proof.sign_in_at = Some(now);
    pass(after, assessment, settings);
}

/// What each proof does, of a Live or a gated listing: it ends failures, and begins a week.
fn pass(after: &mut Listing, assessment: &Assessment, settings: &Settings) {
    let now = assessment.probed_at;
    // A server that answers at the domain of its name supports the name, also if it was listed before names had proofs.
    let by_domain =
        || name_owner::proof_by_domain(after.ownership.server_name.as_deref()?, after.url.as_deref()?, now);
    after.ownership.name_proof = after.ownership.name_proof.or_else(by_domain);
    // A sign-in is proven by other requests than a handshake, so their time is not comparable.
    let is_ok = assessment.verdict.handshake == Handshake::Ok;
    let latency = assessment.verdict.latency_ms.filter(|_| is_ok);
    after.proof.history.add_passed(now, after.schedule.failing_since, latency);
    after.schedule.failures = 0;
    after.schedule.strikes.clear();
    after.schedule.failing_since = None;
    after.texts.content_hash = Some(IndexedText::of(after, Some(assessment)).content_hash());
    after.schedule.due_at = next_recheck(after, now, settings);
}

/// A failed Active or gated listing stays as it is and keeps its last proof until the failure is confirmed. A silent server
/// may come back, so an inconclusive failure demotes only when the week is over. The recheck confirms a failure that another
/// job has found, in its next run. A Live server that now asks for a sign-in becomes gated.
fn apply_failure(after: &mut Listing, assessment: &Assessment, job: Job, settings: &Settings) {
    let now = assessment.probed_at;
    after.schedule.failing_since = after.schedule.failing_since.or(Some(now));
    after.proof.last_failure = assessment.verdict.reasons.first().cloned();
    if job != Job::Recheck {
        after.schedule.due_at = now + tick(settings).min(STRIKE_PAUSE);
        return;
    }
    let hour = now.as_second() / 3600;
    if after.schedule.strikes.len() < STRIKES && !after.schedule.strikes.contains(&hour) {
        after.schedule.strikes.push(hour);
    }
    let week_ends = after
        .proven_at()
        .map_or(now, |last| last + settings.recheck_interval() - SignedDuration::from_hours(1));
    let week_over = now >= week_ends;
    // A silent server has all its strikes within hours. Until its week is over, it is asked less often.
    let is_silent = after.schedule.strikes.len() >= STRIKES && !week_over;
    let doublings = after.schedule.failures.saturating_sub(STRIKES as u32).min(MAX_DOUBLINGS);
    let again = if is_silent { STRIKE_PAUSE * (1 << doublings) } else { STRIKE_PAUSE };
    after.schedule.due_at = (now + again).min(week_ends.max(now + STRIKE_PAUSE));
    if after.schedule.strikes.len() >= STRIKES && (week_over || !assessment.verdict.inconclusive) {
        if assessment.proves_sign_in() {
            return gate(after, assessment, settings);
        }
        demote(after, assessment, settings);
    }
}

fn demote(after: &mut Listing, assessment: &Assessment, settings: &Settings) {
    set_last_probe(after, assessment);
    after.proof.tools_hash = assessment.verdict.facts.tools_hash.clone().or(after.proof.tools_hash.take());
    after.proof.last_failure = None;
    after.lane = Lane::Demoted;
    after.schedule.failing_since = after.schedule.failing_since.or(Some(assessment.probed_at));
    after.proof.live_since = None;
    after.schedule.strikes.clear();
    after.schedule.due_at = assessment.probed_at + pause(after, &assessment.verdict, settings);
}

fn apply_facts(listing: &mut Listing, assessment: &Assessment) {
    let verdict = &assessment.verdict;
    let facts = &verdict.facts;
    if facts.kind.is_some() && facts.kind != listing.kind {
        (listing.kind, listing.card_url, listing.proof.tools_hash) = (facts.kind, None, None);
    }
    match assessment.has_bad_texts() {
        true => apply_addresses(listing, facts),
        false => apply_texts(listing, facts),
    }
    listing.proof.era = facts.protocol_versions.first().cloned().or(listing.proof.era.take());
    listing.proof.tools_hash = facts.tools_hash.clone().or(listing.proof.tools_hash.take());
    listing.texts.category = category(listing, verdict);
}

/// The texts of a server description stay: they are its publisher's. A name in the form of a server name is not used,
/// because it claims a namespace.
pub fn apply_texts(listing: &mut Listing, facts: &Facts) {
    let described = listing.is_described();
    let is_foreign =
        |name: &str| server_json::is_name_of_another(name, listing.ownership.server_name.as_deref());
    if let Some(name) = facts.name.as_ref().filter(|name| !described && !is_foreign(name)) {
        listing.texts.name.clone_from(name);
    }
    // A card or server that was read and lacks a text no longer has it.
    let is_read = facts.name.is_some() && !described;
    let keep = |own: &mut Option<String>, found: &Option<String>| {
        if is_read || found.is_some() && !(described && own.is_some()) {
            own.clone_from(found);
        }
    };
    keep(&mut listing.texts.description, &facts.description);
    keep(&mut listing.texts.version, &facts.version);
    keep(&mut listing.texts.website, &facts.website);
    apply_addresses(listing, facts);
}

fn apply_addresses(listing: &mut Listing, facts: &Facts) {
    listing.endpoint = facts.endpoint.clone().or(listing.endpoint.take());
    listing.card_url = facts.card_url.clone().or(listing.card_url.take());
}

fn category(listing: &Listing, verdict: &Verdict) -> Category {
    let facts = &verdict.facts;
    let mut texts: Vec<&str> = listing.texts.description.iter().map(String::as_str).collect();
    texts.extend(facts.skills.iter().flat_map(|skill| {
        [skill.name.as_str(), skill.description.as_str()]
            .into_iter()
            .chain(skill.tags.iter().map(String::as_str))
    }));
    texts.extend(facts.tools.iter().flat_map(|tool| [tool.name.as_str(), tool.description.as_str()]));
    Category::of(listing.kind.unwrap_or(Kind::Agent), &listing.texts.name, &texts)
}

fn set_last_probe(listing: &mut Listing, assessment: &Assessment) {
    let Facts { endpoint, card_url, .. } = &assessment.verdict.facts;
    let target = endpoint.as_ref().or(card_url.as_ref()).map_or(listing.target(), String::as_str);
    listing.proof.probe = Some(LastProbe {
        handshake: assessment.verdict.handshake,
        score: assessment.score.value,
        at: assessment.probed_at,
        target: target.to_owned(),
        latency_ms: assessment.verdict.latency_ms,
    });
}

/// Almost a day before the week is over, so that a failure can be confirmed in time; spread by id.
fn next_recheck(listing: &Listing, now: Moment, settings: &Settings) -> Moment {
    let spread = i32::from(Sha256::digest(listing.id.as_str())[0]);
    now + pause_until_recheck(LATEST_RECHECK + (EARLIEST_RECHECK - LATEST_RECHECK) * spread / 256, settings)
}

fn pause_until_recheck(early: SignedDuration, settings: &Settings) -> SignedDuration {
    let week = settings.recheck_interval();
    (week - early).max(week / 2)
}

/// The due time up to which the proofs of Live listings are no longer fresh, and may be renewed: those of listings that are
/// due for their recheck in the order in which they were proven, the oldest first.
pub fn renewable_until(now: Moment, settings: &Settings) -> Moment {
    now - settings.fresh_ok() + pause_until_recheck(EARLIEST_RECHECK, settings)
}

/// Whether the probe did every part of the handshake: an agent answered the message, not only the task query.
fn is_whole_handshake(assessment: &Assessment) -> bool {
    let verdict = &assessment.verdict;
    verdict.facts.kind == Some(Kind::Mcp) || verdict.answers == Some(true)
}

/// Whether a light handshake renews the proof of a Live listing: an agent gets the message only once a week. Listings
/// of earlier versions had only whole handshakes.
pub fn is_light_enough(listing: &Listing, now: Moment, settings: &Settings) -> bool {
    let whole = listing.proof.whole_ok_at.or(listing.proof.last_ok_at);
    let week = pause_until_recheck(EARLIEST_RECHECK, settings);
    listing.kind == Some(Kind::Agent) && whole.is_some_and(|whole| now.duration_since(whole) < week)
}

fn tick(settings: &Settings) -> SignedDuration {
    SignedDuration::from_secs(settings.probe_tick_seconds.into())
}

/// At least as long as the peer asked for, and longer with every failure.
fn pause(listing: &Listing, verdict: &Verdict, settings: &Settings) -> SignedDuration {
    if verdict.handshake == Handshake::Skip {
        return settings.recheck_interval();
    }
    let first = if verdict.inconclusive { tick(settings) } else { SignedDuration::from_hours(1) };
    let doubled = first.saturating_mul(1 << listing.schedule.failures.saturating_sub(1).min(12));
    let requested =
        verdict.retry_after.and_then(|wait| SignedDuration::try_from(wait).ok()).unwrap_or_default();
    doubled.max(requested).min(MAX_PAUSE)
}
