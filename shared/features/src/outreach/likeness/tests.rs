use super::*;
use crate::publish::submission::{PublishRequest, Submission};
use registry_model::{Category, Facts, Handshake, Kind, Moment, Reach, Skill, Tool, Verdict};

fn listing(name: &str, description: &str) -> Listing {
    let url = Some("https://a.example.org/.well-known/agent-card.json".to_owned());
    let request = PublishRequest { url, ..PublishRequest::default() };
    let submission = Submission::parse(request, Reach::Public).unwrap();
    let mut listing = submission.listing(submission.ids().0, Moment::UNIX_EPOCH);
    listing.texts.name = name.to_owned();
    listing.texts.description = Some(description.to_owned());
    listing
}

fn evidence(tools: usize, versions: usize) -> Assessment {
    let facts = Facts {
        tools: (0..tools).map(|n| Tool { name: format!("tool_{n}"), ..Tool::default() }).collect(),
        protocol_versions: (0..versions).map(|n| n.to_string()).collect(),
        ..Facts::default()
    };
    let verdict = Verdict { handshake: Handshake::Ok, speaks: true, facts, ..Verdict::default() };
    let score = registry_probe::score::compute_score(&verdict, &[], None);
    Assessment { verdict, checks: Vec::new(), score, probed_at: Moment::UNIX_EPOCH, changed: None }
}

#[test]
fn role_words_of_a_listing_give_points() {
    for (name, description, points, role) in [
        ("Weather Bot", "Tells the weather.", 0, None),
        ("Sunny Router", "Tells the weather.", 14, Some("router")),
        ("Sunny", "A gateway to other servers.", 8, Some("router")),
        ("Sunny", "A gateway gateway gateway proxy bridge.", 8, Some("router")),
        ("Sunny", "A gateway between A2A and MCP.", 14, Some("router")),
        ("Agent Registry", "A marketplace with a federated mesh.", 30, Some("directory")),
        ("GitHub Files", "Lists a directory; needs no thub.", 0, None),
        ("Multi-Agent Swarm", "", 14, Some("orchestrator")),
    ] {
        let found = Likeness::of(&listing(name, description), None);
        assert_eq!((found.points, found.role), (points, role), "{name}: {:?}", found.traits);
    }
}

#[test]
fn number_of_tools_and_versions_gives_points_only_with_a_role() {
    let busy = evidence(25, 2);
    assert_eq!(Likeness::of(&listing("Weather Bot", ""), Some(&busy)), Likeness::default());
    for (tools, versions, points) in
        [(0, 1, 14), (9, 1, 14), (10, 1, 18), (24, 1, 18), (25, 1, 22), (25, 2, 26)]
    {
        let found = Likeness::of(&listing("Sunny Router", ""), Some(&evidence(tools, versions)));
        assert_eq!(found.points, points, "{tools} tools, {versions} versions: {:?}", found.traits);
    }
}

#[test]
fn abilities_and_category_give_points() {
    let mut proof = evidence(0, 1);
    let skill = |name: &str| Skill { name: name.to_owned(), ..Skill::default() };
    proof.verdict.facts.skills = vec![skill("Delegate tasks"), skill("Route")];
    let found = Likeness::of(&listing("Sunny", "Tells the weather."), Some(&proof));
    assert_eq!((found.points, found.role), (4, Some("orchestrator")), "{:?}", found.traits);
    let mut planner = listing("Sunny Coordinator", "");
    planner.texts.category =
        Category::of(Kind::Agent, "Coordinator", &["orchestrates and coordinates a swarm"]);
    assert_eq!(planner.texts.category.id(), "multi-agent");
    let found = Likeness::of(&planner, Some(&proof));
    assert_eq!(found.points, 14 + 4 + 6, "{:?}", found.traits);
}

#[test]
fn points_are_capped_at_a_hundred() {
    let all = "router registry orchestrator marketplace federation a2a mcp";
    let mut everything = listing(all, all);
    everything.texts.category = Category::of(Kind::Agent, "Coordinator", &["orchestrates a swarm"]);
    let found = Likeness::of(&everything, Some(&evidence(30, 3)));
    assert!((90..=100).contains(&found.points), "{:?}", found.traits);
}
