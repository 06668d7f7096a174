//! Parses the body of a publish request into a valid `Submission`. The result depends only on the body.
//! Nothing is fetched (`specification.md#publish`).

use crate::prelude::*;
use crate::trust::ownership::SignedChallenge;
use registry_fetch::{Target, TargetError};
use registry_formats::limits::LONGEST_NAME;
use registry_formats::personal_data::has_secret;
use registry_formats::public_text::public_text;
use registry_formats::server_json::{self, Remote, ServerDescription, Transport, Violation};
use registry_formats::{argument_text, email_address};
use registry_model::protocol::MAX_URL_BYTES;
use registry_model::{Category, Contact, DeclaredTransport, Obstacle, Reach, Secret, ServerDocument};
use registry_store::DocumentChange;
use schemars::{Schema, SchemaGenerator, json_schema};

const MAX_SOURCE_CHARS: usize = 200;
/// The usual file names of an agent card.
const CARD_ENDINGS: [&str; 5] =
    ["agent-card.json", "agent.json", "agentcard.json", "ai-agent.json", "a2a-card.json"];

#[derive(Clone, Debug)]
pub struct Submission {
    pub what: Submitted,
    pub name: Option<String>,
    pub contact: Contact,
    pub proof: Option<OfferedProof>,
}

#[derive(Clone, Debug)]
pub enum Submitted {
    Url {
        target: Target,
        /// `None` if only a site is given.
        kind: Option<Kind>,
    },
    Server(Box<ServerDescription>),
}

/// What to list. Send exactly one of `agent_card_url`, `mcp_url`, `url` and `server_json`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(extend("oneOf" = one_at_a_time()))]
pub struct PublishRequest {
    /// The URL of a card or a site (its well-known card paths are tried). Ignored next to `agent_card_url` or `mcp_url`.
    #[schemars(extend("format" = "uri"), length(max = MAX_URL_BYTES))]
    pub url: Option<String>,
    /// The URL of an A2A agent card.
    #[schemars(extend("format" = "uri"), length(max = MAX_URL_BYTES))]
    pub agent_card_url: Option<String>,
    /// The endpoint of an MCP server (streamable HTTP).
    #[schemars(extend("format" = "uri"), length(max = MAX_URL_BYTES))]
    pub mcp_url: Option<String>,
    /// A server description: the `server.json` of the MCP registry.
    #[serde(default)]
    #[schemars(schema_with = "server_json_schema")]
    pub server_json: Option<Map<String, Value>>,
    /// A display name. The card or the server may replace it.
    #[schemars(extend("format" = "display-name"), length(min = 1, max = LONGEST_NAME))]
    pub name: Option<String>,
    /// An e-mail address for questions about this listing. It is never shown.
    #[schemars(extend("format" = "email"), length(min = 3, max = email_address::MAX_CHARS))]
    pub contact_email: Option<String>,
    /// How you found this registry.
    #[schemars(regex(pattern = argument_schema::LINE), length(max = 200))]
    pub source: Option<String>,
    /// A proof that you own the name in `server_json`. Send it only with `server_json`.
    pub proof: Option<ProofRequest>,
}

/// Exactly one thing is listed; `url` may accompany the URL of a card or an endpoint.
fn one_at_a_time() -> Value {
    let (all, none) = (argument_schema::all_of, argument_schema::none_of);
    json!([
        { "allOf": [all(&["server_json"]), none(&["agent_card_url", "mcp_url", "url"])] },
        { "allOf": [all(&["agent_card_url"]), none(&["server_json", "mcp_url", "proof"])] },
        { "allOf": [all(&["mcp_url"]), none(&["server_json", "agent_card_url", "proof"])] },
        { "allOf": [all(&["url"]), none(&["server_json", "agent_card_url", "mcp_url", "proof"])] },
    ])
}

