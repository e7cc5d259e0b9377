import { notify } from '../app/notices.tsx'
import { t } from '../text/text.ts'
import { Icon } from './icon.tsx'

interface CopyButtonProps {
  readonly text: string
  /** What is copied, for screen readers. */
  readonly name: string
  readonly label?: string
}

export const CopyButton = ({ text, name, label }: CopyButtonProps) => (
  <button
    type="button"
    class="quiet small"
    aria-label={t.receipts.copyOf(name)}
    title={t.receipts.copyOf(name)}
    onClick={() => void navigator.clipboard.writeText(text).then(() => notify(t.receipts.copied))}
  >
    <Icon name="copy" size={14} /> {label}
  </button>
)
