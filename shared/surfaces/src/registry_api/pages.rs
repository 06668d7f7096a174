//! Pages of the list as they are sent. A page is made once for each version of the registry that it shows: aggregators walk
//! the whole list again and again, and mostly nothing on it has changed.

use bytes::Bytes;

use super::query::ServerQuery;
use super::servers::list;
use registry_app::App;
use registry_domain::views::active_page;
use registry_model::cache::TaggedPage;
use registry_model::error::Problem;

/// The content changes with the Live rows and with the index that orders them. Both versions are read first,
/// so that a page is never older than the version that it is cached under.
pub async fn rendered_list(app: &App, query: &ServerQuery) -> Result<TaggedPage, Problem> {
    let live = async { app.store.live().await };
    let (live, ()) = futures::try_join!(live, app.search.refresh())?;
    // It changes with the age of rows, too: a proof runs out, and a fall is told for some days, without a write.
    let version = active_page::validator(app, live, &format!("{:?}", app.search.version()));
    let name = query.name();
    if let Some(page) = app.server_pages.get(&name, &version) {
        return Ok(page);
    }
    let list = list(app, query).await?;
    let body = serde_json::to_vec(&list).map_err(|error| Problem::fault(error.to_string()))?;
    let page = TaggedPage::of_body(Bytes::from(body));
    app.server_pages.put(name, version, page.clone());
    Ok(page)
}
