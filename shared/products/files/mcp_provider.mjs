// A promptfoo provider that calls an MCP server over Streamable HTTP. It needs Node 20 or later and no packages.
// A request is JSON: {"list": true}, or {"tool": "<name>", "arguments": {…}}. The output is JSON, too: {"tools": [names]},
// or {"isError", "text", "structured"}. promptfooconfig.yaml sets `url`, `protocolVersion`, `headers` and `token`, the
// environment variable for a token. The environment variable EVALUATION_URL replaces `url`.

const STATELESS = "2026-07-28";
const MAX_PAGES = 50;

export default class McpProvider {
  constructor({ id = "mcp-server", config = {} } = {}) {
    this.name = id;
    this.config = config;
    this.url = process.env.EVALUATION_URL || config.url;
    this.count = 0;
  }

  id() {
    return this.name;
  }

  async callApi(prompt) {
    try {
      const request = JSON.parse(prompt);
      this.opened ??= this.open();
      await this.opened;
      const output = request.list ? await this.tools() : await this.call(request);
      return { output: JSON.stringify(output) };
    } catch (error) {
      return { error: String(error?.message ?? error) };
    }
  }

  get stateless() {
    return this.config.protocolVersion === STATELESS;
  }

  async open() {
    if (this.stateless) return;
    const clientInfo = { name: "promptfoo", version: "1.0.0" };
    const params = { protocolVersion: this.config.protocolVersion, capabilities: {}, clientInfo };
    const answer = await this.send("initialize", params);
    if (answer.error) throw new Error(`initialize failed: ${answer.error.message}`);
    this.spoken = answer.result.protocolVersion;
    await this.post({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  async tools() {
    const names = [];
    let cursor;
    for (let page = 0; page < MAX_PAGES; page++) {
      const { result, error } = await this.send("tools/list", cursor ? { cursor } : {});
      if (error) throw new Error(`tools/list failed: ${error.message}`);
      names.push(...result.tools.map((tool) => tool.name));
      cursor = result.nextCursor;
      if (!cursor) return { tools: names };
    }
    throw new Error(`tools/list has more than ${MAX_PAGES} pages`);
  }

  async call({ tool, arguments: args }) {
    const { result, error } = await this.send("tools/call", { name: tool, arguments: args ?? {} });
    if (error) return { isError: true, text: error.message, structured: null };
    const text = (result.content ?? []).map((part) => part.text ?? "").join("\n");
    return { isError: result.isError === true, text, structured: result.structuredContent ?? null };
  }

  async send(method, params) {
    const id = ++this.count;
    const headers = {};
    if (this.stateless) {
      headers["mcp-method"] = method;
      if (method === "tools/call") headers["mcp-name"] = params.name;
      params._meta = {
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientInfo": { name: "promptfoo", version: "1.0.0" },
        "io.modelcontextprotocol/clientCapabilities": {},
      };
    }
    const response = await this.post({ jsonrpc: "2.0", id, method, params }, headers);
    this.session ??= response.headers.get("mcp-session-id");
    const answer = await replyTo(id, response);
    // Only a JSON-RPC answer with this id says something about the call. A proxy or a limit of requests says nothing.
    const refused = [401, 403, 429].includes(response.status);
    if (!refused && answer?.jsonrpc === "2.0" && answer.id === id && (answer.result || answer.error)) return answer;
    const { token } = this.config;
    const hint = response.status === 401 ? `; set ${token ?? "the Authorization header in promptfooconfig.yaml"}` : "";
    throw new Error(`${method}: HTTP ${response.status} without a JSON-RPC answer to this call${hint}`);
  }

  post(message, more = {}) {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const version = this.stateless ? STATELESS : this.spoken;
    if (version) headers["mcp-protocol-version"] = version;
    if (this.session) headers["mcp-session-id"] = this.session;
    Object.assign(headers, this.config.headers, more);
    const signal = AbortSignal.timeout(30_000);
    return fetch(this.url, { method: "POST", headers, body: JSON.stringify(message), signal });
  }
}

// The answer with this id, from a JSON body or from an event stream.
async function replyTo(id, response) {
  if (!response.headers.get("content-type")?.includes("text/event-stream")) {
    const text = await response.text();
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  }
  let buffer = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    buffer += decoder.decode(chunk, { stream: true }).replaceAll("\r", "");
    const events = buffer.split("\n\n");
    buffer = events.pop();
    for (const event of events) {
      const lines = event.split("\n").filter((line) => line.startsWith("data:"));
      const data = lines.map((line) => line.slice(5).trimStart()).join("\n");
      const message = data ? JSON.parse(data) : {};
      if (message.id === id) return message;
    }
  }
  return null;
}
