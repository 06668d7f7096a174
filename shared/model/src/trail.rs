//! Trails: what is deposited at a listing and decays with time, each value with its own half-life (contract "Events" 2).
//! Pure arithmetic: a value is kept as a sum scaled by its half-life, so that deposits commute and none needs a reading.

use std::collections::BTreeMap;

use super::Moment;

/// Half-lives for which one scaled sum is used before the next begins: doubling 64 times stays within 20 digits.
const HALF_LIVES_PER_EPOCH: i64 = 64;
const MS_PER_HOUR: i64 = 3_600_000;
/// What is weaker counts as nothing.
const FAINTEST: f64 = 0.05;

/// How fast something decays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decay {
    half_life_hours: i64,
}

impl Decay {
    /// Of the intensity of a mark and of a composition.
    pub const MARK: Self = Self::hours(240);
    /// Of what counts as recent activity.
    pub const RECENT: Self = Self::hours(72);

    const fn hours(half_life_hours: i64) -> Self {
        Self { half_life_hours }
    }

    /// The half-life in hours.
    #[must_use]
    pub const fn half_life_hours(self) -> i64 {
        self.half_life_hours
    }

    /// The epoch of a time; each has a scaled sum of its own.
    #[must_use]
    pub fn epoch(self, at: Moment) -> i64 {
        at.as_millisecond().div_euclid(self.epoch_ms())
    }

    /// What a deposit of `amount` at `at` adds to the scaled sum of its epoch.
    #[must_use]
    pub fn scaled(self, amount: f64, at: Moment) -> f64 {
        amount * self.half_lives(at.as_millisecond().rem_euclid(self.epoch_ms())).exp2()
    }

    /// What is left at `at` of the scaled sum of an epoch.
    #[must_use]
    pub fn left(self, scaled: f64, epoch: i64, at: Moment) -> f64 {
        scaled * (-self.half_lives(at.as_millisecond() - epoch * self.epoch_ms())).exp2()
    }

    /// What is left of `amount` after the time from `since` to `at`.
    #[must_use]
    pub fn decayed(self, amount: f64, since: Moment, at: Moment) -> f64 {
        audible(amount * (-self.half_lives(at.as_millisecond() - since.as_millisecond())).exp2())
    }

    /// When `amount` of `at` will have decayed to nothing.
    #[must_use]
    pub fn gone_at(self, amount: f64, at: Moment) -> Moment {
        let half_lives = (amount / FAINTEST).log2().max(0.0);
        let ms = (half_lives * self.half_life_ms()).ceil() as i64;
        Moment::from_millisecond(at.as_millisecond() + ms).unwrap_or(at)
    }

    /// A place among all values of this half-life. They decay alike, so it stays the same until something is deposited;
    /// `None` for what counts as nothing.
    #[must_use]
    pub fn place(self, value: f64, at: Moment) -> Option<f64> {
        (value >= FAINTEST).then(|| value.log2() + self.half_lives(at.as_millisecond()))
    }

    const fn epoch_ms(self) -> i64 {
        HALF_LIVES_PER_EPOCH * self.half_life_hours * MS_PER_HOUR
    }

    const fn half_life_ms(self) -> f64 {
        (self.half_life_hours * MS_PER_HOUR) as f64
    }

    const fn half_lives(self, ms: i64) -> f64 {
        ms as f64 / self.half_life_ms()
    }
}

/// A value as it counts: what is too weak, or below nothing, is nothing.
#[must_use]
pub fn audible(value: f64) -> f64 {
    if value < FAINTEST { 0.0 } else { value }
}

/// The values of a trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TrailValue {
    /// It was used, praised or spoken of.
    Attraction,
    /// It failed, or somebody warns of it.
    Danger,
    /// It was looked for.
    Demand,
    /// It was listed.
    Joined,
}

impl TrailValue {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Attraction, Self::Danger, Self::Demand, Self::Joined];

    /// The word used in keys and documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Attraction => "attraction",
            Self::Danger => "danger",
            Self::Demand => "demand",
            Self::Joined => "joined",
        }
    }

    /// How fast it decays.
    #[must_use]
    pub const fn decay(self) -> Decay {
        Decay::hours(match self {
            Self::Attraction => 168,
            Self::Danger => 72,
            Self::Demand => 48,
            Self::Joined => 336,
        })
    }
}

/// An amount of each value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "the names are those of the values")]
pub struct Amounts {
    pub attraction: f64,
    pub danger: f64,
    pub demand: f64,
    pub joined: f64,
}

impl Amounts {
    /// Nothing of any value.
    pub const NONE: Self = Self { attraction: 0.0, danger: 0.0, demand: 0.0, joined: 0.0 };

    /// What a probe that is answered takes from danger: 2, and no more than there is.
    #[must_use]
    pub fn relief(&self) -> f64 {
        self.danger.clamp(0.0, 2.0)
    }

    /// The amount of one value.
    #[must_use]
    pub const fn of(&self, value: TrailValue) -> f64 {
        match value {
            TrailValue::Attraction => self.attraction,
            TrailValue::Danger => self.danger,
            TrailValue::Demand => self.demand,
            TrailValue::Joined => self.joined,
        }
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            attraction: self.attraction + other.attraction,
            danger: self.danger + other.danger,
            demand: self.demand + other.demand,
            joined: self.joined + other.joined,
        }
    }

    /// So many times as much.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self {
            attraction: self.attraction * factor,
            danger: self.danger * factor,
            demand: self.demand * factor,
            joined: self.joined * factor,
        }
    }
}

