import type { AnyNode } from 'acorn'
import type { SceneValueSource } from '@apprentice/contracts/scenes/analysis.ts'
import type { Bindings, Place } from './bindings.ts'
import { findControl } from './element-lookup.ts'
import { findProperty, isFunction, readLiteral, readMethod, readPath } from './node-shape.ts'

const MAX_DEPTH = 12
const CLOCKS = new Set(['Date', 'Date.now', 'dayjs', 'moment', 'performance.now'])
/** Calls that do not change what a value says. */
const PLAIN_CALLS = new Set([
  'encodeURIComponent',
  'encodeURI',
  'String',
  'Number',
  'parseInt',
  'window.encodeURIComponent',
])
const PLAIN_METHODS = new Set(['trim', 'toString', 'valueOf'])

/** Where the value of an expression comes from. What cannot be followed is unknown, with its text. */
export function findSource(bindings: Bindings, place: Place, depth = 0): SceneValueSource {
  const { node, unit } = place
  const unknown = (): SceneValueSource => ({
    kind: 'unknown',
    text: unit.text.slice(node.start, node.end).slice(0, 200),
  })
  if (depth > MAX_DEPTH) return unknown()
  const literal = readLiteral(node)
  if (literal !== undefined) return { kind: 'constant', value: literal.slice(0, 2000), ...readType(node) }
  const control = findControl(bindings, place)
  if (control !== undefined) return { kind: 'control', control }
  const follow = (next: AnyNode): SceneValueSource => findSource(bindings, { unit, node: next }, depth + 1)
  if (node.type === 'Identifier') {
    const value = bindings.findValue(node.name, place)
    return value === undefined ? unknown() : findSource(bindings, value, depth + 1)
  }
  if (node.type === 'TemplateLiteral' || node.type === 'BinaryExpression') {
    return composeParts(listParts(bindings, place, depth + 1)) ?? unknown()
  }
  // `value || ''` is the value.
  if (node.type === 'LogicalExpression') {
    return node.operator !== '&&' && readLiteral(node.right) !== undefined ? follow(node.left) : unknown()
  }
  if (node.type === 'ChainExpression' || node.type === 'ParenthesizedExpression') return follow(node.expression)
  if (node.type === 'AwaitExpression') return follow(node.argument)
  if (node.type === 'MemberExpression') return findMember(bindings, place, depth) ?? readPageState(node) ?? unknown()
  if (node.type === 'CallExpression') return findCallResult(bindings, place, depth) ?? unknown()
  return isClock(node) ? { kind: 'clock' } : unknown()
}

/** `new Date()`; with arguments it is another time. */
const isClock = (node: AnyNode): boolean =>
  node.type === 'NewExpression' && node.arguments.length === 0 && CLOCKS.has(readPath(node.callee)?.join('.') ?? '')

function readType(node: AnyNode): { type?: 'number' | 'boolean' } {
  const type = node.type === 'Literal' ? typeof node.value : 'string'
  return type === 'number' || type === 'boolean' ? { type } : {}
}

/** The parts of a text that is put together. */
export function listParts(bindings: Bindings, place: Place, depth = 0): SceneValueSource[] {
  const { node, unit } = place
  const parts = (next: AnyNode): SceneValueSource[] => listParts(bindings, { unit, node: next }, depth + 1)
  if (
    depth <= MAX_DEPTH &&
    node.type === 'BinaryExpression' &&
    node.operator === '+' &&
    node.left.type !== 'PrivateIdentifier'
  ) {
    return [...parts(node.left), ...parts(node.right)]
  }
  if (depth <= MAX_DEPTH && node.type === 'TemplateLiteral') {
    return node.quasis.flatMap((quasi, at) => {
      const value = node.expressions[at]
      const text: SceneValueSource = { kind: 'constant', value: (quasi.value.cooked ?? '').slice(0, 2000) }
      return value === undefined ? [text] : [text, ...parts(value)]
    })
  }
  const source = node.type === 'BinaryExpression' ? undefined : findSource(bindings, place, depth + 1)
  if (source?.kind === 'composed') return source.parts
  return [source ?? { kind: 'unknown', text: unit.text.slice(node.start, node.end).slice(0, 200) }]
}

/** One source of several parts. Neighbouring constants become one. */
export function composeParts(parts: readonly SceneValueSource[]): SceneValueSource | undefined {
  const joined: SceneValueSource[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.kind === 'constant' && part.value === '') continue
    if (part.kind === 'constant' && last?.kind === 'constant') {
      joined[joined.length - 1] = { kind: 'constant', value: last.value + part.value }
    } else joined.push(part)
  }
  if (joined.length === 0) return { kind: 'constant', value: '' }
  const clock = joined.some(({ kind }) => kind === 'clock')
  if (clock) return { kind: 'clock' }
  return joined.length === 1 ? joined[0] : { kind: 'composed', parts: joined }
}

