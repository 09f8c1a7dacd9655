import type { ToolKind } from '@agentclientprotocol/sdk';
import { useChat, useFold } from '../context.ts';
import { memo } from '../memo.ts';
import { Icon, type IconName, Spinner } from '../parts/icon.tsx';
import { useNow } from '../parts/use-now.ts';
import { rowsOf } from '../state/rows.ts';
import type { CallItem } from '../state/view.ts';
import { duration, plural, shortPath } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { CallContent } from './call-content.tsx';

const ICONS: Record<ToolKind, IconName> = {
  read: 'read',
  edit: 'edit',
  delete: 'delete',
  move: 'file',
  search: 'search',
  execute: 'command',
  think: 'subagent',
  fetch: 'fetch',
  switch_mode: 'options',
  other: 'other',
};

/** Shorter times are not worth reading, in milliseconds. */
const SHORT = 1_000;

/** `asked`: ids of the calls that the user is asked about. */
type Props = { call: CallItem; asked: ReadonlySet<string>; cwd: string };

/** A call of a tool: what it does, how it went, and what came of it. */
export const CallRow = memo(({ call, asked, cwd }: Props) => {
  const { kind, status, content, children } = call;
  const isAsked = asked.has(call.callId);
  const isRunning = call.endedAt === undefined && !isAsked;
  const hasMore = content.length > 0 || children.length > 0;
  // What the user is asked about is shown with the question.
  const [isOpen, toggle] = useFold(
    `call:${call.key}${isAsked ? ':asked' : ''}`,
    isOpenAtFirst(call) && !isAsked,
  );
  const title = visible(call.title).replaceAll('\n', ' ');
  const body = `call-${call.key}`;
  return (
    <div class={`call ${status}${isAsked ? ' asked' : ''}`}>
      <div class="call-head">
        <button
          type="button"
          class="call-toggle"
          onClick={toggle}
          disabled={!hasMore}
          aria-expanded={hasMore ? isOpen : undefined}
          aria-controls={hasMore && isOpen ? body : undefined}
        >
          {status === 'in_progress' && isRunning ? (
            <Spinner />
          ) : (
            <Icon name={status === 'failed' ? 'error' : (ICONS[kind] ?? 'other')} />
          )}
          <span class={kind === 'execute' ? 'call-title mono' : 'call-title'} title={title}>
            {title}
          </span>
          {hasMore && (
            <span class={isOpen ? 'fold open' : 'fold'}>
              <Icon name="chevron" />
            </span>
          )}
        </button>
        <Locations call={call} cwd={cwd} />
        <State call={call} isAsked={isAsked} isRunning={isRunning} />
      </div>
      {hasMore && isOpen && (
        <div class="call-body" id={body}>
          {children.length > 0 && <CallRows items={children} asked={asked} cwd={cwd} />}
          <CallContent
            content={content}
            printed={call.printed}
            foldKey={`call:${call.key}`}
            isRunning={isRunning}
            cwd={cwd}
          />
        </div>
      )}
    </div>
  );
});

/** Calls in a row. */
function CallRows({ items, asked, cwd }: { items: readonly CallItem[] } & Pick<Props, 'asked' | 'cwd'>) {
  return (
    <div class="call-rows">
      {rowsOf(items, asked).map((row) =>
        row.type === 'group' ? (
          <CallGroup key={row.key} calls={row.calls} asked={asked} cwd={cwd} />
        ) : (
          <CallRow key={row.key} call={row} asked={asked} cwd={cwd} />
        ),
      )}
    </div>
  );
}

type GroupProps = { calls: readonly CallItem[] } & Pick<Props, 'asked' | 'cwd'>;

