import { hash } from 'node:crypto'
import type {} from '@fastify/sse'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { normalizeExecution, type Execution } from '@apprentice/contracts/devices/execution.ts'
import { getScreenFrame, getScreenJpeg, sendInput, streamScreen } from '@apprentice/contracts/devices/screen.ts'
import { getOwnExecution, queueExecution, toExecutionRecord } from '../../domain/devices/executions.ts'
import { deviceNotFound } from '../../domain/devices/device-record.ts'
import { PERSONAL_CONSENT, withTerms } from '../../domain/policies/applied-policy.ts'
import { Failure } from '../../failure/failure.ts'
import { toRequestContext, type RequestContext, mountContract, toRouteSchema } from '../../http/contract-routes.ts'
import { assertAcceptsStream, assertStreamAvailable } from '../../http/event-stream-routes.ts'
import { findDevice } from '../../store/devices/devices.ts'
import type { System } from '../../daemon/system.ts'

const INPUT_TIMEOUT_MS = 20_000

export function liveScreenRoutes(app: FastifyInstance, system: System): void {
  const { commands, deviceReader, jobs, liveScreens } = system
  const on = mountContract(app)
  mountScreenStream(app, system)

  on(getScreenFrame)(({ params, caller }) => {
    deviceReader.assertAvailable(params.serial, caller.user_id)
    return liveScreens.frames(params.serial)?.readPng(params.frameId, caller.user_id) ?? throwNotStored()
  })

  on(getScreenJpeg)(async ({ params, query, caller }) => {
    deviceReader.assertAvailable(params.serial, caller.user_id)
    const frames = liveScreens.frames(params.serial)
    return (await frames?.readJpeg(params.frameId, query.since, caller.user_id)) ?? throwNotStored()
  })

  on(sendInput)(async (request, reply) => {
    const { serial } = request.params
    const { user_id } = request.caller
    const { wait_ms } = request.body
    assertKnown(system, serial)
    const execution = toExecution(liveScreens.toAction(request.body), commands.newId())
    const payload_sha256 = hash('sha256', JSON.stringify([execution, serial]), 'hex')
    const { execution_id } = await commands.command(request, (ctx) => ({
      execution_id: queueExecution(withTerms(ctx, PERSONAL_CONSENT), { execution, payload_sha256, serial, priority: 0 })
        .execution_id,
    }))
    if (wait_ms > 0) await jobs.waitUntilSettled(execution_id, wait_ms)
    const record = commands.read((reader) => toExecutionRecord(getOwnExecution(reader, execution_id, user_id)))
    void reply.code(record.settled_at === undefined ? 202 : 200)
    return { execution: record, schema_version: 1 }
  })
}

function mountScreenStream(app: FastifyInstance, system: System): void {
  const { liveScreens } = system
  const streams = new Set<FastifyReply>()
  // Streams do not end on their own, so the server would wait for them.
  app.addHook('preClose', async () => {
    for (const reply of streams) reply.sse.close()
    await liveScreens.close()
  })
  app.route({
    method: 'GET',
    url: streamScreen.url,
    sse: 'manual',
    config: { contract: streamScreen },
    schema: toRouteSchema(streamScreen),
    handler: async (request, reply) => {
      // The contract has validated both.
      const { params, query, caller } = toRequestContext(streamScreen, request) as RequestContext<
        { serial: string },
        { max_fps: number }
      >
      assertAcceptsStream(request.headers.accept)
      system.deviceReader.assertAvailable(params.serial, caller.user_id)
      assertStreamAvailable(system, caller.principal)
      void reply.header('cache-control', 'no-cache').header('x-accel-buffering', 'no')
      reply.sse.keepAlive()
      reply.sse.sendHeaders()
      reply.raw.write('retry: 3000\n\n')
      const options = { principal: caller.principal, maxFps: query.max_fps }
      const leave = liveScreens.watch(params.serial, reply.raw, options)
      streams.add(reply)
      reply.sse.onClose(() => {
        streams.delete(reply)
        leave()
      })
      return undefined
    },
  })
}

function throwNotStored(): never {
  throw new Failure('NOT_FOUND', 'This frame is no longer stored. Use the latest frame of the stream.')
}

function assertKnown({ commands }: System, serial: string): void {
  if (commands.read((reader) => findDevice(reader, serial)) === undefined) throw deviceNotFound(serial)
}

function toExecution(action: object, commandId: string): Execution {
  const read = normalizeExecution({
    commandId,
    taskId: 'live-screen',
    source: 'live_screen',
    expectedFormat: 'android-ui-automator',
    timeoutMs: INPUT_TIMEOUT_MS,
    actions: [action],
  })
  if (read.ok) return read.execution
  throw new Failure('INVALID_REQUEST', read.failure.message, { details: { field: 'body' } })
}
