import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import { snapshotDevice } from '@apprentice/contracts/devices/device.ts'
import {
  classifyOnDevice,
  diffDevice,
  expectOnDevice,
  readDiagnostics,
  type WaitRequest,
  waitOnDevice,
} from '@apprentice/contracts/devices/checks.ts'
import { deviceNotFound } from '../../domain/devices/device-record.ts'
import {
  admitLogReading,
  type Check,
  toExpectCheck,
  toWaitCheck,
  recordCheck,
  recordDiagnosticsRead,
} from '../../domain/devices/checks.ts'
import { extractNetworkSignals } from '../../knowledge/verification/network-signals.ts'
import { classifyOutcome } from '../../knowledge/verification/classification.ts'
import type { CheckContext } from '../../domain/devices/check-context.ts'
import type { NamedAction } from '../../domain/devices/named-action.ts'
import { Failure } from '../../failure/failure.ts'
import { mountContract } from '../../http/contract-routes.ts'
import { findDevice } from '../../store/devices/devices.ts'
import type { System } from '../../daemon/system.ts'
import {
  type ContextFactory,
  createContextFactory,
  type DeviceRequest,
  readAction,
  toViewer,
} from './check-contexts.ts'

export function deviceCheckRoutes(app: FastifyInstance, system: System): void {
  const on = mountContract(app)
  const toCheckContext = createContextFactory(app, system)
  const { commands, deviceChecks: checks } = system
  const recordOutcome = async (request: DeviceRequest, { action }: CheckContext, check: Check | undefined) => {
    if (action === undefined || check === undefined) return
    // Read again: the action may have progressed since the check began.
    const current = readAction(system, request, action.facts.action_id)
    await commands.command(request, (ctx) => {
      recordCheck(ctx, current, check)
      return {}
    })
  }
  rememberSnapshots(app, system)

  on(waitOnDevice)(async (request, reply) => {
    const context = toCheckContext(request, reply, readActionId(request.body))
    const wait = await checks.wait(context, request.body)
    await recordOutcome(request, context, toWaitCheck(wait))
    return { wait, schema_version: 1 }
  })

  on(expectOnDevice)(async (request, reply) => {
    const context = toCheckContext(request, reply, request.body.action_id)
    const expected = await checks.expect(context, request.body)
    await recordOutcome(request, context, toExpectCheck(expected))
    return { expect: expected, schema_version: 1 }
  })

  on(classifyOnDevice)(async (request, reply) => {
    const { action_id, client_request_id: _c, schema_version: _s, ui_changed: told, ...evidence } = request.body
    const { facts } = readAction(system, request, action_id)
    const { verb, action_type: effect } = facts
    if (told === undefined && request.caller.privilege === 'read') {
      throw new Failure('FORBIDDEN', 'To read the screen needs write privilege. Send ui_changed instead.')
    }
    const looks = told === undefined ? await checks.lookAgain(toCheckContext(request, reply, action_id)) : null
    const judged = classifyOutcome({ ...evidence, ui_changed: told ?? looks?.ui_changed ?? false, verb, effect })
    return { ...judged, action: facts, looks, schema_version: 1 }
  })

  on(diffDevice)((request) => {
    const { before_revision: before, after_revision: after } = request.body
    const { serial } = request.params
    if (commands.read((reader) => findDevice(reader, serial)) === undefined) {
      throw deviceNotFound(serial)
    }
    return { ...checks.diff(toViewer(request), { before, after }), schema_version: 1 }
  })

  diagnosticsRoute(app, system, toCheckContext)
}

/** Stores each returned snapshot, so that the client can ask later what has changed since. */
function rememberSnapshots(app: FastifyInstance, { deviceChecks }: System): void {
  app.addHook('preSerialization', (request, _reply, payload, done) => {
    const { caller, routeOptions } = request
    if (routeOptions.config.contract === snapshotDevice && caller !== undefined) {
      // The payload may be an error envelope, which has no snapshot.
      const { snapshot } = payload as Partial<z.output<typeof snapshotDevice.reply>>
      const viewer = { serial: snapshot?.serial ?? '', principal: caller.user_id }
      if (snapshot !== undefined) deviceChecks.remember(viewer, snapshot)
    }
    done(null, payload)
  })
}

/** The log of an execution is read once. A second request is refused even while the first one runs. */
function diagnosticsRoute(
  app: FastifyInstance,
  { commands, deviceChecks }: System,
  toCheckContext: ContextFactory,
): void {
  const running = new Set<string>()
  mountContract(app)(readDiagnostics)(async (request, reply) => {
    const { execution_id, purpose, lines } = request.query
    const context = toCheckContext(request, reply, execution_id)
    const { action } = context
    if (action === undefined) throw new Error('The contract requires execution_id.')
    const gate = commands.read((reader) => admitLogReading(reader, action, purpose))
    if (!gate.allowed) {
      throw new Failure(gate.code, gate.reason, { details: { row: gate.row, purpose } })
    }
    if (running.has(execution_id)) {
      throw new Failure(
        'DIAGNOSTICS_NOT_ALLOWED',
        'Another request is reading the diagnostics of this action. Wait until it has finished.',
      )
    }
    running.add(execution_id)
    try {
      const window = toLogWindow(action)
      const log = await deviceChecks.log(context, { ...window, lines })
      await commands.command(request, (ctx) => {
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
        network_requests: extractNetworkSignals(log.lines),
        has_log_errors: log.lines.some(({ level }) => level === 'E' || level === 'F'),
        schema_version: 1,
      }
    } finally {
      running.delete(execution_id)
    }
  })
}

const LOG_BEFORE_MS = 500
const LOG_AFTER_MS = 5000

/** The time of the execution and some seconds after it, for its later effects. */
function toLogWindow({ execution }: NamedAction): { fromMs: number; toMs: number } {
  const started = Date.parse(execution.started_at ?? execution.queued_at)
  const settled = Date.parse(execution.settled_at ?? execution.deadline_at)
  return { fromMs: started - LOG_BEFORE_MS, toMs: settled + LOG_AFTER_MS }
}

/** The action that a wait refers to, by `action_id` or by its baseline. */
function readActionId(request: WaitRequest): string | undefined {
  if ('baseline' in request) {
    const { baseline } = request
    return baseline !== undefined && 'action_id' in baseline ? baseline.action_id : undefined
  }
  return 'action_id' in request ? request.action_id : undefined
}
