//! `POST /explore` of ARD (§7.3): counts entries by type, publisher, tag or category. It counts all entries,
//! or the entries that match a text. The counts come from the index only. No listing is read.

use super::filter::{self, Filter, Kinds};
use super::search;
use crate::prelude::*;
use registry_features::listing::card_media_type;
use registry_model::Listed;
use registry_search::MAX_QUERY_CHARS;
use registry_search::browse::{Counts, Facet};

const MAX_FACETS: usize = 20;
const DEFAULT_BUCKETS: usize = 20;
const MAX_BUCKETS: u64 = 1000;

/// Members that have a different value in almost every entry.
const NOT_COUNTED: [&str; 10] = [
    "identifier",
    "displayName",
    "url",
    "description",
    "capabilities",
    "representativeQueries",
    "version",
    "updatedAt",
    "data",
    "metadata",
];

/// The counts, by field.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ArdExplored")]
pub(crate) struct Explored {
    result_type: &'static str,
    facets: Map<String, Value>,
}

pub(crate) fn schema() -> Value {
    let number = json!({ "type": ["integer", "null"], "minimum": 1, "maximum": MAX_BUCKETS });
    let filter = json!({
        "type": ["object", "null"],
        "description": "A filter on the type.",
        "properties": { "type": filter::values_schema(), "mediaType": filter::values_schema() },
        "additionalProperties": false,
        "maxProperties": 1,
    });
    let field = json!({
        "type": "string",
        "description": "The field to count: type (or mediaType), publisher, tags, metadata.category or metadata.kind (or \
            these two without `metadata.`). A field that no entry has, has no buckets. A field that occurs several \
            times is counted once.",
        "minLength": 1,
        "anyOf": [
            { "enum": ["metadata.category", "metadata.kind"] },
            { "not": { "pattern": format!("^({})(\\.|$)", NOT_COUNTED.join("|")) } },
        ],
    });
    let facet = json!({
        "type": "object",
        "properties": { "field": field, "limit": number, "minCount": number },
        "required": ["field"],
    });
    json!({
        "type": "object",
        "description": "The fields to count.",
        "properties": {
            "query": {
                "type": ["object", "null"],
                "properties": {
                    "text": { "type": ["string", "null"], "maxLength": MAX_QUERY_CHARS },
                    "filter": filter,
                },
            },
            "resultType": {
                "type": "object",
                "properties": { "facets": { "type": "array", "maxItems": MAX_FACETS, "items": facet } },
                "required": ["facets"],
            },
        },
        "required": ["resultType"],
    })
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct FacetRequest {
    field: String,
    /// `None` for a member that no entry here has. Kinds are written as media types if the field is the type.
    counted: Option<Facet>,
    limit: usize,
    min_count: usize,
}

pub(super) async fn explore(app: &App, body: &Value) -> Result<Explored, Problem> {
    if !matches!(body["query"], Value::Null | Value::Object(_)) {
        return Err(Problem::malformed(
            "`query` must be an object. Its members `text` and `filter` are optional.",
        ));
    }
    let text = search::query_text(body)?.unwrap_or_default();
    let filter = Filter::read(&body["query"]["filter"])?;
    if filter.looks_at_entries() {
        return Err(Problem::malformed("Only `query.text` and a filter on `type` are supported here."));
    }
    let requests = facet_requests(body)?;
    let by = distinct_facets(&requests);
    let counts = match filter.kinds {
        Kinds::Neither => Vec::new(),
        Kinds::Only(kind) => app.search.count(&text, Some(kind), Listed::Live, &by).await?,
        Kinds::Both => app.search.count(&text, None, Listed::Live, &by).await?,
    };
    let mut facets = Map::new();
    for request in requests {
        let counted = request.counted.map(|facet| {
            let index = by.iter().position(|counted| *counted == facet);
            index.and_then(|index| counts.get(index)).cloned().unwrap_or_default()
        });
        facets.insert(request.field.clone(), buckets(&request, counted));
    }
    Ok(Explored { result_type: "facets", facets })
}

/// Each facet once, because several fields can have the same facet.
fn distinct_facets(requests: &[FacetRequest]) -> Vec<Facet> {
    let mut distinct = Vec::new();
    for facet in requests.iter().filter_map(|request| request.counted) {
        if !distinct.contains(&facet) {
            distinct.push(facet);
        }
    }
    distinct
}

/// Each field once. If a field is requested several times, the last request counts.
fn facet_requests(body: &Value) -> Result<Vec<FacetRequest>, Problem> {
    let facets = body["resultType"]["facets"].as_array().ok_or_else(|| {
        Problem::malformed(
            "`resultType` must contain the fields whose values are counted, such as {\"facets\": \
             [{\"field\": \"type\"}]}.",
        )
    })?;
    if facets.len() > MAX_FACETS {
        return Err(Problem::malformed(format!("Too many facets: at most {MAX_FACETS} per request.")));
    }
    let mut requests: Vec<FacetRequest> = Vec::new();
    for request in facets.iter().map(facet) {
        let request = request?;
        requests.retain(|earlier| earlier.field != request.field);
        requests.push(request);
    }
    Ok(requests)
}

fn facet(facet: &Value) -> Result<FacetRequest, Problem> {
    let field = facet["field"].as_str().filter(|field| !field.is_empty());
    let field =
        field.ok_or_else(|| Problem::malformed("Each entry of `resultType.facets` must have a `field`."))?;
    let counted = match field {
        "type" | "mediaType" | "metadata.kind" | "kind" => Some(Facet::Kind),
        "publisher" => Some(Facet::Publisher),
        "tags" => Some(Facet::Tag),
        "metadata.category" | "category" => Some(Facet::Category),
        other if NOT_COUNTED.contains(&other.split('.').next().unwrap_or_default()) => {
            let other = shorten(other, 80);
            return Err(Problem::malformed(format!(
                "`{other}` cannot be counted. Supported: type, publisher, tags, metadata.category, metadata.kind."
            )));
        }
        _ => None,
    };
    let number = |member: &str, default: usize| match &facet[member] {
        Value::Null => Ok(default),
        value => search::whole_number(value)
            .filter(|number| (1..=MAX_BUCKETS).contains(number))
            .and_then(|number| usize::try_from(number).ok())
            .ok_or_else(|| {
                Problem::malformed(format!("`{member}` must be a whole number from 1 to {MAX_BUCKETS}."))
            }),
    };
    Ok(FacetRequest {
        field: field.to_owned(),
        counted,
        limit: number("limit", DEFAULT_BUCKETS)?,
        min_count: number("minCount", 1)?,
    })
}

fn buckets(request: &FacetRequest, counts: Option<Arc<Counts>>) -> Value {
    let Some(counts) = counts else { return json!({ "buckets": [], "otherCount": 0 }) };
    let is_type = matches!(request.field.as_str(), "type" | "mediaType");
    let name = |value: &str| match value {
        "agent" if is_type => card_media_type(Kind::Agent).to_owned(),
        "mcp" if is_type => card_media_type(Kind::Mcp).to_owned(),
        _ => value.to_owned(),
    };
    let mut enough = counts.iter().filter(|(_, count)| *count >= request.min_count);
    let bucket = |(value, count): &(String, usize)| json!({ "value": name(value), "count": count });
    let buckets: Vec<Value> = enough.by_ref().take(request.limit).map(bucket).collect();
    json!({ "buckets": buckets, "otherCount": enough.map(|(_, count)| count).sum::<usize>() })
}

#[cfg(test)]
mod tests;
