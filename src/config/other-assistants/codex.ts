import { isObject } from '../../lib/text/json.ts';
import { type Part, partAt, type Reader, type Table, tableAt } from './part.ts';
import { commonServer, milliseconds, serverParts } from './server-part.ts';

const PROTOCOLS: Readonly<Record<string, string>> = { responses: 'openai-responses', chat: 'openai-chat' };

/** Providers that Codex knows under a name of its own. */
const PROVIDERS: Readonly<Record<string, string>> = { 'ollama-chat': 'ollama', oss: 'ollama' };

/** `config.toml`. A default profile overrides the rest of the file. */
export const readCodex: Reader = (written) => {
  const profile = String(written.profile ?? '');
  const value = { ...written, ...tableAt(tableAt(written, 'profiles'), profile) };
  return [
    ...modelParts(value),
    ...partAt(value, ['model_reasoning_effort'], (effort) => ({ input: { effort } })),
    ...partAt(value, ['model_context_window'], (tokens) => ({ input: { maxContextTokens: tokens } })),
    ...Object.entries(tableAt(value, 'model_providers')).flatMap(([name, provider]) =>
      providerPart(name, provider),
    ),
    ...modeParts(value),
    ...partAt(value, ['sandbox_workspace_write', 'writable_roots'], (folders) => ({
      input: { sandbox: { writablePaths: folders } },
    })),
    ...serverParts(tableAt(value, 'mcp_servers'), { key: ['mcp_servers'], convert: serverOf }),
  ];
};

function modelParts({ model, model_provider: provider = 'openai' }: Table): Part[] {
  if (typeof model !== 'string') return [];
  const name = String(provider);
  return [{ key: ['model'], input: { model: `${PROVIDERS[name] ?? name}/${model}` } }];
}

function providerPart(name: string, provider: unknown): Part[] {
  const key = ['model_providers', name];
  if (!isObject(provider)) return [{ key, problem: 'a provider must be a table.' }];
  const {
    base_url: baseUrl,
    env_key: apiKeyEnv,
    http_headers: headers,
    wire_api: api = 'responses',
  } = provider;
  const entries = { baseUrl, apiKeyEnv, headers, protocol: PROTOCOLS[String(api)] ?? api };
  const known = Object.entries(entries).filter(([, value]) => value !== undefined);
  return [{ key, input: { providers: { [name]: Object.fromEntries(known) } } }];
}

/** What may be asked and what is contained, as one mode. */
function modeParts({ approval_policy: policy, sandbox_mode: sandbox }: Table): Part[] {
  if (policy === undefined && sandbox === undefined) return [];
  const key = [policy === undefined ? 'sandbox_mode' : 'approval_policy'];
  // A table lists which questions are asked at all.
  const asks = isObject(policy) ? 'untrusted' : String(policy ?? 'on-request');
  const modes: Readonly<Record<string, string>> = {
    untrusted: 'default',
    'on-request': sandbox === 'read-only' ? 'default' : 'accept-edits',
    'on-failure': sandbox === 'read-only' ? 'default' : 'accept-edits',
    never: sandbox === 'read-only' ? 'read-only' : 'auto',
  };
  const isKnown =
    Object.hasOwn(modes, asks) &&
    ['read-only', 'workspace-write', 'danger-full-access', undefined].includes(sandbox as string | undefined);
  return [isKnown ? { key, input: { mode: modes[asks] } } : { key, problem: 'unknown value.' }];
}

function serverOf(server: Table): Table {
  const { env, env_vars: passed, http_headers: headers, env_http_headers: fromEnv } = server;
  const token = server.bearer_token_env_var;
  const variables = (Array.isArray(passed) ? passed : []).flatMap((one) => {
    const name: unknown = isObject(one) ? one.name : one;
    return typeof name === 'string' ? [[name, variable(name)]] : [];
  });
  const allHeaders = {
    ...(isObject(headers) && headers),
    ...(isObject(fromEnv) &&
      Object.fromEntries(Object.entries(fromEnv).map(([k, v]) => [k, variable(String(v))]))),
    ...(typeof token === 'string' && { Authorization: `Bearer ${variable(token)}` }),
  };
  const allEnv = { ...Object.fromEntries(variables), ...(isObject(env) && env) };
  return {
    ...commonServer({
      ...server,
      env: Object.keys(allEnv).length > 0 ? allEnv : undefined,
      headers: Object.keys(allHeaders).length > 0 ? allHeaders : undefined,
      disabled: server.enabled === false,
    }),
    timeoutMs: milliseconds(server.tool_timeout_sec, 1000),
    enabledTools: server.enabled_tools,
    disabledTools: server.disabled_tools,
  };
}

function variable(name: string): string {
  return `\${${name}}`;
}
