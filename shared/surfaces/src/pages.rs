//! HTML pages, rendered on the server with one style sheet and one script. The pages also work without the
//! script. Each page is a `Document`, so that it is cached and served like the other documents.

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

pub static ABOUT: AnyDocument = AnyDocument::of::<legal::About>();
pub static BOARD: AnyDocument = AnyDocument::of::<board::Board>();
pub static CHECK: AnyDocument = AnyDocument::of::<check::CheckPage>();
pub static CHECK_REPORT: AnyDocument = AnyDocument::of::<check::ReportPage>();
pub static FOR_AGENTS: AnyDocument = AnyDocument::of::<for_agents::ForAgents>();
pub static HOME: AnyDocument = AnyDocument::of::<home::Home>();
pub static ICON: AnyDocument = AnyDocument::of::<assets::Icon>();
pub static LISTING: AnyDocument = AnyDocument::of::<listing::ListingPage>();
pub static NETWORK: AnyDocument = AnyDocument::of::<network::Network>();
pub static PRIVACY: AnyDocument = AnyDocument::of::<legal::Privacy>();
pub static PRODUCTS: AnyDocument = AnyDocument::of::<products::Products>();
pub static PROVE: AnyDocument = AnyDocument::of::<prove::Prove>();
pub static SCRIPT: AnyDocument = AnyDocument::of::<assets::Script>();
pub static SITEMAP: AnyDocument = AnyDocument::of::<sitemap::Sitemap>();
pub static STATUS: AnyDocument = AnyDocument::of::<status::Status>();
pub static TERMS: AnyDocument = AnyDocument::of::<legal::Terms>();
pub static TOOLS: AnyDocument = AnyDocument::of::<tools::ToolsPage>();
pub static STYLE_SHEET: AnyDocument = AnyDocument::of::<assets::StyleSheet>();
