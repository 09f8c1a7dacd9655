import type {
  ClientCapabilities,
  PermissionOption,
  RequestPermissionOutcome,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import { claimLine } from '../../commands/format/decision.ts';
import { sandboxLine } from '../../commands/format/sandbox.ts';
import type { Answer, PermissionRequest } from '../../contract/permission.ts';
import { visible } from '../../lib/text/printable.ts';
import { freesCommands } from '../shared/frees-commands.ts';
import type { ClientExtensions } from './extension-methods.ts';
import { contentOf, fenced, kindOf, locationsOf, textContent } from './updates/tool-calls.ts';

/** The answers to a question. What cannot be remembered is only offered once. */
export function optionsFor(request: PermissionRequest): PermissionOption[] {
  const { grants } = request;
  const rules = grants?.join(', ') ?? '';
  return [
    { optionId: 'once', kind: 'allow_once', name: 'Yes' },
    ...(freesCommands(request)
      ? [
          {
            optionId: 'sandboxed',
            kind: 'allow_always' as const,
            name: 'Yes, and run commands in the sandbox without asking',
          },
        ]
      : []),
    ...(grants
      ? [
          { optionId: 'session', kind: 'allow_always' as const, name: `Yes, for this session: ${rules}` },
          { optionId: 'always', kind: 'allow_always' as const, name: `Yes, always: ${rules}` },
        ]
      : []),
    ...(request.trust
      ? [
          {
            optionId: 'trust',
            kind: 'allow_always' as const,
            name: 'Yes, and trust this folder: edits and sandboxed commands run without asking',
          },
        ]
      : []),
    { optionId: 'no', kind: 'reject_once', name: 'No' },
  ];
}

/** Whether a client shows options by their names. It says so in its capabilities; others may show only their kinds. */
export function namesOptions({ _meta }: ClientCapabilities): boolean {
  return ((_meta ?? {}) as ClientExtensions).aca?.options === true;
}

/** The lasting answers, the one that allows least first. */
const LASTING = ['session', 'sandboxed', 'trust', 'always'];

/**
 * One option of each kind: many clients label options by their kind, or keep one of each, and the user would not know
 * how much is allowed.
 */
export function shownOptions(
  options: readonly PermissionOption[],
  capabilities: ClientCapabilities,
): PermissionOption[] {
  if (namesOptions(capabilities)) return [...options];
  const least = LASTING.find((id) => options.some(({ optionId }) => optionId === id));
  return options.filter(({ optionId }) => optionId === least || !LASTING.includes(optionId));
}

/** Null when the client cancelled the question. */
export function answerOf(outcome: RequestPermissionOutcome): Answer | null {
  if (outcome.outcome === 'cancelled') return null;
  switch (outcome.optionId) {
    case 'once':
    case 'sandboxed':
    case 'trust':
    case 'session':
    case 'always':
      return { choice: outcome.optionId };
    default:
      return { choice: 'no' };
  }
}

/** The call that a question is about: exactly what will happen, and why it is asked. */
export function askedCall(request: PermissionRequest, cwd: string): ToolCallUpdate {
  const { callId, operation, accesses, preview, agent } = request;
  return {
    toolCallId: callId,
    title: agent === undefined ? operation : `${agent}: ${operation}`,
    kind: kindOf(accesses),
    status: 'pending',
    locations: locationsOf(accesses, cwd),
    // Some clients look for a diff in the first part only.
    content: [
      ...(preview ? contentOf(preview, cwd) : []),
      ...accesses.flatMap(({ kind, target }) =>
        kind === 'execute' ? [textContent(fenced(visible(target)))] : [],
      ),
      textContent(reasonsFor(request)),
    ],
  };
}

function reasonsFor(request: PermissionRequest): string {
  const { because, parts = [], leadsTo = [], opens = [], sandbox } = request;
  return [
    `Asked because: ${because}.`,
    ...[claimLine(request)].filter((line) => line !== ''),
    ...parts
      .filter(({ verdict }) => verdict !== 'allow')
      .map((part) => `- \`${part.text}\`: ${part.because}`),
    ...leadsTo.map(({ written, real }) => `- ${written} leads to ${real}`),
    ...opens.map(({ path, mode }) => `- opens ${path} to ${mode === 'read' ? 'reads' : 'changes'}`),
    ...(sandbox ? [sandboxLine(sandbox)] : []),
  ].join('\n');
}
