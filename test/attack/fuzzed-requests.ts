import fc from 'fast-check'
import type { z } from 'zod'
import { allRoutes } from '@apprentice/contracts/index.ts'
import type { AnyContract } from '@apprentice/contracts/base/route.ts'
import type { Random } from '../crash/random.ts'
import { readShape, type Shape, validValues } from '../http/fuzz-schema.ts'
import { damage, mutate } from './body-mutation.ts'
import { buildFuzzedForm } from './form-mutation.ts'
import type { IdPool } from './id-pool.ts'

export interface FuzzedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Buffer | undefined
  /** The method and the URL of the contract. */
  readonly what: string
  /** How long the request asks to wait. */
  readonly asked_ms: number
  readonly stream: boolean
}

/** Fields that say how long something may take. Requests of the attack ask for little. */
const TIME_FIELD = /(?:_ms|Ms|_seconds)$/
const SHORT_MS = 50
const SAMPLES = 8
/** The least that some routes allow. */
const SHORT_LIMIT_MS = 1000
/** Requests that end or close an object, after which nothing reaches it. */
const ENDS_OBJECTS = /\/(?:deactivate|quarantine|rollback|revoke|policy\/update|install-lanes\/:installLane)$/

/** Makes requests from the contracts: valid ones, ones with changed fields, and ones with damaged bytes. */
export class RequestFuzzer {
  readonly #random: Random
  readonly #pool: IdPool
  readonly #samples = new Map<string, unknown[]>()

  constructor(random: Random, pool: IdPool) {
    this.#random = random
    this.#pool = pool
  }

