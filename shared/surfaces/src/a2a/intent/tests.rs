//! Tests messages from people and agents. Each test case contains a message and the operation that the
//! message must select. The phrases of the catalog are tested automatically, so that a new operation is
//! tested without a change here.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::a2a::intent::argument_slots::ArgumentSlots;
use crate::a2a::intent::parsed_text::ParsedText;
use crate::a2a::intent::selection::select;
use crate::a2a::intent::*;
use registry_features::CATALOGUE;
use registry_features::operation::DETAIL;
use registry_settings::Settings;

const CARD: &str = "https://agent.acme.dev/.well-known/agent-card.json";
const ID: &str = "agtpub_0123456789abcdef0123";
const OTHER: &str = "mcp-com-example-weather";

fn said(text: &str) -> MessageContent {
    MessageContent { text: text.to_owned(), ..MessageContent::default() }
}

fn parsed(text: &str) -> Intent {
    select(&said(text), None)
}

/// A text with values for its placeholders.
fn with_values(text: &str) -> String {
    text.replace("{id}", ID).replace("{other}", OTHER).replace("{card}", CARD)
}

/// A short form: an operation and its arguments, or the kind of intent.
fn intent(text: &str) -> String {
    short(&parsed(text))
}

fn short(intent: &Intent) -> String {
    match intent {
        Intent::Run(entry, arguments) => {
            let members = arguments.as_object().into_iter().flatten().filter(|(name, _)| *name != DETAIL);
            let shown: Vec<String> = members
                .map(|(name, value)| format!("{name}={}", value.to_string().trim_matches('"')))
                .collect();
            format!("{}({})", entry.name, shown.join(","))
        }
        Intent::Missing(entry, missing, _) => format!("{} misses {missing:?}", entry.name),
        Intent::Refused(entry, _) => format!("{} refused", entry.name),
        Intent::Ambiguous(entry, name) => format!("{} of several named {name}", entry.name),
        Intent::NoSuch(name) => format!("no such {name}"),
        Intent::TooManyFields => "too many fields".to_owned(),
        Intent::Greeting => "help".to_owned(),
        Intent::Unclear => "unclear".to_owned(),
    }
}

#[test]
fn every_phrase_of_the_catalog_selects_its_operation() {
    let mut others = Vec::new();
    for entry in CATALOGUE {
        // What a phrase cannot say, such as a token, the operation asks for itself.
        let mut schema = (entry.input_schema)();
        // A phrase need not say all that must be given.
        for tie in ["required", "anyOf", "oneOf", "allOf"] {
            schema.as_object_mut().unwrap().remove(tie);
        }
        let validator = jsonschema::validator_for(&schema).unwrap();
        for phrase in entry.phrases() {
            let text = filled(phrase);
            for message in [text.clone(), format!("Please {text}"), format!("Hello! {text} Thanks.")] {
                let intent = parsed(&message);
                let arguments = match &intent {
                    Intent::Run(meant, arguments) if meant.name == entry.name => arguments,
                    _ => {
                        others.push(format!("{}: {message:?} means {}", entry.name, short(&intent)));
                        continue;
                    }
                };
                let mut arguments = arguments.clone();
                arguments.as_object_mut().unwrap().remove(DETAIL);
                assert!(validator.is_valid(&arguments), "{message:?}: {arguments}");
                let slots = phrase.matches('{').count();
                assert!(arguments.as_object().unwrap().len() >= slots, "{message:?}: {arguments}");
            }
        }
    }
    assert!(others.is_empty(), "{}", others.join("\n"));
}

#[test]
fn tool_name_of_several_words_is_found_only_if_all_words_occur() {
    for (text, tool) in [
        ("preview a kernel with the goals read papers", "preview_kernel"),
        ("demo alive with the goals read papers", "demo_alive"),
        ("what would it take to buy the product kernel?", "buy_product"),
    ] {
        let Intent::Run(entry, arguments) = parsed(text) else { panic!("{text}") };
        assert_eq!((entry.name, &arguments["tool"]), ("product_agent", &json!(tool)), "{text}: {arguments}");
    }
}