pub fn server_json_schema(_: &mut SchemaGenerator) -> Schema {
    let url = json!({ "type": "string", "format": "uri", "maxLength": MAX_URL_BYTES });
    json_schema!({
        "type": ["object", "null"],
        "description": "A server description (server.json of the MCP registry, 2025-12-11). It can contain \
            the other members of that schema, such as `packages`.",
        "properties": {
            "name": { "type": "string", "format": "server-name", "minLength": 3, "maxLength": 200 },
            "title": { "type": "string", "format": "display-name", "minLength": 1, "maxLength": 100 },
            "description": { "type": "string", "format": "public-text", "minLength": 1, "maxLength": 100 },
            "version": { "type": "string", "format": "server-version", "maxLength": 255 },
            "websiteUrl": { "type": "string", "maxLength": MAX_URL_BYTES, "anyOf": [{ "format": "uri" }, { "const": "" }] },
            "remotes": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": { "type": { "enum": ["streamable-http", "sse"] }, "url": url },
                    "required": ["type", "url"],
                },
            },
        },
        "required": ["name", "description", "version"],
    })
}

impl Submission {
    pub fn parse(request: PublishRequest, reach: Reach) -> Result<Self, Problem> {
        let plain = |name: String| argument_text::plain_line("name", &name, LONGEST_NAME);
        let name = request.name.map(plain).transpose()?;
        let name = name.map(|name| public_text("name", &name, LONGEST_NAME)).transpose()?;
        let line = |source: String| argument_text::line("source", &source, MAX_SOURCE_CHARS);
        let source = request.source.map(line).transpose()?;
        let email =
            request.contact_email.map(|email| email_address::parse("contact_email", &email)).transpose()?;
        let proof = request.proof.as_ref().map(OfferedProof::parse).transpose()?;
        if proof.is_some() && request.server_json.is_none() {
            let detail =
                "`proof` proves the name in a server description. Send `proof` together with `server_json`.";
            return Err(Problem::invalid("proof", Code::NothingToProve, detail));
        }
        let url = |field: &'static str, text: &Option<String>| {
            text.as_ref().map(|text| target(field, text, reach)).transpose()
        };
        let card = url("agent_card_url", &request.agent_card_url)?;
        let mcp = url("mcp_url", &request.mcp_url)?;
        let any = url("url", &request.url)?;
        let what = match (request.server_json, card, mcp, any) {
            (Some(document), None, None, None) => {
                Submitted::Server(Box::new(described(&Value::Object(document), reach)?))
            }
            (None, Some(card), None, _) => Submitted::Url { target: card, kind: Some(Kind::Agent) },
            (None, None, Some(mcp), _) => Submitted::Url { target: mcp, kind: Some(Kind::Mcp) },
            (None, None, None, Some(any)) => Submitted::Url { kind: kind_of(&any), target: any },
            (None, None, None, None) => return Err(nothing_to_list()),
            (_, _, mcp, any) => {
                let one_of_two = if mcp.is_some() { "mcp_url" } else { "agent_card_url" };
                let field = if any.is_some() { "url" } else { one_of_two };
                let detail = "Send only one of these: `agent_card_url`, `mcp_url`, or a server description without `url`.";
                return Err(Problem::invalid(field, Code::OneAtATime, detail));
            }
        };
        if let Some(name) = &name {
            let own = match &what {
                Submitted::Url { .. } => None,
                Submitted::Server(server) => Some(server.name.as_str()),
            };
            argument_text::check_display_name("name", name, own)?;
        }
        Ok(Self { what, name, contact: Contact { email, source, ..Contact::default() }, proof })
    }

    pub fn of_url(target: Target) -> Self {
        let what = Submitted::Url { kind: kind_of(&target), target };
        Self { what, name: None, contact: Contact::default(), proof: None }
    }

    /// The same submission with another description of the same server, and of its remotes only the same one.
    pub(super) fn with_description(&self, mut own: ServerDescription) -> Self {
        let mut same = self.clone();
        if let Submitted::Server(server) = &mut same.what {
            own.remotes.retain(|listed| Some(listed.url.as_str()) == self.remote_url());
            **server = own;
            same.name = None;
        }
        same
    }

    /// The listing's id, and the id to use if another owner has the first.
    pub fn ids(&self) -> (ListingId, Option<ListingId>) {
        match &self.what {
            Submitted::Url { target, .. } => (ListingId::of_url(target.url()), None),
            Submitted::Server(server) => {
                let owner = self.remote_url().map(owner_of).unwrap_or_default();
                let second_id = ListingId::of_taken_name(Kind::Mcp, &server.name, &owner);
                (ListingId::of_name(Kind::Mcp, &server.name), Some(second_id))
            }
        }
    }

    /// The id to use if others have both [`Self::ids`].
    pub fn third_id(&self) -> Option<ListingId> {
        let owner = self.remote_url().map(owner_of).unwrap_or_default();
        Some(ListingId::of_contested_name(Kind::Mcp, self.server_name()?, &owner))
    }

    /// The URL that will be probed, if any.
    pub fn url(&self) -> Option<&str> {
        match &self.what {
            Submitted::Url { target, .. } => Some(target.as_str()),
            Submitted::Server(_) => self.remote_url(),
        }
    }

    /// The origin that will be probed, if any.
    pub fn host(&self) -> Option<String> {
        self.url().map(origin_of)
    }

    /// The kind that the sender says it is.
    pub const fn kind(&self) -> Option<Kind> {
        match &self.what {
            Submitted::Url { kind, .. } => *kind,
            Submitted::Server(_) => Some(Kind::Mcp),
        }
    }

    fn server(&self) -> Option<&ServerDescription> {
        match &self.what {
            Submitted::Url { .. } => None,
            Submitted::Server(server) => Some(server),
        }
    }

    /// The remote of its server description that will be probed.
    pub fn remote_url(&self) -> Option<&str> {
        self.server().and_then(remote).map(|remote| remote.url.as_str())
    }

    pub fn server_name(&self) -> Option<&str> {
        self.server().map(|server| server.name.as_str())
    }

    /// The schema that its server description names.
    pub fn schema(&self) -> Option<&Value> {
        self.server()?.document.get("$schema")
    }

    /// Whether a listing with the same id is the same thing: the same URL, or the same server name at the same
    /// owner's host.
    pub fn is_same_as(&self, listing: &Listing) -> bool {
        let is_at_its_host = || listing.url.as_deref().map(owner_of) == self.remote_url().map(owner_of);
        listing.ownership.server_name.as_deref() == self.server_name()
            && (self.server().is_none() || is_at_its_host())
    }

    pub fn listing(&self, id: ListingId, now: Moment) -> Listing {
        let name = self.name.clone().unwrap_or_else(|| id.to_string());
        let mut listing = Listing::new(id, name, now);
        self.locate(&mut listing);
        self.describe(&mut listing);
        listing
    }

    pub fn locate(&self, listing: &mut Listing) {
        let before = listing.url.clone();
        match &self.what {
            Submitted::Url { target, kind } => {
                listing.url = Some(target.as_str().to_owned());
                // A kind that no probe proved may have been a wrong guess.
                listing.kind = kind.or(listing.kind.filter(|_| listing.was_proven()));
            }
            Submitted::Server(server) => {
                let remote = remote(server);
                listing.kind = Some(Kind::Mcp);
                listing.url = remote.map(|remote| remote.url.clone());
                listing.obstacle = obstacle(server);
                listing.declared = match remote.map(|remote| remote.transport) {
                    Some(Transport::StreamableHttp) => DeclaredTransport::StreamableHttp,
                    Some(Transport::Sse) => DeclaredTransport::Sse,
                    None => DeclaredTransport::Unknown,
                };
            }
        }
        if listing.url != before {
            // The card belongs to the earlier URL.
            listing.card_url = None;
        }
    }

    pub fn describe(&self, listing: &mut Listing) {
        match &self.what {
            Submitted::Url { .. } => {
                listing.texts.name = self.name.clone().unwrap_or_else(|| listing.texts.name.clone())
            }
            Submitted::Server(server) => {
                let name = self.name.as_ref().or(server.title.as_ref()).unwrap_or(&server.name);
                listing.texts.name.clone_from(name);
                listing.texts.description = Some(server.description.clone());
                listing.ownership.server_name = Some(server.name.clone());
                listing.texts.version = Some(server.version.clone());
                listing.texts.website = server.website_url.clone().or_else(|| server.repository_url.clone());
                listing.texts.category = Category::of(Kind::Mcp, &listing.texts.name, &[&server.description]);
            }
        }
    }

    /// The description to store, if it differs from the stored one.
    pub(super) fn document(&self, stored: Option<&ServerDocument>, now: Moment) -> Option<DocumentChange> {
        let server = self.server()?;
        let mut document = server.document.clone();
        if let (Some(Value::Array(remotes)), Some(url)) = (document.get_mut("remotes"), self.remote_url()) {
            // The evidence would seem to be about the remotes of other owners, too.
            remotes.retain(|one| {
                server_json::remote(one).is_some_and(|one| owner_of(&one.filled_in()) == owner_of(url))
            });
        }
        let mut new = ServerDocument {
            server: document,
            status: server.status,
            number: 0,
            published_at: now,
            updated_at: now,
        };
        if let Some(stored) = stored {
            if new.is_same_as(stored) {
                return None;
            }
            new.number = stored.number;
            if new.version() == stored.version() {
                new.published_at = stored.published_at;
            } else {
                new.number += 1;
            }
        }
        Some(DocumentChange { new, replaced: stored.cloned() })
    }

    /// The stored description with the URLs of this submission, for a sender that may only correct the URL.
    pub(super) fn moved_document(
        &self,
        stored: Option<ServerDocument>,
        now: Moment,
    ) -> Option<DocumentChange> {
        let mut new = stored?;
        let remotes = self.document(None, now)?.new.server.remove("remotes")?;
        new.server.insert("remotes".to_owned(), remotes);
        new.updated_at = now;
        Some(DocumentChange { new, replaced: None })
    }
}

