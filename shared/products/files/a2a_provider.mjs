// A promptfoo provider that sends a text message to an A2A agent. It needs Node 20 or later and no packages.
// The output is JSON: {"error", "code", "state", "text"}. A prompt that begins with "method:" calls this JSON-RPC method instead.
// promptfooconfig.yaml sets `url`, `version` (1.0 or 0.3), `binding` (jsonrpc or http+json), `headers` and `token`, the
// environment variable for a token. The environment variable EVALUATION_URL replaces `url`.

const WORKING = ["submitted", "working", "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"];
const MAX_LOOKUPS = 30;

export default class A2aProvider {
  constructor({ id = "a2a-agent", config = {} } = {}) {
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
      const method = prompt.startsWith("method:") ? prompt.slice(7).trim() : null;
      let answer = method ? await this.rpc(method, {}) : await this.message(prompt);
      for (let lookups = 0; lookups < MAX_LOOKUPS && WORKING.includes(task(answer)?.status?.state); lookups++) {
        await new Promise((resolve) => setTimeout(resolve, 1000));
        answer = await this.lookup(task(answer).id);
      }
      const error = answer.error ? String(answer.error.message ?? JSON.stringify(answer.error)) : null;
      const code = answer.error?.code ?? null;
      const state = task(answer)?.status?.state ?? null;
      return { output: JSON.stringify({ error, code, state, text: texts(answer.result).join("\n") }) };
    } catch (error) {
      return { error: String(error?.message ?? error) };
    }
  }

  get current() {
    return this.config.version !== "0.3";
  }

  message(text) {
    const messageId = `evaluation-${Date.now()}-${++this.count}`;
    const message = { messageId, role: "ROLE_USER", parts: [{ text }] };
    if (this.config.binding === "http+json") {
      // In version 0.3, this binding calls the parts `content`.
      const older = { messageId, role: "ROLE_USER", content: [{ text }] };
      return this.rest("POST", "message:send", { message: this.current ? message : older });
    }
    if (this.current) return this.rpc("SendMessage", { message });
    return this.rpc("message/send", { message: { kind: "message", messageId, role: "user", parts: [{ kind: "text", text }] } });
  }

  lookup(id) {
    if (this.config.binding === "http+json") {
      return this.rest("GET", `tasks/${encodeURIComponent(id)}`);
    }
    return this.rpc(this.current ? "GetTask" : "tasks/get", { id });
  }

  async rpc(method, params) {
    const id = ++this.count;
    const response = await this.request("POST", this.url, { jsonrpc: "2.0", id, method, params });
    const answer = await json(response);
    const refused = [401, 403, 429].includes(response.status);
    if (!refused && answer?.jsonrpc === "2.0" && answer.id === id && (answer.result || answer.error)) return answer;
    throw this.failure(method, response);
  }

  async rest(method, path, body) {
    const base = this.url.replace(/\/+$/, "");
    const start = this.current ? base : `${base.replace(/\/v1$/, "")}/v1`;
    const response = await this.request(method, `${start}/${path}`, body);
    const result = await json(response);
    if (response.ok && result !== null) return { result };
    throw this.failure(path, response);
  }

  // A call without an answer of the agent is an error of the evaluation, so that no case passes because of it.
  failure(call, { status }) {
    const { token } = this.config;
    const hint = status === 401 ? `; set ${token ?? "the Authorization header in promptfooconfig.yaml"}` : "";
    return new Error(`${call}: HTTP ${status} without an answer to this call${hint}`);
  }

  request(method, url, body) {
    const headers = { "content-type": "application/json", accept: "application/json", ...this.config.headers };
    if (this.current) headers["a2a-version"] = "1.0";
    return fetch(url, { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(30_000) });
  }
}

async function json(response) {
  return response.json().catch(() => null);
}

function task({ result } = {}) {
  return result?.task ?? (result?.status ? result : null);
}

// The texts of the parts in an answer. The history repeats the request, so it is left out.
function texts(value) {
  if (Array.isArray(value)) return value.flatMap(texts);
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, member]) => {
    if (key === "history") return [];
    return key === "text" && typeof member === "string" ? [member] : texts(member);
  });
}
