//! Defines the keys of all items in one place, so that two kinds of items never use the same key. The items
//! that are read together with a listing share its partition. A time in a key has thirteen digits of
//! milliseconds, so that the keys sort by time.

use std::borrow::Cow;
use std::fmt;

use aws_sdk_dynamodb::types::AttributeValue;
use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256};

use super::attributes::{Item, s, text};
use registry_model::{
    ContactFrom, Handshake, HostName, Kind, ListingId, LogTile, Moment, PaymentFlag, PurchaseId,
    ScoreReportId, sha256_hex,
};

/// Items over which each shared counter is spread, against write conflicts.
pub(crate) const SHARDS: u64 = 8;

/// A caller's text up to this many bytes is part of a key as it is. DynamoDB allows 2,048 bytes in a partition key and
/// 1,024 in a sort key.
const MAX_TEXT_BYTES: usize = 600;

/// Contacts stored per listing, in addition to those of its owner and of its feedback.
const MAX_CONTACTS: u8 = 16;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) pk: String,
    pub(crate) sk: String,
}

impl Key {
    pub(crate) fn new(pk: impl Into<String>, sk: impl Into<String>) -> Self {
        Self { pk: pk.into(), sk: sk.into() }
    }

    pub(crate) fn of(item: &Item) -> Self {
        Self::new(text(item, "pk"), text(item, "sk"))
    }

    pub(crate) fn item(&self) -> Item {
        Item::from([("pk".to_owned(), s(&self.pk)), ("sk".to_owned(), s(&self.sk))])
    }

    pub(crate) fn with<const N: usize>(&self, attributes: [(&str, AttributeValue); N]) -> Item {
        let mut item = self.item();
        item.extend(attributes.map(|(name, value)| (name.to_owned(), value)));
        item
    }
}

/// Where the items of one kind are: an id follows the prefix of their partitions, unless there is only one such item.
pub(crate) struct Place {
    pub(crate) prefix: &'static str,
    pub(crate) sort: &'static str,
}

impl Place {
    const fn new(prefix: &'static str, sort: &'static str) -> Self {
        Self { prefix, sort }
    }

    /// The key of the item for an id, which may be a text of a caller.
    pub(crate) fn of(&self, id: impl fmt::Display) -> Key {
        Key::new(self.partition(id), self.sort)
    }

    pub(crate) fn partition(&self, id: impl fmt::Display) -> String {
        format!("{}{}", self.prefix, bounded(&id.to_string()))
    }

    /// The key of the only item.
    pub(crate) fn key(&self) -> Key {
        Key::new(self.prefix, self.sort)
    }

    pub(crate) fn is_place_of(&self, item: &Item) -> bool {
        text(item, "sk") == self.sort
    }

    /// The listing whose id follows the prefix in the partition of an item.
    pub(crate) fn listing_of(&self, item: &Item) -> Option<ListingId> {
        text(item, "pk").strip_prefix(self.prefix)?.parse().ok()
    }
}

const LISTING_OF: &str = "LISTING#";

pub(crate) const LISTING: Place = Place::new(LISTING_OF, "CORE");
pub(crate) const EVIDENCE: Place = Place::new(LISTING_OF, "EVIDENCE");
/// The latest server description of a listing.
pub(crate) const SERVER: Place = Place::new(LISTING_OF, "SERVER");
/// The leaf of the latest decision on a listing. The key has no time, so that a batch read of the listing includes it.
pub(crate) const LAST_LEAF: Place = Place::new(LISTING_OF, "LAST_LEAF");
/// The keys and DIDs that are bound to the domain of a listing.
pub(crate) const IDENTITIES: Place = Place::new(LISTING_OF, "IDENTITIES");

/// What probes saw at a listing, in full. Separate from the listing, so that a read of the listing never includes it and a
/// policy can distinguish it.
const SEEN_OF: &str = "SEEN#";
/// The resources, resource templates and prompts of a server. Sorts after all evidence and before the tools.
pub(crate) const OFFERS: Place = Place::new(SEEN_OF, "OFFERS");
/// The current tool set of a server.
pub(crate) const TOOL_SET: Place = Place::new(SEEN_OF, "SET");

