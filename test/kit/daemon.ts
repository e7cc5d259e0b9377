import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify'
import { type Logger, pino } from 'pino'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { z } from 'zod'
import { type Call, createClient } from '@apprentice/contracts/client.ts'
import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { buildApp } from '../../src/server/app.ts'
import { followRequests } from '../../src/server/open-requests.ts'
import { type Config, readConfig, Settings } from '../../src/config/config.ts'
import { listEventsSince, type StoredEvent } from '../../src/store/command/events.ts'
import { findLearnSession, insertLearnSession, type StoredSession } from '../../src/store/sessions/learn-sessions.ts'
import { startSystem, type System, type SystemDeps } from '../../src/daemon/system.ts'
import { compileCheckedReply } from './checked-replies.ts'
import { copyTemplateDatabase } from './template-database.ts'
import type { HostedPhone } from './hosted-phone.ts'
import { onRealAdb, phoneOfTheRun, throughHost, type WhenOver } from './phone-of-the-run.ts'
import { startQuickPhone } from './quick-phone.ts'

export const adminToken = 'test-admin-token-0123456789'

export interface DaemonOptions {
  /** A home to start on again; the caller removes it. */
  readonly home?: string
  readonly settings?: z.input<typeof Settings>
  readonly config?: Partial<Config>
  readonly now?: string
  /** Whether it lives by the clock of the machine, for programs that use it from outside. Default false. */
  readonly realTime?: boolean
  /** Whether executions on the simulated phone wait without taking time, on a clock of their own. Default false. */
  readonly quick?: boolean
  /** Whether files under `system` are written from the start. By default the first `waitForProjections` begins it. */
  readonly projecting?: boolean
  /** Whether to start although the database of the home has lost something. Default false. */
  readonly acceptLoss?: boolean
  /** The log of the daemon. Default: none. */
  readonly log?: Logger
  /** Registers what ends the daemon; by default it ends with the test. */
  readonly whenOver?: WhenOver
}

export interface Daemon {
  readonly home: string
  readonly app: FastifyInstance
  readonly system: System
  /** The clock the daemon lives by; only the test moves it. */
  readonly clock: { now: Date; advance(ms: number): void }
  request(options: InjectOptions & { token?: string | null }): Promise<LightMyRequestResponse>
  get(url: string, token?: string): Promise<LightMyRequestResponse>
  post(url: string, body?: unknown, token?: string): Promise<LightMyRequestResponse>
  delete(url: string, token?: string): Promise<LightMyRequestResponse>
  /** Issues a token for another user. */
  tokenFor(userId: string, privilege?: 'read' | 'write' | 'admin'): Promise<string>
  /** Puts a session into a state without walking there. */
  aSessionIn(state: LearnSessionState, changes?: Partial<StoredSession>): Promise<string>
  session(id: string): StoredSession | undefined
  events(): StoredEvent[]
  /** The kinds of the delivered events of a session, without its boundaries. */
  eventsOf(id: string): string[]
  /** Resolves when everything committed so far is in the files under `system`. Starts their writing if needed. */
  waitForProjections(): Promise<void>
  /** The content of a file under `system`, if it is there. */
  readProjection(path: string): string | undefined
  /** Listens on a free loopback port, the same at each call; for tests that need a real socket. */
  listen(): Promise<{ url: string; call: Call }>
  stop(): Promise<void>
}

/** A whole daemon on a real database file, with a clock the test owns. It is stopped and removed by itself. */
export async function startDaemon(options: DaemonOptions = {}): Promise<Daemon> {
  const { whenOver = onTestFinished } = options
  const home = options.home ?? mkdtempSync(join(tmpdir(), 'apprentice-'))
  const clock = createClock(options.now)
  const config = testConfig(home, options)
  copyTemplateDatabase(join(home, 'apprentice.db'))
  const { config: given, deps, connect } = await openPhone(config, options, whenOver)
  const system = await startSystem(given, {
    ...deps,
    ...(options.acceptLoss === undefined ? {} : { acceptLoss: options.acceptLoss }),
    clock: () => (options.realTime === true ? new Date() : clock.now),
    log: options.log ?? pino({ level: 'silent' }),
    sweeping: false,
    projecting: options.projecting ?? false,
  })
  const app = await buildApp(system, compileCheckedReply)
  const close = followRequests(app)
  let listening: ReturnType<typeof listenOn> | undefined
  let stopped = false
  const stop = async () => {
    if (stopped) return
    stopped = true
    system.stopping = true
    system.hub.close()
    await close()
    await system.stop()
  }
  whenOver(async () => {
    await stop()
    if (options.home === undefined) rmSync(home, { recursive: true, force: true })
  })
  const listen = () => (listening ??= listenOn(app))
  if (connect !== undefined) await connect(await listen())
  return {
    home,
    app,
    system,
    clock,
    stop,
    listen,
    ...speaking(app),
    ...looking(system, clock),
    waitForProjections: () => system.projector.waitUntilSettled(),
    readProjection: (path) => {
      const file = join(home, 'system', path)
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined
    },
  }
}

function createClock(now = '2026-03-01T12:00:00.000Z'): Daemon['clock'] {
  const clock = {
    now: new Date(now),
    advance: (ms: number) => {
      clock.now = new Date(clock.now.getTime() + ms)
    },
  }
  return clock
}

