//! Checks pins: hashes of tools or tool sets that a client stored when it approved a server. The answer is from the table,
//! so it shows what the last probe saw. All pins of a request need a few batch reads together.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::listing::tools::severity;
use crate::log::LogPlace;
use crate::prelude::*;
use registry_formats::tool_diff::{self, ToolState};
use registry_model::{Handshake, Severity, ToolChange, ToolSet, set_of_tools_hash};

/// Pins of one request.
pub const MAX_PINS: usize = 100;
/// Changes that the result of a pin contains; the severest come first.
const MAX_CHANGES: usize = 20;
/// Definitions that are read to explain changes. The changes of further tools are reported without details.
const MAX_DEFINITIONS: usize = 400;
/// The bytes of these definitions together.
const MAX_DEFINITION_BYTES: usize = 1024 * 1024;
const HASH_DIGITS: usize = 64;

/// What a client approved: a tool of a listing or of the Live MCP server at an endpoint. Without `tool`, its whole tool set.
#[derive(Clone, Debug, Deserialize)]
pub struct Pin {
    pub listing_id: Option<String>,
    pub endpoint: Option<String>,
    pub tool: Option<String>,
    /// The hash of the tool or of the set: 64 hex digits, or the value of `tools_hash`.
    pub hash: String,
}

/// Whether a pin holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PinState {
    /// The last probe that read the tools saw exactly this.
    Holds,
    /// The last probe that read the tools saw another hash. Without `changes`, no stored set has the hash of the pin.
    Changed,
    /// An earlier stored set has the tool, and the current set does not.
    Removed,
    /// The tools of this listing are not stored (yet), or no stored set has this tool.
    Unknown,
    /// There is no such listing, or none that is Live or gated at this endpoint, or it was withdrawn.
    #[default]
    NotListed,
}

/// Whether a pin holds, and what changed.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct PinResult {
    /// The listing of the pin; null if its `listing_id` is no id, or no listing has its endpoint.
    pub listing_id: Option<ListingId>,
    /// The tool of the pin; null for a pin of the whole set.
    pub tool: Option<String>,
    /// The hash of the pin.
    pub hash: String,
    pub state: PinState,
    /// The hash now; null if there is none.
    pub current_hash: Option<String>,
    /// How much the severest change matters. Absent if the pin holds, or if the earlier definition is not stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<Severity>,
    /// The first 20 changes since the pin, the severest first. Empty if the earlier definition is not stored.
    pub changes: Vec<ToolChange>,
    /// Since when the last read tool set is stored, for a pin of the whole set. A tool in it may be older.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen_since: Option<Moment>,
    /// The last probe whose result the listing shows, if its handshake is `ok`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probed_at: Option<Moment>,
    /// Since when its probes have failed: the tools are those from before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<Moment>,
    /// Whether the listing is Live.
    pub live: bool,
    /// The last decision about the listing in the evidence log. Absent if the state is `not_listed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<LogPlace>,
    /// Whether the log contains this decision, and its leaf commits to the current tool set (`leaf.tools`). False if the state is `not_listed`.
    pub in_log: bool,
}

/// A pin whose listing and hash have been read.
struct ReadPin<'a> {
    pin: &'a Pin,
    id: Option<ListingId>,
    hash: &'a str,
}

/// Checks the pins, in their order.
pub async fn check(app: &App, pins: &[Pin]) -> Result<Vec<PinResult>, Problem> {
    if pins.is_empty() || pins.len() > MAX_PINS {
        let detail = format!("Send 1 to {MAX_PINS} pins.");
        return Err(Problem::invalid("pins", Code::NumberOfPins, detail));
    }
    for (at, pin) in pins.iter().enumerate() {
        check_lengths(at, pin)?;
    }
    let endpoints: Vec<String> = pins.iter().filter_map(|pin| pin.endpoint.clone()).collect();
    let holders = app.store.endpoint_holders(&endpoints).await?;
    let read: Vec<ReadPin<'_>> =
        pins.iter().enumerate().map(|(at, pin)| parse(at, pin, &holders)).collect::<Result<_, _>>()?;
    let ids: BTreeSet<ListingId> = read.iter().filter_map(|pin| pin.id.clone()).collect();
    let mut known = HashMap::new();
    for (listing, set) in app.store.listings_with_tools(&Vec::from_iter(ids)).await? {
        if listing.lane != Lane::Withdrawn {
            known.insert(listing.id.clone(), (listing, set));
        }
    }
    let changed = explain(app, &read, &known).await?;
    // Equal pins are compared once.
    let mut results = HashMap::new();
    let result = |pin: &ReadPin<'_>| {
        let known = pin.id.as_ref().and_then(|id| known.get(id));
        result(app, pin, known, &changed)
    };
    let result_of_each = read.iter().map(|pin| {
        let of_equal_pins = results.entry((&pin.id, &pin.pin.tool, pin.hash));
        of_equal_pins.or_insert_with(|| result(pin)).clone()
    });
    Ok(result_of_each.collect())
}

