import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { limited } from '../../lib/async/abort.ts';
import { certificateProblem } from '../../lib/network/certificate-problem.ts';
import { type DownloadOptions, download } from '../../lib/network/download.ts';
import { DownloadError, type RetryOptions, withRetries } from '../../lib/network/download-retry.ts';
import { retryAfterMs } from '../../lib/network/retry-after.ts';

/** One file of a repository on a model hub. */
export type HubFile = { repo: string; file: string };

export type Hub = {
  /** Such as https://huggingface.co; `HF_ENDPOINT` sets another. */
  endpoint: string;
  /** For private repositories. */
  token?: string;
  fetch?: typeof globalThis.fetch;
};

export const DEFAULT_HUB = 'https://huggingface.co';

const CONNECT_MS = 5_000;
const SHA256 = /^"?([0-9a-f]{64})"?$/;

/** The hub's metadata of a file before the download; null if not reported. */
export type Offer = { bytes: number | null; sha256: string | null };

export function hubUrl({ repo, file }: HubFile, { endpoint }: Pick<Hub, 'endpoint'>): string {
  if (!/^[\w.-]+\/[\w.-]+$/.test(repo))
    throw new UserError(`"${repo}" is not a repository.`, 'Use owner/name, for example Qwen/Qwen3-4B-GGUF.');
  const parts = file.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..') || !/\.gguf$/i.test(file))
    throw new UserError(`"${file}" is not a model file.`, 'Specify a .gguf file from the repository.');
  return `${endpoint.replace(/\/+$/, '')}/${repo}/resolve/main/${parts.map(encodeURIComponent).join('/')}`;
}

/** Queries the size and the checksum. */
export async function askHub(wanted: HubFile, hub: Hub, options: RetryOptions): Promise<Offer> {
  try {
    return await withRetries(() => offerOf(wanted, hub, options.signal), options);
  } catch (error) {
    throw error instanceof DownloadError ? inWords(error, wanted, hub) : error;
  }
}

async function offerOf(wanted: HubFile, hub: Hub, signal: AbortSignal): Promise<Offer> {
  const { fetch = globalThis.fetch } = hub;
  const url = hubUrl(wanted, hub);
  const { host } = new URL(url);
  const response = await fetch(url, {
    method: 'HEAD',
    // Only the hub itself knows the checksum, not the redirect's target.
    redirect: 'manual',
    headers: authorization(hub),
    signal: limited(CONNECT_MS, signal),
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    const certificate = certificateProblem(error, host);
    if (certificate !== null) throw new DownloadError('certificate', certificate, { cause: error });
    const { name, code = name } = causeOf(error);
    throw new DownloadError('unreachable', `${host} did not respond (${code}).`, { cause: error });
  });
  const { status, headers } = response;
  if (status >= 400) {
    const asked = retryAfterMs(headers.get('retry-after'));
    throw new DownloadError('refused', `${host} answered ${status}.`, { status, retryAfterMs: asked });
  }
  const size = headers.get('x-linked-size') ?? (response.ok ? headers.get('content-length') : null);
  const tag = headers.get('x-linked-etag') ?? '';
  return { bytes: size === null ? null : Number(size), sha256: SHA256.exec(tag)?.[1] ?? null };
}

export async function fetchModel(
  { wanted, offer, file }: { wanted: HubFile; offer: Offer; file: string },
  hub: Hub,
  options: RetryOptions & Pick<DownloadOptions, 'progress'>,
): Promise<void> {
  try {
    await download(
      {
        url: hubUrl(wanted, hub),
        file,
        headers: authorization(hub),
        ...(offer.sha256 !== null && { sha256: offer.sha256 }),
        ...(offer.bytes !== null && { size: offer.bytes }),
      },
      // The hub has just answered.
      { ...options, isReachable: true, ...(hub.fetch && { fetch: hub.fetch }) },
    );
  } catch (error) {
    throw error instanceof DownloadError ? inWords(error, wanted, hub) : error;
  }
}

/** The deepest error: that of the system. */
function causeOf(error: unknown): NodeJS.ErrnoException {
  const { cause } = error as Error;
  return cause instanceof Error ? causeOf(cause) : (error as NodeJS.ErrnoException);
}

function authorization({ token }: Hub): Record<string, string> {
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
}

function inWords(error: DownloadError, { repo, file }: HubFile, { endpoint }: Hub): UserError {
  const isClosed = error.status === 401 || error.status === 403;
  const hints = {
    unreachable: `Run it again to resume. Without a network, copy the file here and use --model path/to/${path.posix.basename(file)}. Set HF_ENDPOINT to use another hub.`,
    certificate: 'Then run it again.',
    refused: isClosed
      ? `${repo} does not exist or is not public. Accept its terms at ${endpoint}/${repo}, then set HF_TOKEN.`
      : error.isTransient
        ? 'The hub is busy. Run it again later to resume.'
        : `See ${endpoint}/${repo} for the available files.`,
    cut: 'Run it again to resume.',
    mismatch:
      'The download was discarded. Run it again; if that does not help, the file on the hub is damaged.',
    disk_full: 'Free up disk space, then run it again to resume the download.',
  } as const;
  return new UserError(error.message, hints[error.fault], { cause: error, exit: 'error' });
}
