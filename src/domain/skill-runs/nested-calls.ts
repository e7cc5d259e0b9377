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
import { findJob } from '../../store/command/jobs.ts'
import type { ExecutionRow } from '../../store/devices/executions.ts'
import { insertSkillRunCall, listSkillRunCalls, type SkillRunRow } from '../../store/skill-runs/skill-runs.ts'
import type { CommandContext } from '../command/context.ts'
import { queueExecution } from '../devices/executions.ts'
import { recordEvent } from '../command/ledger.ts'
import type { PeerCommand } from '../../knowledge/skill-script/peer-command.ts'
import { formatSkillRunSubject } from './skill-run-start.ts'

export interface NestedCall {
  readonly execution: Execution
  /** The id from the script. Scripts may use the same id in every run. */
  readonly command_id: string
  readonly serial?: string | undefined
}

/** Reads the execution of a command and fills in missing fields. */
export function readNestedCall(
  { payload, serial, timeout_ms }: Extract<PeerCommand, { kind: 'execution' }>,
  skillId: string,
): NestedCall | ExecutionFailure {
  const source = skillId.slice(0, 64)
  const filled = isRecord(payload)
    ? {
        ...defaultField(payload, 'commandId', 'command_id', { commandId: source }),
        ...defaultField(payload, 'taskId', 'task_id', { taskId: source }),
        ...defaultField(payload, 'source', 'source', { source }),
        ...defaultField(payload, 'expectedFormat', 'expected_format', {
          expectedFormat: 'android-ui-automator',
        }),
        ...payload,
      }
    : payload
  const read = normalizeExecution(filled)
  const limited = read.ok && timeout_ms !== undefined ? overrideTimeout(read.execution, timeout_ms) : read
  if (!limited.ok) return limited.failure
  return { execution: limited.execution, command_id: limited.execution.commandId, serial }
}

/** Queues the execution under a new command id, because scripts reuse theirs. */
export function queueNestedCall(caller: CommandContext, run: SkillRunRow, call: NestedCall): ExecutionRow {
  if (run.state !== 'running') throw new Failure('SKILL_RUN_SETTLED', 'The skill run is over.')
  // A script works by the right of the request that started it. Its call is traced as its own.
  const { authority } = findJob(caller.tx, run.run_id) ?? {}
  const { trace } = caller.actor.authority ?? {}
  const ctx = { ...caller, actor: { ...caller.actor, authority: { ...authority, ...(trace && { trace }) } } }
  const number = listSkillRunCalls(ctx.tx, run.run_id).length + 1
  const execution = { ...call.execution, commandId: `skill-run-${run.run_id}-${number}` }
  const queued = queueExecution(ctx, {
    execution,
    payload_sha256: hash('sha256', JSON.stringify(execution), 'hex'),
    serial: call.serial ?? run.serial,
    priority: 0,
  })
  insertSkillRunCall(ctx.tx, run.run_id, queued.execution_id)
  recordEvent(ctx, formatSkillRunSubject(run.run_id), 'skill.run.called', {
    execution_id: queued.execution_id,
    serial: queued.serial,
    actions: execution.actions.map(({ type }) => type),
  })
  return queued
}

/** The output of the peer program for a settled execution. */
export function formatPeerResult(
  envelope: ResultEnvelope,
  { command_id, serial }: { readonly command_id: string; readonly serial: string },
): { readonly exit_code: number; readonly stdout: string } {
  const result = {
    envelope: { ...envelope, commandId: command_id },
    deviceId: serial,
    terminalSource: 'clawperator_result',
    isCanonicalTerminal: true,
  }
  const succeeded = envelope.status === 'success' && envelope.stepResults.every(({ success }) => success)
  return { exit_code: succeeded ? 0 : 1, stdout: `${JSON.stringify(result)}\n` }
}

export const formatPeerFailure = (
  failure: Readonly<Record<string, unknown>>,
): { readonly exit_code: number; readonly stdout: string } => ({
  exit_code: 1,
  stdout: `${JSON.stringify(failure)}\n`,
})

const defaultField = (
  payload: Readonly<Record<string, unknown>>,
  name: string,
  alias: string,
  value: Record<string, unknown>,
): Record<string, unknown> => (name in payload || alias in payload ? {} : value)