/** Several files read and searches made in a row: what is being read, then how much was. */
export const CallGroup = memo(({ calls, asked, cwd }: GroupProps) => {
  const [first] = calls;
  const running = calls.findLast(({ endedAt }) => endedAt === undefined);
  const failed = calls.filter(({ status }) => status === 'failed').length;
  const [isOpen, toggle] = useFold(`group:${first?.key}`, false);
  const body = `group-${first?.key}`;
  return (
    <div class={`call group ${running ? 'in_progress' : 'completed'}`}>
      <div class="call-head">
        <button
          type="button"
          class="call-toggle"
          onClick={toggle}
          aria-expanded={isOpen}
          aria-controls={isOpen ? body : undefined}
        >
          {running ? <Spinner /> : <Icon name={calls.some(isSearch) ? 'search' : 'read'} />}
          <span class="call-title">
            {running ? visible(running.title).replaceAll('\n', ' ') : groupTitle(calls)}
          </span>
          <span class={isOpen ? 'fold open' : 'fold'}>
            <Icon name="chevron" />
          </span>
        </button>
        <span class="call-state">
          {[running && plural(calls.length, 'step'), failed > 0 && `${failed} failed`]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </div>
      {isOpen && (
        <div class="call-body" id={body}>
          {calls.map((call) => (
            <CallRow key={call.key} call={call} asked={asked} cwd={cwd} />
          ))}
        </div>
      )}
    </div>
  );
});

function groupTitle(calls: readonly CallItem[]): string {
  const searches = calls.filter(isSearch).length;
  const reads = calls.length - searches;
  const parts = [
    reads > 0 && `read ${plural(reads, 'file')}`,
    searches > 0 && `searched ${plural(searches, 'time')}`,
  ];
  const words = parts.filter(Boolean).join(', ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function isSearch({ kind }: CallItem): boolean {
  return kind === 'search';
}

/** Changes, commands and failures are worth seeing; what was read is not. */
function isOpenAtFirst({ kind, status, content, children }: CallItem): boolean {
  if (children.length > 0) return true;
  if (content.some(({ type }) => type === 'diff')) return true;
  return kind === 'execute' || kind === 'think' || status === 'failed';
}

/** Up to two places that a click opens; the title names a single file already. */
function Locations({ call, cwd }: { call: CallItem; cwd: string }) {
  const { connection, run } = useChat();
  const { openFile } = connection;
  const places = call.locations.slice(0, 2);
  if (!openFile || places.length === 0) return null;
  return (
    <span class="locations">
      {places.map(({ path, line }) => {
        const place = line ? `${shortPath(path, cwd)}:${line}` : shortPath(path, cwd);
        const isNamed = call.title.includes(shortPath(path, cwd));
        const text = isNamed ? (line ? `:${line}` : '') : (place.split('/').at(-1) ?? place);
        return (
          <button
            key={place}
            type="button"
            class={text === '' ? 'place icon-only' : 'place'}
            title={`Open ${visible(place)}`}
            aria-label={`Open ${visible(place)}`}
            onClick={() => run(openFile.call(connection, path, line ?? undefined))}
          >
            {text === '' ? <Icon name="file" /> : visible(text)}
          </button>
        );
      })}
      {call.locations.length > 2 && <span class="place-count">{`+${call.locations.length - 2}`}</span>}
    </span>
  );
}

function State({ call, isAsked, isRunning }: { call: CallItem; isAsked: boolean; isRunning: boolean }) {
  const now = useNow(isRunning);
  const time = Math.max(0, (call.endedAt ?? now) - call.startedAt);
  const words = [
    decisionOf(call),
    call.children.length > 0 && plural(call.children.length, 'step'),
    isAsked ? 'Waiting for approval' : stateOf(call),
    !isAsked &&
      time >= SHORT &&
      duration(isRunning ? Math.floor(time / 1_000) * 1_000 : time).replace(/\.0s$/, 's'),
  ].filter(Boolean);
  return <span class="call-state">{words.join(' · ')}</span>;
}

function stateOf({ status, decision }: CallItem): string | null {
  if (status !== 'failed' || decision?.option?.kind.startsWith('reject')) return null;
  return 'Failed';
}

function decisionOf({ decision }: CallItem): string | null {
  if (!decision) return null;
  const isDeclined = decision.option === null || decision.option.kind.startsWith('reject');
  if (!isDeclined && decision.by === undefined) return null;
  return `${isDeclined ? 'Declined' : 'Approved'}${decision.by === undefined ? '' : ` by ${visible(decision.by)}`}`;
}
