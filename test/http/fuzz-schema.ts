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
  /** The items of a tuple. */
  readonly prefixItems?: readonly Shape[]
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

export interface InvalidVariant {
  /** The path of the invalid field, and what is wrong with it. */
  readonly path: readonly (string | number)[]
  readonly what: string
  readonly broken: unknown
}

const shapes = new WeakMap<z.ZodType, Shape>()

/** The published JSON Schema of what a client may send, with all references resolved. */
export function readShape(schema: z.ZodType): Shape {
  const shape = shapes.get(schema) ?? buildShape(schema)
  shapes.set(schema, shape)
  return shape
}

function buildShape(schema: z.ZodType): Shape {
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Shape & {
    readonly $defs?: Readonly<Record<string, Shape>>
  }
  return inline(root, root.$defs ?? {}, 0) as Shape
}

const MAX_DEPTH = 3

function inline(node: unknown, defs: Readonly<Record<string, Shape>>, depth: number): unknown {
  if (Array.isArray(node)) return node.map((item) => inline(item, defs, depth))
  if (node === null || typeof node !== 'object') return node
  const { $ref } = node as Shape
  if ($ref !== undefined) {
    // A recursive schema is cut off; below that anything is valid.
    const target = depth > MAX_DEPTH ? {} : (defs[$ref.replace('#/$defs/', '')] ?? {})
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

/** Values for fields with these names, so that a body can refer to something that exists. */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>

/** The key that is refused at any depth, before the contract is checked. */
const FORBIDDEN_KEY = '__proto__'

const anyJson = fc.jsonValue({ maxDepth: 3 }).filter((value) => !hasForbiddenKey(value))

function hasForbiddenKey(value: unknown): boolean {
  if (value === null || typeof value !== 'object') return false
  return Object.hasOwn(value, FORBIDDEN_KEY) || Object.values(value).some(hasForbiddenKey)
}

/** Making the generator of a pattern takes far longer than generating a value. */
const generators = new Map<Shape, fc.Arbitrary<unknown>>()

/** Values that match the published schema. Rules that a schema cannot express may still refuse one. */
export function validValues(shape: Shape, known: Known = {}): fc.Arbitrary<unknown> {
  if (shape.type !== 'string' && Object.keys(known).length > 0) return generateValues(shape, known)
  const values = generators.get(shape) ?? generateValues(shape, known)
  generators.set(shape, values)
  return values
}

function generateValues(shape: Shape, known: Known): fc.Arbitrary<unknown> {
  if (shape.const !== undefined) return fc.constant(shape.const)
  if (shape.enum !== undefined) return fc.constantFrom(...shape.enum)
  const choices = shape.anyOf ?? shape.oneOf
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => validValues(choice, known)))
  switch (shape.type) {
    case 'object':
      return validObjects(shape, known)
    case 'array': {
      const { items = {}, minItems = 0, maxItems = 3 } = shape
      return fc.array(validValues(items, known), {
        minLength: minItems,
        maxLength: Math.max(minItems, Math.min(maxItems, 3)),
      })
    }
    case 'string':
      return validTexts(shape)
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

function validObjects(shape: Shape, known: Known): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = shape
  const fields = Object.entries(properties).filter(([, field]) => field.not === undefined)
  if (fields.length === 0 && typeof additionalProperties === 'object') {
    const keys = oddText(20).filter((key) => key !== FORBIDDEN_KEY)
    return fc.dictionary(keys, validValues(additionalProperties, known), { maxKeys: 4 })
  }
  const model = fields.map(([name, field]) => [name, known[name] ?? validValues(field, known)] as const)
  return fc.record(Object.fromEntries(model), { requiredKeys: required as never[] })
}

function validTexts(shape: Shape): fc.Arbitrary<string> {
  if (shape.format === 'uuid') return fc.uuid()
  if (shape.format === 'date-time') return validTimes(new RegExp(shape.pattern ?? ''))
  const { pattern, minLength = 0, maxLength = 60 } = shape
  if (pattern?.startsWith('^') === true) return fc.stringMatching(new RegExp(pattern))
  const fits = (text: string) => text.length >= minLength && (pattern === undefined || new RegExp(pattern).test(text))
  return oddText(maxLength).filter(fits)
}

function validTimes(pattern: RegExp): fc.Arbitrary<string> {
  const times = ['2026-03-01T12:00:00Z', '2026-02-28T23:59:60.000Z', '0000-01-01T00:00:00Z']
  const finer = ['2026-03-01T12:00:00.1Z', '9999-12-31T23:59:59.999999999Z']
  const plain = fc
    .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString())
  return fc.oneof(plain, fc.constantFrom(...times, ...finer)).filter((text) => pattern.test(text))
}

