//! Finds the arguments for a URL, a listing id or a text in the input schema of an operation. If the
//! arguments of a new operation have the usual names, this module needs no change.

use serde_json::{Map, Value, json};

use crate::a2a::intent::command;
use crate::a2a::intent::parsed_text::ParsedText;
use registry_features::AnyOperation;
use registry_model::Sku;
use registry_search::stem;

/// Argument names for each slot; the first that the operation has is used.
const URLS: [&str; 5] = ["url", "agent_card_url", "card_url", "mcp_url", "target"];
const IDS: [&str; 5] = ["listing_id", "id", "listing_a", "listing_b", "subject"];
const TEXTS: [&str; 11] =
    ["q", "query", "text", "body", "goals", "message", "note", "description", "name", "agent_name", "reason"];
const TOKENS: [&str; 3] = ["jws", "token", "access_token"];

/// A placeholder in a phrase for something extracted from a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    Url,
    Id,
    /// `{token}`: an access token or a signed statement.
    Token,
    /// A slot of any other name.
    Text,
}

impl Slot {
    pub(super) fn named(name: &str) -> Self {
        match name {
            "url" => Self::Url,
            "id" => Self::Id,
            "token" | "jws" => Self::Token,
            _ => Self::Text,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct ArgumentSlots {
    urls: Vec<String>,
    ids: Vec<String>,
    tokens: Vec<String>,
    texts: Vec<String>,
    pub(super) name: Option<String>,
    email: Option<String>,
    choices: Vec<(String, Vec<String>)>,
    limit: Option<(u64, u64)>,
    is_search: bool,
    /// Whether `from` can be any name.
    pub(super) takes_sender: bool,
    known: Vec<String>,
}

impl ArgumentSlots {
    pub(super) fn of(entry: &AnyOperation) -> Self {
        let schema = (entry.input_schema)();
        let none = Map::new();
        let properties = schema["properties"].as_object().unwrap_or(&none);
        let existing = |names: &[&str]| -> Vec<String> {
            names.iter().filter(|name| properties.contains_key(**name)).map(ToString::to_string).collect()
        };
        // In a search, a number may belong to the query.
        let is_search = properties.contains_key("q");
        let choices = properties
            .iter()
            .map(|(name, property)| (name.clone(), all_choices(&schema, property)))
            .filter(|(_, choices)| !choices.is_empty());
        let limit = properties.get("limit").filter(|_| !is_search).map(|limit| {
            let bound = |name: &str, default: u64| limit[name].as_f64().map_or(default, |bound| bound as u64);
            (bound("minimum", 1), bound("maximum", 100))
        });
        Self {
            urls: existing(&URLS),
            ids: existing(&IDS),
            tokens: existing(&TOKENS),
            texts: existing(&TEXTS),
            name: existing(&["name"]).pop(),
            email: existing(&["contact_email", "email"]).pop(),
            choices: choices.collect(),
            limit,
            is_search,
            takes_sender: properties
                .get("from")
                .is_some_and(|from| from["format"] != "listing-id-of-another"),
            known: properties.keys().cloned().collect(),
        }
    }

    /// The argument for the `nth` slot of its kind, counted from 0.
    pub(super) fn argument(&self, slot: Slot, nth: usize) -> Option<&str> {
        let names = match slot {
            Slot::Url => &self.urls,
            Slot::Id => &self.ids,
            Slot::Token => &self.tokens,
            Slot::Text => &self.texts,
        };
        // The same URL under another name would be a second URL.
        let nth = if slot == Slot::Url { 0 } else { nth };
        names.get(nth).map(String::as_str)
    }

    /// The first argument for this kind of slot that is still missing.
    pub(super) fn lacking(&self, slot: Slot, arguments: &Map<String, Value>) -> Option<&str> {
        let names = [0, 1, 2, 3].into_iter().filter_map(|nth| self.argument(slot, nth));
        names.into_iter().find(|name| !arguments.contains_key(*name))
    }

    pub(super) fn knows(&self, argument: &str) -> bool {
        self.known.iter().any(|known| known == argument)
    }

    /// Whether the values of an argument are recognized in any text.
    pub(super) fn has_form(&self, argument: &str) -> bool {
        let mut names = self.urls.iter().chain(&self.ids).chain(&self.tokens);
        argument == "order_id" || names.any(|name| name == argument)
    }

    /// Adds an id, a URL, a token or an order to the arguments: as the one that was asked for, or, if the message is nothing
    /// else, as one that is still missing.
    pub(super) fn add_values(&self, arguments: &mut Map<String, Value>, parsed: &ParsedText, asked: &str) {
        let order = ["order_id".to_owned()];
        for (names, values) in [
            (&self.ids[..], &parsed.ids),
            (&self.urls, &parsed.urls),
            (&self.tokens, &parsed.tokens),
            (&order, &parsed.orders),
        ] {
            let fits = |name: &&String| {
                self.knows(name)
                    && !arguments.contains_key(*name)
                    && (*name == asked || parsed.words.is_empty())
            };
            let name =
                names.iter().find(|name| *name == asked).filter(fits).or_else(|| names.iter().find(fits));
            if let (Some(name), [value]) = (name, values.as_slice()) {
                arguments.insert(name.clone(), json!(value));
            }
        }
    }

    /// What else a message says, as a request for the operation can say it: ", 4/5", ", it took 120 ms", " pur_…".
    pub(super) fn measured(&self, parsed: &ParsedText) -> String {
        let stars = parsed.stars().filter(|_| self.knows("rating") || self.knows("quality"));
        let time = parsed.milliseconds().filter(|_| self.knows("latency_ms"));
        let quality = parsed.quality().filter(|_| self.knows("quality") && stars.is_none());
        let quality = quality.map(|quality| format!(", quality {quality}")).unwrap_or_default();
        let stars = stars.map(|stars| format!(", {stars}/5")).unwrap_or_default();
        let paid = [("code", "D25-"), ("purchase_id", "pur_")].into_iter();
        let paid = paid.filter(|(name, _)| self.knows(name));
        let paid = paid.filter_map(|(_, beginning)| Some(format!(" {}", parsed.beginning_with(beginning)?)));
        let time = time.map(|time| format!(", it took {time} ms")).unwrap_or_default();
        stars + &quality + &time + &paid.collect::<String>()
    }

    /// Adds arguments without a slot in the phrase: fields of data parts, an e-mail address, an enumerated value or a
    /// number in the text.
    pub(super) fn add_incidental(
        &self,
        arguments: &mut Map<String, Value>,
        parsed: &ParsedText,
        fields: &Map<String, Value>,
        read_only: bool,
    ) {
        for (name, value) in fields.iter().filter(|(name, _)| self.known.contains(name)) {
            arguments.insert(name.clone(), value.clone());
        }
        // "I want to buy Alive" names a product.
        let is_sku = |name: &String| {
            Sku::ALL.iter().any(|sku| sku.as_str().split('_').any(|part| part.eq_ignore_ascii_case(name)))
        };
        let text = |text: Option<&String>| text.map(|text| json!(text));
        let email = parsed.emails.first().filter(|_| parsed.emails.len() == 1);
        let (stars, quoted) = (parsed.stars(), &parsed.names[..parsed.quoted]);
        let stated = [
            ("latency_ms", parsed.milliseconds().map(Value::from)),
            ("expires_hours", parsed.hours().and_then(whole)),
            ("max_hours", parsed.hours().map(Value::from)),
            ("since", parsed.after_word("cursor").and_then(whole)),
            ("rating", stars.map(Value::from)),
            ("quality", stars.map(|stars| json!(f64::from(stars) / 5.0))),
            (self.tokens.first().map_or("", String::as_str), text(parsed.tokens.first())),
            (self.email.as_deref().unwrap_or_default(), text(email)),
            ("order_id", text(parsed.orders.first())),
            ("code", parsed.beginning_with("D25-").map(Value::from)),
            ("purchase_id", parsed.beginning_with("pur_").map(Value::from)),
            // "Which tools does it have, and what does get_tide take?" asks about all.
            ("tool", parsed.tool_name().filter(|_| !parsed.says("tools")).map(Value::from)),
            ("quality", parsed.quality().map(Value::from)),
            ("at", text(parsed.days.first())),
            ("name", parsed.given_name().filter(|_| !read_only).map(Value::from)),
            ("agent_name", text(parsed.names.iter().find(|name| !is_sku(name) && name.len() > 1))),
            ("from", text(parsed.sender.as_ref().filter(|_| self.takes_sender))),
            // Of 'a demo for "Adder": "Adds numbers."'.
            ("description", text(quoted.get(1).filter(|_| self.knows("agent_name")))),
        ];
        for (name, value) in stated {
            if let Some(value) = value.filter(|_| self.knows(name)) {
                arguments.entry(name).or_insert(value);
            }
        }
        // An incidental word may narrow a search; it must not decide what is written, except for which product or statement.
        for (name, choices) in
            self.choices.iter().filter(|(name, _)| read_only || name == "sku" || name == "type")
        {
            // An MCP server is called a server.
            let places = |part: &str| {
                let (stem, is_mcp) = (stem(&part.to_lowercase()), part == "mcp");
                let words = parsed.words.iter().enumerate();
                words.filter(move |(_, word)| word.stem == stem || is_mcp && word.stem == "server")
            };
            let contains = |part: &str| places(part).next().is_some();
            let is_denied =
                |choice: &String| places(choice).any(|(at, _)| command::is_excluded(&parsed.words, at));
            // A choice of several words, such as `one_click_demo`, needs all of them.
            let named = choices.iter().filter(|choice| choice.split('_').all(contains));
            let (denied, named): (Vec<&String>, Vec<_>) = named.partition(|choice| is_denied(choice));
            if name == "access" && !named.is_empty() && parsed.says("including") {
                arguments.entry(name).or_insert_with(|| json!("all"));
                continue;
            }
            // A search ranks the kind that its query asks for first. "An agent" may be either kind, an "MCP server" is one.
            if self.is_search && name == "kind" && denied.is_empty() && !parsed.says_mcp_server() {
                continue;
            }
            if let [choice] = named.as_slice() {
                let argument = arguments.entry(name).or_insert_with(|| json!(choice));
                // An example may imply another product than the one that the text names.
                if name == "sku" && !fields.contains_key(name) {
                    *argument = json!(choice);
                }
            }
        }
        if let (Some((min, max)), [number], true) = (self.limit, parsed.numbers.as_slice(), read_only)
            && (min..=max).contains(number)
            && !arguments.contains_key("since")
        {
            arguments.entry("limit").or_insert_with(|| json!(number));
        }
    }
}

fn whole(number: f64) -> Option<Value> {
    format!("{:.0}", number.floor()).parse::<u64>().ok().map(Value::from)
}

/// The enumerated values of an argument, without those that mean no choice.
fn all_choices(schema: &Value, property: &Value) -> Vec<String> {
    let mut found: Vec<String> =
        leaves(schema, property).into_iter().flat_map(choices).map(str::to_owned).collect();
    found.retain(|choice| !matches!(choice.as_str(), "all" | "any" | "both" | "none"));
    found
}

pub(super) fn choices(leaf: &Value) -> impl Iterator<Item = &str> {
    leaf["enum"].as_array().into_iter().flatten().chain(leaf.get("const")).filter_map(Value::as_str)
}

/// The alternatives of a property, with its references resolved.
pub(super) fn leaves<'a>(schema: &'a Value, property: &'a Value) -> Vec<&'a Value> {
    let mut found = Vec::new();
    collect(schema, property, &mut found, 0);
    found
}

fn collect<'a>(schema: &'a Value, property: &'a Value, found: &mut Vec<&'a Value>, depth: u8) {
    if depth > 4 {
        return;
    }
    if let Some(target) = property["$ref"].as_str().and_then(|path| path.strip_prefix('#')) {
        collect(schema, schema.pointer(target).unwrap_or(&Value::Null), found, depth + 1);
    }
    for keyword in ["anyOf", "oneOf"] {
        for one in property[keyword].as_array().into_iter().flatten() {
            collect(schema, one, found, depth + 1);
        }
    }
    found.push(property);
}
