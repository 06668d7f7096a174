//! The keys of every item, in one place so that no two kinds of items collide. Everything about one listing shares its
//! partition; times are thirteen digits of milliseconds, so that text order is time order.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use super::attributes::{Item, s};
use registry_model::{
    Handshake, HostName, Kind, ListingId, LogTile, Moment, OrderId, PurchaseId, TokenDigest,
};

/// Items over which each shared counter is spread, against write conflicts.
pub(super) const SHARDS: u64 = 8;

/// The longest text of a caller that stands in a key as it is, in bytes: keys may have 2,048 and 1,024.
const LONGEST_TEXT: usize = 600;

/// The most contacts that are kept of one listing.
const CONTACTS: u8 = 16;

/// A primary key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) pk: String,
    pub(super) sk: String,
}

impl Key {
    pub(super) fn new(pk: impl Into<String>, sk: impl Into<String>) -> Self {
        Self { pk: pk.into(), sk: sk.into() }
    }

    pub(super) fn item(&self) -> Item {
        Item::from([("pk".to_owned(), s(&self.pk)), ("sk".to_owned(), s(&self.sk))])
    }
}

pub(super) fn listing(id: &ListingId) -> Key {
    Key::new(format!("LISTING#{id}"), "CORE")
}

pub(super) fn evidence(id: &ListingId) -> Key {
    Key::new(format!("LISTING#{id}"), EVIDENCE)
}

pub(super) const EVIDENCE: &str = "EVIDENCE";

/// The attribute of [`evidence`] that tells the latest change of tools or skills.
pub(super) const CHANGED: &str = "changed";

/// A leaf that is not yet in the tree of the log; all of them share a partition, by time, so that a consistent read
/// finds those of the last moment, too.
pub(super) fn pending_leaf(at: Moment, leaf: &str) -> Key {
    Key::new(PENDING_LEAVES, self::at(at, leaf))
}

/// Tells the index of a leaf in the tree. With its listing, so that its listing's history is one query.
pub(super) fn leaf(id: &ListingId, at: Moment, leaf: &str) -> Key {
    Key::new(format!("LISTING#{id}"), format!("{LEAF}{}", self::at(at, leaf)))
}

/// What the sort keys of the leaves of a listing begin with.
pub(super) const LEAF: &str = "LEAF#";

/// The leaf of the latest decision on a listing: a key without a time, so that whoever reads the listing reads it, too.
pub(super) fn last_leaf(id: &ListingId) -> Key {
    Key::new(format!("LISTING#{id}"), LAST_LEAF)
}

pub(super) const LAST_LEAF: &str = "LAST_LEAF";

/// The tree of the log.
pub(super) fn log_tree() -> Key {
    Key::new("LOG#TREE", "TREE")
}

/// What joined a tile of the log at one place; what a tile holds is all of its partition, in order.
pub(super) fn tile_segment(tile: LogTile, offset: u64) -> Key {
    Key::new(tile_partition(tile), format!("{offset:03}"))
}

/// The partition of a tile of the log.
pub(super) fn tile_partition(tile: LogTile) -> String {
    format!("LOG#{tile}")
}

/// The partition of leaves that are not yet in the tree.
pub(super) const PENDING_LEAVES: &str = "LOG#PENDING";

/// Apart from everything a list or feed query can return, and named so that a policy can deny it. Each publisher's
/// contact has its place among a few, so that none replaces another's and their number is bounded.
pub(super) fn contact(id: &ListingId, whose: &str) -> Key {
    contact_at(id, Sha256::digest(whose)[0] % CONTACTS)
}

fn contact_at(id: &ListingId, place: u8) -> Key {
    Key::new(format!("CONTACT#{id}"), format!("CONTACT#{place:02}"))
}

/// Every place where a contact of a listing may stand; the first is where tables of before kept the only one.
pub(super) fn contacts(id: &ListingId) -> Vec<Key> {
    let before = Key::new(format!("CONTACT#{id}"), "CONTACT");
    std::iter::once(before).chain((0..CONTACTS).map(|place| contact_at(id, place))).collect()
}

