/** Set where every program that tests need is installed: there, a skipped test must not pass for one that ran. */
export const mustRun = process.env.ACA_TEST_NO_SKIP === '1';
