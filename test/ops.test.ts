import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { metricDefinitions } from '../src/observability/telemetry/metric-definitions.ts';

const ops = path.join(path.dirname(fileURLToPath(import.meta.url)), '../ops');
const rulesFile = path.join(ops, 'prometheus/alerts.yml');
const rules = readFileSync(rulesFile, 'utf8');
const dashboard = readFileSync(path.join(ops, 'grafana/ai-code-assistant.json'), 'utf8');

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
const NO_PROMTOOL = 'promtool is not installed';

/** Every series that a scrape can hold. */
const exported = new Set(
  metricDefinitions.flatMap((metric) => {
    if (metric.type === 'histogram')
      return ['bucket', 'sum', 'count'].map((part) => `${metric.name}_${part}`);
    return [metric.name, ...('alias' in metric ? [metric.alias] : [])];
  }),
);

/** Names of series in a query: words that are no function, no label and no keyword of PromQL. */
function seriesIn(query: string): string[] {
  const bare = query
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}/g, '')
    .replaceAll(/\[[^\]]*\]/g, '')
    .replaceAll(/\b(by|without)\s*\([^)]*\)/g, '');
  return [...bare.matchAll(/\b[a-z][a-z_]*\b(?!\s*\()/g)].map(([word]) => word);
}

type Alert = { name: string; expression: string; wait: string | undefined; severity: string | undefined };

function alertsIn(text: string): Alert[] {
  return text
    .split(/^ {6}- alert: /m)
    .slice(1)
    .map((part) => ({
      name: part.split('\n')[0] ?? '',
      expression: /^ +expr: (.*)$/m.exec(part)?.[1] ?? '',
      wait: /^ +for: (.*)$/m.exec(part)?.[1],
      severity: /^ +severity: (.*)$/m.exec(part)?.[1],
    }));
}

type Panel = { targets?: { expr: string }[] };

function queriesOfDashboard(): string[] {
  const { panels } = JSON.parse(dashboard) as { panels: Panel[] };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

describe('what operators are given', () => {
  test('the rules and the dashboard ask for nothing that is not exported', () => {
    const queries = [...alertsIn(rules).map(({ expression }) => expression), ...queriesOfDashboard()];
    expect(queries.length).toBeGreaterThan(20);
    expect(queries.filter((query) => seriesIn(query).length === 0)).toEqual([]);
    expect(queries.flatMap(seriesIn).filter((name) => !exported.has(name))).toEqual([]);
  });

  test('a name that is not exported would be found', () => {
    expect(seriesIn('sum by (le) (rate(made_up_total{tool="x"}[5m])) > 0.9')).toEqual(['made_up_total']);
  });

  test('the dashboard shows every metric there is', () => {
    const shown = new Set(queriesOfDashboard().flatMap(seriesIn));
    const missing = metricDefinitions.filter((metric) => {
      const names = [metric.name, `${metric.name}_bucket`, ...('alias' in metric ? [metric.alias] : [])];
      return !names.some((name) => shown.has(name));
    });
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  test('the documentation names every metric and every alert, and no other', () => {
    const page = readFileSync(path.join(ops, '../docs/observability.md'), 'utf8');
    const rowsUnder = (title: string) => {
      const section = page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
      return [...section.matchAll(/^\| `(\w+)` +\|/gm)].map(([, cell]) => cell);
    };
    expect(rowsUnder('Metrics')).toEqual(metricDefinitions.map(({ name }) => name));
    expect(rowsUnder('Alerts and a dashboard')).toEqual(alertsIn(rules).map(({ name }) => name));
  });

  test('[O05] the documented alerts, as documented', () => {
    const documented = alertsIn(rules).filter(({ wait }) => wait !== undefined);
    expect(documented.map(({ name, wait, severity }) => [name, wait, severity])).toEqual([
      ['HighLLMLatency', '5m', 'warning'],
      ['LLMAPIErrors', '2m', 'critical'],
      ['ContextWindowNearLimit', '1m', 'warning'],
    ]);
  });

  test('[O04] a rule for each threshold', () => {
    const immediate = alertsIn(rules).filter(({ wait }) => wait === undefined);
    const limitOf = (expression: string) => /[<>] [\d.]+$/.exec(expression)?.[0];
    expect(immediate.map(({ name, expression }) => [name, limitOf(expression)])).toEqual([
      ['ToolExecutionSlow', '> 30'],
      ['LLMResponseSlow', '> 10'],
      ['LLMErrorsPerMinute', '> 5'],
      ['ToolErrorsPerMinute', '> 10'],
      ['ContextUsageHigh', '> 0.9'],
      ['CacheHitRatioLow', '< 0.5'],
    ]);
  });
});

describe('by the judgement of Prometheus itself', () => {
  test('the rules are rules', ({ skip }) => {
    skip(!hasPromtool, NO_PROMTOOL);
    expect(execFileSync('promtool', ['check', 'rules', rulesFile], { encoding: 'utf8' })).toContain(
      `SUCCESS: ${alertsIn(rules).length} rules found`,
    );
  });

  test('[O04] [O05] they are raised when they should be, and not before', ({ skip }) => {
    skip(!hasPromtool, NO_PROMTOOL);
    const run = spawnSync('promtool', ['test', 'rules', path.join(ops, 'prometheus/alerts.test.yml')], {
      encoding: 'utf8',
    });
    expect(run).toMatchObject({ status: 0, stderr: '' });
    expect(run.stdout).toContain('SUCCESS');
  });

  test('a rule with another limit would be noticed', ({ skip }) => {
    skip(!hasPromtool, NO_PROMTOOL);
    const folder = mkdtempSync(path.join(tmpdir(), 'aca-rules-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(path.join(folder, 'alerts.yml'), rules.replaceAll('> 0.9', '> 0.99'));
    const tests = readFileSync(path.join(ops, 'prometheus/alerts.test.yml'), 'utf8');
    writeFileSync(path.join(folder, 'alerts.test.yml'), tests);
    const run = spawnSync('promtool', ['test', 'rules', path.join(folder, 'alerts.test.yml')]);
    expect(run.status).not.toBe(0);
  });
});
