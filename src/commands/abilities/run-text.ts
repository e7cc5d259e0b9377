import { z } from 'zod'
import type { AbilityRun, RunFailure } from '@apprentice/contracts/abilities/runs.ts'
import { EXIT_CODES } from '../terminal/exit-codes.ts'

/** What each step does, by step id. Unknown steps are absent. */
export type StepDescriptions = ReadonlyMap<string, string>

/** Replaces "the given <input>" in each description by the value that was given. */
export function fillInValues(steps: StepDescriptions, inputs: Readonly<Record<string, string>>): StepDescriptions {
  const values = Object.entries(inputs)
    .map(([name, value]) => ({ name: name.replaceAll('_', ' '), value }))
    .toSorted((a, b) => b.name.length - a.name.length)
  const fill = (description: string): string =>
    values.reduce((text, { name, value }) => text.replaceAll(`the given ${name}`, () => `"${value}"`), description)
  return new Map([...steps].map(([id, description]) => [id, fill(description)]))
}

/** Describes an action of a run for a person. */
export function describeStep(stepId: string, known: StepDescriptions): string {
  const slash = stepId.indexOf('/')
  if (slash > 0) return `${describeStep(stepId.slice(0, slash), known)}: ${describeStep(stepId.slice(slash + 1), NONE)}`
  const own = known.get(stepId)
  if (own !== undefined) return stepId.startsWith('verify.') ? `Check: ${own}` : own
  if (stepId.startsWith('already.')) return 'Check whether it is done already'
  if (stepId.startsWith('verify.')) return 'Check the outcome'
  const [, step = '', part = ''] = /^(.+)\.(wait|confirm)(_wait|_read)?$/.exec(stepId) ?? []
  if (part === 'wait') return 'Wait a moment'
  if (part === 'confirm') return `Check that it was done: ${known.get(step) ?? step}`
  return SESSION_STEPS[stepId] ?? capitalize(stepId.replaceAll(/[_.-]+/g, ' '))
}

/** The steps of a called ability are not described by the caller. */
const NONE: StepDescriptions = new Map()

const SESSION_STEPS: Readonly<Record<string, string>> = {
  session_close: 'Close the app',
  session_open: 'Open the app',
  session_ready: 'Wait for its first screen',
}

/** Describes the outcome of a run for a person. */
export function formatOutcome(run: AbilityRun, known: StepDescriptions): string {
  const lines = [
    formatHeadline(run),
    ...formatItems(run),
    ...formatProof(run),
    ...formatOutputs(run),
    ...formatNotes(run),
  ]
  if (run.trouble !== undefined) lines.push(...formatTrouble(run.trouble, known))
  if (run.state === 'failed' || run.state === 'cancelled') {
    lines.push(run.acted ? 'Some steps were done before it ended.' : 'Nothing was changed.')
  }
  if (run.state === 'indeterminate' && run.serial !== undefined) {
    lines.push('Check the phone before you run it again.')
  }
  return lines.join('\n')
}

export function toExitCode({ state }: Pick<AbilityRun, 'state'>): number {
  if (state === 'success') return EXIT_CODES.ok
  const hasFailed = state === 'failed' || state === 'cancelled'
  return hasFailed ? EXIT_CODES.failure : EXIT_CODES.indeterminate
}

function formatHeadline({ state, serial, acted, run_id, outputs }: AbilityRun): string {
  // A scene has no device.
  const place = serial === undefined ? 'in a browser' : `on ${serial}`
  switch (state) {
    case 'success':
      if (!acted && Object.keys(outputs).length > 0) return `Read ${place}.`
      return acted ? `Done ${place} and verified.` : `Nothing to do ${place}: the phone already shows the outcome.`
    case 'failed':
      return `Failed ${place}.`
    case 'indeterminate':
      return `Outcome unknown ${place}: ${serial === undefined ? 'the run was interrupted' : 'it could not be read from the phone'}.`
    case 'cancelled':
      return `Cancelled ${place}.`
    case 'queued':
      return `Still waiting for ${serial ?? 'a browser'}; run ${run_id}`
    case 'running':
      return `Still running ${place}; run ${run_id}`
  }
}