/// The remote to probe: one that needs no secret and no variables, and streamable HTTP before SSE.
fn remote(server: &ServerDescription) -> Option<&Remote> {
    let obstacles = |remote: &&Remote| {
        (remote.templated, !remote.secret_headers.is_empty(), remote.transport != Transport::StreamableHttp)
    };
    server.remotes.iter().min_by_key(obstacles)
}

/// Why the server cannot be probed.
fn obstacle(server: &ServerDescription) -> Option<Obstacle> {
    match remote(server) {
        None => Some(Obstacle::StdioOnly),
        Some(remote) if remote.templated => Some(Obstacle::TemplatedUrl),
        Some(remote) if !remote.secret_headers.is_empty() => Some(Obstacle::NeedsSecret),
        Some(_) => None,
    }
}

pub(super) fn described(document: &Value, reach: Reach) -> Result<ServerDescription, Problem> {
    let parsed = server_json::parse_server_json(document, reach).and_then(|server| {
        let violations = remote_violations(&server, reach);
        if violations.is_empty() { Ok(server) } else { Err(violations) }
    });
    parsed.map_err(|violations| {
        let messages: Vec<String> =
            violations.iter().take(5).map(|found| format!("{}: {}", found.path, found.message)).collect();
        let field = violations.first().map(|found| found.path.clone()).unwrap_or_default();
        let all: Vec<Value> = violations
            .iter()
            .take(50)
            .map(|found| json!({ "path": found.path, "rule": found.rule, "message": found.message }))
            .collect();
        let detail = format!("The server description is not valid. {}", messages.join(" "));
        Problem::invalid(field, Code::InvalidServerDescription, shorten(&detail, 1500))
            .with("violations", all)
    })
}

