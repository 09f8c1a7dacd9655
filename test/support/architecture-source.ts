import { parseSync } from 'vite';

/**
 * `held` imports exist at run time: a type-only import is erased, a dynamic one is deferred to its first use.
 */
type Import = { from: string; held: boolean; dynamic: boolean };
export type Source = { imports: Import[]; processUses: Set<string>; mocks: boolean; errors: string[] };

type Node = { type: string; [key: string]: unknown };

/** What a TypeScript file imports and uses, read by a real parser: comments and strings do not count. */
export function readSource(file: string, text: string): Source {
  const { program, errors } = parseSync(file, text);
  const source: Source = {
    imports: [],
    processUses: new Set(),
    mocks: false,
    errors: errors.map(({ message }) => message),
  };
  visit(program, (node) => readNode(node, source));
  return source;
}

function readNode(node: Node, source: Source): void {
  const { imports, processUses } = source;
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration': {
      const from = stringOf(node.source);
      const held = (node.importKind ?? node.exportKind) !== 'type';
      if (from !== null) imports.push({ from, held, dynamic: false });
      if (/^(node:)?process$/.test(from ?? '')) {
        for (const name of namesIn(node.specifiers, 'imported')) processUses.add(name);
      }
      break;
    }
    case 'ImportExpression':
    case 'TSImportType': {
      const dynamic = node.type === 'ImportExpression';
      const from = stringOf(node.source ?? node.argument);
      if (from !== null) imports.push({ from, held: false, dynamic });
      break;
    }
    case 'CallExpression': {
      const from = Array.isArray(node.arguments) ? stringOf(node.arguments[0]) : null;
      if (nameOf(node.callee) === 'require' && from !== null) {
        imports.push({ from, held: true, dynamic: false });
      }
      break;
    }
    case 'MemberExpression': {
      const property = nameOf(node.property) ?? stringOf(node.property);
      const owner = nameOf(node.object) ?? nameOf(propertyOf(node.object));
      if (owner === 'process' && property !== null) processUses.add(property);
      if (owner === 'vi' && /^(do)?mock$/i.test(property ?? '')) source.mocks = true;
      break;
    }
    case 'VariableDeclarator':
      if (nameOf(node.init) === 'process' && isNode(node.id)) {
        for (const name of namesIn(node.id.properties, 'key')) processUses.add(name);
      }
      break;
    default:
  }
}

/** `process` in `globalThis.process`. */
function propertyOf(node: unknown): unknown {
  return isNode(node) && nameOf(node.object) === 'globalThis' ? node.property : null;
}

function namesIn(list: unknown, key: string): string[] {
  return Array.isArray(list) ? list.flatMap((item) => (isNode(item) ? (nameOf(item[key]) ?? []) : [])) : [];
}

function nameOf(node: unknown): string | null {
  return isNode(node) && node.type === 'Identifier' && typeof node.name === 'string' ? node.name : null;
}

function stringOf(node: unknown): string | null {
  if (!isNode(node)) return null;
  if (node.type === 'TSLiteralType') return stringOf(node.literal);
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : null;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function visit(value: unknown, read: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, read);
  else if (isNode(value)) {
    read(value);
    for (const child of Object.values(value)) if (typeof child === 'object') visit(child, read);
  }
}
