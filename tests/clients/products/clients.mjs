// Checks configurations of MCP clients with the schemas and the table of members in @gleanwork/mcp-config-schema. Prints one
// fault in each line.
//
//     node clients.mjs <node_modules> <file>...
import { readFile } from 'node:fs/promises';

const [packages, ...files] = process.argv.slice(2);
const load = async (name, entry) => import(`${packages}/${name}/${entry}`);
const { MCPConfigRegistry, validateGeneratedConfig } = await load('@gleanwork/mcp-config-schema', 'dist/index.js');
const yaml = await load('js-yaml', 'dist/js-yaml.mjs');
const toml = await load('smol-toml', 'dist/index.js');
const table = new MCPConfigRegistry();

const CLIENTS = {
  '/.vscode/mcp.json': 'vscode', '/.cursor/mcp.json': 'cursor', '/.mcp.json': 'claude-code', '/.codex/config.toml': 'codex',
  '/.gemini/settings.json': 'gemini', '/claude_desktop_config.json': 'claude-desktop', '/clients/windsurf.json': 'windsurf',
  '/clients/goose.yaml': 'goose',
};
// The schema requires what Goose adds when it reads the file.
const GOOSE = { envs: {}, env_keys: [], headers: {}, description: '', bundled: null, available_tools: [] };
// Members that the clients document and the table leaves out.
const MORE = { codex: ['bearer_token_env_var', 'env_http_headers'], goose: ['enabled', 'name', 'timeout', ...Object.keys(GOOSE)] };

function* faults(client, config) {
  const { configStructure: structure } = table.getConfig(client);
  const { serversPropertyName: member, httpPropertyMapping: http, stdioPropertyMapping: stdio } = structure;
  const entries = Object.entries(config[member] ?? {});
  if (entries.length !== 1) yield `has ${entries.length} servers in ${member}`;
  const whole = client === 'goose'
    ? { [member]: Object.fromEntries(entries.map(([name, entry]) => [name, { ...GOOSE, ...entry }])) }
    : config;
  const result = validateGeneratedConfig(whole, client);
  if (!result.success) yield result.error.message;
  for (const [name, entry] of entries) {
    const mapping = http && entry[http.urlProperty] ? http : stdio;
    const known = Object.entries(mapping).filter(([what]) => what.endsWith('Property')).map(([, property]) => property);
    const other = Object.keys(entry).filter((property) => ![...known, ...(MORE[client] ?? [])].includes(property));
    if (other.length) yield `${client} does not read ${other.join(', ')} of ${name}`;
    if (mapping === stdio && http) yield `${name} has no ${http.urlProperty}`;
  }
}

let failed = false;
for (const file of files) {
  const client = CLIENTS[Object.keys(CLIENTS).find((end) => file.endsWith(end))];
  const parse = file.endsWith('.toml') ? toml.parse : file.endsWith('.yaml') ? yaml.load : JSON.parse;
  let found;
  try {
    found = [...faults(client, parse(await readFile(file, 'utf8')))];
  } catch (error) {
    found = [error.message];
  }
  for (const fault of found) console.log(`${file}: ${fault.replaceAll(/\s+/g, ' ')}`);
  failed ||= found.length > 0;
}
process.exit(failed ? 1 : 0);
