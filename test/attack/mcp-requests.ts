import type { Random } from '../crash/random.ts'
import { damage, mutate } from './body-mutation.ts'
import type { FuzzedRequest } from './fuzzed-requests.ts'
import type { IdPool } from './id-pool.ts'

/** Tools whose reply waits for the end of work on a phone, in a browser or on another server. */
const WAITING_TOOLS = /^(?:ability_|connector_|run_|do_actions|see_screen)/
const WORK_MS = 60_000
const TOOLS_WITHOUT_EFFECT_ON_TIME = ['find_abilities', 'describe_ability', 'no_such_tool', '', '__proto__']

/** Makes requests to `/mcp`: whole ones, ones with changed fields, and damaged ones, with and without a session. */
export class McpFuzzer {
  readonly #random: Random
  readonly #pool: IdPool
  readonly #sessions: string[] = []
  #tools: readonly string[] = TOOLS_WITHOUT_EFFECT_ON_TIME

  constructor(random: Random, pool: IdPool) {
    this.#random = random
    this.#pool = pool
  }

  /** Remembers a session that a reply opened. */
  opened(session: string): void {
    this.#sessions.push(session)
  }

  /** Sessions that were opened and not closed. The attacker deletes them at the end. */
  takeSessions(): string[] {
    return this.#sessions.splice(0)
  }

  get openCount(): number {
    return this.#sessions.length
  }

  knowTools(names: readonly string[]): void {
    if (names.length > 0) this.#tools = [...TOOLS_WITHOUT_EFFECT_ON_TIME, ...names]
  }

  initialize(): FuzzedRequest {
    return this.#post({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'attack', version: '1' } },
    })
  }

  listTools(session: string): FuzzedRequest {
    return this.#post({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} }, session)
  }

  next(): FuzzedRequest {
    const session = this.#random.chance(0.9) && this.#sessions.length > 0 ? this.#random.pick(this.#sessions) : 'none'
    const message = this.#message()
    const kind = this.#random.pickWeighted({ whole: 5, mutated: 4, damaged: 1 })
    const value = kind === 'mutated' ? mutate(message, this.#random) : message
    const request = this.#post(value, session)
    return kind === 'damaged' && request.body !== undefined
      ? { ...request, body: damage(request.body, this.#random) }
      : request
  }

  #message(): object {
    const id = this.#random.int(3, 1e6)
    const method = this.#random.pick([...METHODS, 'tools/call', 'tools/call', 'tools/call', 'tools/call'])
    if (method.startsWith('resources/')) {
      const uri = this.#random.pick([...URIS, `apprentice://abilities/${this.#pick('ability_id')}/SKILL.md`])
      return { jsonrpc: '2.0', id, method, params: { uri } }
    }
    if (method !== 'tools/call') return { jsonrpc: '2.0', id, method, params: {} }
    const name = this.#random.pick(this.#tools)
    const chosen = FIELDS.filter(() => this.#random.chance(0.4))
    const args = Object.fromEntries(chosen.map((field) => [field, field === 'wait_ms' ? 10 : this.#pick(field)]))
    return { jsonrpc: '2.0', id, method, params: { name, arguments: args } }
  }

  #pick(field: string): string {
    return this.#pool.pick(field, this.#random) ?? 'kitchen light'
  }

  #post(value: unknown, session?: string): FuzzedRequest {
    const { method, params } = (value ?? {}) as { method?: unknown; params?: { name?: unknown } | null }
    return {
      method: 'POST',
      path: '/mcp',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      },
      body: Buffer.from(JSON.stringify(value) ?? ''),
      what: `POST /mcp ${String(method).slice(0, 40)}`,
      asked_ms: WAITING_TOOLS.test(String(params?.name)) ? WORK_MS : 0,
      stream: false,
    }
  }
}

const METHODS = [
  'ping',
  'tools/list',
  'resources/list',
  'prompts/list',
  'notifications/initialized',
  'logging/setLevel',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
]
const URIS = ['apprentice://availability', 'apprentice://runtime', 'apprentice://nothing', 'file:///etc/passwd']
const FIELDS = [
  'ability_id',
  'serial',
  'run_id',
  'learn_session_id',
  'content_ref',
  'query',
  'text',
  'inputs',
  'limit',
  'wait_ms',
]
