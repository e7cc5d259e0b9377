import type { Execution, ResultEnvelope, StepResult } from '@apprentice/contracts/devices/execution.ts'
import type { ExecutionRecord, ExecutionState } from '@apprentice/contracts/devices/executions.ts'
import { Failure } from '../../failure/failure.ts'
import { type DeviceRow, listDevices } from '../../store/devices/devices.ts'
import {
  type ExecutionProgress,
  type ExecutionRow,
  findExecution,
  findExecutionByCommand,
  findExecutionProgress,
  insertExecution,
  type ListedExecution,
  markExecutionStarted,
  updateCurrentStep,
  updateExecution,
  updateStepResults,
} from '../../store/devices/executions.ts'
import type { Reader } from '../../store/db/db.ts'
import { findJob, settleJob } from '../../store/command/jobs.ts'
import { describeWork } from '../../knowledge/recipes/policy/decide-policy.ts'
import type { CommandContext } from '../command/context.ts'
import { enqueueJob } from '../command/jobs.ts'
import { recordEventFor } from '../command/ledger.ts'
import { assertWorkAllowed, decideWork } from '../policies/applied-policy.ts'
import { type ForgottenTexts, listTypedTexts, withoutTexts } from './forgotten-texts.ts'
import { assertDeviceAvailable, findRefusal } from './leases.ts'
import { deviceNotFound } from './device-record.ts'

export const EXECUTION_JOB_KIND = 'device.execution'
const JOB_GRACE_MS = 1000
export const deviceQueueName = (serial: string): string => `device/${serial}`

export interface ExecutionRequest {
  readonly execution: Execution
  readonly payload_sha256: string
  readonly serial?: string | undefined
  readonly priority: number
  readonly goal?: string | undefined
  readonly project_id?: string | undefined
  /** The end of the time in which it must finish. By default its timeout, counted from now. */
  readonly deadline_at?: string | undefined
}

/** Above every priority that a request can name, so that nothing runs on the device between two parts of a run. */
export const CONTINUATION_PRIORITY = 100

/** Queues an execution for its device. A repeated command id with the same payload returns the first execution. */
export function queueExecution(ctx: CommandContext, request: ExecutionRequest): ExecutionRow {
  const { execution, payload_sha256, priority } = request
  const owner = ctx.actor.user_id
  const first = findExecutionByCommand(ctx.tx, owner, execution.commandId)
  if (first !== undefined) return assertSamePayload(first, payload_sha256)
  const { serial } = chooseDevice(ctx.tx, request.serial)
  assertDeviceAvailable(ctx.tx, serial, { user_id: owner, now: ctx.now })
  assertWorkAllowed(ctx, { ...describeWork({ execution }), serial })
  const execution_id = ctx.newId()
  // The time in the queue counts towards the timeout.
  const deadline_at = request.deadline_at ?? new Date(Date.parse(ctx.now) + execution.timeoutMs).toISOString()
  const row: ExecutionRow = {
    execution_id,
    owner_user_id: owner,
    command_id: execution.commandId,
    task_id: execution.taskId,
    source: execution.source,
    serial,
    goal: request.goal,
    project_id: request.project_id,
    state: 'queued',
    priority,
    payload: execution,
    payload_sha256,
    step_results: [],
    queued_at: ctx.now,
    deadline_at,
  }
  insertExecution(ctx.tx, row)
  enqueueJob(ctx, {
    job_id: execution_id,
    kind: EXECUTION_JOB_KIND,
    lane: deviceQueueName(serial),
    priority,
    // The execution observes its own deadline. The deadline of the job is a fallback.
    deadline_at: new Date(Date.parse(deadline_at) + JOB_GRACE_MS).toISOString(),
    payload: {},
  })
  recordExecutionEvent(ctx, row, 'execution.queued', { serial, actions: execution.actions.length })
  return row
}

export function startExecution(ctx: CommandContext, id: string): void {
  const known = getProgress(ctx, id)
  markExecutionStarted(ctx.tx, id, ctx.now)
  recordExecutionEvent(ctx, known, 'execution.started', { serial: known.serial })
}

/** The failure of a queued execution whose device is kept for another user since, or that a profile forbids now. */
export function findStartRefusal(reader: Reader, row: ExecutionRow, now: string): ResultEnvelope | undefined {
  const { serial, owner_user_id: user_id, execution_id } = row
  const refusal = findRefusal(reader, serial, { user_id, now })
  if (refusal !== undefined) return buildFailedEnvelope(row, { errorCode: refusal.code, error: refusal.message })
  const { authority } = findJob(reader, execution_id) ?? {}
  const decision = decideWork(reader, authority, { ...describeWork({ execution: row.payload }), serial, now })
  if (decision.allowed) return undefined
  return buildFailedEnvelope(row, { errorCode: decision.code, error: decision.message })
}

export function startStep(ctx: CommandContext, id: string, step: { id: string; type: string }): void {
  const known = getProgress(ctx, id)
  updateCurrentStep(ctx.tx, id, step.id)
  recordExecutionEvent(ctx, known, 'execution.step_started', {
    step_id: step.id,
    action_type: step.type,
  })
}

export function recordStep(ctx: CommandContext, id: string, step: StepResult): void {
  const known = getProgress(ctx, id)
  updateStepResults(ctx.tx, id, [...known.step_results, step])
  const { id: step_id, actionType: action_type, success, outcome } = step
  const error = step.data['error']
  recordExecutionEvent(ctx, known, 'execution.step_finished', {
    step_id,
    action_type,
    success,
    outcome,
    error,
  })
}

