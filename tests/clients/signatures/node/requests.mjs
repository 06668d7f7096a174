// Verifies recorded requests with http-message-sig of Cloudflare. Input: a file with the directory of keys and the requests.
import { readFile } from "node:fs/promises";
import { component, verifySignature, webcrypto } from "http-message-sig";

const { directory, requests } = JSON.parse(await readFile(process.argv[2], "utf8"));
const keys = new Map();
for (const jwk of directory.keys) {
  keys.set(jwk.kid, await crypto.subtle.importKey("jwk", jwk, "Ed25519", true, ["verify"]));
}
const policy = {
  algorithms: ["ed25519"],
  requiredComponents: ["@authority", component("signature-agent", { key: "sig1" })],
  requiredParameters: ["created", "expires", "keyid", "nonce", "tag"],
  maxAge: 300,
  clockSkew: 5,
  validate: ({ parameters }) => parameters.tag === "web-bot-auth",
};
const results = [];
for (const { method, url, headers } of requests) {
  try {
    const names = new Set(["signature", "signature-input", "signature-agent"]);
    const signed = headers.filter(([name]) => names.has(name));
    const resolveVerifier = ({ parameters }) => webcrypto.verifier(keys.get(parameters.keyid));
    await verifySignature(new Request(url, { method, headers: signed }), { policy, resolveVerifier });
    results.push("valid");
  } catch (error) {
    results.push(`refused: ${error.code} ${error.message}`);
  }
}
console.log(JSON.stringify(results));
