import type { ModeSwitch } from '../../contract/command.ts';
import type { SandboxState } from '../../contract/sandbox.ts';

export type SandboxStateDeps = {
  find(): Promise<SandboxState>;
  mode: ModeSwitch;
  /** Whether the user can be asked about commands. */
  hasApprover: boolean;
  warn(text: string): void;
};

/** The sandbox that commands run in. A fallback is reported when first detected. */
export type SandboxReport = {
  /** Null before the first detection. */
  known(): SandboxState | null;
  find(): Promise<SandboxState>;
};

export function createSandboxReport({ find, mode, hasApprover, warn }: SandboxStateDeps): SandboxReport {
  let state: SandboxState | null = null;
  let reported = false;
  return {
    known: () => state,
    async find() {
      const found = await find();
      state = found;
      if (found.fallback !== undefined && !reported) {
        reported = true;
        const { fallbackNotice } = await import('../../sandbox/confine/choose.ts');
        const notice = fallbackNotice(found, { asks: hasApprover && mode.get() !== 'auto' });
        if (notice !== null) warn(notice);
      }
      return found;
    },
  };
}
