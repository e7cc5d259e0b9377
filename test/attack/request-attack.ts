import type { FailureCode } from '@apprentice/contracts/base/failures.ts'
import { createRandom, type Random } from '../crash/random.ts'
import { AimedFuzzer } from './aimed-requests.ts'
import { ADMIN_TOKEN, AttackedDaemon } from './attacked-daemon.ts'
import type { Attack } from './attack.ts'
import { AttackedServices } from './attacked-services.ts'
import type { Answer } from './figures.ts'
import { type FuzzedRequest, RequestFuzzer } from './fuzzed-requests.ts'
import { buildHalfRequest } from './half-requests.ts'
import { IdPool } from './id-pool.ts'
import { teachLesson } from './lesson.ts'
import { McpFuzzer } from './mcp-requests.ts'
import { RequestSender, sendBytes } from './request-sender.ts'
import { findStuckWork } from './stuck-work.ts'

const USERS = ['ada', 'ben', 'cleo'] as const
/** Has an ability of their own. */
const OWNER = 'ada'
const CONNECTIONS = 8
const HALF_REQUEST_MS = 200
const MCP_SESSIONS = 5
/** Work that requests start, by its table. */
const REACHED = [
  'executions',
  'ability_runs',
  'skill_imports',
  'scene_runs',
  'scene_generations',
  'documents',
  'document_operations',
  'connector_dispatches',
  'connector_sign_ins',
] as const
/** How aimed requests end, by the table and the column of the state. */
const ENDS = [
  { table: 'executions', column: 'state', ends: ['succeeded', 'cancelled'] },
  { table: 'ability_runs', column: 'state', ends: ['success', 'cancelled'] },
  { table: 'scene_runs', column: 'state', ends: ['succeeded', 'cancelled'] },
  { table: 'connector_sign_ins', column: 'status', ends: ['done', 'failed'] },
] as const
/** The servers of connectors fail at times, and the phone is busy for longer than requests wait. Routes may say so. */
const UPSTREAM_FAILURES = new Set<FailureCode>(['MCP_OAUTH_TOKEN_EXCHANGE_FAILED', 'DEVICE_TIMEOUT'])
/** Objects that requests are aimed at may be ended after this share of the requests. */
const SPARED_SHARE = 0.8
const MANY_REQUESTS = 20_000
/** The server that connectors call answers otherwise after this many requests. */
const SHAKE_INTERVAL = 20

/** Sends fuzzed requests over all routes to a daemon with a simulated phone. */
export async function attackWithRequests(attack: Attack): Promise<void> {
  const services = await AttackedServices.open()
  const daemon = new AttackedDaemon({ probe: attack.probe, settings: services.settings })
  try {
    await daemon.start()
    const attacker = new RequestAttacker(daemon, attack, services)
    await attacker.prepare()
    await Promise.all(Array.from({ length: CONNECTIONS }, () => attacker.work()))
    await attacker.finish()
  } finally {
    await daemon.remove()
    await services.close()
  }
}

class RequestAttacker {
  readonly #daemon: AttackedDaemon
  readonly #attack: Attack
  readonly #services: AttackedServices
  readonly #random: Random
  readonly #pool = new IdPool()
  readonly #sender = new RequestSender()
  readonly #fuzzer: RequestFuzzer
  readonly #mcp: McpFuzzer
  readonly #tokens: Record<string, string> = {}
  readonly #reached: Record<string, number> = {}
  #aimed: AimedFuzzer | undefined
  #sent = 0

  constructor(daemon: AttackedDaemon, attack: Attack, services: AttackedServices) {
    this.#daemon = daemon
    this.#attack = attack
    this.#services = services
    this.#random = createRandom(attack.plan.seed)
    this.#fuzzer = new RequestFuzzer(this.#random, this.#pool)
    this.#mcp = new McpFuzzer(this.#random, this.#pool)
  }

