import { useSignal } from '@preact/signals'
import { type ProposalDetail, reviseProposal } from '@apprentice/contracts/learn/proposal-review.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { Field } from '../parts/basic.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { t } from '../text/text.ts'

interface ReviseProps {
  readonly detail: ProposalDetail
  readonly onRevised: () => Promise<void>
  readonly onClose: () => void
}

/** The words of a draft that a reviewer may change. The draft is generated again and must be tested again. */
export function ReviseForm({ detail: { proposal, interpretation }, onRevised, onClose }: ReviseProps) {
  const title = useSignal(proposal.title)
  const goal = useSignal(interpretation?.goal_summary ?? '')
  const triggers = useSignal(proposal.trigger_phrases.join('\n'))
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const edited_fields = {
      ...(title.value !== proposal.title && { title: title.value }),
      ...(goal.value !== '' && goal.value !== interpretation?.goal_summary && { goal_summary: goal.value }),
      trigger_phrases: splitLines(triggers.value),
    }
    const body = { revision_instructions: t.review.revisedByHand, edited_fields }
    const params = { proposalId: proposal.proposal_id }
    if (await attempt(() => call(reviseProposal, { params, body }), onRevised)) onClose()
  }
  return (
    <Dialog title={t.review.reviseTitle} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <Field label={t.review.name}>
          <input
            required
            maxLength={120}
            value={title.value}
            onInput={({ currentTarget }) => (title.value = currentTarget.value)}
          />
        </Field>
        <Field label={t.review.goal}>
          <textarea
            maxLength={600}
            value={goal.value}
            onInput={({ currentTarget }) => (goal.value = currentTarget.value)}
          />
        </Field>
        <Field label={t.review.triggers} hint={t.review.onePerLine}>
          <textarea
            required
            rows={5}
            value={triggers.value}
            onInput={({ currentTarget }) => (triggers.value = currentTarget.value)}
          />
        </Field>
        <div class="buttons end">
          <button type="button" onClick={onClose}>
            {t.common.cancel}
          </button>
          <button class="primary">{t.review.actions.revise}</button>
        </div>
      </form>
    </Dialog>
  )
}

const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
