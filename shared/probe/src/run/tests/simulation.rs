//! A fortnight of a registry with 10,000 Live listings and the default budgets, and a week with a million, in seconds. The
//! clock is simulated, and so are the table (a sorted set in the order of the due index) and the peers (a function of listing
//! and time). The rules are the real ones: what a tick may renew, the budget that it leaves, the parts of a recheck, the
//! fair order of hosts in [`DueQueue`], and every state change in [`after_probe`].

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use jiff::SignedDuration;
use registry_model::{
    Assessment, Check, Facts, Handshake, Kind, Lane, Listing, ListingId, Moment, Random, Score, Verdict,
};
use registry_settings::{Mode, Settings};
use registry_store::{Bucket, BudgetState, Caps, Share};

use crate::checks::tests::fine;
use crate::due_queue::{DueListing, DueQueue};
use crate::run::{RECHECK_DURATION, RESERVED, for_renewals, recheck_parts, renewals, slots_per_host};
use crate::sweep::MAX_CONCURRENT;
use crate::transition::{Job, after_probe, renewable_until};

const TICK_S: i64 = 360;
const DAY_S: i64 = 86_400;
/// Probes of due listings that are not Live, in each tick: 2,000 listings that fail are retried once a day.
const OTHER_WORK: u32 = 8;
/// First probes of new listings in the window of each tick: 720 new listings a day.
const NEW_LISTINGS: u32 = 1;

/// How a peer behaves.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Peer {
    Answers,
    /// It answers, except for less than two hours from this time on.
    Restarts(i64),
    /// From this time on, it is gone (404).
    Gone(i64),
    /// From this time on, no request is answered (timeouts).
    Silent(i64),
}

impl Peer {
    fn answer(self, at: i64) -> (Handshake, bool) {
        match self {
            Self::Restarts(from) if (from..from + 6_600).contains(&at) => (Handshake::Fail, false),
            Self::Gone(from) if at >= from => (Handshake::Fail, false),
            Self::Silent(from) if at >= from => (Handshake::Fail, true),
            _ => (Handshake::Ok, false),
        }
    }

    /// Of 100 peers, one is gone, one falls silent, and five restart.
    fn of(number: usize, random: &Random) -> Self {
        let at = DAY_S + i64::try_from(random.below(5 * 86_400)).unwrap();
        match number % 100 {
            0 => Self::Gone(at),
            1 => Self::Silent(at),
            2..=6 => Self::Restarts(at),
            _ => Self::Answers,
        }
    }
}

fn moment(second: i64) -> Moment {
    Moment::from_second(1_800_000_000 + second).unwrap()
}

struct Registry {
    settings: Settings,
    /// Seconds that a probe takes, except at the slow host.
    probe_s: i64,
    caps: Caps,
    listings: Vec<Listing>,
    peers: Vec<Peer>,
    numbers: HashMap<ListingId, usize>,
    /// The due index of Live listings whose last probe passed, and of those whose last probe failed.
    live: BTreeSet<(Moment, usize)>,
    confirming: BTreeSet<(Moment, usize)>,
    used: HashMap<String, u32>,
    fallen: Vec<(usize, i64)>,
    renewed: u32,
    rechecked: u32,
    /// The most parts of a recheck.
    parts: usize,
}

impl Registry {
    fn start(listings: usize, probe_s: i64) -> Self {
        let settings = Settings::from_env(Mode::Public, |_| None).unwrap();
        let caps = Caps::of(&settings);
        let random = Random::seeded(1);
        let mut registry = Self {
            caps,
            probe_s,
            peers: (0..listings).map(|number| Peer::of(number, &random)).collect(),
            listings: Vec::new(),
            numbers: HashMap::new(),
            live: BTreeSet::new(),
            confirming: BTreeSet::new(),
            used: HashMap::new(),
            fallen: Vec::new(),
            renewed: 0,
            rechecked: 0,
            parts: 0,
            settings,
        };
        // As an upgrade finds them: proven at any time of the last week.
        for number in 0..listings {
            let id = ListingId::of_name(Kind::Mcp, &format!("listing {number}"));
            let proven = moment(-i64::try_from(random.below(6 * 86_400)).unwrap());
            let new = Listing::new(id.clone(), "A".to_owned(), proven);
            let listing =
                after_probe(&new, &assessment(Handshake::Ok, false, proven), Job::Tick, &registry.settings);
            registry.live.insert((listing.schedule.due_at, number));
            registry.numbers.insert(id, number);
            registry.listings.push(listing);
        }
        registry
    }

    /// The host of a listing, and how long a probe takes there: one host has 500 listings, the others have four each.
    fn host_of(&self, number: usize) -> (String, i64) {
        if number < 500 { ("slow".to_owned(), 10) } else { (format!("host-{}", number / 4), self.probe_s) }
    }

