"""The sign-in of a gated peer. It is made of the parts of the SDK, in release 1.30 and in release 2.

The authorization server has its own loopback port. It lets every client in without asking a person. The peer accepts its
tokens.
"""
import os
import secrets
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import uvicorn
from mcp.client.auth import OAuthClientProvider
from mcp.server.auth.provider import AccessToken, AuthorizationCode, construct_redirect_uri
from mcp.server.auth.routes import create_auth_routes
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.shared.auth import OAuthClientMetadata, OAuthToken
from starlette.applications import Starlette

from listening import bind, traced

SCOPE = "numbers:add"
REDIRECT = "http://127.0.0.1/signed-in"  # nobody listens there: the client only reads the code in it


class _Accounts:
    """The clients, codes and tokens of the authorization server."""

    def __init__(self):
        self.clients, self.codes, self.tokens = {}, {}, {}

    def _add(self, token, client, resource=None):
        self.tokens[token] = AccessToken(token=token, client_id=client, scopes=[SCOPE], resource=resource)

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client):
        self.clients[client.client_id] = client

    async def authorize(self, client, params):
        code = secrets.token_hex(20)
        self.codes[code] = AuthorizationCode(
            code=code, client_id=client.client_id, scopes=[SCOPE], expires_at=time.time() + 60, resource=params.resource,
            code_challenge=params.code_challenge, redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly)
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(self, _client, code):
        return self.codes.get(code)

    async def exchange_authorization_code(self, client, code):
        token = secrets.token_hex(20)
        self._add(token, client.client_id, code.resource)
        return OAuthToken(access_token=token, scope=SCOPE)

    async def load_access_token(self, token):
        return self.tokens.get(token)

    verify_token = load_access_token


def required(origin):
    """Starts the authorization server of the MCP server at this origin. Returns the options of the MCP server."""
    listener, issuer = bind(0)
    accounts = _Accounts()
    auth = AuthSettings(issuer_url=issuer, resource_server_url=f"{origin}/mcp", required_scopes=[SCOPE])
    registration = ClientRegistrationOptions(enabled=True, valid_scopes=[SCOPE], default_scopes=[SCOPE])
    app = Starlette(routes=create_auth_routes(accounts, auth.issuer_url, client_registration_options=registration))
    server = uvicorn.Server(uvicorn.Config(traced(app), log_level="warning"))
    threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True).start()
    return {"auth": auth, "token_verifier": accounts}


class _Memory:
    """What the client stores: its registration and its token."""
    client = token = None

    async def get_tokens(self):
        return self.token

    async def set_tokens(self, token):
        self.token = token

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def client(url, code_result):
    """The OAuth client of the SDK for an MCP server. `code_result` makes its result from a code and a state."""
    answer = {}

    async def ask(address):
        try:
            urllib.request.build_opener(_Stay).open(address, timeout=10)
        except urllib.error.HTTPError as redirect:
            answer.update(urllib.parse.parse_qsl(urllib.parse.urlsplit(redirect.headers["location"]).query))

    async def answered():
        return code_result(answer["code"], answer["state"])

    metadata = OAuthClientMetadata(client_name="interop", redirect_uris=[REDIRECT], scope=SCOPE)
    return OAuthClientProvider(url, metadata, _Memory(), ask, answered)
