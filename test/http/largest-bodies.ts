import fc from 'fast-check'
import { allRoutes } from '@apprentice/contracts/index.ts'
import type { AnyContract } from '@apprentice/contracts/base/route.ts'
import { readShape, type Shape } from './fuzz-schema.ts'

/** Routes with a JSON body. */
export const bodyRoutes: readonly AnyContract[] = allRoutes.filter(
  ({ method, form }) => method !== 'GET' && form === undefined,
)

const MEBIBYTE = 1024 * 1024

/** The largest files of the routes that take a form, by their beginning. */
export const LARGEST_FORMS = {
  '/api/skills/import/uploads': { part: 'bundle', begin: 'PK\u0003\u0004', bytes: 100 * MEBIBYTE },
  '/api/documents': { part: 'document', begin: '%PDF-1.4\n', bytes: 100 * MEBIBYTE },
} as const

const WORDS = 'Turn on the light in the kitchen, then set 21.5 °C at 7:30. '

/** A body that fills its limit: each text and list as long as the contract allows, until the bytes are used up. */
export function buildLargestBody(
  contract: AnyContract,
  limit: number,
  ids: Readonly<Record<string, string>> = {},
): string {
  const excluded = new Set(EXCLUDED.flatMap(([url, fields]) => (url.test(contract.url) ? fields : [])))
  const bytes = Math.min(limit, LIMITS[contract.url] ?? limit) - 4096
  const filler = new Filler(bytes, { ids: { ...VALUES, ...ids }, excluded })
  const body = filler.fill(readShape(contract.body), 0) ?? {}
  dropIllegalFields(contract, body)
  return JSON.stringify(body)
}

/** Values of fields with a rule that their schema does not tell. */
const VALUES = {
  time_zone: 'Europe/Berlin',
  color: '#336699',
  draft_hash: 'a'.repeat(64),
  proposed_skill_slug: 'large-skill',
  server_id: 'large-server',
  page_range: '1-5000',
  source_ref: 'document-large',
  domain: 'reports.example.com',
  skill_id: 'com.example.app.large-skill',
}
/** Limits of a field that are lower than that of its body. */
const LIMITS: Readonly<Record<string, number>> = { '/api/scenes/profiles': 900_000 }

/** Fields that a longer field excludes, by the end of the URL. */
const EXCLUDED: readonly (readonly [url: RegExp, fields: readonly string[]])[] = [
  [/answer-questions$/, ['choice_id']],
  [/waits$/, ['selector', 'ref']],
  [/marks$/, ['path', 'point']],
]
const MAX_DROPPED = 10
/** Texts that fit most patterns, the longest of them that fits is used. */
const CANDIDATES: readonly ((length: number) => string)[] = [
  (length) => 'a'.repeat(length),
  (length) => `term:${'a'.repeat(Math.max(1, length - 5))}`,
]

/** Removes optional fields that the contract refuses, such as one of two that exclude each other. */
function dropIllegalFields(contract: AnyContract, body: unknown): void {
  for (let dropped = 0; dropped < MAX_DROPPED; dropped += 1) {
    const path = contract.body.safeParse(body).error?.issues[0]?.path ?? []
    const name = path.at(-1)
    if (name === undefined) return
    const parent = path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown>)[key], body)
    if (Array.isArray(parent)) parent.splice(Number(name), 1)
    else Reflect.deleteProperty(parent as object, name)
  }
}

/** A schema that contains itself is cut off; below that nothing is known about the items of a list. */
const isCutOff = ({ type, items }: Shape, depth: number): boolean =>
  depth > 1 && type === 'array' && items !== undefined && Object.keys(items).length === 0

class Filler {
  #left: number
  readonly #ids: Readonly<Record<string, string>>
  readonly #excluded: ReadonlySet<string>

  /** `ids` are the values of fields that name something that exists. */
  constructor(bytes: number, { ids, excluded }: { ids: Readonly<Record<string, string>>; excluded: Set<string> }) {
    this.#left = bytes
    this.#ids = ids
    this.#excluded = excluded
  }

