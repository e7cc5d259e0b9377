import type { AnyNode } from 'acorn'
import type { Bindings, Place } from './bindings.ts'
import { readLiteral, readMethod, readPath, readPropertyName } from './node-shape.ts'

const LOOKUPS = new Set(['getElementById', 'querySelector', 'getElementsByName'])
const WIDGET_VALUES = new Set(['getValue', 'getText', 'val'])

/** The id or name of the element whose value an expression reads. */
export function findControl(bindings: Bindings, place: Place): string | undefined {
  const { node, unit } = place
  const method = readMethod(node)
  if (method !== undefined) return readWidgetValue(method)
  if (node.type !== 'MemberExpression') return undefined
  const name = readPropertyName(node)
  if (name !== 'value' && name !== 'checked' && name !== 'selectedOptions') return undefined
  return findElement(bindings, { unit, node: node.object })
}

/** `$('#x').val()`, `$('#x').combobox('getValue')` */
function readWidgetValue({ name, object, call }: NonNullable<ReturnType<typeof readMethod>>): string | undefined {
  const [argument] = call.arguments
  const reads = name === 'val' ? call.arguments.length === 0 : WIDGET_VALUES.has(readLiteral(argument) ?? '')
  return reads ? readQueryTarget(object) : undefined
}

/** The id or name of the element that an expression is. */
export function findElement(bindings: Bindings, place: Place, depth = 0): string | undefined {
  const { node, unit } = place
  if (depth > 5) return undefined
  if (node.type === 'Identifier') {
    const value = bindings.findValue(node.name, place)
    return value === undefined ? undefined : findElement(bindings, value, depth + 1)
  }
  if (node.type === 'MemberExpression') return readFormMember(node) ?? findFirstElement(bindings, { unit, node }, depth)
  const method = readMethod(node)
  if (method !== undefined && LOOKUPS.has(method.name)) {
    const target = readLiteral(method.call.arguments[0])
    return target === undefined ? undefined : toKey(target, method.name)
  }
  return readQueryTarget(node)
}

/** `form.elements.depot` */
function readFormMember(node: Extract<AnyNode, { type: 'MemberExpression' }>): string | undefined {
  return readPath(node.object)?.at(-1) === 'elements' ? readPropertyName(node) : undefined
}

/** `document.getElementsByName('x')[0]` */
function findFirstElement(bindings: Bindings, { unit, node }: Place, depth: number): string | undefined {
  if (node.type !== 'MemberExpression' || readPropertyName(node) !== '0') return undefined
  return findElement(bindings, { unit, node: node.object }, depth + 1)
}

/** `$('#x')` and `jQuery('[name=x]')` */
export function readQueryTarget(node: AnyNode): string | undefined {
  if (node.type !== 'CallExpression') return undefined
  const name = readPath(node.callee)?.join('.')
  if (name !== '$' && name !== 'jQuery' && name !== 'window.$') return undefined
  const target = readLiteral(node.arguments[0])
  return target === undefined ? undefined : toKey(target, 'querySelector')
}

/** The id or name in a simple selector. Other selectors are not read. */
function toKey(target: string, lookup: string): string | undefined {
  if (lookup !== 'querySelector') return target
  if (target.startsWith('#')) return isPlain(target.slice(1)) ? target.slice(1) : undefined
  const from = target.indexOf('[name=')
  if (from === -1 || !target.endsWith(']')) return undefined
  const name = target
    .slice(from + '[name='.length, -1)
    .replaceAll('"', '')
    .replaceAll("'", '')
  return isPlain(name) ? name : undefined
}

const isPlain = (name: string): boolean => /^[\p{L}\p{N}_-]+$/u.test(name)
