import type { FastifyInstance, FastifyReply } from 'fastify'
import type { CheckContext } from '../../domain/devices/check-context.ts'
import { getNamedAction, type NamedAction } from '../../domain/devices/named-action.ts'
import { Failure } from '../../failure/failure.ts'
import type { RequestContext } from '../../http/contract-routes.ts'
import { findExecution } from '../../store/devices/executions.ts'
import type { System } from '../../daemon/system.ts'

export type DeviceRequest<Q = unknown> = RequestContext<{ readonly serial: string }, Q>

export type ContextFactory = (request: DeviceRequest, reply: FastifyReply, actionId?: string) => CheckContext

/** The contexts it creates are aborted when the client disconnects or the daemon stops. */
export function createContextFactory(app: FastifyInstance, system: System): ContextFactory {
  const { commands } = system
  const closing = new AbortController()
  app.addHook('preClose', async () => {
    closing.abort(new Failure('SHUTTING_DOWN', 'The daemon is stopping.'))
  })
  return (request, reply, actionId) => {
    const action = actionId === undefined ? undefined : readAction(system, request, actionId)
    const execution_id = action?.execution.execution_id
    return {
      ...toViewer(request),
      now: commands.now(),
      signal: AbortSignal.any([closing.signal, createDisconnectSignal(reply)]),
      action,
      isActionSettled: () =>
        execution_id === undefined ||
        commands.read((reader) => findExecution(reader, execution_id)?.settled_at !== undefined),
    }
  }
}

function createDisconnectSignal({ raw }: FastifyReply): AbortSignal {
  const disconnected = new AbortController()
  raw.once('close', () => {
    // The failure reaches nobody. It only ends the work.
    if (!raw.writableFinished) disconnected.abort(new Failure('INVALID_REQUEST', 'The client disconnected.'))
  })
  return disconnected.signal
}

export function readAction({ commands }: System, { caller, params }: DeviceRequest, id: string): NamedAction {
  const scope = { user_id: caller.user_id, serial: params.serial }
  return commands.read((reader) => getNamedAction(reader, id, scope))
}

export function toViewer({ params, caller }: DeviceRequest) {
  return { serial: params.serial, principal: caller.user_id }
}
