import type { StepResult } from '@apprentice/contracts/devices/execution.ts'
import { hasActed } from '../verification/run-outcome.ts'
import type { RuntimeReading } from './judge.ts'
import { showsText } from './text-match.ts'

/** What the labels on the screen say of the text that should be there. */
export function readOnScreen(labels: readonly string[], expected: string): RuntimeReading {
  const seen = labels.find((label) => showsText(label, expected))
  return seen === undefined
    ? { status: 'not_seen', by: 'screen' }
    : { status: 'verified', by: 'screen', observed: seen }
}

const readings: ReadonlySet<string> = new Set(['read_text', 'read_key_value_pair', 'expect'])

/**
 * What the runtime itself read while the script ran: for skills that leave the screen they proved it on. Only what was
 * read after the last touch counts; before it, anything may have been so.
 */
export function readFromSteps(
  steps: readonly StepResult[],
  expected: string,
): RuntimeReading | undefined {
  const after = steps.slice(steps.findLastIndex(hasActed) + 1)
  const texts = after
    .filter(({ success, actionType }) => success && readings.has(actionType))
    .flatMap(({ data }) => [data['text'], data['value'], data['observed']])
    .filter((text) => text !== undefined)
  const seen = texts.find((text) => showsText(text, expected))
  return seen === undefined
    ? undefined
    : { status: 'verified', by: 'recorded_read', observed: seen }
}
