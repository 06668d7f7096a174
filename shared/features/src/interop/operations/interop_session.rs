//! Sessions that span several protocols. An agent opens a session and appends a step each time it has used a listing.
//! Other agents can read and continue the session if the agent sends them the id. The id is the only credential.

use crate::operation::Action;
use crate::prelude::*;
use registry_model::{
    EntryProtocol, MAX_SESSION_STEPS, OrderId, Session, SessionFacts, SessionId, SessionStep,
};
use registry_store::SessionChange;

const PATH: &str = Family::INTEROP.path;
const MAX_NAME_CHARS: usize = 120;
const MAX_QUERY_CHARS: usize = 300;
const MAX_ACTION_CHARS: usize = 60;
const MAX_DETAIL_CHARS: usize = 500;
const MAX_FEEDBACK_ID_CHARS: usize = 64;

pub struct InteropSession;

/// What to do with the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SessionAction {
    /// Open a new session.
    #[default]
    #[serde(alias = "session_open")]
    Open,
    /// Append a step.
    #[serde(alias = "session_append")]
    Append,
    /// Read the session.
    #[serde(alias = "session_get")]
    Get,
    /// Close the session. After that, no steps can be appended.
    #[serde(alias = "session_close")]
    Close,
}

/// The action and its data.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("allOf" = required_by_action()))]
pub struct Arguments {
    /// What to do with the session. Default: `open`.
    #[serde(default)]
    #[schemars(extend("default" = "open"))]
    action: SessionAction,
    /// The session id that `open` returned. All other actions require it.
    #[schemars(regex(pattern = r"^\s*ses_[0-9a-f]{32}\s*$"))]
    session_id: Option<String>,
    /// The protocol of the session. With `append`: the protocol of the step.
    entry_protocol: Option<EntryProtocol>,
    /// The id of the listing that the session is about. With `append`: of the listing that the step is about.
    listing_id: Option<String>,
    /// Your name. Nobody verifies it.
    #[schemars(extend("format" = "public-text"), length(max = MAX_NAME_CHARS))]
    agent_name: Option<String>,
    /// What you are looking for.
    #[schemars(extend("format" = "public-text"), length(max = MAX_QUERY_CHARS))]
    match_q: Option<String>,
    /// What you did, in one or two words. Required with `append`.
    #[schemars(extend("format" = "public-text"), length(max = MAX_ACTION_CHARS))]
    step_action: Option<String>,
    /// Details of the step, in plain text. Send it only with `step_action`.
    #[schemars(extend("format" = "public-text"), length(max = MAX_DETAIL_CHARS))]
    detail: Option<String>,
    /// The order id of a demo that you received during the session.
    #[schemars(regex(pattern = "^ord_[0-9a-f]{24}$"))]
    demo_order_id: Option<String>,
    /// Your own reference to feedback that you sent during the session.
    #[schemars(extend("format" = "public-text"), length(max = MAX_FEEDBACK_ID_CHARS))]
    feedback_id: Option<String>,
}

/// The session after the action.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    action: SessionAction,
    /// The session id. Keep it private: anyone who knows it can read and append.
    session_id: String,
    session: ShownSession,
    next: NextStep,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ShownSession {
    id: String,
    created_at: Moment,
    /// When the session is deleted.
    expires_at: Moment,
    #[serde(flatten)]
    facts: SessionFacts,
    /// The steps, oldest first.
    steps: Vec<SessionStep>,
    /// How many more steps can be appended.
    steps_left: usize,
    closed: bool,
}

