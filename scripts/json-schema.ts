import { commentBefore, isNode, type Node, nameOf, nodesIn, parseTypes } from './syntax.ts';

export type Schema = { [key: string]: unknown };

/**
 * A type of plain data, with everything it consists of, as JSON Schema. Additional fields are allowed:
 * programs that validate a stream keep working when a field is added.
 */
export function schemaOf(name: string, declarations: string): Schema {
  const parsed = parseTypes('types.d.ts', declarations);
  const aliases = new Map(
    parsed.body
      .filter(({ type }) => type === 'TSTypeAliasDeclaration')
      .map((alias): [string, Node] => [nameOf(alias.id), alias]),
  );
  const defs: Record<string, Schema> = {};
  const wordsBefore = (node: Node) => commentBefore(node, declarations, parsed.comments)?.words;

  const described = (schema: Schema, node: Node): Schema => {
    const description = wordsBefore(node);
    return description === undefined ? schema : { description, ...schema };
  };

  function refer(alias: string): Schema {
    const declaration = aliases.get(alias);
    if (!declaration) throw new Error(`${alias} cannot be expressed in JSON Schema.`);
    if (!Object.hasOwn(defs, alias)) {
      // Reserved before it is resolved: a type may contain itself.
      defs[alias] = {};
      defs[alias] = described(convert(declaration.typeAnnotation), declaration);
    }
    return { $ref: `#/$defs/${alias}` };
  }

  function convert(node: unknown): Schema {
    if (!isNode(node)) throw new Error('A type is missing.');
    switch (node.type) {
      case 'TSStringKeyword':
        return { type: 'string' };
      case 'TSNumberKeyword':
        return { type: 'number' };
      case 'TSBooleanKeyword':
        return { type: 'boolean' };
      case 'TSNullKeyword':
        return { type: 'null' };
      case 'TSUnknownKeyword':
        return {};
      case 'TSLiteralType':
        return { const: isNode(node.literal) ? node.literal.value : null };
      case 'TSParenthesizedType':
      case 'TSTypeOperator':
        return convert(node.typeAnnotation);
      case 'TSArrayType':
        return { type: 'array', items: convert(node.elementType) };
      case 'TSIntersectionType':
        return { allOf: nodesIn(node.types).map(convert) };
      case 'TSUnionType':
        return union(nodesIn(node.types).map((member) => described(convert(member), member)));
      case 'TSTypeLiteral':
        return object(nodesIn(node.members));
      case 'TSTypeReference':
        return reference(node);
      default:
        throw new Error(`A ${node.type} cannot be expressed in JSON Schema.`);
    }
  }

  function object(members: Node[]): Schema {
    const properties = members.map((member): [string, Schema] => {
      if (member.type !== 'TSPropertySignature')
        throw new Error(`A ${member.type} cannot be expressed in JSON Schema.`);
      const annotation = isNode(member.typeAnnotation) ? member.typeAnnotation.typeAnnotation : null;
      return [nameOf(member.key), described(convert(annotation), member)];
    });
    const required = members.filter(({ optional }) => optional !== true).map(({ key }) => nameOf(key));
    return { type: 'object', properties: Object.fromEntries(properties), required };
  }

  function reference(node: Node): Schema {
    const name = nameOf(node.typeName);
    const [first, second] = isNode(node.typeArguments) ? nodesIn(node.typeArguments.params) : [];
    if (name === 'Record') return { type: 'object', additionalProperties: convert(second) };
    if (name === 'Readonly') return convert(first);
    if (name !== 'Exclude') return refer(name);
    const [all, without] = [first, second].map((part) => valuesOf(part));
    return { enum: all?.filter((value) => !without?.includes(value)) };
  }

  /** The literals of a union type. */
  function valuesOf(node: Node | undefined): unknown[] {
    const alias =
      node?.type === 'TSTypeReference' ? aliases.get(nameOf(node.typeName))?.typeAnnotation : node;
    const schema = convert(alias);
    return Array.isArray(schema.enum) ? schema.enum : [schema.const];
  }

  const root = refer(name);
  return { $schema: 'https://json-schema.org/draft/2020-12/schema', title: name, ...root, $defs: defs };
}

function union(members: Schema[]): Schema {
  const literals = members.every((member) => Object.keys(member).join() === 'const');
  return literals ? { enum: members.map((member) => member.const) } : { anyOf: members };
}
