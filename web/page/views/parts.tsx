import type { ComponentChildren } from 'preact';
import type { SessionState } from '../../../src/frontends/server/server-methods.ts';
import { Icon, type IconName, Spinner } from '../../chat/parts/icon.tsx';
import { addressOf, type Route } from '../state/route.ts';

const STATES: Record<SessionState, string> = {
  working: 'Working',
  waiting: 'Waiting for you',
  idle: 'New',
  done: 'Done',
  failed: 'Failed',
  interrupted: 'Interrupted',
};

export function Logo() {
  return <img class="logo" src="/icon.svg" alt="" width="32" height="32" />;
}

/** The state of a session, in a colour and in words. */
export function StateMark({ state }: { state: SessionState }) {
  return (
    <span class={`state ${state}`}>
      {state === 'working' ? <Spinner /> : <span class="state-dot" aria-hidden="true" />}
      {STATES[state]}
    </span>
  );
}

type LinkProps = { to: Route; label: string; icon: IconName; isCurrent: boolean; badge?: string };

export function NavLink({ to, label, icon, isCurrent, badge }: LinkProps) {
  return (
    <a class="nav-link" href={addressOf(to)} aria-current={isCurrent ? 'page' : undefined}>
      <Icon name={icon} />
      <span>{label}</span>
      {badge && <span class="badge">{badge}</span>}
    </a>
  );
}

type PanelProps = {
  title: string;
  /** A view that leads to this one, which the way back leads to. */
  parent?: { to: Route; label: string };
  children: ComponentChildren;
};

/** A view beside the sessions: a heading, the way back on a phone, and what it shows. */
export function Panel({ title, parent, children }: PanelProps) {
  return (
    <main class="panel-view" id="main" tabIndex={-1}>
      <header class="bar">
        <a
          class={parent ? 'icon-button' : 'icon-button back'}
          href={addressOf(parent?.to ?? { view: 'sessions' })}
          aria-label={parent?.label ?? 'Back to sessions'}
        >
          <Icon name="back" />
        </a>
        <h1>{title}</h1>
      </header>
      <div class="panel-scroll">
        <div class="panel-column">{children}</div>
      </div>
    </main>
  );
}

export function Problem({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}
