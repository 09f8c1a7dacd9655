import { bodies, malformed, paths, upgrades, wrongMethods } from './messages.ts';
import { type HostileRequest, me, upgrade, type Victim } from './request.ts';
import { hosts, origins, secrets } from './senders.ts';

/** None of them may succeed: no 2xx, no upgrade. */
export function hostileRequests(victim: Victim): HostileRequest[] {
  return [
    ...hosts(victim),
    ...origins(victim),
    ...secrets(victim),
    ...paths(victim),
    ...wrongMethods(victim),
    ...bodies(victim),
    ...malformed(victim),
    ...upgrades(victim),
  ];
}

/** What the same secrets are for. */
export function honestRequests({ port, token, cookie, key }: Victim): string[] {
  const host = `Host: 127.0.0.1:${port}`;
  const own = `Origin: http://127.0.0.1:${port}`;
  const page = `Sec-WebSocket-Protocol: aca.v1, aca.key.${key}`;
  return [
    me([host, `Authorization: Bearer ${token}`]),
    me([host, `Cookie: ${cookie}`, `X-Aca-Key: ${key}`]),
    upgrade([host, `Authorization: Bearer ${token}`]),
    upgrade([host, own, `Cookie: ${cookie}`, page]),
  ];
}
