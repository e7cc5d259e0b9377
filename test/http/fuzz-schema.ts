import fc from 'fast-check'
import { z } from 'zod'

/** The part of JSON Schema that contracts are published in. */
export interface Shape {
  readonly $ref?: string
  readonly type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'null'
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly additionalProperties?: Shape | boolean
  readonly items?: Shape
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Shape[]
  readonly oneOf?: readonly Shape[]
  readonly allOf?: readonly Shape[]
  readonly not?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
}

export interface Place {
  /** Where, and what is wrong there. */
  readonly path: readonly (string | number)[]
  readonly what: string
  readonly broken: unknown
}

const shapes = new WeakMap<z.ZodType, Shape>()

/** What a client may send, as it is published, with every reference put in its place. */
export function shapeOf(schema: z.ZodType): Shape {
  const shape = shapes.get(schema) ?? publishedShape(schema)
  shapes.set(schema, shape)
  return shape
}

function publishedShape(schema: z.ZodType): Shape {
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape & {
    readonly $defs?: Readonly<Record<string, Shape>>
  }
  return inline(root, root.$defs ?? {}, 0) as Shape
}

const deepest = 3

function inline(node: unknown, defs: Readonly<Record<string, Shape>>, depth: number): unknown {
  if (Array.isArray(node)) return node.map((item) => inline(item, defs, depth))
  if (node === null || typeof node !== 'object') return node
  const { $ref } = node as Shape
  if ($ref !== undefined) {
    // A shape that holds itself ends somewhere; below that anything goes.
    const target = depth > deepest ? {} : (defs[$ref.replace('#/$defs/', '')] ?? {})
    return inline(target, defs, depth + 1)
  }
  const { type, ...rest } = Object.fromEntries(
    Object.entries(node)
      .filter(([key]) => key !== '$defs' && key !== '$schema')
      .map(([key, value]) => [key, inline(value, defs, depth)]),
  )
  if (Array.isArray(type)) return { anyOf: type.map((one: unknown) => ({ ...rest, type: one })) }
  return type === undefined ? rest : { ...rest, type }
}

/** Values for fields of these names, wherever they stand, so that a body can be about something that exists. */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>

/** The one key no JSON of ours may have, wherever it stands: it is refused before any contract is asked. */
const forbiddenKey = '__proto__'

const anyJson = fc.jsonValue({ maxDepth: 3 }).filter((value) => !holdsForbiddenKey(value))

function holdsForbiddenKey(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false
  return Object.hasOwn(value, forbiddenKey) || Object.values(value).some(holdsForbiddenKey)
}

/** Bodies that fit the published shape; rules a shape cannot say may still refuse one. */
export function fitting(shape: Shape, known: Known = {}): fc.Arbitrary<unknown> {
  if (shape.const !== undefined) return fc.constant(shape.const)
  if (shape.enum !== undefined) return fc.constantFrom(...shape.enum)
  const choices = shape.anyOf ?? shape.oneOf
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => fitting(choice, known)))
  switch (shape.type) {
    case 'object':
      return fittingObject(shape, known)
    case 'array': {
      const { items = {}, minItems = 0, maxItems = 3 } = shape
      return fc.array(fitting(items, known), {
        minLength: minItems,
        maxLength: Math.max(minItems, Math.min(maxItems, 3)),
      })
    }
    case 'string':
      return fittingText(shape)
    case 'integer':
    case 'number':
      return fc.integer({ min: shape.minimum ?? -1e6, max: shape.maximum ?? 1e6 })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case undefined:
    default:
      return anyJson
  }
}

function fittingObject(shape: Shape, known: Known): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = shape
  const fields = Object.entries(properties).filter(([, field]) => field.not === undefined)
  if (fields.length === 0 && typeof additionalProperties === 'object') {
    const keys = oddText(20).filter((key) => key !== forbiddenKey)
    return fc.dictionary(keys, fitting(additionalProperties, known), { maxKeys: 4 })
  }
  const model = fields.map(([name, field]) => [name, known[name] ?? fitting(field, known)] as const)
  return fc.record(Object.fromEntries(model), { requiredKeys: required as never[] })
}

function fittingText(shape: Shape): fc.Arbitrary<string> {
  if (shape.format === 'uuid') return fc.uuid()
  if (shape.format === 'date-time') return anyTime(new RegExp(shape.pattern ?? ''))
  const { pattern, minLength = 0, maxLength = 60 } = shape
  if (pattern?.startsWith('^') === true) return fc.stringMatching(new RegExp(pattern))
  const fits = (text: string) =>
    text.length >= minLength && (pattern === undefined || new RegExp(pattern).test(text))
  return oddText(maxLength).filter(fits)
}

function anyTime(pattern: RegExp): fc.Arbitrary<string> {
  const times = ['2026-03-01T12:00:00Z', '2026-02-28T23:59:60.000Z', '0000-01-01T00:00:00Z']
  const finer = ['2026-03-01T12:00:00.1Z', '9999-12-31T23:59:59.999999999Z']
  const plain = fc
    .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString())
  return fc.oneof(plain, fc.constantFrom(...times, ...finer)).filter((text) => pattern.test(text))
}

