//! The due listings, in the order in which one run takes them. The queue in the table ignores hosts, but one
//! host may have hundreds of listings that do not answer. So a run takes only a few listings of each host at
//! a time. This way the listings of other hosts need not wait.

use std::collections::{BTreeMap, HashMap, VecDeque};

use registry_app::App;
use registry_model::{Amounts, HashPrefix, HostName, Listing, ListingId, Moment, registrable_domain};
use registry_store::{DueClass, DueCursor, SLOTS_PER_HOST, Share, StoreError};

/// The number of listings that may wait for their host while later listings are read; each takes about 130 bytes.
const MAX_WAITING: usize = 20_000;

/// The due listings of one run. Each listing is returned only once.
#[derive(Debug)]
pub(super) struct DueQueue {
    due: Moment,
    part: HashPrefix,
    per_host: usize,
    /// The classes that are not read to their end, each with the place to go on from. The first is read next.
    classes: VecDeque<(DueClass, Option<DueCursor>)>,
    /// Reads a page of each class in turn, so that a class with many listings that do not answer does not delay the other.
    pub(super) alternates: bool,
    hosts: HashMap<String, Host>,
    /// Hosts with a listing that may be taken, by the position of that listing in the queue.
    ready: BTreeMap<usize, String>,
    read: usize,
    waiting: usize,
}

#[derive(Debug, Default)]
struct Host {
    waiting: VecDeque<(usize, ListingId, Option<Amounts>, Share)>,
    in_progress: usize,
}

/// A listing that is being probed, until [`DueQueue::done`].
#[derive(Clone, Debug)]
pub(super) struct DueListing {
    pub(super) id: ListingId,
    pub(super) trail: Option<Amounts>,
    pub(super) share: Share,
    host: String,
}

impl DueQueue {
    pub(super) fn of(classes: &'static [DueClass], due: Moment) -> Self {
        Self {
            due,
            part: HashPrefix::default(),
            per_host: SLOTS_PER_HOST,
            classes: classes.iter().map(|class| (*class, None)).collect(),
            alternates: false,
            hosts: HashMap::new(),
            ready: BTreeMap::new(),
            read: 0,
            waiting: 0,
        }
    }

    /// Restricts the queue to one part of all ids, and to `per_host` listings of each host at a time.
    pub(super) fn only(self, part: HashPrefix, per_host: usize) -> Self {
        Self { part, per_host, ..self }
    }

    /// One listing, due or not.
    pub(super) fn of_one(id: &ListingId, now: Moment) -> Self {
        let mut queue = Self::of(&[], now);
        queue.push("", id.clone(), None, Share::default());
        queue
    }

    /// The next listing whose host has room. `None` if nothing is due, or if all that is due waits for a listing in
    /// progress.
    pub(super) async fn take(&mut self, app: &App) -> Result<Option<DueListing>, StoreError> {
        loop {
            if let Some(entry) = self.pop() {
                return Ok(Some(entry));
            }
            if self.waiting >= MAX_WAITING {
                return Ok(None);
            }
            let Some((class, place)) = self.classes.pop_front() else { return Ok(None) };
            let (listings, next) = app.store.due_with_trails(class, self.due, self.part, place).await?;
            if next.is_some() {
                put_back(&mut self.classes, (class, next), self.alternates);
            }
            for (listing, trail) in listings {
                let (host, share) = (host_of(&listing), budget_share(&listing));
                self.push(&host, listing.id, Some(trail), share);
            }
        }
    }

    pub(super) fn done(&mut self, entry: &DueListing) {
        if let Some(host) = self.hosts.get_mut(&entry.host) {
            host.in_progress = host.in_progress.saturating_sub(1);
            if host.waiting.is_empty() && host.in_progress == 0 {
                self.hosts.remove(&entry.host);
            } else {
                self.make_ready(&entry.host);
            }
        }
    }

    pub(super) fn push(&mut self, host: &str, id: ListingId, trail: Option<Amounts>, share: Share) {
        self.hosts.entry(host.to_owned()).or_default().waiting.push_back((self.read, id, trail, share));
        self.read += 1;
        self.waiting += 1;
        self.make_ready(host);
    }

    pub(super) fn pop(&mut self) -> Option<DueListing> {
        let (_, name) = self.ready.pop_first()?;
        let host = self.hosts.get_mut(&name)?;
        let (_, id, trail, share) = host.waiting.pop_front()?;
        host.in_progress += 1;
        self.waiting -= 1;
        self.make_ready(&name);
        Some(DueListing { id, trail, share, host: name })
    }

    fn make_ready(&mut self, name: &str) {
        if let Some(host) = self.hosts.get(name)
            && let Some((place, ..)) = host.waiting.front()
            && host.in_progress < self.per_host
        {
            self.ready.insert(*place, name.to_owned());
        }
    }
}

/// Puts back a class that has more pages: in front, or behind the other classes if they are read in turn.
fn put_back<T>(classes: &mut VecDeque<T>, class: T, alternates: bool) {
    if alternates {
        classes.push_back(class);
    } else {
        classes.push_front(class);
    }
}

/// The origin that a listing's probe calls first; the listing's id if it has none.
fn host_of(listing: &Listing) -> String {
    url::Url::parse(listing.target())
        .map_or_else(|_| listing.id.to_string(), |url| url.origin().ascii_serialization())
}

/// The part of the budget from which a listing is probed; only a Live or gated listing has no limit of its own. An address has no
/// domain; only development allows addresses.
pub(super) fn budget_share(listing: &Listing) -> Share {
    if listing.lane.is_proven() {
        return Share::default();
    }
    let name = listing.ownership.server_name.as_deref().filter(|_| listing.has_proven_name());
    let proven = listing.valid_domain().cloned().or_else(|| HostName::of_server_name(name?));
    let is_unproven = proven.is_none();
    let host = proven.or_else(|| listing.own_host()).map(String::from);
    let is_name = |host: &String| matches!(url::Host::parse(host), Ok(url::Host::Domain(_)));
    let domain = host.filter(is_name).map(|host| registrable_domain(&host).unwrap_or(&host).to_owned());
    Share { is_unproven, domain }
}

#[cfg(test)]
mod tests;
