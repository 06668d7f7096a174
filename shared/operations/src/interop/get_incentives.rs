//! What is given for what: the deposits of trails, the weights of outcomes, the founding seats and discounts. Read off the
//! constants and settings that are in force, so that no second text can say otherwise.

use crate::prelude::*;
use registry_domain::funnel::DISCOUNT_PERCENT;
use registry_domain::interop;
use registry_model::{Amounts, Outcome, QUALITY_STEPS, TrailEvent, TrailValue};

pub struct GetIncentives;

/// What is given for what.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    /// The rules in force.
    rules: Vec<Rule>,
    /// How fast each value of a trail decays.
    half_lives_hours: Vec<HalfLife>,
    /// What the rules are for, in a sentence.
    note: String,
}

/// One rule.
#[derive(Debug, PartialEq, Serialize, JsonSchema)]
struct Rule {
    /// Stable name.
    id: String,
    /// What is done.
    when: String,
    /// What it brings.
    gives: String,
    /// What it deposits at a trail.
    #[serde(skip_serializing_if = "Option::is_none")]
    deposit: Option<Deposited>,
    /// The tool that does it, where a caller can.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<&'static str>,
}

/// What is deposited.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
struct Deposited {
    attraction: f64,
    danger: f64,
    demand: f64,
    joined: f64,
}

/// How fast a value decays.
#[derive(Debug, Serialize, JsonSchema)]
struct HalfLife {
    /// Which value.
    value: &'static str,
    /// Hours in which half of it is gone.
    hours: i64,
}

impl Operation for GetIncentives {
    const NAME: &'static str = "get_incentives";
    const TITLE: &'static str = "What is given for what";
    const DESCRIPTION: &'static str = "Tells the rules in force: what each act deposits at a listing's trail, how outcomes \
        are weighed, the founding seats left, the discount after them, and when payments open.";
    const EFFECT: Effect = Effect::READS;
    const EXAMPLE: &'static str = "{}";
    const PHRASES: &'static [&'static str] =
        &["what are the incentives?", "show the incentives", "which incentives are in force?"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "get-incentives",
        name: "What is given for what",
        description: "Tells what each act brings: deposits at trails, founding seats, discounts.",
        tags: &["registry", "incentives", "trails"],
    }];
    const ACTIONS: &'static [Action] = &[
        Action { path: "/api/products/first-principles", names: &["incentives", "get_incentives"] },
        Action { path: "/api/products/interop", names: &["incentives"] },
    ];
    type Arguments = NoArguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, _: NoArguments) -> Result<Answer, Problem> {
        let claimed = app.store.live().await?.funnel.seats_claimed;
        let deposits = TrailEvent::ALL.into_iter().filter_map(of_event);
        let half_life =
            |value: TrailValue| HalfLife { value: value.as_str(), hours: value.decay().half_life_hours() };
        Ok(Answer {
            ok: true,
            version: interop::VERSION,
            rules: deposits.chain(of_outcomes()).chain(of_the_funnel(app, claimed)).collect(),
            half_lives_hours: TrailValue::ALL.into_iter().map(half_life).collect(),
            note: "Trails order boards and break ties between equal matches; they never make a listing Live, which only a \
                handshake does."
                .to_owned(),
        })
    }
}

/// What an event deposits, where it does.
fn of_event(event: TrailEvent) -> Option<Rule> {
    let amounts = event.amounts();
    if amounts == Amounts::NONE {
        return None;
    }
    let Amounts { attraction, danger, demand, joined } = amounts;
    let given = TrailValue::ALL.into_iter().filter(|value| amounts.of(*value) != 0.0);
    let given: Vec<String> =
        given.map(|value| format!("{:+} {}", amounts.of(value), value.as_str())).collect();
    let (when, tool) = told(event);
    Some(Rule {
        id: format!("trail_{}", event.as_str()),
        when: when.to_owned(),
        gives: given.join(", "),
        deposit: Some(Deposited { attraction, danger, demand, joined }),
        tool,
    })
}

/// An event in words, and the tool that causes it.
const fn told(event: TrailEvent) -> (&'static str, Option<&'static str>) {
    match event {
        TrailEvent::TakeDemo => ("a listing takes its demo", Some("take_demo")),
        TrailEvent::LeaveFeedback => ("a listing gives its feedback", Some("leave_feedback")),
        TrailEvent::FoundingClaim => ("a listing claims a founding seat", Some("leave_feedback")),
        TrailEvent::MatchHit => ("a search finds the listing", Some("match_capability")),
        TrailEvent::MatchQuery => ("a search looks for what the listing does", Some("match_capability")),
        TrailEvent::ListYourself => ("it is listed", Some("list_yourself")),
        TrailEvent::ProbeOk => ("a probe is answered", None),
        TrailEvent::ProbeFail => ("a probe fails", None),
        TrailEvent::Endorse => ("somebody endorses it", Some("endorse")),
        TrailEvent::LeaveTrace => ("somebody leaves a trace at it", Some("leave_trace")),
        TrailEvent::UsedWith => ("it is used together with another", Some("used_with")),
        TrailEvent::Contagion => ("a listing that it was used with is used with a third", None),
        TrailEvent::Outcome => ("somebody reports how using it went", Some("deposit_outcome")),
        TrailEvent::Attestation => ("something is attested of it", Some("attest")),
        TrailEvent::Sense => ("somebody reads its traces", Some("sense_traces")),
    }
}

fn of_outcomes() -> [Rule; 2] {
    let usual = |ok| f64::from(Outcome::usual_quality(ok)) / f64::from(QUALITY_STEPS);
    let rule = |id: &str, when: &str, gives| Rule {
        id: id.to_owned(),
        when: when.to_owned(),
        gives,
        deposit: None,
        tool: Some("deposit_outcome"),
    };
    [
        rule(
            "outcome_ok",
            "a use went well",
            format!(
                "one counted outcome an hour from each source, of quality {} unless another is told",
                usual(true)
            ),
        ),
        rule(
            "outcome_fail",
            "a use failed",
            format!("the same, of quality {} unless another is told", usual(false)),
        ),
    ]
}

fn of_the_funnel(app: &App, claimed: u32) -> [Rule; 3] {
    let settings = &app.settings;
    let (seats, left) = (settings.founding_seats, settings.founding_seats.saturating_sub(claimed));
    let rule =
        |id: &str, when: String, gives, tool| Rule { id: id.to_owned(), when, gives, deposit: None, tool };
    [
        rule(
            "founding_seat",
            format!("a Live listing is among the first {seats} that complete demo and feedback"),
            format!("the full product free, without checkout; {left} of {seats} seats are left"),
            Some("leave_feedback"),
        ),
        rule(
            "discount",
            "a Live listing completes them later".to_owned(),
            format!("a code for {DISCOUNT_PERCENT} percent off, held until payments open"),
            Some("leave_feedback"),
        ),
        rule(
            "payments_open",
            format!("{} agents and as many MCP servers gave feedback", settings.payments_open_after),
            "products can be bought".to_owned(),
            None,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_says_what_its_event_deposits() {
        let endorse = of_event(TrailEvent::Endorse).unwrap();
        assert_eq!((endorse.gives.as_str(), endorse.tool), ("+12 attraction", Some("endorse")));
        assert_eq!(of_event(TrailEvent::MatchHit).unwrap().gives, "+0.5 attraction, +2 demand");
        assert_eq!(of_event(TrailEvent::Outcome), None, "it deposits nothing at a trail");
    }
}