/// A pointer to the latest batch of attestations.
pub(crate) const LATEST_BATCH: Place = Place::new("LOG#BATCHES", "LATEST");
/// What the witnesses of the log have cosigned.
pub(crate) const WITNESSED: Place = Place::new("LOG#WITNESSED", "TREE");
/// The step of a change of keys that the operator requested.
pub(crate) const KEY_STEP: Place = Place::new("LOG#KEY", "STEP");
pub(crate) const LOG_TREE: Place = Place::new("LOG#TREE", "TREE");
pub(crate) const INDEX_MANIFEST: Place = Place::new("INDEX", "MANIFEST");
/// The version of the manifest. It costs one read unit, however long the manifest is. A table of an earlier version has no
/// such item before the next change of its index.
pub(crate) const INDEX_VERSION: Place = Place::new("INDEX", "VERSION");
pub(crate) const LAST_CHANGE: Place = Place::new("CHANGES", "LAST");
pub(crate) const TICK_REPORT: Place = Place::new("CLOCK", "TICK");

/// The leased slots of a host, for probes. The id is an origin.
pub(crate) const HOST_SLOTS: Place = Place::new("PROBING#", "SLOTS");
/// A listing's state in outreach. Separate from the listing, so that the function that sends invitations needs no right
/// to change listings.
pub(crate) const OUTREACH: Place = Place::new("OUTREACH#", "STATE");
pub(crate) const OUTREACH_TOTALS: Place = Place::new("OUTREACH", "TOTALS");
/// Until when a host, by its reversed name, asked not to be called.
pub(crate) const HOST_PAUSE: Place = Place::new("OUTREACH#HOST#", "PAUSE");
pub(crate) const CHALLENGE: Place = Place::new("CHALLENGE#", "CHALLENGE");
/// A used token of a workflow; the id is a digest.
pub(crate) const WORKFLOW_TOKEN: Place = Place::new("CHALLENGE#TOKEN#", "CHALLENGE");
/// The dump that is not complete. It sorts after all days.
pub(crate) const UNFINISHED_DUMP: Place = Place::new(DUMPS, "UNFINISHED");
/// What the operator added to the acceleration index.
pub(crate) const ECONOMY_BUMPS: Place = Place::new("ECONOMY#BUMPS", "BUMPS");
/// In the partition of the Live counters, so that one query reads both.
pub(crate) const OVERDUE: Place = Place::new(LIVE, "OVERDUE");
/// The founding seats, in the same partition for the same reason.
pub(crate) const SEATS: Place = Place::new(LIVE, "SEATS");
/// Exists where a listing of this registrable domain has a founding seat.
pub(crate) const SEAT: Place = Place::new("SEAT#", "SEAT");
pub(crate) const ORDER: Place = Place::new("ORDER#", "ORDER");
/// Separate from its listing, and named so that a policy can deny it: it contains free text of a caller.
pub(crate) const FEEDBACK: Place = Place::new("FEEDBACK#", "FEEDBACK");
/// The answers and the text of feedback, which expire.
pub(crate) const FEEDBACK_TEXT: Place = Place::new("FEEDBACK#", "TEXT");
pub(crate) const GRANT: Place = Place::new("TOKEN#", "GRANT");
pub(crate) const DISCOUNT_CODE: Place = Place::new("CODE#", "CODE");
/// Named so that a policy can deny it: it contains the URL where a purchase is paid.
pub(crate) const PURCHASE: Place = Place::new("PURCHASE#", "PURCHASE");
/// A pointer from the idempotency digest of a request to the purchase that it began.
pub(crate) const REPEAT: Place = Place::new("PURCHASE#REPEAT#", "REPEAT");
/// An event of the payment provider that was processed.
pub(crate) const PAYMENT_EVENT: Place = Place::new("PAYMENT#", "EVENT");
/// A pointer from a payment of the provider to the purchase that it paid: disputes contain only the payment.
pub(crate) const PAYMENT: Place = Place::new("PAYMENT#", "PURCHASE");
/// Under the digest of the session id, so that reading the table does not give the right to append.
pub(crate) const SESSION: Place = Place::new("SESSION#", "SESSION");
pub(crate) const OUTCOME_TALLY: Place = Place::new("OUTCOME#", "TALLY");
/// The values of a listing's trail. Trail, marks and edges have a partition of their own, so that a deposit does not
/// invalidate the cached listing. In descending order the trail sorts before the marks, so that one query reads both.
pub(crate) const TRAIL: Place = Place::new("TRAIL#", "TRAIL");
/// The ranks of a listing on the boards of attraction and demand. An item has one rank in each index.
pub(crate) const RANKS: Place = Place::new("TRAIL#", "DEMAND");