pub(super) fn probe(id: &ListingId, at: Moment) -> Key {
    Key::new(format!("LISTING#{id}"), format!("{PROBE_AT}{}", millis(at)))
}

/// What the sort key of [`probe`] begins with.
pub(super) const PROBE_AT: &str = "PROBE#";

/// Points from a name, folded for comparison, to a listing of that name.
pub(super) fn name(name: &str, id: &ListingId) -> Key {
    Key::new(name_partition(name), id.as_str())
}

/// The same to a listing that proved the name: it stands before all that only claim it (capitals sort first).
pub(super) fn proven_name(name: &str, id: &ListingId) -> Key {
    Key::new(name_partition(name), format!("{PROVEN}{id}"))
}

/// The id of the listing to which the sort key of a name points.
pub(super) fn named_id(sort_key: &str) -> Option<ListingId> {
    sort_key.strip_prefix(PROVEN).unwrap_or(sort_key).parse().ok()
}

const PROVEN: &str = "PROVEN#";

pub(super) fn name_partition(name: &str) -> String {
    let folded: String = name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    if folded.len() <= 200 { format!("NAME#{folded}") } else { format!("NAME#{}", digest(&folded)) }
}

/// All blocked hosts.
pub(super) const BLOCKED_HOSTS: &str = "BLOCKED";

pub(super) fn blocked_host(host: &HostName) -> Key {
    Key::new(BLOCKED_HOSTS, host.reversed())
}

/// How a listing stands under its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostPointer {
    /// It is listed.
    Listed,
    /// It was withdrawn when its host was blocked.
    Blocked,
}

/// Points from a host to a listing there. Beneath a zone, hosts sort by their reversed names, so that one query finds
/// what is listed at a host and under it.
pub(super) fn host(host: &HostName, standing: HostPointer, id: &ListingId) -> Key {
    let (zone, first) = host_range(host, standing);
    Key::new(zone, format!("{first}#{id}"))
}

/// The partition of a host, and what the sort keys of its pointers and of those under it begin with.
pub(super) fn host_range(host: &HostName, standing: HostPointer) -> (String, String) {
    let standing = match standing {
        HostPointer::Listed => "LISTED",
        HostPointer::Blocked => "BLOCKED",
    };
    (format!("HOST#{}", bounded(&host.zone())), format!("{standing}#{}", bounded(&host.reversed())))
}

/// The acts of one sort within an hour, of a caller or at a host.
pub(super) fn rate(act: &str, whose: &str, who: &str, hour: i64) -> Key {
    Key::new(format!("RATE#{act}#{whose}#{}", bounded(who)), hour.to_string())
}

/// A caller's text as a part of a key: itself, or its digest where it is too long for one.
pub(super) fn bounded(text: &str) -> Cow<'_, str> {
    if text.len() <= LONGEST_TEXT { text.into() } else { digest(text).into() }
}

/// Which listing holds an endpoint. A query, a fragment or a slash at the end leads to the same server, so none of them
/// makes another endpoint.
pub(super) fn endpoint(url: &str) -> Key {
    let bare = url.split(['?', '#']).next().unwrap_or(url);
    Key::new(format!("ENDPOINT#{}", digest(bare.trim_end_matches('/'))), "HOLDER")
}

/// When a listing may be written to, and when it was. Apart from the listing, so that whoever sends invitations need not
/// have the right to change listings.
pub(super) fn outreach(id: &ListingId) -> Key {
    Key::new(format!("{OUTREACH_OF}{id}"), "STATE")
}

/// What the partition of [`outreach`] begins with.
pub(super) const OUTREACH_OF: &str = "OUTREACH#";

/// How many first touches a UTC day has had.
pub(super) fn outreach_day(at: Moment) -> Key {
    Key::new("OUTREACH", format!("DAY#{}", day(at)))
}

/// All that outreach has done since the table exists.
pub(super) fn outreach_totals() -> Key {
    Key::new("OUTREACH", "TOTALS")
}

