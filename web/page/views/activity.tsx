import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import {
  type AuditedAccess,
  type AuditedCall,
  type AuditResult,
  ownerMethods,
  type SpendingResult,
} from '../../../src/frontends/server/owner-methods.ts';
import { Icon } from '../../chat/parts/icon.tsx';
import { money, plural } from '../../chat/text/format.ts';
import { visible } from '../../chat/text/visible.ts';
import { useAnswer, useServer } from '../state/server.ts';
import { Panel, Problem } from './parts.tsx';

const ENTRIES = 200;

/** What the day cost, and who did what. */
export function Activity() {
  const spending = useAnswer<SpendingResult>(ownerMethods.spending);
  const audit = useAnswer<AuditResult>(ownerMethods.readAudit, { tail: ENTRIES });
  const again = () => {
    spending.again();
    audit.again();
  };
  return (
    <Panel title="Activity">
      <Problem text={spending.error ?? audit.error} />
      {spending.answer && <Spending spending={spending.answer} />}
      <div class="heading-row">
        <h2>Audit log</h2>
        <button type="button" class="button" onClick={again}>
          Refresh
        </button>
      </div>
      {audit.answer && <AuditLog audit={audit.answer} />}
    </Panel>
  );
}

function Spending({ spending: { usd, calls, unpriced, models, sessions } }: { spending: SpendingResult }) {
  const { sessions: known } = useServer();
  const titles = new Map(known?.map(({ id, title }) => [id, title]));
  return (
    <section class="spending" aria-label="Spending today">
      <p class="figure">
        <strong>{money(usd)}</strong> today
      </p>
      <p class="hint">
        {plural(calls, 'model call')}
        {unpriced > 0 && `, ${unpriced} without a known price`}
      </p>
      <SpentBy
        heading="Model"
        rows={models.map((one) => ({
          ...one,
          key: one.name,
          label: <span class="mono">{visible(one.name)}</span>,
        }))}
      />
      <SpentBy
        heading="Session"
        rows={sessions.map((one) => ({
          ...one,
          key: one.id,
          label: <a href={`#/session/${one.id}`}>{visible(titles.get(one.id) || one.id.slice(0, 8))}</a>,
        }))}
      />
    </section>
  );
}

type Spent = { key: string; label: ComponentChildren; usd: number; unpriced: number; calls: number };

function SpentBy({ heading, rows }: { heading: string; rows: Spent[] }) {
  if (rows.length === 0) return null;
  return (
    <table>
      <caption class="offscreen">{`By ${heading.toLowerCase()}`}</caption>
      <thead>
        <tr>
          <th scope="col">{heading}</th>
          <th scope="col" class="number">
            Calls
          </th>
          <th scope="col" class="number">
            Cost
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, label, usd, unpriced, calls }) => (
          <tr key={key}>
            <td>{label}</td>
            <td class="number">{calls}</td>
            <td class="number">{unpriced === calls ? 'unknown' : money(usd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type Line = { key: string; time: string; what: string; who: string; detail: string; isRefused: boolean };

function AuditLog({ audit: { accesses, calls, verified } }: { audit: AuditResult }) {
  const [filter, setFilter] = useState('');
  const lines = [...accesses.map(accessLine), ...calls.map(callLine)]
    .filter(({ what, who, detail }) =>
      `${what} ${who} ${detail}`.toLowerCase().includes(filter.toLowerCase()),
    )
    .sort((a, b) => b.time.localeCompare(a.time))
    .slice(0, ENTRIES);
  return (
    <>
      <p class={verified.broken === null ? 'verified' : 'verified broken'}>
        <Icon name={verified.broken === null ? 'check' : 'warning'} />
        {verified.broken === null
          ? `Intact: ${plural(verified.entries, 'entry').replace('entrys', 'entries')} verified`
          : `Tampered with: ${visible(verified.broken)}`}
      </p>
      <input
        type="search"
        value={filter}
        onInput={(event) => setFilter(event.currentTarget.value)}
        placeholder="Filter the log"
        aria-label="Filter the log"
      />
      <ul class="log">
        {lines.map(({ key, time, what, who, detail, isRefused }) => (
          <li key={key} class={isRefused ? 'refused' : undefined}>
            <time dateTime={time}>
              {new Date(time).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}
            </time>
            <span class="log-what">{visible(what)}</span>
            <span class="log-who">{visible(who)}</span>
            <span class="log-detail mono">{visible(detail).replaceAll('\n', ' ')}</span>
          </li>
        ))}
      </ul>
      {lines.length === 0 && <p class="hint">No entries.</p>}
    </>
  );
}

function accessLine({ time, event, by, address = '', detail = '' }: AuditedAccess, index: number): Line {
  const who = by ? `${by.name} (${by.role})` : address;
  return { key: `a${index}`, time, what: event, who, detail, isRefused: event === 'refused' };
}

function callLine({ time, tool, target, verdict, by }: AuditedCall, index: number): Line {
  const isRefused = verdict === 'deny';
  const detail = `${tool} ${target}`;
  return {
    key: `c${index}`,
    time,
    what: isRefused ? 'call refused' : 'call allowed',
    who: by,
    detail,
    isRefused,
  };
}
