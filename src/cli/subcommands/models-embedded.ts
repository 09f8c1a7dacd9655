import { Command } from 'commander';
import { loadSettings } from '../../app/settings.ts';
import { embeddedPreset, fitHere } from '../../assembly/models/embedded-model.ts';
import { setValue } from '../../config/edit.ts';
import { userConfigFile } from '../../config/load.ts';
import { UserError } from '../../contract/errors.ts';
import { curatedModels, FIRST_MODEL } from '../../embedded/models/curated.ts';
import { memoryNeeded } from '../../embedded/models/fit.ts';
import type { HubFile } from '../../embedded/models/hub.ts';
import { ModelStore } from '../../embedded/models/model-store.ts';
import { installedRuntime } from '../../embedded/runtime/runtime-folder.ts';
import { megabytes } from '../../frontends/shared/progress-line.ts';
import type { SetupOptions } from '../../frontends/shared/set-up-runtime.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { didYouMean } from '../../lib/text/nearest.ts';
import { table, withContext } from './context.ts';

type Yes = { yes?: boolean };

/** The `aca models` subcommands for embedded models. */
export function embeddedCommands(terminal: Terminal): Command[] {
  const { stdout, stderr } = terminal;
  const command = (name: string) => withContext(new Command(name), terminal);
  const settings = () => loadSettings({}, terminal);
  const store = () => new ModelStore(settings().root);

  return [
    command('setup')
      .description('Install the runtime for embedded models (llama.cpp) into the data root, once')
      .option('-y, --yes', 'do not ask')
      .option('--gpu <kind>', 'cuda, vulkan or none instead of what is found')
      .option('--force', 'install it anew')
      .action(async (options: SetupOptions) => {
        const { setUpRuntime } = await import('../../frontends/shared/set-up-runtime.ts');
        await setUpRuntime(options, terminal);
      }),

    command('pull')
      .description('Fetch a model: one of the list by its name, or any file of a hub')
      .argument('[name]', `a name of the list (${FIRST_MODEL} without one), or owner/repository`)
      .argument('[file]', 'the .gguf file of that repository')
      .option('-y, --yes', 'do not ask')
      .action(async (name: string | undefined, file: string | undefined, { yes }: Yes) => {
        const wanted = wantedModel(name ?? FIRST_MODEL, file);
        const { pullModel } = await import('../../frontends/shared/hub-model.ts');
        const path = await pullModel(wanted, {
          settings: settings(),
          terminal,
          consent: yes ? 'given' : 'ask',
        });
        const stored = (await store().list()).find((model) => model.file === path);
        stdout.write(`${path}\n`);
        stderr.write(`Talk to it: aca --model embedded/${stored?.name}, or make it the usual one: `);
        stderr.write(`aca models use ${stored?.name}\n`);
        await remindOfSetup(settings().root, terminal);
      }),

    command('use')
      .description('Make a model the one that answers, in your settings')
      .argument('<name>', 'a fetched model, a path to a .gguf file, or provider/model')
      .action(async (name: string) => {
        const { root } = settings();
        const isOther = name.includes('/') && !/\.gguf$/i.test(name);
        const facts = isOther ? null : await store().facts(name, terminal.cwd);
        const model = isOther ? name : `embedded/${/\.gguf$/i.test(name) ? facts?.file : name}`;
        await setValue(userConfigFile(root), ['model'], model);
        stdout.write(`${model} answers from now on.\n`);
        if (!isOther) await remindOfSetup(root, terminal);
      }),

    command('remove')
      .description('Remove a fetched model from the disk')
      .argument('<name>')
      .action(async (name: string) => {
        const { file } = await store().remove(name);
        stdout.write(`${file} is removed.\n`);
      }),

    command('info')
      .description('Show what a model file says of itself, and how it fits this machine')
      .argument('<name>', 'a fetched model, or a path to a .gguf file')
      .option('--json', 'print JSON')
      .action(async (name: string, _: unknown, self: Command) => {
        const { json } = self.optsWithGlobals<{ json?: boolean }>();
        const facts = await store().facts(name, terminal.cwd);
        const fit = fitHere(facts);
        const memoryBytes = memoryNeeded(facts, fit.contextSize);
        if (json) {
          const { chatTemplate, ...rest } = facts;
          const all = { ...rest, hasChatTemplate: chatTemplate !== null, fit, memoryBytes };
          stdout.write(`${JSON.stringify(all)}\n`);
          return;
        }
        stdout.write(
          table([
            ['file', facts.file],
            ['size', megabytes(facts.bytes)],
            ['name', facts.name ?? 'not said'],
            ['kind', `${facts.architecture}${facts.isEmbedding ? ', makes numbers of texts' : ''}`],
            ['stored as', facts.quantisation ?? 'not said'],
            ['licence', facts.license ?? 'not said'],
            ['trained window', `${facts.contextLength} tokens`],
            ['window here', `${fit.contextSize} tokens, ${megabytes(memoryBytes)} of memory`],
            ['threads', String(fit.threads)],
            ['chat template', facts.chatTemplate === null ? 'none; ChatML is used' : 'its own'],
          ]),
        );
      }),
  ];
}

/** Rows for the list: installed models, then downloadable ones. */
export async function embeddedRows(root: string): Promise<string[][]> {
  const store = new ModelStore(root);
  const [stored, readable] = await Promise.all([store.list(), store.readable()]);
  const here = stored.map(({ name, file, curated }) => {
    const facts = readable.find((model) => model.file === file)?.facts;
    const row = [`${embeddedPreset.name}/${name}`];
    if (!facts) return [...row, 'damaged', `aca models remove ${name}`];
    const about = [facts.quantisation, megabytes(facts.bytes), curated?.good];
    return [...row, `${Math.round(facts.contextLength / 1000)}K window`, about.filter(Boolean).join(', ')];
  });
  const names = new Set(stored.map(({ name }) => name));
  const more = curatedModels
    .filter(({ name }) => !names.has(name))
    .map(({ name, bytes, license, good }) => [
      `${embeddedPreset.name}/${name}`,
      `aca models pull ${name}`,
      `${megabytes(bytes)}, ${license}: ${good}`,
    ]);
  return [...here, ...more];
}

async function remindOfSetup(root: string, { stderr }: Terminal): Promise<void> {
  if (!(await installedRuntime(root))) stderr.write('Its runtime is not installed yet: aca models setup\n');
}

function wantedModel(name: string, file: string | undefined): HubFile {
  if (file !== undefined) return { repo: name, file };
  const curated = curatedModels.find((model) => model.name === name);
  if (curated) return { repo: curated.repo, file: curated.file };
  const names = curatedModels.map((model) => model.name);
  throw new UserError(
    `${name} is not on the list.${didYouMean(name, names)}`,
    `The list has ${names.join(', ')}. Any other: aca models pull OWNER/REPOSITORY FILE.gguf`,
  );
}
