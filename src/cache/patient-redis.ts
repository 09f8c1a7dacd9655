import type { ChainableCommander, Command, Redis, RedisOptions } from 'ioredis';
import { loadRedis, newRedis, PATIENT } from './redis-client.ts';

/**
 * Answers of a server that cannot take any command now, or no command that writes: it is full, has become a replica, has
 * too few replicas, cannot save its data, is loading them or runs a script. In a script, the word follows a dash.
 */
const REFUSES = /(?:^|[\s-])(?:OOM command|READONLY|NOREPLICAS|MISCONF|LOADING|MASTERDOWN|BUSY|UNBLOCKED) .*/;
/** To a command that waited for a key when the server became a replica; the next one that writes is told why. */
const UNBLOCKED = /(?:^|[\s-])UNBLOCKED /;
/** After a failover the name of the server may lead to another machine. */
const MOVED = /(?:^|[\s-])READONLY /;
const RETRY_MS = 500;
const PROBE_MS = 100;

export type PatientRedis = {
  redis: Redis;
  /** Why the server refuses writes; null if it does not. */
  refusal(): string | null;
};

export type PatientOptions = RedisOptions & {
  /** A key that is written to see whether the server accepts writes again. */
  probe: string;
  /** Called when the server begins to refuse commands, with its words, and with null when it accepts them again. */
  onRefusal?(reason: string | null): void;
};

/**
 * A connection whose commands wait for a server that is away, and just so for one that refuses them. A transaction that
 * was refused in part is sent again as a whole, so each of its commands may run twice.
 */
export async function newPatientRedis(
  url: string,
  { probe, onRefusal, ...options }: PatientOptions,
): Promise<PatientRedis> {
  const { Command } = await loadRedis();
  const redis = await newRedis(url, { ...PATIENT, ...options });
  const send = redis.sendCommand.bind(redis);
  /** They do not wait, also when the library sends them again after a lost connection. */
  const probes = new WeakSet<Command>();
  let reason: string | null = null;
  let waiting: Promise<void> | null = null;
  const tryToWrite = (): Promise<string | null> => {
    const writing = new Command('set', [probe, '', 'PX', String(PROBE_MS)]);
    probes.add(writing);
    return (send(writing) as Promise<unknown>).then(() => null, refusalIn);
  };
  const wait = async (words: string) => {
    let found = UNBLOCKED.test(words) ? await tryToWrite() : words;
    reason = found;
    const isRefusing = found !== null;
    if (isRefusing) onRefusal?.(found);
    for (; found !== null; reason = found) {
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      if (MOVED.test(found) && redis.status === 'ready') redis.disconnect(true);
      found = await tryToWrite();
    }
    waiting = null;
    if (isRefusing) onRefusal?.(null);
  };
  const accepted = (words: string) => {
    waiting ??= wait(words);
    return waiting;
  };
  waitForCommands(redis, accepted, (command) => probes.has(command));
  waitForBatches(redis, accepted);
  return { redis, refusal: () => reason };
}

/** After a refusal with these words, resolves when the server accepts writes. */
type Accepted = (words: string) => Promise<void>;

/** Those that are not part of a transaction or pipeline. */
function waitForCommands(redis: Redis, accepted: Accepted, isProbe: (command: Command) => boolean): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, stream) => {
    if (stream || isProbe(command)) return send(command, stream);
    const { reject } = command;
    const rejected = (error: Error) => {
      const words = refusalIn(error);
      if (words === null) return reject(error);
      void accepted(words).then(() => {
        // A command that runs a script replaces it whenever it is written.
        command.reject = rejected;
        send(command);
      });
    };
    command.reject = rejected;
    return send(command, stream);
  };
}

type Batch = ChainableCommander & { sendCommand(command: Command): Batch };
type CommandClass = new (name: string, args: Command['args'], options: object) => Command;

/** Transactions and pipelines. */
function waitForBatches(redis: Redis, accepted: Accepted): void {
  const open = { multi: redis.multi.bind(redis), pipeline: redis.pipeline.bind(redis) };
  Object.assign(redis, {
    multi: () => patient(() => open.multi() as Batch, accepted),
    pipeline: () => patient(() => open.pipeline() as Batch, accepted),
  });
}

function patient(open: () => Batch, accepted: Accepted): Batch {
  const batch = open();
  const commands: (() => Command)[] = [];
  const send = batch.sendCommand.bind(batch);
  batch.sendCommand = (command) => {
    if (command.name !== 'exec') commands.push(copier(command));
    return send(command);
  };
  const exec = batch.exec.bind(batch);
  batch.exec = async () => {
    for (let attempt = exec; ; ) {
      const outcome = await attempt().catch((error: Error) => error);
      const words = refusalIn(outcome);
      if (words === null && outcome instanceof Error) throw outcome;
      if (words === null) return outcome as Awaited<ReturnType<typeof exec>>;
      await accepted(words);
      const again = open();
      for (const copy of commands) again.sendCommand(copy());
      attempt = again.exec.bind(again);
    }
  };
  return batch;
}

/** Of a command as it was before it was written. */
function copier(command: Command): () => Command {
  const [name, args] = [command.name, [...command.args]];
  const Class = command.constructor as CommandClass;
  return () => new Class(name, [...args], { replyEncoding: 'utf8' });
}

/** The server's words in an error, or in one of the answers to a batch. */
function refusalIn(outcome: unknown): string | null {
  if (Array.isArray(outcome)) return outcome.map(([error]) => refusalIn(error)).find(Boolean) ?? null;
  if (!(outcome instanceof Error)) return null;
  const { previousErrors = [] } = outcome as Error & { previousErrors?: Error[] };
  const [words] =
    REFUSES.exec(outcome.message) ?? previousErrors.map(refusalIn).filter((one) => one !== null);
  return (
    words
      ?.replace(/^[\s-]+/, '')
      .replace(/\s*script: .*$/, '')
      .replace(/\.$/, '') ?? null
  );
}
