import { fieldsOf } from './query-server.ts';

/** Why a server that is there does not list its models. */
export type ServerState = 'loading' | 'needs key';

const LOADING =
  /load(ing)? (the )?model|model is (still )?(being )?load(ing|ed)|model not (yet )?loaded|(server|model) is (starting|warming) ?up/i;

/** Whether an error means that the server will answer once its model is loaded. */
export function meansLoading(status: number | undefined, words: string): boolean {
  return status === 503 && LOADING.test(words);
}

/** What an error response says about the server. Anything may listen on a port: only JSON errors count. */
export function stateIn(status: number, body: string): ServerState | undefined {
  if (meansLoading(status, body)) return 'loading';
  return (status === 401 || status === 403) && isJsonError(body) ? 'needs key' : undefined;
}

function isJsonError(body: string): boolean {
  try {
    const { error, message, detail } = fieldsOf(JSON.parse(body));
    return (error ?? message ?? detail) !== undefined;
  } catch {
    return false;
  }
}
