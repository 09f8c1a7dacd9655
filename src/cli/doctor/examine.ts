import { bad, ok, warn } from '../../app/doctor/check.ts';
import { logCheck, logOf } from '../../app/doctor/log.ts';
import {
  clockCheck,
  dataRootChecks,
  programChecks,
  programsAround,
  searchCheck,
  userChecks,
} from '../../app/doctor/machine.ts';
import { keyChecks, keysFound, reachChecks, routeChecks, webSearchCheck } from '../../app/doctor/network.ts';
import {
  otherAssistantChecks,
  readSettings,
  sandboxChecks,
  serverChecks,
  settingsChecks,
} from '../../app/doctor/settings.ts';
import { voiceCheck } from '../../app/doctor/voice.ts';
import { findModel } from '../../app/opening/find-model.ts';
import type { Settings } from '../../app/settings.ts';
import { runsFromSource } from '../../app/update/install-method.ts';
import { updateNotice } from '../../app/update/notice.ts';
import type { Choice } from '../../assembly/models/choose-model.ts';
import { reportGpu } from '../../assembly/models/embedded-model.ts';
import type { HealthCheck } from '../../contract/command.ts';
import { UserError } from '../../contract/errors.ts';
import type { Terminal } from '../../frontends/shared/terminal.ts';
import { version } from '../../lib/version.ts';
import { terminalChecks } from './terminal.ts';

export type Examination = {
  /** Send keys to their vendors, to check whether they are accepted. */
  probe: boolean;
};

/** Runs all checks in parallel; the order of results is fixed. */
export async function examine(terminal: Terminal, { probe }: Examination): Promise<HealthCheck[]> {
  const { env } = terminal;
  const { settings, troubles } = readSettings(terminal);
  const { root } = settings;
  const answers = await Promise.all([
    programChecks(terminal.program),
    userChecks(),
    updateChecks(settings, terminal),
    // Runs before anything writes to the terminal or waits for the network.
    terminalChecks(terminal),
    troubles,
    settingsChecks(settings),
    troubles.length > 0 ? [] : otherAssistantChecks(settings, terminal),
    serverChecks(settings, env),
    dataRootChecks(root),
    modelChecks(settings, { terminal, probe }),
    routeChecks(settings, env),
    sandboxChecks(settings, terminal),
    runtimeChecks(root, env),
    searchCheck(),
    programsAround(terminal),
    clockCheck(new Date()),
    logCheck(logOf(settings)),
  ]);
  return answers.flat();
}

function updateChecks({ root, config }: Settings, { env, program }: Terminal): HealthCheck[] {
  const notice = updateNotice({ root, config, env, fromSource: runsFromSource(program) }, version);
  return notice === null ? [] : [warn('update', notice, 'Run `aca update` to see how to update.')];
}

/** What embedded models run on; nothing if no runtime is installed. */
async function runtimeChecks(root: string, env: NodeJS.ProcessEnv): Promise<HealthCheck[]> {
  const report = await reportGpu(root, env);
  if (report === null) return [];
  const isHeldBack = report.startsWith('CPU only: ');
  const next = 'Install or update what is named, then run `aca models setup` again.';
  return [isHeldBack ? warn('embedded', report, next) : ok('embedded', report)];
}

async function modelChecks(
  settings: Settings,
  { terminal, probe }: { terminal: Terminal; probe: boolean },
): Promise<HealthCheck[]> {
  try {
    const [found, chosen] = await Promise.all([
      keysFound(settings, terminal.env),
      modelFor(settings, terminal),
    ]);
    const { choice, check } = chosen;
    return [
      check,
      ...keyChecks(found),
      ...(await reachChecks(found, choice, { settings, host: terminal, probe })),
      await webSearchCheck(settings, terminal.env, choice),
      voiceCheck(settings, terminal),
    ];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [bad('model', error.message, error.hint)];
  }
}

async function modelFor(
  settings: Settings,
  terminal: Terminal,
): Promise<{ choice: Choice | null; check: HealthCheck }> {
  try {
    const choice = await findModel(settings, terminal);
    const check = choice
      ? ok('model', `${choice.preset.name}/${choice.model}`)
      : bad(
          'model',
          'not found: no API key, no server on this machine, no embedded model',
          'Set ANTHROPIC_API_KEY or store a key with `aca keys set anthropic`; start Ollama; or run `aca models setup`.',
        );
    return { choice, check };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { choice: null, check: bad('model', error.message, error.hint) };
  }
}
