//! Reports a listing to the operator. Reports are stored for the operator only: they are never shown, and they count
//! nowhere.

use crate::prelude::*;
use registry_formats::{argument_text, email_address};
use registry_model::Report;
use registry_store::REPORT_DAYS;

const MAX_REASON_CHARS: usize = 2000;

pub struct ReportListing;

/// The listing and what is wrong with it.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Arguments {
    /// The id of the listing.
    #[serde(alias = "id")]
    listing_id: String,
    /// What is wrong with the listing, in plain text. Only the operator reads it.
    #[schemars(extend("format" = "public-text"), length(min = 1, max = MAX_REASON_CHARS))]
    reason: String,
    /// How the operator can reach you, such as an e-mail address. Optional; only the operator reads it.
    #[schemars(regex(pattern = argument_schema::LINE), length(max = email_address::MAX_CHARS))]
    contact: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// `rep_` and 24 hexadecimal digits. Tell the operator this id if you have a question.
    report_id: String,
    listing_id: ListingId,
    note: String,
}

impl Operation for ReportListing {
    const NAME: &'static str = "report_listing";
    const TITLE: &'static str = "Report a listing";
    const VERSION: Option<&'static str> = Some(registry_model::VERSION);
    const DESCRIPTION: &'static str = "Reports a listing to the operator, for example spam, impersonation or \
        a dangerous server. Only the operator sees it, and it changes nothing by itself. Pass listing_id, reason and, \
        if the operator may reply, contact. Returns its id. To warn others, use leave_trace (toolset trails).";
    const PHRASES: &'static [&'static str] =
        &["complain to the operator about {id}: {it is spam}", "flag {id} for abuse: {it impersonates us}"];
    const EFFECT: Effect = Effect::WRITES;
    const EXAMPLE: &'static str =
        r#"{"listing_id": "agtpub_0123456789abcdef0123", "reason": "It impersonates another company."}"#;
    const SUMMARY: &'static [&'static str] = &["The report {report_id} about {listing_id} is stored. {note}"];
    const ROUTES: &'static [Route] = &[Route::post_as("/api/report", Ok)];
    const REFUSALS: &'static [ErrorKind] = &[ErrorKind::NotFound];
    type Arguments = Arguments;
    type Answer = Answer;

    async fn run(app: &App, caller: &Caller, arguments: Arguments) -> Result<Answer, Problem> {
        let contact = arguments.contact.as_deref().filter(|contact| !contact.trim().is_empty());
        let reason = argument_text::text("reason", &arguments.reason, MAX_REASON_CHARS)?;
        let contact =
            contact.map(|text| argument_text::line("contact", text, email_address::MAX_CHARS)).transpose()?;
        let listing = lookup::listing(app, &arguments.listing_id).await?;
        let id = format!("rep_{}", app.random.hex(12));
        let report = Report { id, listing_id: listing.id, reason, contact, at: app.clock.now() };
        let caller = app.caller_digest(caller).await?;
        let allowance = app.allowance(LimitedAction::Report, &caller, Some(report.listing_id.as_str()));
        app.store.keep_report(&report, allowance).await?;
        Ok(Answer {
            report_id: report.id,
            listing_id: report.listing_id,
            note: format!(
                "Only the operator of this registry can read the report. It is deleted after {REPORT_DAYS} days."
            ),
        })
    }
}
