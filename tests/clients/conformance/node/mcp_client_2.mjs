// Uses the registry with version 2 of the TypeScript SDK: connects, lists and calls tools, and calls an unknown tool.
// Arguments: the endpoint, and how to choose the revision (auto, legacy, or one fixed revision).
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { converse } from './mcp_conversation.mjs';

const [, , address, way] = process.argv;
const mode = ['auto', 'legacy'].includes(way) ? way : { pin: way };
const client = new Client({ name: 'conformance', version: '1.0.0' }, { versionNegotiation: { mode } });
await client.connect(new StreamableHTTPClientTransport(new URL(address)));
const version = client.getNegotiatedProtocolVersion();
assert.equal(version, way === 'legacy' ? '2025-11-25' : '2026-07-28');
await converse(client);
if (way === 'legacy') await client.ping();
console.log(version);
await client.close();
