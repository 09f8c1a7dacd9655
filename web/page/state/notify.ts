import type { SessionOverview } from '../../../src/frontends/server/server-methods.ts';
import { visible } from '../../chat/text/visible.ts';
import { preferences, setPreferences } from './preferences.ts';
import { go } from './route.ts';

/** Asks the browser, so it must be called on a click. Whether notifications are on now. */
export async function switchNotifications(isOn: boolean): Promise<boolean> {
  const isAllowed =
    isOn && 'Notification' in window && (await Notification.requestPermission()) === 'granted';
  setPreferences({ notifies: isAllowed });
  return isAllowed;
}

/** Tells, outside of the page, which sessions began to wait for the user. */
export function notifyWaiting(before: readonly SessionOverview[], now: readonly SessionOverview[]): void {
  if (!preferences().notifies || !document.hidden || Notification.permission !== 'granted') return;
  const waited = new Set(before.filter(({ state }) => state === 'waiting').map(({ id }) => id));
  for (const { id, title, state } of now) {
    if (state !== 'waiting' || waited.has(id)) continue;
    const shown = new Notification(visible(title || 'Session'), {
      body: 'Waiting for you',
      tag: id,
      icon: '/icon-192.png',
    });
    shown.onclick = () => {
      window.focus();
      go({ view: 'session', id });
      shown.close();
    };
  }
}

/** In the title of the tab, and on the icon of the installed page. */
export function showBadge(waiting: number, title: string): void {
  document.title = waiting > 0 ? `(${waiting}) ${title}` : title;
  navigator.setAppBadge?.(waiting).catch(() => undefined);
}