#[test]
fn messages_select_the_expected_operation() {
    let (list, status) = ("list_yourself(url={card})", "check_status(id={id})");
    for (text, meant) in [
        ("Hi! I'd like to list my agent, it lives at {card}. It does not need a key.", list),
        ("My card is at {card} - please list it", list),
        ("list_yourself {card}", list),
        ("list my agent at agent.acme.dev", "list_yourself(url=https://agent.acme.dev)"),
        (
            "list my agent at {card}, contact me@acme.dev",
            "list_yourself(url={card},contact_email=me@acme.dev)",
        ),
        ("{id}", status),
        ("check-status {id}", status),
        ("what's the status of \"Weather Bot\"?", "check_status(name=Weather Bot)"),
        ("how is the listing named paper reader 2 doing", "check_status(name=paper reader 2 doing)"),
        ("test {card} without listing it", "score(url={card})"),
        ("list all live agents", "search_active(kind=agent)"),
        ("find a weather agent", "match_capability(q=weather agent)"),
        (
            "confirm the demo ord_9ff4 with at_0123456789abcdef",
            "demo_confirm(access_token=at_0123456789abcdef,order_id=ord_9ff4)",
        ),
        ("prove that {id} was live on 2026-11-28", "inclusion_proof(listing_id={id},at=2026-11-28)"),
        ("list only the agents, no MCP stuff", "search_active(kind=agent)"),
        (
            "weather tool for hamburg, an mcp server not an agent",
            "match_capability(q=weather tool for hamburg, an mcp server not an agent,kind=mcp)",
        ),
        (
            "rename \"Mild Weather\" ({id}) to 'Wild Weather'",
            "manage_listing(act=rename,listing_id={id},name=Wild Weather)",
        ),
        (
            "{id} pretends to be our bank and it is not. Please look into it.",
            "report_listing(listing_id={id},reason={id} pretends to be our bank and it is not. Please look into it.)",
        ),
        ("show 5 active listings", "search_active(limit=5)"),
        ("plz add our server {card} thx", "list_yourself(url={card})"),
        ("can u put {card} on ur list", "list_yourself(url={card})"),
        ("when do payments open?", "preview_product()"),
        ("what does the demo contain", "preview_product(sku=alive)"),
        ("which skills does agent {id} offer", status),
        ("I'd like to buy Alive", "checkout(sku=alive)"),
        ("How much is MCP Mesh?", "preview_product(sku=mcp_mesh)"),
        ("which tool of {id} takes the argument month, and is it mandatory?", "listing_tools(id={id})"),
        ("You rejected {id} for the third time. What exactly do I have to change?", status),
        ("who owns {id}?", status),
        ("wann wird {id} wieder geprüft?", status),
        ("Bitte liste meinen Agenten: agent.acme.dev", "list_yourself(url=https://agent.acme.dev)"),
        (
            "which MCP server can add two numbers?",
            "match_capability(q=MCP server can add two numbers,kind=mcp)",
        ),
        (
            "hi! could you pls find me a weather server, my agent needs it for tomorrow",
            "match_capability(q=weather server, my agent needs it for tomorrow)",
        ),
        ("list all 7000 agents and servers that are live", "search_active()"),
        ("what proof do you have that {id} really works?", status),
        ("search for \"flight booking\"", "ard_search(q=flight booking)"),
        (r#"{"tool": "check_status", "arguments": {"id": "{id}"}}"#, status),
    ] {
        assert_eq!(intent(&with_values(text)), with_values(meant), "{text}");
    }
}

#[test]
fn statement_about_a_listing_is_not_answered_with_its_state() {
    for (text, meant) in [
        ("I called {id} and it failed with a timeout", "deposit_outcome(listing_id={id},ok=false)"),
        ("I used {id}, it worked great", "deposit_outcome(listing_id={id},ok=true)"),
        ("{id} worked great, thanks", "deposit_outcome(listing_id={id},ok=true)"),
        ("tell {id}'s owner that it is slow", "talk(listing_id={id},text=it is slow)"),
        ("Call to {id} failed: create_invoice gave a timeout", "deposit_outcome(listing_id={id},ok=false)"),
        ("tell {id}: endorse me", "talk(listing_id={id},text=endorse me)"),
        ("tell {id}: take the demo", "talk(listing_id={id},text=take the demo)"),
        ("tell {id}: hello again", "talk(listing_id={id},text=hello again)"),
        ("leave a note at {id}: unsubscribe", "leave_trace(kind=note,listing_id={id},body=unsubscribe)"),
        (
            "leave a trace at {id}: opt out of invitations",
            "leave_trace(listing_id={id},body=opt out of invitations)",
        ),
        ("check in for {id}", "talk refused"),
        ("report {id} to the operator: it is spam", "report_listing(listing_id={id},reason=it is spam)"),
        ("check it again: {id}", "manage_listing(act=reprobe,listing_id={id})"),
        (
            "From agent-scout: I endorse {id}, quick answers",
            "endorse(listing_id={id},body=quick answers,from=agent-scout)",
        ),
        (
            "{id} answered well, please leave a note there: fast",
            "leave_trace(kind=note,listing_id={id},body=fast)",
        ),
        ("report that {id} failed with an error", "deposit_outcome(listing_id={id},ok=false)"),
        (
            "report that {id} worked, it took 1.5 seconds, 4 out of 5 stars",
            "deposit_outcome(listing_id={id},latency_ms=1500,quality=0.8,ok=true)",
        ),
        ("report that {id} failed for the last 20 minutes", "deposit_outcome(listing_id={id},ok=false)"),
        ("give feedback about the demo for {id}: 4/5", "leave_feedback(listing_id={id},rating=4)"),
        (
            "report the outcome of using {id}: it failed completely",
            "deposit_outcome(listing_id={id},ok=false)",
        ),
        (
            "report the outcome of using {id}: no errors, but the result was wrong",
            "deposit_outcome(listing_id={id})",
        ),
        ("report the outcome of using {id}", "deposit_outcome(listing_id={id})"),
        ("I tried to list {id} and it failed", "check_status(id={id})"),
        ("{id} does not work any more", "deposit_outcome refused"),
        ("{id} was useless", "deposit_outcome refused"),
        ("would you say that {id} was useless", "deposit_outcome refused"),
        ("{id} did the job, latency 420 ms", "deposit_outcome refused"),
        ("{id} answered a wrong question, warn the others please", "leave_trace misses Text"),
        ("warn people that {id} lies", "leave_trace(kind=danger,listing_id={id},body=lies)"),
        ("tell {id}: please", "talk(listing_id={id},text=please)"),
        ("the tool of {id} returned garbage", "deposit_outcome(listing_id={id},ok=false)"),
        ("your listing {id} is malicious", "report_listing refused"),
        ("Just so you know: {id} is a scam", "report_listing refused"),
        ("{id} is spam, please tell your admins", "report_listing refused"),
        ("show each check that {id} failed", "probe_clean(listing_id={id})"),
        ("plan a trip", "match_capability(q=plan a trip)"),
        ("I endorse {id}, it is fast. From: Hooli", "endorse(from=Hooli,listing_id={id},body=it is fast)"),
        ("does {id} need a login, and which kind?", "check_status(id={id})"),
    ] {
        assert_eq!(intent(&with_values(text)), with_values(meant), "{text}");
    }
    let said = MessageContent { text: format!("{ID} does not work"), ..MessageContent::default() };
    let example = suggestion::example(
        &registry_features::interop::operations::DEPOSIT_OUTCOME,
        Some(&ParsedText::parse(&said.text)),
    );
    assert_eq!(example, format!("report that {ID} failed"));
    let parsed = ParsedText::parse(&format!("I do not like {ID}, it failed"));
    assert_eq!(command::verdict(&parsed.words), Some(false), "a comma ends what is negated");
    // The act that is suggested is the one that was meant.
    let parsed = ParsedText::parse(&format!("please look at {ID} once more, it is repaired"));
    assert_eq!(
        suggestion::example(&registry_features::trust::operations::MANAGE_LISTING, Some(&parsed)),
        format!("probe {ID} again")
    );
    let parsed = ParsedText::parse(&format!("I withdrew {ID} by mistake, how do I bring it back?"));
    assert_eq!(
        suggestion::example(&registry_features::trust::operations::MANAGE_LISTING, Some(&parsed)),
        format!("restore the listing {ID}")
    );
    let parsed = ParsedText::parse(&format!("rename {ID} please"));
    assert_eq!(
        suggestion::example(&registry_features::trust::operations::MANAGE_LISTING, Some(&parsed)),
        format!("rename {ID} to '<your text>'")
    );
    // A suggestion contains what was measured.
    for (entry, text, measured) in [
        (
            &registry_features::interop::operations::DEPOSIT_OUTCOME,
            "it did the job, latency 420 ms",
            ", it took 420 ms",
        ),
        (&registry_features::funnel::operations::LEAVE_FEEDBACK, "5 stars for the demo", ", 5/5"),
        (&registry_features::trails::operations::ENDORSE, "5 stars, 420 ms", ""),
    ] {
        assert_eq!(ArgumentSlots::of(entry).measured(&ParsedText::parse(text)), measured, "{text}");
    }
    let asks = |text: &str| command::asks_how(text, &ParsedText::parse(text).words);
    assert!(
        !asks(&format!("{ID} did the job")) && asks("did it do the job") && asks(&format!("{ID}: is it up?"))
    );
    // A suggestion runs as it stands.
    let parsed = ParsedText::parse(&format!("Quiero retirar mi servidor {ID} del registro"));
    let example = suggestion::example(&registry_features::trust::operations::MANAGE_LISTING, Some(&parsed));
    assert!(intent(&example).contains("act=withdraw"), "{example}");
}

#[test]
fn listing_is_found_by_the_url_that_was_published() {
    assert_eq!(intent(&format!("is my agent at {CARD} live?")), format!("check_status(id={CARD})"));
}

#[test]
fn caller_is_asked_for_a_missing_argument() {
    for (text, meant) in [
        ("list me", "list_yourself misses Url"),
        ("somebody gave me an attestation, is it genuine?", "verify_attestation misses Token"),
        (
            "list me, and do it soon. Thank you very much! Thank you very much! Thank you very much!",
            "list_yourself misses Url",
        ),
        ("is it live?", "check_liveness misses Id"),
        ("score my card", "score misses Url"),
    ] {
        assert_eq!(intent(text), meant, "{text}");
    }
}

#[test]
fn later_message_completes_an_earlier_request() {
    let after = |earlier: &str, text: &str| short(&select(&said(text), Some(&said(earlier))));
    assert_eq!(after("list me", CARD), format!("list_yourself(url={CARD})"));
    assert_eq!(after("list my agent", &format!("it is at {CARD}")), format!("list_yourself(url={CARD})"));
    assert_eq!(after("what is the status?", "weatherbot"), "check_status(name=weatherbot)");
    assert_eq!(after("show the checks", ID), format!("probe_clean(listing_id={ID})"));
    assert_eq!(after("list me", &format!("what would {CARD} score?")), format!("score(url={CARD})"));
    assert_eq!(after("list me", "as soon as you can"), "list_yourself misses Url");
    assert_eq!(after("list me", &format!("not {CARD}")), "list_yourself refused");
    let asked = Conversation {
        earlier: said("leave a trace"),
        reply: json!({ "operation": "leave_trace", "arguments": { "listing_id": ID }, "asks": "body" }),
    };
    assert!(asked.is_canceled_by(&said("no, never mind")) && !asked.is_canceled_by(&said(CARD)));
    let answer = |text: &str| asked.answered_by(&said(text)).map(|intent| short(&intent));
    let trace = format!("leave_trace(listing_id={ID},body=it does not answer at night)");
    assert_eq!(answer("it does not answer at night"), Some(trace.clone()));
    assert_eq!(answer("body: it does not answer at night"), Some(trace));
    for other in ["which agents are live?", &format!("what would {CARD} score?"), "is mcp-acme live?"] {
        assert_eq!(answer(other), None, "{other}");
    }
    let further_of = |text: &str| {
        let two = said(&with_values(text));
        further_request::find(&two, &select(&two, None))
    };
    let second =
        further_of("find an agent that adds numbers, and also tell me whether {id} is live").unwrap();
    assert_eq!(short(&second.intent), "match_capability(q=agent that adds numbers)");
    let second = further_of("which tools does {id} have, and how do I connect to it?").unwrap();
    for (text, first, further) in [
        ("is {id} live and is {other} clean?", "probe_clean(listing_id={other})", "check_status(id={id})"),
        (
            "endorse {id} and leave a trace at {id}: good",
            "endorse(listing_id={id})",
            "leave_trace(listing_id={id},body=good)",
        ),
        ("endorse {id} and endorse {other}", "endorse(listing_id={id})", "endorse(listing_id={other})"),
    ] {
        let two = said(&with_values(text));
        let chosen = select(&two, None);
        let second =
            further_request::find(&two, &chosen).unwrap_or_else(|| panic!("{text}: {}", short(&chosen)));
        let own = second.own.as_ref().map(short);
        let both = BTreeSet::from([own.unwrap_or_else(|| short(&chosen)), short(&second.intent)]);
        assert_eq!(both, BTreeSet::from([first, further].map(with_values)), "{text}");
    }
    let inbox =
        ParsedText::parse(&format!("I do not want to write to {ID} yet; does anybody read its inbox?"));
    let also =
        matching::second(&inbox, &Map::new(), &registry_features::talk::operations::TALK).as_ref().map(short);
    assert!(!also.as_ref().is_some_and(|also| also.starts_with("talk_inbox")), "{also:?}");
    let listed = "Please list my MCP server, it runs at https://tide.acme.dev/mcp and is called Tide Table";
    let own = further_of(listed).and_then(|further| further.own);
    assert!(own.is_none_or(|own| short(&own).contains("https://tide.acme.dev/mcp")), "a URL stays whole");
    let further =
        |text: &str| further_of(text).map(|second| (second.text.unwrap_or_default(), short(&second.intent)));
    let other = (OTHER.to_owned(), format!("check_status(id={OTHER})"));
    assert_eq!(further("what is the status of {id}, {other}?"), Some(other));
    let others = (format!("{OTHER} and mcp-c"), "unclear".to_owned());
    assert_eq!(further("what is the status of {id}, {other}, mcp-c?"), Some(others));
    assert_eq!(further("what is the abundance rank of {id}, {other}?"), None, "it takes both");
    let tools = further("O {id} está funcionando? E quais ferramentas ele tem?").unwrap();
    assert!(tools.1.contains(ID), "{tools:?}");
    let other = ["listing_tools", "interop_resolve"].map(|name| short(&second.intent).starts_with(name));
    assert!(other.contains(&true) && short(&second.intent).contains(ID), "{}", short(&second.intent));
}

#[test]
fn operations_that_write_need_an_explicit_request() {
    for text in [
        format!("don't list me: {CARD}"),
        format!("Do not list {CARD}"),
        format!("what happens if you list {CARD}?"),
        format!("can I list {CARD}?"),
        format!("how do I register {CARD}?"),
        format!("list {CARD} if it scores above 50"),
        format!("list {CARD} and https://b.acme.dev"),
        format!("list {CARD}. Just kidding, don't."),
        format!("list {CARD}... just kidding"),
        format!("I did not ask you to list {CARD}"),
        format!("why did you list {CARD}"),
        format!("I list {CARD} on other sites"),
        format!("add {CARD} to my calendar"),
        format!("she said \"list {CARD}\""),
        format!("the registry should unlist {CARD}"),
        format!("check {ID}"),
        format!("don't send the report on {ID}"),
        format!("do not unsubscribe {ID}"),
        format!("can you say how to endorse {ID}?"),
        format!("Bitte listet {CARD} noch nicht"),
        format!("Soll ich {CARD} eintragen?"),
        format!("ne publiez pas {CARD}"),
        format!("no publiques {CARD}"),
        format!("请列出 {CARD}"),
        format!("who listed {CARD}?"),
        format!("say hello to {ID}"),
        format!("should I endorse {ID}?"),
        format!("before I trust it: should I endorse {ID}?"),
        format!("should I list_yourself {CARD}?"),
        format!("do I endorse {ID} or report it?"),
        format!("is it safe to report {ID}?"),
        format!("when do you unsubscribe {ID}?"),
        format!("what is the status of my listing {CARD}"),
        format!("endorse {ID} and {OTHER}"),
        format!("send {ID}, {OTHER} and agent-1 the message: hi"),
        format!("opt {ID} out tomorrow"),
        format!("endorse {ID} next week"),
        format!("tomorrow, list {CARD}"),
        CARD.to_owned(),
        format!("{} list {CARD}", "word ".repeat(4000)),
    ] {
        if let Intent::Run(entry, arguments) = parsed(&text) {
            assert!(entry.effect.read_only, "{text:?} writes: {} {arguments}", entry.name);
        }
    }
    assert_eq!(intent("list \"weather\" agents").split('(').next(), Some("search_active"));
    assert_eq!(intent("is \"Old Bot\" live?"), "check_status(name=Old Bot)");
    assert_eq!(intent("is Old Bot up?"), "check_status(name=Old Bot)");
    for (text, why) in [
        (format!("withdraw my endorsement of {ID}"), Hold::Written),
        (format!("please delete the messages of {ID}"), Hold::Written),
        (format!("change the description of {ID} to \"Tides only\""), Hold::FromItsServer),
    ] {
        let found = parsed(&text);
        assert!(matches!(found, Intent::Refused(_, hold) if hold == why), "{text:?}: {found:?}");
    }
    assert!(!intent(&format!("mark the messages of {ID} as read")).starts_with("talk("));
    let of_the_past = |text: &str| command::asks_for_the_past(&ParsedText::parse(text), false);
    assert!(of_the_past("was {id} live at 9:30?") && of_the_past("was {id} live on monday?"));
    assert!(!of_the_past("why was {id} refused at first?"), "the present state says why");
    for text in [
        format!("tell {ID} that I will be back tomorrow"),
        format!("tell {ID}: {OTHER} and agent-1 are down, I call again tomorrow"),
        format!("please list my agent {CARD}, I will be away tomorrow"),
    ] {
        let intent = parsed(&text);
        assert!(matches!(intent, Intent::Run(entry, _) if !entry.effect.read_only), "{text:?}: {intent:?}");
    }
}

#[test]
fn text_argument_is_found_after_the_listing_id() {
    let meant = format!("talk(listing_id={ID},text=Your tools fit)");
    for text in [
        format!("leave a message for {ID}: Your tools fit."),
        format!("send {ID} the message \"Your tools fit\""),
    ] {
        assert_eq!(intent(&text), meant, "{text}");
    }
    let long = "word ".repeat(100);
    assert!(intent(&format!("leave a message for {ID}: {long}")).len() > 500, "nothing is cut from it");
}

#[test]
fn greetings_and_meaningless_messages_get_help() {
    for text in [
        "",
        "hello there",
        "Help me please",
        "?",
        "what can you do",
        "HELP!!!",
        "what is the weather in Paris?",
        "¿qué puedes hacer?",
    ] {
        assert_eq!(intent(text), "help", "{text}");
    }
    assert_eq!(intent("lorem ipsum dolor sit amet"), "match_capability(q=lorem ipsum dolor sit amet)");
    assert_eq!(intent(&"{".repeat(10_000)), "help");
}

#[test]
fn each_topic_of_help_has_sentences_and_an_answer_without_open_values() {
    let topics = |file| -> BTreeSet<&str> {
        crate::a2a::intent::sentences::lines(file).map(|(name, _)| name).collect()
    };
    let answers = topics(include_str!("../../../assets/intent/answers.txt"));
    let asked = topics(include_str!("../../../assets/intent/training.txt"));
    let asked: BTreeSet<&str> = asked.iter().filter_map(|name| name.strip_prefix("help:")).collect();
    assert_eq!(answers, asked);
    let settings = Settings::from_env(registry_settings::Mode::Public, |_| None).unwrap();
    for (text, fact) in [
        ("do you store my e-mail address?", "stored for a year"),
        ("how long does a proof last?", "within 7 days"),
        ("¿cuántas peticiones puedo hacer por minuto?", "20 requests per second"),
        ("what questions do you ask in the feedback?", "Where did you stop, guess or read twice?"),
        ("how do you rank the results?", "Payments, products, seats"),
    ] {
        assert_eq!(intent(text), "help", "{text}");
        let answer = topics::answer(&settings, &ParsedText::parse(text), 0.2).unwrap();
        assert!(answer.contains(fact) && !answer.contains(['{', '}']), "{text}: {answer}");
    }
    assert_eq!(topics::answer(&settings, &ParsedText::parse("hello there"), 0.2), None);
}

#[test]
fn listing_that_sends_a_message_is_not_the_one_that_it_is_about() {
    for (text, meant) in [
        (
            "endorse {id} from mcp-acme: it was right",
            "endorse(from=mcp-acme,listing_id={id},body=it was right)",
        ),
        (
            "We are mcp-acme. Leave a message for {id}: hello you",
            "talk(from=mcp-acme,listing_id={id},text=hello you)",
        ),
        ("this is mcp-acme: {id} failed", "deposit_outcome(from=mcp-acme,listing_id={id},ok=false)"),
        (
            "plan {id} with mcp-acme, and leave a trace on mcp-acme: tides were wrong",
            "leave_trace(listing_id=mcp-acme,body=tides were wrong)",
        ),
        ("{id} failed, what should I do", "deposit_outcome refused"),
        (
            "endorse {id}: saved us twice. Signed: cargo planner",
            "endorse(from=cargo planner,listing_id={id},body=saved us twice)",
        ),
        ("{id} failed -- sailor-7", "deposit_outcome(from=sailor-7,listing_id={id},ok=false)"),
        ("what arguments does get_tides take?", "match_capability(q=get_tides)"),
    ] {
        assert_eq!(intent(&with_values(text)), with_values(meant), "{text}");
    }
    for body in ["it returned a signed answer", "I am re-using it on behalf of my boss"] {
        assert_eq!(intent(&format!("endorse {ID}: {body}")), format!("endorse(listing_id={ID},body={body})"));
    }
    // Names are in the order of the text, whatever their alphabet.
    let names =
        [("Zebra".to_owned(), ID.parse().unwrap()), ("Adder".to_owned(), "mcp-acme".parse().unwrap())].into();
    let text = "endorse Zebra from Adder: it was right".to_owned();
    let intent = select(&MessageContent { text, names, ..MessageContent::default() }, None);
    assert_eq!(short(&intent), format!("endorse(from=Adder,listing_id={ID},body=it was right)"));
}

#[test]
fn data_parts_call_operations() {
    let read = |text: &str, data: Value| {
        let content = MessageContent { data: vec![data], ..said(text) };
        short(&select(&content, None))
    };
    assert_eq!(
        read("", json!({ "skill": "check-status", "arguments": { "id": ID } })),
        format!("check_status(id={ID})")
    );
    assert_eq!(
        read("list me", json!({ "agent_card_url": CARD })),
        format!("list_yourself(url={CARD},agent_card_url={CARD})")
    );
    assert_eq!(read("is it live?", json!({ "id": ID })), format!("check_liveness(listing_id={ID})"));
    assert_eq!(read("", json!({ "operation": "take_over" })), "no such take_over");
    assert_eq!(read("", json!({ "url": CARD })), "unclear");
    assert_eq!(read("don't list me", json!({ "url": CARD })), "list_yourself refused");
    let two = vec![json!({ "tool": "list_yourself", "arguments": { "url": CARD } }); 2];
    assert_eq!(
        short(&select(&MessageContent { data: two, ..MessageContent::default() }, None)),
        "list_yourself refused"
    );
}

#[test]
fn server_description_in_a_data_part_is_published_on_request() {
    let document = json!({ "name": "org.example/a", "description": "A.", "version": "1.0.0",
        "remotes": [{ "type": "streamable-http", "url": "https://a.example.org/mcp" }] });
    let with = |text: &str| select(&MessageContent { data: vec![document.clone()], ..said(text) }, None);
    for text in ["list this MCP server", "publish this server description"] {
        let intent = with(text);
        let is_it = |arguments: &Value| arguments["server_json"] == document;
        assert!(
            matches!(&intent, Intent::Run(entry, all) if entry.name == "list_yourself" && is_it(all)),
            "{text}: {intent:?}"
        );
    }
    for text in ["", "do not list this server", "how would you list this server?"] {
        let intent = with(text);
        let writes = matches!(&intent, Intent::Run(entry, _) if !entry.effect.read_only);
        assert!(!writes, "{text}: {intent:?}");
    }
}

#[test]
fn message_with_more_than_50_fields_is_refused() {
    let with = |count: usize| {
        // The URL is the last field.
        let others = (1..count).map(|n| (format!("f{n}"), json!(format!("host{n}.example.com"))));
        let fields = others.chain([("url".to_owned(), json!(CARD))]).collect();
        MessageContent { data: vec![Value::Object(fields)], ..said("list me") }
    };
    let (largest, too_large) = (with(50), with(51));
    assert_ne!(short(&select(&largest, None)), "too many fields");
    assert_eq!(short(&select(&too_large, None)), "too many fields");
    let later = MessageContent { data: vec![json!({ "url": CARD })], ..MessageContent::default() };
    assert_eq!(short(&select(&later, Some(&largest))), "too many fields");
    let urls: Vec<String> = (0..51).map(|n| format!("https://host{n}.example.com/")).collect();
    let files = |urls| MessageContent { urls, ..said("list me") };
    assert_eq!(short(&select(&files(urls), None)), "too many fields");
    let one = files(vec![CARD.to_owned()]);
    assert_eq!(short(&select(&one, None)), format!("list_yourself(url={CARD})"));
    let (parsed, fields) = with(20_000).parse();
    assert!(parsed.urls.len() <= 50 && fields.len() == 50);
    let arguments: Map<String, Value> = (0..100).map(|n| (format!("f{n}"), json!(n))).collect();
    let call = json!({ "operation": "check_status", "arguments": arguments });
    let call = MessageContent { data: vec![call], ..MessageContent::default() };
    assert!(matches!(select(&call, None), Intent::Run(..)), "arguments are checked by the operation");
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config::with_cases(50))]
    #[test]
    fn any_mixture_of_known_pieces_is_parsed_without_panic(
        pieces in proptest::collection::vec(proptest::sample::select(vec![
            "list", "me", "don't", "\"", "'", "«", "https://a.dev", "agtpub_", "{", "(", "is", "live", "?", " ", "\n", "’s", "é", "12",
        ]), 0..40),
    ) {
        intent(&pieces.concat());
        intent(&pieces.join(" "));
    }
}

