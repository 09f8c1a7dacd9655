import type { HealthCheck } from '../../contract/command.ts';

export function ok(name: string, text: string): HealthCheck {
  return { name, state: 'ok', text };
}

/** Works, but is worth knowing. */
export function warn(name: string, text: string, next: string): HealthCheck {
  return { name, state: 'warn', text, next };
}

/** Broken. */
export function bad(name: string, text: string, next: string): HealthCheck {
  return { name, state: 'bad', text, next };
}
