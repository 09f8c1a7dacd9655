import { isObject } from '../../lib/text/json.ts';
import {
  listAt,
  type Part,
  partAt,
  type Reader,
  ruleParts,
  type Table,
  tableAt,
  type Verdict,
} from './part.ts';
import { commonServer, milliseconds, serverParts } from './server-part.ts';

const MODES: Readonly<Record<string, string>> = {
  default: 'default',
  auto_edit: 'accept-edits',
  plan: 'plan',
  yolo: 'auto',
};

/** Tools by their names in rules, and by those of their classes. */
const TOOLS: Readonly<Record<string, string>> = {
  run_shell_command: 'Bash',
  ShellTool: 'Bash',
  write_file: 'Write',
  WriteFileTool: 'Write',
  replace: 'Edit',
  EditTool: 'Edit',
  read_file: 'Read',
  ReadFileTool: 'Read',
  read_many_files: 'Read',
  ReadManyFilesTool: 'Read',
  glob: 'Glob',
  GlobTool: 'Glob',
  search_file_content: 'Grep',
  grep_search: 'Grep',
  GrepTool: 'Grep',
  list_directory: 'List',
  LSTool: 'List',
  web_fetch: 'WebFetch',
  WebFetchTool: 'WebFetch',
  google_web_search: 'WebSearch',
  WebSearchTool: 'WebSearch',
};

/** `settings.json`, also with the keys of its first version. */
export const readGemini: Reader = (value) => {
  const mcp = tableAt(value, 'mcp');
  const servers = tableAt(value, 'mcpServers');
  const isAllowed = (name: string) => mcp.allowed === undefined || listAt(mcp, 'allowed').includes(name);
  const isOff = (name: string) => listAt(mcp, 'excluded').includes(name) || !isAllowed(name);
  return [
    ...serverParts(servers, { key: ['mcpServers'], convert: serverOf, variables }).map((part) =>
      isOff(String(part.key[1])) ? turnedOff(part) : part,
    ),
    ...partAt(value, ['model', 'name'], (model) => ({ input: { model } })),
    ...(typeof value.model === 'string' ? [{ key: ['model'], input: { model: value.model } }] : []),
    ...partAt(value, ['general', 'defaultApprovalMode'], (mode) => {
      const known = Object.hasOwn(MODES, String(mode)) ? MODES[String(mode)] : undefined;
      return known ? { input: { mode: known } } : { problem: 'unknown mode.' };
    }),
    ...partAt(value, ['context', 'includeDirectories'], (folders) => ({
      input: { additionalDirectories: folders },
    })),
    ...toolRules('allow', ['tools', 'allowed'], listAt(tableAt(value, 'tools'), 'allowed')),
    ...toolRules('deny', ['tools', 'exclude'], listAt(tableAt(value, 'tools'), 'exclude')),
    ...toolRules('allow', ['allowedTools'], listAt(value, 'allowedTools')),
    ...toolRules('deny', ['excludeTools'], listAt(value, 'excludeTools')),
  ];
};

/** `run_shell_command(git status)` allows or denies every command that starts with it. */
function toolRules(verdict: Verdict, key: string[], names: readonly unknown[]): Part[] {
  return names.flatMap((written, i) => {
    const [, name = '', inside] = /^(\w+)(?:\((.*)\))?$/s.exec(String(written)) ?? [];
    const tool = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
    const place = [...key, i];
    if (tool === undefined)
      return [
        { key: place, problem: `there is no tool ${String(written)} here; write a rule in your settings.` },
      ];
    const rule = inside === undefined ? tool : tool === 'Bash' ? `Bash(${inside}:*)` : `${tool}(${inside})`;
    return ruleParts(verdict, key, [rule]).map((part) => ({ ...part, key: place }));
  });
}

function serverOf(server: Table): Table {
  const { httpUrl, url, type } = server;
  return {
    ...commonServer({
      ...server,
      url: httpUrl ?? url,
      type: httpUrl === undefined && url !== undefined ? (type ?? 'sse') : type,
    }),
    timeoutMs: milliseconds(server.timeout, 1),
    enabledTools: server.includeTools,
    disabledTools: server.excludeTools,
  };
}

function turnedOff(part: Part): Part {
  const servers = tableAt(part.input, 'mcpServers');
  const off = Object.entries(servers).map(([name, server]) => [
    name,
    isObject(server) ? { ...server, disabled: true } : server,
  ]);
  return { ...part, input: { mcpServers: Object.fromEntries(off) } };
}

/** `$NAME` and `${NAME}`. */
function variables(text: string): string {
  return text.replaceAll(/\$([A-Za-z_]\w*)/g, '$${$1}');
}
