use super::*;
use registry_settings::Mode;

#[test]
fn payments_open_when_agents_and_servers_both_reach_the_target() {
    let payments = |switch: &str| {
        let switch = Some(switch.to_owned());
        Settings::from_env(Mode::Public, |name| switch.clone().filter(|_| name == "PAYMENTS")).unwrap()
    };
    let meter = |settings: &Settings, agents, mcps, drafts| {
        let counts = FunnelCounts {
            feedback_agents: agents,
            feedback_mcps: mcps,
            drafts_agents: drafts,
            ..FunnelCounts::default()
        };
        let unlock = unlock(settings, &counts);
        (unlock.payments_open, unlock.progress_pct)
    };
    let allowed = payments("elsewhere");
    assert_eq!(meter(&allowed, 0, 0, 0), (false, 0));
    assert_eq!(meter(&allowed, 250, 249, 0), (false, 99));
    assert_eq!(meter(&allowed, 4000, 0, 0), (false, 50));
    assert_eq!(meter(&allowed, 250, 250, 0), (true, 100));
    assert_eq!(meter(&allowed, 250, 250, 1), (false, 99), "an unchanged draft does not count");
    assert_eq!(meter(&payments("off"), 250, 250, 0), (false, 100), "the operator must allow payments");
    assert_eq!(meter(&payments("on"), 250, 250, 0), (false, 100), "there are no secrets of a provider");
}
