//! Publishes a named selection of MCP servers, which clients read as a registry of its own. The operator may use any name;
//! the owner of a domain, names that begin with the reversed domain.

use schemars::{Schema, SchemaGenerator, json_schema};

use crate::operation::operator_token;
use crate::prelude::*;
use crate::trust::collection_rules::{self, CollectionOwner, MAX_AGE_HOURS, MAX_NAME_CHARS, MAX_SERVERS};
use crate::trust::ownership::{self, ShownChallenge, SignedChallenge, Way};
use registry_model::{Access, Collection, CollectionRules, sha256_hex};

pub struct PublishCollection;

/// The collection, and the signed challenge.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("anyOf" = argument_schema::together(&["nonce", "signature"])))]
pub struct Arguments {
    /// The name: the reversed domain and a word, such as `com.example.approved`. Names without a dot are the operator's.
    #[schemars(extend("format" = "collection-name"), length(min = 1, max = MAX_NAME_CHARS))]
    name: String,
    /// A title for people. Default: the name.
    #[schemars(extend("format" = "display-name"), length(min = 1, max = 100))]
    title: Option<String>,
    /// What the servers have in common.
    #[schemars(extend("format" = "public-text"), length(min = 1, max = 500))]
    description: Option<String>,
    #[serde(default)]
    #[schemars(schema_with = "servers_schema")]
    servers: Option<Vec<String>>,
    /// A search text. The collection contains its best 100 hits.
    #[schemars(extend("format" = "public-text"), length(min = 1, max = 1000))]
    q: Option<String>,
    /// The id of a category.
    #[schemars(extend("format" = "category-id"))]
    category: Option<String>,
    /// How the servers can be used. Default: `open`.
    access: Option<Access>,
    /// Only servers whose names are proven. Default: false.
    proven_names: Option<bool>,
    /// Only servers whose last proof is at most so many hours old.
    #[schemars(range(min = 1, max = MAX_AGE_HOURS))]
    max_age_hours: Option<u32>,
    /// Removes the collection instead. Default: false.
    remove: Option<bool>,
    /// The nonce of the challenge that you signed. Send it together with `signature`.
    nonce: Option<String>,
    /// The signature of the challenge's text, in hexadecimal or base64.
    #[schemars(extend("format" = "signature"))]
    signature: Option<String>,
}

fn servers_schema(_: &mut SchemaGenerator) -> Schema {
    let name = json!({ "type": "string", "format": "server-name", "minLength": 1, "maxLength": 200 });
    json_schema!({
        "type": ["array", "null"],
        "description": "Names as in `/v0.1/servers`, or ids. Default: all that match the other rules.",
        "minItems": 1, "maxItems": MAX_SERVERS,
        "items": name,
    })
}

/// The published collection, or the challenge to sign.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The collection as it is published now. Null if it was removed, or if you must sign the challenge first.
    collection: Option<Collection>,
    /// Whether the call published or removed the collection.
    done: bool,
    /// The URL that clients use as the base URL of a registry. Null if `collection` is null.
    registry_url: Option<String>,
    /// The challenge to sign. Null if you sent a signature, or are the operator.
    challenge: Option<ShownChallenge>,
    /// The places where the domain can publish a key. One place is enough.
    ways: Vec<Way>,
    note: &'static str,
}