/// One first touch; all of them share a partition, by time.
pub(super) fn touch(at: Moment, id: &ListingId) -> Key {
    Key::new(TOUCHES, self::at(at, id.as_str()))
}

/// The partition of first touches.
pub(super) const TOUCHES: &str = "TOUCHES";

/// Until when a host asked not to be called.
pub(super) fn host_pause(host: &HostName) -> Key {
    Key::new(format!("OUTREACH#HOST#{}", bounded(&host.reversed())), "PAUSE")
}

/// The connector of a UTC day; all of them share a partition, by day.
pub(super) fn connector_day(day: &str) -> Key {
    Key::new(CONNECTORS, day)
}

/// The partition of the connectors of the day.
pub(super) const CONNECTORS: &str = "CONNECTOR";

/// The partition of the statements that were signed about a listing.
pub(super) fn attestations(id: &ListingId) -> String {
    format!("ATTESTED#{id}")
}

pub(super) fn attestation(listing_id: &ListingId, id: &str) -> Key {
    Key::new(attestations(listing_id), id)
}

/// The keys and DIDs that are bound to the domain of a listing.
pub(super) fn identities(id: &ListingId) -> Key {
    Key::new(format!("LISTING#{id}"), "IDENTITIES")
}

pub(super) fn challenge(nonce: &str) -> Key {
    Key::new(format!("CHALLENGE#{}", bounded(nonce)), "CHALLENGE")
}

/// The sample of an hour; all of them share a partition, by time.
pub(super) fn economy_sample(hour: Moment) -> Key {
    Key::new(ECONOMY, millis(hour))
}

/// The partition of the hourly samples.
pub(super) const ECONOMY: &str = "ECONOMY";

/// What the operator added to the acceleration index.
pub(super) fn economy_bumps() -> Key {
    Key::new("ECONOMY#BUMPS", "BUMPS")
}

pub(super) fn live(id: &ListingId) -> Key {
    Key::new(LIVE, shard(id))
}

pub(super) const LIVE: &str = "LIVE";

/// Beside the counters of what is Live, so that one query reads both.
pub(super) fn overdue() -> Key {
    Key::new(LIVE, "OVERDUE")
}

/// Beside them too, so that whoever shows what is Live knows how many founding seats are taken.
pub(super) fn seats() -> Key {
    Key::new(LIVE, "SEATS")
}

pub(super) fn order(id: &OrderId) -> Key {
    Key::new(format!("ORDER#{id}"), "ORDER")
}

/// Apart from its listing, and named so that a policy can deny it: it holds what somebody wrote.
pub(super) fn feedback(id: &ListingId) -> Key {
    Key::new(format!("FEEDBACK#{id}"), "FEEDBACK")
}

pub(super) fn grant(token: &TokenDigest) -> Key {
    Key::new(format!("TOKEN#{}", token.as_str()), "GRANT")
}

pub(super) fn discount_code(digest: &str) -> Key {
    Key::new(format!("CODE#{digest}"), "CODE")
}

/// Named so that a policy can deny it: it holds where a purchase is paid.
pub(super) fn purchase(id: &PurchaseId) -> Key {
    Key::new(format!("PURCHASE#{id}"), "PURCHASE")
}

/// Points from what makes a request the same, by its digest, to the purchase that it began.
pub(super) fn repeat(digest: &str) -> Key {
    Key::new(format!("PURCHASE#REPEAT#{digest}"), "REPEAT")
}

/// An event of the payment provider that was acted on.
pub(super) fn payment_event(id: &str) -> Key {
    Key::new(format!("PAYMENT#{}", bounded(id)), "EVENT")
}

/// What another registry told.
pub(super) fn peer_registry(url: &str) -> Key {
    Key::new("FEDERATION", format!("PEER#{}", digest(url)))
}

/// Under its digest, so that whoever reads the table cannot append to it.
pub(super) fn session(digest: &str) -> Key {
    Key::new(format!("SESSION#{digest}"), "SESSION")
}