/** Removes texts from a stored execution. Called once the literals are no longer needed. */
export function forgetTexts(ctx: CommandContext, id: string, texts: ForgottenTexts): void {
  updateExecution(ctx.tx, withoutTexts(getExecution(ctx, id), texts))
}

export interface ExecutionEnding {
  readonly state: Exclude<ExecutionState, 'queued' | 'running'>
  /** Absent when the execution returned none; one is then built from `errorCode` and `error`. */
  readonly envelope?: ResultEnvelope | undefined
  readonly errorCode?: string
  readonly error?: string
}

export function settleExecution(ctx: CommandContext, id: string, ending: ExecutionEnding): void {
  const stored = getExecution(ctx, id)
  // Without a result it is not known into which fields the texts were or would have been typed.
  const known = ending.envelope === undefined ? withoutTexts(stored, listTypedTexts(stored.payload)) : stored
  const { current_step_id: _, ...rest } = known
  const envelope = ending.envelope ?? buildFailedEnvelope(known, ending)
  const row: ExecutionRow = { ...rest, state: ending.state, envelope, settled_at: ctx.now }
  updateExecution(ctx.tx, row)
  recordExecutionEvent(ctx, row, 'execution.settled', {
    state: ending.state,
    status: envelope.status,
    error_code: envelope.errorCode ?? undefined,
    completed_steps: row.step_results.length,
  })
}

/** Cancels an execution that is still queued. Only valid while the job runner is not running. */
export function cancelQueuedExecution(ctx: CommandContext, id: string): void {
  const waiting = findExecution(ctx.tx, id)?.state === 'queued'
  if (!waiting || settleJob(ctx.tx, id, { state: 'cancelled', now: ctx.now }) === undefined) return
  settleExecution(ctx, id, {
    state: 'cancelled',
    errorCode: 'EXECUTION_CANCELLED',
    error: 'The execution was cancelled.',
  })
}

/** Answers for another user's execution as for an unknown id. */
export function getOwnExecution(reader: Reader, id: string, userId: string): ExecutionRow {
  const row = findExecution(reader, id)
  if (row === undefined || row.owner_user_id !== userId) {
    throw new Failure('EXECUTION_NOT_FOUND', `No execution ${id}.`)
  }
  return row
}

/** An execution of a list, without its results. */
export function toListedExecution({ owner_user_id: _o, payload, ...fields }: ListedExecution): ExecutionRecord {
  return { ...fields, execution: payload, schema_version: 1 }
}

export function toExecutionRecord(row: ExecutionRow): ExecutionRecord {
  const { owner_user_id: _o, payload_sha256: _h, payload, step_results, ...fields } = row
  return {
    ...fields,
    execution: payload,
    completed_steps: step_results.length,
    schema_version: 1,
  }
}

export function chooseDevice(reader: Reader, requested: string | undefined): DeviceRow {
  const devices = listDevices(reader)
  const usable = devices.filter((device) => device.state === 'device')
  const connected = usable.map((device) => device.serial)
  if (requested !== undefined) {
    const named = devices.find((device) => device.serial === requested)
    if (named === undefined) throw deviceNotFound(requested, connected)
    return named
  }
  const [only] = usable
  if (only === undefined) throw new Failure('NO_DEVICES', 'No device is connected.')
  if (usable.length > 1) {
    throw new Failure('MULTIPLE_DEVICES_DEVICE_ID_REQUIRED', 'Several devices are connected. Name one of them.', {
      details: { devices: connected },
    })
  }
  return only
}

function assertSamePayload(first: ExecutionRow, sha256: string): ExecutionRow {
  if (first.payload_sha256 === sha256) return first
  throw new Failure('IDEMPOTENCY_CONFLICT', 'This commandId was used for a different execution.', {
    details: { field: 'commandId', execution_id: first.execution_id },
  })
}

const getExecution = (ctx: CommandContext, id: string): ExecutionRow => assertFound(findExecution(ctx.tx, id), id)

const getProgress = (ctx: CommandContext, id: string): ExecutionProgress =>
  assertFound(findExecutionProgress(ctx.tx, id), id)

function assertFound<T>(row: T | undefined, id: string): T {
  if (row === undefined) throw new Error(`No row for execution ${id}.`)
  return row
}

function buildFailedEnvelope(
  row: ExecutionRow,
  { errorCode, error }: Pick<ExecutionEnding, 'errorCode' | 'error'>,
): ResultEnvelope {
  return {
    commandId: row.command_id,
    taskId: row.task_id,
    status: 'failed',
    stepResults: [...row.step_results],
    error: error ?? 'The execution did not finish.',
    errorCode: errorCode ?? 'INTERRUPTED',
  }
}

function recordExecutionEvent(
  ctx: CommandContext,
  row: Pick<ExecutionRow, 'execution_id' | 'owner_user_id'>,
  kind:
    | 'execution.queued'
    | 'execution.started'
    | 'execution.step_started'
    | 'execution.step_finished'
    | 'execution.settled',
  payload: Record<string, unknown>,
): void {
  recordEventFor(ctx, row.owner_user_id, { subject: `execution/${row.execution_id}`, kind, payload })
}
