import { hash } from 'node:crypto'
import type {} from '@fastify/sse'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { normalizeExecution, type Execution } from '@apprentice/contracts/devices/execution.ts'
import {
  getScreenFrame,
  type ScreenInput,
  sendInput,
  streamScreen,
} from '@apprentice/contracts/devices/screen.ts'
import { getOwnExecution, queueExecution, toRecord } from '../domain/devices/executions.ts'
import { deviceNotFound } from '../domain/devices/sightings.ts'
import { Failure } from '../failure/failure.ts'
import { ask, type RequestContext, mounting, schemaOf } from '../http/mount.ts'
import { findDevice } from '../store/devices/devices.ts'
import type { System } from '../daemon/system.ts'

/** The live screens, as far as a request needs them. */
export interface Screens {
  watch(
    serial: string,
    sink: FastifyReply['raw'],
    watching: { readonly key: string; readonly maxFps: number },
  ): () => void
  viewersOf(key: string): number
  frame(serial: string, frameId: string): Buffer | undefined
  /** What a hand did, as an action of an execution. */
  actionOf(input: ScreenInput): object
  touched(serial: string): void
  close(): Promise<void>
}

const inputLimitMs = 20_000

export function liveScreenRoutes(app: FastifyInstance, system: System, screens: Screens): void {
  const { commands, jobs } = system
  const on = mounting(app)
  mountScreenStream(app, system, screens)

  on(getScreenFrame)(({ params }) => {
    const png = screens.frame(params.serial, params.frameId)
    if (png === undefined) throw new Failure('NOT_FOUND', 'This picture is not kept any more.')
    return png
  })

  on(sendInput)(async (asked, reply) => {
    const { serial } = asked.params
    const { user_id } = asked.caller
    const { wait_ms } = asked.body
    assertKnown(system, serial)
    const execution = executionOf(screens.actionOf(asked.body), commands.newId())
    const payload_sha256 = hash('sha256', JSON.stringify([execution, serial]), 'hex')
    const { execution_id } = await commands.command(asked, (ctx) => ({
      execution_id: queueExecution(ctx, { execution, payload_sha256, serial, priority: 0 })
        .execution_id,
    }))
    if (wait_ms > 0) await jobs.settled(execution_id, wait_ms)
    screens.touched(serial)
    const record = commands.read((reader) =>
      toRecord(getOwnExecution(reader, execution_id, user_id)),
    )
    void reply.code(record.settled_at === undefined ? 202 : 200)
    return { execution: record, schema_version: 1 }
  })
}

function mountScreenStream(app: FastifyInstance, system: System, screens: Screens): void {
  const streams = new Set<FastifyReply>()
  // Streams never end by themselves, so the server would wait for them.
  app.addHook('preClose', async () => {
    for (const reply of streams) reply.sse.close()
    await screens.close()
  })
  app.route({
    method: 'GET',
    url: streamScreen.url,
    sse: 'manual',
    config: { contract: streamScreen },
    schema: schemaOf(streamScreen),
    handler: async (request, reply) => {
      // The contract has checked the shape of both.
      const { params, query, caller } = ask(streamScreen, request) as RequestContext<
        { serial: string },
        { max_fps: number }
      >
      assertAcceptsStream(request.headers.accept)
      assertKnown(system, params.serial)
      assertStreamFree(system, screens, caller.key)
      void reply.header('cache-control', 'no-cache').header('x-accel-buffering', 'no')
      reply.sse.keepAlive()
      reply.sse.sendHeaders()
      reply.raw.write('retry: 3000\n\n')
      const watching = { key: caller.key, maxFps: query.max_fps }
      const leave = screens.watch(params.serial, reply.raw, watching)
      streams.add(reply)
      reply.sse.onClose(() => {
        streams.delete(reply)
        leave()
      })
      return undefined
    },
  })
}

function assertAcceptsStream(accept = '*/*'): void {
  if (/text\/event-stream|text\/\*|\*\/\*/.test(accept)) return
  throw new Failure('NOT_ACCEPTABLE', 'The live screen is an event stream.')
}

function assertKnown({ commands }: System, serial: string): void {
  if (commands.read((reader) => findDevice(reader, serial)) === undefined)
    throw deviceNotFound(serial)
}

function assertStreamFree({ hub, config }: System, screens: Screens, key: string): void {
  const held = hub.streamsOf(key) + screens.viewersOf(key)
  if (held < config.settings.limits.streams_per_token) return
  throw new Failure('STREAM_LIMIT_REACHED', 'Close another event stream first.')
}

function executionOf(action: object, commandId: string): Execution {
  const read = normalizeExecution({
    commandId,
    taskId: 'live-screen',
    source: 'live_screen',
    expectedFormat: 'android-ui-automator',
    timeoutMs: inputLimitMs,
    actions: [action],
  })
  if (read.ok) return read.execution
  throw new Failure('INVALID_REQUEST', read.failure.message, { details: { field: 'body' } })
}
