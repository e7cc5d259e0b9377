import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import { hasActed } from '../verification/run-outcome.ts'
import type { RuntimeCheck } from './verdict.ts'
import { matchesText } from './text-match.ts'

/** Looks for the expected text among the labels on the screen. */
export function checkLabels(labels: readonly string[], expected: string): RuntimeCheck {
  const seen = labels.find((label) => matchesText(label, expected))
  return seen === undefined
    ? { status: 'not_seen', by: 'screen' }
    : { status: 'verified', by: 'screen', observed: seen }
}

const READING_ACTIONS: ReadonlySet<string> = new Set(['read_text', 'read_key_value_pair', 'expect'])

/**
 * Looks for the expected text among the texts the script read from the device, for skills that leave the screen at
 * the end. Only reads after the last action count.
 */
export function checkRecordedReads(steps: readonly StepResult[], expected: string): RuntimeCheck | undefined {
  const after = steps.slice(steps.findLastIndex(hasActed) + 1)
  const texts = after
    .filter(({ success, actionType }) => success && READING_ACTIONS.has(actionType))
    .flatMap(({ data }) => [data['text'], data['value'], data['observed']])
    .filter((text) => text !== undefined)
  const seen = texts.find((text) => matchesText(text, expected))
  return seen === undefined ? undefined : { status: 'verified', by: 'recorded_read', observed: seen }
}
