import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Report } from '../src/app/conversation/run-report.ts';
import { modesByStrictness } from '../src/config/schema/schema.ts';
import type { AgentEvent } from '../src/contract/event.ts';
import { searchServices } from '../src/contract/web-search.ts';
import { exitCodes } from '../src/frontends/shared/exit-codes.ts';
import { commandRules } from '../src/permissions/rules/commands.ts';
import { builtIn } from '../src/providers/models/models-data.ts';
import { type Preset, type Protocol, presets } from '../src/providers/presets.ts';
import { allDocs, docNamed, inlineCodeOf, programTexts, root } from './support/docs.ts';

/** The first cells of the table under a heading, without its head. */
function rowsUnder(title: string, text: string): string[] {
  const section = text.split(/^#+ /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
  return [...section.matchAll(/^\| `?([\w-]+)`? +\|/gm)].map(([, cell = '']) => cell).slice(2);
}

test('the privacy page names everybody whose address is in the program', async () => {
  const known: Record<string, string> = {
    'registry.npmjs.org': 'The npm registry',
    'huggingface.co': 'Hugging Face',
    'raw.githubusercontent.com': 'GitHub',
    // Names of permissions that the clouds' login servers grant.
    'www.googleapis.com': 'Google OAuth',
    'cognitiveservices.azure.com': 'Microsoft Entra ID',
    ...Object.fromEntries(
      searchServices.flatMap(({ label, address, keyUrl }) =>
        [address, keyUrl].filter(Boolean).map((url) => [new URL(url ?? '').host, label]),
      ),
    ),
    'github.com': 'GitHub',
  };
  // Addresses that are shown to people or are examples; the providers are in the table of presets.
  const notContacted = /(presets|models-data|commands|mcp.change|web-fetch|startup.list)\.ts$|src.firewall/;
  const page = await docNamed('privacy.md');
  const sources = (await programTexts()).filter(({ file }) => !notContacted.test(file));
  const addresses = sources.flatMap(({ text }) => [...text.matchAll(/https?:\/\/([a-z0-9.-]+\.[a-z]{2,})/g)]);
  const hosts = [...new Set(addresses.map(([, host = '']) => host))];
  const unnamed = hosts.filter((host) => !host.endsWith('.invalid') && !page.includes(known[host] ?? host));
  expect(hosts).toContain('huggingface.co');
  expect(unnamed).toEqual([]);
});

test('the program names no page of docs/, because its packages contain none', async () => {
  const { files } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    files: string[];
  };
  const pages = new Set((await readdir(path.join(root, 'docs'))).filter((name) => name.endsWith('.md')));
  const named = (await programTexts()).flatMap(({ file, text }) =>
    [...text.matchAll(/\bdocs\/([\w-]+\.md)/g)]
      .filter(([, page = '']) => pages.has(page))
      .map(([words]) => `${file}: ${words}`),
  );
  expect(files).not.toContain('docs');
  expect(pages).toContain('sandbox.md');
  expect(named).toEqual([]);
});

describe('tables name everything there is, and nothing else', () => {
  test('events', async () => {
    const kinds: Record<AgentEvent['type'], true> = {
      run_start: true,
      turn_start: true,
      text: true,
      thinking: true,
      reclassify: true,
      call_start: true,
      question: true,
      judged: true,
      tool_start: true,
      tool_progress: true,
      subagent: true,
      tool_end: true,
      cache: true,
      model_call: true,
      retry: true,
      loading: true,
      input_transformed: true,
      cache_miss: true,
      usage: true,
      message: true,
      compacted: true,
      notice: true,
      end: true,
    };
    expect(rowsUnder('Events', await docNamed('headless.md'))).toEqual(Object.keys(kinds));
  });
  test('fields of the result', async () => {
    const fields: Record<keyof Report, true> = {
      type: true,
      sessionId: true,
      provider: true,
      model: true,
      stopReason: true,
      result: true,
      structured: true,
      turns: true,
      usage: true,
      costUsd: true,
      cacheMisses: true,
      filesChanged: true,
      commands: true,
      changes: true,
      checks: true,
      denials: true,
      sandbox: true,
      durationMs: true,
      error: true,
    };
    expect(rowsUnder('The result', await docNamed('headless.md'))).toEqual(Object.keys(fields));
  });

  test('exit codes, modes, refused commands, vendors and aliases', async () => {
    const models = await docNamed('models.md');
    const permissions = await docNamed('permissions.md');
    expect(rowsUnder('Exit codes', await docNamed('headless.md'))).toEqual(
      Object.values(exitCodes).map(({ code }) => String(code)),
    );
    expect(rowsUnder('Modes', permissions)).toEqual([...modesByStrictness]);
    expect(rowsUnder('Commands', permissions)).toEqual(commandRules.map(({ name }) => name));
    expect(rowsUnder('Providers', models)).toEqual(presets.map(({ name }) => name));
    const named = inlineCodeOf(models.split(/^#+ Aliases\n/m)[1]?.split('\n\n')[0] ?? '');
    expect(named.sort()).toEqual(Object.keys(builtIn.aliases).sort());
  });
});

test('the comparison counts tools, protocols, providers and clouds right', async () => {
  const tools = JSON.parse(await readFile(path.join(root, 'src/tools/parameters.json'), 'utf8')) as object;
  const protocols: Record<Protocol, true> = {
    anthropic: true,
    'openai-responses': true,
    'openai-chat': true,
    google: true,
    ollama: true,
    'bedrock-converse': true,
  };
  const all: readonly Preset[] = presets;
  const clouds = all.filter((preset) => preset.cloud);
  const hosted = all.filter((preset) => !preset.local && !preset.cloud);
  // A second protocol of a provider has the same key.
  const providers = new Set(hosted.map(({ keyEnv }) => keyEnv[0]));
  const page = (await docNamed('comparison.md')).replaceAll(/\s+/g, ' ');
  expect(page).toContain(`this one up to ${Object.keys(tools).length},`);
  expect(page).toContain(
    `${Object.keys(protocols).length} wire protocols, ${providers.size} providers and ${clouds.length} clouds`,
  );
});

test('examples name no model that its vendor has retired', async () => {
  const retired = Object.values(builtIn.models)
    .flatMap((models) => Object.entries(models))
    .filter(([, facts]) => facts.retired !== undefined)
    .map(([name]) => name);
  const ofEditor = ['README.md', 'package.json'].map((name) => `editors/vscode/${name}`);
  const more = ofEditor.map(async (file) => ({ file, text: await readFile(path.join(root, file), 'utf8') }));
  const docs = [...(await allDocs()), ...(await Promise.all(more))].filter(
    // What the program falls back to is listed there as it is.
    ({ file }) => file !== 'docs/reference.md',
  );
  const found = docs.flatMap(({ file, text }) =>
    [...text.replaceAll(/`[^`]+`, was retired on/g, '').matchAll(/[\w.-]*\w/g)].flatMap(([name]) =>
      retired.includes(name) ? [`${file}: ${name}`] : [],
    ),
  );
  expect(retired).toContain('claude-sonnet-4-20250514');
  expect(found).toEqual([]);
});
