import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import {
  toDryRunReply,
  type Execution,
  normalizeExecution,
  overrideTimeout,
} from '@apprentice/contracts/devices/execution.ts'
import {
  cancelExecution,
  createExecution,
  type ExecutionRecord,
  getExecution,
  listExecutions,
  listExecutionScreens,
  streamExecutionEvents,
} from '@apprentice/contracts/devices/executions.ts'
import { listScreens } from '../../domain/devices/execution-screens.ts'
import {
  getOwnExecution,
  queueExecution,
  toExecutionRecord,
  toListedExecution,
} from '../../domain/devices/executions.ts'
import { listTypedTexts, withoutTexts } from '../../domain/devices/forgotten-texts.ts'
import { PERSONAL_CONSENT, withTerms } from '../../domain/policies/applied-policy.ts'
import { Failure } from '../../failure/failure.ts'
import { type RequestContext, mountContract } from '../../http/contract-routes.ts'
import { mountStream } from '../../http/event-stream-routes.ts'
import { createSubjectSource } from '../../live/source.ts'
import { findExecution, listExecutions as listRows } from '../../store/devices/executions.ts'
import type { System } from '../../daemon/system.ts'

export function executionRoutes(app: FastifyInstance, system: System): void {
  const { commands, jobs, hub, liveScreens, config } = system
  const on = mountContract(app)
  const readRecord = (id: string, userId: string): ExecutionRecord =>
    commands.read((reader) => toExecutionRecord(getOwnExecution(reader, id, userId)))

  on(createExecution)(async (request, reply) => {
    const { validate_only, dry_run, serial, priority, wait_ms, goal, project_id, policy } = request.body
    const execution = readPayload(request.body)
    if (validate_only) return { ok: true, validated: true, execution }
    if (dry_run) return toDryRunReply(execution)
    const payload_sha256 = hash('sha256', JSON.stringify([execution, serial ?? null]), 'hex')
    const { execution_id } = await commands.command(request, (ctx) => ({
      execution_id: queueExecution(withTerms(ctx, { ...PERSONAL_CONSENT, policy }), {
        execution,
        payload_sha256,
        serial,
        priority,
        goal,
        project_id,
      }).execution_id,
    }))
    if (wait_ms > 0) await jobs.waitUntilSettled(execution_id, wait_ms)
    const record = readRecord(execution_id, request.caller.user_id)
    setStatus(reply, record)
    return { execution: record, schema_version: 1 }
  })

  on(listExecutions)(({ caller, query }) => {
    const found = commands.read((reader) => listRows(reader, caller.user_id, query))
    const { page, page_size } = query
    const executions = found.executions.map(toListedExecution)
    return { executions, total: found.total, page, page_size, schema_version: 1 }
  })

  on(getExecution)(({ params, caller }) => ({
    execution: readRecord(params.executionId, caller.user_id),
    schema_version: 1,
  }))

  on(listExecutionScreens)(({ params, caller }) => ({
    screens: commands.read((reader) => listScreens(reader, params.executionId, caller.user_id)),
    schema_version: 1,
  }))

  on(cancelExecution)((request) =>
    commands.commandOnce(request, async () => {
      const { executionId } = request.params
      const { user_id } = request.caller
      const { state } = readRecord(executionId, user_id)
      if (!(await jobs.cancel(executionId))) {
        throw new Failure('EXECUTION_SETTLED', `The execution has already ${state}.`)
      }
      await jobs.waitUntilSettled(executionId, CANCEL_WAIT_MS)
      // The reply is stored, and an execution that has not ended yet still has the texts that it types.
      const row = commands.read((reader) => getOwnExecution(reader, executionId, user_id))
      const execution = toExecutionRecord(withoutTexts(row, listTypedTexts(row.payload)))
      return { execution, schema_version: 1 as const }
    }),
  )

  mountStream(app, streamExecutionEvents, {
    hub,
    liveScreens,
    config,
    find: async (request, read) => {
      const { executionId } = (request as RequestContext<{ executionId: string }>).params
      return commands.read((reader) => {
        getOwnExecution(reader, executionId, request.caller.user_id)
        return read(
          reader,
          createSubjectSource(
            `execution/${executionId}`,
            (now) => findExecution(now, executionId)?.settled_at !== undefined,
          ),
        )
      })
    },
  })
}

const CANCEL_WAIT_MS = 5000

/** 202 while the execution is not settled, 200 afterwards. */
function setStatus(reply: FastifyReply, { state }: ExecutionRecord): void {
  void reply.code(state === 'queued' || state === 'running' ? 202 : 200)
}

function readPayload(body: { execution?: unknown; timeout_ms?: unknown }): Execution {
  const read = normalizeExecution(body.execution)
  const sized = read.ok && body.timeout_ms !== undefined ? overrideTimeout(read.execution, body.timeout_ms) : read
  if (sized.ok) return sized.execution
  const { code, message, ...details } = sized.failure
  throw new Failure(code, message, { details: { ...details, field: details.path } })
}