const oddities = [
  '\u0000',
  '\ud800',
  '\udfff\ud800',
  '\ufeffx',
  '\u202etxt.exe',
  '\u200d\u200b.',
  'e\u0301'.repeat(30),
  '👩‍👩‍👧‍👦',
  'ﷺ',
  'İı',
  '../../etc/passwd',
  "'; DROP TABLE events; --",
  '<script>alert(1)</script>',
  '{{7*7}}${7*7}%s%n',
  '\r\nset-cookie: a=b',
  '__proto__',
  'constructor',
  'toString',
  '\u2028\u2029',
]

/** Text no longer than `max`, as people and attackers write it. */
export function oddText(max: number): fc.Arbitrary<string> {
  const cut = (text: string) => text.slice(0, max)
  return fc.oneof(
    fc.string({ unit: 'binary', maxLength: Math.min(max, 30) }).map(cut),
    fc.string({ unit: 'grapheme', maxLength: Math.min(max, 30) }).map(cut),
    fc.constantFrom(...oddities.map(cut), 'x'.repeat(max)),
  )
}

/** Every way this body can be made wrong in exactly one place. */
export function places(shape: Shape, value: unknown, path: Place['path'] = []): Place[] {
  const here = (what: string, broken: unknown): Place => ({ path, what, broken })
  return [
    ...misfits(shape).map(([what, broken]) => here(what, broken)),
    ...placesInside(branchOf(shape, value), value, path),
  ]
}

/** Of shapes told apart by a constant, the one this value has. */
function branchOf(shape: Shape, value: unknown): Shape {
  const choices = shape.anyOf ?? shape.oneOf
  if (choices === undefined || value === null || typeof value !== 'object') return shape
  const constants = ({ properties = {} }: Shape) =>
    Object.entries(properties).filter(([, field]) => field.const !== undefined)
  const fits = (choice: Shape) =>
    constants(choice).length > 0 &&
    constants(choice).every(([name, field]) =>
      Object.entries(value).some(([key, said]) => key === name && said === field.const),
    )
  return choices.find(fits) ?? {}
}

function placesInside(shape: Shape, value: unknown, path: Place['path']): Place[] {
  if (value === null || typeof value !== 'object') return []
  if (Array.isArray(value)) {
    const { items } = shape
    return items === undefined
      ? []
      : value.flatMap((item, at) => rebuilt(places(items, item, [...path, at]), { value, at }))
  }
  const { properties = {}, required = [] } = shape
  const fields = value as Readonly<Record<string, unknown>>
  const stranger =
    shape.additionalProperties === false
      ? [{ path, what: 'has an unknown field', broken: { ...fields, no_such_field: 1 } }]
      : []
  const inside = Object.entries(properties).flatMap(([name, field]) => {
    const at = [...path, name]
    const missing = required.includes(name)
      ? [{ path: at, what: 'is missing', broken: without(fields, name) }]
      : []
    return [...missing, ...rebuilt(places(field, fields[name], at), { value, at: name })]
  })
  return [...stranger, ...inside]
}

const rebuilt = (inner: Place[], within: { value: object; at: string | number }): Place[] =>
  inner.map((place) => ({ ...place, broken: replaced(within.value, within.at, place.broken) }))

function replaced(value: object, at: string | number, by: unknown): unknown {
  if (Array.isArray(value)) return value.with(Number(at), by)
  return { ...value, [at]: by }
}

const without = (fields: Readonly<Record<string, unknown>>, name: string) =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name))

/** Values that do not fit, with what is wrong with each. */
function misfits(shape: Shape): [what: string, broken: unknown][] {
  if (shape.not !== undefined) return [['may not be sent', 'x']]
  const choices = shape.anyOf ?? shape.oneOf
  const types = choices === undefined ? [shape.type] : choices.map((choice) => choice.type)
  if (types.includes(undefined) && shape.enum === undefined) return []
  return [...ofOtherTypes(types), ...(choices === undefined ? beyondLimits(shape) : [])]
}

function ofOtherTypes(types: readonly (Shape['type'] | undefined)[]): [string, unknown][] {
  const samples = [
    ['null', null],
    ['boolean', true],
    ['number', 1e308],
    ['string', 'nonsense'],
    ['array', []],
    ['array', [{}]],
    ['object', {}],
    ['object', { value: { value: 'nested' } }],
  ] as const
  return samples
    .filter(([type]) => !types.includes(type) && !(type === 'number' && types.includes('integer')))
    .map(([type, sample]) => [`is ${type}`, sample])
}

function beyondLimits(shape: Shape): [string, unknown][] {
  const found: [string, unknown][] = []
  const { type, maxLength, minLength, pattern, maximum, minimum, maxItems, minItems } = shape
  if (shape.enum !== undefined) found.push(['is no such value', 'no_such_value'], ['is blank', ''])
  if (shape.const !== undefined) found.push(['is another constant', 2])
  if (maxLength !== undefined) found.push(['is too long', 'x'.repeat(maxLength + 1)])
  if (minLength !== undefined && minLength > 0) found.push(['is empty', ''])
  if (pattern !== undefined) found.push(['is blank', '   '], ['is only line ends', '\n\n'])
  if (pattern?.startsWith('^') === true) found.push(['is misshapen', '\u202e../\u0000'])
  if (type === 'integer') found.push(['is a fraction', 1.5], ['is huge', 1e300])
  if (maximum !== undefined) found.push(['is too much', maximum + 1])
  if (minimum !== undefined) found.push(['is too little', minimum - 1])
  if (maxItems !== undefined) found.push(['has too many', Array(maxItems + 1).fill('x')])
  if (minItems !== undefined && minItems > 0) found.push(['has too few', []])
  return found
}
