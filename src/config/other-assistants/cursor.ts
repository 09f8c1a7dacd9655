import path from 'node:path';
import { listAt, type Part, pathInRule, type Reader, ruleParts, tableAt, type Verdict } from './part.ts';
import { commonServer, serverParts } from './server-part.ts';

/** `mcp.json`, `cli.json` and `cli-config.json`. */
export const readCursor: Reader = (value, { base, home }) => {
  const permissions = tableAt(value, 'permissions');
  return [
    ...serverParts(tableAt(value, 'mcpServers'), {
      key: ['mcpServers'],
      convert: commonServer,
      variables: (text) => withVariables(text, { base, home }),
    }),
    ...rulesIn('allow', listAt(permissions, 'allow')),
    ...rulesIn('deny', listAt(permissions, 'deny')),
  ];
};

function withVariables(text: string, { base, home }: { base: string; home: string }): string {
  const known: Readonly<Record<string, string>> = {
    userHome: home,
    workspaceFolder: base,
    workspaceFolderBasename: path.basename(base),
    pathSeparator: path.sep,
    '/': path.sep,
  };
  return text.replaceAll(/\$\{(?:env:([A-Za-z_]\w*)|([\w/]+))\}/g, (whole, variable?: string, name = '') =>
    variable === undefined ? (known[name] ?? whole) : `\${${variable}}`,
  );
}

function rulesIn(verdict: Verdict, rules: readonly unknown[]): Part[] {
  return rules.flatMap((written, i) => {
    const key = ['permissions', verdict, i];
    const rule = ruleOf(String(written));
    if (rule === null)
      return [
        {
          key,
          problem: `"${String(written)}" is not a rule this program knows; write one in your settings.`,
        },
      ];
    return ruleParts(verdict, [], [rule]).map((part) => ({ ...part, key }));
  });
}

/** `Shell(git)` means every command of that program. */
function ruleOf(written: string): string | null {
  const [, kind = '', inside = ''] = /^(\w+)(?:\((.*)\))?$/s.exec(written.trim()) ?? [];
  const isAll = ['', '*', '**', '*:*'].includes(inside);
  switch (kind) {
    case 'Shell':
      return isAll ? 'Bash' : `Bash(${inside.includes(':') ? inside.replace(/:/, ' ') : `${inside}:*`})`;
    case 'Read':
      return isAll ? 'Read' : `Read(${pathInRule(inside)})`;
    case 'Write':
      return isAll ? 'Edit' : `Edit(${pathInRule(inside)})`;
    case 'WebFetch':
      return isAll ? 'WebFetch' : `WebFetch(domain:${inside})`;
    case 'Mcp': {
      const [server = '*', tool = '*'] = inside.split(':');
      return server === '*' || isAll ? 'mcp:*' : `mcp:${server}:${tool}`;
    }
    default:
      return null;
  }
}