fn check_lengths(at: usize, pin: &Pin) -> Result<(), Problem> {
    let texts =
        [("listing_id", &pin.listing_id, 200), ("endpoint", &pin.endpoint, 2048), ("tool", &pin.tool, 200)];
    for (name, text, longest) in texts {
        if text.as_ref().is_some_and(|text| text.chars().nth(longest).is_some()) {
            let detail = format!("`{name}` is too long: at most {longest} characters.");
            return Err(Problem::invalid(format!("pins[{at}].{name}"), Code::TextTooLong, detail));
        }
    }
    Ok(())
}

fn parse<'a>(at: usize, pin: &'a Pin, holders: &HashMap<String, ListingId>) -> Result<ReadPin<'a>, Problem> {
    let hash = set_of_tools_hash(&pin.hash).unwrap_or(&pin.hash);
    if hash.len() != HASH_DIGITS || !hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        let detail = "`hash` must be 64 lower-case hex digits, as in `listing_tools`.";
        return Err(Problem::invalid(format!("pins[{at}].hash"), Code::NotAHash, detail));
    }
    let id = match (&pin.listing_id, &pin.endpoint) {
        (Some(id), _) => id.parse().ok(),
        (None, Some(endpoint)) => holders.get(endpoint).cloned(),
        (None, None) => {
            let detail = "Send `listing_id` or `endpoint`: the server that the pin is for.";
            return Err(Problem::invalid(format!("pins[{at}].listing_id"), Code::WhichListing, detail));
        }
    };
    Ok(ReadPin { pin, id, hash })
}

type Known = HashMap<ListingId, (Listing, Option<ToolSet>)>;

/// The stored earlier sets and definitions that explain changes.
#[derive(Default)]
struct Earlier {
    sets: Vec<(ListingId, ToolSet)>,
    definitions: HashMap<(ListingId, String), String>,
}

impl Earlier {
    fn set(&self, id: &ListingId, hash: &str) -> Option<&ToolSet> {
        self.sets.iter().find(|(of, set)| of == id && set.hash == hash).map(|(_, set)| set)
    }

    fn has_tool(&self, id: &ListingId, name: &str) -> bool {
        let sets = self.sets.iter().filter(|(of, _)| of == id);
        sets.flat_map(|(_, set)| &set.tools).any(|tool| tool.name == name)
    }

    fn definition(&self, id: &ListingId, hash: &str) -> Option<&str> {
        self.definitions.get(&(id.clone(), hash.to_owned())).map(String::as_str)
    }
}

