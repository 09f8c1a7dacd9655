import type { Config } from '../../config/schema/schema.ts';
import type { ModeSwitch } from '../../contract/command.ts';
import type { Policy } from '../../permissions/policy.ts';
import type { Parts } from '../parts.ts';

type FreeChangesDeps = {
  mode: Pick<ModeSwitch, 'get'>;
  /** Whether changes by file tools can be undone; or also those by commands. */
  canUndo(by: 'tools' | 'commands', signal: AbortSignal): Promise<boolean>;
};

/** Edits and commands in the sandbox that need no approval, because the user trusts the folder or said so. */
export type FreeChanges = {
  current(): Pick<Policy, 'sandboxAutoApprove' | 'editsAutoApprove' | 'trustable'>;
  /** Whether it matters for an edit that commands are contained. */
  dependsOnSandbox(): boolean;
  /** Trusts the folder; null where that would change nothing, or the user cannot do it here. */
  trust(): (() => Promise<void>) | null;
  /** The user's answer to a question. */
  free(choice: 'sandboxed' | 'trust'): Promise<void>;
  /** Await before a call that changes something is judged: in a trusted folder it is free only if it can be undone. */
  check(by: 'tools' | 'commands', signal: AbortSignal): Promise<void>;
};

export function createFreeChanges(
  { config, trusted, trust }: Pick<Parts, 'trusted' | 'trust'> & { config: Pick<Config, 'sandbox'> },
  { mode, canUndo }: FreeChangesDeps,
): FreeChanges {
  const followsTrust = config.sandbox.autoApprove === undefined;
  let freesSandboxed = config.sandbox.autoApprove ?? false;
  let freesChanges = trusted && followsTrust;
  let save = followsTrust ? trust : undefined;
  const undoable = { tools: true, commands: true };

  async function trustFolder(): Promise<void> {
    await save?.();
    save = undefined;
    freesChanges = true;
  }

  return {
    current() {
      // A user who leaves another mode for this one wants to be asked.
      freesChanges &&= mode.get() === 'default';
      return {
        sandboxAutoApprove: freesSandboxed || (freesChanges && undoable.commands),
        editsAutoApprove: freesChanges && undoable.tools,
        trustable: save !== undefined && mode.get() === 'default',
      };
    },
    dependsOnSandbox: () => freesChanges || save !== undefined,
    trust: () => (save === undefined ? null : trustFolder),
    async free(choice) {
      if (choice === 'trust') await trustFolder();
      else freesSandboxed = true;
    },
    async check(by, signal) {
      if (freesChanges) undoable[by] = await canUndo(by, signal);
    },
  };
}
