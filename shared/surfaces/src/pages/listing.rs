//! `/list/{id}`: the page of a listing. It shows the state and the proof, ninety days of probes, the last
//! handshake, and the checks and score. It also shows the skills or tools of the listing, how they changed,
//! and how to use the listing.

use super::exchange::{self, Step};
use super::frame::{self, Frame, Section, html};
use super::history::{History, MAX_PROBES};
use super::proof_days;
use super::rows::{CheckRow, PartRow, check_row, kind_label, part_row, title};
use super::standing::Standing;
use super::when::When;
use crate::prelude::*;
use registry_features::listing::badge;
use registry_features::log::LogPlace;
use registry_features::talk::{Talk, TalkMode};
use registry_features::trust::capability::Capability;
use registry_formats::document_texts;
use registry_formats::tool_definition::{ParameterView, ToolView};
use registry_model::{
    AbilityChange, Assessment, ChangedNames, ClientRegistration, Handshake, Lane, OutcomeTally, Package,
    PackageState, ServerDocument, SignIn, Tool, ToolChange, ToolParameter, Trail,
};
use registry_probe::checks::ENDPOINT_UNIQUE;
use registry_probe::explain::{self, Advice};
use registry_products::{Profile, Proof, Snippet, install};
use registry_store::{Edge, NamedListing, SeenTools};

/// The badges to choose from, and what they show. The first one is the default.
const BADGES: [(&str, &str); 5] = [
    ("live", "whether the listing is Live"),
    ("clean", "whether it is Live, its last probe passed, and it passes all blocking checks"),
    ("verified", "whether its handshake is verified, with the proven domain"),
    ("gated", "whether it asks for a sign-in with correct metadata"),
    ("listed", "that it is listed here, also while it is not Live"),
];
const MAX_PEERS: usize = 8;
const MAX_PACKAGES: usize = 20;
/// Characters of the description in the head of the page.
const MAX_SUMMARY_CHARS: usize = 160;

#[derive(Template)]
#[template(path = "listing.html")]
struct Page<'a> {
    frame: Frame<'a>,
    title: String,
    listing: &'a Listing,
    kind: &'static str,
    standing: Standing,
    advice: Advice,
    /// Another listing has this endpoint.
    is_repeated: bool,
    website: Option<String>,
    address: Option<String>,
    card: Option<String>,
    repository: Option<String>,
    packages: Vec<PackageRow>,
    runs_locally: bool,
    /// How callers sign in, in a sentence.
    sign_in: Option<String>,
    registration: Option<&'static str>,
    history: History,
    steps: Vec<Step>,
    probed: Option<When>,
    checks: Vec<CheckRow>,
    score: Option<u8>,
    parts: Vec<PartRow>,
    abilities: AbilityRows,
    snippets: Vec<Snippet>,
    badges: [BadgeRow; 5],
    used: Use,
    talk: Talk,
    grace_ends: Option<When>,
    log: Option<(LogPlace, When)>,
    capability_hash: Option<String>,
}

/// What its users report.
struct Use {
    trail: Trail,
    /// `None` if nobody reported an outcome.
    outcomes: Option<OutcomeTally>,
    peers: Vec<PeerRow>,
}

/// A value of a trail in words.
fn level(value: &f64) -> &'static str {
    // As it is shown, with one digit.
    match (value * 10.0).round() / 10.0 {
        value if value <= 0.0 => "none",
        value if value < 5.0 => "low",
        value if value < 20.0 => "medium",
        _ => "high",
    }
}

struct BadgeRow {
    name: &'static str,
    shows: &'static str,
    image: String,
    markdown: String,
    html: String,
}

impl BadgeRow {
    fn of(settings: &Settings, id: &ListingId, name: &'static str, shows: &'static str) -> Self {
        Self {
            name,
            shows,
            image: format!("/badge/{name}.svg?id={id}"),
            markdown: badge::markdown(settings, name, id),
            html: badge::html(settings, name, id),
        }
    }
}

/// A package of a server description, and what its registry says about it, if it was checked.
struct PackageRow {
    package: Package,
    state: Option<&'static str>,
}

impl PackageRow {
    fn of(package: Package, evidence: Option<&Assessment>) -> Self {
        let mut checked = evidence.into_iter().flat_map(|evidence| &evidence.verdict.facts.packages);
        let state = checked.find(|checked| checked.package == package).map(|checked| match checked.state {
            PackageState::Named => "found, and names this server",
            PackageState::Unnamed => "does not name this server",
            PackageState::Missing => "not found",
            PackageState::Unreached => "its registry did not answer",
            PackageState::Unchecked => "not checked",
        });
        Self { package, state }
    }
}