/// Schema: the arguments that each action requires.
fn required_by_action() -> Value {
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
    const TITLE: &'static str = "Cross-protocol session";
    const FAMILY: Option<Family> = Some(Family::INTEROP);
    const DESCRIPTION: &'static str = "Stores the steps of your work with several listings, in any protocol. \
        `action` is open (returns a session_id), append (adds a step), get (reads the session) or close. \
        Anyone who knows the session_id can read and append. A session lasts seven days and has at most 100 \
        steps. Returns the session.";
    const PHRASES: &'static [&'static str] =
        &["open an interop session", "open a session across protocols", "begin an interop session for {id}"];
    const EFFECT: Effect = Effect::WRITES;
    const EXAMPLE: &'static str = r#"{"action": "open", "entry_protocol": "a2a", "agent_name": "Travel planner", "match_q": "weather forecast"}"#;
    const SUMMARY: &'static [&'static str] = &[
        "The session {session_id} is {session.closed?closed|open} and expires at {session.expires_at}; {session.steps_left#step} left.",
    ];
    const SKILLS: &'static [AdvertisedSkill] = &[AdvertisedSkill::of::<Self>(
        "Stores the steps that an agent takes in A2A, MCP and HTTP. Other agents can use the \
            session if they know its id.",
        &["registry", "interop", "session", "a2a", "mcp"],
    )];
    const ACTIONS: &'static [Action] = &[
        Action { path: PATH, name: "session_open" },
        Action { path: PATH, name: "session_append" },
        Action { path: PATH, name: "session_get" },
        Action { path: PATH, name: "session_close" },
    ];
    const TAKES_ACTION: bool = true;
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let (now, caller) = (app.clock.now(), app.caller_digest(caller).await?);
        let allowance = |action| app.allowance(action, &caller, None);
        let action = arguments.action;
        let (id, is_written) = match action {
            SessionAction::Open => {
                // Not required, but a malformed id is an error.
                arguments.session_id.is_some().then(|| session_id(&arguments)).transpose()?;
                let id = SessionId::new(&app.random);
                let change = change(app, &arguments, now).await?;
                let act = allowance(LimitedAction::Session);
                let is_written = app.store.open_session(&id, &change, act, now).await?;
                (id, is_written)
            }
            SessionAction::Get => (session_id(&arguments)?, true),
            SessionAction::Append | SessionAction::Close => {
                let id = session_id(&arguments)?;
                let change = change(app, &arguments, now).await?;
                if change.step.is_none() && !change.close {
                    let detail =
                        "`step_action` is required: what you did. `detail` and `listing_id` are optional.";
                    return Err(Problem::invalid("step_action", Code::NothingToAppend, detail));
                }
                let act = allowance(LimitedAction::SessionStep);
                let is_written = app.store.append_to_session(&id, &change, act, now).await?;
                (id, is_written)
            }
        };
        let session = app.store.session(&id, now).await?.ok_or_else(|| not_found(app))?;
        if !is_written {
            return Err(refused(&session));
        }
        let Session { created_at, expires_at, facts, steps, closed } = session;
        let most = if closed { 0 } else { usize::try_from(MAX_SESSION_STEPS).unwrap_or(usize::MAX) };
        let steps_left = most.saturating_sub(steps.len());
        let id = id.reveal().to_owned();
        let next = if steps_left == 0 {
            let note = "This session accepts no more steps. Open a new session.";
            step(app, json!({ "action": "session_open" }), note)
        } else {
            let body = json!({ "action": "session_append", "session_id": id, "step_action": "resolved" });
            step(app, body, "Append your next step, with your own `step_action`.")
        };
        let session_id = id.clone();
        let session = ShownSession { id, created_at, expires_at, facts, steps, steps_left, closed };
        Ok(Answer { action, session_id, session, next })
    }
}

async fn change(app: &App, arguments: &Arguments, now: Moment) -> Result<SessionChange, Problem> {
    let listing_id = match &arguments.listing_id {
        None => None,
        Some(id) => Some(lookup::listing(app, id).await?.id),
    };
    let line = |field, text: &Option<String>, max_chars| optional_line(field, text.as_deref(), max_chars);
    let action = line("step_action", &arguments.step_action, MAX_ACTION_CHARS)?;
    let detail = optional_text("detail", arguments.detail.as_deref(), MAX_DETAIL_CHARS)?;
    if action.is_none() && detail.is_some() {
        let detail = "`detail` requires `step_action`: what you did, in a word or two.";
        return Err(Problem::invalid("step_action", Code::MissingArgument, detail));
    }
    let is_opening = arguments.action == SessionAction::Open;
    let protocol = arguments.entry_protocol;
    let step = |action| SessionStep { at: now, action, protocol, listing_id: listing_id.clone(), detail };
    let step = action.map(step).map(|step| (step, app.random.hex(6)));
    // The listing belongs to the step if there is one, and to the session when it is opened.
    let of_session = is_opening || step.is_none();
    Ok(SessionChange {
        facts: SessionFacts {
            entry_protocol: protocol.filter(|_| is_opening),
            listing_id: listing_id.filter(|_| of_session),
            agent_name: line("agent_name", &arguments.agent_name, MAX_NAME_CHARS)?,
            match_q: line("match_q", &arguments.match_q, MAX_QUERY_CHARS)?,
            demo_order_id: arguments.demo_order_id.as_deref().map(order).transpose()?,
            feedback_id: line("feedback_id", &arguments.feedback_id, MAX_FEEDBACK_ID_CHARS)?,
        },
        step,
        close: arguments.action == SessionAction::Close,
    })
}

fn order(id: &str) -> Result<String, Problem> {
    let order: Result<OrderId, _> = id.parse();
    order.map(|order| order.to_string()).map_err(|wrong| {
        Problem::invalid("demo_order_id", Code::InvalidArgument, format!("`demo_order_id`: {wrong}."))
    })
}

fn session_id(arguments: &Arguments) -> Result<SessionId, Problem> {
    let Some(id) = arguments.session_id.as_deref() else {
        let detail = "`session_id` is required: the id that `open` returned.";
        return Err(Problem::invalid("session_id", Code::MissingArgument, detail));
    };
    id.trim().parse().map_err(|wrong| {
        Problem::invalid("session_id", Code::InvalidArgument, format!("`session_id`: {wrong}."))
    })
}

fn not_found(app: &App) -> Problem {
    let detail = "Unknown session. Sessions are deleted after seven days. Open a new session.";
    let next = step(app, json!({ "action": "session_open" }), "Open a new session.");
    Problem::not_found(Code::SessionNotFound, detail).with_next(next.named("open"))
}

fn step(app: &App, body: Value, note: &str) -> NextStep {
    NextStep::post("interop_session", app.settings.url(PATH), body, note)
}

fn refused(session: &Session) -> Problem {
    if session.closed {
        return Problem::conflict(Code::SessionClosed, "This session is closed. Open a new session.");
    }
    let detail =
        format!("This session already has {MAX_SESSION_STEPS} steps, the maximum. Open a new session.");
    Problem::conflict(Code::SessionFull, detail)
}
