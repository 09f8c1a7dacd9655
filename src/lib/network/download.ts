import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { pause } from '../async/abort.ts';
import type { Lock } from '../files/lock.ts';
import { makePrivateFolder } from '../files/private-folder.ts';
import { waitForLock } from '../files/wait-for-lock.ts';
import { certificateProblem } from './certificate-problem.ts';
import { DownloadError, type RetryOptions, withRetries } from './download-retry.ts';
import { retryAfterMs } from './retry-after.ts';

export type Progress = { done: number; total: number | null; bytesPerSecond: number };

export type Wanted = {
  url: string;
  /** The final path. Until complete, data goes to `FILE.part`. */
  file: string;
  /** In hexadecimal. */
  sha256?: string;
  /** In base64, as npm registries write it. */
  sha512?: string;
  /** In bytes, if known in advance. */
  size?: number;
  headers?: Record<string, string>;
};

export type DownloadOptions = RetryOptions & {
  fetch?: typeof globalThis.fetch;
  progress?(progress: Progress): void;
  /** Maximum wait for a connection, per redirect. */
  connectMs?: number;
  /** Maximum wait for a response from a host that accepts connections: a mirror may first fetch the file itself. */
  answerMs?: number;
  /** Maximum silence during the response. */
  silenceMs?: number;
  /** Free space on the disk of a folder. */
  freeBytes?(folder: string): Promise<number>;
};

const CONNECT_MS = 5_000;
/** As npm waits. */
const ANSWER_MS = 300_000;
const SILENCE_MS = 30_000;
const MOST_REDIRECTS = 10;
const REPORT_EVERY_MS = 100;
/** Disk space to leave free. */
const MARGIN = 16 * 1024 * 1024;

type Work = Wanted &
  Required<Pick<DownloadOptions, 'connectMs' | 'answerMs' | 'silenceMs' | 'freeBytes'>> &
  Pick<DownloadOptions, 'waiting'> & {
    part: string;
    signal: AbortSignal;
    fetch: typeof globalThis.fetch;
    meter: Meter;
  };

/**
 * Downloads a file. It appears complete and verified, or not at all; an interrupted download is resumed, and
 * transient failures are retried. If another process downloads the same file, waits for it and uses the result.
 */
export async function download(wanted: Wanted, options: DownloadOptions): Promise<{ bytes: number }> {
  const { signal, fetch = globalThis.fetch, progress } = options;
  const { connectMs = CONNECT_MS, answerMs = ANSWER_MS, silenceMs = SILENCE_MS } = options;
  const work: Work = {
    ...wanted,
    ...{ connectMs, answerMs, silenceMs, freeBytes: options.freeBytes ?? freeBytesIn, signal, fetch },
    ...(options.waiting && { waiting: options.waiting }),
    part: `${wanted.file}.part`,
    meter: createMeter(progress),
  };
  makePrivateFolder(path.dirname(wanted.file));
  const { lock, hasWaited } = await lockDownload(work, options);
  try {
    const isThere = hasWaited && (await stat(wanted.file).catch(() => null)) !== null;
    if (!isThere) await fetchWhole(work, options);
    return { bytes: await sizeOf(wanted.file) };
  } finally {
    lock.release();
  }
}

async function lockDownload(
  work: Work,
  { waiting }: DownloadOptions,
): Promise<{ lock: Lock; hasWaited: boolean }> {
  let hasWaited = false;
  const lock = await waitForLock(work.file, {
    signal: work.signal,
    waiting: async () => {
      if (!hasWaited) waiting?.({ reason: 'Another process is downloading it.', retry: null });
      hasWaited = true;
      work.meter.report({ done: await sizeOf(work.part), total: work.size ?? null });
    },
  });
  return { lock, hasWaited };
}

async function fetchWhole(work: Work, options: DownloadOptions): Promise<void> {
  await withRetries(async (progressed) => {
    for (;;) {
      const before = await sizeOf(work.part);
      if ((await tryOnce(work, before)) === 'whole') return;
      if ((await sizeOf(work.part)) <= before)
        throw new DownloadError(
          'cut',
          `The connection to ${hostOf(work.url)} was lost while downloading ${nameOf(work)}.`,
        );
      progressed();
    }
  }, options);
  await check(work);
  await rename(work.part, work.file);
  await rm(`${work.part}.etag`, { force: true });
  work.meter.end();
}

