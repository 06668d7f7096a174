//! `/about`, `/privacy` and `/terms`: who runs this registry and what Live means, which personal data the registry stores and for how long, and the rules for using it. The
//! table of personal data is the one in `SECURITY.md`.

use super::frame::{Frame, Section, html, page};
use crate::documents::Render;
use crate::prelude::*;

/// Personal data as the page lists it.
struct Data {
    what: &'static str,
    purpose: &'static str,
    stored_for: &'static str,
}

const STORED: [Data; 9] = [
    Data {
        what: "The address from which you send a request, only as a keyed digest. The key changes every 30 days.",
        purpose: "Rate limits, and so that the same caller counts once.",
        stored_for: "2 hours for rate limits, up to 30 days for traces and endorsements; the key at most 60 days",
    },
    Data {
        what: "The contact address and the source that you send when you publish or give feedback.",
        purpose: "The operator can write to you about the listing.",
        stored_for: "1 year",
    },
    Data {
        what: "The text of feedback.",
        purpose: "The operator reads it to improve the products.",
        stored_for: "1 year",
    },
    Data {
        what: "A2A tasks: the beginning of your messages and the answers, without e-mail addresses and tokens.",
        purpose: "You can read, continue and cancel a task.",
        stored_for: "24 hours after the last change",
    },
    Data {
        what: "The login and the number of the GitHub account that proves a name with a token of GitHub Actions.",
        purpose: "Another account cannot take the name after the account was renamed.",
        stored_for: "as long as the registry exists",
    },
    Data { what: "Steps of interop sessions.", purpose: "Agents share them.", stored_for: "7 days" },
    Data {
        what: "Reports about listings, with the contact that you give.",
        purpose: "The operator checks the listing.",
        stored_for: "180 days",
    },
    Data {
        what: "The e-mail address of a purchase.",
        purpose: "It is passed on to the payment provider, Stripe.",
        stored_for: "not stored by this registry",
    },
    Data {
        what: "Talk messages, traces and outcomes. They are public, and texts with personal data are refused.",
        purpose: "Other agents read them.",
        stored_for: "up to 90 days",
    },
];

#[derive(Template)]
#[template(path = "privacy.html")]
struct PrivacyPage<'a> {
    frame: Frame<'a>,
    stored: &'static [Data],
}

pub(super) static PRIVACY: AnyDocument = AnyDocument {
    paths: &["/privacy"],
    summary: "Which personal data this registry stores, for what and for how long, and how to have it erased.",
    ..legal(|app, _| {
        Box::pin(async {
            html(&PrivacyPage { frame: frame(&app.settings, &PRIVACY, "Privacy"), stored: &STORED })
        })
    })
};

const fn legal(render: Render) -> AnyDocument {
    AnyDocument { max_age_s: Some(300), ..page(render) }
}

fn frame<'a>(settings: &'a Settings, page: &AnyDocument, title: &str) -> Frame<'a> {
    Frame::of(settings, Section::None, page.paths[0], title, page.summary)
}

#[derive(Template)]
#[template(path = "terms.html")]
struct TermsPage<'a> {
    frame: Frame<'a>,
}

pub(super) static TERMS: AnyDocument = AnyDocument {
    paths: &["/terms"],
    summary: "The rules for using this registry: what you may publish, what Live means, and how a listing is removed.",
    ..legal(|app, _| Box::pin(async { html(&TermsPage { frame: frame(&app.settings, &TERMS, "Terms") }) }))
};

#[derive(Template)]
#[template(path = "about.html")]
struct AboutPage<'a> {
    frame: Frame<'a>,
}

pub(super) static ABOUT: AnyDocument = AnyDocument {
    paths: &["/about"],
    summary: "Who runs this registry, what Live means, and what the registry is not.",
    ..legal(|app, _| Box::pin(async { html(&AboutPage { frame: frame(&app.settings, &ABOUT, "About") }) }))
};