fn of_listing(id: &ListingId, sort: impl Into<String>) -> Key {
    Key::new(LISTING.partition(id), sort)
}

pub(crate) fn listing(id: &ListingId) -> Key {
    LISTING.of(id)
}

/// An earlier version of the server description. After [`MAX_EARLIER_SERVERS`], the oldest is replaced.
pub(crate) fn earlier_server(id: &ListingId, number: u32) -> Key {
    of_listing(id, format!("{}#{:02}", SERVER.sort, number % MAX_EARLIER_SERVERS))
}

const MAX_EARLIER_SERVERS: u32 = 50;

pub(crate) fn seen(id: &ListingId) -> String {
    TOOL_SET.partition(id)
}

pub(crate) fn leaf_evidence(id: &ListingId, hash: &str) -> Key {
    Key::new(seen(id), format!("EVIDENCE#{}", bounded(hash)))
}

/// An earlier tool set. After [`MAX_EARLIER_SETS`], the oldest is replaced.
pub(crate) fn earlier_tool_set(id: &ListingId, number: u32) -> Key {
    Key::new(seen(id), format!("{}#{:02}", TOOL_SET.sort, number % MAX_EARLIER_SETS))
}

/// Earlier tool sets that are stored for a listing.
pub(crate) const MAX_EARLIER_SETS: u32 = 8;

pub(crate) fn tool(id: &ListingId, hash: &str) -> Key {
    Key::new(seen(id), format!("{TOOL}{}", bounded(hash)))
}

pub(crate) const TOOL: &str = "TOOL#";

/// The partition of the index with the tools and tool sets that have this content address.
pub(crate) fn addressed(hash: &str) -> String {
    format!("{ADDRESS}{}", bounded(hash))
}

const ADDRESS: &str = "ADDRESS#";

/// The attribute of [`evidence`] with the latest change of tools or skills.
pub(crate) const CHANGED: &str = "changed";

/// Leaves that are not yet in the tree of the log, by time, so that a consistent read finds the newest, too.
pub(crate) const PENDING_LEAVES: &str = "LOG#PENDING";

/// Pending leaves that cannot be read, under their earlier sort keys.
pub(crate) const UNREADABLE_LEAVES: &str = "LOG#UNREADABLE";

/// The index of a leaf in the tree. In the partition of its listing, so that a listing's history is one query. Leaves of
/// no listing share a partition.
pub(crate) fn leaf(id: Option<&ListingId>, at: Moment, leaf: &str) -> Key {
    let sort = format!("{LEAF}{}", self::at(at, leaf));
    match id {
        Some(id) => of_listing(id, sort),
        None => Key::new("LOG#LEAVES", sort),
    }
}

pub(crate) const LEAF: &str = "LEAF#";

/// The messages in the Talk inbox of a listing, by time.
pub(crate) fn inbox(id: &ListingId) -> String {
    format!("INBOX#{id}")
}

/// The attestations that no leaf commits to yet, by time.
pub(crate) const UNLOGGED_ATTESTATIONS: &str = "LOG#ATTESTED";

/// The attestations that one leaf commits to, under the sort key that the last of them had before.
pub(crate) const ATTESTATION_BATCHES: &str = "LOG#BATCH";

/// Bytes appended to a tile of the log at an offset; a tile is all of its partition, in order.
pub(crate) fn tile_segment(tile: LogTile, offset: u64) -> Key {
    Key::new(tile_partition(tile), format!("{offset:03}"))
}

pub(crate) fn tile_partition(tile: LogTile) -> String {
    format!("LOG#{tile}")
}

/// Separate from everything a list or feed query can return, and named so that a policy can deny it. An owner has a
/// place that nobody else can take. Each other contact has one of a few slots, so that none replaces another's and their
/// number is bounded.
pub(crate) fn contact(id: &ListingId, from: ContactFrom, whose: &str) -> Key {
    match from {
        ContactFrom::Owner => Key::new(contacts_of(id), "CONTACT#OWNER"),
        ContactFrom::Feedback => Key::new(contacts_of(id), "CONTACT#FEEDBACK"),
        ContactFrom::Anyone => contact_slot(id, Sha256::digest(whose)[0] % MAX_CONTACTS),
    }
}

pub(crate) const CONTACT_OF: &str = "CONTACT#";

pub(crate) fn contacts_of(id: &ListingId) -> String {
    format!("{CONTACT_OF}{id}")
}

