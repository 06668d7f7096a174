//! `/about`, `/privacy` and `/terms`: who runs this registry and what Live means, which personal data the registry stores and for how long, and the rules for using it. The
//! table of personal data is the one in `SECURITY.md`.

use super::frame::{Frame, Section, html, page};
use crate::documents::Render;
use crate::prelude::*;

#[derive(Template)]
#[template(path = "privacy.html")]
struct PrivacyPage<'a> {
    frame: Frame<'a>,
}

pub(super) static PRIVACY: AnyDocument = AnyDocument {
    paths: &["/privacy"],
    summary: "Which personal data this registry stores, for what and for how long, and how to have it erased.",
    ..legal(|app, _| {
        Box::pin(async { html(&PrivacyPage { frame: frame(&app.settings, &PRIVACY, "Privacy") }) })
    })
};

const fn legal(render: Render) -> AnyDocument {
    AnyDocument { max_age_s: Some(300), is_fixed: true, ..page(render) }
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