/// The same rules as for URLs. For a URL with variables only the faults count that no value can fix.
fn remote_violations(server: &ServerDescription, reach: Reach) -> Vec<Violation> {
    let violation = |(index, remote): (usize, &Remote)| {
        let path = format!("remotes[{index}].url");
        if has_secret(&remote.url) {
            return Some(Violation { path, rule: "secret", message: SECRET.to_owned() });
        }
        let error = Target::parse(&remote.filled_in(), reach).err()?;
        use TargetError::{ControlCharacter, IpLiteral, TooLong, UserInfo};
        let is_permanent = matches!(error, UserInfo | IpLiteral | TooLong | ControlCharacter);
        let message = error.to_string();
        (is_permanent || !remote.templated).then(|| Violation { path, rule: error.code().as_str(), message })
    };
    server.remotes.iter().enumerate().filter_map(violation).collect()
}

const SECRET: &str =
    "it seems to contain a token or a key, which everybody could read. Publish the URL without it.";

fn target(field: &'static str, text: &str, reach: Reach) -> Result<Target, Problem> {
    if has_secret(text) {
        return Err(Problem::invalid(field, Code::Secret, format!("`{field}`: {SECRET}")));
    }
    Target::parse(text, reach)
        .map_err(|error| Problem::invalid(field, error.code(), format!("`{field}`: {error}")))
}

