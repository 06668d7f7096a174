//! Shows a point in time on a page: how long ago it was, or how long until then. The exact time is in a
//! tooltip, and in an attribute for machines.

use std::fmt;

use askama::filters::HtmlSafe;

use crate::prelude::*;

#[derive(Clone, Copy, Debug)]
pub(super) struct When {
    at: Moment,
    now: Moment,
}

impl When {
    pub(super) const fn of(at: Moment, now: Moment) -> Self {
        Self { at, now }
    }

    pub(super) fn in_words(self) -> String {
        let age = self.now.duration_since(self.at);
        if age.is_negative() {
            format!("in {}", span(-age))
        } else if age.as_secs() < 10 {
            "just now".to_owned()
        } else {
            format!("{} ago", span(age))
        }
    }
}

pub(super) fn span(span: SignedDuration) -> String {
    let seconds = span.as_secs();
    match seconds {
        ..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} days", (seconds + 43_200) / 86_400),
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = self.at.timestamp().strftime("%Y-%m-%d %H:%M:%S UTC");
        write!(f, r#"<time datetime="{}" title="{exact}">{}</time>"#, self.at, self.in_words())
    }
}

impl HtmlSafe for When {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_shown_relative_to_now_in_one_unit() {
        let now: Moment = "2026-11-20T12:00:00Z".parse().unwrap();
        let in_words = |seconds| When::of(now + SignedDuration::from_secs(seconds), now).in_words();
        let texts = [-3, -59, -60, -3599, -7200, -172_799, -172_800, 30, 90, 604_740].map(in_words);
        let expected = [
            "just now",
            "59 s ago",
            "1 min ago",
            "59 min ago",
            "2 h ago",
            "47 h ago",
            "2 days ago",
            "in 30 s",
            "in 1 min",
            "in 7 days",
        ];
        assert_eq!(texts, expected);
    }
}
