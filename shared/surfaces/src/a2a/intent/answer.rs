//! Answers a message: its request, what it also requests, and what it asks about the registry.

use serde_json::Value;

use crate::a2a::intent::argument_slots::{ArgumentSlots, Slot};
use crate::a2a::intent::execution::{MAX_REPLY, SHORTENED, run};
use crate::a2a::intent::explanation::explain;
use crate::a2a::intent::further_request::Further;
use crate::a2a::intent::interpretation::Interpretation;
use crate::a2a::intent::reply::{Outcome, Reply};
use crate::a2a::intent::request::Intent;
use registry_app::App;
use registry_features::operation::short;
use registry_model::Caller;
use registry_model::error::Problem;

/// Executes what a message requests and writes the reply.
///
/// # Errors
/// Only server-side and temporary faults, such as a busy table. An error of the caller is a reply.
pub async fn answer(app: &App, caller: &Caller, interpretation: Interpretation) -> Result<Reply, Problem> {
    let Interpretation { message, intent, mut further, topic } = interpretation;
    let own = further.as_mut().and_then(|further| further.own.take());
    let mut reply = match own.unwrap_or(intent) {
        Intent::Run(entry, arguments) => run(app, caller, entry, arguments).await?,
        other => explain(app, &message, &other),
    };
    if let Some(further) = further {
        add_further(app, caller, &mut reply, further).await?;
    } else if let Some(topic) = topic.filter(|_| reply.outcome != Outcome::Done) {
        // Who asks what an act means wants that first.
        match reply.data["reason"] == "held" {
            true => reply.text.insert_str(0, &format!("{topic} ")),
            false => reply.add(&format!(" About the registry: {topic} ")),
        }
    }
    // A suggestion and the next step stay as they can be sent.
    for (name, id) in &message.names {
        if !reply.text.to_lowercase().contains(&name.to_lowercase()) {
            reply.text = reply.text.replacen(id.as_str(), &format!("\"{name}\" ({id})"), 1);
        }
    }
    Ok(reply)
}

/// Answers a second request that only reads. Of any other, says that it was not done.
async fn add_further(app: &App, caller: &Caller, reply: &mut Reply, further: Further) -> Result<(), Problem> {
    let Further { text, intent, .. } = further;
    // "Which server converts currencies, and how do I call it?" asks about the first hit.
    let hit = &reply.data["result"]["hits"][0]["listing_id"];
    let intent = match intent {
        Intent::Missing(entry, Slot::Id, mut arguments) if hit.is_string() && entry.effect.read_only => {
            let id = ArgumentSlots::of(entry).argument(Slot::Id, 0).unwrap_or("listing_id").to_owned();
            arguments.insert(id, hit.clone());
            Intent::Run(entry, Value::Object(arguments)).with_short_answer()
        }
        intent => intent,
    };
    let sentence = match intent {
        Intent::Run(entry, arguments)
            if entry.effect.read_only
                && matches!(reply.outcome, Outcome::Read | Outcome::Done | Outcome::Explained) =>
        {
            let mut second = run(app, caller, entry, arguments).await?;
            let used = reply.text_len() + reply.data.to_string().len() + second.text.len();
            let (result, cut) = short::fitted(second.data["result"].take(), MAX_REPLY.saturating_sub(used));
            second.data["result"] = result;
            reply.data["also"] = second.data;
            let note = if cut && !second.is_shortened { SHORTENED } else { " " };
            let asked =
                text.map_or_else(|| "What also fits".to_owned(), |text| format!("You also said \"{text}\""));
            format!(" {asked}: {}{note}", second.text.trim_end())
        }
        _ => text.map_or_else(String::new, |text| {
            format!(" One message is one request, so this was not done: \"{text}\". Send it alone. ")
        }),
    };
    reply.add(&sentence);
    Ok(())
}