  next(): FuzzedRequest {
    const contract = this.#random.pick(allRoutes)
    const kind = this.#random.pickWeighted({ valid: 5, mutated: 4, damaged: 1 })
    const { body, asked_ms, type } = this.#body(contract, kind)
    return {
      method: contract.method,
      path: this.#path(contract) + this.#query(contract, kind),
      headers: { ...(body === undefined ? {} : { 'content-type': type }), ...this.#extraHeaders() },
      body,
      what: `${contract.method} ${contract.url}`,
      asked_ms,
      stream: contract.stream,
    }
  }

  #body(contract: AnyContract, kind: 'valid' | 'mutated' | 'damaged') {
    const type = this.#random.chance(0.97) ? 'application/json' : this.#random.pick(OTHER_TYPES)
    if (contract.method === 'GET') return { body: undefined, asked_ms: findAskedTime(contract, undefined), type }
    const shape = contract.form === undefined ? readShape(contract.body) : readMetadata(contract.form)
    const valid = this.#refer(this.#sample(`body ${contract.method} ${contract.url}`, shape), endsObjects(contract))
    const value = limitTimes(kind === 'mutated' ? mutate(valid, this.#random) : valid)
    if (contract.form !== undefined) {
      const isDamaged = kind === 'damaged'
      return { ...buildFuzzedForm(contract, { metadata: value, isDamaged }, this.#random), asked_ms: 0 }
    }
    const bytes = Buffer.from(JSON.stringify(value) ?? '')
    const body = kind === 'damaged' ? damage(bytes, this.#random) : bytes
    return { body, asked_ms: findAskedTime(contract, value), type }
  }

  #query(contract: AnyContract, kind: string): string {
    const given = this.#sample(`query ${contract.url}`, readShape(contract.query))
    const fields = limitTimes(kind === 'mutated' ? mutate(given, this.#random) : given)
    return this.#random.chance(0.4) ? '' : toSearch(fields)
  }

  #path(contract: AnyContract): string {
    const made = this.#sample(`params ${contract.url}`, readShape(contract.params)) as Record<string, unknown>
    return contract.url.replaceAll(/:([A-Za-z]+)/g, (_match, name: string) => {
      const spares = endsObjects(contract)
      const known = this.#random.chance(0.85) ? this.#pool.pick(name, this.#random, { spares }) : undefined
      const text = known ?? (this.#random.chance(0.9) ? String(made[name]) : this.#random.pick(ODD_PARTS))
      return encodeURIComponent(
        Buffer.from(text)
          .toString()
          .replace(/^\.{0,2}$/, 'x'),
      )
    })
  }

  #extraHeaders(): Record<string, string> {
    if (this.#random.chance(0.9)) return {}
    return this.#random.pick(ODD_HEADERS)
  }

  /** Replaces ids in a value by ones that exist, mostly. */
  #refer(value: unknown, spares: boolean): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#refer(item, spares))
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        const isReplaced = typeof inner === 'string' && this.#random.chance(0.7)
        const known = isReplaced ? this.#pool.pick(name, this.#random, { spares }) : undefined
        return [name, known ?? this.#refer(inner, spares)]
      }),
    )
  }

  #sample(key: string, shape: Shape): unknown {
    let found = this.#samples.get(key)
    if (found === undefined) {
      found = fc.sample(validValues(shape), { numRuns: SAMPLES, seed: this.#random.int(0, 2 ** 31) })
      this.#samples.set(key, found)
    }
    return this.#random.pick(found)
  }
}

const OTHER_TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'a/b/c']
const ODD_PARTS = ['%00', 'x'.repeat(3000), '../../secrets', 'null', '-1', '\u202e', '0'.repeat(36), 'constructor']
const ODD_HEADERS: readonly Record<string, string>[] = [
  { 'idempotency-key': 'same-key' },
  { 'idempotency-key': 'x'.repeat(300) },
  { 'x-correlation-id': 'a b' },
  { accept: 'text/event-stream' },
  { 'last-event-id': '99999999999999999999' },
  { 'last-event-id': '-1' },
  { origin: 'http://elsewhere.example' },
  { host: 'elsewhere.example' },
  { 'content-encoding': 'gzip' },
  { cookie: 'apprentice=x; '.repeat(50) },
]

/** What a form may say about its file. */
const readMetadata = (form: z.ZodType): Shape => readShape(form).properties?.['metadata'] ?? {}

/** The query of a URL with these fields. */
export function toSearch(fields: unknown): string {
  if (fields === null || typeof fields !== 'object') return ''
  const entries = Object.entries(fields).map(([name, value]): [string, string] => [name, toText(value).slice(0, 4000)])
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries).toString()}`
}

const toText = (value: unknown): string =>
  typeof value === 'string' ? Buffer.from(value).toString() : (JSON.stringify(value) ?? '')

const endsObjects = ({ method, url }: AnyContract): boolean =>
  method === 'DELETE' || method === 'PATCH' || ENDS_OBJECTS.test(url)

/** Lets no field ask for a long time. Values of other types stay. */
function limitTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(limitTimes)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      TIME_FIELD.test(name) && typeof inner === 'number' ? limitTime(name, inner) : limitTimes(inner),
    ]),
  )
}

/** Numbers that no field allows stay. */
const limitTime = (name: string, ms: number): number =>
  ms >= 1e9 ? ms : Math.min(ms, name === 'wait_ms' ? SHORT_MS : SHORT_LIMIT_MS)

/** How long a reply may wait: what the contract says, and the times that the body asks for. */
export const findAskedTime = (contract: AnyContract, body: unknown): number =>
  (contract.waits?.at_most_ms ?? 0) + findLongestWait(body, readShape(contract.body))

/** The sum of the times in a body, with the defaults of the fields that it may have. */
function findLongestWait(value: unknown, shape: Shape): number {
  const shapes = [shape, ...(shape.anyOf ?? []), ...(shape.oneOf ?? [])]
  const fields = shapes.flatMap(({ properties }) => Object.entries(properties ?? {}))
  const absent = fields.map(([name, field]) => {
    const { default: usual } = field as { readonly default?: unknown }
    const isGiven = value !== null && typeof value === 'object' && Object.hasOwn(value, name)
    return TIME_FIELD.test(name) && typeof usual === 'number' && !isGiven ? usual : 0
  })
  return sumTimes(value) + Math.max(0, ...absent)
}

function sumTimes(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  return Object.entries(value).reduce(
    (sum, [name, inner]) =>
      sum + (TIME_FIELD.test(name) && typeof inner === 'number' && inner > 0 && inner < 1e9 ? inner : sumTimes(inner)),
    0,
  )
}