/** One daemon for all tests of a file or `describe` block, for tests that do not change its state. */
export function shareDaemon(options: DaemonOptions = {}): () => Daemon {
  const ends: (() => void | Promise<void>)[] = []
  let daemon: Daemon | undefined
  beforeAll(async () => {
    daemon = await startDaemon({ ...options, whenOver: (end) => ends.push(end) })
  })
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
  })
  return () => {
    if (daemon === undefined) throw new Error('The shared daemon exists only while tests run.')
    return daemon
  }
}

interface OpenedPhone {
  readonly config: Config
  /** The phone and its clock. Absent: the daemon opens its own. */
  readonly deps: SystemDeps
  /** Connects what serves the phone to the daemon. */
  readonly connect?: HostedPhone['connect']
}

async function openPhone(config: Config, { quick = false }: DaemonOptions, whenOver: WhenOver): Promise<OpenedPhone> {
  if (config.phone !== 'simulated') return { config, deps: {} }
  if (throughHost) {
    const { openHostedPhone } = await import('./hosted-phone.ts')
    const { phone, redis, connect } = await openHostedPhone(config.simApps, whenOver)
    // No test of this run is about a host that is lost, and on a busy machine one is silent for long.
    const settings = { ...config.settings, hosts: { lost_after_ms: 60_000 } }
    return { config: { ...config, redis, settings }, deps: { phone }, connect }
  }
  if (!quick || onRealAdb) return { config, deps: { phone: await phoneOfTheRun(config.simApps, whenOver) } }
  const { phone, engineClock } = await startQuickPhone(config.simApps)
  whenOver(() => phone.close())
  return { config, deps: { phone, engineClock } }
}

function testConfig(home: string, { settings, config }: DaemonOptions): Config {
  return {
    ...readConfig({
      APPRENTICE_HOME: home,
      APPRENTICE_LOG: 'silent',
      APPRENTICE_TOKEN: adminToken,
      // Tests of durability run the program itself, with the default.
      APPRENTICE_SYNC: 'normal',
    }),
    phone: 'none',
    settings: Settings.parse({
      ...settings,
      // Scenes that come with the program would be abilities of every test.
      scenes: { samples: false, ...settings?.scenes },
      limits: { requests_per_second: 1e6, request_burst: 1e6, ...settings?.limits },
    }),
    ...config,
  }
}

function speaking(app: FastifyInstance) {
  const request: Daemon['request'] = ({ token = adminToken, headers, ...rest }) =>
    app.inject({
      ...rest,
      headers: {
        host: '127.0.0.1',
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
    })
  const ask = (token?: string) => (token === undefined ? {} : { token })
  return {
    request,
    get: (url: string, token?: string) => request({ method: 'GET', url, ...ask(token) }),
    post: (url: string, body?: unknown, token?: string) =>
      request({
        method: 'POST',
        url,
        ...(body === undefined ? {} : { payload: body as Record<string, unknown> }),
        ...ask(token),
      }),
    delete: (url: string, token?: string) => request({ method: 'DELETE', url, ...ask(token) }),
    tokenFor: async (userId: string, privilege: 'read' | 'write' | 'admin' = 'write') => {
      const reply = await request({
        method: 'POST',
        url: '/api/tokens',
        payload: { user_id: userId, label: 'test', privilege },
      })
      return reply.json<{ secret: string }>().secret
    },
  }
}

function looking(system: System, clock: Daemon['clock']) {
  const events = () => system.store.read((reader) => listEventsSince(reader, 0, 100_000))
  return {
    session: (id: string) => system.store.read((reader) => findLearnSession(reader, id)),
    events,
    eventsOf: (id: string) =>
      events()
        .filter((event) => event.learn_session_id === id && event.stream_seq !== undefined)
        .map((event) => event.kind)
        .filter((kind) => kind !== 'learn.boundary.marked'),
    aSessionIn: async (state: LearnSessionState, changes: Partial<StoredSession> = {}) => {
      const session = sessionRow(state, clock.now.toISOString(), changes)
      await system.store.write((tx) => insertLearnSession(tx, session))
      return session.learn_session_id
    },
  }
}

export function sessionRow(state: LearnSessionState, at: string, changes: Partial<StoredSession> = {}): StoredSession {
  return {
    learn_session_id: randomUUID(),
    owner_user_id: 'local',
    entry_mode: 'demonstrating_skill',
    observation_mode: 'inside_agent',
    build_policy: 'build_then_review',
    execution_mode: 'guided',
    target_kind: 'new_skill',
    state,
    actor_mode: 'user_driven',
    target_app_whitelist: [],
    active_trace_ids: [],
    active_observation_batch_ids: [],
    created_at: at,
    updated_at: at,
    state_entered_at: at,
    capture_accumulated_ms: 0,
    retain_observations: false,
    text_capture_consent: false,
    ask_before_build: false,
    allow_private_install: false,
    adapters_armed: state === 'capturing' ? ['mcp_receipt', 'wrapper_receipt'] : [],
    redaction_salt: '00',
    captured_event_count: 0,
    off_target_events_dropped: 0,
    revision: 1,
    schema_version: 1,
    ...changes,
  }
}

async function listenOn(app: FastifyInstance): Promise<{ url: string; call: Call }> {
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return { url, call: createClient({ baseUrl: url, token: adminToken }) }
}
