//! Files with a card or a server.json: what to send of them, and on which line a finding is.

use serde_json::{Value, json};

use crate::problem::Failure;

/// What a publisher names on the command line.
#[derive(Debug, PartialEq)]
pub(crate) enum Target {
    Url(String),
    /// The contents of a server.json.
    Server(Value),
}

impl Target {
    pub(crate) fn read(target: &str) -> Result<Self, Failure> {
        if target.contains("://") {
            return Ok(Self::Url(target.to_owned()));
        }
        let text = std::fs::read_to_string(target).map_err(|error| {
            Failure::File(format!("{target} is no URL, and the file cannot be read: {error}."))
        })?;
        let document: Value = serde_json::from_str(&text)
            .map_err(|error| Failure::File(format!("{target} is not JSON: {error}.")))?;
        if document.get("remotes").is_none() && document.get("packages").is_none() {
            let detail = "is no server.json: it has neither `remotes` nor `packages`. Pass the URL of a card, not its file.";
            return Err(Failure::File(format!("{target} {detail}")));
        }
        Ok(Self::Server(document))
    }

    /// The body of a request that publishes it.
    pub(crate) fn body(&self) -> Value {
        match self {
            Self::Url(url) => json!({ "url": url, "source": "registry-cli" }),
            Self::Server(server) => json!({ "server_json": server, "source": "registry-cli" }),
        }
    }

    /// The URL that is checked.
    pub(crate) fn url(&self) -> Result<&str, Failure> {
        match self {
            Self::Url(url) => Ok(url),
            Self::Server(server) => server["remotes"][0]["url"].as_str().ok_or_else(|| {
                Failure::File(
                    "This server.json has no `remotes` with a `url`, so there is nothing to check."
                        .to_owned(),
                )
            }),
        }
    }
}

/// The line of a file, from 1, on which a finding is: that of the first member which the finding names in backticks.
pub(crate) fn line_of(text: &str, finding: &str) -> Option<usize> {
    let names = finding.split('`').skip(1).step_by(2);
    let last_part =
        |name: &str| name.rsplit('.').next().unwrap_or(name).split('[').next().unwrap_or(name).to_owned();
    names.map(last_part).find_map(|name| {
        let quoted = format!("\"{name}\"");
        text.lines().position(|line| line.contains(&quoted)).map(|line| line + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finding_is_on_the_line_of_the_member_that_it_names() {
        let card = "{\n  \"name\": \"x\",\n  \"skills\": [\n    { \"id\": \"a\" }\n  ]\n}";
        assert_eq!(line_of(card, "`skills[0].id`: must not be empty."), Some(4));
        assert_eq!(line_of(card, "The member `skills` is missing."), Some(3));
        assert_eq!(line_of(card, "No member is named."), None);
        assert_eq!(line_of(card, "`nothing` is missing."), None);
    }

    #[test]
    fn target_is_a_url_or_a_server_description() {
        assert_eq!(
            Target::read("https://a.example/mcp").unwrap(),
            Target::Url("https://a.example/mcp".to_owned())
        );
        assert!(Target::read("/no/such/file.json").unwrap_err().text().contains("cannot be read"));
        let server = Target::Server(json!({ "remotes": [{ "url": "https://a.example/mcp" }] }));
        assert_eq!(server.url().unwrap(), "https://a.example/mcp");
        assert!(Target::Server(json!({ "packages": [] })).url().is_err());
    }
}