async function tryOnce(work: Work, have: number): Promise<'whole' | 'cut'> {
  const { part, signal } = work;
  if (work.size !== undefined && have === work.size) return 'whole';
  const tag = have > 0 ? await readFile(`${part}.etag`, 'utf8').catch(() => null) : null;
  const stop = new AbortController();
  const both = AbortSignal.any([signal, stop.signal]);
  try {
    const response = await answer(work, { have, tag, signal: both });
    if (response.status === 416) {
      // The partial file is complete, or the file on the server has changed: the checksum decides.
      if (totalOf(response, 0) === have) return 'whole';
      await forget(part);
      return 'cut';
    }
    const isResumed = response.status === 206 && startOf(response) === have;
    if (response.status === 206 && !isResumed) {
      await forget(part);
      return 'cut';
    }
    const from = isResumed ? have : 0;
    const total = totalOf(response, from);
    await assertRoom(work, total === null ? 0 : total - from);
    const etag = response.headers.get('etag');
    if (from === 0) await (etag ? writeFile(`${part}.etag`, etag) : rm(`${part}.etag`, { force: true }));
    const to = await append(response, { work, from, total, stop });
    return total === null || to >= total ? 'whole' : 'cut';
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof DownloadError) throw error;
    if (isDiskFull(error)) throw diskFull(work, error);
    if (isOfDisk(error)) throw error;
    return 'cut';
  }
}

/** The response after all redirects. Secret headers are sent only to their host. */
async function answer(
  work: Work,
  { have, tag, signal }: { have: number; tag: string | null; signal: AbortSignal },
): Promise<Response> {
  let url = new URL(work.url);
  const range = have > 0 ? { range: `bytes=${have}-`, ...(tag ? { 'if-range': tag } : {}) } : {};
  for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
    const own = url.origin === new URL(work.url).origin ? work.headers : undefined;
    const response = await askOnce(work, url, {
      headers: { ...own, ...range, 'accept-encoding': 'identity' },
      redirect: 'manual',
      signal,
    });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null) {
      if (response.ok || response.status === 416) return response;
      await response.body?.cancel();
      throw new DownloadError('refused', `${url.host} answered ${response.status} for ${nameOf(work)}.`, {
        status: response.status,
        retryAfterMs: retryAfterMs(response.headers.get('retry-after')),
      });
    }
    await response.body?.cancel();
    const next = new URL(location, url);
    if (next.protocol !== url.protocol && next.protocol !== 'https:')
      throw new DownloadError('refused', `${url.host} redirects to an insecure address, ${next.origin}.`);
    url = next;
  }
  throw new DownloadError('refused', `${hostOf(work.url)} redirects too many times for ${nameOf(work)}.`);
}

async function askOnce(work: Work, url: URL, init: RequestInit & { signal: AbortSignal }): Promise<Response> {
  const late = new AbortController();
  const answered = new AbortController();
  const started = performance.now();
  stopWhenSilent(work, url, answered.signal).then(
    () => late.abort(),
    () => undefined,
  );
  try {
    return await work.fetch(url, { ...init, signal: AbortSignal.any([init.signal, late.signal]) });
  } catch (error) {
    work.signal.throwIfAborted();
    const certificate = certificateProblem(error, url.host);
    if (certificate !== null) throw new DownloadError('certificate', certificate, { cause: error });
    const seconds = Math.round((performance.now() - started) / 1000);
    const why = late.signal.aborted ? `within ${seconds}s` : `(${reasonOf(error)})`;
    throw new DownloadError('unreachable', `${url.host} did not respond ${why}.`, { cause: error });
  } finally {
    answered.abort();
  }
}

/** Resolves once it is time to give up; rejects when `answered` is aborted before. */
async function stopWhenSilent(work: Work, url: URL, answered: AbortSignal): Promise<void> {
  await pause(work.connectMs, answered);
  if (!(await acceptsConnections(url, work.connectMs))) return;
  const reason = `${url.host} has not begun to send ${nameOf(work)} yet.`;
  for (let left = work.answerMs - work.connectMs; left > 0; left -= 1000) {
    answered.throwIfAborted();
    work.waiting?.({ reason, retry: null });
    await pause(Math.min(left, 1000), answered);
  }
}

function acceptsConnections({ hostname, port, protocol }: URL, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
    });
    const end = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(timeoutMs, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

/** Appends the response to the file; returns the new size. */
async function append(
  response: Response,
  { work, from, total, stop }: { work: Work; from: number; total: number | null; stop: AbortController },
): Promise<number> {
  const handle = await open(work.part, from === 0 ? 'w' : 'r+');
  let at = from;
  let timer: NodeJS.Timeout | undefined;
  const watch = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stop.abort(), work.silenceMs);
  };
  try {
    watch();
    for await (const chunk of response.body ?? []) {
      // A write may be partial, especially on a nearly full disk.
      for (let written = 0; written < chunk.length; ) {
        const { bytesWritten } = await handle.write(chunk, written, chunk.length - written, at + written);
        written += bytesWritten;
      }
      at += chunk.length;
      work.meter.report({ done: at, total });
      work.signal.throwIfAborted();
      watch();
    }
    await handle.sync();
    return at;
  } finally {
    clearTimeout(timer);
    await handle.close();
  }
}

