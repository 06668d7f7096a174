//! Names what changed in the tools or skills of a listing when its probe finds other ones than the last. The hashes of
//! both are at hand, so the earlier evidence is read only where they differ.

use registry_app::App;
use registry_formats::limits::{MOST_SKILLS, MOST_TOOLS};
use registry_model::{AbilityChange, Assessment, Facts, Handshake, Kind, StateChange};
use registry_store::StoreError;

/// What changed since the last probe; `None` if nothing did, or if the two cannot be compared.
pub(super) async fn of(app: &App, change: &StateChange) -> Result<Option<AbilityChange>, StoreError> {
    if !change.is_shown() || !differs(change) {
        return Ok(None);
    }
    let earlier = app.store.listing_with_evidence(&change.before.id).await?;
    Ok(earlier.and_then(|earlier| told(earlier.1.as_ref()?, change)))
}

fn differs(change: &StateChange) -> bool {
    let (before, after) = (&change.before, &change.after);
    // Over all that an agent says of itself: its skills have no hash of their own.
    let other_words = before.content_hash.is_some() && before.content_hash != after.content_hash;
    has_other_tools(&change.assessment) || (after.kind == Some(Kind::Agent) && other_words)
}

fn told(earlier: &Assessment, change: &StateChange) -> Option<AbilityChange> {
    let now = &change.assessment;
    let (old, new) = (&earlier.verdict.facts, &now.verdict.facts);
    // Evidence of a failure names nothing, and evidence of another look is not what the hash stands for.
    let comparable = earlier.verdict.handshake == Handshake::Ok
        && now.verdict.handshake == Handshake::Ok
        && old.tools_hash == change.before.tools_hash
        && is_whole(old)
        && is_whole(new);
    let told = AbilityChange::between((old, earlier.probed_at), (new, now.probed_at));
    let is_change = has_other_tools(now) || told.names_any();
    (comparable && is_change).then_some(told)
}

fn has_other_tools(assessment: &Assessment) -> bool {
    assessment.checks.iter().any(|check| check.id == "tools_unchanged" && !check.ok)
}

/// A list that is full may have been cut off, and then an added entry would look like a removed one.
fn is_whole(facts: &Facts) -> bool {
    facts.tools.len() < MOST_TOOLS && facts.skills.len() < MOST_SKILLS
}
