//! Sessions across protocols: an agent opens one, tells its steps while it goes from listing to listing, and whoever it gives
//! the id to may read and continue it. The id is the only key to it.

use http::StatusCode;

use crate::bounded;
use crate::lookup;
use crate::prelude::*;
use registry_domain::interop;
use registry_formats::argument_schema;
use registry_model::{EntryProtocol, MOST_STEPS, OrderId, Session, SessionFacts, SessionId, SessionStep};
use registry_store::{Allowance, SessionChange, SessionWrite};

const PATH: &str = "/api/products/interop";
const LONGEST_NAME: usize = 120;
const LONGEST_QUERY: usize = 300;
const LONGEST_ACTION: usize = 60;
const LONGEST_DETAIL: usize = 500;
const LONGEST_FEEDBACK_ID: usize = 64;

pub struct InteropSession;

/// What is done with a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SessionAction {
    /// A new one is opened.
    #[default]
    #[serde(alias = "session_open")]
    Open,
    /// A step is appended.
    #[serde(alias = "session_append")]
    Append,
    /// It is read.
    #[serde(alias = "session_get")]
    Get,
    /// It is closed: nothing more is appended.
    #[serde(alias = "session_close")]
    Close,
}

/// What is done, and what is told.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("allOf" = needs_of_actions()))]
pub struct Arguments {
    /// What is done; `open` where it is left out.
    #[serde(default)]
    action: SessionAction,
    /// The id that the opening answered; for all but `open`.
    #[schemars(regex(pattern = r"^\s*ses_[0-9a-f]{32}\s*$"))]
    session_id: Option<String>,
    /// The protocol by which you came; with `append` the one of the step.
    entry_protocol: Option<EntryProtocol>,
    /// The id of the listing that the session, or the step, is about.
    listing_id: Option<String>,
    /// Who you are. It is shown as claimed, for nothing proves it.
    #[schemars(extend("format" = "public-text"), length(max = LONGEST_NAME))]
    agent_name: Option<String>,
    /// What you look for.
    #[schemars(extend("format" = "public-text"), length(max = LONGEST_QUERY))]
    match_q: Option<String>,
    /// What you did, in a word or two; a step.
    #[schemars(extend("format" = "public-text"), length(max = LONGEST_ACTION))]
    step_action: Option<String>,
    /// More of the step, in plain words.
    #[schemars(extend("format" = "public-text"), length(max = LONGEST_DETAIL))]
    detail: Option<String>,
    /// The order of a demo that was taken on the way.
    #[schemars(regex(pattern = "^ord_[0-9a-f]{24}$"))]
    demo_order_id: Option<String>,
    /// The feedback that was given on the way.
    #[schemars(extend("format" = "public-text"), length(max = LONGEST_FEEDBACK_ID))]
    feedback_id: Option<String>,
}

/// The session as it is now.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    ok: bool,
    version: &'static str,
    /// What was done.
    action: SessionAction,
    /// The key to the session: whoever knows it may read and append.
    session_id: String,
    /// The session.
    session: ShownSession,
    /// What to do next.
    next: NextStep,
}

/// A session with its steps.
#[derive(Debug, Serialize, JsonSchema)]
struct ShownSession {
    id: String,
    created_at: Moment,
    /// When it is forgotten.
    expires_at: Moment,
    #[serde(flatten)]
    facts: SessionFacts,
    /// What was done, by time.
    steps: Vec<SessionStep>,
    /// How many more steps it takes.
    steps_left: usize,
    /// Nothing more is appended.
    closed: bool,
}

/// What each action cannot do without.
fn needs_of_actions() -> Value {
    let (all, none) = (argument_schema::all_of, argument_schema::none_of);
    let of =
        |names: [&str; 2]| json!({ "required": ["action"], "properties": { "action": { "enum": names } } });
    json!([
        { "anyOf": [
            { "properties": { "action": { "enum": ["open", "session_open"] } } },
            { "allOf": [of(["get", "session_get"]), all(&["session_id"])] },
            { "allOf": [of(["close", "session_close"]), all(&["session_id"])] },
            { "allOf": [of(["append", "session_append"]), all(&["session_id", "step_action"])] },
        ] },
        { "anyOf": [none(&["detail"]), all(&["step_action"])] },
    ])
}

impl Operation for InteropSession {
    const NAME: &'static str = "interop_session";
    const TITLE: &'static str = "A session across protocols";
    const DESCRIPTION: &'static str = "Keeps a session while you go from listing to listing in any protocol: open gives a \
        session_id, append adds a step (step_action, detail, listing_id), get reads it, close ends it. Whoever knows the \
        id may read and append; it is kept for seven days, with at most 100 steps.";
    const EFFECT: Effect = Effect { read_only: false, idempotent: false, open_world: false };
    const EXAMPLE: &'static str = r#"{"action": "open", "entry_protocol": "a2a", "agent_name": "Travel planner", "match_q": "weather forecast"}"#;
    const PHRASES: &'static [&'static str] =
        &["open an interop session", "open a session across protocols", "begin an interop session for {id}"];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill {
        id: "interop-session",
        name: "A session across protocols",
        description: "Keeps the steps of an agent across A2A, MCP and HTTP under an id that it may hand on.",
        tags: &["registry", "interop", "session", "a2a", "mcp"],
    }];
    const ACTIONS: &'static [Action] =
        &[Action { path: PATH, names: &["session_open", "session_append", "session_get", "session_close"] }];
    const TAKES_ACTION: bool = true;
    const REFUSALS: &'static [u16] = &[404, 409];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let (now, caller) = (app.clock.now(), caller.name());
        let settings = &app.settings;
        let allowance = |act, rate| {
            let act = Allowance { act, caller: &caller, host: None, rate };
            settings.rate_limits.then_some(act)
        };
        let action = arguments.action;
        let (id, written) = match action {
            SessionAction::Open => {
                // None is needed, but one that cannot be an id is a mistake.
                arguments.session_id.is_some().then(|| session_id(&arguments)).transpose()?;
                let id = SessionId::new(&app.random);
                let change = change(app, &arguments, now).await?;
                let act = allowance("session", settings.session_rate);
                let written = app.store.open_session(&id, &change, act, now).await?;
                (id, written)
            }
            SessionAction::Get => (session_id(&arguments)?, SessionWrite::Written),
            SessionAction::Append | SessionAction::Close => {
                let id = session_id(&arguments)?;
                let change = change(app, &arguments, now).await?;
                if change.step.is_none() && change.facts == SessionFacts::default() && !change.close {
                    let detail =
                        "Say what is appended: `step_action`, perhaps with `detail` and `listing_id`.";
                    return Err(Problem::invalid("step_action", "nothing_to_append", detail));
                }
                let act = allowance("session_step", settings.session_step_rate);
                let written = app.store.append_to_session(&id, &change, act, now).await?;
                (id, written)
            }
        };
        if let SessionWrite::Limited(used_up) = written {
            return Err(used_up.into());
        }
        let session = app.store.session(&id, now).await?.ok_or_else(|| not_found(app))?;
        if written == SessionWrite::Refused {
            return Err(refused(&session));
        }
        Ok(answer(app, action, &id, session))
    }
}