/// One step of a session, by time; `mark` tells two of the same millisecond apart.
pub(super) fn session_step(digest: &str, at: Moment, mark: &str) -> Key {
    Key::new(format!("SESSION#{digest}"), format!("STEP#{}", self::at(at, mark)))
}

/// How often sessions were opened and closed, spread over a few items.
pub(super) fn session_totals(digest: &str) -> Key {
    let shard = u64::from_str_radix(digest.get(..4).unwrap_or_default(), 16).unwrap_or_default() % SHARDS;
    Key::new(SESSION_TOTALS, format!("{shard:02}"))
}

/// The partition of those counters.
pub(super) const SESSION_TOTALS: &str = "SESSIONS";

/// What users report of a listing, summed up.
pub(super) fn outcomes(id: &ListingId) -> Key {
    Key::new(format!("OUTCOME#{id}"), "TALLY")
}

/// That a source had its outcome of a listing counted in this hour.
pub(super) fn outcome_source(id: &ListingId, source: &str, hour: i64) -> Key {
    Key::new(format!("OUTCOME#{id}"), format!("SOURCE#{}#{hour}", digest(source)))
}

/// The partition of single outcomes, by time.
pub(super) const OUTCOMES: &str = "OUTCOMES";
/// What is deposited at a listing, with its marks and edges in a partition of their own: a deposit leaves what is cached of
/// the listing as it is. In descending order the trail stands before the marks, so that one query reads both.
pub(super) fn trail(id: &ListingId) -> Key {
    Key::new(trail_partition(id), TRAIL)
}

/// The sort key of [`trail`].
pub(super) const TRAIL: &str = "TRAIL";

pub(super) fn trail_partition(id: &ListingId) -> String {
    format!("{TRAIL_OF}{id}")
}

/// What the partition of [`trail`] begins with.
pub(super) const TRAIL_OF: &str = "TRAIL#";

/// A mark at a listing; by time.
pub(super) fn mark(at: &ListingId, time: Moment, mark_id: &str) -> Key {
    Key::new(trail_partition(at), format!("{MARK_AT}{}", self::at(time, mark_id)))
}

/// What the sort key of [`mark`] begins with.
pub(super) const MARK_AT: &str = "MARK#";

/// That a source, known by a digest, deposited at a listing of late.
pub(super) fn trace_source(at: &ListingId, act: &str, digest: &str) -> Key {
    Key::new(format!("TRACED#{at}"), format!("{act}#{digest}"))
}

/// The place of a listing on the board of demand. The trail itself has a place on two boards already, and an item has one
/// in each index.
pub(super) fn demand(id: &ListingId) -> Key {
    Key::new(trail_partition(id), "DEMAND")
}

/// That a listing was used with another, at the first of the two; another item says the same at the second.
pub(super) fn edge(at: &ListingId, with: &ListingId) -> Key {
    Key::new(trail_partition(at), format!("{EDGE_WITH}{with}"))
}

/// What the sort key of [`edge`] begins with.
pub(super) const EDGE_WITH: &str = "EDGE#";

/// How often each event was since the table exists, and of late.
pub(super) fn trail_totals(id: &ListingId) -> Key {
    Key::new(TRAILS, shard(id))
}

/// Every item of [`trail_totals`].
pub(super) fn all_trail_totals() -> Vec<Key> {
    (0..SHARDS).map(|shard| Key::new(TRAILS, format!("{shard:02}"))).collect()
}

/// The two listings of an [`edge`].
pub(super) fn ends_of_edge(key: &Key) -> Vec<ListingId> {
    let ends = [key.pk.strip_prefix(TRAIL_OF), key.sk.strip_prefix(EDGE_WITH)];
    ends.into_iter().flatten().filter_map(|id| id.parse().ok()).collect()
}

/// The partition of [`trail_totals`].
pub(super) const TRAILS: &str = "TRAILS";

pub(super) fn day_tally(at: Moment, id: &ListingId) -> Key {
    Key::new(day_partition(at), shard(id))
}

