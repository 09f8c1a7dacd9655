import { Command } from 'commander';
import { missingModelError } from '../../../app/first-run/missing-model.ts';
import { measureModel } from '../../../app/opening/connect-model.ts';
import { findModel } from '../../../app/opening/find-model.ts';
import { userNetwork } from '../../../app/opening/user-network.ts';
import { loadSettings } from '../../../app/settings.ts';
import type { Choice } from '../../../assembly/models/choose-model.ts';
import { profileStore } from '../../../assembly/models/model-profiles.ts';
import { ProviderError, UserError } from '../../../contract/errors.ts';
import type { Terminal } from '../../../frontends/shared/terminal.ts';
import { limited } from '../../../lib/async/abort.ts';
import { nextStep } from '../../../providers/errors/next-step.ts';
import type { ModelProfile } from '../../../providers/local/profile.ts';
import { table, withContext } from '../context.ts';

/** `aca models probe`: measures a model's capabilities and saves them. */
export function probeCommand(terminal: Terminal): Command {
  return withContext(new Command('probe'), terminal)
    .description('Measure how a model calls tools, how it reasons and how fast it is, and save the result')
    .argument('[model]', 'provider/model (default: the current model)')
    .option('--json', 'print JSON')
    .action(async (model: string | undefined, _: unknown, command: Command) => {
      const { json } = command.optsWithGlobals<{ json?: boolean }>();
      const settings = loadSettings(model === undefined ? {} : { model }, terminal);
      const notice = (text: string) => terminal.stderr.write(`${text}\n`);
      const choice = await findModel(settings, terminal, { notice });
      if (!choice) throw await missingModelError(settings, terminal);
      if (choice.preset.protocol === 'embedded') {
        throw new UserError(
          `embedded/${choice.model} does not need probing: its chat template is checked when it loads.`,
          `Show its details with: aca models info ${choice.model}`,
        );
      }
      if (!choice.preset.local && model === undefined) {
        throw new UserError(
          `${choice.preset.name}/${choice.model} is a known model and needs no probing.`,
          'Name the model to probe: aca models probe ollama/qwen3:8b',
        );
      }
      const profile = await measured(choice, {
        config: settings.config,
        env: terminal.env,
        http: (await userNetwork(settings.config, terminal.env)).http,
        profiles: profileStore(settings.root),
        tell: json ? () => undefined : (words) => terminal.stderr.write(`… ${words}\n`),
      });
      terminal.stdout.write(json ? `${JSON.stringify(profile)}\n` : table(rowsOf(choice, profile)));
    });
}

type Measuring = Parameters<typeof measureModel>[1] & { tell(words: string): void };

async function measured(choice: Choice, { tell, ...deps }: Measuring): Promise<ModelProfile> {
  try {
    return await measureModel(choice, deps, { signal: limited(600_000), onStep: tell });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    throw new UserError(
      `Could not probe ${choice.preset.name}/${choice.model}: ${error.message}`,
      nextStep(error, choice.model),
      {
        exit: 'error',
        cause: error,
      },
    );
  }
}

const MODES: Record<ModelProfile['toolMode'], string> = {
  native: 'native',
  xml: 'XML in text',
  fence: 'fenced blocks in text',
  grammar: 'JSON constrained by a schema',
};

const THOUGHTS: Record<ModelProfile['thinking'], string> = {
  none: 'none',
  field: 'in a separate field',
  tags: 'in tags',
  bare: 'before a bare closing tag',
  channels: 'in channels',
};

function rowsOf({ preset, model }: Choice, profile: ModelProfile): string[][] {
  const { contextWindow, tokensPerSecond, firstTokenMs } = profile;
  const yes = (value: boolean) => (value ? 'yes' : 'no');
  return [
    ['model', `${preset.name}/${model}`],
    ['tool calls', profile.callsTools ? MODES[profile.toolMode] : 'none worked; falling back to XML in text'],
    ['parallel calls', yes(profile.parallelCalls)],
    ['results', `sent as ${profile.resultRole}`],
    ['system message', yes(profile.systemRole)],
    ['streaming', yes(profile.streaming)],
    ['reasoning', THOUGHTS[profile.thinking]],
    ['JSON mode', yes(profile.jsonMode)],
    ['context', contextWindow === undefined ? 'unknown' : `${contextWindow} tokens`],
    ['speed', tokensPerSecond === undefined ? 'unknown' : `${tokensPerSecond} tokens/s`],
    ['first token', firstTokenMs === undefined ? 'unknown' : `after ${firstTokenMs} ms`],
  ];
}