/** A member of an object of the script: its only value, in the object or assigned later. */
function findMember(bindings: Bindings, place: Place, depth: number): SceneValueSource | undefined {
  const path = readPath(place.node)
  const [root = '', ...keys] = path ?? []
  if (path === undefined || keys.length === 0) return undefined
  const assigned = bindings.listMemberValues(path)
  const declared = findInObject(bindings, place, { root, keys })
  const values = [...(declared === undefined ? [] : [declared]), ...assigned]
  const [value] = assigned.length === 1 ? assigned : values
  // A declared value that is empty is only the start of one that is assigned later.
  if (value === undefined || assigned.length > 1) return undefined
  if (assigned.length === 1 && declared !== undefined && readLiteral(declared.node) !== '') return undefined
  return findSource(bindings, value, depth + 1)
}

function findInObject(
  bindings: Bindings,
  place: Place,
  { root, keys }: { readonly root: string; readonly keys: readonly string[] },
): Place | undefined {
  const object = bindings.findValue(root, place)
  if (object === undefined) return undefined
  let node: AnyNode | undefined = object.node
  for (const key of keys) node = findProperty(node, key)
  return node === undefined ? undefined : { unit: object.unit, node }
}

function findCallResult(bindings: Bindings, place: Place, depth: number): SceneValueSource | undefined {
  const { node, unit } = place
  if (node.type !== 'CallExpression') return undefined
  const name = readPath(node.callee)?.join('.') ?? ''
  const [argument] = node.arguments
  if (CLOCKS.has(name) && argument === undefined) return { kind: 'clock' }
  if (PLAIN_CALLS.has(name) && argument !== undefined) return findSource(bindings, { unit, node: argument }, depth + 1)
  const state = readPageState(node)
  if (state !== undefined) return state
  const method = readMethod(node)
  if (method !== undefined) {
    const source = findSource(bindings, { unit, node: method.object }, depth + 1)
    // What is made of the time is still the time.
    if (source.kind === 'clock' || PLAIN_METHODS.has(method.name)) return source
    return undefined
  }
  return findReturned(bindings, place, { name, depth })
}

/** The value of a function of the script that takes nothing and returns one expression. */
function findReturned(
  bindings: Bindings,
  place: Place,
  { name, depth }: { readonly name: string; readonly depth: number },
): SceneValueSource | undefined {
  const value = bindings.findValue(name, place)
  if (value === undefined || !isFunction(value.node) || value.node.params.length > 0) return undefined
  const { body } = value.node
  if (body.type !== 'BlockStatement') return findSource(bindings, { unit: value.unit, node: body }, depth + 1)
  const returned = value.unit.nodes.filter(
    (node) => node.type === 'ReturnStatement' && body.start <= node.start && node.end <= body.end,
  )
  const [only, ...more] = returned
  if (only?.type !== 'ReturnStatement' || only.argument === null || only.argument === undefined) return undefined
  return more.length > 0 ? undefined : findSource(bindings, { unit: value.unit, node: only.argument }, depth + 1)
}

const STORES = { localStorage: 'local_storage', sessionStorage: 'session_storage' } as const

/** What a page keeps: its storage, its cookies, its meta elements. */
function readPageState(node: AnyNode): SceneValueSource | undefined {
  const method = readMethod(node)
  const path = readPath(method?.object ?? node)?.filter((name) => name !== 'window')
  if (path === undefined) return readMeta(node)
  const [root = '', key = ''] = path
  const store = STORES[root as keyof typeof STORES] as (typeof STORES)[keyof typeof STORES] | undefined
  const item =
    method?.name === 'getItem' ? readLiteral(method.call.arguments[0]) : method === undefined ? key : undefined
  if (store !== undefined && item !== undefined && item !== '') return { kind: 'page_state', store, key: item }
  if (path.join('.') === 'document.cookie') return { kind: 'page_state', store: 'cookie', key: '' }
  return undefined
}

/** `document.querySelector('meta[name="csrf"]').content` */
function readMeta(node: AnyNode): SceneValueSource | undefined {
  if (node.type !== 'MemberExpression' || node.object.type !== 'CallExpression') return undefined
  const selector = readLiteral(node.object.arguments[0]) ?? ''
  if (!selector.startsWith('meta[name=') || !selector.endsWith(']')) return undefined
  const key = selector.slice('meta[name='.length, -1).replaceAll('"', '').replaceAll("'", '')
  return { kind: 'page_state', store: 'meta', key }
}
