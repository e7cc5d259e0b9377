import type { AnyNode } from 'acorn'
import type { Bindings, Binding } from '../script/bindings.ts'
import { readMethod, readPath } from '../script/node-shape.ts'
import { type NameUse, readUses, unwrapDefault } from '../script/unit-uses.ts'
import type { FoundRequest } from './find-requests.ts'

/** Where scripts look for the rows and their number in the answer of a request. */
export interface AnswerPaths {
  readonly rows: readonly string[]
  readonly totals: readonly string[]
}

const TOTAL_NAMES = new Set(['total', 'count', 'totalCount', 'totalElements', 'totalRows', 'records', 'recordsTotal'])
/** Follows the answer of a request through the script, as far as names lead. */
export function findAnswerPaths(bindings: Bindings, { call }: FoundRequest): AnswerPaths {
  const rows = new Set<string>()
  const totals = new Set<string>()
  for (const { binding, prefix } of listAnswerNames(bindings, call)) {
    const { lists } = readUses(binding.unit)
    for (const { node, path } of listUses(bindings, binding)) {
      for (const one of toBodyPath(call, [...prefix, ...path])) {
        if (lists.has(node)) rows.add(one)
        if (TOTAL_NAMES.has(path.at(-1) ?? '')) totals.add(one)
      }
    }
  }
  return { rows: [...rows], totals: [...totals] }
}

/** An answer of axios has the body under `data`. */
function toBodyPath({ api }: FoundRequest['call'], path: readonly string[]): string[] {
  if (api !== 'axios') return [path.join('.')]
  return path[0] === 'data' ? [path.slice(1).join('.')] : []
}

/** A name that holds the answer, or the part of it at a path. */
interface AnswerName {
  readonly binding: Binding
  readonly prefix: readonly string[]
}

/** How many names one answer may pass through. */
const MAX_STEPS = 5

function listAnswerNames(bindings: Bindings, call: FoundRequest['call']): AnswerName[] {
  const { followed } = readUses(call.unit)
  const own = bindings.listOf(call.unit)
  const found: AnswerName[] = own
    .filter(({ values: [value], parameter }) => {
      if (value !== undefined && (value === call.answer || holdsCall(value, call.node))) return true
      return parameter?.at === 0 && isCallback(followed.get(parameter.of), parameter.of, call)
    })
    .map((binding) => ({ binding, prefix: binding.keys }))
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const known = new Set(found.map(({ binding }) => binding))
    const more = bindings.list().flatMap((binding) => {
      const from = known.has(binding) ? undefined : findOrigin(bindings, binding, found)
      return from === undefined ? [] : [{ binding, prefix: [...from, ...binding.keys] }]
    })
    if (more.length === 0) break
    found.push(...more)
  }
  return found
}

/** The path of the answer that a name gets: `const list = answer.data.rows`, `show(answer.rows)`, `await answer.json()`. */
function findOrigin(bindings: Bindings, binding: Binding, known: readonly AnswerName[]): readonly string[] | undefined {
  const value = bindings.findOnlyValue(binding)
  if (value === undefined) return undefined
  const node = unwrapParsed(unwrapDefault(value.node))
  const [root, ...path] = readPath(node) ?? []
  if (root === undefined) return undefined
  const from = bindings.find(root, { unit: value.unit, node })
  const name = known.find((one) => one.binding === from)
  return name === undefined ? undefined : [...name.prefix, ...path.filter((key) => key !== 'responseText')]
}

/** Whether a value is the call, awaited or with `.json()` after it. */
function holdsCall(value: AnyNode, call: AnyNode): boolean {
  if (value === call) return true
  if (value.type === 'AwaitExpression') return holdsCall(value.argument, call)
  const method = readMethod(value)
  if (method?.name === 'json') return holdsCall(method.object, call)
  return method?.name === 'then' ? holdsCall(method.object, call) : false
}

/** `await answer.json()` and `JSON.parse(request.responseText)` hold what they read. */
function unwrapParsed(node: AnyNode): AnyNode {
  const inner = node.type === 'AwaitExpression' ? node.argument : node
  const method = readMethod(inner)
  if (method?.name === 'json') return method.object
  const isParse = inner.type === 'CallExpression' && readPath(inner.callee)?.join('.') === 'JSON.parse'
  return isParse ? (inner.arguments[0] ?? inner) : inner
}

/** Whether a function gets the answer: a callback of the call, or of a `then` behind it. */
const isCallback = (followed: AnyNode | undefined, callback: AnyNode, call: FoundRequest['call']): boolean =>
  call.success === callback || (followed !== undefined && startsWithCall(followed, call.node))

function startsWithCall(object: AnyNode, call: AnyNode): boolean {
  if (object === call) return true
  const method = readMethod(object)
  return method !== undefined && startsWithCall(method.object, call)
}

/** The places below a name at which it is used. */
const listUses = (bindings: Bindings, binding: Binding): NameUse[] =>
  (readUses(binding.unit).byName.get(binding.name) ?? []).filter(
    ({ node }) => bindings.find(binding.name, { unit: binding.unit, node }) === binding,
  )
