//! Callers: how often each may act, and the secrets with which their addresses are digested.
//!
//! The counts of the rate limits are in the table, because no instance of a function sees all requests. There are limits for
//! each caller, for each target, and for all callers together. The last two never refuse a caller with few requests; the
//! last one only makes the limits of the others smaller. While the table does not answer, every limited request is refused.

use aws_sdk_dynamodb::types::ReturnValue;

use crate::prelude::*;
use crate::table::error::{Scope, UsedUp};
use registry_model::{LimitedAction, Rate, Secret, sha256_hex};

/// The count of one kind of act within an hour of a caller or at a target, or within a window of all callers together.
pub(super) const RATE: KeyPattern = KeyPattern::new("RATE#", "");

/// One limited action of a caller; `App::allowance` makes it.
#[derive(Clone, Copy, Debug)]
pub struct Allowance<'a> {
    pub action: LimitedAction,
    /// An address, or `unknown`.
    pub caller: &'a str,
    /// The host or listing that the action is aimed at.
    pub target: Option<&'a str>,
    pub rate: Rate,
}

/// An action that may have no limit.
pub(crate) type Act<'a> = Option<Allowance<'a>>;

/// The limit of all callers together applies to windows of so many seconds, so that a refused caller waits minutes only.
const WINDOW: u32 = 300;
const WINDOWS_AN_HOUR: u32 = 3600 / WINDOW;

/// Acts of all callers that one counter counts in a window. A limit that allows more has several counters, because many
/// callers write to them at the same time.
const ACTS_PER_COUNTER: u32 = 16;
const MAX_COUNTERS: u32 = 16;

/// Counters over which the acts of all callers are spread.
fn shared_counters(rate: Rate) -> u32 {
    (rate.everybody / WINDOWS_AN_HOUR / ACTS_PER_COUNTER).clamp(1, MAX_COUNTERS)
}

/// The count of a window at which a counter no longer accepts a caller's act number `used` of this hour. `None` for the
/// first tenth of the caller's limit, at least three acts: they are accepted whatever other callers do, also at the same
/// target. If all callers together exceed their limit k times, each caller's limit is divided by k.
fn most_in_counter(rate: Rate, used: u32) -> Option<u64> {
    if used <= (rate.caller / 10).max(3) {
        return None;
    }
    let in_all = u64::from(rate.everybody) * u64::from(rate.caller) / u64::from(used);
    Some((in_all / u64::from(WINDOWS_AN_HOUR * shared_counters(rate))).max(1))
}

/// The counter of an hour, of a caller or at a target.
pub(super) fn rate_key(act: &str, whose: &str, who: &str, hour: i64) -> Key {
    Key::new(format!("{}{act}#{whose}#{}", RATE.prefix, key::bounded(who)), hour.to_string())
}

/// One of the counters of what all callers do within a window. The caller and the number of its act decide which one, so
/// that the acts are spread evenly over the partitions.
fn shared_rate_key(act: &str, caller: &str, used: u32, counters: u32, window: i64) -> Key {
    let digest = sha256_hex(format!("{caller}#{used}"));
    let digits = u32::from_str_radix(digest.get(..6).unwrap_or_default(), 16).unwrap_or_default();
    RATE.one_of(format_args!("{act}#everybody#{:02}", digits % counters), window)
}

impl Store {
    /// Counts one action; `None` if it is allowed, otherwise the exceeded limit.
    ///
    /// The caller's own counter comes first, so that a caller that has used up its limit never writes to an item of
    /// others. Every counter is changed by a single update and not in the transaction of the action. So an action that
    /// fails afterwards stays counted.
    pub async fn count_action(&self, act: Allowance<'_>, now: Moment) -> Result<Option<UsedUp>> {
        let (second, name) = (now.as_second(), act.action.as_str());
        let (hour, window) = (second / 3600, second / i64::from(WINDOW));
        let (hour_ends, window_ends) = ((hour + 1) * 3600, (window + 1) * i64::from(WINDOW));
        let refused = |scope, until: i64| {
            Some(UsedUp { scope, wait: u32::try_from(until - second).unwrap_or(3600).max(1) })
        };
        let one_more = || Expression::default().add("used", 1).set("ttl", n(hour_ends + 3600));
        let up_to = |most: u64| one_more().if_missing_or("used", "<", n(most));

        let own = rate_key(name, "caller", act.caller, hour);
        let change = up_to(act.rate.caller.into()).if_missing_or(REFUSED_UNTIL, "<=", n(second));
        let used = match self.update_or_found(&own, &change, Some(ReturnValue::UpdatedNew)).await? {
            Ok(item) => unsigned(&item, "used"),
            Err(found) => {
                let until = number(&found, REFUSED_UNTIL);
                let (scope, until) =
                    if until > second { (Scope::Everybody, until) } else { (Scope::Caller, hour_ends) };
                return Ok(refused(scope, until));
            }
        };

        let target = act.target.zip(act.action.limit().target);
        let target = target.map(|(target, kind)| (rate_key(name, "host", target, hour), kind));
        let most_in_counter = most_in_counter(act.rate, used);
        if let Some((key, kind)) = &target {
            // Strangers must not lock an owner out. Scores are limited strictly: they send requests, and no owner needs them.
            let is_strict = most_in_counter.is_some() || act.action == LimitedAction::Score;
            let change = if is_strict { up_to(act.rate.target.into()) } else { one_more() };
            if self.update(key, &change, None).await?.is_none() {
                return Ok(refused(Scope::Target(*kind), hour_ends));
            }
        }

        let counter = shared_rate_key(name, act.caller, used, shared_counters(act.rate), window);
        let change = most_in_counter.map_or_else(one_more, up_to);
        if self.update(&counter, &change, None).await?.is_some() {
            return Ok(None);
        }
        tracing::warn!(action = name, "all callers together exceed their rate limit");
        // The action is not done, so it is not counted. Until the window ends, the caller's own item refuses it.
        let back = Expression::default().add("used", -1);
        if let Some((key, _)) = &target {
            self.update(key, &back, None).await?;
        }
        self.update(&own, &back.set(REFUSED_UNTIL, n(window_ends)), None).await?;
        Ok(refused(Scope::Everybody, window_ends))
    }

