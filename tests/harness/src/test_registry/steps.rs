//! Steps that many tests take before the one that they test, and reads that they make after it.

use std::net::IpAddr;

use registry::model::{Listing, ListingId};
use serde_json::{Value, json};

use super::{Reply, TestRegistry};

impl TestRegistry {
    /// From now on, requests come from this address of the machine.
    #[must_use]
    pub fn called_from(self, address: IpAddr) -> Self {
        Self { http: super::client_from(address), ..self }
    }

    /// Takes the demo of a listing; returns the answer.
    pub async fn demo(&self, id: &ListingId) -> Value {
        self.post("/api/products/demo", &json!({ "listing_id": id })).await.ok()
    }

    pub async fn feedback(&self, body: &Value) -> Reply {
        self.post("/api/products/feedback", body).await
    }

    /// Takes the demo of a listing and sends feedback that is no draft; returns the answer with the reward.
    pub async fn complete(&self, id: &ListingId) -> Value {
        let mut feedback = self.draft(id).await;
        feedback["answers"]["overall"] = json!("We keep AGENTS.md.");
        self.feedback(&feedback).await.ok()
    }

    /// Opens the product of an access token.
    pub async fn access(&self, token: &Value) -> Reply {
        let token = token.as_str().unwrap_or_else(|| panic!("{token} is no token"));
        self.get(&format!("/api/products/access?token={token}")).await
    }

    /// A document as it is when the replicas have caught up.
    pub async fn settled(&self, path: &str) -> Value {
        self.settle();
        self.get(path).await.ok()
    }

    /// The first row of the active list; `kind` is `agents` or `mcps`.
    pub async fn first_row(&self, kind: &str) -> Value {
        self.settled("/api/listings/active").await[kind][0].clone()
    }

    pub async fn stored(&self, id: &ListingId) -> Listing {
        self.app.store.listing(id).await.unwrap().unwrap()
    }

    /// Restores a withdrawn listing, which must go Live again.
    pub async fn restore_to_live(&self, id: &ListingId) {
        self.restore(id).await;
        self.deliver_to_live(id).await;
    }

    /// The problem with which a tool refuses these arguments; `None` if it accepts them.
    pub async fn tool_problem(&self, tool: &str, arguments: &Value) -> Option<Value> {
        let result = self.tool_result(tool, arguments).await;
        (result["isError"] == true).then(|| result["structuredContent"].clone())
    }

    /// The code of the problem with which a tool refuses these arguments.
    pub async fn refused_code(&self, tool: &str, arguments: &Value) -> Value {
        self.refused_tool(tool, arguments).await["code"].clone()
    }

    /// The path of a URL of this registry.
    #[must_use]
    pub fn path_of(&self, url: &Value) -> String {
        let path = url.as_str().and_then(|url| url.strip_prefix(&self.url("")));
        path.unwrap_or_else(|| panic!("{url} is not at this registry")).to_owned()
    }

    /// Sends the call of a next step; returns the reply.
    pub async fn follow(&self, step: &Value) -> Reply {
        let path = self.path_of(&step["url"]);
        if step["body"].is_null() { self.get(&path).await } else { self.post(&path, &step["body"]).await }
    }
}
