import type { LearnSessionState } from '@apprentice/contracts/learn/session.ts'
import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'

const STEPS = ['goal', 'show', 'questions', 'review'] as const
type Step = (typeof STEPS)[number]

/** The step of a lesson that its state belongs to. */
export function findStep(state: LearnSessionState): Step {
  if (state === 'idle' || state === 'armed') return 'goal'
  if (state === 'capturing' || state === 'paused' || state === 'stopped') return 'show'
  return state === 'reviewing' || state === 'awaiting_questions' ? 'questions' : 'review'
}

interface StepperProps {
  readonly state: LearnSessionState
  readonly isPractice: boolean
}

/** Where the lesson is on its way from the goal to the review. */
export function Stepper({ state, isPractice }: StepperProps) {
  const now = STEPS.indexOf(findStep(state))
  return (
    <ol class="stepper" aria-label={t.teach.stepper.label}>
      {STEPS.map((step, at) => (
        <li key={step} class={at < now ? 'past' : ''} aria-current={at === now ? 'step' : undefined}>
          <span class="number">{at < now ? <Icon name="check" size={12} /> : at + 1}</span>
          {step === 'show' && isPractice ? t.teach.stepper.practise : t.teach.stepper.steps[step]}
        </li>
      ))}
    </ol>
  )
}