const ODD_TEXTS = [
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

/** Unusual text of at most `max` characters. */
export function oddText(max: number): fc.Arbitrary<string> {
  const cut = (text: string) => text.slice(0, max)
  return fc.oneof(
    fc.string({ unit: 'binary', maxLength: Math.min(max, 30) }).map(cut),
    fc.string({ unit: 'grapheme', maxLength: Math.min(max, 30) }).map(cut),
    fc.constantFrom(...ODD_TEXTS.map(cut), 'x'.repeat(max)),
  )
}

/** All variants of a body with exactly one invalid field. */
export function listInvalidVariants(shape: Shape, value: unknown, path: InvalidVariant['path'] = []): InvalidVariant[] {
  const here = (what: string, broken: unknown): InvalidVariant => ({ path, what, broken })
  return [
    ...listInvalidValues(shape).map(([what, broken]) => here(what, broken)),
    ...listInnerVariants(selectBranch(shape, value), value, path),
  ]
}

/** Among schemas that a constant distinguishes, the one that the value matches. */
function selectBranch(shape: Shape, value: unknown): Shape {
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

function listInnerVariants(shape: Shape, value: unknown, path: InvalidVariant['path']): InvalidVariant[] {
  if (value === null || typeof value !== 'object') return []
  if (Array.isArray(value)) {
    const { items } = shape
    return items === undefined
      ? []
      : value.flatMap((item, at) => rebuild(listInvalidVariants(items, item, [...path, at]), { value, at }))
  }
  const { properties = {}, required = [] } = shape
  const fields = value as Readonly<Record<string, unknown>>
  const unknownField =
    shape.additionalProperties === false
      ? [{ path, what: 'has an unknown field', broken: { ...fields, no_such_field: 1 } }]
      : []
  const inside = Object.entries(properties).flatMap(([name, field]) => {
    const at = [...path, name]
    const missing = required.includes(name) ? [{ path: at, what: 'is missing', broken: without(fields, name) }] : []
    return [...missing, ...rebuild(listInvalidVariants(field, fields[name], at), { value, at: name })]
  })
  return [...unknownField, ...inside]
}

const rebuild = (inner: InvalidVariant[], within: { value: object; at: string | number }): InvalidVariant[] =>
  inner.map((place) => ({
    path: place.path,
    what: place.what,
    // Of all variants of a body one is sent, so only that one is built.
    get broken() {
      return replaceAt(within.value, within.at, place.broken)
    },
  }))

function replaceAt(value: object, at: string | number, by: unknown): unknown {
  if (Array.isArray(value)) return value.with(Number(at), by)
  return { ...value, [at]: by }
}

const without = (fields: Readonly<Record<string, unknown>>, name: string) =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name))

/** Values that do not match, each with what is wrong with it. */
function listInvalidValues(shape: Shape): [what: string, broken: unknown][] {
  if (shape.not !== undefined) return [['may not be sent', 'x']]
  const choices = shape.anyOf ?? shape.oneOf
  const types = choices === undefined ? [shape.type] : choices.map((choice) => choice.type)
  if (types.includes(undefined) && shape.enum === undefined) return []
  return [...listOtherTypes(types), ...(choices === undefined ? listLimitViolations(shape) : [])]
}

function listOtherTypes(types: readonly (Shape['type'] | undefined)[]): [string, unknown][] {
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

function listLimitViolations(shape: Shape): [string, unknown][] {
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