/// Who gave the contact with this sort key.
pub(crate) fn contact_from(sort: &str) -> ContactFrom {
    match sort {
        "CONTACT#OWNER" => ContactFrom::Owner,
        "CONTACT#FEEDBACK" => ContactFrom::Feedback,
        _ => ContactFrom::Anyone,
    }
}

fn contact_slot(id: &ListingId, slot: u8) -> Key {
    Key::new(contacts_of(id), format!("CONTACT#{slot:02}"))
}

/// Every place of a listing's contacts; the first is where tables of earlier versions stored the only one.
pub(crate) fn contacts(id: &ListingId) -> Vec<Key> {
    let earlier = Key::new(contacts_of(id), "CONTACT");
    let named = [ContactFrom::Owner, ContactFrom::Feedback].map(|from| contact(id, from, ""));
    let slots = (0..MAX_CONTACTS).map(|slot| contact_slot(id, slot));
    std::iter::once(earlier).chain(named).chain(slots).collect()
}

pub(crate) fn probe(id: &ListingId, at: Moment) -> Key {
    of_listing(id, format!("{PROBE}{}", millis(at)))
}

pub(crate) const PROBE: &str = "PROBE#";

/// A pointer from a name, folded for comparison, to a listing of that name.
pub(crate) fn name(name: &str, id: &ListingId) -> Key {
    Key::new(name_partition(name), id.as_str())
}

/// A pointer to a listing that goes before others of its name: it sorts before theirs (capitals sort first), so that these do
/// not hide it.
pub(crate) fn preferred_name(name: &str, id: &ListingId, rank: NameRank) -> Key {
    let rank = match rank {
        NameRank::Owned => "OWNED",
        NameRank::AtDomain => "PROVEN",
        NameRank::Shown => "SHOWN",
    };
    Key::new(name_partition(name), format!("{rank}#{id}"))
}

/// Why a listing goes before others of its name, the best reason first.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NameRank {
    /// Its publisher proved the name.
    Owned,
    /// Its URL is at the domain of the name.
    AtDomain,
    /// It is Live or gated.
    Shown,
}

/// The id of the listing to which the sort key of a name points.
pub(crate) fn named_id(sort_key: &str) -> Option<ListingId> {
    sort_key.rsplit('#').next()?.parse().ok()
}

pub(crate) fn name_partition(name: &str) -> String {
    let folded: String = name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    if folded.len() <= 200 { format!("NAME#{folded}") } else { format!("NAME#{}", sha256_hex(&folded)) }
}

pub(crate) const BLOCKED_HOSTS: &str = "BLOCKED";

/// Why a host points to a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostPointer {
    Listed,
    /// It was withdrawn when its host was blocked.
    Blocked,
}

/// A pointer from a host to a listing there. Within a zone, hosts sort by their reversed names, so that one query finds
/// the listings at a host and its subdomains.
pub(crate) fn host(host: &HostName, pointer: HostPointer, id: &ListingId) -> Key {
    let (zone, prefix) = host_prefix(host, pointer);
    Key::new(zone, format!("{prefix}#{id}"))
}

/// The partition of a host, and the prefix of the sort keys of its pointers and of those of its subdomains.
pub(crate) fn host_prefix(host: &HostName, pointer: HostPointer) -> (String, String) {
    let pointer = match pointer {
        HostPointer::Listed => "LISTED",
        HostPointer::Blocked => "BLOCKED",
    };
    (format!("HOST#{}", bounded(&host.zone())), format!("{pointer}#{}", bounded(&host.reversed())))
}

/// The partition of the secrets with which the addresses of callers are digested.
pub(crate) const CALLER_KEYS: &str = "CALLER_KEYS";

pub(crate) fn caller_key(period: i64) -> Key {
    Key::new(CALLER_KEYS, format!("{period:08}"))
}

/// The count of one kind of act within an hour, of a caller or at a host.
pub(crate) fn rate(act: &str, whose: &str, who: &str, hour: i64) -> Key {
    Key::new(format!("RATE#{act}#{whose}#{}", bounded(who)), hour.to_string())
}

/// One of the counters of what all callers do within a window. The caller and the number of its act decide which one, so
/// that the acts are spread evenly over the partitions.
pub(crate) fn rate_of_all(act: &str, caller: &str, used: u32, counters: u32, window: i64) -> Key {
    let counter = sha256_hex(format!("{caller}#{used}"));
    let counter =
        u32::from_str_radix(counter.get(..6).unwrap_or_default(), 16).unwrap_or_default() % counters;
    Key::new(format!("RATE#{act}#everybody#{counter:02}"), window.to_string())
}