    fn budget(&self, at: i64) -> BudgetState {
        let bucket = |span: i64| {
            let name = format!("{span}/{}", at / span);
            Bucket { used: self.used.get(&name).copied().unwrap_or_default(), name, unproven: 0 }
        };
        BudgetState { window: bucket(120), hour: bucket(3600), day: bucket(DAY_S) }
    }

    /// Takes a probe from the budget, as `Store::take_probes` does.
    fn take(&mut self, caps: Caps, at: i64) -> bool {
        let budget = self.budget(at);
        let has_room = budget.left(caps, false) > 0;
        if has_room {
            for bucket in [budget.window, budget.hour, budget.day] {
                *self.used.entry(bucket.name).or_default() += 1;
            }
        }
        has_room
    }

    fn probe(&mut self, number: usize, at: i64, job: Job) {
        let (handshake, inconclusive) = self.peers[number].answer(at);
        let before = &self.listings[number];
        self.live.remove(&(before.schedule.due_at, number));
        self.confirming.remove(&(before.schedule.due_at, number));
        let after =
            after_probe(before, &assessment(handshake, inconclusive, moment(at)), job, &self.settings);
        assert!(job == Job::Recheck || after.lane == Lane::Active, "only the recheck demotes");
        match after.lane {
            Lane::Active if after.schedule.failures > 0 => {
                self.confirming.insert((after.schedule.due_at, number));
            }
            Lane::Active => drop(self.live.insert((after.schedule.due_at, number))),
            _ => self.fallen.push((number, at)),
        }
        self.listings[number] = after;
    }

    /// What a tick does after the due listings. `sweep` takes listings in the same way: as many at once, fair by host, for
    /// thirty seconds.
    fn tick(&mut self, began: i64) {
        let before = self.budget(began);
        for _ in 0..OTHER_WORK + NEW_LISTINGS {
            assert!(self.take(self.caps, began), "no budget for other work");
        }
        let mut left = renewals(&before, self.caps, self.settings.probes_per_tick, OTHER_WORK);
        let caps = for_renewals(self.caps);
        let until = renewable_until(moment(began), &self.settings);
        let mut due: VecDeque<usize> =
            self.live.range(..=(until, usize::MAX)).take(1000).map(|(_, number)| *number).collect();
        let mut queue = DueQueue::of(&[], moment(began));
        let mut under_way = Vec::new();
        for second in 0..60 {
            let (ended, going): (Vec<_>, Vec<_>) =
                under_way.into_iter().partition(|(ends, _)| *ends <= second);
            under_way = going;
            for (_, entry) in ended {
                queue.done(&entry);
                self.probe(self.numbers[&entry.id], began + second, Job::Renewal);
                self.renewed += 1;
            }
            while second < 30 && left > 0 && under_way.len() < MAX_CONCURRENT {
                let Some(entry) = queue.pop() else {
                    let Some(number) = due.pop_front() else { break };
                    queue.push(
                        &self.host_of(number).0,
                        self.listings[number].id.clone(),
                        None,
                        Share::default(),
                    );
                    continue;
                };
                let number = self.numbers[&entry.id];
                let age = moment(began).duration_since(self.listings[number].proof.last_ok_at.unwrap());
                assert!(age >= self.settings.fresh_ok(), "a proof of {age:#} was renewed");
                if !self.take(caps, began) {
                    left = 0;
                    break;
                }
                left -= 1;
                under_way.push((second + self.host_of(number).1, entry));
            }
        }
        assert!(under_way.is_empty(), "the tick took longer than its function may run");
        let room = self.budget(began).left(self.caps, false);
        assert!(room >= self.caps.window / RESERVED, "room for {room} new listings");
    }

    /// One recheck: its parts run at the same time, each as a sweep does, for ten minutes.
    fn recheck(&mut self, at: i64) {
        let due = |class: &BTreeSet<(Moment, usize)>| {
            class.range(..=(moment(at), usize::MAX)).map(|(_, number)| *number).collect::<Vec<_>>()
        };
        let due: Vec<usize> = due(&self.confirming).into_iter().chain(due(&self.live)).collect();
        let parts = recheck_parts(u32::try_from(due.len()).unwrap());
        self.parts = self.parts.max(parts.len());
        let taking = i64::try_from(RECHECK_DURATION.as_secs()).unwrap();
        for part in parts {
            let mut queue = DueQueue::of(&[], moment(at)).only(part, slots_per_host(part));
            for number in &due {
                let id = &self.listings[*number].id;
                if part.matches(id) {
                    queue.push(&self.host_of(*number).0, id.clone(), None, Share::default());
                }
            }
            let mut under_way: BTreeMap<i64, Vec<DueListing>> = BTreeMap::new();
            let mut count = 0;
            for second in 0..taking + 60 {
                for entry in under_way.remove(&second).unwrap_or_default() {
                    queue.done(&entry);
                    count -= 1;
                    self.probe(self.numbers[&entry.id], at + second, Job::Recheck);
                    self.rechecked += 1;
                }
                while second < taking && count < MAX_CONCURRENT {
                    let Some(entry) = queue.pop() else { break };
                    let (_, takes) = self.host_of(self.numbers[&entry.id]);
                    under_way.entry(second + takes).or_default().push(entry);
                    count += 1;
                }
            }
        }
    }

