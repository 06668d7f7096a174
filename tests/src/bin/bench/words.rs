//! What the seeded listings say of themselves. Where the collection of real listings is at hand they say what real ones
//! say, since the cost of search lies in the words; else all of them read tables.

use std::path::PathBuf;

use registry::model::{Skill, Tool};
use serde_json::Value;

/// What listings say, in turn.
#[derive(Debug, Default)]
pub(crate) struct Words(Vec<Value>);

/// What one listing says.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) skills: Vec<Skill>,
    pub(crate) tools: Vec<Tool>,
}

impl Words {
    /// The words of the collection that `SEARCH_COLLECTION` names, or that lies beside this project.
    pub(crate) fn real() -> Self {
        let folder = std::env::var_os("SEARCH_COLLECTION").map_or_else(
            || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/search"),
            PathBuf::from,
        );
        let text = std::fs::read_to_string(folder.join("listings.jsonl")).unwrap_or_default();
        Self(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }

    /// Where they come from, in words.
    pub(crate) fn source(&self) -> String {
        match self.0.len() {
            0 => "made up, all alike".to_owned(),
            count => format!("of {count} real listings, in turn"),
        }
    }

    /// What listing `n` says, as an agent or as a server.
    pub(crate) fn of(&self, n: usize, agent: bool) -> Said {
        match self.0.get(n % self.0.len().max(1)) {
            Some(row) => real(row, n, self.0.len(), agent),
            None => made_up(n, agent),
        }
    }
}

fn real(row: &Value, n: usize, rows: usize, agent: bool) -> Said {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let tools: Vec<Tool> = row["tools"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|tool| Tool { name: text(&tool["name"]), description: text(&tool["description"]) })
        .collect();
    let tags: Vec<String> = row["tags"].as_array().into_iter().flatten().map(text).collect();
    let name = text(&row["name"]);
    let skill = |tool: Tool| Skill {
        id: tool.name.clone(),
        name: tool.name,
        description: tool.description,
        tags: tags.clone(),
    };
    Said {
        name: if n < rows { name } else { format!("{name} {n}") },
        description: text(&row["description"]),
        skills: if agent { tools.iter().cloned().map(skill).collect() } else { Vec::new() },
        tools: if agent { Vec::new() } else { tools },
    }
}

fn made_up(n: usize, agent: bool) -> Said {
    let description = "Reads tables and reports, answers questions about the figures in them, and tells the cell \
                       that each answer was taken from.";
    let skill = |id: &str| Skill {
        id: id.to_owned(),
        name: format!("Tables: {id}"),
        description: format!("{description} This is the part that does {id}."),
        tags: vec!["tables".to_owned(), id.to_owned()],
    };
    let tool = |name: &str| Tool { name: name.to_owned(), description: description.to_owned() };
    Said {
        name: format!("Table reader {n}"),
        description: description.to_owned(),
        skills: if agent { ["sum", "compare", "explain"].map(skill).to_vec() } else { Vec::new() },
        tools: if agent { Vec::new() } else { ["read", "sum", "compare", "explain"].map(tool).to_vec() },
    }
}
