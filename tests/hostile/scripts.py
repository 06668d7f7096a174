"""The scripts for the names that the name server answers, and the targets of misleading answers."""
from names import Script, Step

PUBLIC, PUBLIC_TOO, PUBLIC_SIX = "1.2.3.4", "1.2.3.5", "2606:4700::1234"
DOMAIN = "peer.dev"
# The addresses of the canary. A connection to 0.0.0.0 goes to 127.0.0.1.
PRIVATE = ("127.0.0.2", "127.0.0.1", "10.0.0.1", "192.168.0.1", "100.100.100.200", "169.254.169.254")
PRIVATE_SIX = ("::1", "fd00:ec2::254")
CANARY_PORTS = (80, 443, 8000, 8443, 9200)


def name(label: str) -> str:
    return f"{label}.{DOMAIN}"


def at(*a: str, aaaa: tuple[str, ...] = (), delay: float = 0) -> Step:
    return Step(a=a, aaaa=aaaa, delay=delay)


def always(*a: str, aaaa: tuple[str, ...] = (), delay: float = 0) -> Script:
    return Script((at(*a, aaaa=aaaa, delay=delay),))


INSIDE = "127.0.0.2"
MANY = tuple(f"1.2.{n // 250}.{n % 250 + 1}" for n in range(300))
# All except `hundreds-public` lead to a private address at some time: description, script, and whether the public peer is
# reached.
REBINDING: dict[str, tuple[str, Script, bool]] = {
    "then-inside": ("public, then 127.0.0.2", Script((at(PUBLIC), at(INSIDE))), True),
    "flips": ("public and 127.0.0.2 in turn", Script((at(PUBLIC), at(INSIDE)), flips=True), True),
    "flips-back": ("127.0.0.2 and public in turn", Script((at(INSIDE), at(PUBLIC)), flips=True), True),
    "both": ("public and 127.0.0.2 at once", always(PUBLIC, INSIDE), False),
    "both-inside-first": ("127.0.0.2 and public at once", always(INSIDE, PUBLIC), False),
    "six-and-four": ("A public, AAAA ::1", always(PUBLIC, aaaa=("::1",)), False),
    "six-and-four-metadata": ("A public, AAAA fd00:ec2::254", always(PUBLIC, aaaa=("fd00:ec2::254",)), False),
    "six-mapped": ("AAAA ::ffff:127.0.0.2", always(PUBLIC, aaaa=("::ffff:127.0.0.2",)), False),
    "six-translated": ("AAAA 64:ff9b::127.0.0.2", always(aaaa=("64:ff9b::7f00:2",)), False),
    "six-later": ("A public, AAAA none, then ::1", Script((at(PUBLIC), at(PUBLIC, aaaa=("::1",)))), True),
    "alias": ("CNAME to a name inside", Script((Step(cname=name("inside")),)), False),
    "alias-then": ("CNAME to public, then to inside", Script((Step(cname=name("good")), Step(cname=name("inside")))), True),
    "alias-localhost": ("CNAME to localhost", Script((Step(cname="localhost"),)), False),
    "hundreds": ("300 addresses, the last inside", always(*MANY, INSIDE), False),
    "hundreds-public": ("300 public addresses", always(PUBLIC, *MANY[1:]), True),
    "slow": ("inside after 2 s", always(INSIDE, delay=2), False),
    "slow-then": ("public after 0.2 s, then inside", Script((at(PUBLIC, delay=0.2), at(INSIDE))), True),
    "late": ("inside after 20 s", always(INSIDE, delay=20), False),
    "none-then-inside": ("no such name, then 127.0.0.2", Script((Step(none=True), at(INSIDE))), False),
    "empty-then-inside": ("no address, then 127.0.0.2", Script((at(), at(INSIDE))), False),
    "zero": ("0.0.0.0", always("0.0.0.0"), False),
    "metadata": ("169.254.169.254", always("169.254.169.254"), False),
    "private": ("10.0.0.1", always("10.0.0.1"), False),
    "carrier": ("100.100.100.200", always("100.100.100.200"), False),
}


# The names that reach the canary with an open guard. The others lead to addresses that it still refuses, or take too long.
OPEN = ("then-inside", "flips", "flips-back", "both-inside-first", "alias", "alias-then", "none-then-inside",
        "empty-then-inside", "private")


def zone() -> dict[str, Script]:
    """All names of the run."""
    fixed = {
        name("inside"): always(INSIDE), "localhost": always("127.0.0.1", aaaa=("::1",)),
        "raw.githubusercontent.com": Script((at(PUBLIC), at(INSIDE)), flips=True),
        name("keys"): Script((Step(a=(PUBLIC,), txt=("v=MCPv1; k=ed25519; p=AA",)),)),
        f"_mcp.{name('keys')}": Script((Step(cname=name("inside")),)),
        f"*.{DOMAIN}": always(PUBLIC),
        DOMAIN: always(PUBLIC),
    }
    return {name(label): script for label, (_, script, _) in REBINDING.items()} | fixed


# Targets of redirects, cards, streams and challenges.
TARGETS = (
    "https://127.0.0.2/x", "http://127.0.0.2:8000/x", "https://127.0.0.1:8443/", "https://[::1]/", "http://[::1]:9200/",
    "https://10.0.0.1:8443/", "http://10.0.0.1/", "http://169.254.169.254/latest/meta-data/", "https://169.254.169.254/",
    "http://[fd00:ec2::254]/latest/", "https://[::ffff:127.0.0.2]/", "https://localhost/", "https://2130706434/",
    "https://0x7f000002/", "https://0177.0.0.2/", "https://127.2/", "https://0/", "//127.0.0.2/x", "\\\\127.0.0.2\\x",
    f"https://{name('inside')}/", f"https://{name('both')}/", f"https://{name('alias')}/", f"https://{name('zero')}/",
    f"https://{name('six-and-four')}/", f"https://good.{DOMAIN}@127.0.0.2/", f"https://127.0.0.2#.{DOMAIN}/",
)