async fn explain(app: &App, pins: &[ReadPin<'_>], known: &Known) -> Result<Earlier, Problem> {
    let changed: Vec<(&ListingId, &ToolSet, &ReadPin<'_>)> = pins
        .iter()
        .filter_map(|pin| {
            let id = pin.id.as_ref()?;
            let set = known.get(id)?.1.as_ref()?;
            Some((id, set, pin))
        })
        .filter(|(_, set, pin)| match &pin.pin.tool {
            None => set.hash != pin.hash,
            Some(name) => !set.tools.iter().any(|tool| tool.name == *name && tool.hash == pin.hash),
        })
        .collect();
    // The sets explain the change of a whole set, and whether a tool that is gone was ever there.
    let needs_sets = |set: &ToolSet, pin: &ReadPin<'_>| {
        pin.pin.tool.as_ref().is_none_or(|name| set.tools.iter().all(|tool| tool.name != *name))
    };
    let of_sets: BTreeSet<ListingId> =
        changed.iter().filter(|(_, set, pin)| needs_sets(set, pin)).map(|(id, ..)| (*id).clone()).collect();
    let sets = app.store.earlier_tool_sets(&Vec::from_iter(of_sets)).await?;
    let mut earlier = Earlier { sets, definitions: HashMap::new() };
    let mut wanted = HashSet::new();
    for (id, set, pin) in changed {
        let mut want = |hash: &str| {
            if wanted.len() < MAX_DEFINITIONS {
                wanted.insert((id.clone(), hash.to_owned()));
            }
        };
        match &pin.pin.tool {
            Some(name) => {
                for tool in set.tools.iter().filter(|tool| tool.name == *name) {
                    want(pin.hash);
                    want(&tool.hash);
                }
            }
            None => {
                let Some(before) = earlier.set(id, pin.hash) else { continue };
                let old: HashSet<&str> = before.tools.iter().map(|tool| tool.hash.as_str()).collect();
                let new: HashSet<&str> = set.tools.iter().map(|tool| tool.hash.as_str()).collect();
                for hash in old.symmetric_difference(&new) {
                    want(hash);
                }
            }
        }
    }
    let mut definitions: Vec<_> = app.store.tool_definitions(&wanted).await?.into_iter().collect();
    definitions.sort_unstable();
    let mut left = MAX_DEFINITION_BYTES;
    definitions.retain(|(_, text)| left.checked_sub(text.len()).inspect(|rest| left = *rest).is_some());
    earlier.definitions = definitions.into_iter().collect();
    Ok(earlier)
}

fn result(
    app: &App,
    read: &ReadPin<'_>,
    known: Option<&(Listing, Option<ToolSet>)>,
    earlier: &Earlier,
) -> PinResult {
    let mut result = PinResult {
        listing_id: read.id.clone(),
        tool: read.pin.tool.clone(),
        hash: read.hash.to_owned(),
        ..PinResult::default()
    };
    let Some((listing, set)) = known else { return result };
    result.live = listing.is_live(app.oldest_proof());
    let ok = listing.proof.probe.as_ref().filter(|probe| probe.handshake == Handshake::Ok);
    result.probed_at = ok.map(|probe| probe.at);
    result.failing_since = listing.schedule.failing_since;
    result.log = listing.last_leaf.as_ref().map(|leaf| LogPlace::of_last(&app.settings, &listing.id, leaf));
    let Some(set) = set else {
        result.state = PinState::Unknown;
        return result;
    };
    result.seen_since = Some(set.at).filter(|_| read.pin.tool.is_none());
    let logged = listing.last_leaf.as_ref().filter(|leaf| leaf.index.is_some());
    result.in_log = logged.and_then(|leaf| leaf.tools.as_deref()) == Some(set.hash.as_str());
    let definition = |hash| earlier.definition(&listing.id, hash);
    let mut changes = Vec::new();
    match &read.pin.tool {
        None => {
            result.current_hash = Some(set.hash.clone());
            let holds = set.hash == read.hash;
            result.state = if holds { PinState::Holds } else { PinState::Changed };
            if let Some(before) = earlier.set(&listing.id, read.hash).filter(|_| !holds) {
                changes = tool_diff::between_sets(before, set, definition);
            }
        }
        Some(name) => match set.tools.iter().find(|tool| tool.name == *name) {
            // It may be one of the tools that do not fit into the stored list.
            None if set.unlisted > 0 || !earlier.has_tool(&listing.id, name) => {
                result.state = PinState::Unknown;
            }
            None => {
                result.state = PinState::Removed;
                let before = ToolState { hash: read.hash, definition: None };
                changes = tool_diff::changes_of_tool(name, Some(before), None);
            }
            Some(tool) => {
                result.current_hash = Some(tool.hash.clone());
                let holds = tool.hash == read.hash;
                result.state = if holds { PinState::Holds } else { PinState::Changed };
                // The hash of another tool would cost a comparison that means nothing.
                let is_own = |definition: &&str| {
                    registry_model::json::parse(definition.as_bytes())
                        .is_ok_and(|tool| tool["name"] == name.as_str())
                };
                let before = definition(read.hash).filter(|_| !holds).filter(is_own);
                if before.is_some() {
                    let before = ToolState { hash: read.hash, definition: before };
                    let after = ToolState { hash: &tool.hash, definition: definition(&tool.hash) };
                    changes = tool_diff::changes_of_tool(name, Some(before), Some(after));
                    changes.sort_by_key(|change| std::cmp::Reverse(change.severity));
                }
            }
        },
    }
    result.severity = severity(&changes);
    changes.truncate(MAX_CHANGES);
    result.changes = changes;
    result
}
