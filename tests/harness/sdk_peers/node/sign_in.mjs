// The sign-in of a gated peer. The authorization server is the example of version 1 of the SDK (version 2 has none), on its
// own loopback port. It lets every client in without asking a person. The peer accepts its tokens.
import assert from 'node:assert/strict';
import express from 'express';
import { DemoInMemoryAuthProvider } from 'mcp-sdk-1.32/examples/server/demoInMemoryOAuthProvider.js';
import { InMemoryOAuthClientProvider } from 'mcp-sdk-1.32/examples/client/simpleOAuthClientProvider.js';
import { createOAuthMetadata, mcpAuthRouter } from 'mcp-sdk-1.32/server/auth/router.js';
import { listen } from './listening.mjs';

const SCOPE = 'numbers:add';
const REDIRECT = 'http://127.0.0.1/signed-in'; // nobody listens there: the client only reads the code in it

/** Starts an authorization server. Resolves to what the MCP server needs to know about it. */
export async function required() {
  const provider = new DemoInMemoryAuthProvider();
  const app = express();
  const issuerUrl = new URL(await listen(app, 0));
  const options = { provider, issuerUrl, scopesSupported: [SCOPE] };
  app.use(mcpAuthRouter(options));
  return { oauthMetadata: createOAuthMetadata(options), verifier: provider, scopes: [SCOPE] };
}

/**
 * Signs a client of the SDK in. `transport` makes a transport with the given options, and `connect` connects a new client
 * with it. Resolves to the options of a transport that is signed in.
 */
export async function signedIn(transport, connect) {
  let asked;
  const metadata = { client_name: 'interop', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none', scope: SCOPE };
  const authProvider = new InMemoryOAuthClientProvider(REDIRECT, metadata, (url) => { asked = url; });
  const refused = transport({ authProvider });
  await assert.rejects(connect(refused), /Unauthorized/);
  const { headers } = await fetch(asked, { redirect: 'manual' });
  await refused.finishAuth(new URL(headers.get('location')).searchParams.get('code'));
  return { authProvider };
}
