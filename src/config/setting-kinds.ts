import * as z from 'zod';

/** A whole number above zero. */
export const count = () => z.number().int().min(1);

/** Lists of several sources add up. */
export const list = (description: string) => z.array(z.string().min(1)).default([]).describe(description);
