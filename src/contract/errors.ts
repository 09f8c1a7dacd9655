/** An error the user can fix: printed as a sentence and a next step, never with a stack trace. */
export class UserError extends Error {
  override name = 'UserError';
  readonly hint: string;
  /** The exit code it causes; most are usage errors. */
  readonly exit: 'usage' | 'error';

  constructor(message: string, hint: string, options?: ErrorOptions & { exit?: 'usage' | 'error' }) {
    super(message, options);
    this.hint = hint;
    this.exit = options?.exit ?? 'usage';
  }
}

/**
 * - `rate_limit`, `overloaded`, `server_error`, `timeout`: worth a retry; `timeout` includes connections that
 *   broke before the model said anything.
 * - `network`: nothing answers at that address.
 * - `cut`: the stream broke after the model had started to answer.
 * - `protocol`: the response is not what this kind of server sends.
 * - `overflow`: the conversation is larger than the model's window.
 * - `stale_reasoning`: the request contains reasoning that the vendor cannot verify: it belongs to another conversation,
 *   account or model, or was changed. The same request without it would succeed.
 */
export type ProviderErrorKind =
  | 'auth'
  | 'quota'
  | 'rate_limit'
  | 'overloaded'
  | 'server_error'
  | 'timeout'
  | 'network'
  | 'cut'
  | 'protocol'
  | 'overflow'
  | 'model_not_found'
  | 'stale_reasoning'
  | 'bad_request';

export type ProviderErrorDetails = {
  kind: ProviderErrorKind;
  provider: string;
  status?: number;
  retryAfterMs?: number;
  /** What the user can do, if it does not follow from the kind. */
  nextStep?: string;
};

export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly kind: ProviderErrorKind;
  readonly provider: string;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly nextStep: string | undefined;

  constructor(message: string, details: ProviderErrorDetails, options?: ErrorOptions) {
    super(message, options);
    this.kind = details.kind;
    this.provider = details.provider;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.nextStep = details.nextStep;
  }
}

/** Says what to do next. */
class HintedError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(message, options);
    this.hint = hint;
  }
}

/** The next call could exceed a limit and was not made. */
export class BudgetReachedError extends HintedError {
  override name = 'BudgetReachedError';
}

/** The model repeats itself and is not asked again. */
export class StuckError extends HintedError {
  override name = 'StuckError';
}

/** A file cannot be used as a tool wants. The message is for the model, and complete: it names the file and says why. */
export class UnusableFileError extends Error {
  override name = 'UnusableFileError';

  /** The same with the file named as the model knows it. */
  renamed(real: string, shown: string): UnusableFileError {
    return new UnusableFileError(this.message.replaceAll(real, shown), { cause: this });
  }
}

/** A tool threw: a bug in the tool, reported to the model as a failed result. */
export class ToolExecutionError extends Error {
  override name = 'ToolExecutionError';
  readonly tool: string;
  readonly params: unknown;

  constructor(tool: string, params: unknown, cause: Error) {
    super(`Tool ${tool} failed: ${cause.message}`, { cause });
    this.tool = tool;
    this.params = params;
  }
}

export class ContextOverflowError extends Error {
  override name = 'ContextOverflowError';
  readonly currentTokens: number;
  readonly maxTokens: number;

  constructor(currentTokens: number, maxTokens: number) {
    super(`Context overflow: ${currentTokens} > ${maxTokens}`);
    this.currentTokens = currentTokens;
    this.maxTokens = maxTokens;
  }
}

/**
 * Refused while a call ran. `by` is the part of the permission policy that refused, which makes it a recorded
 * denial; absent if the operating system refused.
 */
export class PermissionDeniedError extends Error {
  override name = 'PermissionDeniedError';
  readonly request: { operation: string; by?: string };

  constructor(request: { operation: string; by?: string }) {
    super(`Permission denied: ${request.operation}`);
    this.request = request;
  }
}

/** A branch, commit or range that a repository does not have. */
export class UnknownRevisionError extends UserError {}
