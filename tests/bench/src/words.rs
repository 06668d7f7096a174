//! The texts of the listings in benchmarks. The cost of search depends on the words. If `SEARCH_COLLECTION`
//! names a collection of real listings, the texts come from these listings. Otherwise the texts are generated
//! and similar to each other.

use std::path::Path;

use registry::model::{Skill, Tool};
use serde_json::Value;

/// Rows of the collection, used in turn; empty for generated texts.
#[derive(Debug, Default)]
pub(crate) struct Words(Vec<Value>);

/// The texts of one listing.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) skills: Vec<Skill>,
    pub(crate) tools: Vec<Tool>,
}

impl Words {
    /// The texts of the collection in the folder `SEARCH_COLLECTION`, or generated texts if it is not set.
    pub(crate) fn real() -> Self {
        let folder = std::env::var_os("SEARCH_COLLECTION");
        let text =
            folder.and_then(|folder| std::fs::read_to_string(Path::new(&folder).join("listings.jsonl")).ok());
        let text = text.unwrap_or_default();
        Self(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }

    /// The source of the texts, for the report.
    pub(crate) fn source(&self) -> String {
        match self.0.len() {
            0 => "generated (SEARCH_COLLECTION is not set)".to_owned(),
            count => format!("of {count} real listings, in turn"),
        }
    }

    /// The texts of listing `n`, as an agent or as a server.
    pub(crate) fn of(&self, n: usize, agent: bool) -> Texts {
        match self.0.get(n % self.0.len().max(1)) {
            Some(row) => real(row, n, self.0.len(), agent),
            None => generated(n, agent),
        }
    }
}

fn real(row: &Value, n: usize, rows: usize, agent: bool) -> Texts {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let tools: Vec<Tool> = row["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|tool| Tool {
            name: text(&tool["name"]),
            description: text(&tool["description"]),
            ..Tool::default()
        })
        .collect();
    let tags: Vec<String> = row["tags"].as_array().into_iter().flatten().map(text).collect();
    let name = text(&row["name"]);
    let skill = |tool: Tool| Skill {
        id: tool.name.clone(),
        name: tool.name,
        description: tool.description,
        tags: tags.clone(),
    };
    Texts {
        name: if n < rows { name } else { format!("{name} {n}") },
        description: text(&row["description"]),
        skills: if agent { tools.iter().cloned().map(skill).collect() } else { Vec::new() },
        tools: if agent { Vec::new() } else { tools },
    }
}

fn generated(n: usize, agent: bool) -> Texts {
    let description = "Reads tables and reports, answers questions about the figures in them, and tells the cell \
                       that each answer was taken from.";
    let skill = |id: &str| Skill {
        id: id.to_owned(),
        name: format!("Tables: {id}"),
        description: format!("{description} This is the part that does {id}."),
        tags: vec!["tables".to_owned(), id.to_owned()],
    };
    let tool =
        |name: &str| Tool { name: name.to_owned(), description: description.to_owned(), ..Tool::default() };
    Texts {
        name: format!("Table reader {n}"),
        description: description.to_owned(),
        skills: if agent { ["sum", "compare", "explain"].map(skill).to_vec() } else { Vec::new() },
        tools: if agent { Vec::new() } else { ["read", "sum", "compare", "explain"].map(tool).to_vec() },
    }
}
