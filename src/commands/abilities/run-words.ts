import { z } from 'zod'
import type { AbilityRun, RunTrouble } from '@apprentice/contracts/abilities/runs.ts'
import { exitCodes } from '../terminal/exit-codes.ts'

/** What each step does, by its id, where that is known. */
export type StepWords = ReadonlyMap<string, string>

/** The same words, with what was given in the place of what it stands for. */
export function withValues(steps: StepWords, inputs: Readonly<Record<string, string>>): StepWords {
  const named = Object.entries(inputs)
    .map(([name, value]) => ({ name: name.replaceAll('_', ' '), value }))
    .toSorted((a, b) => b.name.length - a.name.length)
  const fill = (words: string): string =>
    named.reduce(
      (said, { name, value }) => said.replaceAll(`the given ${name}`, () => `"${value}"`),
      words,
    )
  return new Map([...steps].map(([id, words]) => [id, fill(words)]))
}

/** An action of a run in a person's words. */
export function stepWords(stepId: string, known: StepWords): string {
  const own = known.get(stepId)
  if (own !== undefined) return stepId.startsWith('verify.') ? `Check: ${own}` : own
  if (stepId.startsWith('already.')) return 'Look whether it is so already'
  if (stepId.startsWith('verify.')) return 'Check the outcome'
  const [, step = '', part = ''] = /^(.+)\.(wait|confirm)(_wait|_read)?$/.exec(stepId) ?? []
  if (part === 'wait') return 'Wait a moment'
  if (part === 'confirm') return `Check that it was done: ${known.get(step) ?? step}`
  return sessionWords[stepId] ?? capitalised(stepId.replaceAll(/[_.-]+/g, ' '))
}

const sessionWords: Readonly<Record<string, string>> = {
  session_close: 'Close the app',
  session_open: 'Open the app',
  session_ready: 'Wait for its first screen',
}

/** What a run came to, for a person. */
export function outcomeWords(run: AbilityRun, known: StepWords): string {
  const lines = [headline(run), ...proofLines(run), ...outputLines(run), ...noteLines(run)]
  if (run.trouble !== undefined) lines.push(...troubleLines(run.trouble, known))
  if (run.state === 'failed' || run.state === 'cancelled') {
    lines.push(run.acted ? 'Something was done before it ended.' : 'Nothing was changed.')
  }
  if (run.state === 'indeterminate') lines.push('Look at the phone before you run it again.')
  return lines.join('\n')
}

export function exitCodeOf({ state }: Pick<AbilityRun, 'state'>): number {
  if (state === 'success') return exitCodes.ok
  const over = state === 'failed' || state === 'cancelled'
  return over ? exitCodes.problem : exitCodes.indeterminate
}

function headline({ state, serial, acted, run_id }: AbilityRun): string {
  switch (state) {
    case 'success':
      return acted
        ? `Done on ${serial}, and seen on the phone.`
        : `Nothing had to be done on ${serial}: it is so already.`
    case 'failed':
      return `Failed on ${serial}.`
    case 'indeterminate':
      return `It is not known whether it worked on ${serial}: the outcome could not be read.`
    case 'cancelled':
      return `Cancelled on ${serial}.`
    case 'queued':
    case 'running':
      return `Still ${state === 'queued' ? 'waiting for' : 'running on'} ${serial}; run ${run_id}`
  }
}

/** What the phone showed in the end. */
function proofLines({ state, verification }: AbilityRun): string[] {
  if (state !== 'success') return []
  return verification.flatMap(({ observed }) =>
    observed === undefined || observed === '' ? [] : [`  the phone shows "${oneLine(observed)}"`],
  )
}

const outputLines = ({ outputs }: AbilityRun): string[] =>
  Object.entries(outputs).map(([name, value]) => `  ${name}: ${oneLine(String(value))}`)

function noteLines({ dismissed, used_fallbacks, compat }: AbilityRun): string[] {
  return [
    ...(compat === 'out_of_range' ? ['  the app is not of a version this was made for'] : []),
    ...dismissed.map((label) => `  put away on the way: "${oneLine(label)}"`),
    ...(used_fallbacks.length === 0
      ? []
      : [`  found another way at ${used_fallbacks.length} steps; the app may have changed`]),
  ]
}

function troubleLines(trouble: RunTrouble, known: StepWords): string[] {
  const { code, message, step_id, in_the_way, observed, candidates } = trouble
  const step = step_id === undefined ? undefined : stepWords(step_id, known)
  const several = candidatesIn(candidates)
  return [
    ...(step === undefined ? [] : [`  at: ${step}`]),
    `  why: ${reasons[code] ?? oneLine(message)} (${reasonDetail(code, message)})`,
    ...(in_the_way === undefined ? [] : [`  in the way: "${oneLine(in_the_way)}"`]),
    ...(observed === undefined ? [] : [`  the phone shows "${oneLine(observed)}"`]),
    ...(several.length === 0
      ? []
      : ['  several things fit:', ...several.map((one) => `    ${one}`)]),
  ]
}

/** What codes mean to a person; the others say it themselves. */
const reasons: Readonly<Record<string, string>> = {
  NODE_NOT_FOUND: 'It is not on the screen.',
  TARGET_NOT_FOUND: 'It is not on the screen, nor anywhere it was scrolled to.',
  NODE_AMBIGUOUS: 'Several things on the screen fit, and one of them would be a guess.',
  CONTAINER_NOT_FOUND: 'The place where it should be is not on the screen.',
  CONTAINER_AMBIGUOUS: 'Several places on the screen fit, and one of them would be a guess.',
  NODE_NOT_CLICKABLE: 'It is there, but cannot be touched now.',
  CONTROL_CONVERGENCE_FAILED: 'It does not take the wanted value.',
  VERIFY_FAILED: 'The phone does not show the wanted outcome.',
  VERIFY_INDETERMINATE: 'The outcome could not be read from the phone.',
  NAVIGATION_TIMEOUT: 'The next screen did not come.',
  UI_TREE_UNAVAILABLE: 'The screen could not be read.',
  DEVICE_LOST: 'The phone went away in the middle.',
  DEVICE_OFFLINE: 'The phone does not answer.',
  RESULT_ENVELOPE_TIMEOUT: 'Its time ran out.',
  EXECUTION_INTERRUPTED: 'The daemon went away in the middle.',
}

const reasonDetail = (code: string, message: string): string =>
  reasons[code] === undefined ? code : `${code}: ${oneLine(message)}`

const Candidate = z.object({
  label: z.string().catch(''),
  content_desc: z.string().catch(''),
  resource_id: z.string().catch(''),
  role: z.string().catch(''),
})

function candidatesIn(text: string | undefined): string[] {
  if (text === undefined) return []
  let nodes: unknown
  try {
    nodes = JSON.parse(text)
  } catch {
    // It was cut where it became too long.
    return []
  }
  return z
    .array(Candidate)
    .catch([])
    .parse(nodes)
    .map(({ label, content_desc, resource_id, role }) => {
      const name = [label, content_desc].find((words) => words !== '')
      const words = name === undefined ? '' : ` "${oneLine(name)}"`
      return `${role}${words}${resource_id === '' ? '' : ` #${resource_id}`}`.trim()
    })
}

const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)

export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()
