import { ProviderError, type ProviderErrorKind } from '../../contract/errors.ts';
import type { UserMessage } from '../../contract/message.ts';
import type { CompletionRequest, Provider } from '../../contract/provider.ts';
import { systemWithSummary } from '../summary.ts';
import { type ToolMode, withTextTools } from '../text-tools/text-tools.ts';

/** Which request format a model supports. */
export type RequestFormat = {
  toolMode: ToolMode;
  /** The role of tool results. If it is `user`, earlier calls are written as text, too. */
  resultRole: 'tool' | 'user';
  /** Whether it accepts a system message; if not, the instructions precede the first user message. */
  systemRole: boolean;
};

/** What was learned from an error response. */
export type Adaptation = { format: RequestFormat; because: string };

export type RequestFormatOptions = RequestFormat & {
  /** Called once for each adaptation. If absent, errors are passed on unchanged. */
  onAdapt?(model: string, learned: Adaptation): void;
};

type Adjustment = { refusal: RegExp; learn(format: RequestFormat): RequestFormat | null; because: string };

const ADJUSTMENTS: readonly Adjustment[] = [
  {
    refusal:
      /not support(ed)? (for |by |with )?(tool|function)|(tools?|functions?)( calling| use| calls?)? (is|are|was|were)?\s*(not supported|unsupported|not available|not enabled|disabled)|(tool|function)s?.{0,40}not support|requires? --jinja|--enable-auto-tool-choice|does not have a tool.{0,20}template/i,
    learn: (format) =>
      format.toolMode === 'native' ? { ...format, toolMode: 'xml', resultRole: 'user' } : null,
    because: 'does not support tools, so they are described in the prompt',
  },
  {
    refusal:
      /system role.{0,20}not (supported|allowed)|(unsupported|invalid|unknown|unexpected) role.{0,10}system|system (message|prompt)s? (is|are) not (supported|allowed)/i,
    learn: (format) => (format.systemRole ? { ...format, systemRole: false } : null),
    because: 'does not support system messages, so its instructions go into the first prompt',
  },
  {
    refusal:
      /roles must alternate|(unsupported|invalid|unknown|unexpected) role.{0,10}tool|tool role.{0,20}not (supported|allowed)|(after|only) (user|assistant).{0,20}roles?|role.{0,30}(user|assistant).{0,30}(only|expected|must)/i,
    learn: (format) => (format.resultRole === 'tool' ? { ...format, resultRole: 'user' } : null),
    because: 'accepts tool results only as user messages',
  },
];

/**
 * Sends requests in the format that a model supports. If an error reveals that a format is unsupported,
 * adapts and repeats the request.
 */
export function withRequestFormat(provider: Provider, { onAdapt, ...first }: RequestFormatOptions): Provider {
  const known = new Map<string, RequestFormat>();
  const formatOf = (model: string) => known.get(model) ?? first;

  return {
    name: provider.name,
    countTokens: (request, signal) =>
      inFormat(provider, formatOf(request.model)).countTokens(request, signal),
    async *stream(request, signal) {
      for (;;) {
        const format = formatOf(request.model);
        let hasOutput = false;
        try {
          for await (const event of inFormat(provider, format).stream(request, signal)) {
            hasOutput ||= event.type !== 'usage';
            yield event;
          }
          return;
        } catch (error) {
          const learned = hasOutput || !onAdapt ? null : adaptationFor(error, format);
          if (!learned || signal.aborted) throw error;
          known.set(request.model, learned.format);
          onAdapt?.(request.model, learned);
        }
      }
    },
  };
}

/** Some servers report a failing chat template as a server error. */
const FORMAT_ERRORS: ReadonlySet<ProviderErrorKind> = new Set([
  'bad_request',
  'overloaded',
  'server_error',
  'protocol',
  'model_not_found',
]);

function adaptationFor(error: unknown, format: RequestFormat): Adaptation | null {
  if (!(error instanceof ProviderError)) return null;
  if (!FORMAT_ERRORS.has(error.kind)) return null;
  for (const { refusal, learn, because } of ADJUSTMENTS) {
    const better = refusal.test(error.message) ? learn(format) : null;
    if (better) return { format: better, because };
  }
  return null;
}

function inFormat(provider: Provider, { toolMode, resultRole, systemRole }: RequestFormat): Provider {
  const addressed: Provider = systemRole
    ? provider
    : {
        name: provider.name,
        stream: (request, signal) => provider.stream(withoutSystem(request), signal),
        countTokens: (request, signal) => provider.countTokens(withoutSystem(request), signal),
      };
  return withTextTools(addressed, { mode: toolMode, resultRole });
}

function withoutSystem(request: CompletionRequest): CompletionRequest {
  const text = systemWithSummary(request);
  if (text === '') return request;
  const {
    summary: _,
    messages: [first, ...rest],
    ...others
  } = request;
  const instructions = { type: 'text' as const, text: `${text}\n\n` };
  const opening: UserMessage =
    first?.role === 'user'
      ? { ...first, content: [instructions, ...first.content] }
      : { role: 'user', content: [instructions], timestamp: first?.timestamp ?? '' };
  const after = first && first.role !== 'user' ? [first, ...rest] : rest;
  return { ...others, system: '', messages: [opening, ...after] };
}
