import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { t } from '../text/text.ts'
import { Icon } from './icon.tsx'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
  /** `drawer` fills the right edge of the page. */
  readonly kind?: 'dialog' | 'drawer'
}

/** A native modal dialog: it keeps the focus inside and is closed by Escape. */
export function Dialog({ title, onClose, children, kind = 'dialog' }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    element.current?.showModal()
    return () => element.current?.close()
  }, [])
  return (
    <dialog
      ref={element}
      class={kind}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        // A click on the backdrop has the dialog itself as its target.
        if (event.target === element.current) onClose()
      }}
    >
      <header class="dialog-head">
        <h2 id={titleId}>{title}</h2>
        <button type="button" class="quiet" aria-label={t.common.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div class="dialog-body">{children}</div>
    </dialog>
  )
}

interface ConfirmProps {
  readonly title: string
  readonly text: string
  readonly action: string
  readonly onConfirm: () => void
  readonly onClose: () => void
}

/** Asks once before something that cannot be undone. The safe choice has the focus. */
export const Confirm = ({ title, text, action, onConfirm, onClose }: ConfirmProps) => (
  <Dialog title={title} onClose={onClose}>
    <p>{text}</p>
    <div class="buttons end">
      <button type="button" onClick={onClose}>
        {t.common.keep}
      </button>
      <button
        type="button"
        class="danger"
        onClick={() => {
          onConfirm()
          onClose()
        }}
      >
        {action}
      </button>
    </div>
  </Dialog>
)
