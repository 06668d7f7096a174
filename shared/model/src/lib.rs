//! The plain data of the registry: listings, probe results, orders, messages. This crate does no
//! I/O and depends on no other crate of this workspace, so that every crate can use it.
//!
//! Start with [`Listing`], because most other types describe a listing. [`Lane`] is the state of a listing. [`Verdict`]
//! is the result of a probe. [`Assessment`] is what the registry concludes from this result. [`StateChange`] contains
//! all changes that are then written. The module [`error`] contains the
//! problem documents that all protocols return.
//!
//! All items are exported at the root, except for the items of [`cache`], [`error`], [`json`], [`metrics`] and
//! [`protocol`].

#[macro_use]
mod macros;

pub mod cache;
pub mod characters;
pub mod error;
pub mod json;
pub mod metrics;
pub mod protocol;

mod ability_change;
mod assessment;
mod attestation;
mod availability;
mod caller;
mod category;
mod clock;
mod collection;
mod connector_pick;
mod cursor;
mod dump;
mod economy_totals;
mod feedback;
mod hash_prefix;
mod host_name;
mod identity;
mod import_state;
mod listing;
mod listing_id;
mod listing_state;
mod log_entry;
mod log_tile;
mod log_witness;
mod messages;
mod moment;
mod network;
mod next_step;
mod observed_server;
mod order;
mod outcome;
mod probe_history;
mod purchase;
mod random;
mod rate_limit;
mod referral;
mod report;
mod score_report;
mod secrets;
mod server_document;
mod session;
mod sign_in;
mod sku;
mod state_change;
mod tool_change;
mod trail;
mod verdict;
mod withdrawal;

pub use ability_change::{AbilityChange, ChangedNames};
pub use assessment::{Assessment, Check, ProbeRecord, Score, ScorePart};
pub use attestation::{AttestationId, AttestationRecord, AttestationType, InvalidAttestationId, Revocation};
pub use availability::{Availability, Listed};
pub use caller::{BearerDigest, Caller, CallerAddress, RequestId};
pub use category::Category;
pub use clock::Clock;
pub use collection::{Access, Collection, CollectionRules};
pub use connector_pick::{ConnectorPick, Draft, FirstStep, Partner, QueuedPartner};
pub use cursor::{Cursor, ForeignCursor, InboxPosition, TimeKey};
pub use dump::{Dump, DumpPart, UnfinishedDump, dump_checksum};
pub use economy_totals::EconomyTotals;
pub use feedback::{Completion, Feedback, QUESTIONS, Reward};
pub use hash_prefix::{HashPrefix, InvalidHashPrefix, id_hash};
pub use host_name::{HostName, InvalidHostName, has_public_suffix, registrable_domain};
pub use identity::{Identity, KeySource, PublicJwk};
pub use import_state::ImportState;
pub use listing::{Contact, ContactFrom, LastProbe, Lease, Listing, Ownership, Proof, Schedule, Texts};
pub use listing_id::{InvalidListingId, ListingId};
pub use listing_state::{
    DeclaredTransport, Kind, Lane, NameHold, NameProof, NameProofMethod, Obstacle, names_mcp_endpoint,
};
pub use log_entry::{KeyStep, LastLeaf, LogEntry, LogEvent, LogTree, SecondKey, WitnessState, Witnessed};
pub use log_tile::{LogTile, TILE_WIDTH, TileSegment, log_entries};
pub use log_witness::LogWitness;
pub use messages::{Change, FeedItem, TalkChannel, TalkKind, TalkMessage, Touch, TouchKind};
pub use moment::Moment;
pub use network::{NameServers, Reach};
pub use next_step::{NextStep, POLL_SECONDS};
pub use observed_server::{
    ContentEntry, ContentList, ListedTool, NO_TOOLS, ObservedServer, ObservedTool, PromptArgument,
    ServerContents, ToolSet, set_of_tools_hash, tools_hash,
};
pub use order::{InvalidOrderId, Order, OrderId};
pub use outcome::{Outcome, OutcomeTally, QUALITY_STEPS};
pub use probe_history::{HISTORY_DAYS, ProbeHistory};
pub use purchase::{FlaggedPurchase, Grant, GrantSource, GrantSubject, InvalidPurchaseId, PaymentFlag};
pub use purchase::{PaymentSession, Purchase, PurchaseId, PurchaseState};
pub use random::Random;
pub use rate_limit::{LimitedAction, LimitedTarget, RATE_LIMITS, Rate, RateLimit};
pub use referral::{PeerRegistry, Referral};
pub use report::Report;
pub use score_report::{
    InvalidScoreReportId, ProbeStep, ScoreReport, ScoreReportId, SpecificationRule, StepKind,
};
pub use secrets::{AccessToken, DiscountCode, InvalidAccessToken, InvalidDiscountCode, Secret, TokenDigest};
pub use server_document::{CheckedPackage, Package, PackageState, ServerDocument, ServerStatus};
pub use session::{
    EntryProtocol, InvalidSessionId, MAX_SESSION_STEPS, Session, SessionFacts, SessionId, SessionStep,
};
pub use sign_in::{ClientRegistration, SignIn};
pub use sku::{Sku, dollars};
pub use state_change::{LiveChange, StateChange};
pub use tool_change::{Severity, ToolChange, ToolChangeKind};
pub use trail::{Amounts, Decay, MarkKind, Trail, TrailEvent, TrailMark, TrailValue, above_threshold};
pub use verdict::{Facts, Handshake, ParameterType, Reason, Skill, TextFaults, Tool, ToolParameter, Verdict};
pub use withdrawal::{BlockedHost, BlockedHosts, InvalidReason, PublicReason, Withdrawal};

use std::fmt::Display;

use sha2::{Digest, Sha256};

/// The version of the API, which every document contains (`specification.md#versioning`).
pub const VERSION: &str = "2.9.0";

/// SHA-256 in lower-case hexadecimal.
pub fn sha256_hex(bytes: impl AsRef<[u8]>) -> String {
    hex(Sha256::digest(bytes))
}

/// Lower-case hexadecimal.
pub fn hex(bytes: impl AsRef<[u8]>) -> String {
    bytes.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of hexadecimal digits in upper or lower case.
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let byte = |pair: &[u8]| Some(digit(pair[0])? * 16 + digit(*pair.get(1)?)?);
    text.as_bytes().chunks(2).map(byte).collect()
}

/// A number with its noun: `1 tool`, `2 tools`.
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Whether a text consists of exactly `length` lower-case hexadecimal digits.
fn is_lower_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

pub const fn is_zero(n: &u32) -> bool {
    *n == 0
}
