import { Command } from 'commander';
import { userNetwork } from '../../app/open-assistant.ts';
import { loadSettings } from '../../app/settings.ts';
import { thisInstall } from '../../app/update/install-method.ts';
import { latestVersion, registryOf } from '../../app/update/registry.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { isNewer } from '../../lib/text/version-order.ts';
import { version } from '../../lib/version.ts';
import { withContext } from './context.ts';

type Answer = {
  version: string;
  latest: string | null;
  installed: string;
  command: string;
  trouble?: string;
};

/** `aca update`: shows whether an update is available; changes nothing. */
export function updateCommand(terminal: Terminal): Command {
  return withContext(new Command('update'), terminal)
    .description('Say whether there is a newer version, and the command that gets it; nothing is changed')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const answer = await look(terminal);
      terminal.stdout.write(json ? `${JSON.stringify(answer)}\n` : messageFor(answer));
    });
}

async function look(terminal: Terminal): Promise<Answer> {
  const { config } = loadSettings({}, terminal);
  const { how, update } = thisInstall(terminal.program);
  const known = { version, installed: how, command: update };
  if (config.offline) return { ...known, latest: null, trouble: 'offline, so nobody was asked' };
  const { http } = await userNetwork(config, terminal.env);
  try {
    return { ...known, latest: await latestVersion(registryOf(config, terminal.env), http) };
  } catch (error) {
    return { ...known, latest: null, trouble: error instanceof Error ? error.message : String(error) };
  }
}

function messageFor({ version, latest, installed, command, trouble }: Answer): string {
  const here = `This is version ${version}, installed ${installed}.`;
  if (latest === null)
    return `${here}\nWhich one is the newest cannot be told: ${trouble}.\nTo get it all the same: ${command}\n`;
  if (!isNewer(latest, version)) return `${here}\nThere is none newer.\n`;
  return `${here}\nVersion ${latest} is there. To get it: ${command}\n`;
}