  fill(shape: Shape, depth: number): unknown {
    if (shape.const !== undefined) return shape.const
    if (shape.enum !== undefined) return shape.enum[0]
    const choices = shape.anyOf ?? shape.oneOf
    if (choices !== undefined) {
      const largest = choices.find(({ type }) => type === 'array' || type === 'object') ?? choices[0]
      return this.fill(largest ?? {}, depth)
    }
    switch (shape.type) {
      case 'object':
        return this.#object(shape, depth)
      case 'array':
        return this.#array(shape, depth)
      case 'string':
        return this.#text(shape)
      case 'integer':
      case 'number':
        return shape.minimum ?? 1
      case 'boolean':
        return true
      case 'null':
        return null
      case undefined:
      default:
        return this.#anything(depth)
    }
  }

  #object({ properties = {}, required = [], additionalProperties }: Shape, depth: number): unknown {
    const fields = Object.entries(properties).filter(
      ([name, field]) =>
        field.not === undefined && !this.#excluded.has(name) && (required.includes(name) || !isCutOff(field, depth)),
    )
    if (fields.length > 0) {
      return Object.fromEntries(fields.map(([name, field]) => [name, this.#ids[name] ?? this.fill(field, depth + 1)]))
    }
    const values = typeof additionalProperties === 'object' ? additionalProperties : {}
    const entries = this.#repeat(5000, depth, (at) => [`key_${at}`, this.fill(values, depth + 1)] as const)
    return Object.fromEntries(entries)
  }

  #array({ prefixItems, items = {}, minItems = 0, maxItems = 100_000 }: Shape, depth: number): unknown[] {
    if (prefixItems !== undefined) return prefixItems.map((item) => this.fill(item, depth + 1))
    const found = this.#repeat(maxItems, depth, () => this.fill(items, depth + 1))
    while (found.length < minItems) found.push(this.fill(items, depth + 1))
    return found
  }

  #repeat<T>(most: number, depth: number, build: (at: number) => T): T[] {
    // Lists below others share what is left, so that the first does not take all of it.
    const until = depth > 1 ? this.#left - this.#left / 8 : 0
    const found: T[] = []
    while (found.length < most && this.#left > until && this.#left > 0) {
      this.#left -= 16
      found.push(build(found.length))
    }
    return found
  }

  #text({ format, pattern, minLength = 0, maxLength = 200_000 }: Shape): string {
    if (format === 'uuid') return '00000000-0000-4000-8000-000000000000'
    if (format === 'date-time') return '2026-03-01T12:00:00.000Z'
    if (pattern !== undefined) return this.#matching(new RegExp(pattern, 'u'), minLength, maxLength)
    const length = Math.max(minLength, Math.min(maxLength, Math.floor(this.#left / 2)))
    this.#left -= length + 8
    return WORDS.repeat(Math.ceil(length / WORDS.length)).slice(0, length)
  }

  #matching(pattern: RegExp, minLength: number, maxLength: number): string {
    const lengths = [Math.max(1, Math.min(maxLength, Math.floor(this.#left / 2))), 500, 120, 64, Math.max(1, minLength)]
    const fitting = lengths
      .flatMap((length) => CANDIDATES.map((build) => build(length)))
      .filter((text) => text.length >= minLength && text.length <= maxLength && pattern.test(text))
    const found = fitting[0] ?? fc.sample(fc.stringMatching(pattern), { numRuns: 1, seed: 1 })[0] ?? ''
    this.#left -= found.length + 8
    return found
  }

  #anything(depth: number): unknown {
    if (depth > 12 || this.#left < 0) return 'end'
    return this.#repeat(50, 2, (at) => ({
      [`k${at}`]: this.#text({ maxLength: 400 }),
      deeper: this.#anything(depth + 2),
    }))
  }
}
