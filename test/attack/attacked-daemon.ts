import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildDaemonEnv, daemonProgram, type Program, startProgram } from '../bench/program.ts'
import { withReader } from '../crash/inspection.ts'
import type { HealthProbe } from './health-probe.ts'
import type { Target } from './request-sender.ts'

export const ADMIN_TOKEN = 'attack-admin-token-0123456789'

export interface AttackedDaemonOptions {
  readonly home?: string
  readonly env?: Readonly<Record<string, string>>
  readonly probe?: HealthProbe
  readonly settings?: object
}

/** Keeps connections of the daemon on this machine. */
const GUARD = new URL('./loopback-only.mjs', import.meta.url)

/** The fields of replies that the attack reads. */
export interface ReplyFields {
  readonly secret?: string
  readonly devices?: readonly { readonly serial: string }[]
  readonly session?: { readonly learn_session_id: string }
  readonly proposal_id?: string
  readonly ability_id?: string
  readonly auth_profile_id?: string
  readonly server?: { readonly registry: { readonly server_id: string } }
  readonly execution?: { readonly execution_id: string; readonly state: string }
  readonly store?: { readonly status: string }
  readonly temp_artifact?: { readonly temp_artifact_ref: string }
  readonly document?: { readonly document_ref: string }
}

export interface Reply {
  readonly status: number
  readonly text: string
  readonly body: ReplyFields
}

interface CallOptions {
  readonly token?: string | undefined
  /** The type of the body. */
  readonly type?: string | undefined
}

/** A daemon process on a home of its own. */
export class AttackedDaemon implements Target {
  readonly home: string
  readonly #ownsHome: boolean
  readonly #env: Readonly<Record<string, string>>
  readonly #probe: HealthProbe | undefined
  #program: Program | undefined
  url = ''

  constructor({ home, env = {}, probe, settings = {} }: AttackedDaemonOptions = {}) {
    this.#ownsHome = home === undefined
    this.home = home ?? mkdtempSync(join(tmpdir(), 'apprentice-attack-'))
    this.#env = env
    this.#probe = probe
    const limits = { requests_per_second: 1e6, request_burst: 1e6 }
    writeFileSync(join(this.home, 'settings.json'), JSON.stringify({ limits, ...settings }))
  }

  get pid(): number {
    return this.#program?.child.pid ?? 0
  }

  async start(): Promise<void> {
    this.#program = startProgram([daemonProgram, 'serve'], {
      ...buildDaemonEnv(this.home, ADMIN_TOKEN),
      NODE_OPTIONS: `--import ${GUARD.href}`,
      ...this.#env,
    })
    const { url } = await this.#program.firstLine
    this.url = String(url)
    this.#probe?.watch(this.url, this.pid)
  }

  /** Whether the process runs. */
  get isRunning(): boolean {
    const { exitCode = null, signalCode = null } = this.#program?.child ?? {}
    return this.#program !== undefined && exitCode === null && signalCode === null
  }

  /** The exit code, or the signal that ended it. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | NodeJS.Signals | undefined> {
    this.#probe?.pause()
    return await this.#program?.end(signal)
  }

  async call(
    method: string,
    path: string,
    body?: object,
    { token = ADMIN_TOKEN, type = 'application/json' }: CallOptions = {},
  ): Promise<Reply> {
    const reply = await fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body: Buffer.isBuffer(body) ? new Uint8Array(body) : JSON.stringify(body) }),
      signal: AbortSignal.timeout(60_000),
    })
    const text = await reply.text()
    return { status: reply.status, text, body: parse(text) }
  }

  async issueToken(user_id: string, privilege: 'read' | 'write' | 'admin'): Promise<string> {
    const reply = await this.call('POST', '/api/tokens', { user_id, label: 'attack', privilege })
    return String(reply.body.secret)
  }

  /** Rows of the database, read by another connection. */
  query(text: string): Promise<Record<string, unknown>[]> {
    return withReader(this.home, ({ db }) => db.prepare(text).all() as Record<string, unknown>[])
  }

  async remove(): Promise<void> {
    await this.stop('SIGKILL')
    if (this.#ownsHome) rmSync(this.home, { recursive: true, force: true })
  }
}

/** A reply that is not JSON has none of the fields. */
function parse(text: string): ReplyFields {
  try {
    return JSON.parse(text) as ReplyFields
  } catch {
    return {}
  }
}
