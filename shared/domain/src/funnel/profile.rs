//! The profile that a listing's products are made from, as the registry knows it now.

use super::peers;
use registry_app::App;
use registry_model::error::Problem;
use registry_products::Profile;
use registry_store::NamedListing;

/// The profile of a listing with these goals and its peers of this moment.
///
/// # Errors
/// The table is busy.
pub async fn of_listing(
    app: &App,
    (listing, evidence): &NamedListing,
    goals: &[String],
) -> Result<Profile, Problem> {
    let mut profile = Profile { goals: goals.to_vec(), ..Profile::of(listing, evidence.as_ref()) };
    profile.peers = peers::of(app, &profile).await?;
    Ok(profile)
}

/// The profile of something that is not listed, as its owner describes it, with its peers of this moment.
///
/// # Errors
/// The table is busy.
pub async fn of_description(app: &App, described: Profile) -> Result<Profile, Problem> {
    let peers = peers::of(app, &described).await?;
    Ok(Profile { peers, ..described })
}
