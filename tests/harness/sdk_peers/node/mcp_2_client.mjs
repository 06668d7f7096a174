// Lists the tools of an MCP server with version 2 of the TypeScript SDK, and calls one tool.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [, , address, ...flags] = process.argv;
const newClient = () => new Client({ name: 'interop', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
const newTransport = (options) => new StreamableHTTPClientTransport(new URL(address), options);
let options = {};
if (flags.includes('--gated')) {
  const { signedIn } = await import('./sign_in.mjs');
  options = await signedIn(newTransport, (transport) => newClient().connect(transport));
}
const client = newClient();
await client.connect(newTransport(options));
assert.deepEqual((await client.listTools()).tools.map((tool) => tool.name), ['add']);
assert.equal((await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })).content[0].text, '5');
console.log(client.getNegotiatedProtocolVersion());
await client.close();
