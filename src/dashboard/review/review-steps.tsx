import type { ProposalDetail } from '@apprentice/contracts/learn/proposal-review.ts'
import { type CapturedStepView, listCapturedSteps } from '@apprentice/contracts/learn/understanding.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { ScreenPicture } from '../phone/screen-picture.tsx'
import { say } from '../text/say.ts'
import { t } from '../text/text.ts'

interface ReviewedStep {
  readonly description: string
  readonly source_event_ids?: readonly string[]
}

/** The steps of a draft, each with the screen that it was learned from, as long as that is stored. */
export function ReviewSteps({ detail }: { readonly detail: ProposalDetail }) {
  const sessionId = detail.proposal.learn_session_id
  const { data } = useResource(`${sessionId ?? ''}/steps`, async () =>
    sessionId === undefined ? { steps: [] } : call(listCapturedSteps, { params: { sessionId } }),
  )
  const captured = data.value?.steps ?? []
  const steps = listReviewedSteps(detail)
  if (steps.length === 0) return null
  return (
    <section class="part">
      <h4>{t.review.steps}</h4>
      <ol class="reviewed-steps">
        {steps.map((step, at) => (
          <li key={at}>
            <StepPicture step={step} captured={captured} />
            <span>{say(step.description)}</span>
          </li>
        ))}
      </ol>
    </section>
  )
}

interface PictureProps {
  readonly step: ReviewedStep
  readonly captured: readonly CapturedStepView[]
}

function StepPicture({ step, captured }: PictureProps) {
  const sources = step.source_event_ids ?? []
  const shown = captured.find(({ event_id, screen }) => sources.includes(event_id) && screen !== undefined)?.screen
  if (shown === undefined) return null
  return (
    <ScreenPicture
      evidenceId={shown.evidence_id}
      isCropped
      size={shown}
      frame={shown.bounds}
      label={t.teach.film.picture(say(step.description))}
    />
  )
}

function listReviewedSteps({ interpretation, review }: ProposalDetail): readonly ReviewedStep[] {
  const steps = (review?.['steps'] ?? []) as readonly Partial<ReviewedStep>[]
  const described = steps.flatMap(({ description, source_event_ids = [] }) =>
    description === undefined ? [] : [{ description, source_event_ids }],
  )
  return described.length > 0
    ? described
    : (interpretation?.checkpoints ?? []).map(({ goal }) => ({ description: goal }))
}