/** How many items of a list were done, and what the others did. */
function formatItems({ items_total, items_done = 0, items = [] }: AbilityRun): string[] {
  if (items_total === undefined) return []
  const open = items.filter(({ state }) => state === 'not_started').map(({ item }) => item + 1)
  return [
    `  ${items_done} of ${items_total} items done`,
    ...items
      .filter(({ state }) => state !== 'success' && state !== 'not_started')
      .map(({ item, state }) => `  item ${item + 1}: ${state}`),
    ...(open.length === 0 ? [] : [`  not started: ${open.join(', ')}`]),
  ]
}

/** What the phone showed in the end. */
function formatProof({ state, verification }: AbilityRun): string[] {
  if (state !== 'success') return []
  return verification.flatMap(({ observed }) =>
    observed === undefined || observed === '' ? [] : [`  the phone shows "${toOneLine(observed)}"`],
  )
}

const formatOutputs = ({ outputs }: AbilityRun): string[] =>
  Object.entries(outputs).map(
    ([name, value]) => `  ${name}: ${toOneLine(Array.isArray(value) ? value.join(', ') : String(value))}`,
  )

function formatNotes({ dismissed, used_fallbacks, compat }: AbilityRun): string[] {
  return [
    ...(compat === 'out_of_range' ? ['  this app version is outside the range of the recipe'] : []),
    ...dismissed.map((label) => `  dismissed: "${toOneLine(label)}"`),
    ...(used_fallbacks.length === 0
      ? []
      : [`  used a fallback in ${used_fallbacks.length} steps; the app may have changed`]),
  ]
}

function formatTrouble(trouble: RunFailure, known: StepDescriptions): string[] {
  const { code, message, step_id, in_the_way, observed, candidates } = trouble
  const step = step_id === undefined ? undefined : describeStep(step_id, known)
  const matching = parseCandidates(candidates)
  return [
    ...(step === undefined ? [] : [`  at: ${step}`]),
    `  why: ${REASONS[code] ?? toOneLine(message)} (${formatReasonDetail(code, message)})`,
    ...(in_the_way === undefined ? [] : [`  blocked by: "${toOneLine(in_the_way)}"`]),
    ...(observed === undefined ? [] : [`  the phone shows "${toOneLine(observed)}"`]),
    ...(matching.length === 0 ? [] : ['  matching elements:', ...matching.map((one) => `    ${one}`)]),
  ]
}

/** Explanations of codes. A code that is not listed is explained by its message. */
const REASONS: Readonly<Record<string, string>> = {
  NODE_NOT_FOUND: 'The element is not on the screen.',
  TARGET_NOT_FOUND: 'The element is not on the screen, and scrolling did not reveal it.',
  NODE_AMBIGUOUS: 'Several elements match, so none was chosen.',
  CONTAINER_NOT_FOUND: 'The container of the element is not on the screen.',
  CONTAINER_AMBIGUOUS: 'Several containers match, so none was chosen.',
  NODE_NOT_CLICKABLE: 'The element cannot be tapped now.',
  CONTROL_CONVERGENCE_FAILED: 'The control did not reach the value.',
  VERIFY_FAILED: 'The phone does not show the expected outcome.',
  VERIFY_INDETERMINATE: 'The outcome could not be read from the phone.',
  NAVIGATION_TIMEOUT: 'The next screen did not appear in time.',
  UI_TREE_UNAVAILABLE: 'The screen could not be read.',
  DEVICE_LOST: 'The phone was disconnected during the run.',
  DEVICE_OFFLINE: 'The phone does not answer.',
  RESULT_ENVELOPE_TIMEOUT: 'The time limit was reached.',
  EXECUTION_INTERRUPTED: 'The daemon stopped during the run.',
}

const formatReasonDetail = (code: string, message: string): string =>
  REASONS[code] === undefined ? code : `${code}: ${toOneLine(message)}`

const Candidate = z.object({
  label: z.string().catch(''),
  content_desc: z.string().catch(''),
  resource_id: z.string().catch(''),
  role: z.string().catch(''),
})

function parseCandidates(text: string | undefined): string[] {
  if (text === undefined) return []
  let nodes: unknown
  try {
    nodes = JSON.parse(text)
  } catch {
    // Long lists are truncated and then no valid JSON.
    return []
  }
  return z
    .array(Candidate)
    .catch([])
    .parse(nodes)
    .map(({ label, content_desc, resource_id, role }) => {
      const name = [label, content_desc].find((text) => text !== '')
      const quoted = name === undefined ? '' : ` "${toOneLine(name)}"`
      return `${role}${quoted}${resource_id === '' ? '' : ` #${resource_id}`}`.trim()
    })
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const toOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
