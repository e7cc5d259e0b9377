import { type ExecutionFailure, normalizeExecution } from '@apprentice/contracts/devices/execution.ts'
import type { Action } from '@apprentice/contracts/devices/action.ts'

export function payload(...actions: readonly unknown[]): Record<string, unknown> {
  return {
    commandId: 'cmd-1',
    taskId: 'task-1',
    source: 'test',
    expectedFormat: 'android-ui-automator',
    timeoutMs: 30_000,
    actions,
  }
}

export function accepted(action: Readonly<Record<string, unknown>>): Action {
  const normalized = normalizeExecution(payload({ id: 'a1', ...action }))
  if (!normalized.ok) throw new Error(`Refused: ${normalized.failure.reason}`)
  const [first] = normalized.execution.actions
  if (first === undefined) throw new Error('No action came back.')
  return first
}

export function refused(input: unknown): ExecutionFailure {
  const normalized = normalizeExecution(input)
  if (normalized.ok) throw new Error('The payload was accepted.')
  return normalized.failure
}

export function refusedAction(action: Readonly<Record<string, unknown>>): ExecutionFailure {
  return refused(payload({ id: 'a1', ...action }))
}
