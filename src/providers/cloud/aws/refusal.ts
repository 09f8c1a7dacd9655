import { type HttpResponse, withBody } from '../../../lib/network/http-client.ts';
import { parseJson } from '../../../lib/text/json.ts';
import type { Refusal } from '../../options.ts';
import { type RefusalRow, refusedBy } from '../refusal-rows.ts';

/** Moves the kind of error from its header into the body, where other vendors have it. */
export function withErrorType(response: HttpResponse): HttpResponse {
  const [type] = (response.headers['x-amzn-errortype'] ?? '').split(':');
  if (!type || response.status < 400) return response;
  async function* typed(): AsyncGenerator<Uint8Array> {
    const text = await response.text();
    const { message, Message } = (parseJson(text) ?? {}) as Record<string, unknown>;
    yield Buffer.from(JSON.stringify({ error: { type, message: message ?? Message ?? text } }));
  }
  return withBody(response, typed());
}

type Place = { region: string; profile: string | undefined };

const login = ({ profile }: Place) =>
  `Run \`aws sso login${profile === undefined ? '' : ` --profile ${profile}`}\`, or renew them in your environment.`;

/** The first row that fits. What no row names is read by its HTTP status, like other vendors' errors. */
const rows: readonly RefusalRow<Place>[] = [
  {
    type: /^ExpiredToken/,
    kind: 'auth',
    next: (place) => `Your AWS credentials have expired. ${login(place)}`,
  },
  {
    type: /^(InvalidSignature|RequestExpired)/,
    says: /expired|not yet current|earlier than|later than/i,
    kind: 'auth',
    next: () => 'Set the system clock: AWS rejects requests whose time is wrong.',
  },
  {
    type: /^(UnrecognizedClient|InvalidSignature|InvalidClientTokenId|IncompleteSignature|MissingAuthenticationToken|InvalidAccessKeyId)/,
    kind: 'auth',
    next: (place) =>
      `AWS does not accept these credentials. ${login(place)} Check who you are with \`aws sts get-caller-identity\`.`,
  },
  {
    type: /^AccessDenied/,
    says: /not authorized to perform|explicit deny/i,
    kind: 'auth',
    next: () =>
      'Ask your AWS administrator to allow bedrock:InvokeModel and bedrock:InvokeModelWithResponseStream for this model.',
  },
  {
    type: /^AccessDenied/,
    says: /model/i,
    kind: 'model_not_found',
    next: ({ region }) =>
      `Enable the model in the Bedrock console (Model access, region ${region}), or use another model.`,
  },
  {
    type: /^AccessDenied/,
    kind: 'auth',
    next: () => 'Check the Bedrock API key or the permissions of your AWS role.',
  },
  {
    type: /^ResourceNotFound/,
    says: /use case/i,
    kind: 'model_not_found',
    next: () => 'Fill in the use case form for Anthropic models in the Bedrock console, then try again.',
  },
  {
    type: /^(Validation|ResourceNotFound)/,
    says: /on-demand throughput|inference profile/i,
    kind: 'model_not_found',
    next: () =>
      'Use an inference profile: put global., us. or eu. before the model, such as bedrock/global.anthropic.claude-sonnet-5-5.',
  },
  {
    type: /^(Validation|ResourceNotFound)/,
    says: /model identifier|model.*(not found|not supported|end of its life)|resource/i,
    kind: 'model_not_found',
    next: ({ region }) =>
      `Bedrock has no such model in ${region}. Choose another region with AWS_REGION, or list what it has: \`aws bedrock list-inference-profiles --region ${region}\`.`,
  },
  { type: /^ServiceQuotaExceeded/, kind: 'quota' },
  { type: /^ModelNotReady/, kind: 'overloaded' },
  { type: /^ModelTimeout/, kind: 'timeout' },
  { type: /^(ModelError|ModelStreamError)/, kind: 'server_error' },
];

/** AWS uses few HTTP statuses for many errors. */
export function refusedByAws(place: Place): Refusal {
  return (status, body, provider) => {
    const { error } = (parseJson(body) ?? {}) as { error?: { type?: string; message?: unknown } };
    const { type = '', message = '' } = error ?? {};
    return refusedBy(rows, { status, type, message: String(message), provider }, place);
  };
}
