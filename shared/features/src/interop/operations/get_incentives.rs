//! The incentive rules: what each action adds to trails, the weights of outcomes, founding seats and
//! discounts. The values come from the constants and settings that are in use.

use crate::funnel::{DISCOUNT_PERCENT, seat_holder};
use crate::prelude::*;
use registry_model::{Amounts, Outcome, QUALITY_STEPS, TrailEvent, TrailValue};

pub struct GetIncentives;

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    rules: Vec<Rule>,
    /// The half-life of each trail value, in hours.
    half_lives_hours: Vec<HalfLife>,
    note: &'static str,
}

#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct Rule {
    /// The stable name of the rule.
    id: String,
    /// The action.
    when: String,
    /// The result of the action.
    gives: String,
    /// What the action adds to a trail.
    #[serde(skip_serializing_if = "Option::is_none")]
    deposit: Option<Amounts>,
    /// The tool for the action, if a caller can do it.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'static str>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct HalfLife {
    value: &'static str,
    hours: i64,
}

impl Operation for GetIncentives {
    const NAME: &'static str = "get_incentives";
    const TITLE: &'static str = "Incentive rules";
    const DESCRIPTION: &'static str = "Returns how much each action adds to the trail of a listing (the values that measure \
        recent use), and how reported outcomes count. Also returns how many founding seats (free products) are left, the \
        discount after that, and when payments open.";
    const PHRASES: &'static [&'static str] =
        &["what are the incentives?", "show the incentives", "which incentives are in force?"];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] = &["{note}", "[rules]{when}: {gives}"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Returns what you get for each action, for example a stronger trail, a founding seat or \
            a discount.",
        &["registry", "incentives", "trails"],
    )];
    const FAMILY: Option<Family> = Some(Family::INTEROP);
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let claimed = app.store.live().await?.funnel.seats_claimed;
        let deposits = TrailEvent::ALL.into_iter().filter_map(event_rule);
        let half_life =
            |value: TrailValue| HalfLife { value: value.as_str(), hours: value.decay().half_life_hours() };
        Ok(Answer {
            rules: funnel_rules(app, claimed).into_iter().chain(outcome_rules()).chain(deposits).collect(),
            half_lives_hours: TrailValue::ALL.into_iter().map(half_life).collect(),
            note: "Trails decide the order in rankings, and of equally good hits of match_capability. They never \
                make a listing Live; only a handshake does that.",
        })
    }
}

fn event_rule(event: TrailEvent) -> Option<Rule> {
    let (when, tool) = described(event)?;
    let amounts = event.amounts();
    let given = TrailValue::ALL.into_iter().filter(|value| amounts.of(*value) != 0.0);
    let given: Vec<String> =
        given.map(|value| format!("{:+} {}", amounts.of(value), value.as_str())).collect();
    Some(Rule {
        id: format!("trail_{}", event.as_str()),
        when: when.to_owned(),
        gives: given.join(", "),
        deposit: Some(amounts),
        tool,
    })
}

/// An event that adds something in words, and the tool that causes it.
const fn described(event: TrailEvent) -> Option<(&'static str, Option<&'static str>)> {
    Some(match event {
        TrailEvent::MatchHit => ("the listing is among the five best sure matches", Some("match_capability")),
        TrailEvent::MatchQuery => ("the listing is the best sure match", Some("match_capability")),
        TrailEvent::ListYourself => ("the listing is published for the first time", Some("list_yourself")),
        TrailEvent::ProbeOk => {
            ("a probe succeeds, first in a week, or after a failure or a restore; danger falls", None)
        }
        TrailEvent::ProbeFail => ("a handshake is `fail`, not by a timeout, a 5xx or the like", None),
        TrailEvent::Endorse => ("a caller endorses the listing", Some("endorse")),
        TrailEvent::LeaveTrace => (
            "a caller leaves a mark of the default strength; of kind danger or intent, it goes to danger or demand",
            Some("leave_trace"),
        ),
        TrailEvent::UsedWith => ("the listing is used together with another listing", Some("used_with")),
        TrailEvent::Contagion => ("a partner of the listing is used together with a third listing", None),
        TrailEvent::Sense => ("a caller reads the marks of the listing", Some("sense_traces")),
        _ => return None,
    })
}

fn outcome_rules() -> [Rule; 2] {
    let uses = [("outcome_ok", "a use went well", true), ("outcome_fail", "a use failed", false)];
    uses.map(|(id, when, ok)| {
        let quality = f64::from(Outcome::usual_quality(ok)) / f64::from(QUALITY_STEPS);
        Rule {
            id: id.to_owned(),
            when: when.to_owned(),
            gives: format!(
                "one outcome per clock hour, source and listing, with quality {quality} by default"
            ),
            deposit: None,
            tool: Some("deposit_outcome"),
        }
    })
}

fn funnel_rules(app: &App, claimed: u32) -> [Rule; 3] {
    let settings = &app.settings;
    let (seats, left) = (settings.founding_seats, settings.founding_seats.saturating_sub(claimed));
    let holder = seat_holder(settings);
    let rule =
        |id: &str, when: String, gives, tool| Rule { id: id.to_owned(), when, gives, deposit: None, tool };
    [
        rule(
            "founding_seat",
            format!("a listing is among the first {seats} that complete the demo and the feedback"),
            format!("the full product, free, once for each {holder}; {left} of {seats} seats are left"),
            Some("leave_feedback"),
        ),
        rule(
            "discount",
            "a listing completes the demo and the feedback, but gets no seat".to_owned(),
            format!("a code for a discount of {DISCOUNT_PERCENT} percent that works while payments are open"),
            Some("leave_feedback"),
        ),
        rule(
            "payments_open",
            format!(
                "{} agents and as many MCP servers sent feedback in their own words, and the operator allows payments",
                settings.payments_open_after
            ),
            "products can be bought".to_owned(),
            None,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_shows_what_an_event_adds_to_a_trail() {
        let endorse = event_rule(TrailEvent::Endorse).unwrap();
        assert_eq!((endorse.gives.as_str(), endorse.tool), ("+12 attraction", Some("endorse")));
        assert_eq!(event_rule(TrailEvent::MatchHit).unwrap().gives, "+0.5 attraction, +2 demand");
        assert_eq!(event_rule(TrailEvent::Outcome), None, "it adds nothing to a trail");
    }
}
