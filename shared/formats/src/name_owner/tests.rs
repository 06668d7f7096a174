use super::*;

#[test]
fn name_covers_the_hosts_below_its_domain() {
    for (name, remote, is_covered) in [
        ("com.stripe/x", "https://mcp.stripe.com/mcp", true),
        ("com.stripe.mcp/x", "https://mcp.stripe.com/mcp", true),
        ("com.stripe.evil/x", "https://mcp.stripe.com/mcp", false),
        ("com.stripe.mcp/x", "https://stripe.com/mcp", false),
        ("com.stripe/x", "https://notstripe.com/mcp", false),
        ("app.vercel/x", "https://acme.vercel.app/mcp", false),
    ] {
        assert_eq!(covers(name, remote), is_covered, "{name} {remote}");
    }
}

#[test]
fn domain_of_the_remote_server_proves_a_name() {
    let proven = |name: &str, remote: &str| proof_by_domain(name, remote, Moment::UNIX_EPOCH).is_some();
    for (name, remote) in [
        ("com.stripe/x", "https://mcp.stripe.com/mcp"),
        ("com.stripe.mcp/x", "https://stripe.com/"),
        ("Com.Stripe/x", "https://MCP.Stripe.com./mcp"),
        ("uk.co.acme/x", "https://mcp.acme.co.uk/"),
        ("app.vercel.acme/x", "https://acme.vercel.app/mcp"),
        ("localhost.acme/x", "http://acme.localhost:9000/mcp"),
    ] {
        assert!(proven(name, remote), "{name} at {remote}");
    }
    for (name, remote) in [
        ("com.stripe/x", "https://stripe.com.evil.example.org/"),
        ("com.stripe/x", "https://notstripe.com/"),
        ("com/x", "https://mcp.stripe.com/"),
        ("uk.co/x", "https://mcp.acme.co.uk/"),
        ("app.vercel/x", "https://acme.vercel.app/mcp"),
        ("app.vercel.acme/x", "https://evil.vercel.app/mcp"),
        ("io.github.acme/x", "https://evil.github.io/"),
        ("1.0.0.127/x", "http://127.0.0.1/"),
        ("com.stripe/x", "not a url"),
        ("nothing", "https://nothing/"),
    ] {
        assert!(!proven(name, remote), "{name} at {remote}");
    }
}

#[test]
fn a_name_starts_with_a_reversed_domain() {
    assert_eq!(domain("com.example.mcp/weather").as_deref(), Some("mcp.example.com"));
    assert_eq!((domain("weather"), domain("com/weather")), (None, None));
    assert_eq!(github_owner("io.GitHub.Acme/weather"), Some("Acme"));
    for name in ["io.github/weather", "io.github.acme.x/weather", "io.githubx.acme/weather", "weather", "é/é"]
    {
        assert_eq!(github_owner(name), None, "{name}");
    }
    assert_eq!((leaf("com.example/weather"), leaf("weather")), ("weather", "weather"));
}
