//! The profile that a listing's products are made from, as the registry knows it now.

use super::peers;
use registry_app::App;
use registry_model::error::Problem;
use registry_products::Profile;
use registry_store::NamedListing;

pub async fn of_listing(
    app: &App,
    (listing, evidence): &NamedListing,
    goals: &[String],
) -> Result<Profile, Problem> {
    let mut profile = Profile { goals: goals.to_vec(), ..Profile::of(listing, evidence.as_ref()) };
    profile.peers = peers::of(app, &profile).await?;
    Ok(profile)
}

pub async fn of_description(app: &App, described: Profile) -> Result<Profile, Problem> {
    let peers = peers::of(app, &described).await?;
    Ok(Profile { peers, ..described })
}
