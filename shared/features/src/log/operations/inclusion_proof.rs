//! Proves a decision of the registry about a listing. The answer contains the leaf in the evidence log, its
//! inclusion proof and the signed checkpoint. A client can verify the answer offline, without the registry.

use crate::listing::tools::content_url;
use crate::log::{AttestationProof, Inclusion, entry_url};
use crate::prelude::*;
use registry_model::{LastLeaf, LogEntry, LogTree};

pub struct InclusionProof;

/// A decision: the last one about a listing, or the leaf with an index.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("oneOf" = argument_schema::one_of(&["listing_id", "index"])))]
pub struct Arguments {
    /// The id of the listing.
    #[serde(alias = "id")]
    listing_id: Option<String>,
    /// With `listing_id`, a time (RFC 3339) or a day (its end in UTC): the last decision until then. Default: the last one.
    #[schemars(extend("format" = "time-or-day"))]
    at: Option<String>,
    /// The id of a signed statement (`att_...`). Also send its `listing_id`.
    attestation_id: Option<String>,
    /// The index of a leaf. Send it instead of `listing_id`.
    #[serde(alias = "leaf_index")]
    index: Option<u64>,
}

/// A leaf of the evidence log and its proof.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The decision.
    leaf: LogEntry,
    /// The leaf as the bytes in the tree: canonical JSON.
    leaf_text: String,
    leaf_index: u64,
    /// SHA-256 of a zero byte and the leaf text (RFC 6962), as base64.
    leaf_hash: String,
    tree_size: u64,
    /// The root hash of the checkpoint, as base64.
    root_hash: String,
    /// The audit path (RFC 6962 §2.1.1), the sibling of the leaf first, as base64.
    proof: Vec<String>,
    /// The signed checkpoint (C2SP tlog-checkpoint).
    checkpoint: String,
    /// Index, proof and checkpoint as one text for offline verification (C2SP tlog-proof).
    tlog_proof: String,
    /// The name of the log.
    origin: String,
    /// The verifier key of the checkpoint signature.
    vkey: String,
    /// The URL of the bundle of entries that ends with the leaf.
    entry_url: String,
    /// The URL of the evidence whose SHA-256 is `leaf.evidence`: for at most 400 days, unless a withdrawal ended it (404).
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence_url: Option<String>,
    /// The URL of the tool set whose SHA-256 is `leaf.tools`.
    #[serde(skip_serializing_if = "Option::is_none")]
    tools_url: Option<String>,
    /// The proof that the leaf commits to the attestation. Only with `attestation_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    attestation: Option<AttestationProof>,
}

impl Operation for InclusionProof {
    const NAME: &'static str = "inclusion_proof";
    const TITLE: &'static str = "Prove a decision of the registry";
    const DESCRIPTION: &'static str = "Proves when a listing was found Live, gated, demoted or withdrawn. Pass listing_id, and `at` for the \
        last decision until then. Live expires after `recheck_days` (/api/catalog). Returns the log entry (leaf), an \
        inclusion proof and the signed checkpoint. With attestation_id, proves a statement.";
    const PHRASES: &'static [&'static str] = &[
        "prove that {id} was live",
        "show the inclusion proof of {id}",
        "which leaf of the log proves {id}?",
    ];
    const EFFECT: Effect = Effect::READS;
    // An earlier date would refuse every listing that is newer.
    const EXAMPLE: &'static str = r#"{"listing_id": "agtpub_0123456789abcdef0123", "at": "2099-12-31"}"#;
    const SUMMARY: &'static [&'static str] = &[
        "The entry with index {leaf_index} of {tree_size} in the evidence log: {leaf.event} | about {leaf.listing_id} | at {leaf.at}.",
        "A `live`, `confirmed` or `gated` counts until its proof expires or a later entry ends it. To ask about another time, name its day, such as 2026-01-31.",
        "The data contains the leaf, its inclusion proof and the signed checkpoint; the entry is at {entry_url} . To verify it offline, hash the leaf, compute the root with the proof (RFC 6962), compare it with that of the checkpoint, and check the checkpoint's signature with `vkey`.",
    ];
    const ROUTES: &'static [Route] = &[Route::get("/log/proof")];
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let (inclusion, attestation) = find(app, &arguments).await?;
        let Inclusion { leaf, leaf_hash, index, tree, proof } = &inclusion;
        let LogTree { origin, vkey, size, root, checkpoint, .. } = tree;
        let entry = inclusion.entry()?;
        let has_evidence = entry.listing_id.is_some() && entry.evidence.is_some();
        Ok(Answer {
            evidence_url: has_evidence.then(|| app.settings.url(&format!("/log/evidence/{index}"))),
            tools_url: entry.tools.as_deref().map(|set| content_url(&app.settings, set)),
            leaf: entry,
            leaf_text: leaf.clone(),
            leaf_index: *index,
            leaf_hash: leaf_hash.clone(),
            tree_size: *size,
            root_hash: root.clone(),
            proof: proof.clone(),
            checkpoint: checkpoint.clone(),
            tlog_proof: tlog_proof(*index, proof, checkpoint),
            origin: origin.clone(),
            vkey: vkey.clone(),
            entry_url: entry_url(&app.settings, *index),
            attestation,
        })
    }
}

