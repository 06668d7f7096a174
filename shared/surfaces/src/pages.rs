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
mod sitemap;
mod standing;
mod status;
mod tools;
mod when;

use crate::documents::AnyDocument;

pub use home::routes;
pub(crate) use sitemap::SITEMAP;

pub(crate) use check::refused_check;
pub use problem_page::with_problem_pages;
pub(crate) use problem_page::{accepts_html, problem_page, refused_form};

pub static PAGES: &[&AnyDocument] = &[
    &legal::ABOUT,
    &board::BOARD,
    &check::CHECK,
    &check::CHECK_REPORT,
    &for_agents::FOR_AGENTS,
    &home::HOME,
    &listing::LISTING,
    &network::NETWORK,
    &legal::PRIVACY,
    &products::PRODUCTS,
    &prove::PROVE,
    &SITEMAP,
    &status::STATUS,
    &legal::TERMS,
    &tools::TOOLS,
];

/// Their names change with their content.
pub static ASSETS: &[&AnyDocument] = &[&assets::ICON, &assets::SCRIPT, &assets::STYLE_SHEET];
