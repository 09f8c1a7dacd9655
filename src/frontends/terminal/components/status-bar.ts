import { elapsed } from '../../../lib/text/elapsed.ts';
import { fitTo, widthOf } from '../text/measure.ts';
import type { Role, Theme } from '../theme/theme.ts';
import type { Line, Span, Status, StatusPart } from '../view/types.ts';

const SEPARATOR = ' · ';

/** From this share of the context window on, older messages will soon be compacted. */
const NEARLY_FULL = 0.7;

/** The status line. Parts that do not fit are dropped from the end. */
export function statusLine(
  status: Status,
  { parts, columns, theme }: { parts: readonly StatusPart[]; columns: number; theme: Theme },
): Line {
  const spans: Span[] = [];
  let used = 0;
  for (const part of parts) {
    const told = tell(part, status);
    if (!told) continue;
    const separator = spans.length === 0 ? '' : SEPARATOR;
    const room = columns - used - separator.length;
    if (widthOf(told.text) > room && spans.length > 0) break;
    const text = fitTo(told.text, room);
    spans.push({ text: separator, style: theme.styles.border }, { text, style: theme.styles[told.role] });
    used += separator.length + widthOf(text);
  }
  return spans;
}

type Told = { text: string; role: Role };

function tell(part: StatusPart, status: Status): Told | null {
  switch (part) {
    case 'model':
      return quiet(status.model);
    case 'mode':
      return { text: status.mode, role: status.mode === 'auto' ? 'warning' : 'accent' };
    case 'sandbox':
      return status.sandbox === 'no sandbox'
        ? { text: status.sandbox, role: 'warning' }
        : quiet(status.sandbox);
    case 'context': {
      if (!status.context || status.context.tokens === 0) return null;
      const share = status.context.tokens / status.context.window;
      const text = `${Math.max(1, Math.round(share * 100))}% context`;
      return { text, role: share > NEARLY_FULL ? 'warning' : 'muted' };
    }
    case 'cost':
      return status.costUsd === null || status.costUsd === 0 ? null : quiet(dollars(status.costUsd));
    case 'cache':
      return status.cacheHit === null ? null : quiet(`${Math.round(status.cacheHit * 100)}% cached`);
    case 'branch':
      return status.branch === null ? null : quiet(`⎇ ${status.branch}`);
    case 'shells':
      if (status.shells === 0) return null;
      return quiet(`${status.shells} ${status.shells === 1 ? 'shell' : 'shells'}`);
    case 'elapsed':
      return status.elapsedMs === null ? null : quiet(elapsed(status.elapsedMs));
    default:
      return part satisfies never;
  }
}

function quiet(text: string): Told | null {
  return text === '' ? null : { text, role: 'muted' };
}

function dollars(usd: number): string {
  return usd < 0.01 ? '<$0.01' : `$${usd.toFixed(2)}`;
}
