import { randomBytes } from 'node:crypto';
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import type { OAuthSettings } from '../settings.ts';
import type { LoginStore } from './oauth-store.ts';

/** The server requires a login by the user. */
export class LoginNeededError extends Error {
  override name = 'LoginNeededError';
}

/** Where the user is sent, and the redirect URL. */
export type BrowserLogin = { redirectUrl: string; open(url: URL): void };

/**
 * The SDK's login interface. Without a browser the user cannot log in: stored tokens are used and refreshed,
 * and anything more throws `LoginNeededError`.
 */
export function oauthProvider(
  store: LoginStore,
  settings: OAuthSettings = {},
  browser?: BrowserLogin,
): OAuthClientProvider & { stateSent(): string } {
  let verifier = '';
  const sent = randomBytes(24).toString('base64url');
  const redirectUrl = browser?.redirectUrl ?? 'http://127.0.0.1/callback';
  const { clientId, clientSecret, scope } = settings;
  return {
    redirectUrl,
    stateSent: () => sent,
    state: () => sent,
    clientMetadata: {
      client_name: 'ai-code-assistant',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_post',
      ...(scope !== undefined && { scope }),
    },
    async clientInformation() {
      if (clientId !== undefined)
        return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
      return (await store.read()).client;
    },
    async saveClientInformation(client) {
      if (!browser) throw new LoginNeededError('login required');
      if (clientId === undefined) await store.change((login) => ({ ...login, client, redirectUrl }));
    },
    tokens: async () => (await store.read()).tokens,
    // A refresh may not return a new refresh token: the old one then stays valid.
    saveTokens: (tokens) =>
      store.change((login) => ({
        ...login,
        tokens: {
          ...(login.tokens?.refresh_token && { refresh_token: login.tokens.refresh_token }),
          ...tokens,
        },
      })),
    redirectToAuthorization(url) {
      if (!browser) throw new LoginNeededError('login required');
      browser.open(url);
    },
    saveCodeVerifier: (text) => {
      verifier = text;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState: (discovery) => store.change((login) => ({ ...login, discovery })),
    discoveryState: async () => (await store.read()).discovery,
    async invalidateCredentials(what) {
      await store.change(({ tokens, client, discovery, redirectUrl: registered }) => ({
        ...(tokens && what !== 'tokens' && what !== 'all' && { tokens }),
        ...(client && what !== 'client' && what !== 'all' && { client }),
        ...(discovery && what !== 'discovery' && what !== 'all' && { discovery }),
        ...(registered !== undefined && { redirectUrl: registered }),
      }));
    },
  };
}
