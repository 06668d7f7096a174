//! HTML pages, rendered on the server with one style sheet and one script. The pages also work without the
//! script. Each page is a document, so that it is cached and served like the other documents.

mod assets;
mod board;
mod chart;
mod check;
mod command;
mod exchange;
mod for_agents;
mod frame;
mod history;
mod home;
mod legal;
mod listing;
mod network;
mod problem_page;
mod products;
mod proof_days;
mod prove;
mod rows;
mod score_rows;
mod sitemap;
mod standing;
mod status;
mod tools;
mod when;

use crate::documents::AnyDocument;

// One item each, so that a function contains only what it serves.
pub use assets::{ICON, SCRIPT, STYLE_SHEET};
pub use board::BOARD;
pub use check::{CHECK, CHECK_REPORT};
pub use for_agents::FOR_AGENTS;
pub use home::HOME;
pub use legal::{ABOUT, PRIVACY, TERMS};
pub use listing::LISTING;
pub use network::NETWORK;
pub use products::PRODUCTS;
pub use prove::PROVE;
pub use sitemap::SITEMAP;
pub use status::STATUS;
pub use tools::TOOLS;

pub use check::refused_check;
pub use problem_page::{accepts_html, problem_page, refused_form, with_problem_pages};

pub static PAGES: &[&AnyDocument] = &[
    &ABOUT,
    &BOARD,
    &CHECK,
    &CHECK_REPORT,
    &FOR_AGENTS,
    &HOME,
    &LISTING,
    &NETWORK,
    &PRIVACY,
    &PRODUCTS,
    &PROVE,
    &SITEMAP,
    &STATUS,
    &TERMS,
    &TOOLS,
];

/// Their names change with their content.
pub static ASSETS: &[&AnyDocument] = &[&ICON, &SCRIPT, &STYLE_SHEET];
