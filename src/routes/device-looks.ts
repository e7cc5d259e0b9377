import type { FastifyInstance, FastifyReply } from 'fastify'
import type { z } from 'zod'
import { snapshotDevice } from '@apprentice/contracts/devices/device.ts'
import {
  classifyOnDevice,
  diffDevice,
  type ExpectOutcome,
  type ExpectRequest,
  expectOnDevice,
  type KeptReading,
  type LogLine,
  readDiagnostics,
  type WaitOutcome,
  type WaitRequest,
  waitOnDevice,
} from '@apprentice/contracts/devices/looks.ts'
import type { Snapshot, SnapshotDiff } from '@apprentice/contracts/devices/snapshot.ts'
import { deviceNotFound } from '../domain/devices/sightings.ts'
import {
  admitLogReading,
  type Check,
  checkOfExpect,
  checkOfWait,
  recordCheck,
  recordDiagnosticsRead,
} from '../domain/devices/checks.ts'
import { classifyOutcome } from '../knowledge/verification/classification.ts'
import type { Looker } from '../domain/devices/looker.ts'
import { getNamedAction, type NamedAction } from '../domain/devices/named-action.ts'
import { Failure } from '../failure/failure.ts'
import { type RequestContext, mounting } from '../http/mount.ts'
import { findDevice } from '../store/devices/devices.ts'
import { findExecution } from '../store/devices/executions.ts'
import type { System } from '../daemon/system.ts'

interface Viewer {
  readonly serial: string
  readonly principal: string
}

/** What these routes need of the device floor. */
export interface Looks {
  remember(viewer: Viewer, snapshot: Snapshot): void
  wait(looker: Looker, request: WaitRequest): Promise<WaitOutcome>
  expect(looker: Looker, request: ExpectRequest): Promise<ExpectOutcome>
  diff(
    viewer: Viewer,
    named: { before?: number | undefined; after?: number | undefined },
  ): { before: KeptReading; after: KeptReading; diff: SnapshotDiff }
  log(
    looker: Looker,
    window: { fromMs: number; toMs: number; lines: number },
  ): Promise<{ lines: readonly LogLine[]; truncated: boolean; clock_offset_ms: number }>
}

type AskedOfDevice<Q = unknown> = RequestContext<{ readonly serial: string }, Q>

export function deviceLookRoutes(app: FastifyInstance, system: System, looks: Looks): void {
  const on = mounting(app)
  const looking = lookingFor(app, system)
  const { commands } = system
  const note = async (asked: AskedOfDevice, { action }: Looker, check: Check | undefined) => {
    if (action === undefined || check === undefined) return
    // It may have gone on since the look began.
    const now = actionOf(system, asked, action.facts.action_id)
    await commands.command(asked, (ctx) => {
      recordCheck(ctx, now, check)
      return {}
    })
  }
  rememberSnapshots(app, looks)

  on(waitOnDevice)(async (asked, reply) => {
    const looker = looking(asked, reply, actionIdOf(asked.body))
    const wait = await looks.wait(looker, asked.body)
    await note(asked, looker, checkOfWait(wait))
    return { wait, schema_version: 1 }
  })

  on(expectOnDevice)(async (asked, reply) => {
    const looker = looking(asked, reply, asked.body.action_id)
    const expected = await looks.expect(looker, asked.body)
    await note(asked, looker, checkOfExpect(expected))
    return { expect: expected, schema_version: 1 }
  })

  on(classifyOnDevice)((asked) => {
    const { action_id, client_request_id: _c, schema_version: _s, ...evidence } = asked.body
    const { facts } = actionOf(system, asked, action_id)
    const { verb, action_type: effect } = facts
    const judged = classifyOutcome({ ...evidence, verb, effect })
    return { ...judged, action: facts, schema_version: 1 }
  })

  on(diffDevice)((asked) => {
    const { before_revision: before, after_revision: after } = asked.body
    const { serial } = asked.params
    if (commands.read((reader) => findDevice(reader, serial)) === undefined) {
      throw deviceNotFound(serial)
    }
    return { ...looks.diff(viewerOf(asked), { before, after }), schema_version: 1 }
  })

  diagnosticsRoute(app, { system, looks, looking })
}

type Looking = (asked: AskedOfDevice, reply: FastifyReply, actionId?: string) => Looker

