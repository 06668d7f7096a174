//! `/products`: what is sold, for how much, which files are in it, the founding seats that give it away, and when payments
//! open. The files are those that the products really have, for an example.

use askama::Template;
use bytes::Bytes;

use super::frame::{self, Frame, Section, html};
use super::snippets::{self, Command};
use crate::documents::{Document, DocumentRequest, NoQuery};
use registry_app::App;
use registry_domain::funnel::{self, Deal, Unlock};
use registry_domain::views::ProductEntry;
use registry_model::cache::CacheValidator;
use registry_model::error::Problem;
use registry_model::settings::Settings;
use registry_model::{Kind, Sku, Tool};
use registry_operations::{LEAVE_FEEDBACK, PREVIEW_PRODUCT, TAKE_DEMO};
use registry_products::Profile;

#[derive(Debug)]
pub(super) struct Products;

#[derive(Template)]
#[template(path = "products.html")]
struct Page<'a> {
    frame: Frame<'a>,
    deal: Deal,
    unlock: Unlock,
    products: Vec<Product>,
    demo: Command,
    feedback: Command,
    preview: Command,
}

struct Product {
    entry: ProductEntry,
    made_for: &'static str,
    /// Paths, and whether the demo contains the whole file.
    files: Vec<(String, bool)>,
}

impl Product {
    fn of(sku: Sku, settings: &Settings) -> Self {
        let (example, made_for) = match sku {
            Sku::McpMesh => (example_server(), "MCP servers"),
            Sku::Kernel | Sku::Recursive | Sku::Alive => (example_agent(), "agents"),
        };
        let shown = registry_products::sample(sku, &example, settings);
        let files = registry_products::tree(sku, &example, settings).into_iter();
        let files = files.map(|file| (file.path.clone(), shown.contains(&file)));
        Self { entry: ProductEntry::of(sku), made_for, files: files.collect() }
    }
}

fn example_agent() -> Profile {
    Profile::unlisted(Kind::Agent, "Example agent", Some("Plans trips and books them."), Vec::new())
}

fn example_server() -> Profile {
    let tool =
        Tool { name: "forecast".to_owned(), description: "The weather of a place and a day.".to_owned() };
    let said = Profile::unlisted(Kind::Mcp, "Example server", Some("Tells the weather."), vec![tool]);
    Profile { endpoint: Some("https://mcp.example.com/mcp".to_owned()), ..said }
}

impl Document for Products {
    const PATHS: &'static [&'static str] = &["/products"];
    const SUMMARY: &'static str =
        "The products, for people: what each costs and holds, and the founding seats that give it away.";
    const MEDIA_TYPE: &'static str = frame::MEDIA_TYPE;
    const MAX_AGE_S: Option<u32> = Some(60);
    const HEADERS: &'static [(&'static str, &'static str)] = frame::HEADERS;
    const SHOWS_LIVE: bool = true;
    type Query = NoQuery;
    type Answer = String;

    fn cache_validator(
        _: &App,
        request: &DocumentRequest<NoQuery>,
    ) -> Result<Option<CacheValidator>, Problem> {
        Ok(Some(CacheValidator::weak(&format!("products/{:?}", request.live.funnel))))
    }

    async fn render(app: &App, request: &DocumentRequest<NoQuery>) -> Result<Bytes, Problem> {
        let (settings, funnel) = (&app.settings, request.live.funnel);
        let description = format!(
            "Four products, made from what a listing says and proved. {}",
            funnel::deal(settings, funnel.seats_claimed).one_liner
        );
        html(&Page {
            frame: Frame::of(settings, Section::Products, "/products", "Products", description),
            deal: funnel::deal(settings, funnel.seats_claimed),
            unlock: funnel::unlock(settings, &funnel),
            products: Sku::ALL.map(|sku| Product::of(sku, settings)).into(),
            demo: snippets::curl(settings, TAKE_DEMO.described),
            feedback: snippets::curl(settings, LEAVE_FEEDBACK.described),
            preview: snippets::curl(settings, PREVIEW_PRODUCT.described),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use registry_model::settings::Mode;

    #[test]
    fn each_product_names_real_files_of_which_the_demo_shows_some() {
        let settings = Settings::from_env(Mode::Public, |_| None).unwrap();
        for sku in Sku::ALL {
            let product = Product::of(sku, &settings);
            let in_demo = product.files.iter().filter(|(_, in_demo)| *in_demo).count();
            assert!(in_demo > 0 && in_demo < product.files.len(), "{sku:?}: {:?}", product.files);
        }
    }
}
