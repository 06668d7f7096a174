// Walks the funnel with the official MCP client of TypeScript. First it publishes the peer. After that, each answer contains
// the next call to make.
// Arguments: the registry's base URL and the peer's URL. Each call is printed as a line of JSON with its answer.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const MOST_CALLS = 20;
const [base, peer] = process.argv.slice(2);
const card = await (await fetch(`${base}/.well-known/mcp/server-card.json`)).json();
const client = new Client({ name: 'funnel-walk', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(new URL(card.remotes[0].url)));

async function call(tool, sent) {
  const result = await client.callTool({ name: tool, arguments: sent });
  console.log(JSON.stringify({ call: `tools/call ${tool}`, sent, answer: result.structuredContent }));
  assert.ok(!result.isError, JSON.stringify(result.structuredContent));
  return result.structuredContent;
}

let step = { tool: 'list_yourself', arguments: { url: peer } };
for (let calls = 1; ; calls += 1) {
  assert.ok(calls <= MOST_CALLS, `not finished after ${MOST_CALLS} calls`);
  await sleep((step.wait_s ?? 0) * 1000);
  const sent = step.body ?? step.arguments;
  const { next } = await call(step.tool, sent);
  if (!next) {
    // The last answer is the tree. Its note explained how to get it as an archive.
    await call(step.tool, { ...sent, format: 'zip' });
    break;
  }
  step = next;
}
await client.close();
