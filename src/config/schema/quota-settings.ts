import * as z from 'zod';
import { count } from './setting-kinds.ts';

const most = () => count().exactOptional();

/** By provider/model, where `*` stands for any characters. */
export const quotaSettings = () =>
  z.record(
    z.string().min(1),
    z.strictObject({
      requestsPerMinute: most().describe('Most requests in any minute'),
      tokensPerMinute: most().describe('Most tokens in any minute, read and written'),
    }),
  );
