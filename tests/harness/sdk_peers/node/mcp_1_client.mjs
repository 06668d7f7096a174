// Lists the tools of an MCP server with version 1 of the TypeScript SDK, and calls one tool.
import assert from 'node:assert/strict';

const [, , address, sdk, ...flags] = process.argv;
const { Client } = await import(`${sdk}/client/index.js`);
const { StreamableHTTPClientTransport } = await import(`${sdk}/client/streamableHttp.js`);

let version = 'unknown';
const newClient = () => new Client({ name: 'interop', version: '1.0.0' });
const newTransport = (options) => new StreamableHTTPClientTransport(new URL(address), options);
let options = {};
if (flags.includes('--gated')) {
  const { signedIn } = await import('./sign_in.mjs');
  options = await signedIn(newTransport, (transport) => newClient().connect(transport));
}
const transport = newTransport(options);
// 1.12 does not expose the negotiated version, so it is read from the answer.
const arrived = (message) => { version = message.result?.protocolVersion ?? version; };
const client = newClient();
const connecting = client.connect(transport);
const deliver = transport.onmessage;
transport.onmessage = (message, extra) => { arrived(message); deliver(message, extra); };
await connecting;
assert.deepEqual((await client.listTools()).tools.map((tool) => tool.name), ['add']);
assert.equal((await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })).content[0].text, '5');
console.log(version);
await client.close();
