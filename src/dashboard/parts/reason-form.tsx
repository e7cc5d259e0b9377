import { useSignal } from '@preact/signals'
import { t } from '../text/text.ts'
import { Field } from './basic.tsx'
import { Dialog } from './dialog.tsx'

interface ReasonFormProps {
  readonly title: string
  readonly text: string
  readonly action: string
  /** Returns whether it succeeded; the dialog is then closed. */
  readonly onReason: (reason: string) => Promise<boolean>
  readonly onClose: () => void
}

/** Asks for the reason of a decision that is recorded with it. */
export function ReasonForm({ title, text, action, onReason, onClose }: ReasonFormProps) {
  const reason = useSignal('')
  const isBlank = useSignal(false)
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    isBlank.value = reason.value.trim() === ''
    if (!isBlank.value && (await onReason(reason.value.trim()))) onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <p>{text}</p>
        <Field label={t.ability.reason} error={isBlank.value ? t.common.notBlank : undefined}>
          <textarea
            name="reason"
            required
            maxLength={240}
            value={reason.value}
            onInput={({ currentTarget }) => (reason.value = currentTarget.value)}
          />
        </Field>
        <div class="buttons end">
          <button type="button" onClick={onClose}>
            {t.common.cancel}
          </button>
          <button class="danger">{action}</button>
        </div>
      </form>
    </Dialog>
  )
}
