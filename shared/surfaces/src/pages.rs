//! What people read: pages rendered whole on the server from the settings and the table, with one style sheet and one
//! script that they also work without. Each is a document, so that it is cached and served as the others are.

mod ability_rows;
mod assets;
mod board;
mod chart;
mod exchange;
mod for_agents;
mod frame;
mod history;
mod home;
mod listing;
mod problem_page;
mod products;
mod proof_days;
mod publish_form;
mod rows;
mod sitemap;
mod snippets;
mod standing;
mod status;
mod table;
mod when;

pub use problem_page::with_problem_pages;
pub use publish_form::refused_form;
pub use table::*;
