import { hash } from 'node:crypto'
import {
  type Execution,
  type ExecutionFailure,
  normalizeExecution,
  overrideTimeout,
  type ResultEnvelope,
} from '@apprentice/contracts/devices/execution.ts'
import { isRecord } from '@apprentice/contracts/devices/matcher.ts'
import { Failure } from '../../failure/failure.ts'
import type { ExecutionRow } from '../../store/devices/executions.ts'
import {
  insertSkillRunCall,
  listSkillRunCalls,
  type SkillRunRow,
} from '../../store/skill-runs/skill-runs.ts'
import type { CommandContext } from '../command/context.ts'
import { queueExecution } from '../devices/executions.ts'
import { recordEvent } from '../command/ledger.ts'
import type { PeerCommand } from '../../knowledge/skill-script/peer-command.ts'
import { subjectOf } from './start-run.ts'

export interface NestedCall {
  readonly execution: Execution
  /** The id the script gave; it may use the same one in every run. */
  readonly command_id: string
  readonly serial?: string | undefined
}

/** The execution a command asks for; what it leaves out is filled in. */
export function readNestedCall(
  { payload, serial, timeout_ms }: Extract<PeerCommand, { kind: 'execution' }>,
  skillId: string,
): NestedCall | ExecutionFailure {
  const source = skillId.slice(0, 64)
  const filled = isRecord(payload)
    ? {
        ...without(payload, 'commandId', 'command_id', { commandId: source }),
        ...without(payload, 'taskId', 'task_id', { taskId: source }),
        ...without(payload, 'source', 'source', { source }),
        ...without(payload, 'expectedFormat', 'expected_format', {
          expectedFormat: 'android-ui-automator',
        }),
        ...payload,
      }
    : payload
  const read = normalizeExecution(filled)
  const sized =
    read.ok && timeout_ms !== undefined ? overrideTimeout(read.execution, timeout_ms) : read
  if (!sized.ok) return sized.failure
  return { execution: sized.execution, command_id: sized.execution.commandId, serial }
}

/** Queues it as one of this run's: under an id of its own, because scripts give the same one every time. */
export function queueNestedCall(
  ctx: CommandContext,
  run: SkillRunRow,
  call: NestedCall,
): ExecutionRow {
  if (run.state !== 'running') throw new Failure('SKILL_RUN_SETTLED', 'The run is over.')
  const number = listSkillRunCalls(ctx.tx, run.run_id).length + 1
  const execution = { ...call.execution, commandId: `skill-run-${run.run_id}-${number}` }
  const queued = queueExecution(ctx, {
    execution,
    payload_sha256: hash('sha256', JSON.stringify(execution), 'hex'),
    serial: call.serial ?? run.serial,
    priority: 0,
  })
  insertSkillRunCall(ctx.tx, run.run_id, queued.execution_id)
  recordEvent(ctx, subjectOf(run.run_id), 'skill.run.called', {
    execution_id: queued.execution_id,
    serial: queued.serial,
    actions: execution.actions.map(({ type }) => type),
  })
  return queued
}

/** What the peer's program prints for an execution that ended. */
export function peerResult(
  envelope: ResultEnvelope,
  { command_id, serial }: { readonly command_id: string; readonly serial: string },
): { readonly exit_code: number; readonly stdout: string } {
  const result = {
    envelope: { ...envelope, commandId: command_id },
    deviceId: serial,
    terminalSource: 'clawperator_result',
    isCanonicalTerminal: true,
  }
  const well = envelope.status === 'success' && envelope.stepResults.every(({ success }) => success)
  return { exit_code: well ? 0 : 1, stdout: `${JSON.stringify(result)}\n` }
}

export const peerFailure = (
  failure: Readonly<Record<string, unknown>>,
): { readonly exit_code: number; readonly stdout: string } => ({
  exit_code: 1,
  stdout: `${JSON.stringify(failure)}\n`,
})

const without = (
  payload: Readonly<Record<string, unknown>>,
  name: string,
  alias: string,
  value: Record<string, unknown>,
): Record<string, unknown> => (name in payload || alias in payload ? {} : value)
