import type { Reporter, TestModule } from 'vitest/node';

/** Lists every skipped test, and why: a skipped check must not look like one that passed. */
export default class SkipsAloud implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const result = test.result();
        const why = result.state === 'skipped' && result.note ? result.note : 'not for this system';
        console.log(`skipped: ${module.relativeModuleId} > ${test.fullName} (${why})`);
      }
    }
  }
}