struct PeerRow {
    path: String,
    name: String,
    kind: &'static str,
    count: u32,
    last: When,
}

pub(super) static LISTING: AnyDocument = AnyDocument {
    paths: &["/list/{id}"],
    summary: "The page of a listing for people. It shows the state, ninety days of probes, the checks, the tools or \
        skills, and how to use the listing.",
    max_age_s: Some(10),
    refusals: &[ErrorKind::NotFound],
    ..frame::page(|app, request| Box::pin(render(app, request)))
};

async fn render(app: &App, request: &DocumentRequest) -> Result<Bytes, Problem> {
    let found = known(app, request.path.rsplit('/').next().unwrap_or_default()).await?;
    let (listing, evidence) = (&found.0, found.1.as_ref());
    let (id, now) = (&listing.id, app.clock.now());
    let since = now - SignedDuration::from_hours(24 * (proof_days::DAYS + 1));
    let document =
        async { if listing.is_described() { app.store.server_document(id).await } else { Ok(None) } };
    let tools = async {
        if listing.proof.stored_tools.is_none() {
            Ok(SeenTools::default())
        } else {
            app.store.seen_tools(id).await
        }
    };
    let (probes, (trail, _), edges, mut outcomes, document, tools) = futures::try_join!(
        app.store.probes_of(id, since, MAX_PROBES),
        app.store.traces_at(id, 1, now),
        app.store.edges_of(id, MAX_PEERS, now),
        app.store.outcomes_of(std::slice::from_ref(id)),
        document,
        tools,
    )?;
    let peers = peers(app, id, edges, now).await?;
    let used = Use { trail: trail.unwrap_or_default(), outcomes: outcomes.remove(id), peers };
    let (settings, document) = (&app.settings, document.as_ref());
    let mut standing = Standing::of(app, listing);
    let elsewhere = evidence.and_then(|evidence| evidence.verdict.facts.elsewhere.clone());
    standing.publish_again = standing.publish_again.map(|own| elsewhere.map_or(own, |url| ("url", url)));
    let runs_locally = matches!(listing.lane, Lane::Package | Lane::Unchecked);
    let sign_in = evidence.and_then(|evidence| evidence.verdict.facts.sign_in.as_ref());
    let sign_in = sign_in.filter(|_| standing.is_live || standing.is_gated);
    let talk = Talk::of(listing, settings, now);
    let profile = Profile::of(listing, evidence);
    let advice = explain::advice(listing, listing.public_lane(app.oldest_proof()), evidence);
    let asked = evidence.filter(|evidence| evidence.verdict.handshake != Handshake::Skip);
    html(&Page {
        frame: frame(app, listing),
        title: title(listing),
        kind: listing.kind.map_or("Unknown kind", kind_label),
        repository: document.and_then(|document| link(document.server.get("repository")?["url"].as_str()?)),
        packages: document
            .map(ServerDocument::packages)
            .unwrap_or_default()
            .into_iter()
            .take(MAX_PACKAGES)
            .map(|(package, _)| PackageRow::of(package, evidence))
            .collect(),
        runs_locally,
        sign_in: sign_in.map(SignIn::sentence),
        registration: sign_in.map(|sign_in| registration(sign_in.registration)),
        is_repeated: advice.must_fix.iter().any(|reason| reason.code == ENDPOINT_UNIQUE),
        advice,
        website: listing.valid_website().and_then(link),
        address: listing.endpoint.as_deref().or(listing.url.as_deref()).and_then(link),
        card: listing.card_url.as_deref().and_then(link),
        history: History::of(app, listing, &probes),
        steps: evidence.map(exchange::steps).unwrap_or_default(),
        probed: asked.map(|evidence| When::of(evidence.probed_at, now)),
        checks: evidence.map(checks).unwrap_or_default(),
        // It would be that of the requests without a sign-in.
        score: evidence.filter(|_| !standing.is_gated).map(|evidence| evidence.score.value),
        parts: evidence.map(parts).unwrap_or_default(),
        abilities: AbilityRows::of(evidence, &tools, now),
        snippets: if standing.is_live { install(&profile) } else { Vec::new() },
        badges: BADGES.map(|(name, shows)| BadgeRow::of(settings, &listing.id, name, shows)),
        used,
        grace_ends: talk.grace_ends_at.filter(|_| talk.mode == TalkMode::Grace).map(|at| When::of(at, now)),
        talk,
        log: listing
            .last_leaf
            .as_ref()
            .map(|leaf| (LogPlace::of_last(settings, &listing.id, leaf), When::of(leaf.at, now))),
        capability_hash: evidence
            .filter(|_| standing.is_live)
            .and_then(|evidence| Capability::observed(listing, evidence)?.hash().ok()),
        standing,
        listing,
    })
}

