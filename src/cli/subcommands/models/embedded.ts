import { Command } from 'commander';
import { loadSettings } from '../../../app/settings.ts';
import { presetsOf } from '../../../assembly/models/choose-model.ts';
import {
  embeddedPreset,
  fitHere,
  memoryWarning,
  reportGpu,
} from '../../../assembly/models/embedded-model.ts';
import { setValue } from '../../../config/edit.ts';
import { userConfigFile } from '../../../config/load.ts';
import type { Config } from '../../../config/schema/schema.ts';
import { UserError } from '../../../contract/errors.ts';
import { availableMemory } from '../../../embedded/models/available-memory.ts';
import { curatedModels, firstModel } from '../../../embedded/models/curated.ts';
import { type Fit, memoryNeeded } from '../../../embedded/models/fit.ts';
import type { GgufFacts } from '../../../embedded/models/gguf.ts';
import type { HubFile } from '../../../embedded/models/hub.ts';
import { isPath, ModelStore } from '../../../embedded/models/model-store.ts';
import { installedRuntime, removeRuntime } from '../../../embedded/runtime/runtime-folder.ts';
import type { SetupOptions } from '../../../frontends/shared/set-up-runtime.ts';
import type { Terminal } from '../../../frontends/shared/terminal.ts';
import { fileSize } from '../../../lib/text/file-size.ts';
import { didYouMean } from '../../../lib/text/nearest.ts';
import { knownModels, type PricedModel, providerIn } from '../../../providers/models/models.ts';
import { table, withContext } from '../context.ts';
import { vendorFacts, vendorModel, windowText } from './vendor-models.ts';

type Yes = { yes?: boolean };

/** The `aca models` subcommands for embedded models. */
export function embeddedCommands(terminal: Terminal): Command[] {
  const { stdout, stderr } = terminal;
  const command = (name: string) => withContext(new Command(name), terminal);
  const settings = () => loadSettings({}, terminal);
  const store = () => new ModelStore(settings().root);

  return [
    command('setup')
      .description('Install the runtime for embedded models (llama.cpp) into the data root')
      .option('-y, --yes', 'skip confirmation')
      .option('--gpu <kind>', 'use cuda, vulkan or none instead of detecting the GPU')
      .option('--force', 'reinstall')
      .action(async (options: SetupOptions) => {
        const { setUpRuntime } = await import('../../../frontends/shared/set-up-runtime.ts');
        await setUpRuntime(options, terminal);
      }),

    command('pull')
      .alias('download')
      .description('Download a model: a recommended one by name, or any file from Hugging Face')
      .argument('[name]', `name of a recommended model (default: ${firstModel.name}), or owner/repository`)
      .argument('[file]', 'the .gguf file in that repository')
      .option('-y, --yes', 'skip confirmation')
      .action(async (name: string | undefined, file: string | undefined, { yes }: Yes) => {
        const wanted = wantedModel(name ?? firstModel.name, file);
        const { pullModel } = await import('../../../frontends/shared/hub-model.ts');
        const path = await pullModel(wanted, {
          settings: settings(),
          terminal,
          consent: yes ? 'given' : 'ask',
        });
        const stored = (await store().list()).find((model) => model.file === path);
        stdout.write(`${path}\n`);
        stderr.write(`Use it with: aca --model embedded/${stored?.name}\nMake it the default with: `);
        stderr.write(`aca models use ${stored?.name}\n`);
        await remindOfSetup(settings().root, terminal);
      }),

    command('use')
      .description('Set the default model in your settings')
      .argument('<name>', 'a downloaded model, a path to a .gguf file, or provider/model')
      .action(async (name: string) => {
        const { root, config } = settings();
        const vendors = presetsOf(config).map((preset) => preset.name);
        const known = await vendorModelNamed(name, root, vendors);
        const isOther =
          known !== null || providerIn(name, vendors) !== null || (name.includes('/') && !isPath(name));
        const facts = isOther ? null : await store().facts(name, terminal);
        const model = isOther ? name : `embedded/${isPath(name) ? facts?.file : name}`;
        await setValue(userConfigFile(root), ['model'], model);
        stdout.write(`Default model set to ${model}.\n`);
        if (isOther) stderr.write(noteOn(name, known, config));
        if (!facts) return;
        await remindOfSetup(root, terminal);
        const { contextSize } = await fitHere(facts, { dataRoot: root });
        const warning = await memoryWarning(facts, { contextSize, dataRoot: root });
        if (warning !== null) stderr.write(`${warning}\n`);
      }),

    command('remove')
      .description('Delete a downloaded model, a broken download, or the runtime')
      .argument('<name>', 'a model, or `runtime`')
      .action(async (name: string) => {
        const removed =
          name === 'runtime' ? await removeRuntime(settings().root) : await store().remove(name);
        for (const file of removed) stdout.write(`Removed ${file}\n`);
      }),

    infoCommand(terminal),
  ];
}

