//! Lists the collections of servers, or returns the rules of one.

use crate::prelude::*;
use crate::trust::collection_rules;
use registry_model::Collection;

pub struct Collections;

/// The collection.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The name of a collection, such as `com.example.approved`. Default: all, at most 200.
    #[schemars(length(max = 100))]
    name: Option<String>,
}

/// Collections with their rules.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// By name.
    collections: Vec<ShownCollection>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ShownCollection {
    #[serde(flatten)]
    collection: Collection,
    /// The URL that clients use as the base URL of a registry.
    registry_url: String,
}

impl Operation for Collections {
    const NAME: &'static str = "collections";
    const TITLE: &'static str = "Collections of servers";
    const VERSION: Option<&'static str> = Some(crate::trust::VERSION);
    const DESCRIPTION: &'static str = "Lists the published collections of MCP servers, or returns one by name. A collection is a \
        selection of servers, for example an allow list. Returns the rules of each collection, its owner, and the URL that \
        clients use as the base URL of a registry.";
    const PHRASES: &'static [&'static str] = &["show the collections of servers", "which collections exist?"];
    const EFFECT: Effect = Effect::READS;
    const SUMMARY: &'static [&'static str] =
        &["Collections: {collections#}.", r#"[collections]{name} | ("{title}") | at {registry_url}"#];
    const ROUTES: &'static [Route] = &[Route::get("/api/collections").cached_for(30)];
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, _: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let found = match arguments.name.as_deref().filter(|name| !name.is_empty()) {
            None => app.store.collections().await?,
            Some(name) => {
                let found = app.store.collection(name).await?;
                vec![found.ok_or_else(|| collection_rules::not_found(name))?]
            }
        };
        let shown = |collection: Collection| ShownCollection {
            registry_url: app.settings.url(&format!("/r/{}", collection.name)),
            collection,
        };
        Ok(Answer { collections: found.into_iter().map(shown).collect() })
    }
}
