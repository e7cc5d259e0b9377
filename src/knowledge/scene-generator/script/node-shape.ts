import type { AnyNode, CallExpression, ObjectExpression, Property } from 'acorn'

/** The text of a literal, or of a template without values. */
export function readLiteral(node: AnyNode | null | undefined): string | undefined {
  if (node?.type === 'Literal') {
    return ['string', 'number', 'boolean'].includes(typeof node.value) ? String(node.value) : undefined
  }
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined
  return undefined
}

/** The names of a chain such as `window.axios.get`; undefined if a part of it is not a name. */
export function readPath(node: AnyNode | null | undefined): string[] | undefined {
  if (node?.type === 'ChainExpression') return readPath(node.expression)
  if (node?.type === 'Identifier') return [node.name]
  if (node?.type === 'ThisExpression') return ['this']
  if (node?.type !== 'MemberExpression') return undefined
  const name = readPropertyName(node)
  const object = readPath(node.object)
  return name === undefined || object === undefined ? undefined : [...object, name]
}

/** The name of a member or of a key of an object. */
export function readPropertyName(node: AnyNode): string | undefined {
  if (node.type === 'MemberExpression') {
    return node.computed ? readLiteral(node.property) : readName(node.property)
  }
  if (node.type === 'Property')
    return node.computed ? readLiteral(node.key) : (readName(node.key) ?? readLiteral(node.key))
  return undefined
}

const readName = (node: AnyNode): string | undefined => (node.type === 'Identifier' ? node.name : undefined)

export const listProperties = ({ properties }: ObjectExpression): Property[] =>
  properties.filter((one): one is Property => one.type === 'Property')

/** The value of a key of an object. A method counts as its function. */
export function findProperty(node: AnyNode | null | undefined, ...names: readonly string[]): AnyNode | undefined {
  if (node?.type !== 'ObjectExpression') return undefined
  return listProperties(node).find((one) => names.includes(readPropertyName(one) ?? ''))?.value
}

/** The name of the called method, and what it is called on. */
export function readMethod(node: AnyNode): { name: string; object: AnyNode; call: CallExpression } | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined
  const name = readPropertyName(node.callee)
  return name === undefined ? undefined : { name, object: node.callee.object, call: node }
}

export type FunctionNode = Extract<
  AnyNode,
  { type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression' }
>

export const isFunction = (node: AnyNode | null | undefined): node is FunctionNode =>
  node?.type === 'FunctionDeclaration' ||
  node?.type === 'FunctionExpression' ||
  node?.type === 'ArrowFunctionExpression'

export const contains = (outer: AnyNode, inner: AnyNode): boolean =>
  outer.start <= inner.start && inner.end <= outer.end
