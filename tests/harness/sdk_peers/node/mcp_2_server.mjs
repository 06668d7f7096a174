// An MCP server built with version 2 of the TypeScript SDK. It serves MCP 2026-07-28. By default, it also serves the older
// revisions without sessions. With --stateful it serves them with sessions. With --modern-only it does not serve them. With
// --gated it asks for sign-in.
import { randomUUID } from 'node:crypto';
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import {
  McpServer, createMcpHandler, getOAuthProtectedResourceMetadataUrl, isLegacyRequest, oauthMetadataResponse, requireBearerAuth,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { listen, options } from './listening.mjs';

const { port, json, stateful, gated, 'modern-only': modernOnly } = options('json', 'stateful', 'gated', 'modern-only');

function adder() {
  const server = new McpServer({ name: 'interop-typescript-2', version: '1.0.0' });
  server.registerTool(
    'add',
    { description: 'Add two integers and return the sum.', inputSchema: z.object({ a: z.number(), b: z.number() }) },
    async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }] }),
  );
  return server;
}

const legacy = stateful || modernOnly ? 'reject' : 'stateless';
const handler = createMcpHandler(adder, { legacy, responseMode: json ? 'json' : 'sse' });
let modern = toNodeHandler(handler);
const sessions = new Map();

async function withSession(request, response, body) {
  let transport = sessions.get(request.headers['mcp-session-id']);
  if (!transport) {
    transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: json,
      onsessioninitialized: (id) => sessions.set(id, transport),
      onsessionclosed: (id) => sessions.delete(id),
    });
    await adder().connect(transport);
  }
  await transport.handleRequest(request, response, body);
}

/** The same handler behind a sign-in. */
async function behindSignIn(origin) {
  const { required } = await import('./sign_in.mjs');
  const { oauthMetadata, verifier, scopes } = await required();
  const resourceServerUrl = new URL(`${origin}/mcp`);
  const resourceMetadataUrl = getOAuthProtectedResourceMetadataUrl(resourceServerUrl);
  const gate = requireBearerAuth({ verifier, requiredScopes: scopes, resourceMetadataUrl });
  return {
    async fetch(request) {
      const document = oauthMetadataResponse(request, { oauthMetadata, resourceServerUrl, scopesSupported: scopes });
      if (document) return document;
      const authInfo = await gate(request);
      return authInfo instanceof Response ? authInfo : handler.fetch(request, { authInfo });
    },
  };
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length ? JSON.parse(Buffer.concat(chunks).toString()) : undefined;
}

const origin = await listen(async (request, response) => {
  if (request.url !== '/mcp' && !gated) return response.writeHead(404).end();
  if (!stateful) return modern(request, response);
  const body = await bodyOf(request);
  const old = await isLegacyRequest(await toWebRequest(request, body));
  return old ? withSession(request, response, body) : modern(request, response, body);
}, port);
if (gated) modern = toNodeHandler(await behindSignIn(origin));
console.log(`${origin}/mcp`);
