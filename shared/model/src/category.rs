//! The category of a listing. It is chosen by the words in the name and the texts of the listing
//! (`specification.md#categories`). The same words always give the same category. Some categories of the
//! table come from other directories.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Kind;

/// The id of a category.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Category(String);

/// Id, label, and the words (or starts of words) that select the category; the earlier one wins a tie.
type Shelf = (&'static str, &'static str, &'static [&'static str]);

const AGENT_SHELVES: [Shelf; 9] = [
    (
        "coding-engineering",
        "Coding & engineering",
        &["code", "coding", "program", "developer", "software", "git", "debug", "devops", "sql"],
    ),
    (
        "research-analysis",
        "Research & analysis",
        &["research", "paper", "literature", "investigat", "scientific", "fact-check", "summar"],
    ),
    (
        "data-analytics",
        "Data & analytics",
        &["analytics", "data", "dataset", "dashboard", "statistic", "forecast", "metric", "chart"],
    ),
    ("customer-support", "Customer support", &["support", "helpdesk", "customer", "ticket", "faq"]),
    (
        "sales-growth",
        "Sales & growth",
        &["sales", "marketing", "lead", "growth", "seo", "crm", "outreach", "advert"],
    ),
    (
        "creative-content",
        "Creative & content",
        &["creative", "content", "image", "video", "music", "story", "design", "writing", "copywrit"],
    ),
    (
        "ops-automation",
        "Operations & automation",
        &["automat", "workflow", "operations", "monitor", "schedule", "reimburs", "invoice", "procure"],
    ),
    (
        "personal-assistant",
        "Personal assistant",
        &["assistant", "calendar", "email", "travel", "booking", "flight", "hotel", "reminder"],
    ),
    (
        "multi-agent",
        "Multi-agent",
        &["orchestrat", "multi-agent", "multiagent", "swarm", "planner", "coordinat", "registry"],
    ),
];

const MCP_SHELVES: [Shelf; 11] = [
    (
        "code-devtools",
        "Code & developer tools",
        &[
            "code",
            "git",
            "github",
            "gitlab",
            "developer",
            "debug",
            "ide",
            "repository",
            "ci/cd",
            "compiler",
            "lint",
        ],
    ),
    (
        "data-storage",
        "Data & storage",
        &[
            "database",
            "sql",
            "postgres",
            "mysql",
            "sqlite",
            "mongodb",
            "redis",
            "storage",
            "bucket",
            "vector",
            "warehouse",
            "data",
        ],
    ),
    ("search-retrieval", "Search & retrieval", &["search", "retriev", "rag", "index", "crawl", "fetch"]),
    ("browser-web", "Browser & web", &["browser", "web", "scrap", "playwright", "puppeteer", "html"]),
    (
        "communication",
        "Communication",
        &["slack", "email", "chat", "message", "discord", "telegram", "sms", "whatsapp"],
    ),
    (
        "finance-commerce",
        "Finance & commerce",
        &["finance", "payment", "stock", "crypto", "trading", "invoice", "shop", "commerce", "bank", "price"],
    ),
    (
        "productivity",
        "Productivity",
        &["notion", "calendar", "task", "todo", "document", "spreadsheet", "note", "project", "crm", "jira"],
    ),
    (
        "media-creative",
        "Media & creative",
        &["image", "video", "audio", "music", "design", "figma", "photo", "speech"],
    ),
    (
        "security-identity",
        "Security & identity",
        &["security", "vulnerab", "identity", "auth", "secret", "threat", "malware"],
    ),
    (
        "infra-cloud",
        "Infrastructure & cloud",
        &[
            "aws",
            "azure",
            "cloud",
            "kubernetes",
            "docker",
            "terraform",
            "infrastructure",
            "monitor",
            "observab",
        ],
    ),
    (
        "research-knowledge",
        "Research & knowledge",
        &["research", "arxiv", "paper", "knowledge", "wikipedia", "science", "academic", "memory"],
    ),
];

const OTHER: (&str, &str) = ("other", "Other");

impl Category {
    /// For listings without a better match.
    pub fn other() -> Self {
        Self(OTHER.0.to_owned())
    }

    /// The category that most of the words select; a word in the name counts twice.
    pub fn of(kind: Kind, name: &str, texts: &[&str]) -> Self {
        let shelves: &[Shelf] = match kind {
            Kind::Agent => &AGENT_SHELVES,
            Kind::Mcp => &MCP_SHELVES,
        };
        let name = words(name);
        let rest: Vec<String> = texts.iter().flat_map(|text| words(text)).take(2000).collect();
        let mut best = (0, OTHER.0);
        for (id, _, keywords) in shelves {
            let count = |words: &[String]| {
                words.iter().filter(|word| keywords.iter().any(|keyword| matches(keyword, word))).count()
            };
            let points = 2 * count(&name) + count(&rest);
            if points > best.0 {
                best = (points, id);
            }
        }
        Self(best.1.to_owned())
    }

    /// The categories of agents, then those of MCP servers, then `other`.
    pub fn all() -> impl Iterator<Item = Self> {
        let shelves = AGENT_SHELVES.iter().chain(&MCP_SHELVES).map(|(id, ..)| *id);
        shelves.chain([OTHER.0]).map(|id| Self(id.to_owned()))
    }

    pub fn by_id(id: &str) -> Option<Self> {
        Self::all().find(|category| category.id() == id)
    }

    pub fn id(&self) -> &str {
        &self.0
    }

    pub fn label(&self) -> &'static str {
        AGENT_SHELVES
            .iter()
            .chain(&MCP_SHELVES)
            .find(|(id, ..)| *id == self.0)
            .map_or(OTHER.1, |(_, label, _)| label)
    }
}

/// Short keywords must equal the whole word ("git", "ide"); long ones may be its beginning ("automat" for
/// "automation").
fn matches(keyword: &str, word: &str) -> bool {
    if keyword.len() <= 4 {
        word.trim_end_matches('s') == keyword.trim_end_matches('s')
    } else {
        word.starts_with(keyword)
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '-' || c == '/'))
        .flat_map(|word| word.split('/'))
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_select_a_category() {
        let mcp = |text| Category::of(Kind::Mcp, "", &[text]).id().to_owned();
        assert_eq!(mcp("Query PostgreSQL databases with SQL"), "data-storage");
        assert_eq!(mcp("Guidelines for living well"), "other");
        assert_eq!(mcp("Browse the web with Playwright"), "browser-web");
        let agent = |text| Category::of(Kind::Agent, "", &[text]).id().to_owned();
        assert_eq!(agent("Writes and debugs software"), "coding-engineering");
        assert_eq!(agent("Plans a hotel booking"), "personal-assistant");
    }

    #[test]
    fn every_category_has_a_label() {
        assert_eq!(Category::other().label(), "Other");
        assert_eq!(Category::by_id("data-storage").unwrap().label(), "Data & storage");
        assert_eq!(Category::by_id("nonsense"), None);
        let labels: Vec<&str> = Category::all().map(|category| category.label()).collect();
        assert_eq!(labels.iter().filter(|label| **label == "Other").count(), 1, "{labels:?}");
    }
}