pub(super) async fn known(app: &App, id: &str) -> Result<std::sync::Arc<NamedListing>, Problem> {
    let unknown = || Problem::no_such_listing(&app.settings.base_url, id);
    let known: ListingId = id.parse().map_err(|_| unknown())?;
    let found = app.store.listing_with_evidence(&known).await?.ok_or_else(unknown)?;
    if found.0.lane != Lane::Withdrawn {
        return Ok(found);
    }
    let why = found.0.withdrawal.as_ref().map(|withdrawal| withdrawal.reason.as_str()).unwrap_or_default();
    let detail = format!("This listing was withdrawn. {why}");
    Err(Problem::not_found(Code::ListingWithdrawn, detail.trim_end()))
}

async fn peers(app: &App, id: &ListingId, edges: Vec<Edge>, now: Moment) -> Result<Vec<PeerRow>, Problem> {
    if edges.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<ListingId> = edges.iter().map(|edge| edge.other(id).clone()).collect();
    let listings = app.store.listings(&ids).await?;
    let oldest_proof = app.oldest_proof();
    let row = |edge: Edge| {
        let other =
            listings.iter().find(|listing| listing.id == *edge.other(id) && listing.is_live(oldest_proof))?;
        Some(PeerRow {
            path: format!("/list/{}", other.id),
            name: shorten(&title(other), 80),
            kind: kind_label(other.likely_kind()),
            count: edge.count,
            last: When::of(edge.last_at, now),
        })
    };
    Ok(edges.into_iter().filter(|edge| edge.count > 0).filter_map(row).collect())
}

/// How a client gets an id at the authorization server.
const fn registration(way: ClientRegistration) -> &'static str {
    match way {
        ClientRegistration::MetadataDocument => "a client sends the URL of its metadata document",
        ClientRegistration::Dynamic => "a client registers itself",
        ClientRegistration::ByHand => "a user registers each client by hand",
    }
}

fn frame<'a>(app: &'a App, listing: &Listing) -> Frame<'a> {
    let text = listing.texts.description.as_deref().map(|text| shorten(text, MAX_SUMMARY_CHARS));
    let kind = listing.kind.map_or("Listing", kind_label);
    let description = text.unwrap_or_else(|| format!("{kind} with the evidence of its last handshake."));
    let path = format!("/list/{}", listing.id);
    let frame = Frame::of(&app.settings, Section::Board, &path, &title(listing), description);
    // Do not let search engines index listings that never answered.
    if !listing.was_proven() { frame.not_indexed() } else { frame }
}

/// `None` for an address that a browser must not open.
fn link(address: &str) -> Option<String> {
    let url = url::Url::parse(address).ok()?;
    let opens =
        matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none();
    opens.then(|| url.to_string())
}

fn checks(evidence: &Assessment) -> Vec<CheckRow> {
    let weaknesses = Proof::of(evidence).weaknesses;
    let fix =
        |id: &str| weaknesses.iter().find(|weakness| weakness.id == id).map(|weakness| weakness.fix.clone());
    evidence.checks.iter().map(|check| check_row(check, fix(&check.id))).collect()
}

fn parts(evidence: &Assessment) -> Vec<PartRow> {
    evidence.score.breakdown.iter().map(part_row).collect()
}

const MAX_SHOWN_ABILITIES: usize = 30;
const MAX_PARAMETERS: usize = 16;
const MAX_PARAMETER_DESCRIPTION_CHARS: usize = 200;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AbilityRow {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) tags: Vec<String>,
    pub(super) parameters: Vec<ParameterView>,
    /// What the tool does to data, as the server declares it.
    pub(super) effect: Option<&'static str>,
}

/// Without a hint, nothing is shown: the defaults of the protocol would call every such tool destructive.
pub(super) const fn effect(read_only: Option<bool>, destructive: Option<bool>) -> Option<&'static str> {
    match (read_only, destructive) {
        (Some(true), Some(true)) => Some("only reads, but may delete or overwrite"),
        (Some(true), _) => Some("only reads"),
        (_, Some(true)) => Some("may delete or overwrite"),
        (_, Some(false)) => Some("only adds"),
        (Some(false), None) => Some("writes"),
        (None, None) => None,
    }
}

