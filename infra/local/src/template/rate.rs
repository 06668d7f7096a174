//! Parses `rate(…)` expressions as strictly as AWS does on deployment, because no offline check refuses
//! `rate(6 minute)`. Source: EventBridge Scheduler user guide, "Schedule types", rate-based schedules.

use std::time::Duration;

/// `None` for an expression that AWS refuses, and for `cron` and `at`.
pub(super) fn parse(expression: &str) -> Option<Duration> {
    let inside = expression.strip_prefix("rate(")?.strip_suffix(')')?;
    let (number, unit) = inside.split_once(' ')?;
    let number: u64 = number.parse().ok().filter(|&number| number > 0)?;
    let singular = if number == 1 { unit } else { unit.strip_suffix('s')? };
    let seconds = match singular {
        "minute" => 60,
        "hour" => 3_600,
        "day" => 86_400,
        _ => return None,
    };
    number.checked_mul(seconds).map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_of_a_rate_is_singular_only_for_the_number_one() {
        assert_eq!(parse("rate(6 minutes)"), Some(Duration::from_secs(360)));
        assert_eq!(parse("rate(1 hour)"), Some(Duration::from_secs(3600)));
        assert_eq!(parse("rate(7 days)"), Some(Duration::from_secs(604_800)));
        for wrong in ["rate(6 minute)", "rate(1 hours)", "rate(0 minutes)", "rate(6minutes)", "rate(-1 day)"]
        {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        assert_eq!(parse("cron(0 12 * * ? *)"), None);
        assert_eq!(parse("rate(5 seconds)"), None);
    }
}
