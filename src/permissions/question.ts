import path from 'node:path';
import type {
  Access,
  CommandPart,
  JudgedCall,
  Permission,
  PermissionRequest,
} from '../contract/permission.ts';
import type { SandboxState } from '../contract/sandbox.ts';
import { startOf } from '../lib/text/cut-line.ts';
import { isObject } from '../lib/text/json.ts';
import { placeOf } from './command-place.ts';
import { evaluate } from './evaluate.ts';
import { folderGrant, grantFor } from './granted.ts';
import { isMcpTool } from './pattern/tool-names.ts';
import { isFileAccess, type Policy, permissionSubjects, type Request, reachOf, realPlace } from './policy.ts';
import { irreversibleBecause } from './rules/irreversible.ts';
import { classify } from './shell/classify.ts';
import { parseLine } from './shell/parse.ts';
import { reach } from './shell/reach.ts';
import type { Redirect } from './shell/shell-line.ts';

/** In characters. */
const MAX_CLAIM = 120;

/** What a remembered yes would save. */
export type Offer = Pick<Permission, 'type' | 'pattern'>;

/** The question as shown to the user: split into parts, with link targets and the sandbox. */
export function questionFor(call: JudgedCall, policy: Policy, offers: readonly Offer[]): PermissionRequest {
  const { input, hook: __, limits: ___, rules: ____, ...plain } = call;
  const command = isMcpTool(call.tool)
    ? undefined
    : permissionSubjects(call, policy).find(({ kind }) => kind === 'execute');
  const parts = command ? partsOf(command, call, policy) : [];
  const leadsTo = permissionSubjects(call, policy).flatMap((access) => elsewhere(access, policy));
  const around = command && sandboxAround(command, policy);
  const claim = command && claimIn(input);
  return {
    ...plain,
    ...(parts.length > 0 && { parts }),
    ...(leadsTo.length > 0 && { leadsTo }),
    ...(around && { sandbox: around }),
    ...(claim && { claim }),
    ...(offers.length > 0 && { grants: offers.map(({ pattern }) => pattern) }),
    ...(evaluate(call, { ...policy, mode: 'accept-edits' }).verdict === 'allow' && { acceptEdits: true }),
    ...(policy.trustable && evaluate(call, asTrusted(policy)).verdict === 'allow' && { trust: true }),
  };
}

/** What is not asked about in a folder that the user trusts. */
function asTrusted(policy: Policy): Policy {
  return { ...policy, sandboxAutoApprove: true, editsAutoApprove: true };
}

function claimIn(input: unknown): string {
  const said = isObject(input) && typeof input.description === 'string' ? input.description.trim() : '';
  return startOf(said.replaceAll(/\s+/g, ' '), MAX_CLAIM);
}

/** Empty if a yes would not be remembered: what is always asked about stays so. */
export function offersFor(call: Request, policy: Policy): Offer[] {
  const offers: Offer[] = [];
  for (const access of askedAbout(call, policy)) {
    const pattern = offerFor(call.tool, access, policy);
    if (pattern === null) return [];
    offers.push({ type: access.kind, pattern });
  }
  const grants = offers.map((offer) => grantOf(offer, 'session'));
  const lasts = evaluate(call, { ...policy, grants: [...policy.grants, ...grants] }).verdict === 'allow';
  return lasts ? offers : [];
}

/** For reads outside the working directory the folder is opened; everything else is remembered exactly. */
function offerFor(tool: string, access: Access, policy: Policy): string | null {
  if (!isMcpTool(tool) && access.kind === 'execute' && isNeverRepeated(access, policy)) return null;
  const exact = grantFor(tool, access, policy);
  if (exact === null || access.kind !== 'read' || !isFileAccess(access)) return exact;
  const reach = reachOf(access, policy);
  return (reach.type === 'outside' ? folderGrant(reach, policy) : null) ?? exact;
}

/**
 * A here-document is another one each time, so an answer about one would never apply again. What cannot be undone is
 * asked about each time.
 */
function isNeverRepeated({ target }: Access, policy: Policy): boolean {
  const line = parseLine(target);
  const isDocument = ({ body }: Redirect) => body !== undefined;
  return (
    line.commands.some(({ redirects }) => redirects.some(isDocument)) ||
    irreversibleBecause(reach(line, placeOf(policy))) !== null
  );
}

/** The accesses of a call that need approval. */
export function askedAbout(request: Request, policy: Policy): Access[] {
  return permissionSubjects(request, policy).filter(
    (access) => evaluate({ ...request, accesses: [access] }, policy).verdict === 'ask',
  );
}

export function grantOf(offer: Offer, scope: Permission['scope']): Permission {
  return { ...offer, action: 'allow', scope, grantedAt: new Date().toISOString() };
}

/** Spans are in the command as written, without the directory change that it is judged with. */
function partsOf({ target }: Access, { accesses }: Request, policy: Policy): CommandPart[] {
  const written = accesses.find(({ kind }) => kind === 'execute')?.target ?? target;
  const before = target.length - written.length;
  return classify(target, placeOf(policy)).parts.flatMap(({ span, ...part }): CommandPart[] => {
    if (!span) return [part];
    if (span.start < before) return [];
    return [{ ...part, span: { start: span.start - before, end: span.end - before } }];
  });
}

function elsewhere(access: Access, policy: Policy): { written: string; real: string }[] {
  if (!isFileAccess(access)) return [];
  const real = realPlace(access, policy);
  return real ? [{ written: access.target, real: path.normalize(real.target) }] : [];
}

function sandboxAround({ unconfined }: Access, { sandbox }: Policy): SandboxState | undefined {
  if (unconfined) return { kind: 'host', level: 'permissive', network: 'open' };
  return sandbox ?? undefined;
}