/// The shown parts of a tool: the whole definition if it is stored, else what the evidence contains.
fn tool_row(tool: &Tool, view: Option<ToolView>) -> AbilityRow {
    let known = |parameter: &ToolParameter| ParameterView {
        name: parameter.name.clone(),
        value: parameter.value,
        required: parameter.required,
        description: String::new(),
    };
    let whole = |parameter: ParameterView| ParameterView {
        description: shorten(&parameter.description, MAX_PARAMETER_DESCRIPTION_CHARS),
        ..parameter
    };
    AbilityRow {
        name: tool.name.clone(),
        description: tool.description.clone(),
        tags: Vec::new(),
        parameters: match view {
            Some(view) => view.parameters.into_iter().take(MAX_PARAMETERS).map(whole).collect(),
            None => tool.parameters.iter().map(known).collect(),
        },
        effect: effect(tool.read_only, tool.destructive),
    }
}

#[derive(Clone, Debug)]
pub(super) struct ChangeRows {
    pub(super) seen: When,
    pub(super) since: When,
    /// Empty if only something changed that is not shown, such as parameters.
    pub(super) rows: Vec<(&'static str, ChangedNames)>,
    /// The severest changes of tools.
    pub(super) details: Vec<ToolChange>,
}

#[derive(Clone, Debug)]
pub(super) struct AbilityRows {
    /// `tool` or `skill`.
    pub(super) noun: &'static str,
    pub(super) count: usize,
    pub(super) shown: Vec<AbilityRow>,
    pub(super) folded: Vec<AbilityRow>,
    pub(super) change: Option<ChangeRows>,
    /// Whether whole definitions are stored.
    pub(super) is_stored: bool,
}

impl AbilityRows {
    pub(super) fn of(evidence: Option<&Assessment>, stored: &SeenTools, now: Moment) -> Self {
        let facts = evidence.map(|evidence| &evidence.verdict.facts);
        let definition = |name: &str| {
            let listed = stored.sets.first()?.tools.iter().find(|tool| tool.name == name)?;
            let definition = stored.definitions.get(&listed.hash)?;
            ToolView::of(definition).filter(|_| !document_texts::is_unfit_tool(definition))
        };
        let tools = facts.into_iter().flat_map(|facts| &facts.tools).enumerate().map(|(at, tool)| {
            // The other tools are folded; the page of the tools shows them whole.
            tool_row(tool, if at < MAX_SHOWN_ABILITIES { definition(&tool.name) } else { None })
        });
        let skills = facts.into_iter().flat_map(|facts| &facts.skills).map(|skill| AbilityRow {
            name: if skill.name.is_empty() { skill.id.clone() } else { skill.name.clone() },
            description: skill.description.clone(),
            tags: skill.tags.clone(),
            parameters: Vec::new(),
            effect: None,
        });
        let noun = if facts.is_some_and(|facts| !facts.tools.is_empty()) { "tool" } else { "skill" };
        let mut shown: Vec<AbilityRow> = tools.chain(skills).collect();
        let count = shown.len();
        let folded = shown.split_off(count.min(MAX_SHOWN_ABILITIES));
        // The evidence contains only the first tools of many.
        let set = stored.sets.first().filter(|_| noun == "tool");
        let count = count.max(set.map_or(0, |set| set.tools.len() + set.unlisted as usize));
        let change = evidence.and_then(|evidence| evidence.changed.as_ref());
        let change = change.map(|change| ChangeRows::of(change, now));
        Self { noun, count, shown, folded, change, is_stored: !stored.sets.is_empty() }
    }

    pub(super) fn declares_effects(&self) -> bool {
        self.shown.iter().chain(&self.folded).any(|ability| ability.effect.is_some())
    }
}

impl ChangeRows {
    fn of(change: &AbilityChange, now: Moment) -> Self {
        let rows = [("Added", &change.added), ("Removed", &change.removed), ("Changed", &change.redescribed)];
        let rows = rows.into_iter().filter(|(_, names)| names.count > 0);
        Self {
            seen: When::of(change.at, now),
            since: When::of(change.since, now),
            rows: rows.map(|(what, names)| (what, names.clone())).collect(),
            details: change.details.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_safe_addresses_are_links() {
        assert_eq!(link("https://a.example/x?y=1").as_deref(), Some("https://a.example/x?y=1"));
        for address in
            ["javascript:alert(1)", "data:text/html,x", "https://u:p@a.example", "a.example:443", ""]
        {
            assert_eq!(link(address), None, "{address}");
        }
    }
}
