import type { InterpretationContext } from '../../src/knowledge/interpret/draft/workflow.ts'
import type { Phone, PhoneOptions } from '@apprentice/phone/phone.ts'
import type { LabAction } from './learning-lab.ts'

/** A workflow that is demonstrated once and then tried. */
export interface Lesson {
  readonly name: string
  readonly app: string
  readonly goal: string
  readonly actions: readonly LabAction[]
  readonly prepare?: (phone: Phone) => void
  readonly options?: PhoneOptions
  readonly context?: Partial<InterpretationContext>
  readonly trials: readonly Trial[]
}

/** One run of the learned recipe on another phone. */
export interface Trial {
  readonly name: string
  readonly inputs: Readonly<Record<string, unknown>>
  readonly prepare?: (phone: Phone) => void
  readonly meanwhile?: (phone: Phone, stepId: string) => void
  readonly options?: PhoneOptions
  /** Whether the run can succeed. If not, it must fail. */
  readonly possible?: boolean
  /** Reads the state of the phone: the request is done, and nothing else has changed. */
  readonly isDone: (phone: Phone) => boolean
}

export type Verdict = 'right' | 'wrong' | 'false success'

/** Judges a trial by the state of the phone, not by the report of the run. */
export function judge(
  { possible = true, isDone }: Trial,
  report: { readonly phone: Phone; readonly succeeded: boolean },
): Verdict {
  const done = isDone(report.phone)
  if (report.succeeded && !done) return 'false success'
  return report.succeeded === possible && done === possible ? 'right' : 'wrong'
}

export const readSaved = (phone: Phone, app: string): Record<string, unknown> => phone.state(app).saved

/** The entries of a saved list of an app. */
export function listEntries(phone: Phone, app: string, list: string): Record<string, unknown>[] {
  return readSaved(phone, app)[list] as Record<string, unknown>[]
}

/** Whether only the given fields of the entry with the given name changed. */
export function hasOnlyChanged(
  before: readonly Record<string, unknown>[],
  after: readonly Record<string, unknown>[],
  change: { readonly name: string; readonly fields: Readonly<Record<string, unknown>> },
): boolean {
  const expected = before.map((entry) => (entry['name'] === change.name ? { ...entry, ...change.fields } : entry))
  return JSON.stringify(after) === JSON.stringify(expected)
}
