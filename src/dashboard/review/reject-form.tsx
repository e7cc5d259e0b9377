import { useSignal } from '@preact/signals'
import { Field } from '../parts/basic.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { t } from '../text/text.ts'

interface RejectProps {
  readonly onReject: (reason: string) => Promise<boolean>
  readonly onClose: () => void
}

/** Asks for the reason of a rejection, which is recorded. */
export function RejectForm({ onReject, onClose }: RejectProps) {
  const reason = useSignal('')
  const isBlank = useSignal(false)
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    isBlank.value = reason.value.trim() === ''
    if (!isBlank.value && (await onReject(reason.value))) onClose()
  }
  return (
    <Dialog title={t.review.rejectTitle} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <Field label={t.review.reason} hint={t.review.reasonHint} error={isBlank.value ? t.common.notBlank : undefined}>
          <textarea
            required
            maxLength={1000}
            value={reason.value}
            onInput={({ currentTarget }) => (reason.value = currentTarget.value)}
          />
        </Field>
        <div class="buttons end">
          <button type="button" onClick={onClose}>
            {t.common.cancel}
          </button>
          <button class="danger">{t.review.actions.reject}</button>
        </div>
      </form>
    </Dialog>
  )
}