/// What deposits something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrailEvent {
    /// A listing took a demo.
    TakeDemo,
    /// A listing gave feedback.
    LeaveFeedback,
    /// A listing took a founding seat.
    FoundingClaim,
    /// A search for a capability showed the listing.
    MatchHit,
    /// A search for a capability found the listing before all others.
    MatchQuery,
    /// A listing was listed.
    ListYourself,
    /// A probe was answered.
    ProbeOk,
    /// A probe failed.
    ProbeFail,
    /// Somebody endorsed the listing.
    Endorse,
    /// Somebody left a trace.
    LeaveTrace,
    /// Two listings were used together.
    UsedWith,
    /// A listing that was used with one of them before.
    Contagion,
    /// Somebody told how using the listing went.
    Outcome,
    /// Something was attested of the listing.
    Attestation,
    /// Somebody read the traces of the listing.
    Sense,
}

impl TrailEvent {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::TakeDemo,
        Self::LeaveFeedback,
        Self::FoundingClaim,
        Self::MatchHit,
        Self::MatchQuery,
        Self::ListYourself,
        Self::ProbeOk,
        Self::ProbeFail,
        Self::Endorse,
        Self::LeaveTrace,
        Self::UsedWith,
        Self::Contagion,
        Self::Outcome,
        Self::Attestation,
        Self::Sense,
    ];

    /// The word used in keys and documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TakeDemo => "take_demo",
            Self::LeaveFeedback => "leave_feedback",
            Self::FoundingClaim => "founding_claim",
            Self::MatchHit => "match_hit",
            Self::MatchQuery => "match_query",
            Self::ListYourself => "list_yourself",
            Self::ProbeOk => "probe_ok",
            Self::ProbeFail => "probe_fail",
            Self::Endorse => "endorse",
            Self::LeaveTrace => "leave_trace",
            Self::UsedWith => "used_with",
            Self::Contagion => "contagion",
            Self::Outcome => "outcome",
            Self::Attestation => "attestation",
            Self::Sense => "sense",
        }
    }

    /// What it deposits, as far as that is always the same. Of a probe that is answered, what it takes from danger depends
    /// on how much there is ([`Amounts::relief`]); of a trace, what it adds depends on its intensity.
    #[must_use]
    pub const fn amounts(self) -> Amounts {
        let none = Amounts::NONE;
        match self {
            Self::TakeDemo => Amounts { attraction: 8.0, ..none },
            Self::LeaveFeedback => Amounts { attraction: 20.0, ..none },
            Self::MatchHit => Amounts { attraction: 0.5, demand: 2.0, ..none },
            Self::MatchQuery => Amounts { demand: 1.0, ..none },
            Self::ListYourself => Amounts { attraction: 2.5, joined: 5.0, ..none },
            Self::ProbeOk => Amounts { attraction: 1.0, ..none },
            Self::ProbeFail => Amounts { danger: 10.0, ..none },
            Self::Endorse => Amounts { attraction: 12.0, ..none },
            Self::LeaveTrace => Amounts { attraction: 6.0, ..none },
            Self::UsedWith => Amounts { attraction: 4.0, demand: 2.0, ..none },
            Self::Contagion => Amounts { attraction: 0.5, demand: 3.0, ..none },
            // Whoever reads the traces of one listing thinks of using it: less than a search that found it.
            Self::Sense => Amounts { demand: 0.5, ..none },
            Self::FoundingClaim | Self::Outcome | Self::Attestation => none,
        }
    }
}

/// The trail of a listing at a time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trail {
    /// It was used, praised or spoken of.
    pub attraction: f64,
    /// It failed, or somebody warns of it.
    pub danger: f64,
    /// It was looked for.
    pub demand: f64,
    /// It was listed.
    pub joined: f64,
    /// Marks that were left at it.
    pub marks: u32,
    /// Endorsements that counted.
    pub endorsements: u32,
    /// How often each event was.
    pub events: BTreeMap<TrailEvent, u32>,
}

impl Trail {
    /// One value.
    #[must_use]
    pub const fn of(&self, value: TrailValue) -> f64 {
        match value {
            TrailValue::Attraction => self.attraction,
            TrailValue::Danger => self.danger,
            TrailValue::Demand => self.demand,
            TrailValue::Joined => self.joined,
        }
    }

    /// What it is with a deposit.
    pub fn add(&mut self, event: TrailEvent, times: u32, amounts: Amounts) {
        let Amounts { attraction, danger, demand, joined } = self.values().plus(amounts);
        (self.attraction, self.danger, self.demand, self.joined) = (attraction, danger, demand, joined);
        if times > 0 {
            *self.events.entry(event).or_default() += times;
        }
        self.endorsements = self.count(TrailEvent::Endorse);
    }

    /// All its values.
    #[must_use]
    pub const fn values(&self) -> Amounts {
        Amounts { attraction: self.attraction, danger: self.danger, demand: self.demand, joined: self.joined }
    }

    /// How strong it is in all.
    #[must_use]
    pub fn trail_score(&self) -> f64 {
        let endorsed = 3.0 * f64::from(self.endorsements);
        self.attraction + 0.6 * self.demand + 0.4 * self.joined + endorsed - 1.2 * self.danger
    }

    /// How often an event was.
    #[must_use]
    pub fn count(&self, event: TrailEvent) -> u32 {
        self.events.get(&event).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests;
