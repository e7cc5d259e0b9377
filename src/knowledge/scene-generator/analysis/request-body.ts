import type { AnyNode } from 'acorn'
import type { SceneEvidence, SceneRequest, SceneValueSource } from '@apprentice/contracts/scenes/analysis.ts'
import type { Bindings, Place } from '../script/bindings.ts'
import { findElement, readQueryTarget } from '../script/element-lookup.ts'
import { isFunction, listProperties, readMethod, readPath, readPropertyName } from '../script/node-shape.ts'
import { locateNode } from '../script/read-script.ts'
import { findSource } from '../script/value-source.ts'

/** A value that a request sends. */
export interface SentValue {
  readonly name: string
  readonly source: SceneValueSource
  readonly evidence: SceneEvidence
}

export interface SentValues {
  readonly body: SceneRequest['body']
  readonly values: readonly SentValue[]
  /** Forms of the page whose named controls are sent. */
  readonly forms: readonly string[]
}

const NOTHING: SentValues = { body: 'none', values: [], forms: [] }
const JSON_CALLS = new Set(['JSON.stringify'])
const FORM_CALLS = new Set(['$.param', 'jQuery.param', 'Qs.stringify', 'qs.stringify'])
const MAX_DEPTH = 6

/** The values that an expression sends as a body or a query. */
export function readSentValues(bindings: Bindings, place: Place | undefined, depth = 0): SentValues {
  if (place === undefined || depth > MAX_DEPTH) return NOTHING
  const { node, unit } = place
  const follow = (next: AnyNode | undefined): SentValues =>
    readSentValues(bindings, next === undefined ? undefined : { unit, node: next }, depth + 1)
  if (node.type === 'ObjectExpression') return { body: 'json', ...readObject(bindings, place, depth) }
  if (node.type === 'Identifier') {
    const value = bindings.findValue(node.name, place)
    return value === undefined ? readUnknown(place) : readSentValues(bindings, value, depth + 1)
  }
  if (node.type === 'CallExpression') return readCall(place, follow)
  if (node.type === 'NewExpression') {
    const [argument] = node.arguments
    const name = readPath(node.callee)?.at(-1)
    if (name === 'URLSearchParams') return { ...follow(argument), body: 'form' }
    if (name !== 'FormData' || argument === undefined) return readUnknown(place)
    return readForm(findElement(bindings, { unit, node: argument }), place)
  }
  if (isFunction(node)) return follow(findReturnedObject(node))
  return node.type === 'Literal' && (node.value === null || node.value === '') ? NOTHING : readUnknown(place)
}

function readCall(place: Place, follow: (next: AnyNode | undefined) => SentValues): SentValues {
  const { node } = place
  if (node.type !== 'CallExpression') return NOTHING
  const name = readPath(node.callee)?.join('.') ?? ''
  const [argument] = node.arguments
  if (JSON_CALLS.has(name)) return { ...follow(argument), body: 'json' }
  if (FORM_CALLS.has(name)) return { ...follow(argument), body: 'form' }
  const method = readMethod(node)
  if (method?.name === 'serialize') return readForm(readQueryTarget(method.object), place)
  if (method?.name === 'toString') return follow(method.object)
  if (name === 'Object.assign') {
    const parts = node.arguments.map((one) => follow(one)).filter(({ values }) => values.length > 0)
    return { body: 'json', values: parts.flatMap(({ values }) => values), forms: parts.flatMap(({ forms }) => forms) }
  }
  return readUnknown(place)
}

const readForm = (form: string | undefined, place: Place): SentValues =>
  form === undefined ? readUnknown(place) : { body: 'form', values: [], forms: [form] }

function readObject(bindings: Bindings, { node, unit }: Place, depth: number): Omit<SentValues, 'body'> {
  if (node.type !== 'ObjectExpression') return NOTHING
  const values = listProperties(node).map((property) => ({
    name: readPropertyName(property) ?? '?',
    source: findSource(bindings, { unit, node: property.value }),
    evidence: locateNode(unit, property),
  }))
  const spread = node.properties
    .filter((one) => one.type === 'SpreadElement')
    .map(({ argument }) => readSentValues(bindings, { unit, node: argument }, depth + 1))
  return {
    values: [...spread.flatMap((one) => one.values), ...values],
    forms: spread.flatMap((one) => one.forms),
  }
}

function findReturnedObject(node: AnyNode): AnyNode | undefined {
  if (!isFunction(node)) return undefined
  if (node.body.type !== 'BlockStatement') {
    return node.body.type === 'ParenthesizedExpression' ? node.body.expression : node.body
  }
  const returned = node.body.body.filter((one) => one.type === 'ReturnStatement')
  return returned.length === 1 ? (returned[0]?.argument ?? undefined) : undefined
}

/** Something is sent, and what it is cannot be followed. */
function readUnknown({ node, unit }: Place): SentValues {
  const source: SceneValueSource = { kind: 'unknown', text: unit.text.slice(node.start, node.end).slice(0, 200) }
  return { body: 'text', values: [{ name: '', source, evidence: locateNode(unit, node) }], forms: [] }
}
