// An MCP server built with version 1 of the TypeScript SDK. The same file is used for SDK 1.32 (MCP 2025-11-25) and for
// SDK 1.12 (MCP 2025-03-26).
import { randomUUID } from 'node:crypto';
import express from 'express';
import { z } from 'zod3';
import { listen, options } from './listening.mjs';

const { port, sdk, json, stateless, gated } = options('json', 'stateless', 'gated');
const { McpServer } = await import(`${sdk}/server/mcp.js`);
const { StreamableHTTPServerTransport } = await import(`${sdk}/server/streamableHttp.js`);
const sessions = new Map();

async function newTransport() {
  const server = new McpServer({ name: 'interop-typescript-1', version: '1.0.0' });
  server.tool('add', 'Add two integers and return the sum.', { a: z.number(), b: z.number() }, async ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: stateless ? undefined : randomUUID,
    enableJsonResponse: json,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await server.connect(transport);
  return transport;
}

async function serve(request, response) {
  if (request.url !== '/mcp') return response.writeHead(404).end();
  if (stateless && request.method !== 'POST') return response.writeHead(405, { allow: 'POST' }).end();
  const transport = sessions.get(request.headers['mcp-session-id']) ?? (await newTransport());
  await transport.handleRequest(request, response);
}

const app = express();
const origin = await listen(app, port);
if (gated) {
  const { required } = await import('./sign_in.mjs');
  const { getOAuthProtectedResourceMetadataUrl, mcpAuthMetadataRouter } = await import(`${sdk}/server/auth/router.js`);
  const { requireBearerAuth } = await import(`${sdk}/server/auth/middleware/bearerAuth.js`);
  const resourceServerUrl = new URL(`${origin}/mcp`);
  const { oauthMetadata, verifier, scopes } = await required();
  app.use(mcpAuthMetadataRouter({ oauthMetadata, resourceServerUrl, scopesSupported: scopes }));
  const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resourceServerUrl);
  app.use('/mcp', requireBearerAuth({ verifier, requiredScopes: scopes, resourceMetadataUrl }));
}
app.use(serve);
console.log(`${origin}/mcp`);
