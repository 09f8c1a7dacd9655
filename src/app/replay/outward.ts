import type { Access } from '../../contract/permission.ts';
import type { Tool } from '../../contract/tool.ts';

/** Programs that reach other machines, and what they are called with. Too many are harmless: their results come from the journal. */
const OUTWARD = [
  /(curl|wget|ssh|scp|sftp|rsync|ftp|telnet|nc|ncat|socat|mail|sendmail|gh|glab|aws|gcloud|az|kubectl|helm|terraform)\b/,
  /git\s+(-\S+\s+(\S+\s+)?)*(push|pull|fetch|clone|ls-remote|submodule\s+update|remote\s+update)\b/,
  /(npm|pnpm|yarn|bun)\s+(i|install|ci|add|update|upgrade|publish|audit|outdated|login|create|dlx|exec)\b|(npx|bunx)\s/,
  /(pip3?|uv|poetry|pipenv|conda|gem|bundle|composer|brew|apt|apt-get|dnf|yum|pacman|apk)\s+(\S+\s+)*?(install|add|sync|update|upgrade|publish|download)\b/,
  /(cargo\s+(install|publish|update|fetch|add)|go\s+(get|install|mod\s+download)|docker\s+(pull|push|login|run|build)|podman\s+(pull|push|login|run|build))\b/,
];
const OUTWARD_COMMAND = new RegExp(
  String.raw`(^|[;&|({\n]|\b(?:sudo|env|time|exec|then|do|else|xargs)\s)\s*(?:\w+=\S*\s+)*(?:${OUTWARD.map(({ source }) => `(?:${source})`).join('|')})`,
);

/** Asked of a person; there is nobody to ask. */
const ASKING = new Set(['AskUser', 'PresentPlan']);

/** Why a call is answered from the journal instead of being run again; null if it can run. */
export function outwardBecause(tool: Pick<Tool, 'name'>, accesses: readonly Access[]): string | null {
  if (ASKING.has(tool.name)) return 'it asked you';
  for (const { kind, target, unconfined } of accesses) {
    if (kind === 'fetch' || kind === 'search') return 'it used the network';
    if (unconfined) return 'it ran outside the sandbox';
    if (kind === 'execute' && OUTWARD_COMMAND.test(target)) return 'it reached other machines';
  }
  return null;
}
