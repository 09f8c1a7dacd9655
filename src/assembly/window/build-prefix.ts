import path from 'node:path';
import type { OutputStyle } from '../../context/prompt/output-style.ts';
import { familyOf } from '../../context/prompt/parts.ts';
import { type Surroundings, systemPrompt } from '../../context/prompt/system-prompt.ts';
import { statedBy } from '../../context/surroundings.ts';
import { gitDirs, textIfAny } from '../../lib/paths/git-dirs.ts';
import { repositoryRoot } from '../../lib/paths/repository-root.ts';
import { sha256 } from '../../lib/sha256.ts';
import { hostInstructions, type SessionExtensions } from '../extensions/extensions.ts';
import type { SessionTools } from '../extensions/session-tools.ts';
import type { Models } from '../models/connect-models.ts';
import { fitInstructions, isSmall, offeredTools } from '../models/small-model.ts';
import { takesToolChanges } from '../models/tool-changes.ts';
import { readsSummaryOf } from '../models/vendor-summary.ts';
import type { Parts } from '../parts.ts';
import type { Prefix } from './epochs.ts';
import type { Mode } from './mode.ts';
import type { ProjectInstructions } from './project-instructions.ts';

export type PrefixDeps = {
  mode: Pick<Mode, 'get'>;
  shellName: string;
  models: Pick<Models, 'current'>;
  tools: Pick<SessionTools, 'definitions' | 'serverTools'>;
  extensions: Pick<SessionExtensions, 'ready'>;
  instructions: Pick<ProjectInstructions, 'reload'>;
  /** What is refused in a run without a user; absent with one. */
  refused?(): string;
  /** Of the main conversation. */
  style(): OutputStyle;
};

export type PrefixBuilder = {
  /** What the prompts of all conversations say of this machine and project; a subagent has its own role. */
  surroundings(): Promise<Surroundings>;
  /** The same for the main conversation, with what the user chose for it. */
  ownSurroundings(): Promise<Surroundings>;
  build(): Promise<Prefix>;
  /** Which models can continue a prefix: of one vendor, with the same prompt. */
  reader(): string;
  /** Whether the answering model reads what this provider made of a conversation. */
  readsSummaryOf(provider: string): boolean;
};

/** Describes a session's surroundings as they are now, and renders them as the prefix of a new epoch. */
export function createPrefixBuilder(parts: Parts, deps: PrefixDeps): PrefixBuilder {
  const { config, cwd, prompt } = parts;
  const { mode, models, tools, extensions, instructions } = deps;

  async function surroundings(): Promise<Surroundings> {
    const [{ skills }, found] = await Promise.all([extensions.ready(), instructions.reload()]);
    const all = [...found, ...hostInstructions(parts)];
    const branch = branchIn(cwd);
    const here = {
      cwd,
      folders: config.additionalDirectories,
      platform: process.platform,
      shell: deps.shellName,
      mode: mode.get(),
      date: localDay(new Date()),
      ...(branch !== null && { branch }),
      serverTools: tools.serverTools(),
      family: familyOf(models.current().model),
      ...(deps.refused && { refused: deps.refused() }),
    };
    const choice = models.current();
    if (!isSmall(choice, config)) return { ...here, instructions: all, skills };
    return { ...here, instructions: fitInstructions(all, choice.info.contextWindow), length: 'short' };
  }

  const ownSurroundings = async () => ({ ...(await surroundings()), style: deps.style(), ...prompt });

  function reader(): string {
    const choice = models.current();
    const length = isSmall(choice, config) ? 'short' : 'full';
    const replaced = prompt?.replace === undefined ? '' : ` ${sha256(prompt.replace).slice(0, 8)}`;
    // Others are sent what the program states in another form.
    const form = takesToolChanges(choice) ? ' with-system-messages' : '';
    return `${choice.preset.name} ${length}${form}${replaced}`;
  }

  return {
    surroundings,
    ownSurroundings,
    reader,
    readsSummaryOf: (provider) => readsSummaryOf(provider, models.current()),
    async build() {
      const now = await ownSurroundings();
      return {
        reader: reader(),
        system: systemPrompt(now),
        tools: offeredTools(tools.definitions(), models.current(), config),
        stated: statedBy(now),
      };
    },
  };
}

/** Read without git, because it is read before every prompt. Null without a branch. */
function branchIn(cwd: string): string | null {
  const [own = ''] = gitDirs(repositoryRoot(cwd));
  return /^ref: refs\/heads\/(.+)$/m.exec(textIfAny(path.join(own, 'HEAD')) ?? '')?.[1] ?? null;
}

function localDay(now: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
