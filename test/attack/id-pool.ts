import type { Random } from '../crash/random.ts'

/** Path parameters whose name differs from the field that carries the value in replies. */
const FIELDS: Readonly<Record<string, string>> = {
  sessionId: 'learn_session_id',
  tempArtifactRef: 'temp_artifact_ref',
  installLane: 'install_lane',
  itemKind: 'item_kind',
  source_ref: 'document_ref',
}

/** Names of fields whose values lead to other objects. */
const KEPT = /(?:_id|_ref|_hash|_lane|_kind|_name|_url|^instruction|^id|^serial|^name|^state|^device|^package)$/
const MAX_PER_FIELD = 50
const MAX_DEPTH = 8

/** Values seen in replies, by field. Later requests use them, so that they reach objects that exist. */
export class IdPool {
  readonly #values = new Map<string, string[]>()
  readonly #kept = new Set<string>()

  collect(reply: unknown, depth = 0): void {
    if (reply === null || typeof reply !== 'object' || depth > MAX_DEPTH) return
    for (const [name, value] of Object.entries(reply)) {
      if (typeof value === 'string' && KEPT.test(name)) this.#add(name, value)
      else this.collect(value, depth + 1)
    }
  }

  /** Names an object that requests which end objects spare until `spareNothing`. */
  keep(value: string): void {
    this.#kept.add(value)
  }

  spareNothing(): void {
    this.#kept.clear()
  }

  /** A known value of a field or path parameter. */
  pick(name: string, random: Random, { spares = false } = {}): string | undefined {
    const values = this.#values.get(name) ?? this.#values.get(FIELDS[name] ?? toSnakeCase(name))
    if (values === undefined || values.length === 0) return undefined
    const value = random.pick(values)
    return spares && this.#kept.has(value) ? undefined : value
  }

  #add(name: string, value: string): void {
    if (value.length === 0 || value.length > 200) return
    const values = this.#values.get(name) ?? []
    this.#values.set(name, values)
    if (values.includes(value)) return
    if (values.length >= MAX_PER_FIELD) values.shift()
    values.push(value)
  }
}

const toSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
