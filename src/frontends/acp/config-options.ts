import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import type { ModelGroup } from '../../app/conversation/model-list.ts';
import { modesByStrictness } from '../../config/schema/schema.ts';
import type { PermissionMode } from '../../contract/permission.ts';
import type { ModelInfo } from '../../contract/provider.ts';
import { type EffortChoice, effortLevelsOf, fitEffort } from '../../contract/request/effort.ts';
import type { SandboxLevel } from '../../contract/sandbox.ts';

const MODES: Record<PermissionMode, { name: string; description: string }> = {
  default: { name: 'Ask', description: 'Asks before changes and risky commands' },
  'accept-edits': { name: 'Accept edits', description: 'Changes files in this folder without asking' },
  plan: { name: 'Plan', description: 'Reads and plans; changes nothing' },
  auto: { name: 'Auto', description: 'Never asks; what would need approval is refused' },
  'read-only': { name: 'Read-only', description: 'Reads files; never writes or runs commands that do' },
};

const SANDBOXES: Record<SandboxLevel, { name: string; description: string }> = {
  strict: { name: 'Strict', description: 'Commands cannot write files or use the network' },
  standard: { name: 'Standard', description: 'Commands can write only in this folder' },
  permissive: { name: 'Permissive', description: 'Commands can also use the network' },
};

export function isMode(id: string): id is PermissionMode {
  return Object.hasOwn(MODES, id);
}

export function isSandboxLevel(value: unknown): value is SandboxLevel {
  return typeof value === 'string' && Object.hasOwn(SANDBOXES, value);
}

export function modeState(current: PermissionMode): SessionModeState {
  const availableModes = modesByStrictness.map((id) => ({ id, ...MODES[id] }));
  return { currentModeId: current, availableModes };
}

export type Chosen = {
  mode: PermissionMode;
  model: string;
  /** `model` is the one of the next prompt. */
  effort: { chosen: EffortChoice; model: ModelInfo };
  sandbox: SandboxLevel;
};

/** What a user can choose in the editor. Only models that can be used are listed. */
export function configOptions(
  { mode, model, effort, sandbox }: Chosen,
  groups: readonly ModelGroup[],
): SessionConfigOption[] {
  const usable = groups.filter(({ missing }) => missing === undefined);
  const isListed = usable.some(({ models }) => models.some(({ name }) => name === model));
  const current = { group: 'current', name: 'Current', options: [{ value: model, name: model }] };
  return [
    {
      id: 'model',
      name: 'Model',
      category: 'model',
      type: 'select',
      currentValue: model,
      options: [
        ...(isListed ? [] : [current]),
        ...usable.map(({ vendor, models }) => ({
          group: vendor,
          name: vendor,
          options: models.map(({ name, label, detail }) => ({
            value: name,
            name: label,
            description: detail.trim(),
          })),
        })),
      ],
    },
    {
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      type: 'select',
      currentValue: mode,
      options: modesByStrictness.map((value) => ({ value, ...MODES[value] })),
    },
    {
      id: 'effort',
      name: 'Reasoning effort',
      category: 'thought_level',
      type: 'select',
      currentValue: (effort.chosen !== 'default' && fitEffort(effort.chosen, effort.model)) || 'default',
      options: [
        { value: 'default', name: 'Default', description: 'Set by the vendor' },
        ...effortLevelsOf(effort.model).levels.map((value) => ({
          value,
          name: `${value[0]?.toUpperCase()}${value.slice(1)}`,
        })),
      ],
    },
    {
      id: 'sandbox',
      name: 'Sandbox',
      type: 'select',
      currentValue: sandbox,
      options: Object.entries(SANDBOXES).map(([value, level]) => ({ value, ...level })),
    },
  ];
}