fn kind_of(target: &Target) -> Option<Kind> {
    let path = target.url().path().to_ascii_lowercase();
    CARD_ENDINGS.iter().any(|ending| path.ends_with(ending)).then_some(Kind::Agent)
}

/// The owner of a host: its registrable domain, or the host itself if it has none.
fn owner_of(url: &str) -> String {
    // Stored URLs were validated once; development reach accepts loopback hosts here.
    match Target::parse(url, Reach::Development) {
        Ok(target) => target.registrable_domain().unwrap_or_else(|| target.origin()),
        Err(_) => origin_of(url),
    }
}

fn origin_of(url: &str) -> String {
    url::Url::parse(url).map_or_else(|_| url.to_owned(), |url| url.origin().ascii_serialization())
}

fn nothing_to_list() -> Problem {
    let detail = "The request does not say what to publish. Send `url` (for example {\"url\": \
        \"https://your.host/.well-known/agent-card.json\"}), `agent_card_url`, `mcp_url` or `server_json`.";
    Problem::invalid("url", Code::NothingToList, detail)
}

/// A proof that you own the name in a server description, or the host of its endpoint. With a key of the name's domain,
/// the name is shown as proven, and you may change a listing that is on this domain or was published under this name.
/// With a key of the host, you may change the description. Send an empty object first. The answer contains a challenge,
/// and the places where the domain can publish your key. Sign the challenge. Then send the same request with `nonce`
/// and `signature`. If this registry reads it, the server.json in the owner's repository also proves names below `io.github`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = argument_schema::together(&["nonce", "signature"])))]
pub struct ProofRequest {
    /// The nonce of the challenge that you signed. Send it together with `signature`.
    pub nonce: Option<String>,
    /// The signature of the challenge's text, in hexadecimal or base64.
    #[schemars(extend("format" = "signature"))]
    pub signature: Option<String>,
    /// A token of GitHub Actions. It goes first.
    pub token: Option<String>,
}

#[derive(Clone, Debug)]
pub enum OfferedProof {
    /// `None`: the publisher asks for a challenge.
    Signature(Option<SignedChallenge>),
    /// A token of GitHub Actions.
    Workflow(Secret),
}

impl OfferedProof {
    pub(super) fn parse(request: &ProofRequest) -> Result<Self, Problem> {
        let Some(token) = &request.token else {
            let signed = SignedChallenge::parse(request.nonce.as_deref(), request.signature.as_deref(), None);
            return signed.map(Self::Signature).map_err(in_proof);
        };
        Ok(Self::Workflow(Secret::new(token.trim().to_owned())))
    }
}

/// The same problem, with the path of its field in the request.
pub(super) fn in_proof(mut problem: Problem) -> Problem {
    problem.field = problem.field.map(|field| format!("proof.{field}"));
    problem
}