function infoCommand(terminal: Terminal): Command {
  const { stdout } = terminal;
  return withContext(new Command('info'), terminal)
    .description('Show details of a model, and how a model file fits this machine')
    .argument(
      '<name>',
      'a downloaded model, a path to a .gguf file, provider/model, or an alias such as sonnet',
    )
    .option('--json', 'print JSON')
    .action(async (name: string, _: unknown, self: Command) => {
      const { json } = self.optsWithGlobals<{ json?: boolean }>();
      const { root, config } = loadSettings({}, terminal);
      const vendors = presetsOf(config).map((preset) => preset.name);
      const known = await vendorModelNamed(name, root, vendors);
      if (known) {
        stdout.write(json ? `${JSON.stringify(known)}\n` : vendorFacts(known));
        return;
      }
      const facts = await new ModelStore(root).facts(name, terminal);
      const fit = await fitHere(facts, { dataRoot: root });
      const memoryBytes = memoryNeeded(facts, fit.contextSize);
      const availableBytes = await availableMemory();
      if (json) {
        const { chatTemplate, ...rest } = facts;
        const all = { ...rest, hasChatTemplate: chatTemplate !== null, fit, memoryBytes, availableBytes };
        stdout.write(`${JSON.stringify(all)}\n`);
        return;
      }
      const runsOn =
        (await reportGpu(root, terminal.env)) ?? 'the runtime is not installed: aca models setup';
      stdout.write(factTable(facts, fit, { memoryBytes, availableBytes, runsOn }));
    });
}

/** What is on the disk has precedence: a file may have the name of a vendor's model. */
async function vendorModelNamed(name: string, root: string, vendors: readonly string[]) {
  const isFile = isPath(name) || (await new ModelStore(root).list()).some((stored) => stored.name === name);
  return isFile ? null : vendorModel(name, vendors);
}

/** Empty, or what to know before the first request. Vendors without rows in the table list their own models. */
function noteOn(name: string, known: PricedModel | null, config: Config): string {
  if (known?.retired !== undefined)
    return `${known.provider} retired ${known.id} on ${known.retired}. Run \`aca models list\` for current models.\n`;
  const [provider = ''] = name.split('/');
  const isListed = knownModels().some((model) => model.provider === provider);
  if (known || !isListed || Object.hasOwn(config.models, name)) return '';
  return `${name} is not in the model table. If it is misspelled, run \`aca models list\`.\n`;
}

function factTable(
  facts: GgufFacts,
  fit: Fit,
  { memoryBytes, availableBytes, runsOn }: { memoryBytes: number; availableBytes: number; runsOn: string },
): string {
  return table([
    ['file', facts.file],
    ['size', fileSize(facts.bytes)],
    ['name', facts.name ?? 'unknown'],
    ['kind', `${facts.architecture}${facts.isEmbedding ? ', embedding model' : ''}`],
    ['quantization', facts.quantisation ?? 'unknown'],
    ['licence', facts.license ?? 'unknown'],
    ['trained context', `${facts.contextLength} tokens`],
    ['context here', `${fit.contextSize} tokens`],
    ['memory', `${fileSize(memoryBytes)} of ${fileSize(availableBytes)} available`],
    ['runs on', runsOn],
    ['threads', String(fit.threads)],
    ['chat template', facts.chatTemplate === null ? 'none; uses ChatML' : 'built in'],
  ]);
}

/** Rows for the list: installed models, broken downloads, then downloadable ones. */
export async function embeddedRows(root: string): Promise<string[][]> {
  const store = new ModelStore(root);
  const [stored, partial] = await Promise.all([store.examined(), store.partial()]);
  const row = (name: string, ...rest: string[]) => [`${embeddedPreset.name}/${name}`, ...rest];
  const here = stored.map((model) => {
    const { name, curated, facts } = model;
    if (!facts) return row(name, 'damaged', `${model.fault} Remove it: aca models remove ${name}`);
    const about = [facts.quantisation, fileSize(facts.bytes), curated?.good];
    return row(name, windowText(facts.contextLength), about.filter(Boolean).join(', '));
  });
  const broken = partial.map(({ name, curated, bytes, wanted }) => {
    const total = curated ? ` of ${fileSize(curated.bytes)}` : '';
    const again = curated ? name : `${wanted.repo} ${wanted.file}`;
    return row(
      name,
      'incomplete',
      `${fileSize(bytes)}${total}. Resume: aca models pull ${again}; remove: aca models remove ${name}`,
    );
  });
  const names = new Set([...stored, ...partial].map(({ name }) => name));
  const more = curatedModels
    .filter(({ name }) => !names.has(name))
    .map(({ name, bytes, license, good }) =>
      row(name, `aca models pull ${name}`, `${fileSize(bytes)}, ${license}: ${good}`),
    );
  return [...here, ...broken, ...more];
}

async function remindOfSetup(root: string, { stderr }: Terminal): Promise<void> {
  if (!(await installedRuntime(root)))
    stderr.write('The runtime is not installed yet. Install it with: aca models setup\n');
}

function wantedModel(name: string, file: string | undefined): HubFile {
  if (file !== undefined) return { repo: name, file };
  const curated = curatedModels.find((model) => model.name === name);
  if (curated) return { repo: curated.repo, file: curated.file };
  const names = curatedModels.map((model) => model.name);
  throw new UserError(
    `${name} is not a recommended model.${didYouMean(name, names)}`,
    `Recommended: ${names.join(', ')}. For any other model: aca models pull OWNER/REPOSITORY FILE.gguf`,
  );
}
