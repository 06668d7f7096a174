// Lists the tools of MCP servers with version 2 of the TypeScript SDK.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { offers, run } from './lines.mjs';

run(async (url, onEnd) => {
  const client = new Client({ name: 'oracle', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  onEnd(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return offers(client);
});
