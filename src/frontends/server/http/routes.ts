import type { HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { z } from 'zod';
import { browserName } from '../access/browser-name.ts';
import { named } from '../identity.ts';
import { addressOf, authenticate, cookieName, type Door, guarded } from './authenticate.ts';
import { type Checked, isRefusal, type Refusal } from './check-request.ts';
import { type PageFile, pageResponse } from './page-files.ts';
import { hintFor, logRefusal, refusalHeaders } from './refusals.ts';
import { securityHeaders } from './response-headers.ts';

/** `checked` is the result of the checks that every request passes first. */
export type Bindings = HttpBindings & { checked: Checked };
type Call = Context<{ Bindings: Bindings }>;

const MAX_BODY_BYTES = 4_096;

const signInBody = z.object({ code: z.string().max(100), name: z.string().max(200).default('') });

/** The page, and what it needs before it can connect. Everything else goes over its socket. */
export function createRoutes(
  door: Door,
  files: ReadonlyMap<string, PageFile>,
  onSignOut: (signIn: string) => void,
): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>();
  app.use(async (call, next) => {
    await next();
    for (const [name, value] of Object.entries(securityHeaders))
      if (!call.res.headers.has(name)) call.res.headers.set(name, value);
  });

  for (const [path, file] of files) app.get(path, (call) => pageResponse(file, call.req.raw));

  app.get('/api/me', async (call) => {
    const access = await authenticate(call.env.incoming, call.env.checked, door);
    if (isRefusal(access)) return refused(call, access, door);
    return call.json({ name: access.who.name, role: access.who.role, sessions: access.who.sessions });
  });

  app.post('/api/sign-in', bodyLimit({ maxSize: MAX_BODY_BYTES, onError: tooLong }), async (call) => {
    const { incoming, checked } = call.env;
    if (!checked.fromOwnPage) return refused(call, { status: 403, reason: 'missing origin' }, door);
    const body = signInBody.safeParse(await jsonOf(call));
    if (!body.success) return refused(call, { status: 400, reason: 'not a sign-in' }, door);
    const address = addressOf(incoming, door);
    const { code, name } = body.data;
    const browser = browserName(call.req.header('user-agent') ?? '');
    const signedIn = await guarded(address, door, () => door.store.signIn(code, { name, browser }));
    if (signedIn === 'needs a name') return call.json({ needs: 'name' }, 422);
    if (isRefusal(signedIn)) return refused(call, signedIn, door);
    const { access, key } = signedIn;
    door.log.write({ event: 'signed in', by: named(access.who), address });
    call.header('set-cookie', cookieOf(call, signedIn.cookie, signedIn.maxAgeSeconds, door));
    return call.json({ key, name: access.who.name, role: access.who.role });
  });

  app.post('/api/sign-out', async (call) => {
    const { incoming, checked } = call.env;
    const access = await authenticate(incoming, checked, door);
    if (isRefusal(access)) return refused(call, access, door);
    door.log.write({ event: 'signed out', by: named(access.who), address: addressOf(incoming, door) });
    if (access.signIn !== null) {
      await door.store.signOut(access.signIn);
      onSignOut(access.signIn);
    }
    call.header('set-cookie', cookieOf(call, '', 0, door));
    return call.body(null, 204);
  });

  app.all('*', (call) => {
    const isKnown = app.routes.some(({ path }) => path === call.req.path && path !== '*');
    const refusal = isKnown
      ? { status: 405, reason: 'wrong method' }
      : { status: 404, reason: 'unknown path' };
    return refused(call, refusal, door);
  });
  app.onError((_error, call) => refused(call, { status: 500, reason: 'internal error' }, door));
  return app;
}

function cookieOf(call: Call, value: string, maxAge: number, { port }: Door): string {
  const { site } = call.env.checked;
  const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAge}${site.secure ? '; Secure' : ''}`;
  return `${cookieName(port, site)}=${value}; ${flags}`;
}

function refused(call: Call, refusal: Refusal, door: Door): Response {
  const { incoming } = call.env;
  // A page asks whether it is signed in before anybody signed in.
  if (refusal.reason !== 'not signed in') logRefusal(incoming, refusal, door);
  return new Response(`${hintFor(refusal)}\n`, { status: refusal.status, headers: refusalHeaders(refusal) });
}

function tooLong(): Response {
  return new Response('The request is too long.\n', { status: 413, headers: { connection: 'close' } });
}

/** Only what says it is JSON: forms of other sites cannot. */
async function jsonOf(call: Call): Promise<unknown> {
  if (!/^application\/json(;|$)/i.test(call.req.header('content-type') ?? '')) return undefined;
  try {
    return await call.req.json();
  } catch {
    return undefined;
  }
}
