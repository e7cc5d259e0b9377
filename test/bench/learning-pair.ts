import type { InterpretationContext } from '../../src/knowledge/interpret/draft/workflow.ts'
import type { Phone, PhoneOptions } from '@apprentice/phone/phone.ts'
import type { Doing } from './learning-lab.ts'

/** Something that is shown once. */
export interface Lesson {
  readonly name: string
  readonly app: string
  readonly goal: string
  readonly shown: readonly Doing[]
  readonly prepare?: (phone: Phone) => void
  readonly options?: PhoneOptions
  readonly context?: Partial<InterpretationContext>
  readonly trials: readonly Trial[]
}

/** What is asked of the recipe on another phone. */
export interface Trial {
  readonly name: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly prepare?: (phone: Phone) => void
  readonly meanwhile?: (phone: Phone, stepId: string) => void
  readonly options?: PhoneOptions
  /** Whether it can be done at all; if not, the only right answer is to say so. */
  readonly possible?: boolean
  /** Read from the phone itself: what was asked for is so, and nothing else has changed. */
  readonly isDone: (phone: Phone) => boolean
}

export type Verdict = 'right' | 'wrong' | 'false success'

/** What became of a trial, by the phone and not by our own report. */
export function judge(
  { possible = true, isDone }: Trial,
  report: { readonly phone: Phone; readonly succeeded: boolean },
): Verdict {
  const done = isDone(report.phone)
  if (report.succeeded && !done) return 'false success'
  return report.succeeded === possible && done === possible ? 'right' : 'wrong'
}

export const savedOf = (phone: Phone, app: string): Record<string, unknown> =>
  phone.state(app).saved

/** A list of an app's own, with each entry as a record. */
export function entries(phone: Phone, app: string, list: string): Record<string, unknown>[] {
  return savedOf(phone, app)[list] as Record<string, unknown>[]
}

/** Exactly these fields of exactly this entry differ from a fresh phone's, once it was prepared. */
export function onlyChanged(
  before: readonly Record<string, unknown>[],
  after: readonly Record<string, unknown>[],
  change: { readonly name: string; readonly fields: Readonly<Record<string, unknown>> },
): boolean {
  const wanted = before.map((entry) =>
    entry['name'] === change.name ? { ...entry, ...change.fields } : entry,
  )
  return JSON.stringify(after) === JSON.stringify(wanted)
}