/// A caller's text as a part of a key: itself, or its digest where it is too long.
pub(crate) fn bounded(text: &str) -> Cow<'_, str> {
    if text.len() <= MAX_TEXT_BYTES { text.into() } else { sha256_hex(text).into() }
}

/// Which listing holds an endpoint. A query, a fragment, a slash at the end or twice, and an escaped letter lead to the same
/// server, and with many servers also a path parameter and another case: URLs that differ only in these are one endpoint.
pub(crate) fn endpoint(url: &str) -> Key {
    let bare = url.split(['?', '#']).next().unwrap_or(url);
    // An escaped slash divides nothing.
    let bare = bare.replace("%2F", "%252F").replace("%2f", "%252F");
    let bare = percent_decode_str(&bare).decode_utf8_lossy();
    let (scheme, rest) = bare.split_once("://").unwrap_or_default();
    let parts = rest.split('/').map(|part| part.split(';').next().unwrap_or(part).trim());
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let normal = format!("{scheme}://{}", parts.join("/")).to_lowercase();
    Key::new(format!("ENDPOINT#{}", sha256_hex(normal)), "HOLDER")
}

/// The count of first touches in a UTC day.
pub(crate) fn outreach_day(at: Moment) -> Key {
    Key::new("OUTREACH", format!("DAY#{}", at.utc_day()))
}

/// The first touches, by time.
pub(crate) const TOUCHES: &str = "TOUCHES";

/// The connectors of UTC days, by day.
pub(crate) const CONNECTORS: &str = "CONNECTOR";

/// The partition of the reports about a URL, which is given as in [`ScoreReportId::of_url`].
pub(crate) fn score_reports(url: &str) -> String {
    format!("SCORED#{}", bounded(url))
}

/// A report of a score. The sort key begins with its time.
pub(crate) fn score_report(id: &ScoreReportId) -> Key {
    let (url, rest) = id.parts();
    Key::new(score_reports(url), rest)
}

pub(crate) fn attestations(id: &ListingId) -> String {
    format!("ATTESTED#{id}")
}

pub(crate) fn attestation(listing_id: &ListingId, id: &str) -> Key {
    Key::new(attestations(listing_id), id)
}

/// The account to which the names of a GitHub login belong.
pub(crate) fn github_owner(login: &str) -> Key {
    Key::new(format!("GITHUB#{}", bounded(&login.to_ascii_lowercase())), "OWNER")
}

/// The samples of hours, by time.
pub(crate) const ECONOMY: &str = "ECONOMY";

/// The complete dumps, by day.
pub(crate) const DUMPS: &str = "DUMPS";

/// A piece of a part, which is too large for one item.
pub(crate) fn dump_piece(sha256: &str, number: usize) -> Key {
    Key::new(dump_part(sha256), format!("{number:03}"))
}

pub(crate) fn dump_part(sha256: &str) -> String {
    format!("DUMP#{}", bounded(sha256))
}

pub(crate) fn live(id: &ListingId) -> Key {
    Key::new(LIVE, shard(id))
}

pub(crate) const LIVE: &str = "LIVE";

/// A payment that the operator must look at; all of them share a partition, by time.
pub(crate) fn flagged(at: Moment, id: &PurchaseId, flag: PaymentFlag) -> Key {
    by_time(FLAGGED, at, &format!("{id}#{}", flag.as_str()))
}

pub(crate) const FLAGGED: &str = "FLAGGED";

pub(crate) fn peer_registry(url: &str) -> Key {
    Key::new("FEDERATION", format!("PEER#{}", sha256_hex(url)))
}

/// How far the import of a directory has come.
pub(crate) fn import_state(source: &str) -> Key {
    Key::new("IMPORTS", sha256_hex(source))
}

/// The reports about listings, by time.
pub(crate) const REPORTS: &str = "REPORTS";

/// One step of a session, by time; `mark` distinguishes two of the same millisecond.
pub(crate) fn session_step(digest: &str, at: Moment, mark: &str) -> Key {
    Key::new(SESSION.partition(digest), format!("STEP#{}", self::at(at, mark)))
}

