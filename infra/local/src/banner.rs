//! The text that the registry prints when it starts: its address, which addresses it may probe, and what to try next. A
//! registry that may probe loopback is a risk on a shared machine. So the banner warns about this at every start.

use local::{Data, Local};
use registry::settings::{Mode, Settings};

pub(crate) fn print(local: &Local, data: &Data) {
    let is_reachable_by_others = !local.address.ip().is_loopback();
    print!("{}", text(&local.app.settings, &local.url(""), data, is_reachable_by_others));
}

fn text(settings: &Settings, local_url: &str, data: &Data, is_reachable_by_others: bool) -> String {
    let url = if settings.base_url == local_url {
        local_url.to_owned()
    } else {
        format!("{local_url}\n  public URL: {}", settings.base_url)
    };
    let rules = match settings.mode {
        Mode::Public => "public rules: it probes only https URLs at public addresses",
        Mode::Development => {
            "development mode: it may probe this machine (loopback, plain http); to forbid this, add --public"
        }
    };
    let warning = match settings.mode {
        Mode::Development if is_reachable_by_others => {
            "\n  WARNING: other machines can reach this address and make the registry probe this machine. To \
             prevent this, add --public"
        }
        Mode::Public if settings.base_url == local_url => {
            "\n  WARNING: cards, proofs and links name this address. Set BASE_URL to the URL that callers use"
        }
        _ => "",
    };
    let data = match data {
        Data::Memory => "in memory (lost when the registry stops)".to_owned(),
        Data::File(path) => format!("{} (to start with no data, remove this file)", path.display()),
    };
    format!(
        "
{brand} {version}
  {url}
  {rules}{warning}
  data: {data}
  probes: new listings at once; every {tick} s, listings that are due

Try next:
  curl {local_url}/discovery.json
  curl {local_url}/api/publish -H 'content-type: application/json' -d '{{\"url\": \"<address of an agent card or MCP server>\"}}'
  curl {local_url}/api/listings/active

To stop the registry, press Ctrl-C.

",
        brand = settings.brand,
        version = registry::VERSION,
        tick = settings.probe_tick_seconds,
    )
}

#[cfg(test)]
mod tests;
