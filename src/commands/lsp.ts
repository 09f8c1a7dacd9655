import path from 'node:path';
import type { LanguageServerState } from '../contract/code-intelligence.ts';
import type { SlashCommand } from '../contract/command.ts';
import { counted } from '../lib/text/counted.ts';

const PHASES: Record<LanguageServerState['phase'], string> = {
  idle: 'starts when it is needed',
  starting: 'starting',
  ready: 'ready',
  failed: 'failed',
};

export const lsp: SlashCommand = {
  name: 'lsp',
  description: 'Show language servers: /lsp, /lsp restart NAME',
  async execute([verb, name], { languageServers: servers, cwd, print }) {
    if (!servers) return print('Language servers are not available here.');
    if (verb === 'restart' && name !== undefined) {
      const isThere = await servers.restart(name);
      return print(
        isThere ? `${name} starts again when it is needed.` : `No server ${name} runs. /lsp lists them.`,
      );
    }
    if (verb !== undefined) return print('Use /lsp or /lsp restart NAME.');
    if (servers.off !== '') return print(`No language servers: ${servers.off}.`);
    const all = servers.list();
    const running =
      all.length === 0
        ? ['No language server runs yet. One starts when a source file is changed.']
        : all.map((server) => line(server, cwd));
    print([...running, ...servers.missing].join('\n'));
  },
};

function line(server: LanguageServerState, cwd: string): string {
  const { name, language, root, program, phase, trouble, documents, restarts, sandbox } = server;
  const details = [
    ...(phase === 'ready' ? [counted(documents, 'open file')] : []),
    ...(restarts > 0 ? [counted(restarts, 'crash')] : []),
    ...(sandbox === '' ? [] : [sandbox === 'host' ? 'no sandbox' : `in ${sandbox}`]),
  ];
  const state = [PHASES[phase], phase === 'failed' ? trouble : ''].filter(Boolean).join(': ');
  const where = path.relative(cwd, root) || '.';
  return `${name}  ${language} in ${where}: ${[state, ...details].join(', ')}  (${program})`;
}