/** A look ends with its client, and with the daemon. */
function lookingFor(app: FastifyInstance, system: System): Looking {
  const { commands } = system
  const closing = new AbortController()
  app.addHook('preClose', async () => {
    closing.abort(new Failure('SHUTTING_DOWN', 'The daemon is stopping.'))
  })
  return (asked, reply, actionId) => {
    const action = actionId === undefined ? undefined : actionOf(system, asked, actionId)
    const execution_id = action?.execution.execution_id
    return {
      ...viewerOf(asked),
      now: commands.now(),
      signal: AbortSignal.any([closing.signal, whenClientLeaves(reply)]),
      action,
      actionEnded: () =>
        execution_id === undefined ||
        commands.read((reader) => findExecution(reader, execution_id)?.settled_at !== undefined),
    }
  }
}

function whenClientLeaves({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController()
  raw.once('close', () => {
    // Nobody reads this; it only ends the work.
    if (!raw.writableFinished) left.abort(new Failure('INVALID_REQUEST', 'The client went away.'))
  })
  return left.signal
}

/** Whatever snapshot a client is shown, it may later ask what has changed since. */
function rememberSnapshots(app: FastifyInstance, looks: Looks): void {
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    const { caller, routeOptions } = request
    if (routeOptions.config.contract === snapshotDevice && caller !== undefined) {
      // A refusal is serialised here too.
      const { snapshot } = payload as Partial<z.output<typeof snapshotDevice.reply>>
      const viewer = { serial: snapshot?.serial ?? '', principal: caller.user_id }
      if (snapshot !== undefined) looks.remember(viewer, snapshot)
    }
    done(null, payload)
  })
}

/** A second reader of one execution's log is refused also while the first still reads. */
function diagnosticsRoute(
  app: FastifyInstance,
  { system, looks, looking }: { system: System; looks: Looks; looking: Looking },
): void {
  const { commands } = system
  const underWay = new Set<string>()
  mounting(app)(readDiagnostics)(async (asked, reply) => {
    const { execution_id, purpose, lines } = asked.query
    const looker = looking(asked, reply, execution_id)
    const { action } = looker
    if (action === undefined) throw new Error('The execution is always named here.')
    const gate = commands.read((reader) => admitLogReading(reader, action, purpose))
    if (!gate.allowed) {
      throw new Failure(gate.code, gate.reason, { details: { row: gate.row, purpose } })
    }
    if (underWay.has(execution_id)) {
      throw new Failure('DIAGNOSTICS_NOT_ALLOWED', 'They are being read for this action now.')
    }
    underWay.add(execution_id)
    try {
      const window = windowOf(action)
      const log = await looks.log(looker, { ...window, lines })
      await commands.command(asked, (ctx) => {
        recordDiagnosticsRead(ctx, action, { purpose, lines: log.lines.length })
        return {}
      })
      return {
        execution_id,
        purpose,
        from: new Date(window.fromMs).toISOString(),
        to: new Date(window.toMs).toISOString(),
        ...log,
        lines: [...log.lines],
        has_log_errors: log.lines.some(({ level }) => level === 'E' || level === 'F'),
        schema_version: 1,
      }
    } finally {
      underWay.delete(execution_id)
    }
  })
}

const beforeMs = 500
const afterMs = 5000

/** The time of the execution, and a while after it for what it set off. */
function windowOf({ execution }: NamedAction): { fromMs: number; toMs: number } {
  const started = Date.parse(execution.started_at ?? execution.queued_at)
  const settled = Date.parse(execution.settled_at ?? execution.deadline_at)
  return { fromMs: started - beforeMs, toMs: settled + afterMs }
}

function actionOf(
  { commands }: System,
  { caller, params }: AskedOfDevice,
  id: string,
): NamedAction {
  const asked = { user_id: caller.user_id, serial: params.serial }
  return commands.read((reader) => getNamedAction(reader, id, asked))
}

/** The action a wait is about: said outright, or by the baseline. */
function actionIdOf(request: WaitRequest): string | undefined {
  if ('baseline' in request) {
    const { baseline } = request
    return baseline !== undefined && 'action_id' in baseline ? baseline.action_id : undefined
  }
  return 'action_id' in request ? request.action_id : undefined
}

function viewerOf({ params, caller }: AskedOfDevice): Viewer {
  return { serial: params.serial, principal: caller.user_id }
}