pub(super) fn day_partition(at: Moment) -> String {
    format!("DAY#{}", day(at))
}

pub(super) fn week_tally(at: Moment, id: &ListingId) -> Key {
    Key::new(week_partition(at), shard(id))
}

pub(super) fn week_partition(at: Moment) -> String {
    format!("WEEK#{}", week(at))
}

pub(super) fn shown_active(kind: Kind) -> String {
    format!("ACTIVE#{}", kind.as_str())
}

pub(super) fn shown_probed(handshake: Handshake) -> String {
    format!("PROBED#{}", handshake.as_str())
}

/// A sort key by time, then by something that tells two of the same millisecond apart.
pub(super) fn at(time: Moment, mark: &str) -> String {
    format!("{}#{mark}", millis(time))
}

pub(super) fn millis(time: Moment) -> String {
    format!("{:013}", time.as_millisecond())
}

/// The time that a sort key by time begins with.
pub(super) fn time_of(sort_key: &str) -> Option<Moment> {
    Moment::from_millisecond(sort_key.split('#').next()?.parse().ok()?)
}

/// The UTC day, `2026-11-20`.
pub(super) fn day(at: Moment) -> String {
    at.utc_day()
}

/// The ISO week, `2026-W47`.
pub(super) fn week(at: Moment) -> String {
    let week = at.timestamp().to_zoned(jiff::tz::TimeZone::UTC).date().iso_week_date();
    format!("{}-W{:02}", week.year(), week.week())
}

fn shard(id: &ListingId) -> String {
    let sum: u64 = Sha256::digest(id.as_str()).iter().take(2).map(|b| u64::from(*b)).sum();
    format!("{:02}", sum % SHARDS)
}

fn digest(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::*;

    #[test]
    fn keys_sort_by_time() {
        let early: Moment = "2026-11-20T09:59:59.999Z".parse().unwrap();
        let late: Moment = "2026-11-20T10:00:00Z".parse().unwrap();
        assert!(at(early, "z") < at(late, "a"));
        assert_eq!((day(late), week(late)), ("2026-11-20".to_owned(), "2026-W47".to_owned()));
    }

    fn fits(key: &Key) -> bool {
        (1..=2048).contains(&key.pk.len()) && (1..=1024).contains(&key.sk.len())
    }

    proptest! {
        /// The engine refuses longer keys, which a caller would be told as a fault of ours.
        #[test]
        fn every_key_made_from_a_callers_text_fits(
            text in prop_oneof!["\\PC{0,40}", "\\PC{500,3000}", "(a\\.){900,2100}org"],
            owner: String,
        ) {
            let url = Url::parse(&format!("https://{text}")).or_else(|_| Url::parse("https://a.example.org"));
            let ids = [
                ListingId::of_url(&url.unwrap()),
                ListingId::of_name(Kind::Mcp, &text),
                ListingId::of_name_beside_another(Kind::Agent, &text, &owner),
            ];
            for id in ids.iter().cloned().chain(text.parse()) {
                let (now, id) = (Moment::UNIX_EPOCH, &id);
                let keys = [listing(id), evidence(id), contact(id, &text), probe(id, now), name(&text, id), proven_name(&text, id)];
                prop_assert!(keys.iter().all(fits), "{id}");
                let digest = "0123456789abcdef01234567";
                let trails = [
                    trail(id), demand(id), mark(id, now, digest), edge(id, id), trace_source(id, "used_with", digest),
                ];
                prop_assert!(trails.iter().all(fits), "{id}");
                prop_assert!(at(now, id.as_str()).len() <= 1024, "{id}");
            }
            prop_assert!(fits(&endpoint(&text)));
            prop_assert!(fits(&payment_event(&text)));
            prop_assert!(fits(&rate("publish", "host", &text, i64::MAX)));
        }
    }

    #[test]
    fn names_are_folded() {
        assert_eq!(name_partition("  Weather\t Bot "), name_partition("weather bot"));
        assert!(name_partition(&"x".repeat(5000)).len() < 100);
    }
}
