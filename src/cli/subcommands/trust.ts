import { Command } from 'commander';
import { askTrust, changesOf, showFiles, TRUST_MEANS } from '../../app/conversation/trust-question.ts';
import {
  projectContent,
  projectRoot,
  revokeTrust,
  trustedFolders,
  trustFolder,
  trustOf,
} from '../../config/trust.ts';
import { Conversation } from '../../frontends/plain/line-terminal.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { dataRoot } from '../../lib/files/data-root.ts';
import { table, withContext } from './context.ts';

type TrustOptions = { show?: boolean; revoke?: boolean; list?: boolean };

const STATES = {
  trusted: 'Trusted',
  unknown: 'Not trusted',
  changed: 'No longer trusted: its settings have changed',
};

export function trustCommand(terminal: Terminal): Command {
  const answer = async (options: TrustOptions) => {
    const text = await trust(options, terminal);
    terminal.stdout.write(text === '' ? '' : `${text}\n`);
  };
  const command = withContext(new Command('trust'), terminal)
    .description('Trust this folder: apply its settings and allow its scripts')
    .option('--show', 'show whether this folder is trusted, and the files that trust covers')
    .option('--revoke', 'stop trusting this folder')
    .option('--list', 'list trusted folders')
    .action(answer);
  command
    .command('list')
    .description('List trusted folders')
    .action(() => answer({ list: true }));
  return command;
}

async function trust({ show, revoke, list }: TrustOptions, terminal: Terminal): Promise<string> {
  const { cwd, env } = terminal;
  const home = dataRoot(env);
  if (list) {
    const rows = trustedFolders(home).map(({ folder, trustedAt, files }) => [
      trustedAt.slice(0, 16).replace('T', ' '),
      folder,
      files.join(', '),
    ]);
    return rows.length > 0 ? table(rows).trimEnd() : 'No trusted folders.';
  }
  if (revoke) {
    const folder = await revokeTrust(home, cwd);
    return folder === null ? `${projectRoot(cwd)} was not trusted.` : `${folder} is no longer trusted.`;
  }

  const content = projectContent(cwd, home);
  const before = trustOf(home, cwd, content);
  const files = await showFiles(content, changesOf(before));
  const shown = files === '' ? 'This folder has no settings of its own.' : files;
  if (show) return `${STATES[before.type]}: ${projectRoot(cwd)}\n${shown}`;

  terminal.stdout.write(`${projectRoot(cwd)}\n${shown}\n`);
  if (!(await agreed(terminal, home))) return 'Nothing was changed.';
  const folder = await trustFolder(home, cwd, content);
  return `${folder} is now trusted. To undo this, run \`aca trust --revoke\`.`;
}

/** In a terminal the user is asked with the files in view; in a script the command itself is the consent. */
async function agreed(terminal: Terminal, root: string): Promise<boolean> {
  if (!terminal.stdin.isTTY || !terminal.stdout.isTTY) return true;
  const talk = new Conversation(terminal);
  terminal.stdout.write(`${TRUST_MEANS}\n`);
  const isTrusted = await askTrust(root, (question) => talk.ask(question));
  talk.close();
  return isTrusted;
}