  async prepare(): Promise<void> {
    for (const user of USERS) this.#tokens[user] = await this.#daemon.issueToken(user, 'write')
    const { body } = await this.#daemon.call('GET', '/api/devices')
    this.#pool.collect(body)
    const serial = body.devices?.[0]?.serial ?? ''
    const token = this.#tokens[OWNER] ?? ''
    const ability_id = await teachLesson(this.#daemon, serial, { token, pool: this.#pool })
    const offered = await this.#services.offer(this.#daemon, this.#pool)
    for (const kept of [ability_id, 'experimental_private']) this.#pool.keep(kept)
    this.#aimed = new AimedFuzzer(this.#random, { ...offered, ability_id, serial })
  }

  async work(): Promise<void> {
    while (this.#sent < this.#attack.plan.requests && !this.#attack.isOver) {
      this.#sent += 1
      if (this.#sent % SHAKE_INTERVAL === 0) this.#services.shake(this.#random)
      if (this.#sent === Math.ceil(this.#attack.plan.requests * SPARED_SHARE)) {
        await this.#noteReached()
        this.#pool.spareNothing()
      }
      const kind = this.#random.pickWeighted({ http: 80, aimed: 4, mcp: 14, half: 2 })
      if (kind === 'half') await this.#sendHalf()
      else if (kind === 'aimed') await this.#sendAimed()
      else if (kind === 'mcp') await this.#sendMcp()
      else await this.#sendHttp()
      this.#attack.progress('requests', this.#sent)
      if (!this.#daemon.isRunning) {
        this.#attack.figures.fault('the daemon ended while requests were sent')
        return
      }
    }
  }

  async finish(): Promise<void> {
    this.#attack.figures.count('fuzzed_requests', this.#sent)
    for (const session of this.#mcp.takeSessions()) {
      await this.#send({ ...this.#mcp.listTools(session), method: 'DELETE', body: undefined }, ADMIN_TOKEN)
    }
    this.#sender.close()
    if (!this.#daemon.isRunning) return
    await this.#noteReached()
    this.#countReached()
    for (const fault of await findStuckWork(this.#daemon, this.#tokens)) this.#attack.stuck(`requests: ${fault}`)
    const code = await this.#daemon.stop()
    if (code !== 0) this.#attack.figures.fault(`after the requests the daemon stopped with ${String(code)}`)
  }

  /** Notes what the requests started. Rows may disappear later, with the object that they belong to. */
  async #noteReached(): Promise<void> {
    const note = (what: string, count: number) => {
      this.#reached[what] = Math.max(this.#reached[what] ?? 0, count)
    }
    for (const table of REACHED) {
      const [row] = await this.#daemon.query(`SELECT count(*) AS n FROM ${table}`)
      note(`${table}_started`, Number(row?.['n']))
    }
    for (const { table, column } of ENDS) {
      const rows = await this.#daemon.query(`SELECT ${column} AS state, count(*) AS n FROM ${table} GROUP BY ${column}`)
      for (const { state, n } of rows) note(`${table}_${String(state)}`, Number(n))
    }
  }

  /** A part that none of many requests started was not attacked. */
  #countReached(): void {
    const { figures } = this.#attack
    for (const [what, count] of Object.entries(this.#reached)) figures.count(what, count)
    if (this.#sent < MANY_REQUESTS) return
    const expected = [
      ...REACHED.map((table) => `${table}_started`),
      ...ENDS.flatMap(({ table, ends }) => ends.map((end) => `${table}_${end}`)),
    ]
    for (const what of expected.filter((one) => (this.#reached[one] ?? 0) === 0)) {
      figures.fault(`no request led to ${what.replaceAll('_', ' ')}`)
    }
  }

  async #sendAimed(): Promise<void> {
    const request = await this.#aimed?.next()
    if (request === undefined) return
    this.#attack.figures.count('aimed_requests')
    const token = { owner: this.#tokens[OWNER], admin: ADMIN_TOKEN, nobody: undefined }[request.who]
    const answer = await this.#send(request, token)
    if (answer === undefined) return
    this.#attack.figures.count(`aimed_requests_${answer.status}`)
    request.answered(answer)
    if (request.who === 'owner') await this.#replaceToken(OWNER, answer)
  }

  /** The attack may have revoked the token. */
  async #replaceToken(user: string, { status }: Answer): Promise<void> {
    if (status === 401) this.#tokens[user] = await this.#daemon.issueToken(user, 'write')
  }

  async #sendHttp(): Promise<void> {
    const user = this.#random.pick(USERS)
    const who = this.#random.pickWeighted({ user: 70, admin: 25, nobody: 3, wrong: 2 })
    const token = { user: this.#tokens[user], admin: ADMIN_TOKEN, nobody: undefined, wrong: 'x'.repeat(40) }[who]
    const answer = await this.#send(this.#fuzzer.next(), token)
    if (answer === undefined) return
    if (answer.status < 300) this.#pool.collect(tryParse(answer.body))
    if (who === 'user') await this.#replaceToken(user, answer)
  }

  async #sendMcp(): Promise<void> {
    if (this.#mcp.openCount < MCP_SESSIONS) {
      const opened = await this.#send(this.#mcp.initialize(), ADMIN_TOKEN)
      if (opened?.session === undefined) return
      this.#mcp.opened(opened.session)
      const tools = await this.#send(this.#mcp.listTools(opened.session), ADMIN_TOKEN)
      this.#mcp.knowTools(
        [...(tools?.body ?? '').matchAll(/"name":"([A-Za-z0-9_]{1,64})"/g)].map(([, name = '']) => name),
      )
      return
    }
    const answer = await this.#send(this.#mcp.next(), ADMIN_TOKEN)
    this.#attack.figures.count('mcp_requests')
    if (answer?.session !== undefined) this.#mcp.opened(answer.session)
  }

  async #sendHalf(): Promise<void> {
    this.#attack.figures.count('half_requests')
    const text = await sendBytes(this.#daemon, buildHalfRequest(ADMIN_TOKEN, this.#random), HALF_REQUEST_MS)
    const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)
    if (status >= 500) this.#attack.figures.fault(`half a request was answered ${text.slice(0, 300)}`)
  }

  async #send(request: FuzzedRequest, token: string | undefined): Promise<Answer | undefined> {
    const answer = await this.#sender.send(this.#daemon, request, token)
    if (answer === undefined) {
      this.#attack.figures.count('connections_closed_without_reply')
      return undefined
    }
    this.#attack.figures.answer(answer, UPSTREAM_FAILURES)
    return answer
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
