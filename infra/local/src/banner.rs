//! The text that the registry prints when it starts: its address, what it may reach, and what to try next.
//! A registry that may probe loopback is a risk on a shared machine, so the text says so at every start.

use local::{Data, Local};
use registry::settings::{Mode, Settings};

pub(crate) fn print(local: &Local, data: &Data) {
    let open_to_others = !local.address.ip().is_loopback();
    print!("{}", text(&local.app.settings, &local.url(""), data, open_to_others));
}

fn text(settings: &Settings, here: &str, data: &Data, open_to_others: bool) -> String {
    let base = if settings.base_url == here {
        here.to_owned()
    } else {
        format!("{here}\n  known to callers as {}", settings.base_url)
    };
    let rules = match settings.mode {
        Mode::Public => "public rules: only https at public addresses is probed",
        Mode::Development => {
            "development mode: it may probe this machine (loopback, plain http); --public forbids that"
        }
    };
    let warning = match settings.mode {
        Mode::Development if open_to_others => {
            "\n  CAREFUL: other machines can reach this address, and have it probe this one; add --public"
        }
        _ => "",
    };
    let kept = match data {
        Data::Memory => "in memory, gone when it stops".to_owned(),
        Data::File(path) => format!("{} (remove the file to start anew)", path.display()),
    };
    format!(
        "
{brand} {version}
  {base}
  {rules}{warning}
  data: {kept}
  a new listing is probed at once, what is due every {tick} s

Try next:
  curl {here}/discovery.json
  curl {here}/api/publish -H 'content-type: application/json' -d '{{\"url\": \"<address of an agent card or MCP server>\"}}'
  curl {here}/api/listings/active

Ctrl-C stops it.

",
        brand = settings.brand,
        version = registry::VERSION,
        tick = settings.probe_tick_seconds,
    )
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    const HERE: &str = "http://127.0.0.1:8080";

    fn settings(mode: Mode, base_url: &str) -> Settings {
        Settings::from_env(mode, |name| (name == "BASE_URL").then(|| base_url.to_owned())).unwrap()
    }

    #[test]
    fn the_reach_into_this_machine_is_told() {
        let file = Data::File(PathBuf::from("./data/registry.db"));
        let told = text(&settings(Mode::Development, HERE), HERE, &file, false);
        assert!(told.contains("may probe this machine (loopback, plain http)"), "{told}");
        assert!(told.contains("data: ./data/registry.db"), "{told}");
        assert_eq!(told.matches("curl ").count(), 3);
        assert!(!told.contains("CAREFUL") && !told.contains("known to callers"));
        let open = text(&settings(Mode::Development, HERE), HERE, &file, true);
        assert!(open.contains("CAREFUL"), "{open}");
    }

    #[test]
    fn public_rules_and_the_outer_address_are_told() {
        let settings = settings(Mode::Public, "https://registry.example.com/");
        let told = text(&settings, HERE, &Data::Memory, true);
        assert!(told.contains("known to callers as https://registry.example.com\n"), "{told}");
        assert!(told.contains("public rules") && told.contains("in memory"), "{told}");
        assert!(!told.contains("loopback") && !told.contains("CAREFUL"), "{told}");
    }
}
