import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { userNetwork } from '../../app/opening/user-network.ts';
import { loadSettings, type Settings } from '../../app/settings.ts';
import { UserError } from '../../contract/errors.ts';
import { askHub, DEFAULT_HUB, fetchModel, type Hub, type HubFile } from '../../embedded/models/hub.ts';
import { ModelStore } from '../../embedded/models/model-store.ts';
import { fileSize } from '../../lib/text/file-size.ts';
import type { Options } from './options.ts';
import { withProgress } from './progress-line.ts';
import { shutdownSignal } from './signals.ts';
import type { Terminal } from './terminal.ts';

/** Resolves `--repo-id` and `--filename` to a model, downloading it if necessary. */
export async function withHubModel(options: Options, terminal: Terminal): Promise<Options> {
  const { repoId: repo, filename: file } = options;
  if (repo === undefined && file === undefined) return options;
  if (repo === undefined || file === undefined) {
    throw new UserError(
      'A hub model needs a repository and a file name.',
      'Give both: --repo-id Qwen/Qwen3-4B-GGUF --filename Qwen3-4B-Q4_K_M.gguf',
    );
  }
  const settings = loadSettings(options, terminal);
  return { ...options, model: await pullModel({ repo, file }, { settings, terminal, consent: 'given' }) };
}

export type PullDeps = {
  settings: Settings;
  terminal: Terminal;
  /** `given`: the command itself implies consent. */
  consent: 'given' | 'ask';
  /** Stops it; by default, a signal to the program. */
  signal?: AbortSignal;
};

/** The path of a model from the hub. Downloaded only if it is not here yet. */
export async function pullModel(
  wanted: HubFile,
  { settings, terminal, consent, signal = shutdownSignal(terminal) }: PullDeps,
): Promise<string> {
  const file = new ModelStore(settings.root).place(wanted);
  if (existsSync(file)) return file;
  const { stderr } = terminal;
  const hub = await hubOf(settings, terminal);
  const shown = { signal, out: stderr };
  const offer = await withProgress(wanted.file, shown, ({ waiting }) =>
    askHub(wanted, hub, { signal, waiting }),
  );
  const size = offer.bytes === null ? 'of unknown size' : `(${fileSize(offer.bytes)})`;
  const label = `${wanted.repo}/${wanted.file} ${size} from ${new URL(hub.endpoint).host}`;
  if (consent === 'ask') await agree(`Download ${label}?`, terminal);
  else stderr.write(`Downloading ${label}.\n`);
  await withProgress(wanted.file, shown, (report) =>
    fetchModel({ wanted, offer, file }, hub, { signal, ...report }),
  );
  return file;
}

async function hubOf({ config }: Settings, { env }: Terminal): Promise<Hub> {
  refuseOffline(config.offline, 'downloaded');
  return {
    endpoint: env.HF_ENDPOINT || DEFAULT_HUB,
    ...(env.HF_TOKEN && { token: env.HF_TOKEN }),
    fetch: (await userNetwork(config, env)).fetch,
  };
}

export function refuseOffline(offline: boolean, what: string): void {
  if (offline)
    throw new UserError(`Offline mode: nothing was ${what}.`, 'Remove --offline, or turn off `offline`.');
}

/** Only a yes continues. Without a terminal, consent must be in the arguments. */
export async function agree(question: string, { stdin, stderr }: Terminal): Promise<void> {
  if (!stdin.isTTY)
    throw new UserError(
      `${question} This needs a yes, but there is no terminal to ask on.`,
      'Add --yes to confirm.',
    );
  const lines = createInterface({ input: stdin, output: stderr });
  const answer = await lines.question(`${question} [y/n] `).finally(() => lines.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw new UserError('Nothing was downloaded.', 'You declined.');
}
