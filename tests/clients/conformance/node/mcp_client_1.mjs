// Uses the registry with version 1 of the TypeScript SDK. The validator of this SDK compares failed results with the schema
// of the result, too. It supports only an older version of JSON Schema. Argument: the endpoint.
import { Client } from 'mcp-sdk-1.32/client/index.js';
import { StreamableHTTPClientTransport } from 'mcp-sdk-1.32/client/streamableHttp.js';
import { converse } from './mcp_conversation.mjs';

const client = new Client({ name: 'conformance', version: '1.0.0' });
const transport = new StreamableHTTPClientTransport(new URL(process.argv[2]));
await client.connect(transport);
await converse(client);
await client.ping();
console.log(transport.protocolVersion);
await client.close();
