//! How to use a listing. For an MCP server, this is the command or file of each client. For an agent, it is
//! the card and a first message. Pages show these snippets, and the products contain the same snippets.

use super::profile::Profile;
use super::text::capital;
use super::{calls, clients};
use registry_model::Kind;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    pub title: String,
    /// `None` for a command.
    pub file: Option<&'static str>,
    pub text: String,
}

pub fn install(profile: &Profile) -> Vec<Snippet> {
    let of_client = |client: clients::Client| {
        let title = client.name.to_owned();
        match client.command.as_str() {
            "" => Snippet { title, file: client.paths.first().copied(), text: client.file.content },
            _ => Snippet { title, file: None, text: client.command },
        }
    };
    let of_call = |(what, call): (String, String)| Snippet { title: capital(&what), file: None, text: call };
    match profile.kind {
        Kind::Mcp => clients::of(profile).into_iter().map(of_client).collect(),
        Kind::Agent => calls::of(profile, None).into_iter().map(of_call).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(kind: Kind) -> Profile {
        let endpoint = Some("https://a.example/it's".to_owned());
        let card_url = Some("https://a.example/.well-known/agent-card.json".to_owned());
        Profile { endpoint, card_url, ..Profile::unlisted(kind, "Adder", None, Vec::new()) }
    }

    #[test]
    fn each_mcp_client_gets_an_install_command_or_file() {
        let snippets = install(&profile(Kind::Mcp));
        let titles: Vec<_> = snippets.iter().map(|snippet| (snippet.title.as_str(), snippet.file)).collect();
        assert_eq!(
            titles,
            [
                ("VS Code", None),
                ("Cursor", Some(".cursor/mcp.json")),
                ("Claude Code", None),
                ("Claude Desktop", Some("claude_desktop_config.json")),
                ("Codex", None),
                ("Gemini CLI", None),
                ("Windsurf", Some("~/.codeium/windsurf/mcp_config.json")),
                ("Zed", Some(".zed/settings.json")),
                ("Cline", Some("cline_mcp_settings.json")),
                ("Goose", Some("~/.config/goose/config.yaml")),
                ("LM Studio", Some("mcp.json")),
            ]
        );
        for command in snippets.iter().filter(|snippet| snippet.file.is_none()) {
            assert!(shell_words::split(&command.text).is_ok(), "{}", command.text);
        }
    }

    #[test]
    fn install_texts_of_an_agent_contain_its_card_and_a_first_message() {
        let snippets = install(&profile(Kind::Agent));
        assert_eq!(snippets[0].title, "Its card");
        assert_eq!(snippets[0].text, "curl -fsS 'https://a.example/.well-known/agent-card.json'");
        assert_eq!(snippets[1].title, "Ask what it can do");
        assert!(install(&Profile::unlisted(Kind::Agent, "Adder", None, Vec::new())).is_empty());
    }
}
