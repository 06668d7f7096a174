//! A point in time in the form that this registry stores and writes: in UTC, with exactly three digits for the
//! milliseconds. Clients can compare two such times as strings, because the strings sort in the order of the times.

use std::borrow::Cow;
use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A point in time in whole milliseconds, such as `2026-11-20T12:00:00.000Z`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(Timestamp);

impl Moment {
    pub const UNIX_EPOCH: Self = Self(Timestamp::UNIX_EPOCH);

    /// `None` outside the years -9999 to 9999.
    pub fn from_second(seconds: i64) -> Option<Self> {
        Timestamp::from_second(seconds).ok().map(Self)
    }

    /// `None` outside the years -9999 to 9999.
    pub fn from_millisecond(millis: i64) -> Option<Self> {
        Timestamp::from_millisecond(millis).ok().map(Self)
    }

    pub fn as_second(self) -> i64 {
        self.0.as_second()
    }

    pub fn as_millisecond(self) -> i64 {
        self.0.as_millisecond()
    }

    /// Negative where this is before `earlier`.
    pub fn duration_since(self, earlier: Self) -> SignedDuration {
        self.0.duration_since(earlier.0)
    }

    /// The last multiple of `seconds` since the Unix epoch that is not later.
    pub fn rounded_down(self, seconds: i64) -> Self {
        Self::from_second(self.as_second().div_euclid(seconds) * seconds).unwrap_or(self)
    }

    /// The UTC day, such as `2026-11-20`.
    pub fn utc_day(self) -> String {
        self.0.to_zoned(jiff::tz::TimeZone::UTC).date().to_string()
    }

    /// The ISO week, such as `2026-W47`.
    pub fn iso_week(self) -> String {
        let week = self.0.to_zoned(jiff::tz::TimeZone::UTC).date().iso_week_date();
        format!("{}-W{:02}", week.year(), week.week())
    }

    pub fn timestamp(self) -> Timestamp {
        self.0
    }
}

impl From<Timestamp> for Moment {
    fn from(time: Timestamp) -> Self {
        Self(Timestamp::from_millisecond(time.as_millisecond()).unwrap_or(time))
    }
}

impl FromStr for Moment {
    type Err = jiff::Error;

    /// Parses any RFC 3339 time, of any zone and precision.
    fn from_str(text: &str) -> Result<Self, jiff::Error> {
        text.parse::<Timestamp>().map(Self::from)
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}", self.0)
    }
}

impl Add<SignedDuration> for Moment {
    type Output = Self;

    fn add(self, later: SignedDuration) -> Self {
        Self::from(self.0 + later)
    }
}

impl Sub<SignedDuration> for Moment {
    type Output = Self;

    fn sub(self, earlier: SignedDuration) -> Self {
        Self::from(self.0 - earlier)
    }
}

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Timestamp::deserialize(deserializer).map(Self::from)
    }
}

impl JsonSchema for Moment {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Moment".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "type": "string", "format": "date-time" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn times_are_written_with_milliseconds() {
        let written = |text: &str| text.parse::<Moment>().unwrap().to_string();
        assert_eq!(written("2026-11-20T12:00:00Z"), "2026-11-20T12:00:00.000Z");
        assert_eq!(written("2026-11-20T12:00:00.01Z"), "2026-11-20T12:00:00.010Z");
        assert_eq!(written("2026-11-20T13:00:00.0129+01:00"), "2026-11-20T12:00:00.012Z");
    }

    proptest! {
        #[test]
        fn times_written_as_text_are_ordered_by_time(one in 0_i64..4_000_000_000_000, apart in 0_i64..2_000) {
            let at = |millis| Moment::from_millisecond(millis).unwrap();
            let (early, late) = (at(one), at(one + apart));
            prop_assert_eq!(early.cmp(&late), early.to_string().cmp(&late.to_string()));
            prop_assert_eq!(early.to_string().parse::<Moment>().unwrap(), early);
        }
    }
}
