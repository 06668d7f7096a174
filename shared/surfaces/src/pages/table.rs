//! The one table of all pages, and of what they load. The function serves from it, and tests compare it with the
//! template.

#![expect(missing_docs, reason = "a page is documented where it is written")]

use crate::documents::AnyDocument;

pub static PAGES: &[&AnyDocument] = &[&BOARD, &FOR_AGENTS, &HOME, &LISTING, &PRODUCTS, &SITEMAP, &STATUS];

/// Their names change with their content.
pub static ASSETS: &[&AnyDocument] = &[&ICON, &SCRIPT, &STYLE_SHEET];

pub static BOARD: AnyDocument = AnyDocument::of::<super::board::Board>();
pub static FOR_AGENTS: AnyDocument = AnyDocument::of::<super::for_agents::ForAgents>();
pub static HOME: AnyDocument = AnyDocument::of::<super::home::Home>();
pub static ICON: AnyDocument = AnyDocument::of::<super::assets::Icon>();
pub static LISTING: AnyDocument = AnyDocument::of::<super::listing::ListingPage>();
pub static PRODUCTS: AnyDocument = AnyDocument::of::<super::products::Products>();
pub static SCRIPT: AnyDocument = AnyDocument::of::<super::assets::Script>();
pub static SITEMAP: AnyDocument = AnyDocument::of::<super::sitemap::Sitemap>();
pub static STATUS: AnyDocument = AnyDocument::of::<super::status::Status>();
pub static STYLE_SHEET: AnyDocument = AnyDocument::of::<super::assets::StyleSheet>();
