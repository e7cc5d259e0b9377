import { useSignal } from '@preact/signals'
import { type ProposalDetail, reviseProposal } from '@apprentice/contracts/learn/proposal-review.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { Field } from '../parts/basic.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { t } from '../text/text.ts'
import { listInputs } from './review-inputs.ts'

interface ReviseProps {
  readonly detail: ProposalDetail
  readonly onRevised: () => Promise<void>
  readonly onClose: () => void
}

/** The words of a draft that a reviewer may change. The draft is generated again and must be tested again. */
export function ReviseForm({ detail, onRevised, onClose }: ReviseProps) {
  const { proposal, interpretation } = detail
  const words = useSignal<Words>({
    title: proposal.title,
    goal: interpretation?.goal_summary ?? '',
    triggers: proposal.trigger_phrases.join('\n'),
    negative: proposal.negative_triggers.join('\n'),
    why: '',
    inputs: Object.fromEntries(listInputs(detail).map(({ name, summary = '' }) => [name, { name, summary }])),
  })
  const change = (part: Partial<Words>) => (words.value = { ...words.value, ...part })
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const body = {
      revision_instructions: words.value.why || t.review.revisedByHand,
      edited_fields: toEdits(words.value, detail),
    }
    const params = { proposalId: proposal.proposal_id }
    if (await attempt(() => call(reviseProposal, { params, body }), onRevised)) onClose()
  }
  return (
    <Dialog title={t.review.reviseTitle} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <Text label={t.review.name} value={words.value.title} max={120} onInput={(title) => change({ title })} />
        <Lines label={t.review.goal} value={words.value.goal} max={600} onInput={(goal) => change({ goal })} />
        {Object.entries(words.value.inputs).map(([name, input]) => (
          <InputFields
            key={name}
            known={name}
            input={input}
            onInput={(next) => change({ inputs: { ...words.value.inputs, [name]: next } })}
          />
        ))}
        <Lines
          label={t.review.triggers}
          hint={t.review.onePerLine}
          required
          value={words.value.triggers}
          onInput={(triggers) => change({ triggers })}
        />
        <Lines
          label={t.teach.review.notUsed}
          hint={t.review.onePerLine}
          value={words.value.negative}
          onInput={(negative) => change({ negative })}
        />
        <Lines label={t.teach.review.why} value={words.value.why} max={2000} onInput={(why) => change({ why })} />
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

interface InputWords {
  readonly name: string
  readonly summary: string
}

interface Words {
  readonly title: string
  readonly goal: string
  readonly triggers: string
  readonly negative: string
  readonly why: string
  readonly inputs: Readonly<Record<string, InputWords>>
}

/** Only what was changed is sent. */
function toEdits({ title, goal, triggers, negative, inputs }: Words, detail: ProposalDetail) {
  const { proposal, interpretation } = detail
  const known = new Map(listInputs(detail).map((input) => [input.name, input]))
  const edited = Object.entries(inputs).flatMap(([name, next]) => {
    const isSame = next.name === name && next.summary === (known.get(name)?.summary ?? '')
    const renamed = next.name === name ? {} : { rename_to: next.name }
    return isSame ? [] : [{ name, ...renamed, ...(next.summary !== '' && { summary: next.summary }) }]
  })
  const isChanged = (text: string, before: readonly string[]): boolean => text !== before.join('\n')
  return {
    ...(title !== proposal.title && { title }),
    ...(goal !== '' && goal !== interpretation?.goal_summary && { goal_summary: goal }),
    ...(isChanged(triggers, proposal.trigger_phrases) && { trigger_phrases: splitLines(triggers) }),
    ...(isChanged(negative, proposal.negative_triggers) && { negative_triggers: splitLines(negative) }),
    ...(edited.length > 0 && { inputs: edited }),
  }
}

interface InputProps {
  readonly known: string
  readonly input: InputWords
  readonly onInput: (next: InputWords) => void
}

const InputFields = ({ known, input, onInput }: InputProps) => (
  <div class="input-words">
    <Text
      label={t.teach.review.inputName(known)}
      value={input.name}
      max={64}
      pattern="[A-Za-z0-9_]+"
      onInput={(name) => onInput({ ...input, name })}
    />
    <Lines
      label={t.teach.review.inputSummary(known)}
      value={input.summary}
      max={240}
      onInput={(summary) => onInput({ ...input, summary })}
    />
  </div>
)

interface TextProps {
  readonly label: string
  readonly value: string
  readonly onInput: (text: string) => void
  readonly max?: number
  readonly pattern?: string
  readonly hint?: string
  readonly required?: boolean
}

const Text = ({ label, value, max = 240, pattern, onInput }: TextProps) => (
  <Field label={label}>
    <input
      required
      maxLength={max}
      {...(pattern !== undefined && { pattern })}
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  </Field>
)

const Lines = ({ label, hint, value, max = 6000, required = false, onInput }: TextProps) => (
  <Field label={label} hint={hint}>
    <textarea
      required={required}
      rows={Math.min(6, value.split('\n').length + 1)}
      maxLength={max}
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  </Field>
)

const splitLines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