/// What the arguments tell.
async fn change(app: &App, arguments: &Arguments, now: Moment) -> Result<SessionChange, Problem> {
    let listing_id = match &arguments.listing_id {
        None => None,
        Some(id) => Some(lookup::listing(app, id).await?.id),
    };
    let line = |field, text: &Option<String>, longest| bounded::line(field, text.as_deref(), longest);
    let action = line("step_action", &arguments.step_action, LONGEST_ACTION)?;
    let detail = bounded::text("detail", arguments.detail.as_deref(), LONGEST_DETAIL)?;
    if action.is_none() && detail.is_some() {
        let detail = "`detail` goes with a `step_action`, which says in a word or two what was done.";
        return Err(Problem::invalid("step_action", "missing_argument", detail));
    }
    let is_opening = arguments.action == SessionAction::Open;
    let protocol = arguments.entry_protocol;
    let step = |action| SessionStep { at: now, action, protocol, listing_id: listing_id.clone(), detail };
    let step = action.map(step).map(|step| (step, app.random.hex(6)));
    // What a step is about is said at the step; a session that is opened is about it itself.
    let of_session = is_opening || step.is_none();
    Ok(SessionChange {
        facts: SessionFacts {
            entry_protocol: protocol.filter(|_| is_opening),
            listing_id: listing_id.filter(|_| of_session),
            agent_name: line("agent_name", &arguments.agent_name, LONGEST_NAME)?,
            match_q: line("match_q", &arguments.match_q, LONGEST_QUERY)?,
            demo_order_id: arguments.demo_order_id.as_deref().map(order).transpose()?,
            feedback_id: line("feedback_id", &arguments.feedback_id, LONGEST_FEEDBACK_ID)?,
        },
        step,
        close: arguments.action == SessionAction::Close,
    })
}

fn order(id: &str) -> Result<String, Problem> {
    let order: Result<OrderId, _> = id.parse();
    order.map(|order| order.to_string()).map_err(|wrong| {
        Problem::invalid("demo_order_id", "invalid_argument", format!("`demo_order_id`: {wrong}."))
    })
}

fn session_id(arguments: &Arguments) -> Result<SessionId, Problem> {
    let Some(id) = arguments.session_id.as_deref() else {
        let detail = "`session_id` is missing: the id that the session's opening answered.";
        return Err(Problem::invalid("session_id", "missing_argument", detail));
    };
    id.trim().parse().map_err(|wrong| {
        Problem::invalid("session_id", "invalid_argument", format!("`session_id`: {wrong}."))
    })
}

fn not_found(app: &App) -> Problem {
    let detail = "No such session is known here; sessions are forgotten after seven days.";
    Problem::new(StatusCode::NOT_FOUND, "session_not_found", detail).with_next(json!({
        "action": "open", "method": "POST", "url": app.settings.url(PATH),
        "body": { "action": "session_open" }, "tool": "interop_session",
        "note": "Open a new one.",
    }))
}

fn refused(session: &Session) -> Problem {
    if session.closed {
        return Problem::new(
            StatusCode::CONFLICT,
            "session_closed",
            "This session is closed. Open a new one.",
        );
    }
    let detail = format!("This session has {MOST_STEPS} steps, and takes no more. Open a new one.");
    Problem::new(StatusCode::CONFLICT, "session_full", detail)
}

fn answer(app: &App, action: SessionAction, id: &SessionId, session: Session) -> Answer {
    let url = app.settings.url(PATH);
    let Session { created_at, expires_at, facts, steps, closed } = session;
    let steps_left = usize::try_from(MOST_STEPS).unwrap_or(usize::MAX).saturating_sub(steps.len());
    let next = if closed || steps_left == 0 {
        let body = json!({ "action": "session_open" });
        NextStep::post("interop_session", url, body, "This one takes no more steps; open another.")
    } else {
        let body =
            json!({ "action": "session_append", "session_id": id.reveal(), "step_action": "resolved" });
        let note = "Append what you do next.";
        NextStep::post("interop_session", url, body, note)
    };
    Answer {
        ok: true,
        version: interop::VERSION,
        action,
        session_id: id.reveal().to_owned(),
        session: ShownSession {
            id: id.reveal().to_owned(),
            created_at,
            expires_at,
            facts,
            steps,
            steps_left,
            closed,
        },
        next,
    }
}