    /// Counts an action that may have no allowance; fails if a limit is exceeded.
    pub async fn count_allowed(&self, act: Act<'_>, now: Moment) -> Result<()> {
        let Some(act) = act else { return Ok(()) };
        self.count_action(act, now).await?.map_or(Ok(()), |used_up| Err(StoreError::Limited(used_up)))
    }
}

/// The attribute of a caller's counter that says until when the limit of all callers refuses it, in seconds.
const REFUSED_UNTIL: &str = "refused_until";

/// The sort key is the number of the period.
pub(super) const CALLER_KEY: KeyPattern = KeyPattern::new("CALLER_KEYS", "");

/// Seconds for which a secret is used. No item that contains the digest of a caller is stored for longer.
pub const CALLER_KEY_PERIOD: i64 = 30 * 86_400;

/// The secrets of the current period and of the one before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallerKeys {
    pub period: i64,
    pub current: Secret,
    /// Absent where no caller was digested in the period before.
    pub previous: Option<Secret>,
}

/// The number of the period that contains a time.
pub fn caller_key_period(now: Moment) -> i64 {
    now.as_second().div_euclid(CALLER_KEY_PERIOD)
}

impl Store {
    /// The secrets at this time. If the current period has no secret, `new_secret` becomes its secret, unless another
    /// process stored one at the same moment.
    pub async fn caller_keys(&self, now: Moment, new_secret: impl Fn() -> String) -> Result<CallerKeys> {
        let period = caller_key_period(now);
        let mut items = self.partition(CALLER_KEY.prefix).await?;
        if secret_of_period(&items, period).is_none() {
            let end = Moment::from_second((period + 1) * CALLER_KEY_PERIOD).unwrap_or(now);
            let secret = [("secret", s(new_secret())), ("made_at", ms(now)), ttl(end, CALLER_KEY_PERIOD)];
            self.put_new(caller_key(period).with(secret)).await?;
            items = self.partition(CALLER_KEY.prefix).await?;
        }
        let current = secret_of_period(&items, period)
            .ok_or_else(|| StoreError::busy("the key of the callers was deleted meanwhile"))?;
        Ok(CallerKeys { period, current, previous: secret_of_period(&items, period - 1) })
    }
}

fn caller_key(period: i64) -> Key {
    CALLER_KEY.one(format_args!("{period:08}"))
}

fn secret_of_period(items: &[Item], period: i64) -> Option<Secret> {
    let key = caller_key(period);
    let item = items.iter().find(|item| text(item, "sk") == key.sk)?;
    Some(Secret::new(text(item, "secret").to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: Rate = Rate { caller: 60, everybody: 3000, target: 60 };

    #[test]
    fn limit_of_a_caller_shrinks_as_all_callers_exceed_theirs() {
        assert_eq!(shared_counters(RATE), 15);
        assert_eq!(most_in_counter(RATE, 6), None, "the first tenth is always accepted");
        assert_eq!(most_in_counter(RATE, 60), Some(16), "the whole limit, up to the limit of all");
        assert_eq!(most_in_counter(RATE, 30), Some(33), "half of it, up to twice the limit of all");
        assert_eq!(most_in_counter(RATE, 7), Some(142));
    }

    #[test]
    fn small_limits_have_one_counter_and_accept_three_acts() {
        let small = Rate { caller: 20, everybody: 1, target: 20 };
        assert_eq!(shared_counters(small), 1);
        assert_eq!((most_in_counter(small, 3), most_in_counter(small, 4)), (None, Some(1)));
    }
}
