//! The documents that lead to everything else: the discovery map, the guides for agents and their skills, and what
//! crawlers read first. They stand above the other documents and the pages, because they list them all.

mod agent_skills;
mod agentmap;
mod ai_text;
mod api_catalog;
mod arguments;
mod call;
mod contents;
mod limits;
mod llms;
mod llms_full;
mod map;
mod robots;
mod skill_file;
mod skill_json;
mod skills;
mod steps;
mod surfaces;
mod table;

pub use contents::{Entry, OPENAPI, everything};
pub use skills::skill_files;
pub use table::*;
