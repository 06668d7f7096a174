//! What somebody wants to buy, read at the door: for whom the product is made, with which goals, and by what the request
//! is known when it comes again.

use serde_json::json;

use super::repeat::RepeatKey;
use registry_app::App;
use registry_formats::{argument_text, email_address};
use registry_model::error::Problem;
use registry_model::{DiscountCode, GrantSubject, Kind, Sku};

const LONGEST_NAME: usize = 200;
const LONGEST_DESCRIPTION: usize = 2000;

#[derive(Clone, Default)]
pub struct Wanted {
    /// Without one, the product is made for what is described.
    pub listing_id: Option<String>,
    pub agent_name: Option<String>,
    pub description: Option<String>,
    pub kind: Option<Kind>,
    pub goals: Vec<String>,
    pub code: Option<String>,
    /// Passed on to Stripe and not stored.
    pub contact_email: Option<String>,
    pub idempotency_key: Option<String>,
}

pub(super) struct Request {
    pub(super) sku: Sku,
    pub(super) subject: GrantSubject,
    pub(super) goals: Vec<String>,
    pub(super) code: Option<DiscountCode>,
    pub(super) email: Option<String>,
    pub(super) repeat: RepeatKey,
}

impl Request {
    pub(super) fn parse(app: &App, sku: Sku, wanted: Wanted) -> Result<Self, Problem> {
        let said = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
        let subject = match (said(wanted.listing_id), said(wanted.agent_name)) {
            (Some(id), _) => GrantSubject::Listing(id.parse().map_err(|_| Problem::listing_not_found(&id))?),
            (None, Some(name)) => {
                let described = said(wanted.description);
                let described =
                    described.map(|text| argument_text::text("description", &text, LONGEST_DESCRIPTION));
                let usual = if sku == Sku::McpMesh { Kind::Mcp } else { Kind::Agent };
                GrantSubject::Described {
                    kind: wanted.kind.unwrap_or(usual),
                    name: argument_text::line("agent_name", &name, LONGEST_NAME)?,
                    description: described.transpose()?,
                }
            }
            (None, None) => {
                return Err(Problem::invalid(
                    "listing_id",
                    "for_whom",
                    "Say for whom the product is made: the `listing_id` of a listing, or an `agent_name` and what it is \
                     for as `description`.",
                ));
            }
        };
        let code = said(wanted.code).map(|code| code.parse::<DiscountCode>()).transpose();
        let code =
            code.map_err(|error| Problem::invalid("code", "bad_code", format!("`code` is {error}.")))?;
        let email = said(wanted.contact_email);
        let email = email.map(|email| email_address::parse("contact_email", &email)).transpose()?;
        let repeat = RepeatKey::of(wanted.idempotency_key.as_deref(), code.as_ref(), &app.random)?;
        Ok(Self { sku, subject, goals: wanted.goals, code, email, repeat })
    }

    /// Everything that identifies the request.
    pub(super) fn canonical(&self) -> String {
        let code = self.code.as_ref().map(DiscountCode::digest);
        json!([self.sku, self.subject, self.goals, code, self.email]).to_string()
    }
}