/// How many sessions were opened and closed, spread over a few items.
pub(crate) fn session_totals(digest: &str) -> Key {
    let shard = u64::from_str_radix(digest.get(..4).unwrap_or_default(), 16).unwrap_or_default() % SHARDS;
    Key::new(SESSION_TOTALS, format!("{shard:02}"))
}

pub(crate) const SESSION_TOTALS: &str = "SESSIONS";

/// Exists where a source had its outcome of a listing counted in this hour.
pub(crate) fn outcome_source(id: &ListingId, source: &str, hour: i64) -> Key {
    Key::new(OUTCOME_TALLY.partition(id), format!("SOURCE#{}#{hour}", sha256_hex(source)))
}

/// Exists where a source reported in this hour that a listing failed. Sorts by time.
pub(crate) fn failed_outcome(id: &ListingId, source: &str, hour: i64) -> Key {
    Key::new(OUTCOME_TALLY.partition(id), format!("{}#{}", failed_outcomes_since(hour), sha256_hex(source)))
}

/// The beginning of the sort keys of an hour.
pub(crate) fn failed_outcomes_since(hour: i64) -> String {
    format!("FAILED#{hour:010}")
}

/// Sorts after every report of a failure.
pub(crate) const AFTER_FAILED_OUTCOMES: &str = "FAILED$";

/// The partition of single outcomes, by time.
pub(crate) const OUTCOMES: &str = "OUTCOMES";

pub(crate) fn mark(at: &ListingId, time: Moment, mark_id: &str) -> Key {
    Key::new(TRAIL.partition(at), format!("{MARK}{}", self::at(time, mark_id)))
}

pub(crate) const MARK: &str = "MARK#";

/// Exists where a source, known by a digest, recently deposited at a listing.
pub(crate) fn trace_source(at: &ListingId, act: &str, digest: &str) -> Key {
    Key::new(format!("TRACED#{at}"), format!("{act}#{digest}"))
}

/// Two listings that were used together, at the first of the two; another item records the same at the second.
pub(crate) fn edge(at: &ListingId, with: &ListingId) -> Key {
    Key::new(TRAIL.partition(at), format!("{EDGE}{with}"))
}

pub(crate) const EDGE: &str = "EDGE#";

pub(crate) fn ends_of_edge(key: &Key) -> Vec<ListingId> {
    let ends = [key.pk.strip_prefix(TRAIL.prefix), key.sk.strip_prefix(EDGE)];
    ends.into_iter().flatten().filter_map(|id| id.parse().ok()).collect()
}

/// The counts of trail events, in all and recently.
pub(crate) fn trail_totals(id: &ListingId) -> Key {
    Key::new(TRAILS, shard(id))
}

pub(crate) fn all_trail_totals() -> Vec<Key> {
    (0..SHARDS).map(|shard| Key::new(TRAILS, format!("{shard:02}"))).collect()
}

pub(crate) const TRAILS: &str = "TRAILS";

pub(crate) fn day_tally(at: Moment, id: &ListingId) -> Key {
    Key::new(day_partition(at), shard(id))
}

pub(crate) fn day_partition(at: Moment) -> String {
    format!("DAY#{}", at.utc_day())
}

pub(crate) fn week_tally(at: Moment, id: &ListingId) -> Key {
    Key::new(week_partition(at), shard(id))
}

pub(crate) fn week_partition(at: Moment) -> String {
    format!("WEEK#{}", at.iso_week())
}

pub(crate) fn shown_active(kind: Kind) -> String {
    format!("ACTIVE#{}", kind.as_str())
}

pub(crate) fn collection(name: &str) -> Key {
    Key::new(COLLECTIONS, bounded(name))
}

pub(crate) fn collections_added(prefix: &str) -> Key {
    Key::new("COLLECTIONS#ADDED", prefix)
}

pub(crate) const COLLECTIONS: &str = "COLLECTIONS";

/// Servers that run on the machine of their user.
pub(crate) const SHOWN_PACKAGES: &str = "PACKAGES";

/// Servers that ask for a sign-in.
pub(crate) const SHOWN_GATED: &str = "GATED";

pub(crate) fn shown_probed(handshake: Handshake) -> String {
    format!("PROBED#{}", handshake.as_str())
}

/// So many seconds before a time. Items that have expired are deleted with a delay, so queries begin there.
pub(crate) fn before(now: Moment, seconds: i64) -> Moment {
    Moment::from_second(now.as_second() - seconds).unwrap_or(Moment::UNIX_EPOCH)
}

