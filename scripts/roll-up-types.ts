import path from 'node:path';
import { commentBefore, isNode, type Node, nameOf, nodesIn, parseTypes, walk } from './syntax.ts';

/** Where a name comes from: declared here, or imported from another file or package. */
type Source = { type: 'here'; text: string; needs: string[] } | { type: 'there'; from: string; name: string };
type Export = { from: string; name: string; typeOnly: boolean };
type File = { names: Map<string, Source>; exports: Map<string, Export> };

/**
 * Bundles declarations into one file: what the entry exports, with its dependencies, and nothing else.
 * `files` are emitted declarations by path. Two declarations of the same name are an error, which also helps
 * readers.
 */
export function rollUp(files: ReadonlyMap<string, string>, entry: string): string {
  const read = new Map<string, File>();
  const fileOf = (name: string): File => {
    const text = files.get(name);
    if (text === undefined) throw new Error(`No declarations found for ${name}.`);
    const file = read.get(name) ?? readFile(name, text);
    read.set(name, file);
    return file;
  };
  const kept = new Map<string, { file: string; text: string }>();
  const packages = new Map<string, Set<string>>();

  function keep(file: string, name: string): void {
    const source = fileOf(file).names.get(name) ?? reExport(file, name);
    // A type parameter, or a built-in type.
    if (!source) return;
    if (source.type === 'there') {
      if (files.has(source.from)) keep(source.from, source.name);
      else packages.set(source.from, (packages.get(source.from) ?? new Set()).add(name));
      return;
    }
    const other = kept.get(name);
    if (other && other.file !== file)
      throw new Error(`${name} is declared in ${other.file} and in ${file}: give one of them another name.`);
    if (other) return;
    kept.set(name, { file, text: source.text });
    for (const need of source.needs) keep(file, need);
  }

  function reExport(file: string, name: string): Source | undefined {
    const found = fileOf(file).exports.get(name);
    return found && { type: 'there', ...found };
  }

  const { exports } = fileOf(entry);
  for (const [name, { from, name: there }] of exports) {
    if (name !== there) throw new Error(`${name} is an alias of ${there}: export it under its own name.`);
    keep(from, there);
  }

  const imports = [...packages].map(
    ([from, used]) => `import type { ${[...used].sort().join(', ')} } from '${from}';`,
  );
  const listed = [...exports].sort(([a], [b]) => (a < b ? -1 : 1));
  const exported = listed.map(([name, { typeOnly }]) => `  ${typeOnly ? 'type ' : ''}${name},`);
  const declarations = [...kept.values()].map(({ text }) => text);
  return `${[...imports.sort(), ...declarations, `export {\n${exported.join('\n')}\n};`].join('\n\n')}\n`;
}

function readFile(file: string, text: string): File {
  const { body, comments } = parseTypes(file, text);
  const names: File['names'] = new Map();
  const exports: File['exports'] = new Map();
  const resolve = (from: string) =>
    from.startsWith('.') ? path.posix.join(path.posix.dirname(file), from).replace(/\.tsx?$/, '.d.ts') : from;
  for (const statement of body) {
    const from = isNode(statement.source) ? resolve(String(statement.source.value)) : null;
    if (statement.type === 'ImportDeclaration' && from !== null) {
      for (const { local, imported } of nodesIn(statement.specifiers))
        names.set(nameOf(local), { type: 'there', from, name: nameOf(imported) || '*' });
    } else if (statement.type === 'ExportAllDeclaration') {
      throw new Error(`${file} uses export *: list the exports by name.`);
    } else if (from !== null) {
      for (const { local, exported, exportKind } of nodesIn(statement.specifiers)) {
        const typeOnly = exportKind === 'type' || statement.exportKind === 'type';
        exports.set(nameOf(exported), { from, name: nameOf(local), typeOnly });
      }
    } else {
      const declaration = isNode(statement.declaration) ? statement.declaration : statement;
      const before = commentBefore(statement, text, comments);
      const comment = before ? `${text.slice(before.start, statement.start).trimEnd()}\n` : '';
      const code = text.slice(declaration.start, statement.end).replace(/^declare /, '');
      const isType = /^TS(TypeAlias|Interface)Declaration$/.test(declaration.type);
      const source = {
        type: 'here' as const,
        text: `${comment}${isType ? '' : 'declare '}${code}`,
        needs: needsOf(declaration),
      };
      for (const name of declaredNames(declaration)) names.set(name, source);
    }
  }
  return { names, exports };
}

function declaredNames(declaration: Node): string[] {
  if (declaration.type === 'VariableDeclaration')
    return nodesIn(declaration.declarations).map(({ id }) => nameOf(id));
  const name = nameOf(declaration.id);
  return name === '' ? [] : [name];
}

/** Names of the types a declaration depends on. For qualified names, the part before the first dot. */
function needsOf(declaration: Node): string[] {
  const needs: string[] = [];
  for (const node of walk(declaration)) {
    const used = { TSTypeReference: node.typeName, TSTypeQuery: node.exprName }[node.type] ?? null;
    const base = node.type === 'ClassDeclaration' ? node.superClass : used;
    const heritage = /^TS(InterfaceHeritage|ClassImplements)$/.test(node.type) ? node.expression : null;
    for (const found of [base, heritage]) if (isNode(found)) needs.push(leftmost(found));
    if (node.type === 'TSImportType')
      throw new Error('A declaration contains an inline import(): import the type by name.');
  }
  return [...new Set(needs)];
}

function leftmost(node: Node): string {
  return isNode(node.left) ? leftmost(node.left) : nameOf(node);
}
