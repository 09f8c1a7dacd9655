import { loadYoga } from 'yoga-layout/load';

type Yoga = Awaited<ReturnType<typeof loadYoga>>;

// Ink imports this object when it is loaded and looks into it when it draws.
const yoga = {} as Yoga;

/** Must have resolved before the first drawing. */
export async function loadLayoutEngine(): Promise<void> {
  Object.assign(yoga, await loadYoga());
}

/** Put by the build in the place of `yoga-layout`, whose own entry waits while it is loaded. */
export default yoga;