async function check({ part, sha256, sha512, size, ...work }: Work): Promise<void> {
  const actual = await sizeOf(part);
  const digests = await digestsOf(part, { ...(sha256 && { sha256 }), ...(sha512 && { sha512 }) });
  const isRight =
    (size === undefined || size === actual) &&
    (sha256 === undefined || digests.sha256?.toLowerCase() === sha256.toLowerCase()) &&
    (sha512 === undefined || digests.sha512 === sha512);
  if (isRight) return;
  await forget(part);
  throw new DownloadError(
    'mismatch',
    `${hostOf(work.url)} sent the wrong file for ${nameOf(work)}: the checksum does not match.`,
  );
}

async function digestsOf(
  file: string,
  wanted: { sha256?: string; sha512?: string },
): Promise<{ sha256?: string; sha512?: string }> {
  const hashes: [name: 'sha256' | 'sha512', hash: Hash][] = [];
  if (wanted.sha256) hashes.push(['sha256', createHash('sha256')]);
  if (wanted.sha512) hashes.push(['sha512', createHash('sha512')]);
  if (hashes.length === 0) return {};
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
    for (const [, hash] of hashes) hash.update(chunk as Buffer);
  }
  return Object.fromEntries(
    hashes.map(([name, hash]) => [name, hash.digest(name === 'sha256' ? 'hex' : 'base64')]),
  );
}

async function assertRoom(work: Work, needed: number): Promise<void> {
  const free = await work.freeBytes(path.dirname(work.file));
  if (needed > 0 && free < needed + MARGIN) throw diskFull(work, undefined, { needed, free });
}

function diskFull(work: Work, cause?: unknown, room?: { needed: number; free: number }): DownloadError {
  const figures = room ? `: ${megabytes(room.needed)} more needed, ${megabytes(room.free)} free` : '';
  return new DownloadError(
    'disk_full',
    `Not enough disk space for ${nameOf(work)} in ${path.dirname(work.file)}${figures}.`,
    {
      cause,
    },
  );
}

async function freeBytesIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

async function forget(part: string): Promise<void> {
  await Promise.all([part, `${part}.etag`].map((file) => rm(file, { force: true })));
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file).catch(() => null))?.size ?? 0;
}

function startOf(response: Response): number | null {
  const start = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1];
  return start === undefined ? null : Number(start);
}

/** The size of the whole file, if the server sends it. */
function totalOf(response: Response, from: number): number | null {
  const whole = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1];
  if (whole !== undefined) return Number(whole);
  const length = response.headers.get('content-length');
  return length === null || response.status === 416 ? null : from + Number(length);
}

type Meter = { report(at: { done: number; total: number | null }): void; end(): void };

/** Reports progress periodically and at the end; the speed is that of the last seconds. */
function createMeter(progress: DownloadOptions['progress']): Meter {
  let last: Progress | undefined;
  let reportedAt = 0;
  let since: { time: number; done: number } | undefined;
  return {
    report(at) {
      const now = performance.now();
      since ??= { time: now, done: at.done };
      const seconds = (now - since.time) / 1000;
      const bytesPerSecond = seconds > 0 ? Math.max(0, at.done - since.done) / seconds : 0;
      last = { ...at, bytesPerSecond };
      if (now - reportedAt < REPORT_EVERY_MS) return;
      reportedAt = now;
      if (seconds > 5) since = { time: now, done: at.done };
      progress?.(last);
    },
    end() {
      if (last) progress?.(last);
    },
  };
}

function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT', 'EFBIG'].includes((error as NodeJS.ErrnoException).code ?? '');
}

/** Error codes of the disk, never of the network. */
function isOfDisk(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS', 'EISDIR', 'ENOENT', 'EIO'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  );
}

function reasonOf(error: unknown): string {
  const { code, cause, message } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException };
  return code ?? cause?.code ?? cause?.message ?? message;
}

function nameOf({ file }: Pick<Wanted, 'file'>): string {
  return path.basename(file);
}

function hostOf(url: string): string {
  return new URL(url).host;
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}
