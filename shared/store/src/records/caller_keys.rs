//! The secrets with which the addresses of callers are digested. Each period has its own secret. A secret is deleted
//! when nothing that was stored with it can still exist. After that, nobody can find out the address behind a digest.

use crate::prelude::*;
use registry_model::Secret;

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
        if of_period(&items, period).is_none() {
            let end = Moment::from_second((period + 1) * CALLER_KEY_PERIOD).unwrap_or(now);
            let secret = [("secret", s(new_secret())), ("made_at", ms(now)), ttl(end, CALLER_KEY_PERIOD)];
            self.put_new(key_of(period).with(secret)).await?;
            items = self.partition(CALLER_KEY.prefix).await?;
        }
        let current = of_period(&items, period)
            .ok_or_else(|| StoreError::Busy("the key of the callers was deleted meanwhile".into()))?;
        Ok(CallerKeys { period, current, previous: of_period(&items, period - 1) })
    }
}

fn key_of(period: i64) -> Key {
    CALLER_KEY.one(format_args!("{period:08}"))
}

fn of_period(items: &[Item], period: i64) -> Option<Secret> {
    let key = key_of(period);
    let item = items.iter().find(|item| text(item, "sk") == key.sk)?;
    Some(Secret::new(text(item, "secret").to_owned()))
}
