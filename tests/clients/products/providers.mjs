// node providers.mjs <provider.mjs of MCP> <provider.mjs of A2A>: answers that are no answer to the call must be errors of the
// evaluation, never a result of a case. Prints the faults.
import { createServer } from "node:http";

const [mcp, a2a] = await Promise.all(process.argv.slice(2).map(async (path) => (await import(path)).default));
const rpc = (body) => (call) => ({ jsonrpc: "2.0", id: call.id, ...body });
const task = (state, text) => rpc({ result: { task: { id: "t", status: { state, message: { parts: [{ text }] } } } } });
const faults = [];
let code = 200;
let answer = rpc({ result: {} });
const server = createServer((request, response) => {
  let body = "";
  request.on("data", (chunk) => (body += chunk));
  request.on("end", () => {
    const call = JSON.parse(body);
    const opens = call.method === "initialize";
    response.writeHead(opens ? 200 : code, { "content-type": "application/json" });
    response.end(JSON.stringify(opens ? rpc({ result: { protocolVersion: "2025-06-18" } })(call) : answer(call)));
  });
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const config = { url: `http://127.0.0.1:${server.address().port}/`, protocolVersion: "2025-06-18", token: "NOTES_TOKEN" };
const call = JSON.stringify({ tool: "no_such_tool", arguments: {} });

async function check(what, Provider, prompt, holds) {
  const result = await new Provider({ config }).callApi(prompt);
  if (!holds(result)) faults.push(`${what}: ${JSON.stringify(result)}`);
}

const isError = ({ error, output }) => Boolean(error) && output === undefined;
const wrong = [
  [429, () => ({ error: { code: "rate_limited", message: "Retry later." } })],
  [401, () => ({ error: "unauthorized" })],
  [401, rpc({ error: { code: -32001, message: "unauthorized" } })],
  [200, () => ({ jsonrpc: "2.0", id: 999, error: { code: -32601, message: "of another call" } })],
  [502, () => "bad gateway"],
];
for (const [status, body] of wrong) {
  [code, answer] = [status, body];
  const names = ({ error }) => error?.includes(`HTTP ${status}`) && (status !== 401 || error.includes("NOTES_TOKEN"));
  for (const [Provider, prompt] of [[mcp, call], [a2a, "method:NoSuchMethod"], [a2a, "Hello"]]) {
    await check(`${status} of ${Provider.name}`, Provider, prompt, (result) => isError(result) && names(result));
  }
}
code = 200;
answer = rpc({ result: { tools: [], nextCursor: "again" } });
await check("endless pages", mcp, JSON.stringify({ list: true }), isError);
answer = rpc({ error: { code: -32602, message: "unknown tool" } });
await check("unknown tool", mcp, call, ({ output }) => JSON.parse(output).isError === true);
answer = rpc({ error: { code: -32601, message: "no such method" } });
await check("unknown method", a2a, "method:NoSuchMethod", ({ output }) => JSON.parse(output).code === -32601);
answer = task("TASK_STATE_FAILED", "");
await check("failed task", a2a, "Hello", ({ output }) => JSON.parse(output).state === "TASK_STATE_FAILED");
server.close();
server.closeAllConnections();
if (faults.length) console.log(faults.join("\n"));
process.exitCode = faults.length ? 1 : 0;
