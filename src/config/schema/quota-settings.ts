import * as z from 'zod';
import { count } from './setting-kinds.ts';

const most = () => count().exactOptional();

/** By provider/model, where `*` matches any characters. */
export const quotaSettings = () =>
  z.record(
    z.string().min(1),
    z.strictObject({
      requestsPerMinute: most().describe('Maximum requests per minute'),
      tokensPerMinute: most().describe('Maximum tokens per minute, input and output combined'),
    }),
  );
