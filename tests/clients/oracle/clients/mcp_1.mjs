// Lists the tools of MCP servers with version 1 of the TypeScript SDK.
import { Client } from 'mcp-sdk-1.32/client/index.js';
import { StreamableHTTPClientTransport } from 'mcp-sdk-1.32/client/streamableHttp.js';
import { offers, run } from './lines.mjs';

run(async (url, onEnd) => {
  const client = new Client({ name: 'oracle', version: '1.0.0' });
  onEnd(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return offers(client);
});
