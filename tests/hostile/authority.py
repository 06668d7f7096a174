"""Makes two changed copies of the release binary.

The first copy trusts a certificate authority of the test, so that its public mode can speak TLS with the test's peers. In the
second copy, the address guard also lets almost every address pass. It shows that each attack works without the guard.

The trusted root certificates are compiled into the binary. In a copy, the key of one root (ISRG Root X2, on P-384) is
replaced byte for byte. Nothing else changes in the first copy, so it has the address guard of the release. The binary also
contains the table of networks that are not public. In the second copy, the prefix lengths in this table are overwritten, so
that each entry covers only one address.
"""
import subprocess
from pathlib import Path

# The root's name, as in certificates, and its key: the common start of P-384 keys (RFC 5480), and the point.
SUBJECT = (b"1\x0b0\t\x06\x03U\x04\x06\x13\x02US1)0'\x06\x03U\x04\n\x13 Internet Security Research Group"
           b"1\x150\x13\x06\x03U\x04\x03\x13\x0cISRG Root X2")
KEY_START = bytes.fromhex("301006072a8648ce3d020106052b8104002203620004")
POINT = bytes.fromhex(
    "cd9bd59f80830aec094af3164a3e5ccf77acde67050d1d07b6dc16fb5a8b14dbe27160c4ba459511898eea06dff72a16"
    "1ca4b9c5c532e003e01e8218388bd745d80a6a6ee60077fb02517d22d80a6e9a5b77dff0fa41ec39dc75ca68070c1fea")
# The first networks of the guard's table (shared/src/fetch/address.rs), as address and length of the prefix.
NOT_PUBLIC = bytes([0, 0, 0, 0, 8, 10, 0, 0, 0, 8, 100, 64, 0, 0, 10, 127, 0, 0, 0, 8])
# The same name for openssl. `string_mask = default` makes it use the same string types.
CONFIGURATION = """
[req]
distinguished_name = dn
prompt = no
string_mask = default
x509_extensions = root
[dn]
C = US
O = Internet Security Research Group
CN = ISRG Root X2
[root]
basicConstraints = critical, CA:true
keyUsage = critical, keyCertSign
[leaf]
basicConstraints = CA:false
extendedKeyUsage = serverAuth
subjectAltName = {names}
"""


def openssl(*arguments: object) -> bytes:
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True)
    if done.returncode:
        raise SystemExit(f"hostile: openssl {arguments[0]} failed: {done.stderr.decode()}")
    return done.stdout


def certificates(folder: Path, names: list[str]) -> tuple[Path, Path]:
    """A root with that name, and a certificate for these host names: returns the chain and its key."""
    configuration, (key, root, leaf_key, request, leaf) = folder / "openssl.cnf", (
        folder / name for name in ("root.key", "root.pem", "leaf.key", "leaf.csr", "leaf.pem"))
    configuration.write_text(CONFIGURATION.format(names=",".join(f"DNS:{name}" for name in names)))
    openssl("ecparam", "-name", "secp384r1", "-genkey", "-noout", "-out", key)
    openssl("req", "-x509", "-new", "-sha384", "-key", key, "-days", "30", "-config", configuration, "-out", root)
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", leaf_key)
    openssl("req", "-new", "-sha256", "-key", leaf_key, "-subj", "/CN=peer", "-config", configuration, "-out", request)
    openssl("x509", "-req", "-in", request, "-CA", root, "-CAkey", key, "-CAcreateserial", "-days", "20", "-sha384",
            "-extfile", configuration, "-extensions", "leaf", "-out", leaf)
    leaf.write_text(leaf.read_text() + root.read_text())
    return leaf, leaf_key


def trusting_copy(binary: Path, folder: Path) -> Path:
    """A copy of the binary that trusts the test's root in place of ISRG Root X2."""
    public = openssl("pkey", "-in", folder / "root.key", "-pubout", "-outform", "DER")
    own = public[public.index(KEY_START):]
    code, original = binary.read_bytes(), KEY_START + POINT
    if original not in code or SUBJECT not in openssl("x509", "-in", folder / "root.pem", "-outform", "DER"):
        raise SystemExit("hostile: the binary does not contain ISRG Root X2; choose another root in tests/hostile/authority.py")
    if len(own) != len(original):
        raise SystemExit(f"hostile: openssl wrote a key of {len(own)} bytes")
    code = code.replace(original, own)
    return written(folder / "registry", code)


def opened_copy(trusting: Path) -> Path:
    """A copy whose guard also treats 10.0.0.1 and 127.0.0.2 as public."""
    code = trusting.read_bytes()
    if code.count(NOT_PUBLIC) != 1:
        raise SystemExit("hostile: the guard's table differs from NOT_PUBLIC in tests/hostile/authority.py")
    opened = bytes(32 if at % 5 == 4 else byte for at, byte in enumerate(NOT_PUBLIC))
    return written(trusting.with_name("registry-opened"), code.replace(NOT_PUBLIC, opened))


def written(copy: Path, code: bytes) -> Path:
    copy.unlink(missing_ok=True)
    copy.write_bytes(code)
    copy.chmod(0o755)
    return copy
