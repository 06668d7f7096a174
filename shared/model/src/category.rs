//! The category of a listing. It is chosen by the words in the name and the texts of the listing
//! (`specification.md#categories`). The same words always give the same category. Some categories of the
//! table come from other directories.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Kind;
use super::error::{Code, Problem};

/// The id of a category.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Category(String);

struct Shelf {
    kind: Kind,
    id: &'static str,
    label: &'static str,
    keywords: Vec<&'static str>,
}

static SHELVES: LazyLock<Vec<Shelf>> = LazyLock::new(|| {
    let lines = include_str!("categories.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(read_shelf).collect()
});

fn read_shelf(line: &'static str) -> Option<Shelf> {
    let mut columns = line.split('\t');
    let kind = columns.next()?;
    Some(Shelf {
        kind: Kind::named(kind)?,
        id: columns.next()?,
        label: columns.next()?,
        keywords: columns.next()?.split(' ').collect(),
    })
}

const OTHER: (&str, &str) = ("other", "Other");

/// For listings without a better match.
impl Default for Category {
    fn default() -> Self {
        Self(OTHER.0.to_owned())
    }
}

impl Category {
    /// The category that most of the words select; a word in the name counts twice.
    pub fn of(kind: Kind, name: &str, texts: &[&str]) -> Self {
        let name = words(name);
        let rest: Vec<String> = texts.iter().flat_map(|text| words(text)).take(2000).collect();
        let mut best = (0, OTHER.0);
        for Shelf { id, keywords, .. } in SHELVES.iter().filter(|shelf| shelf.kind == kind) {
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
        SHELVES.iter().map(|shelf| shelf.id).chain([OTHER.0]).map(|id| Self(id.to_owned()))
    }

    pub fn by_id(id: &str) -> Option<Self> {
        Self::all().find(|category| category.id() == id)
    }

    /// # Errors
    /// 422 for an unknown id; the text contains the ids.
    pub fn parse(id: &str) -> Result<Self, Problem> {
        Self::by_id(id).ok_or_else(|| {
            let known: Vec<String> = Self::all().map(|category| category.0).collect();
            let detail = format!("Unknown category. Use one of: {}.", known.join(", "));
            Problem::invalid("category", Code::UnknownCategory, detail)
        })
    }

    pub fn id(&self) -> &str {
        &self.0
    }

    pub fn label(&self) -> &'static str {
        SHELVES.iter().find(|shelf| shelf.id == self.0).map_or(OTHER.1, |shelf| shelf.label)
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
        assert_eq!(Category::default().label(), "Other");
        assert_eq!(Category::by_id("data-storage").unwrap().label(), "Data & storage");
        assert_eq!(Category::by_id("nonsense"), None);
        assert_eq!(SHELVES.len(), 20, "a row of the table is not readable");
        let labels: Vec<&str> = Category::all().map(|category| category.label()).collect();
        assert_eq!(labels.iter().filter(|label| **label == "Other").count(), 1, "{labels:?}");
    }
}