impl Operation for PublishCollection {
    const NAME: &'static str = "publish_collection";
    const TITLE: &'static str = "Publish a collection of servers";
    const VERSION: Option<&'static str> = Some(crate::trust::VERSION);
    const DESCRIPTION: &'static str = "Publishes a named selection of MCP servers that clients use as a registry of its own, for \
        example an allow list. Pass name and rules. The owner of a domain signs the returned challenge, then calls it again \
        with nonce and signature. Returns the collection and its URL.";
    const PHRASES: &'static [&'static str] = &["publish a collection of servers"];
    const EFFECT: Effect = Effect { idempotent: true, open_world: true, destructive: true, ..Effect::WRITES };
    const EXAMPLE: &'static str = r#"{"name": "com.example.approved", "title": "Approved servers", "servers": ["org.example/adder"], "max_age_hours": 48}"#;
    const SUMMARY: &'static [&'static str] = &[
        "{note}",
        "The collection {collection.name} is at {registry_url} .",
        "The challenge to sign is: {challenge.text} {challenge.how}",
    ];
    const ROUTES: &'static [Route] = &[Route::post_as("/api/collections", Ok)];
    const REFUSALS: &'static [ErrorKind] =
        &[ErrorKind::Unauthenticated, ErrorKind::Forbidden, ErrorKind::NotFound, ErrorKind::Conflict];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let removes = arguments.remove == Some(true);
        let owner = CollectionOwner::of(&arguments.name)?;
        if arguments.servers.as_ref().is_some_and(Vec::is_empty) {
            let detail = "`servers` is empty. For all servers that match the other rules, leave it out.";
            return Err(Problem::invalid("servers", Code::NoServers, detail));
        }
        let (nonce, signature) = (arguments.nonce.clone(), arguments.signature.clone());
        let collection = collection(app, arguments, &owner);
        let mut collection = collection_rules::checked(collection)?;
        if removes && app.store.collection(&collection.name).await?.is_none() {
            return Err(collection_rules::not_found(&collection.name));
        }
        let mut answer = Answer {
            collection: None,
            done: false,
            registry_url: None,
            challenge: None,
            ways: Vec::new(),
            note: "Sign the challenge, and send the same call with `nonce` and `signature`.",
        };
        let mut domain = None;
        match owner {
            CollectionOwner::Operator => operator_token::require(app, caller)?,
            // No key of the domain signed it.
            CollectionOwner::Domain(..) if operator_token::is_sent(app, caller) => collection.owner = None,
            CollectionOwner::Domain(host, domains) => {
                let act = act(&collection, removes)?;
                let Some(offered) = SignedChallenge::parse(nonce.as_deref(), signature.as_deref(), None)?
                else {
                    answer.ways = domains.ways(app, None);
                    answer.challenge = Some(ownership::challenge(app, caller, &act).await?);
                    return Ok(answer);
                };
                ownership::prove_one_of(app, caller, &[domains], &act, &offered).await?;
                domain = Some(host);
            }
        }
        answer.done = true;
        if removes {
            app.store.remove_collection(&collection.name).await?;
            answer.note = "Removed. Its URL now returns 404.";
        } else {
            match domain {
                Some(host) => collection_rules::publish(app, &host, &collection).await?,
                None => app.store.put_collection(&collection).await?,
            }
            answer.note = "Published. Clients use `registry_url` as the base URL of a registry.";
            answer.registry_url = Some(app.settings.url(&format!("/r/{}", collection.name)));
            answer.collection = Some(collection);
        }
        Ok(answer)
    }
}

fn collection(app: &App, arguments: Arguments, owner: &CollectionOwner) -> Collection {
    Collection {
        title: arguments.title.unwrap_or_else(|| arguments.name.clone()),
        name: arguments.name,
        description: arguments.description,
        owner: match owner {
            CollectionOwner::Operator => None,
            CollectionOwner::Domain(host, _) => Some(host.clone()),
        },
        rules: CollectionRules {
            servers: arguments.servers.unwrap_or_default(),
            q: arguments.q,
            category: arguments.category.filter(|category| !category.is_empty()),
            access: arguments.access.unwrap_or(Access::Open),
            proven_names: arguments.proven_names == Some(true),
            max_age_hours: arguments.max_age_hours,
        },
        updated_at: app.clock.now(),
    }
}

/// What the owner signs. It contains the rules, so that a signature for one collection is not valid for another.
fn act(collection: &Collection, removes: bool) -> Result<String, Problem> {
    let name = &collection.name;
    if removes {
        return Ok(format!("remove collection {name}"));
    }
    let texts = (&collection.title, &collection.description, &collection.rules);
    let text = serde_json::to_string(&texts).map_err(Problem::fault)?;
    Ok(format!("publish collection {name} {}", sha256_hex(text)))
}
