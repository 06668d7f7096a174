//! From one POST to Live, or to words about what to mend.

mod abuse;
mod going_live;
mod mistakes;
mod real_documents;
mod real_documents_published;
mod refusals;
mod refused_descriptions;
