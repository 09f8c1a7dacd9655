import type { OutputStyle } from '../../context/output-style.ts';
import { type Surroundings, systemPrompt } from '../../context/system-prompt.ts';
import type { PermissionMode } from '../../contract/permission.ts';
import { cacheKeyOf } from '../../providers/models/cache-key.ts';
import { hostInstructions, type SessionExtensions } from '../extensions/extensions.ts';
import type { SessionTools } from '../extensions/session-tools.ts';
import type { Models } from '../models/connect-models.ts';
import { requestSettings } from '../models/request-settings.ts';
import { fitInstructions, isSmall, offeredTools } from '../models/small-model.ts';
import type { Parts } from '../parts.ts';
import type { Mode } from './mode.ts';
import type { ProjectInstructions } from './project-instructions.ts';
import type { Base } from './sent-messages.ts';

export type RequestBaseDeps = {
  mode: Mode;
  shellName: string;
  models: Pick<Models, 'current'>;
  tools: Pick<SessionTools, 'definitions'>;
  extensions: Pick<SessionExtensions, 'ready'>;
  instructions: Pick<ProjectInstructions, 'all'>;
  /** Of the main conversation. */
  style(): OutputStyle;
};

export type RequestBase = {
  /** The description of this machine and project in the system prompt. */
  surroundings(mode: PermissionMode): Promise<Surroundings>;
  base(): Promise<Base>;
};

/** The prefix of every request of a session: system prompt, tools, settings. */
export function createRequestBase(parts: Parts, deps: RequestBaseDeps): RequestBase {
  const { config, cwd, opened } = parts;
  const { mode, models, tools, extensions, instructions } = deps;
  const settings = requestSettings(config);

  async function surroundings(now: PermissionMode): Promise<Surroundings> {
    const [{ skills }, found] = await Promise.all([extensions.ready(), instructions.all()]);
    const all = [...found, ...hostInstructions(parts)];
    const folders = config.additionalDirectories;
    const place = { cwd, folders, platform: process.platform, shell: deps.shellName, mode: now };
    const choice = models.current();
    if (!isSmall(choice, config)) return { ...place, instructions: all, skills };
    return { ...place, instructions: fitInstructions(all, choice.info.contextWindow), length: 'short' };
  }

  return {
    surroundings,
    base: async () => ({
      model: models.current().model,
      system: systemPrompt({ ...(await surroundings(mode.first)), style: deps.style(), ...parts.prompt }),
      tools: offeredTools(tools.definitions(), models.current(), config),
      cacheKey: cacheKeyOf(opened.session),
      ...settings,
    }),
  };
}
