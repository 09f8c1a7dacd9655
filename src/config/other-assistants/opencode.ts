import { isObject } from '../../lib/text/json.ts';
import { type Part, partAt, type Reader, ruleParts, type Table, tableAt, type Verdict } from './part.ts';
import { commonServer, milliseconds, serverParts } from './server-part.ts';

/** Tools in rules; null if there is nothing to permit here. */
const TOOLS: Readonly<Record<string, string | null>> = {
  '*': '*',
  bash: 'Bash',
  edit: 'Edit',
  write: 'Write',
  patch: 'Edit',
  read: 'Read',
  glob: 'Glob',
  grep: 'Grep',
  list: 'List',
  webfetch: 'WebFetch',
  websearch: 'WebSearch',
  task: 'Task',
  skill: 'Skill',
  todowrite: null,
  todoread: null,
  question: null,
  lsp: null,
  codesearch: null,
  doom_loop: null,
  external_directory: null,
};

/** `opencode.json` and `opencode.jsonc`. */
export const readOpencode: Reader = (value) => [
  ...serverParts(tableAt(value, 'mcp'), { key: ['mcp'], convert: serverOf, variables }),
  ...partAt(value, ['model'], (model) => ({ input: { model } })),
  ...partAt(value, ['small_model'], (model) => ({ input: { helperModel: model } })),
  ...permissionParts(value.permission),
  ...Object.entries(tableAt(value, 'tools')).flatMap(([name, isOn]) =>
    isOn === false ? toolRule('deny', ['tools', name], name) : [],
  ),
];

function permissionParts(permission: unknown): Part[] {
  if (permission === undefined) return [];
  const table = isObject(permission) ? permission : { '*': permission };
  return Object.entries(table).flatMap(([tool, actions]) => {
    const key = ['permission', tool];
    if (!isObject(actions)) return actionPart(key, tool, actions);
    const isOpen = Object.values(actions).includes('allow');
    return Object.entries(actions).flatMap(([pattern, action]) => {
      if (pattern !== '*') return actionPart([...key, pattern], tool, action, pattern);
      // An ask rule would also cover the patterns that are allowed; what no rule covers is asked anyway.
      return action === 'ask' && isOpen ? [] : actionPart([...key, pattern], tool, action);
    });
  });
}

function actionPart(key: string[], tool: string, action: unknown, pattern?: string): Part[] {
  if (action !== 'allow' && action !== 'ask' && action !== 'deny')
    return [{ key, problem: 'it must be allow, ask or deny.' }];
  return toolRule(action, key, tool, pattern);
}

function toolRule(verdict: Verdict, key: string[], name: string, pattern?: string): Part[] {
  const rule = Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (rule === null) return [];
  if (rule === undefined) {
    // Tools of servers are named `server_tool`.
    const server = /^([\w-]+?)_\*?$/.exec(name)?.[1];
    if (server === undefined || pattern !== undefined)
      return [{ key, problem: `there is no tool ${name} here; write a rule in your settings.` }];
    return rulePart(verdict, key, `mcp:${server}:*`);
  }
  // No rule may allow everything.
  if (rule === '*' && verdict === 'allow') return [];
  return rulePart(verdict, key, pattern === undefined ? rule : `${rule}(${pattern})`);
}

function rulePart(verdict: Verdict, key: string[], rule: string): Part[] {
  return ruleParts(verdict, key, [rule]).map((part) => ({ ...part, key }));
}

function serverOf(server: Table): Table {
  const [command, ...args] = Array.isArray(server.command) ? (server.command as unknown[]) : [server.command];
  return {
    ...commonServer({
      ...server,
      type: undefined,
      command,
      args: args.length > 0 ? args : undefined,
      env: server.environment,
      disabled: server.enabled === false,
    }),
    timeoutMs: milliseconds(server.timeout, 1),
  };
}

function variables(text: string): string {
  return text.replaceAll(/\{env:([A-Za-z_]\w*)\}/g, '$${$1}');
}