/// The key of an item in a partition by time, see [`at`].
pub(crate) fn by_time(partition: &str, time: Moment, mark: &str) -> Key {
    Key::new(partition, at(time, mark))
}

/// A sort key by time, then by `mark`, which distinguishes two of the same millisecond.
pub(crate) fn at(time: Moment, mark: &str) -> String {
    format!("{}#{mark}", millis(time))
}

/// Sorts after every [`at`] of this time.
pub(crate) fn after_all_at(time: Moment) -> String {
    at(time, "~")
}

pub(crate) fn millis(time: Moment) -> String {
    format!("{:013}", time.as_millisecond())
}

pub(crate) fn time_of(sort_key: &str) -> Option<Moment> {
    Moment::from_millisecond(sort_key.split('#').next()?.parse().ok()?)
}

fn shard(id: &ListingId) -> String {
    let sum: u64 = Sha256::digest(id.as_str()).iter().take(2).map(|b| u64::from(*b)).sum();
    format!("{:02}", sum % SHARDS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::*;

    #[test]
    fn keys_are_ordered_by_time() {
        let early: Moment = "2026-11-20T09:59:59.999Z".parse().unwrap();
        let late: Moment = "2026-11-20T10:00:00Z".parse().unwrap();
        assert!(at(early, "z") < at(late, "a"));
        assert_eq!(week_partition(late), "WEEK#2026-W47");
    }

    fn fits(key: &Key) -> bool {
        (1..=2048).contains(&key.pk.len()) && (1..=1024).contains(&key.sk.len())
    }

    proptest! {
        /// DynamoDB refuses longer keys, which a caller would see as an internal error.
        #[test]
        fn every_key_from_a_text_of_a_caller_is_short_enough(
            text in prop_oneof!["\\PC{0,40}", "\\PC{500,3000}", "(a\\.){900,2100}org"],
            owner: String,
        ) {
            let url = Url::parse(&format!("https://{text}")).or_else(|_| Url::parse("https://a.example.org"));
            let ids = [
                ListingId::of_url(&url.unwrap()),
                ListingId::of_name(Kind::Mcp, &text),
                ListingId::of_taken_name(Kind::Agent, &text, &owner),
            ];
            for id in ids.iter().cloned().chain(text.parse()) {
                let (now, id) = (Moment::UNIX_EPOCH, &id);
                let keys = [listing(id), EVIDENCE.of(id), contact(id, ContactFrom::Anyone, &text), probe(id, now), name(&text, id), preferred_name(&text, id, NameRank::Owned)];
                prop_assert!(keys.iter().all(fits), "{id}");
                let digest = "0123456789abcdef01234567";
                let trails = [
                    TRAIL.of(id), RANKS.of(id), mark(id, now, digest), edge(id, id), trace_source(id, "used_with", digest),
                ];
                prop_assert!(trails.iter().all(fits), "{id}");
                prop_assert!(at(now, id.as_str()).len() <= 1024, "{id}");
            }
            prop_assert!(fits(&endpoint(&text)));
            prop_assert!(fits(&PAYMENT_EVENT.of(&text)) && fits(&PAYMENT.of(&text)) && fits(&SEAT.of(&text)));
            prop_assert!(fits(&rate("publish", "host", &text, i64::MAX)));
        }
    }

    #[test]
    fn key_of_a_name_ignores_case_and_extra_spaces() {
        assert_eq!(name_partition("  Weather\t Bot "), name_partition("weather bot"));
        assert!(name_partition(&"x".repeat(5000)).len() < 100);
    }

    #[test]
    fn better_reasons_sort_first_in_a_name() {
        let id = ListingId::of_name(registry_model::Kind::Mcp, "a");
        let ranks = [NameRank::Owned, NameRank::AtDomain, NameRank::Shown];
        let keys = ranks.iter().map(|rank| preferred_name("a", &id, *rank)).chain([name("a", &id)]);
        assert!(keys.is_sorted(), "a stranger's pointer hides a better one");
    }

    #[test]
    fn spellings_of_one_endpoint_have_one_key() {
        let key = endpoint("https://a.example/x/mcp");
        for spelling in ["https://a.example//x/mcp/", "https://a.example/x/%6dcp?a=1"] {
            assert_eq!(endpoint(spelling), key, "{spelling}");
        }
        assert_ne!(endpoint("https://a.example/x%2Fmcp"), key, "an escaped slash divides nothing");
    }
}