    /// The age of the oldest proof among the peers that answer at this time, in hours.
    fn oldest_proof(&self, at: i64) -> i64 {
        let answering = (0..self.listings.len()).filter(|number| {
            let has_failed =
                matches!(self.peers[*number], Peer::Gone(from) | Peer::Silent(from) if at >= from);
            let restarts =
                matches!(self.peers[*number], Peer::Restarts(from) if (from..from + DAY_S).contains(&at));
            !has_failed && !restarts
        });
        let age = |number: usize| moment(at).duration_since(self.listings[number].proof.last_ok_at.unwrap());
        answering.map(age).max().unwrap().as_hours()
    }
}

fn assessment(handshake: Handshake, inconclusive: bool, probed_at: Moment) -> Assessment {
    let verdict = Verdict {
        handshake,
        inconclusive,
        answers: None,
        facts: Facts { kind: Some(Kind::Mcp), ..Facts::default() },
        ..fine()
    };
    let check =
        Check { id: "https".to_owned(), ok: true, blocking: true, applies: true, detail: String::new() };
    let score = Score { value: 90, breakdown: Vec::new() };
    Assessment { verdict, checks: vec![check], score, probed_at, changed: None }
}

#[test]
fn oldest_proof_of_10_000_answering_peers_is_younger_than_a_day() {
    let mut registry = Registry::start(10_000, 2);
    // Proofs from before the upgrade may be a week old; two days renew them all.
    let settled = 2 * DAY_S;
    let mut worst = 0;
    for at in (0..14 * DAY_S).step_by(usize::try_from(TICK_S).unwrap()) {
        registry.tick(at);
        if at % 3600 == 0 {
            registry.recheck(at + 20);
        }
        if at >= settled && at % 3600 == 0 {
            worst = worst.max(registry.oldest_proof(at));
        }
    }
    assert!(worst < 24, "the oldest proof was {worst} hours old");
    assert!(u64::from(registry.renewed) > 10_000 * 10, "{} renewals", registry.renewed);

    for (number, at) in &registry.fallen {
        match registry.peers[*number] {
            Peer::Gone(from) => {
                let found = registry.listings[*number].schedule.failing_since.unwrap();
                let (gone, confirmed) = (at - from, moment(*at).duration_since(found));
                assert!(gone < 28 * 3600, "a peer that was gone fell after {gone} s");
                assert!(confirmed < SignedDuration::from_hours(4), "confirmed after {confirmed:#}");
            }
            Peer::Silent(from) => assert!(at - from > 5 * DAY_S, "a silent peer fell after {} s", at - from),
            peer => panic!("listing {number} fell, although its peer {peer:?} answers"),
        }
    }
    let fell = |number: usize| registry.fallen.iter().any(|(fallen, _)| *fallen == number);
    for number in 0..registry.listings.len() {
        let listing = &registry.listings[number];
        match registry.peers[number] {
            Peer::Gone(_) | Peer::Silent(_) => assert!(fell(number), "{listing:?}"),
            _ => assert_eq!((listing.lane, listing.schedule.failures), (Lane::Active, 0), "{listing:?}"),
        }
    }
}

/// Returns the age of the oldest proof of an answering peer, in hours, and the registry after a week in which each probe
/// takes six seconds.
fn week(listings: usize) -> (i64, Registry) {
    let mut registry = Registry::start(listings, 6);
    let mut worst = 0;
    for at in (0..8 * DAY_S).step_by(usize::try_from(TICK_S).unwrap()) {
        registry.tick(at);
        if at % 3600 == 0 {
            worst = worst.max(registry.oldest_proof(at));
            registry.recheck(at + 20);
        }
    }
    for (number, at) in &registry.fallen {
        let peer = registry.peers[*number];
        let has_failed = matches!(peer, Peer::Gone(from) | Peer::Silent(from) if *at >= from);
        assert!(has_failed, "listing {number} fell, although its peer {peer:?} answers");
    }
    (worst, registry)
}

#[test]
fn proofs_of_30_000_answering_peers_are_younger_than_a_week() {
    let (worst, registry) = week(30_000);
    assert!(worst < 7 * 24, "the oldest proof was {worst} hours old");
    assert!(!registry.fallen.is_empty());
}

#[test]
#[ignore = "needs 2 GB and minutes; `make nightly` runs it"]
fn proofs_of_a_million_answering_peers_are_younger_than_a_week() {
    let (worst, registry) = week(1_000_000);
    let Registry { renewed, rechecked, parts, .. } = &registry;
    println!(
        "the oldest proof was {worst} h old; {renewed} renewals, {rechecked} rechecks, at most {parts} parts; {} fell",
        registry.fallen.len()
    );
    assert!(worst < 7 * 24, "the oldest proof was {worst} hours old");
}