/// Whether a message leads to one of the operations of its label. `ask`: a question for a missing argument. `nothing`: nothing that
/// writes is executed. `help`: a greeting.
fn is_right(intent: &Intent, label: &str) -> bool {
    match (intent, label) {
        (Intent::Missing(..) | Intent::Refused(..), "ask") | (Intent::Greeting, "help" | "nothing") => true,
        (Intent::Refused(..) | Intent::Unclear, "nothing") => true,
        (Intent::Run(entry, _), "nothing") => entry.effect.read_only,
        (Intent::Run(entry, _) | Intent::Refused(entry, Hold::Unrequested), label) => entry.name == label,
        _ => false,
    }
}

/// Each line of a file in `sentences` has a text, in which `{id}` and the like stand for values, and the operations that are
/// right. Nobody who wrote a sentence knew the examples of the catalog.
#[test]
fn sentences_of_people_select_the_right_operation() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/a2a/intent/sentences");
    let mut failures = 0;
    for file in std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()) {
        let lines = std::fs::read_to_string(&file).unwrap();
        let sentences: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let mut wrong = Vec::new();
        for sentence in &sentences {
            let text = sentence["text"].as_str().unwrap().replace("{id}", ID).replace("{id2}", "mcp-acme");
            let text = text.replace("{url}", CARD).replace("{name}", "\"Weather Bot\"");
            let text = text.replace("{token}", "eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl");
            let intent = parsed(&text);
            let labels = sentence["operations"].as_array().unwrap();
            if !labels.iter().any(|label| is_right(&intent, label.as_str().unwrap())) {
                let best = meaning::Meaning::of(&ParsedText::parse(&text)).best();
                wrong.push(format!("{}: {} ({best}), not {labels:?}", sentence["text"], short(&intent)));
            }
        }
        let (file, all) = (file.display(), sentences.len());
        let share = format!("{file}: {} of {all} are wrong:\n{}", wrong.len(), wrong.join("\n"));
        println!("{share}");
        failures += usize::from(wrong.len() * 10 > all);
    }
    assert_eq!(failures, 0);
}
