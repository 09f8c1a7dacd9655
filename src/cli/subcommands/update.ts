import { Command } from 'commander';
import { userNetwork } from '../../app/opening/user-network.ts';
import { loadSettings } from '../../app/settings.ts';
import { thisInstall } from '../../app/update/install-method.ts';
import { npmSettings, withNpmCertificates } from '../../app/update/npm-settings.ts';
import { latestVersion, registryOf } from '../../app/update/registry.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { certificateProblem } from '../../lib/network/certificate-problem.ts';
import { sentence } from '../../lib/text/sentence.ts';
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
    .description('Check for a newer version and show how to get it; installs nothing')
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
  if (config.offline) return { ...known, latest: null, trouble: 'you are offline' };
  const registry = registryOf(config, terminal.env);
  const network = withNpmCertificates(config, npmSettings(terminal.env));
  const { http } = await userNetwork(network, terminal.env);
  try {
    return { ...known, latest: await latestVersion(registry, http) };
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error);
    const trouble = certificateProblem(error, new URL(registry).host) ?? words;
    return { ...known, latest: null, trouble };
  }
}

function messageFor({ version, latest, installed, command, trouble }: Answer): string {
  const here = `You have version ${version}, installed ${installed}.`;
  if (latest === null)
    return `${here}\nCould not check for a newer version: ${sentence(trouble ?? '')}\nTo update anyway: ${command}\n`;
  if (!isNewer(latest, version)) return `${here}\nThis is the latest version.\n`;
  return `${here}\nVersion ${latest} is available. To update: ${command}\n`;
}
