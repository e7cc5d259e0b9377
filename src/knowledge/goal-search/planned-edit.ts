import type { NodeMatcher } from '@apprentice/contracts/devices/matcher.ts'

interface EditBase {
  readonly label: string
  /** The class of the control, which its policy is checked against. */
  readonly class: string
}

/** A change on a screen that may reach a goal. */
export type PlannedEdit = EditBase &
  (
    | { readonly kind: 'check'; readonly matcher: NodeMatcher; readonly checked: boolean }
    /** Taps a choice, or something that shows its state in words. */
    | { readonly kind: 'choose'; readonly matcher: NodeMatcher }
    | StepEdit
    | {
        readonly kind: 'slide'
        readonly value: NodeMatcher
        readonly slider: NodeMatcher
        readonly target: number
      }
    | { readonly kind: 'type'; readonly matcher: NodeMatcher; readonly text: string; readonly replaces: boolean }
  )

/** Taps the buttons of a stepper or a wheel until it shows the target. */
export interface StepEdit extends EditBase {
  readonly kind: 'step'
  readonly value: NodeMatcher
  readonly increase?: NodeMatcher | undefined
  readonly decrease?: NodeMatcher | undefined
  /** A number, or the words of which one is to be shown. */
  readonly target: number | readonly string[]
}
