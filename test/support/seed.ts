import fc from 'fast-check';

/** Properties try the same values in every run; `ACA_TEST_SEED=7 npx vitest run FILE` tries others. */
fc.configureGlobal({ seed: Number(process.env.ACA_TEST_SEED ?? 1) });