async fn find(app: &App, arguments: &Arguments) -> Result<(Inclusion, Option<AttestationProof>), Problem> {
    match (&arguments.listing_id, arguments.index) {
        (Some(id), None) => {
            let unknown = |_| Problem::listing_not_found(&app.settings.base_url, id);
            let id: ListingId = id.parse().map_err(unknown)?;
            let until = arguments.at.as_deref().map(time).transpose()?;
            match &arguments.attestation_id {
                Some(attestation) => inclusion_of_attestation(app, &id, attestation).await,
                None => {
                    let last = app.store.last_leaves(std::slice::from_ref(&id)).await?.remove(&id);
                    let is_asked = |leaf: &LastLeaf| until.is_none_or(|until| leaf.at <= until);
                    if last.filter(is_asked).is_some_and(|leaf| leaf.index.is_none()) {
                        return Err(leaf_pending("The decision", app.settings.probe_tick_seconds));
                    }
                    if let Some(index) = app.store.decision_index(&id, until).await?
                        && let Some(found) = Inclusion::at(app, index).await?
                    {
                        return Ok((found, None));
                    }
                    let why = match app.store.decision_index(&id, None).await? {
                        Some(_) => "until `at`, only later ones. Leave `at` out to get the last one.",
                        None => "yet. One is added after it becomes Live or gated, or is withdrawn.",
                    };
                    let detail = format!("The evidence log contains no such decision about `{id}` {why}");
                    no_leaf(app, &id, detail).await
                }
            }
        }
        (None, Some(index)) => {
            let found = Inclusion::at(app, index).await?.ok_or_else(|| {
                Problem::not_found(Code::NoLeaf, format!("The evidence log has no leaf {index} yet."))
            })?;
            Ok((found, None))
        }
        _ => {
            let detail = "Send `listing_id` or `index`. You can add a time `at` to `listing_id`.";
            Err(Problem::invalid("listing_id", Code::WhichLeaf, detail))
        }
    }
}

async fn inclusion_of_attestation(
    app: &App,
    id: &ListingId,
    attestation: &str,
) -> Result<(Inclusion, Option<AttestationProof>), Problem> {
    let record = match attestation.parse() {
        Ok(attestation) => app.store.attestation(id, &attestation).await?,
        Err(_) => None,
    };
    let Some(record) = record else {
        let detail = format!("No unexpired statement about `{id}` has this `attestation_id`.");
        return no_leaf(app, id, detail).await;
    };
    if let Some((inclusion, proof)) = crate::log::attestation_proof(app, &record).await? {
        return Ok((inclusion, Some(proof)));
    }
    // Older versions wrote a leaf for each attestation.
    if let Some((index, _)) = crate::log::attested_digest(app, id, record.issued_at, &record.id).await?
        && let Some(inclusion) = Inclusion::at(app, index).await?
    {
        return Ok((inclusion, None));
    }
    let hour_left = crate::log::logged_after(record.issued_at).duration_since(app.clock.now()).as_secs();
    let wait = u32::try_from(hour_left).unwrap_or(0).saturating_add(app.settings.probe_tick_seconds);
    Err(leaf_pending("The statement", wait))
}

/// What was decided or signed is stored, but it is not in the log yet.
fn leaf_pending(what: &str, wait: u32) -> Problem {
    let detail = format!("{what} is not in the evidence log yet. Send the request again in {wait} s.");
    let mut problem = Problem::conflict(Code::LeafPending, detail);
    problem.retry_after = Some(wait);
    problem
}

async fn no_leaf<T>(app: &App, id: &ListingId, detail: String) -> Result<T, Problem> {
    lookup::listing(app, id.as_str()).await?;
    let note = "If there is a decision, `log` shows whether it is in the evidence log yet.";
    Err(Problem::not_found(Code::NoLeaf, detail).with_next(NextStep::check_status(
        &app.settings.base_url,
        id,
        note,
    )))
}

/// A time, or the end of a day.
fn time(text: &str) -> Result<Moment, Problem> {
    let text = text.trim();
    let end_of_day = || format!("{text}T23:59:59.999Z").parse();
    text.parse().or_else(|_| end_of_day()).map_err(|_: jiff::Error| {
        let detail = "`at` must be a time such as 2026-11-20T12:00:00Z, or a day such as 2026-11-20.";
        Problem::invalid("at", Code::NotATime, detail)
    })
}

/// C2SP `tlog-proof`, "Format".
fn tlog_proof(index: u64, proof: &[String], checkpoint: &str) -> String {
    let hashes: String = proof.iter().map(|hash| format!("{hash}\n")).collect();
    format!("c2sp.org/tlog-proof@v1\nindex {index}\n{hashes}\n{checkpoint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn date_without_time_means_the_end_of_that_day() {
        assert_eq!(time("2026-11-20").unwrap().to_string(), "2026-11-20T23:59:59.999Z");
        assert_eq!(time("2026-11-20T12:00:00+01:00").unwrap().to_string(), "2026-11-20T11:00:00.000Z");
        assert_eq!(time("yesterday").unwrap_err().code, Code::NotATime);
    }

    #[test]
    fn tlog_proof_has_the_c2sp_format() {
        let text = tlog_proof(7, &["aa".to_owned(), "bb".to_owned()], "origin\n9\nroot\n\n— origin sig\n");
        assert_eq!(text, "c2sp.org/tlog-proof@v1\nindex 7\naa\nbb\n\norigin\n9\nroot\n\n— origin sig\n");
        assert_eq!(tlog_proof(0, &[], "o\n"), "c2sp.org/tlog-proof@v1\nindex 0\n\no\n");
    }
}
